package compare

import (
	"fmt"
	"slices"
	"strings"

	"loadgen/report/document"
	"loadgen/results/figure"
)

// Document returns the verdict and every figure as a document. Its Data is the comparison.
func (c *Comparison) Document() *document.Document {
	d := &document.Document{Title: "A and B side by side", Subtitle: shorten(c.A.Name) + " · " + shorten(c.B.Name), Answer: c.answer(), Data: c}
	whole, _ := c.figures(section{})
	d.Show(whole, document.Facts{Lines: c.Warnings, Max: maxWarnings})
	sides := document.NewTable("sides", "Sides", "|words", "folder|words", "scenario|words", "runs", "first started", "time")
	for i, of := range []*Summary{&c.A, &c.B} {
		sides.Add(Side(i), shorten(of.Name), shorten(of.Scenario), of.Runs, of.Started, shorten(of.Time))
	}
	d.Add("sides", "Sides", sides)
	d.Add("doubts", "Differences and doubts", document.List{Items: c.Warnings})
	d.Add("rests-on", "Basis of the verdict", document.List{Items: valuesOf(c.Decides, func(f Finding) string { return f.Sentence() })})
	same := 0
	sections := slices.Compact(valuesOf(c.Metrics, func(f Finding) section { return section{f.Phase, f.Operation} }))
	for n, at := range sections {
		t, alike := c.figures(at)
		if same += alike; len(t.Rows) > 0 {
			t.ID = fmt.Sprintf("figures-%d", n+1)
			d.Add(t.ID, at.title(), t)
		}
	}
	var list []string
	if same > 0 {
		list = append(list, fmt.Sprintf("%s the same on both sides and not shown", document.Counted(same, "more figure is", "more figures are")))
	}
	tested := 0
	for i := range c.Metrics {
		if c.Metrics[i].P != nil {
			tested++
		}
	}
	if tested > 0 {
		list = append(list, fmt.Sprintf("p is uncorrected: of %d equal figures, about %s have p <= %s",
			tested, document.Decimals(float64(tested)*Alpha, 0), document.Plainly(Alpha)))
	}
	if c.A.Runs > 1 || c.B.Runs > 1 {
		list = append(list, "A and B are medians over the runs")
	}
	d.Add("reading", "Reading the figures", document.List{Items: list})
	d.Add("exact", "Differences in virtual time", document.List{Items: c.exact()})
	return d
}

// maxWarnings is the maximum number of warnings on one screen.
const maxWarnings = 4

// answer returns the verdict, with the change of the figure that decides it.
func (c *Comparison) answer() document.Answer {
	state, _ := c.Outcome.State()
	a := document.Answer{State: state, Says: c.Says}
	switch c.Outcome {
	case Identical:
		a.Claim = "IDENTICAL"
	case Different:
		a.Number, a.Unit = document.Count(int64(c.Exact.Difference.Total)), "values"
		a.Claim = "DIFFERENT in " + a.Number + " " + a.Unit
	case NoDifference:
		a.Claim = "NO DIFFERENCE SHOWN"
	case Regression, Improvement:
		a.Claim = "B IS WORSE"
		if c.Outcome == Improvement {
			a.Claim = "B IS BETTER"
		}
		at := slices.IndexFunc(c.Decides, func(f Finding) bool { return f.Verdict == c.Outcome })
		if at < 0 || c.Decides[at].Change == nil {
			break
		}
		f := &c.Decides[at]
		a.Number = document.Change(*f.Change)
		a.Claim += ": " + f.Metric + " " + a.Number
		if f.Interval != nil {
			a.Beside = document.Interval(f.Interval, document.Change) + " at 95%"
		}
	default:
		a.Claim = "CANNOT TELL"
	}
	return a
}

// figures returns the figures of a section that differ, of all operations also those that are
// the same, and the number of omitted ones. Columns without values are omitted.
func (c *Comparison) figures(at section) (t document.Table, same int) {
	t = document.NewTable("whole", at.title(), "|words", "A", "B", "change|change", "95% interval|change|optional", "p|chance|optional")
	for i := range c.Metrics {
		f := &c.Metrics[i]
		if (section{f.Phase, f.Operation}) != at || f.A == nil && f.B == nil {
			continue
		}
		if f.equal && at != (section{}) {
			same++
			continue
		}
		var change any = f.Change
		interval := f.Interval
		if f.Change == nil {
			interval = nil
			if f.A != nil && f.B != nil {
				change = "from 0"
			}
		}
		label, format := f.metric.cell()
		t.Add(label, document.Formatted{Value: f.A, Format: format}, document.Formatted{Value: f.B, Format: format}, change, interval, f.P)
	}
	return t.WithoutEmpty(), same
}

// cell returns the label and the format of a metric in a table.
func (m *Metric) cell() (label, format string) {
	name := strings.ReplaceAll(strings.TrimSuffix(m.Name, "_per_second"), "_", " ")
	switch m.in {
	case figure.Nanoseconds:
		return "response " + name + ", ms", "millis"
	case figure.PerSecond:
		return name + "/s", "rate"
	case figure.Share:
		return name, "share"
	case figure.Count:
		return name, "count"
	default:
		return "attempts/op", "tries"
	}
}

// maxDiffering is the maximum number of listed differences.
const maxDiffering = 40

// exact lists the differences of runs in virtual time.
func (c *Comparison) exact() []string {
	e := c.Exact
	switch {
	case e == nil:
		return nil
	case e.Same == e.Pairs:
		return []string{"all runs repeat exactly"}
	}
	list := []string{fmt.Sprintf("%d of %d repeat; %s and %s differ in %s", e.Same, e.Pairs,
		shorten(e.A), shorten(e.B), document.Counted(e.Difference.Total, "value"))}
	// The sums of the heat map are last: most repeat those of the phases.
	for _, line := range e.Difference.Lines(maxDiffering, "phases", "where") {
		list = append(list, shorten(line))
	}
	return list
}

func (s section) title() string {
	phase, operation := "all reported phases", "all operations"
	if s.phase != "" {
		phase = shorten(s.phase)
	}
	if s.operation != "" {
		operation = shorten(s.operation)
	}
	return phase + ", " + operation
}

// shorten returns a name of a record for display.
func shorten(name string) string { return document.Cut(name, maxPath) }
