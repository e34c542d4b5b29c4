package keystatistics_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/scenarios/advise/keystatistics"
)

func TestForecast(t *testing.T) {
	documented := func(rate float64) keystatistics.Demand {
		return keystatistics.Demand{EntitiesPerSecond: rate, PartitionTarget: 2000, AccountTarget: 20_000}
	}
	exactly := func(value float64) keystatistics.Interval { return keystatistics.Interval{Least: value, Most: value} }
	never := math.Inf(1)
	hot := keystatistics.Order{Hot: true, AtOnce: 1}
	unasked := keystatistics.Forecast{HottestFull: exactly(20_000), HotPlaceFull: never, AccountFull: 20_000}
	for _, tt := range []struct {
		name   string
		report keystatistics.Report
		demand keystatistics.Demand
		want   keystatistics.Forecast
	}{
		{"no rate", keystatistics.Report{Hottest: exactly(.1), Entities: 10}, documented(0), unasked},
		{"a rate below none", keystatistics.Report{Hottest: exactly(.1), Entities: 10}, documented(-1), unasked},
		{"the hottest exactly at its target is not over it", keystatistics.Report{Hottest: exactly(.1), Entities: 10}, documented(20_000),
			keystatistics.Forecast{Hottest: exactly(2000), HottestFull: exactly(20_000), HotPlaceFull: never, Account: 20_000, AccountFull: 20_000}},
		{"all of them over", keystatistics.Report{Hottest: exactly(.5), Entities: 10, Inserted: 10, Order: hot}, documented(40_000),
			keystatistics.Forecast{Hottest: exactly(20_000), HottestFull: exactly(4000), HotPlace: 40_000, HotPlaceFull: 2000,
				Account: 40_000, AccountFull: 20_000, HottestOver: true, HotPlaceOver: true, AccountOver: true}},
		{"bounds that leave it open are not over", keystatistics.Report{Hottest: keystatistics.Interval{Most: .5}, Entities: 10}, documented(10_000),
			keystatistics.Forecast{Hottest: keystatistics.Interval{Most: 5000}, HottestFull: keystatistics.Interval{Least: 4000, Most: never},
				HotPlaceFull: never, Account: 10_000, AccountFull: 20_000}},
		{"a quarter of the entities are inserts, all at one end", keystatistics.Report{Entities: 400, Inserted: 100, Order: hot}, documented(4000),
			keystatistics.Forecast{HottestFull: exactly(never), HotPlace: 1000, HotPlaceFull: 8000, Account: 4000, AccountFull: 20_000}},
		{"no entities", keystatistics.Report{}, documented(1e6),
			keystatistics.Forecast{HottestFull: exactly(never), HotPlaceFull: never, Account: 1e6, AccountFull: 20_000, AccountOver: true}},
	} {
		got := tt.report.Forecast(tt.demand)
		assert.Truef(t, got == tt.want, "%s: Forecast(%+v) = %+v; want %+v", tt.name, tt.demand, got, tt.want)
	}
}
