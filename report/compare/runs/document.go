package runs

import (
	"fmt"
	"slices"

	"loadgen/report/compare"
	"loadgen/report/document"
)

// Document returns what the comparison says: whether B is better or worse, by how much, and
// every figure of both. Its Data is the comparison.
func (c *Comparison) Document() *document.Document {
	d := &document.Document{Title: "A and B side by side", Subtitle: shown(c.A.Name) + " · " + shown(c.B.Name), Answer: c.answer(), Data: c}
	whole, _ := c.figures(key{})
	d.Show(whole, document.Facts{Lines: c.Warnings, Max: mostWarnings})
	sides := document.NewTable("sides", "Sides", "|words", "folder|words", "scenario|words", "runs", "first started", "time")
	for i, of := range []*Summary{&c.A, &c.B} {
		sides.Add(compare.Side(i), shown(of.Name), shown(of.Scenario), of.Runs, of.Started, shown(of.Time))
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
		list = append(list, fmt.Sprintf("%s the same on both sides, and not shown", document.Counted(same, "more figure is", "more figures are")))
	}
	if tested := c.tested(); tested > 0 {
		list = append(list, fmt.Sprintf("interval and p are each figure's own: of %d that do not differ, about %s have p <= %s by chance",
			tested, document.Decimals(float64(tested)*compare.DefaultAlpha, 0), document.Plainly(compare.DefaultAlpha)))
	}
	if c.A.Runs > 1 || c.B.Runs > 1 {
		list = append(list, "A and B are medians over the runs")
	}
	d.Add("reading", "Reading the figures", document.List{Items: list})
	d.Add("within", "Within-run bands by the second (no verdict is based on them)", c.within())
	d.Add("exact", "Differences in virtual time", document.List{Items: c.exact()})
	return d
}

// mostWarnings is how many of them a screen shows.
const mostWarnings = 4

// answer says whether B is better or worse, and by how much in the figure that says so.
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
		a.Claim = "CANNOT TELL whether they differ"
	}
	return a
}

func (m *Metric) key() key { return key{m.Phase, m.Operation} }

// figures is those of a phase and operation that differ, of the whole all, and how many others
// either side can tell. Intervals and chances are shown only where there are any.
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

// tested is how many figures have a p.
func (c *Comparison) tested() int {
	tested := 0
	for i := range c.Metrics {
		if c.Metrics[i].P != nil {
			tested++
		}
	}
	return tested
}

// within shows the bands of single runs.
func (c *Comparison) within() document.Table {
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
		t.Add(shown(b.Phase)+", "+labels[b.Metric]+u.suffix(), u.formatted(b.A.Mean), u.formatted(b.A.Interval), u.formatted(b.B.Mean), u.formatted(b.B.Interval),
			b.Change.Mean, b.Change.Interval, seconds)
	}
	if doubtful {
		t.Notes = []string{"~: too few seconds for bounds that can be relied on"}
	}
	return t
}

// mostDiffering is how many values that differ are listed.
const mostDiffering = 20

// exact says how runs in virtual time differ.
func (c *Comparison) exact() []string {
	e := c.Exact
	switch {
	case e == nil:
		return nil
	case e.Same == e.Pairs:
		return []string{"they repeat to the last count"}
	}
	list := []string{fmt.Sprintf("%d of %d repeat; %s and %s differ in %s", e.Same, e.Pairs,
		shown(e.A), shown(e.B), document.Counted(e.Difference.Total, "value"))}
	// The sums of the heat map come last: most of them are those of the phases once more.
	for _, line := range e.Difference.Lines(mostDiffering, "phases", "where") {
		list = append(list, shown(line))
	}
	return list
}

// formatted returns a figure, or its bounds, as a value of a table.
func (u unit) formatted(value any) any { return document.Formatted{Value: value, Format: string(u)} }

// suffix is what follows a figure's name in tables.
func (u unit) suffix() string { return map[unit]string{micros: ", ms", perSecond: "/s"}[u] }

func (k key) title() string {
	phase, operation := "all reported phases", "all operations"
	if k.phase != "" {
		phase = shown(k.phase)
	}
	if k.operation != "" {
		operation = shown(k.operation)
	}
	return phase + ", " + operation
}

// longest bounds what is shown of a name.
const longest = 200

// shown returns a name that a record holds as far as it is shown.
func shown(name string) string { return document.Cut(name, longest) }
