package bench

import (
	"fmt"

	"loadgen/report/document"
)

// The bounds at which something has become worse than a report of before says: a ratio by a
// share, allocations by a share and by less than one.
const (
	worseRatio       = 1.15
	worseAllocations = 1.02
	minAllocations   = .5
)

// Held is a figure or a ratio compared with an earlier report.
type Held struct {
	Name string  `json:"name"`
	Was  float64 `json:"was"`
	Is   float64 `json:"is"`
	Most float64 `json:"most"`
	// Regressed says that it is above Most and, for a ratio, that all of its interval is above
	// all of the one that it had: an uncertain figure of a busy machine is not reported as worse.
	Regressed bool `json:"regressed"`
	// Doubtful says that it is above Most, and the interval too wide to say so.
	Doubtful bool `json:"doubtful,omitempty"`

	allocations bool
}

// CompareTo holds the report's ratios of CPU, and its allocations, to those of another. What one of
// them has not is left out, and so are ratios to other table services, where less is worse.
func (r *Report) CompareTo(kept *Report) {
	r.Held = nil
	for i := range r.Ratios {
		is := &r.Ratios[i]
		was := kept.ratio(is.Name)
		if was == nil || is.Of == ofAzurite || !compared(is.Of, is.To) || is.Group == GroupPacing || r.figure(is.Cell.Name()).Unit != cpuUnit {
			continue
		}
		h := Held{Name: is.Name, Was: was.Median, Is: is.Median, Most: worseRatio * was.Median}
		h.Regressed = h.Is > h.Most && is.Interval != nil && was.Interval != nil && is.Interval[0] > was.Interval[1]
		h.Doubtful = h.Is > h.Most && !h.Regressed
		r.Held = append(r.Held, h)
	}
	for i := range r.Figures {
		is := &r.Figures[i]
		was := kept.figure(is.Name())
		if was == nil || is.Allocations == nil || was.Allocations == nil || !ours(is.Of) {
			continue
		}
		h := Held{Name: is.Name(), Was: *was.Allocations, Is: *is.Allocations, allocations: true}
		h.Most = max(h.Was*worseAllocations, h.Was+minAllocations)
		h.Regressed = h.Is > h.Most
		r.Held = append(r.Held, h)
	}
}

// ours reports whether a figure is of code that is this tool's.
func ours(of string) bool {
	return of != ofBare && of != ofBareClient && of != ofVegeta && of != ofAzurite
}

// Regressed reports whether something has become worse than it was.
func (r *Report) Regressed() bool { return r.regressed() != "" }

// regressed says how much has become worse, empty where nothing has.
func (r *Report) regressed() string {
	n := 0
	first := ""
	for i := range r.Held {
		if h := &r.Held[i]; h.Regressed {
			if n++; first == "" {
				first = h.Name
			}
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d figures are worse, %s first", n, len(r.Held), first)
}

// comparisonTable is a table of the comparison with another report, the worst first.
func (r *Report) comparisonTable() document.Table {
	t := document.NewTable("held", "Comparison with previous report", "|words", "was", "is", "at most", "|words")
	for _, worse := range []bool{true, false} {
		for i := range r.Held {
			h := &r.Held[i]
			if (h.Regressed || h.Doubtful) != worse {
				continue
			}
			write := times
			if h.allocations {
				write = func(n float64) string { return document.Decimals(n, 1) + " allocations" }
			}
			said, tone := "", document.Good
			switch {
			case h.Regressed:
				said, tone = " worse", document.Bad
			case h.Doubtful:
				said, tone = " cannot tell", document.Doubtful
			}
			t.Add(tone, h.Name, write(h.Was), write(h.Is), write(h.Most), tone, tone.Sign()+said)
		}
	}
	return t
}
