package contest

import (
	"math"
	"slices"

	"loadgen/report/compare/statistics"
)

// criterion is a figure by which designs are told apart, in its place of the sequence.
type criterion struct {
	// name is that of JSON, words how a sentence calls it.
	name, words string
	// part is its share of alpha. Together they are all of it, so that designs that do not
	// differ are told apart by any of them no more often than alpha (Bonferroni).
	part float64
	// resolution is the least difference that is told, however sure it is: a part of one;
	// of an absolute figure a difference of the figure itself.
	resolution float64
	absolute   bool
	// coarse is the step in which designs come in by the figure, as a part of one or of an
	// absolute figure itself: well beyond what differs by chance.
	coarse float64
	higher bool
	// counts says that the figure goes by whole operations: one more or less is chance.
	counts bool
	of     func(t *Trial) (float64, bool)
}

// The places of the figures in their sequence.
const (
	bySustained = iota
	byLost
	byWorst
	byCounted
	byBilled
	// byChecks is told of a design that is behind by its checks, which come before all
	// figures.
	byChecks
)

// byChecksName and bySustainedName are how JSON calls what decides first.
const (
	byChecksName    = "checks"
	bySustainedName = "sustained_entities_per_second"
)

// criteria returns them in the order in which they decide. What matters most has most of
// alpha: an application buys entities served in time.
func criteria(p Price) []criterion {
	// It is not told where the p99 of one operation is not, which may be the one that fares worst.
	worst := func(t *Trial) (float64, bool) {
		var worst int64
		for i := range t.Operations {
			p99 := t.Operations[i].P99
			if p99 == nil {
				return 0, false
			}
			worst = max(worst, *p99)
		}
		return float64(worst), len(t.Operations) > 0
	}
	billed := func(t *Trial) (float64, bool) {
		if p.BillRefused {
			return t.Billed + t.ThrottledRequests, t.Served > 0
		}
		return t.Billed, t.Served > 0
	}
	return []criterion{
		bySustained: {name: bySustainedName, words: "sustained rate", part: 0.6, resolution: 0.005, coarse: 0.05, higher: true, counts: true,
			of: func(t *Trial) (float64, bool) { return t.Sustained, true }},
		byLost: {name: "share_lost", words: "share lost", part: 0.1, resolution: 0.001, coarse: 0.02, absolute: true, counts: true,
			of: func(t *Trial) (float64, bool) { return t.Lost, true }},
		byWorst: {name: "worst_p99_us", words: "worst p99", part: 0.1, resolution: 0.01, coarse: 0.5, of: worst},
		byCounted: {name: "entities_counted_per_event", words: "entities counted for an event", part: 0.1, resolution: 0.005, coarse: 0.1, counts: true,
			of: func(t *Trial) (float64, bool) { return t.Counted, t.Served > 0 }},
		byBilled: {name: "transactions_billed_per_event", words: "transactions billed for an event", part: 0.1, resolution: 0.005, coarse: 0.1, counts: true,
			of: billed},
	}
}

// most is beyond any figure of a run; what is greater, or negative, or no number comes
// from a broken record and is not told.
const most = 1e15

// figureOfAll returns a figure of every trial; nothing where one of them does not tell it.
func figureOfAll(trials []Trial, of func(t *Trial) (float64, bool)) []float64 {
	var values []float64
	for i := range trials {
		value, is := of(&trials[i])
		if !is || !(value >= 0 && value <= most) {
			return nil
		}
		values = append(values, value)
	}
	return values
}

// figureOfSome returns a figure of the trials that tell it.
func figureOfSome(trials []Trial, of func(t *Trial) (float64, bool)) []float64 {
	var values []float64
	for i := range trials {
		if value, is := of(&trials[i]); is && value >= 0 && value <= most {
			values = append(values, value)
		}
	}
	return values
}

// pair is what a figure says of two designs.
type pair struct {
	// effect is the second against the first: the ratio's logarithm, or the difference where
	// logs is false.
	effect statistics.Means
	logs   bool
	shown  bool
}

// grain is by how much runs are taken to vary at least, as a standard deviation: half the
// resolution, and what one of so many operations is. Few runs of small numbers come out
// the same by chance, and would else be sure of any difference.
func (f *criterion) grain(operations int64) float64 {
	least := f.resolution / 2
	if f.counts && operations > 0 {
		least = math.Max(least, 1/float64(operations))
	}
	return least
}

func positive(values []float64) bool { return len(values) > 0 && slices.Min(values) > 0 }

func logarithms(values []float64) []float64 {
	logs := make([]float64, len(values))
	for i, value := range values {
		logs[i] = math.Log(value)
	}
	return logs
}
