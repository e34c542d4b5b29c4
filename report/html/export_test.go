package html

import "loadgen/report/document"

// Words is for tests.
var Words = words

// Grouped, Opening and TimeStep are for tests.
var (
	Grouped  = grouped
	Opening  = opening
	TimeStep = timeStep
)

// Clock is how an axis that ends there tells an instant.
func Clock(last, second float64) string {
	p := &plot{last: last}
	return p.clock(second)
}

// Drawn is a series made ready.
type Drawn struct {
	X         []float64
	Lines     [][]float64
	Low, High float64
	Level     string
	Marks     int
	More      int
	Dashes    []int
	Stretch   int
	Path      string
}

// Draw makes a series ready, with stretches of that many instants merged; Path is the
// first line of its still picture.
func Draw(b document.Series, stretch int) Drawn {
	ids := &names{taken: map[string]bool{}}
	s, p := newSeries(&b, stretch, ids), newPlot(&b, stretch)
	d := Drawn{X: p.x, Lines: p.lines, Low: p.low, High: p.high, Level: s.Level, Marks: len(s.Marks), More: s.MoreMarks, Stretch: s.Stretch}
	for _, l := range s.Lines {
		d.Dashes = append(d.Dashes, l.Dash)
	}
	if len(p.lines) > 0 {
		d.Path = (&canvas{plot: p}).path(p.lines[0])
	}
	return d
}
