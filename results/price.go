package results

import (
	"cmp"
	"fmt"
)

// Price is what a service bills, in any currency: per million transactions, per GiB and month of stored entities,
// and per GB (10⁹ bytes) of replies that leave its region. BillRefused bills throttled requests as well.
type Price struct {
	PerMillion  float64 `json:"per_million_transactions"`
	PerGiBMonth float64 `json:"per_gib_and_month"`
	PerGBEgress float64 `json:"per_gb_of_egress,omitempty"`
	BillRefused bool    `json:"throttled_are_billed"`
}

// maxPrice is the maximum price, in any currency.
const maxPrice = 1e9

// Validate returns every fault.
func (p Price) Validate() (faults []error) {
	for _, one := range []struct {
		name  string
		value float64
	}{{"a million transactions", p.PerMillion}, {"a GiB and month", p.PerGiBMonth}, {"a GB of egress", p.PerGBEgress}} {
		if !(one.value >= 0 && one.value <= maxPrice) {
			faults = append(faults, fmt.Errorf("the price of %s is %v; expected a number from 0 to 1,000,000,000", one.name, one.value))
		}
	}
	return faults
}

// Total returns the cost of a number of transactions and of the bytes of their replies.
func (p Price) Total(transactions, received int64) float64 {
	return float64(transactions)/1e6*p.PerMillion + float64(received)/1e9*p.PerGBEgress
}

// Cost is the forecast cost of transactions and of bytes returned.
type Cost struct {
	Price Price `json:"price"`
	// Transactions and Egress are its parts, Total both.
	Transactions float64 `json:"transactions"`
	Egress       float64 `json:"egress"`
	Total        float64 `json:"total"`
}

// Forecast returns the cost of a number of transactions and of the bytes of their replies, nil without a price.
func (p Price) Forecast(transactions, received int64) *Cost {
	if cmp.Or(p.PerMillion, p.PerGBEgress) == 0 {
		return nil
	}
	return &Cost{Price: p, Transactions: p.Total(transactions, 0), Egress: p.Total(0, received), Total: p.Total(transactions, received)}
}
