package contest

import (
	"fmt"

	"loadgen/report/document"
)

// Options describes a contest. The zero value has no name, no price and [DefaultAlpha].
type Options struct {
	// Scenario is its name, Repeat the command that repeats the contest. Both may be empty.
	Scenario, Repeat string
	// Profile and Other name the model's profiles of the arms' Trials and Others; empty if
	// nothing is modelled.
	Profile, Other string
	// Alpha is how often a contest of equal designs may show a difference, 0 to below 0.5; 0
	// means DefaultAlpha.
	Alpha float64
	// Price is zero for a contest without costs.
	Price Price
}

// Price is per million billed transactions, and per GiB and month of stored entities, in any
// currency. BillRefused bills throttled requests as well.
type Price struct {
	PerMillion  float64 `json:"per_million_transactions"`
	PerGiBMonth float64 `json:"per_gib_and_month"`
	BillRefused bool    `json:"throttled_are_billed"`
}

// DefaultAlpha is the default share of contests that may show a difference by chance.
const DefaultAlpha = 0.05

// maxPrice is the maximum price, in any currency.
const maxPrice = 1e9

// Validate returns every fault.
func (o Options) Validate() []error {
	var faults []error
	if !(o.Alpha >= 0 && o.Alpha < 0.5) {
		faults = append(faults, fmt.Errorf("alpha is %v; expected more than 0 and less than 0.5", o.Alpha))
	}
	price := func(name string, value float64) {
		if !(value >= 0 && value <= maxPrice) {
			faults = append(faults, fmt.Errorf("%s is %v; expected a number from 0 to %s", name, value, document.Count(maxPrice)))
		}
	}
	price("the price of a million transactions", o.Price.PerMillion)
	price("the price of a GiB and month", o.Price.PerGiBMonth)
	return faults
}
