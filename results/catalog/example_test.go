package catalog_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"loadgen/results"
	"loadgen/results/catalog"
)

// Three runs are kept. One is given a tag, which keeps it; of the others the older goes.
func Example() {
	runs, err := os.MkdirTemp("", "runs")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(runs)
	for day := range 3 {
		started := time.Date(2026, 3, 1+day, 2, 0, 0, 0, time.UTC)
		folder, err := results.MakeDir(runs, started, "orders")
		if err != nil {
			fmt.Println(err)
			return
		}
		recorder, err := results.NewRecorder(folder, results.Manifest{Scenario: results.Scenario{Name: "orders"}, Started: started})
		if err != nil {
			fmt.Println(err)
			return
		}
		if err := recorder.Finish(time.Second, results.Valid, nil, nil); err != nil {
			fmt.Println(err)
			return
		}
	}

	ctx := context.Background()
	folder, err := catalog.Find(ctx, runs, "20260301")
	if err != nil {
		fmt.Println(err)
		return
	}
	tags, err := catalog.ChangeTags(folder, []string{"baseline"}, false)
	fmt.Println(filepath.Base(folder), tags, err)

	all, err := catalog.Open(ctx, runs)
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := all.Plan(catalog.Pruning{Now: time.Now().Add(24 * time.Hour), KeepLast: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	done, err := plan.Delete(ctx)
	fmt.Printf("%d gone, %v; %s\n", done.Runs, err, plan.Stay())
	// Output:
	// 20260301T020000Z-orders [baseline] <nil>
	// 1 gone, <nil>; 1 with tags, 1 new enough
}
