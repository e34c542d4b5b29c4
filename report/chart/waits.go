package chart

import (
	"strings"

	"loadgen/report/document"
	"loadgen/results"
)

// WaitBars returns how long operations of the reported phases waited before
// retries, in microseconds, in at most 120 bars without the empty ones; their
// counts sum to the waits, exactly.
func WaitBars(record *results.Record) []results.Bar {
	waits := record.RetryWaits.Bars()
	from, to, found := extent(waits)
	if !found {
		return nil
	}
	c := newClasses(from, to)
	var bars []results.Bar
	for i, count := range c.count(waits) {
		if count != 0 {
			bars = append(bars, results.Bar{From: c[i], To: c[i+1] - 1, Count: count})
		}
	}
	return bars
}

// waitsFigure draws how long operations waited before retries, and says how many attempts they
// took.
func waitsFigure(record *results.Record, _ *Options) *figure {
	f := onePanel(record, "Waits before retries", "no operation waited for a retry")
	if policy := clean(record.Manifest.Retry, longestName); policy != "" {
		f.panels[0].heading = "Policy " + policy
	}
	waits := WaitBars(record)
	if len(waits) == 0 {
		return f
	}
	drawn := columns{colours: []ink{throttledInk}}
	var highest float64
	for _, b := range waits {
		drawn.bars = append(drawn.bars, column{float64(b.From), float64(b.To + 1), []float64{float64(b.Count)}})
		highest = max(highest, float64(b.Count))
	}
	p := &f.panels[0]
	p.below = "wait before a retry"
	time := timeAxis(float64(waits[0].From), float64(waits[len(waits)-1].To+1))
	p.plot = newPlot(time, countAxis("waits", highest, 1.06))
	p.plot.Add(drawn)
	const told = 6
	var words []string
	list := AttemptsByOperation(record)
	for _, of := range list[:min(len(list), told)] {
		words = append(words, clean(of.Name, longestName)+" "+document.Figures(float64(of.Attempts)/float64(of.Operations)))
	}
	if more := len(list) - told; more > 0 {
		words = append(words, document.Counted(more, "other operation"))
	}
	if len(words) > 0 {
		p.says = "attempts per operation, on average: " + strings.Join(words, ", ")
	}
	return f
}

// OperationAttempts is how many attempts a kind of operation came to in the reported
// phases, requests beyond the first of an operation among them.
type OperationAttempts struct {
	Name                 string
	Operations, Attempts int64
}

// AttemptsByOperation returns the kinds that had operations, in the order of the
// manifest. A record holds their sums alone: how many operations took two attempts or
// three it does not tell.
func AttemptsByOperation(record *results.Record) []OperationAttempts {
	var list []OperationAttempts
	for k, kind := range record.Manifest.Operations {
		of := OperationAttempts{Name: kind.Name}
		for p := range record.Phases {
			if phase := &record.Phases[p]; phase.Reported && k < len(phase.Kinds) {
				of.Operations += phase.Kinds[k].Operations
				of.Attempts += phase.Kinds[k].Attempts
			}
		}
		if of.Operations > 0 {
			list = append(list, of)
		}
	}
	return list
}
