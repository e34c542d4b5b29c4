package keystatistics_test

import (
	"fmt"
	"strings"

	"loadgen/scenarios/advise/keystatistics"
)

// A table that has one partition for each day: even, and yet all inserts of a day
// go to one.
func Example() {
	var file strings.Builder
	file.WriteString("PartitionKey,RowKey,Timestamp\n")
	for day := 1; day <= 28; day++ {
		for hour := range 24 {
			fmt.Fprintf(&file, "2026-02-%02d,%02d,2026-02-%02dT%02d:00:00Z\n", day, hour, day, hour)
		}
	}
	keys, err := keystatistics.New(keystatistics.Options{Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := keystatistics.ReadKeys(strings.NewReader(file.String()), keystatistics.ReadOptions{File: "keys.csv"}, keys); err != nil {
		fmt.Println(err)
		return
	}
	report := keys.Report()
	fmt.Printf("%.0f partitions, as uneven as %.0f equal ones; the heaviest has %.1f %%\n",
		report.Partitions.Value, report.Effective.Value, 100*report.Hottest.Most)
	fmt.Println(report.Order.Verdict)
	forecast := report.Forecast(keystatistics.Demand{EntitiesPerSecond: 5000, PartitionTarget: 2000, AccountTarget: 20_000})
	fmt.Printf("heaviest %.0f/s, hot place %.0f/s\n", forecast.Hottest.Most, forecast.HotPlace)
	// Output:
	// 28 partitions, as uneven as 28 equal ones; the heaviest has 3.6 %
	// append-only
	// heaviest 179/s, hot place 5000/s
}
