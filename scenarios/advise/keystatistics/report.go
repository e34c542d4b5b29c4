package keystatistics

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"loadgen/engine/entity"
	"loadgen/scenarios/keys"
)

// Report is what a survey found.
type Report struct {
	// Rows counts what was surveyed, Inserts those of it that insert, and Untimed
	// the inserts without an instant. Invalid counts the rows beside them whose key
	// no table would take, of which Faults are the first.
	Rows, Inserts, Untimed, Invalid int64
	Faults                          []KeyFault
	// Entities is how many the rows count, and Inserted how many of them the
	// inserts do.
	Entities, Inserted int64
	// Keyed is how many of the first inserts with a RowKey were looked at for keys that are
	// there already, and Repeated how many have one.
	Keyed, Repeated int64
	// Partitions is the number of PartitionKeys. Effective is how many of equal
	// weight would be as uneven, 1 / Σ p², p being a partition's share of the
	// entities; it is 0 where there are none.
	Partitions, Effective Estimate
	// Top are the heaviest partitions, the heaviest first, equal ones in the order
	// of the index. What is not among them has Unlisted entities at most.
	Top      []Share
	Unlisted int64
	// Hottest is between which bounds the share of the heaviest partition lies.
	Hottest Interval
	// Order is how the inserts come.
	Order Order
}

// Estimate is a number that is exact, or has a standard error.
type Estimate struct {
	Value, StandardError float64
	Exact                bool
}

// Interval is between which bounds a number certainly lies, both included.
type Interval struct{ Least, Most float64 }

// Share is what one partition has of the entities: something from Least to Most,
// which is both the exact number where all partitions were told apart.
type Share struct {
	PartitionKey string
	Least, Most  int64
	// OfAll is the same as a share of all entities, from 0 to 1.
	OfAll Interval
}

// Report returns what was found so far. It may be asked for in between.
func (s *Statistics) Report() Report {
	// The sample in the order of its instants.
	all := make([]arrival, len(s.inserts.kept))
	for i, one := range s.inserts.kept {
		all[i] = arrival{at: one.at, key: string(one.partition), mixed: hash(1, one.partition)}
	}
	slices.SortFunc(all, func(a, b arrival) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.mixed, b.mixed), strings.Compare(a.key, b.key))
	})
	r := Report{
		Rows: s.sum.rows, Inserts: s.sum.inserts, Untimed: s.sum.untimed, Invalid: s.sum.invalid,
		Faults: slices.Clone(s.faults), Entities: s.sum.entities, Inserted: s.sum.inserted,
		Order: judged(all), Keyed: int64(len(s.keys)) + s.repeated, Repeated: s.repeated,
	}
	s.weights.report(&r)
	// What the sample alone cannot say.
	switch {
	case r.Partitions.Exact && r.Partitions.Value == 1:
		// That much is sure without any instant.
		r.Order.Verdict, r.Order.Hot, r.Order.Reason, r.Order.AtOnce = OnePartition, true, "", 1
	case r.Order.Verdict != Unknown || r.Order.Reason != "":
	case r.Inserts == 0:
		r.Order.Reason = "there are no inserts"
	case s.sum.untimed == r.Inserts:
		r.Order.Reason = "no insert has an instant"
	}
	return r
}

func (w *weights) report(r *Report) {
	shares := make([]Share, 0, len(w.told))
	if w.heaviest == nil {
		r.Partitions = Estimate{Value: float64(len(w.told)), Exact: true}
		r.Effective.Exact = true
		squares := 0.0
		for i := range w.told {
			one := &w.told[i]
			squares += float64(one.entities) * float64(one.entities)
			shares = append(shares, Share{PartitionKey: string(w.text[one.from:one.to]), Least: one.entities, Most: one.entities})
		}
		if squares > 0 {
			r.Effective.Value = float64(r.Entities) / squares * float64(r.Entities)
		}
	} else {
		distinct := w.distinct.Estimate()
		r.Partitions = Estimate{Value: distinct, StandardError: distinct * keys.DistinctError}
		if squares := w.moment.Estimate(); squares > 0 {
			// The reciprocal is as uncertain as what it is of, as a part of it. There are
			// no more equal partitions than partitions.
			effective := float64(r.Entities) / squares * float64(r.Entities)
			r.Effective = Estimate{Value: max(1, effective), StandardError: effective * keys.MomentError}
		}
		r.Unlisted = w.heaviest.Missing()
		for _, place := range w.heaviest.Places() {
			shares = append(shares, Share{PartitionKey: string(place.Value.text), Least: place.Weight - place.Inherited, Most: place.Weight})
		}
	}
	// The heaviest first, and of those that have places the ones that surely are.
	slices.SortFunc(shares, func(a, b Share) int {
		return cmp.Or(cmp.Compare(b.Least, a.Least), cmp.Compare(b.Most, a.Most), entity.Compare(a.PartitionKey, b.PartitionKey))
	})
	total := float64(max(1, r.Entities))
	most := int64(0)
	for i := range shares {
		s := &shares[i]
		s.OfAll = Interval{float64(s.Least) / total, float64(s.Most) / total}
		most = max(most, s.Most)
	}
	r.Top = slices.Clone(shares[:min(len(shares), w.options.Top)])
	for _, s := range shares[len(r.Top):] {
		r.Unlisted = max(r.Unlisted, s.Most)
	}
	if len(shares) > 0 {
		r.Hottest = Interval{shares[0].OfAll.Least, float64(max(most, r.Unlisted)) / total}
	}
}

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
