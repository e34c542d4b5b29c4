package contest

import (
	"fmt"
	"strings"

	"loadgen/report/document"
)

// lead is by what a design is ahead of the next: of which figure, by how much, and what that
// is held against.
type lead struct {
	figure, number, unit, beside string
	// rates says that it is ahead in the sustained rate.
	rates bool
}

// leadOf says by what a design is ahead of one that is behind it.
func leadOf(first, next *Ranked) lead {
	against := func(figure string, a, b *Estimate, as func(float64) string) lead {
		return lead{figure: figure, number: a.told(as), beside: fmt.Sprintf("against %s of %s", b.told(as), next.Design)}
	}
	switch e := next.Ratio; {
	case next.Behind == bySustainedName && (e == nil || e.Ratio <= 0):
		l := against("", first.Sustained, next.Sustained, document.Rate)
		l.unit, l.rates = "entities/s", true
		return l
	case next.Behind == bySustainedName:
		l, as := lead{unit: "times", beside: "over " + next.Design, rates: true}, document.Figures
		if 1/e.Ratio < manyTimes {
			l.unit, as = "", func(ratio float64) string { return document.Decimals(100*(ratio-1), 1) + " %" }
		}
		l.number = as(1 / e.Ratio)
		if e.Interval != nil && e.Interval[0] > 0 {
			l.beside += fmt.Sprintf("; 95 %%: %s to %s", as(1/e.Interval[1]), as(1/e.Interval[0]))
		}
		return l
	case next.Behind == "share_lost":
		return against("share lost:", first.Lost, next.Lost, document.Share)
	case next.Behind == "worst_p99_us":
		return against("worst p99:", first.WorstP99, next.WorstP99, latency)
	case next.Behind == "entities_counted_per_event":
		return against("entities counted an event:", first.Counted, next.Counted, document.Finely)
	default:
		return against("transactions billed an event:", first.Billed, next.Billed, document.Finely)
	}
}

// manyTimes is the ratio from which on it is told as one, and not as a percentage.
const manyTimes = 1.5

// by is the lead in a few words.
func (l *lead) by() string {
	return strings.Join(strings.Fields("by "+l.figure+" "+l.number+" "+l.unit), " ")
}

// sentence says that a design wins by it.
func (l lead) sentence(name string) string {
	text := fmt.Sprintf("%s wins %s (%s).", name, l.by(), l.beside)
	if !l.rates {
		text += " In the sustained rate no difference between them is shown."
	}
	return text
}
