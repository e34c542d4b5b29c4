package keystatistics

import "math"

// Demand is a rate that keys like the surveyed ones are to carry.
type Demand struct {
	// EntitiesPerSecond is what is offered in all. PartitionTarget and
	// AccountTarget are what a partition and an account are made for, in entities
	// per second.
	EntitiesPerSecond, PartitionTarget, AccountTarget float64
}

// Forecast is what a rate makes of the surveyed keys, derived from their shares
// alone. All numbers are entities per second.
type Forecast struct {
	// Hottest is what the heaviest partition has to take, as a mean over the whole
	// time, and HottestFull at which rate in all that is its target. It is
	// +Inf where there is no limit.
	Hottest, HottestFull Interval
	// HotPlace is what the place has to take on which most inserts fall at any moment, be
	// it the only one or the hottest of several tails, and HotPlaceFull at which rate in
	// all that is one partition's target: several tails reach it once each has a range of
	// its own. They are 0 and +Inf where inserts are spread, or not known not to be.
	HotPlace, HotPlaceFull float64
	// Account is what the account has to take, and AccountFull its target.
	Account, AccountFull float64
	// HottestOver, HotPlaceOver and AccountOver say what surely exceeds its target.
	HottestOver, HotPlaceOver, AccountOver bool
}

// Forecast derives what a demand would be for the surveyed keys. A rate below 0
// is none.
func (r *Report) Forecast(d Demand) Forecast {
	rate := max(0, d.EntitiesPerSecond)
	place := 0.0
	if r.Entities > 0 {
		place = r.Order.Place() * float64(r.Inserted) / float64(r.Entities)
	}
	f := Forecast{
		Hottest:      Interval{rate * r.Hottest.Least, rate * r.Hottest.Most},
		HottestFull:  Interval{fullAt(r.Hottest.Most, d.PartitionTarget), fullAt(r.Hottest.Least, d.PartitionTarget)},
		HotPlace:     rate * place,
		HotPlaceFull: fullAt(place, d.PartitionTarget),
		Account:      rate, AccountFull: d.AccountTarget,
	}
	f.HottestOver = f.Hottest.Least > d.PartitionTarget
	f.HotPlaceOver = f.HotPlace > d.PartitionTarget
	f.AccountOver = rate > d.AccountTarget
	return f
}

func fullAt(share, target float64) float64 {
	if share <= 0 {
		return math.Inf(1)
	}
	return target / share
}
