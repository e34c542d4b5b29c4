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
	// rates says what there is to say of the sustained rates, where those do not decide.
	rates string
}

// leadOf says by what a design is ahead of one that is behind it.
func leadOf(first, next *Ranked) lead {
	against := func(figure string, a, b *Estimate, as func(float64) string) lead {
		l := lead{figure: figure, number: a.text(as), beside: fmt.Sprintf("against %s of %s", b.text(as), next.Design)}
		switch e := next.Ratio; {
		case figure == "":
		case e != nil && e.Shown && next.Met != nil && next.Met.Mean < servesAll:
			l.rates = next.Design + " leaves a part of what is asked unserved, and sustains more of the rest."
		case e != nil && e.Shown:
			l.rates = "Both serve what is asked: what more the replies of one hold makes it no better."
		default:
			l.rates = "In the sustained rate no difference between them is shown."
		}
		return l
	}
	switch e := next.Ratio; {
	case next.Behind == byChecksName:
		return checksLead(first, next)
	case next.Behind == bySustainedName && (e == nil || e.Ratio <= 0):
		l := against("", first.Sustained, next.Sustained, document.Rate)
		l.unit = "entities/s"
		return l
	case next.Behind == bySustainedName:
		l, as := lead{unit: "times", beside: "over " + next.Design}, document.Figures
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
		return against("worst p99:", first.WorstP99, next.WorstP99, func(micros float64) string { return document.Micros(int64(micros)) })
	case next.Behind == "entities_counted_per_event":
		return against("entities counted an event:", first.Counted, next.Counted, document.Finely)
	default:
		return against("transactions billed an event:", first.Billed, next.Billed, document.Finely)
	}
}

// checksLead says that a design holds more checks than the next, or fails fewer.
func checksLead(first, next *Ranked) lead {
	held, failed := counted(first.Expected)
	less, more := counted(next.Expected)
	l := lead{figure: "checks held:", number: fmt.Sprintf("%d of %d", held, len(first.Expected))}
	if held == less {
		l.figure, l.number, less = "checks failed:", fmt.Sprintf("%d of %d", failed, len(first.Expected)), more
	}
	l.beside = fmt.Sprintf("against %d of %s", less, next.Design)
	if e := next.Ratio; e != nil && e.Shown && e.Ratio > 0 && e.Ratio < 1 {
		l.beside += fmt.Sprintf(", and %s times its sustained rate", document.Figures(1/e.Ratio))
	}
	return l
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
	if l.rates != "" {
		text += " " + l.rates
	}
	return text
}
