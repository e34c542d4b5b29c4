package keystatistics_test

import (
	"math"
	"testing"

	"loadgen/scenarios/advise/keystatistics"
)

func TestForecast(t *testing.T) {
	documented := func(rate float64) keystatistics.Demand {
		return keystatistics.Demand{EntitiesPerSecond: rate, PartitionTarget: 2000, AccountTarget: 20_000}
	}
	tenth := keystatistics.Interval{Least: .1, Most: .1}
	endless := keystatistics.Interval{Least: math.Inf(1), Most: math.Inf(1)}
	hot := keystatistics.Order{Hot: true, AtOnce: 1}
	for _, tt := range []struct {
		name   string
		report keystatistics.Report
		demand keystatistics.Demand
		want   keystatistics.Forecast
	}{
		{"no rate", keystatistics.Report{Hottest: tenth, Entities: 10}, documented(0),
			keystatistics.Forecast{HottestFull: keystatistics.Interval{Least: 20_000, Most: 20_000}, HotPlaceFull: math.Inf(1), AccountFull: 20_000}},
		{"a rate below none", keystatistics.Report{Hottest: tenth, Entities: 10}, documented(-1),
			keystatistics.Forecast{HottestFull: keystatistics.Interval{Least: 20_000, Most: 20_000}, HotPlaceFull: math.Inf(1), AccountFull: 20_000}},
		{"the hottest exactly at its target is not over it", keystatistics.Report{Hottest: tenth, Entities: 10}, documented(20_000),
			keystatistics.Forecast{Hottest: keystatistics.Interval{Least: 2000, Most: 2000}, HottestFull: keystatistics.Interval{Least: 20_000, Most: 20_000},
				HotPlaceFull: math.Inf(1), Account: 20_000, AccountFull: 20_000}},
		{"all of them over", keystatistics.Report{Hottest: keystatistics.Interval{Least: .5, Most: .5}, Entities: 10, Inserted: 10, Order: hot}, documented(40_000),
			keystatistics.Forecast{Hottest: keystatistics.Interval{Least: 20_000, Most: 20_000}, HottestFull: keystatistics.Interval{Least: 4000, Most: 4000},
				HotPlace: 40_000, HotPlaceFull: 2000, Account: 40_000, AccountFull: 20_000, HottestOver: true, HotPlaceOver: true, AccountOver: true}},
		{"bounds that leave it open are not over", keystatistics.Report{Hottest: keystatistics.Interval{Least: 0, Most: .5}, Entities: 10}, documented(10_000),
			keystatistics.Forecast{Hottest: keystatistics.Interval{Least: 0, Most: 5000}, HottestFull: keystatistics.Interval{Least: 4000, Most: math.Inf(1)},
				HotPlaceFull: math.Inf(1), Account: 10_000, AccountFull: 20_000}},
		{"a quarter of the entities are inserts, all at one end", keystatistics.Report{Entities: 400, Inserted: 100, Order: hot}, documented(4000),
			keystatistics.Forecast{HottestFull: endless, HotPlace: 1000, HotPlaceFull: 8000, Account: 4000, AccountFull: 20_000}},
	} {
		if got := tt.report.Forecast(tt.demand); got != tt.want {
			t.Errorf("%s: Forecast(%+v) = %+v; want %+v", tt.name, tt.demand, got, tt.want)
		}
	}
}
