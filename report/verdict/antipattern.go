package verdict

import (
	"slices"
	"time"

	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/figure"
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

// micros is the format of times.
const micros = "micros"

// Figure is a figure by which the run of a pattern is compared with that of its anti-pattern.
type Figure struct {
	// operation is empty for all; format is that of a column.
	operation, name, format string
	origin                  figure.Provenance
	// counted reports that a workflow counts it.
	counted bool
	// value is in entities, requests, shares of one or microseconds.
	value float64
}

// Figures returns the figures of the reported phases of a judged record, without unknown ones.
func Figures(record *results.Record, summary *results.Summary) (list []Figure) {
	whole := record.Counts(results.Reported)
	counts := figure.Derived
	if whole.Throttled+whole.Failed > 0 {
		// The number of retries depends on the model's limits.
		counts = figure.Modelled
	}
	add := func(operation, name, format string, origin figure.Provenance, v figure.Value) {
		if format == micros {
			v.Value /= float64(time.Microsecond)
		}
		if v.Known {
			list = append(list, Figure{operation: operation, name: name, format: format, origin: origin, value: v.Value})
		}
	}
	known := func(value float64) figure.Value { return figure.Value{Value: value, Known: true} }
	add("", requestsInAll, "count", counts, known(float64(whole.Attempts)))
	add("", countedInAll, "count", counts, known(float64(whole.Counted)))
	figures := figure.NewFigures(record)
	for _, kind := range record.Manifest.Operations {
		// The cost of all operations is divided by the successes: failed operations cost, too.
		of := func(name string) figure.Value {
			return figures.OfKinds(name, func(other results.Kind) bool { return other.Name == kind.Name })
		}
		add(kind.Name, "requests for each done", "rate", counts, of("requests_per_success"))
		add(kind.Name, "entities counted for each done", "rate", counts, of("counted_per_success"))
		add(kind.Name, "bytes sent for each done", "rate", counts, of("sent_per_success"))
		add(kind.Name, "bytes received for each done", "rate", counts, of("received_per_success"))
		add(kind.Name, "response p50", micros, figure.Modelled, of("p50"))
		add(kind.Name, "response p99", micros, figure.Modelled, of("p99"))
	}
	add("", "requests throttled", "share", figure.Modelled, figures.Share("throttled"))
	add("", "operations lost", "share", figure.Modelled, figures.Named("share_lost"))
	if summary.Hottest != nil {
		add("", ofHottest, "rate", figure.Modelled, known(summary.Hottest.EntitiesPerSecond))
	}
	for _, one := range record.Invariants {
		add("", "not so: "+one.Name, "count", figure.Modelled, known(float64(one.Faults)))
	}
	for _, one := range record.Counters {
		add(one.Operation, "counted as "+one.Name, "count", figure.Modelled, known(float64(one.Count)))
		list[len(list)-1].counted = true
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
	var compared []*contrast
	var kinds [2][]string
	for side, runs := range [2][][]Figure{pattern, instead} {
		for _, one := range slices.Concat(runs...) {
			at := slices.IndexFunc(compared, func(c *contrast) bool { return c.operation == one.operation && c.name == one.name })
			if at < 0 {
				at, compared = len(compared), append(compared, &contrast{Figure: one})
			}
			compared[at].add(side, one)
			if one.operation != "" && !slices.Contains(kinds[side], one.operation) {
				kinds[side] = append(kinds[side], one.operation)
			}
		}
	}
	several := len(kinds[0]) > 1 || !slices.Equal(kinds[0], kinds[1])
	var list []Comparison
	for _, c := range compared {
		ours, theirs := c.sides[0], c.sides[1]
		switch {
		case !several && (c.name == requestsInAll || c.name == countedInAll):
		case c.name == ofHottest && max(ours.most, theirs.most) < minHeat:
		case c.format == micros && (ours.runs < len(pattern) || theirs.runs < len(instead)):
			// Some runs have too few operations for the quantile.
		case c.counted && (ours.runs == 0 || theirs.runs == 0):
			// The other side's workflows do not count it.
		case ours.differs(theirs):
			list = append(list, Comparison{c.operation, c.name, ours.format(c.format), theirs.format(c.format), c.origin})
		}
	}
	return list
}

// contrast is a figure in the runs of both sides. It is modelled if it is so in one of them.
type contrast struct {
	Figure
	sides [2]span
}

func (c *contrast) add(side int, one Figure) {
	s := &c.sides[side]
	if s.runs++; s.runs == 1 {
		s.least, s.most = one.value, one.value
	}
	s.least, s.most = min(s.least, one.value), max(s.most, one.value)
	if one.origin == figure.Modelled {
		c.origin = figure.Modelled
	}
}

// span is the range of the values of several runs; runs is 0 without values.
type span struct {
	least, most float64
	runs        int
}

// differs reports whether two spans do not overlap, and differ enough.
func (s span) differs(other span) bool {
	switch {
	case s.runs == 0 || other.runs == 0:
		return max(s.most, other.most) > 0
	case s.least > other.most:
		return s.least-other.most >= minDifference*s.least
	default:
		return other.least > s.most && other.least-s.most >= minDifference*other.least
	}
}

func (s span) format(format string) string {
	if s.runs == 0 {
		return document.Untold
	}
	least, most := document.Fill("{1|"+format+"}", s.least), document.Fill("{1|"+format+"}", s.most)
	if least == most {
		return least
	}
	return least + " – " + most
}
