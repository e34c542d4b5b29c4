package runs

import (
	"fmt"
	"slices"

	"loadgen/report/compare"
	"loadgen/report/document"
)

// Document returns the verdict and every figure as a document. Its Data is the comparison.
func (c *Comparison) Document() *document.Document {
	d := &document.Document{Title: "A and B side by side", Subtitle: shorten(c.A.Name) + " · " + shorten(c.B.Name), Answer: c.answer(), Data: c}
	whole, _ := c.figures(key{})
	d.Show(whole, document.Facts{Lines: c.Warnings, Max: maxWarnings})
	sides := document.NewTable("sides", "Sides", "|words", "folder|words", "scenario|words", "runs", "first started", "time")
	for i, of := range []*Summary{&c.A, &c.B} {
		sides.Add(compare.Side(i), shorten(of.Name), shorten(of.Scenario), of.Runs, of.Started, shorten(of.Time))
	}
	d.Add("sides", "Sides", sides)
	d.Add("doubts", "Differences and doubts", document.List{Items: c.Warnings})
	var decides []string
	for i := range c.Decides {
		decides = append(decides, c.Decides[i].Sentence())
	}
	d.Add("rests-on", "Basis of the verdict", document.List{Items: decides})
	var keys []key
	for i := range c.Metrics {
		keys = append(keys, c.Metrics[i].key())
	}
	same := 0
	for n, k := range slices.Compact(keys) {
		t, alike := c.figures(k)
		same += alike
		if len(t.Rows) == 0 {
			continue
		}
		t.ID = fmt.Sprintf("figures-%d", n+1)
		for _, s := range c.Shapes {
			if k == (key{s.Phase, s.Operation}) {
				t.Notes = append(t.Notes, "response times: "+s.Sentence)
			}
		}
		d.Add(t.ID, k.title(), t)
	}
	var list []string
	if same > 0 {
		list = append(list, fmt.Sprintf("%s the same on both sides and not shown", document.Counted(same, "more figure is", "more figures are")))
	}
	if tested := c.tested(); tested > 0 {
		list = append(list, fmt.Sprintf("p is uncorrected: of %d equal figures, about %s have p <= %s",
			tested, document.Decimals(float64(tested)*compare.DefaultAlpha, 0), document.Plainly(compare.DefaultAlpha)))
	}
	if c.A.Runs > 1 || c.B.Runs > 1 {
		list = append(list, "A and B are medians over the runs")
	}
	d.Add("reading", "Reading the figures", document.List{Items: list})
	d.Add("within", "Within-run bands by the second (no verdict is based on them)", c.bandsTable())
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
	case compare.Identical:
		a.Claim = "IDENTICAL"
	case compare.Different:
		a.Number, a.Unit = document.Count(int64(c.Exact.Difference.Total)), "values"
		a.Claim = "DIFFERENT in " + a.Number + " " + a.Unit
	case compare.NoDifference:
		a.Claim, a.Beside = "NO DIFFERENCE SHOWN", fmt.Sprintf("over %d pairs of runs", c.Pairs)
	case compare.Regression, compare.Improvement:
		a.Claim = "B IS WORSE"
		if c.Outcome == compare.Improvement {
			a.Claim = "B IS BETTER"
		}
		at := slices.IndexFunc(c.Decides, func(f compare.Finding) bool { return f.Verdict == c.Outcome })
		if at < 0 {
			break
		}
		f := &c.Decides[at]
		a.Number = document.Change(f.Change)
		a.Claim += ": " + f.Metric + " " + a.Number
		a.Beside = fmt.Sprintf("%s at %s %%, over %d pairs", document.Interval(f.Interval, document.Change), document.Decimals(100*f.Level, 1), f.Pairs)
	default:
		a.Claim = "CANNOT TELL"
	}
	return a
}

func (m *Metric) key() key { return key{m.Phase, m.Operation} }

// figures returns the figures of a section that differ, of all operations also those that are
// the same, and the number of omitted ones. Columns without values are omitted.
func (c *Comparison) figures(k key) (t document.Table, same int) {
	level := document.Decimals(100*(1-compare.DefaultAlpha), 1)
	t = document.NewTable("whole", k.title(), "|words", "A", "B", "change|change", level+" % interval|change|optional", "p|chance|optional")
	for i := range c.Metrics {
		m := &c.Metrics[i]
		if m.key() != k || m.A == nil && m.B == nil {
			continue
		}
		if m.same && k != (key{}) {
			same++
			continue
		}
		var change any = m.Change
		interval := m.Interval
		if m.Change == nil {
			interval = nil
			if m.A != nil && m.B != nil {
				change = "from 0"
			}
		}
		u := m.measure.unit
		t.Add(m.measure.label+u.suffix(), u.formatted(m.A), u.formatted(m.B), change, interval, m.P)
	}
	return t.WithoutEmpty(), same
}

// tested returns the number of figures with a p.
func (c *Comparison) tested() int {
	tested := 0
	for i := range c.Metrics {
		if c.Metrics[i].P != nil {
			tested++
		}
	}
	return tested
}

// bandsTable returns the within-run bands of single runs.
func (c *Comparison) bandsTable() document.Table {
	t := document.NewTable("within", "", "|words", "A", "within", "B", "within", "change|change", "within|change", "seconds")
	labels := make(map[string]string)
	for _, m := range measures() {
		labels[m.name] = m.label
	}
	doubtful := false
	for i := range c.Bands {
		b := &c.Bands[i]
		seconds := document.Count(int64(b.Seconds))
		if b.Doubt != "" {
			seconds, doubtful = "~"+seconds, true
		}
		u := b.unit
		t.Add(shorten(b.Phase)+", "+labels[b.Metric]+u.suffix(), u.formatted(b.A.Mean), u.formatted(b.A.Interval), u.formatted(b.B.Mean), u.formatted(b.B.Interval),
			b.Change.Mean, b.Change.Interval, seconds)
	}
	if doubtful {
		t.Notes = []string{"~: too few seconds for reliable bounds"}
	}
	return t
}

// maxDiffering is the maximum number of listed differences.
const maxDiffering = 20

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

// formatted returns a figure or its bounds as a cell.
func (u unit) formatted(value any) any { return document.Formatted{Value: value, Format: string(u)} }

// suffix returns the unit that follows a figure's name in tables.
func (u unit) suffix() string { return map[unit]string{micros: ", ms", perSecond: "/s"}[u] }

func (k key) title() string {
	phase, operation := "all reported phases", "all operations"
	if k.phase != "" {
		phase = shorten(k.phase)
	}
	if k.operation != "" {
		operation = shorten(k.operation)
	}
	return phase + ", " + operation
}

// maxName is the maximum length of a shown name.
const maxName = 200

// shorten returns a name of a record for display.
func shorten(name string) string { return document.Cut(name, maxName) }
