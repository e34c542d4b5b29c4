package verdict

import (
	"fmt"
	"math"
	"slices"
	"time"

	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/figure"
)

// figureUnit is what a figure is counted in.
type figureUnit uint8

const (
	ofCount figureUnit = iota
	ofRate
	ofShare
	ofTime
)

// The names of figures of the whole load.
const (
	requestsInAll = "requests in all"
	countedInAll  = "entities counted in all"
	ofHottest     = "entities/s of the hottest partition"
)

// minHeat is what a partition must count in entities/s to be called hot at all, a
// hundredth of the documents' target.
const minHeat = 20

// Figure is a figure by which the run of a pattern is compared with that of its anti-pattern.
type Figure struct {
	// operation is empty for all.
	operation, name string
	origin          figure.Provenance
	unit            figureUnit
	// counted reports that a workflow counts it.
	counted bool
	// value is in entities, requests, shares of one or microseconds.
	value float64
}

// Figures returns the figures of the reported phases of a judged record, without unknown ones.
func Figures(record *results.Record, summary *results.Summary) []Figure {
	whole := record.Counts(results.Reported)
	counts := figure.Derived
	if whole.Throttled+whole.Failed > 0 {
		// The number of retries depends on the model's limits.
		counts = figure.Modelled
	}
	list := []Figure{
		{name: requestsInAll, origin: counts, unit: ofCount, value: float64(whole.Attempts)},
		{name: countedInAll, origin: counts, unit: ofCount, value: float64(whole.Counted)},
	}
	figures := figure.Of(record)
	ofKind := []struct {
		figure, called string
		origin         figure.Provenance
		unit           figureUnit
	}{
		{"requests_per_success", "requests for each done", counts, ofRate},
		{"counted_per_success", "entities counted for each done", counts, ofRate},
		{"p50", "response p50", figure.Modelled, ofTime}, {"p99", "response p99", figure.Modelled, ofTime},
	}
	for _, kind := range record.Manifest.Operations {
		for _, one := range ofKind {
			// The cost of all operations is divided by the successes: failed operations cost, too.
			v := figures.OfKinds(one.figure, func(other results.Kind) bool { return other.Name == kind.Name })
			if one.unit == ofTime {
				v.Value /= float64(time.Microsecond)
			}
			if v.Told {
				list = append(list, Figure{operation: kind.Name, name: one.called, origin: one.origin, unit: one.unit, value: v.Value})
			}
		}
	}
	if share := figures.Share("throttled"); share.Told {
		list = append(list, Figure{name: "requests throttled", origin: figure.Modelled, unit: ofShare, value: share.Value})
	}
	if share := figures.Named("share_lost"); share.Told {
		list = append(list, Figure{name: "operations lost", origin: figure.Modelled, unit: ofShare, value: share.Value})
	}
	if summary.Hottest != nil {
		list = append(list, Figure{name: ofHottest, origin: figure.Modelled, unit: ofRate, value: summary.Hottest.EntitiesPerSecond})
	}
	for _, one := range record.Invariants {
		list = append(list, Figure{name: "not so: " + one.Name, origin: figure.Modelled, unit: ofCount, value: float64(one.Faults)})
	}
	for _, one := range record.Counters {
		list = append(list, Figure{operation: one.Operation, name: "counted as " + one.Name, origin: figure.Modelled, unit: ofCount, counted: true, value: float64(one.Count)})
	}
	return list
}

// Comparison is a figure in which the runs of a pattern differ from those of its anti-pattern: the range of values of
// each side, or one value if both ends read alike. A side without values has a dash.
type Comparison struct {
	// Operation is empty for all.
	Operation, Name  string
	Pattern, Instead string
	Origin           figure.Provenance
}

// minDifference is the part of the greater of two figures by which they must differ. It is a choice: a smaller
// difference is no reason to choose a pattern.
const minDifference = 0.05

// Comparisons returns the figures in which the runs of a pattern differ from those of its anti-pattern, several runs
// each with other seeds: the ranges of both sides do not overlap and differ by at least a twentieth. Every run must
// have a time, both sides a workflow's count. If both sides have the same single kind of operation, figures of all
// operations are left out.
func Comparisons(pattern, instead [][]Figure) []Comparison {
	var list []Comparison
	several := len(kindsOf(pattern)) > 1 || !slices.Equal(kindsOf(pattern), kindsOf(instead))
	for _, one := range union(pattern, instead) {
		ours, theirs := spanOf(pattern, one), spanOf(instead, one)
		switch {
		case !several && (one.name == requestsInAll || one.name == countedInAll):
			continue
		case one.name == ofHottest && max(ours.most, theirs.most) < minHeat:
			continue
		case one.unit == ofTime && (ours.runs < len(pattern) || theirs.runs < len(instead)):
			// Some runs have too few operations for the quantile.
			continue
		case one.counted && (ours.runs == 0 || theirs.runs == 0):
			// The other side's workflows do not count it.
			continue
		case !ours.differs(theirs):
			continue
		}
		origin := one.origin
		if ours.origin == figure.Modelled || theirs.origin == figure.Modelled {
			origin = figure.Modelled
		}
		list = append(list, Comparison{one.operation, one.name, ours.in(one.unit), theirs.in(one.unit), origin})
	}
	return list
}

// kindsOf returns the kinds of operation of runs, in their order.
func kindsOf(runs [][]Figure) []string {
	var names []string
	for _, run := range runs {
		for _, one := range run {
			if one.operation != "" && !slices.Contains(names, one.operation) {
				names = append(names, one.operation)
			}
		}
	}
	return names
}

// union returns the figures of both sides, each once, in their order.
func union(sides ...[][]Figure) []Figure {
	var list []Figure
	for _, side := range sides {
		for _, run := range side {
			for _, one := range run {
				if !slices.ContainsFunc(list, one.same) {
					list = append(list, one)
				}
			}
		}
	}
	return list
}

func (f Figure) same(other Figure) bool {
	return f.operation == other.operation && f.name == other.name
}

// span is the range of the values of several runs; runs is 0 without values.
type span struct {
	least, most float64
	runs        int
	origin      figure.Provenance
}

// spanOf returns the range of a figure in runs.
func spanOf(runs [][]Figure, of Figure) span {
	s := span{least: math.Inf(1), most: math.Inf(-1), origin: figure.Derived}
	for _, run := range runs {
		for _, one := range run {
			if one.same(of) {
				s.least, s.most, s.runs = min(s.least, one.value), max(s.most, one.value), s.runs+1
				if one.origin == figure.Modelled {
					s.origin = figure.Modelled
				}
			}
		}
	}
	return s
}

// differs reports whether two spans do not overlap, and differ enough.
func (s span) differs(other span) bool {
	switch {
	case s.runs == 0 && other.runs == 0:
		return false
	case s.runs == 0:
		return other.most > 0
	case other.runs == 0:
		return s.most > 0
	case s.least > other.most:
		return s.least-other.most >= minDifference*s.least
	default:
		return other.least > s.most && other.least-s.most >= minDifference*other.least
	}
}

func (s span) in(unit figureUnit) string {
	if s.runs == 0 {
		return "–"
	}
	write := map[figureUnit]func(float64) string{
		ofCount: func(v float64) string { return document.Count(int64(math.Round(v))) },
		ofRate:  document.Rate, ofShare: document.Share,
		ofTime: func(v float64) string { return document.Lapse(time.Duration(v) * time.Microsecond) },
	}[unit]
	least, most := write(s.least), write(s.most)
	if least == most {
		return least
	}
	return fmt.Sprintf("%s – %s", least, most)
}
