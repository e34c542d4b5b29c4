package runs

import (
	"fmt"
	"slices"

	"loadgen/report/compare"
	"loadgen/report/document"
)

// block is a part of the report: a heading, and below it a table, lines, or both.
type block struct {
	heading string
	table   [][]string
	lines   []string
}

// blocks returns the report below its verdict, in order. What is the same on both sides is
// counted, not shown, but for the whole.
func (c *Comparison) blocks() []block {
	list := []block{{heading: "Sides", table: c.sides()}}
	if len(c.Warnings) > 0 {
		list = append(list, block{heading: "Not the same, or to be doubted", lines: c.Warnings})
	}
	if len(c.Decides) > 0 {
		one := block{heading: "What the verdict rests on"}
		for i := range c.Decides {
			one.lines = append(one.lines, c.Decides[i].Sentence())
		}
		list = append(list, one)
	}
	list = append(list, c.sections()...)
	if len(c.Bands) > 0 {
		list = append(list, c.within())
	}
	if c.Exact != nil {
		list = append(list, c.exact())
	}
	return list
}

func (c *Comparison) sides() [][]string {
	rows := [][]string{{"", "folder", "scenario", "runs", "first started", "time"}}
	for _, one := range []struct {
		letter string
		of     *Summary
	}{{"A", &c.A}, {"B", &c.B}} {
		rows = append(rows, []string{one.letter, shown(one.of.Name), shown(one.of.Scenario), fmt.Sprint(one.of.Runs),
			one.of.Started, shown(one.of.Time)})
	}
	return rows
}

// sections returns a block for each phase and operation in which a figure differs, and one
// for the whole.
func (c *Comparison) sections() []block {
	var list []block
	same := 0
	for rest := c.Metrics; len(rest) > 0; {
		k := rest[0].key()
		n := slices.IndexFunc(rest, func(m Metric) bool { return m.key() != k })
		if n < 0 {
			n = len(rest)
		}
		one := block{heading: k.title(), table: [][]string{c.headings()}}
		for i := range rest[:n] {
			m := &rest[i]
			switch {
			case m.A == nil && m.B == nil:
			case m.same && k != (key{}):
				same++
			default:
				one.table = append(one.table, m.row()[:len(one.table[0])])
			}
		}
		rest = rest[n:]
		if len(one.table) == 1 {
			continue
		}
		for _, s := range c.Shapes {
			if k == (key{s.Phase, s.Operation}) {
				one.lines = append(one.lines, "response times: "+s.Sentence)
			}
		}
		list = append(list, one)
	}
	if len(list) > 0 {
		last := &list[len(list)-1]
		last.lines = append(last.lines, c.legend(same)...)
	}
	return list
}

// headings are those of a section: of intervals and chances only where there are any.
func (c *Comparison) headings() []string {
	list := []string{"", "A", "B", "change"}
	if c.tested() > 0 {
		list = append(list, fmt.Sprintf("%g %% interval", 100*(1-compare.DefaultAlpha)), "p")
	}
	return list
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

func (c *Comparison) legend(same int) []string {
	var list []string
	if same > 0 {
		list = append(list, fmt.Sprintf("%s the same on both sides, and not shown", document.Counted(same, "more figure is", "more figures are")))
	}
	if tested := c.tested(); tested > 0 {
		list = append(list, fmt.Sprintf("interval and p are each figure's own: of %d that do not differ, about %.0f have p <= %g by chance",
			tested, float64(tested)*compare.DefaultAlpha, compare.DefaultAlpha))
	}
	if c.A.Runs > 1 || c.B.Runs > 1 {
		list = append(list, "A and B are medians over the runs")
	}
	return list
}

func (m *Metric) key() key { return key{m.Phase, m.Operation} }

func (m *Metric) row() []string {
	u := m.measure.unit
	return []string{m.measure.label + u.suffix(), document.Told(m.A, u.text), document.Told(m.B, u.text), m.change(), m.interval(),
		document.Told(m.P, func(p float64) string { return fmt.Sprintf("%.2g", p) })}
}

// within shows the bands of single runs.
func (c *Comparison) within() block {
	one := block{heading: "Within the runs, by the second: this gates nothing, for it knows nothing of the next run",
		table: [][]string{{"", "A", "within", "B", "within", "change", "within", "seconds"}}}
	labels := make(map[string]string)
	for _, m := range measures() {
		labels[m.name] = m.label
	}
	doubtful := 0
	for i := range c.Bands {
		b := &c.Bands[i]
		seconds := fmt.Sprint(b.Seconds)
		if b.Doubt != "" {
			seconds, doubtful = "~"+seconds, doubtful+1
		}
		one.table = append(one.table, []string{shown(b.Phase) + ", " + labels[b.Metric] + b.unit.suffix(),
			b.unit.text(b.A.Mean), document.Interval(b.A.Interval, b.unit.text), b.unit.text(b.B.Mean), document.Interval(b.B.Interval, b.unit.text),
			compare.Percent(b.Change.Mean), document.Interval(b.Change.Interval, compare.Percent), seconds})
	}
	if doubtful > 0 {
		one.lines = append(one.lines, "~: too few seconds for bounds that can be relied on")
	}
	return one
}

// mostDiffering is how many values that differ are listed.
const mostDiffering = 20

// exact shows how runs in virtual time differ.
func (c *Comparison) exact() block {
	e := c.Exact
	one := block{heading: "Virtual time, value by value"}
	if e.Same == e.Pairs {
		one.lines = []string{"they repeat to the last count"}
		return one
	}
	one.lines = append(one.lines, fmt.Sprintf("%d of %d repeat; %s and %s differ in %s", e.Same, e.Pairs,
		shown(e.A), shown(e.B), document.Counted(e.Difference.Total, "value", "values")))
	// The sums of the heat map come last: most of them are those of the phases once more.
	for _, line := range e.Difference.Lines(mostDiffering, "phases", "where") {
		one.lines = append(one.lines, shown(line))
	}
	return one
}
