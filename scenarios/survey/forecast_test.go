package survey_test

import (
	"math"
	"testing"

	"loadgen/scenarios/survey"
)

func TestForecast(t *testing.T) {
	documented := func(rate float64) survey.Demand {
		return survey.Demand{EntitiesPerSecond: rate, PartitionTarget: 2000, AccountTarget: 20_000}
	}
	tenth := survey.Interval{Least: .1, Most: .1}
	endless := survey.Interval{Least: math.Inf(1), Most: math.Inf(1)}
	hot := survey.Order{Hot: true, AtOnce: 1}
	for _, tt := range []struct {
		name   string
		report survey.Report
		demand survey.Demand
		want   survey.Forecast
	}{
		{"no rate", survey.Report{Hottest: tenth, Entities: 10}, documented(0),
			survey.Forecast{HottestFull: survey.Interval{Least: 20_000, Most: 20_000}, HotPlaceFull: math.Inf(1), AccountFull: 20_000}},
		{"a rate below none", survey.Report{Hottest: tenth, Entities: 10}, documented(-1),
			survey.Forecast{HottestFull: survey.Interval{Least: 20_000, Most: 20_000}, HotPlaceFull: math.Inf(1), AccountFull: 20_000}},
		{"the hottest exactly at its target is not over it", survey.Report{Hottest: tenth, Entities: 10}, documented(20_000),
			survey.Forecast{Hottest: survey.Interval{Least: 2000, Most: 2000}, HottestFull: survey.Interval{Least: 20_000, Most: 20_000},
				HotPlaceFull: math.Inf(1), Account: 20_000, AccountFull: 20_000}},
		{"all of them over", survey.Report{Hottest: survey.Interval{Least: .5, Most: .5}, Entities: 10, Inserted: 10, Order: hot}, documented(40_000),
			survey.Forecast{Hottest: survey.Interval{Least: 20_000, Most: 20_000}, HottestFull: survey.Interval{Least: 4000, Most: 4000},
				HotPlace: 40_000, HotPlaceFull: 2000, Account: 40_000, AccountFull: 20_000, HottestOver: true, HotPlaceOver: true, AccountOver: true}},
		{"bounds that leave it open are not over", survey.Report{Hottest: survey.Interval{Least: 0, Most: .5}, Entities: 10}, documented(10_000),
			survey.Forecast{Hottest: survey.Interval{Least: 0, Most: 5000}, HottestFull: survey.Interval{Least: 4000, Most: math.Inf(1)},
				HotPlaceFull: math.Inf(1), Account: 10_000, AccountFull: 20_000}},
		{"a quarter of the entities are inserts, all at one end", survey.Report{Entities: 400, Inserted: 100, Order: hot}, documented(4000),
			survey.Forecast{HottestFull: endless, HotPlace: 1000, HotPlaceFull: 8000, Account: 4000, AccountFull: 20_000}},
	} {
		if got := tt.report.Forecast(tt.demand); got != tt.want {
			t.Errorf("%s: Forecast(%+v) = %+v; want %+v", tt.name, tt.demand, got, tt.want)
		}
	}
}
