package catalog_test

import (
	"context"
	"fmt"
	"os"

	"loadgen/results/catalog"
)

// The names of the runs of a folder, and what of them would go.
func Example() {
	runs, err := os.MkdirTemp("", "runs")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(runs)
	all, err := catalog.Open(context.Background(), runs)
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := all.Plan(catalog.Pruning{KeepLast: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(all.Runs), "runs,", len(plan.Goes), "would go")
	// Output:
	// 0 runs, 0 would go
}
