package advise_test

import (
	"context"
	"fmt"

	"loadgen/scenarios"
	"loadgen/scenarios/advise"
)

// Orders of a shop come in at 2,400 a second. By day they would all be in today's
// partition; by customer they are not, and explain says so before anything is sent.
func Example() {
	s, err := scenarios.Parse("orders.yaml", []byte(`
name: orders
about: Orders of a shop.
seed: 1
attributes:
  at: {time: 2026-11-01T09:00:00Z, every: 1s}
  customer: {uniform: [1, 20000]}
  number: {sequence: 1}
use: by-day
designs:
  - {name: by-day, partition_key: "{at:day}", row_key: "{at:ticks}-{number}"}
  - {name: by-customer, partition_key: "{customer}", row_key: "{at:ticks}-{number}"}
phases:
  - name: shop
    traffic: {arrivals: {constant: 2400}, for: 2s, operations: [{verb: insert}]}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	e, err := advise.Explain(context.Background(), advise.Options{Scenario: s, Targets: advise.Targets{Partition: 2000, Account: 20_000, Accounts: 1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range e.Findings {
		if f.Verdict == advise.Error {
			fmt.Println(f.ID)
		}
	}
	fmt.Println("holds:", *e.Ok)
	// Output:
	// partition-target
	// insert-order
	// holds: false
}
