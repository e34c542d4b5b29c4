package html

import (
	"cmp"
	"encoding/json"
	"html/template"
	"math"
	"slices"

	"loadgen/report/document"
)

// series is a plot over time: a legend, and the numbers for the script that draws it.
type series struct {
	ID, Title, Says, Unit string
	Lines                 []line
	Level                 string
	Marks                 []mark
	// MoreMarks is the number of marks that are not listed.
	MoreMarks int
	// Stretch is the number of instants that are drawn as one minimum and maximum; 1 draws all.
	Stretch int
	// Unshown is the number of values that a logarithmic axis cannot show.
	Unshown int
	// Skipped is the number of instants that are out of order or too large.
	Skipped int
	Data    template.JS
	// Last is the index of the last instant, -1 for none.
	Last int
}

// line is an entry of the legend.
type line struct {
	Name    string `json:"name"`
	Meaning string `json:"meaning"`
	// Dash is the pattern, 0 to dashes-1, by which lines of one meaning differ.
	Dash int `json:"dash"`
}

// mark is an event at a position of the time axis.
type mark struct {
	At      string  `json:"-"`
	X       float64 `json:"x"`
	Text    string  `json:"text"`
	Balance bool    `json:"balance,omitempty"`
}

// plotted is the input of the script, as JSON.
type plotted struct {
	Log   bool         `json:"log"`
	Level *level       `json:"level"`
	Marks []mark       `json:"marks"`
	Lines []line       `json:"lines"`
	X     []float64    `json:"x"`
	Y     [][]*float64 `json:"y"`
}

type level struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

const (
	// dashes is the number of dash patterns in page.css and page.js.
	dashes = 4
	// maxMarks is the maximum number of marks that are listed and drawn.
	maxMarks = 200
	// maxValues is the maximum number of values on a page: about 500 kB of JSON.
	maxValues = 100_000
	// maxMagnitude is the maximum of an axis; larger floats leave no room for its steps.
	maxMagnitude = 1e15
)

// firstDash is the pattern of the first line of each meaning. Lines that often appear together
// differ in it, for readers who cannot distinguish their colours.
var firstDash = map[document.Meaning]int{
	document.Served: 0, document.Throttled: 0, document.First: 0, document.Returned: 1, document.Second: 1,
	document.Offered: 2, document.Third: 2, document.Failed: 3,
}

// series converts a series, thinned as the page needs.
func (m *maker) series(b *document.Series) *series {
	m.plotted = true
	s := &series{ID: m.ids.unique(b.ID), Title: words(b.Title), Says: words(b.Says), Unit: words(b.Unit), Stretch: m.stretch}
	s.Title = cmp.Or(s.Title, s.ID)
	used := make(map[document.Meaning]int)
	for _, l := range b.Lines {
		meaning := l.Meaning
		dash, known := firstDash[meaning]
		if !known {
			meaning = document.First
		}
		s.Lines = append(s.Lines, line{words(l.Name), string(meaning), (dash + used[meaning]) % dashes})
		used[meaning]++
	}
	p := &plotted{Log: b.Log && positive(b.Lines), Lines: s.Lines, X: []float64{}, Y: [][]*float64{}}
	s.place(p, b)
	p.thin(s.Stretch)
	s.Last = len(p.X) - 1
	for _, one := range b.Marks {
		if !(math.Abs(one.Second) <= maxMagnitude) {
			continue
		}
		if len(p.Marks) == maxMarks {
			s.MoreMarks++
			continue
		}
		p.Marks = append(p.Marks, mark{document.Figures(one.Second) + " s", one.Second, words(one.Text), one.Balance})
	}
	if !slices.Equal(b.Marks, m.marks) {
		s.Marks, m.marks = p.Marks, b.Marks
	}
	if b.Level != nil && p.shows(b.Level.Value) {
		p.Level = &level{words(b.Level.Name), b.Level.Value}
		s.Level = words(b.Level.Name) + " " + document.Figures(b.Level.Value)
	}
	data, err := json.Marshal(p)
	if err != nil {
		panic("html: a series has a number that JSON cannot encode: " + err.Error())
	}
	s.Data = template.JS(data)
	return s
}

// place adds the values of a series. Values that the axis cannot show become gaps.
func (s *series) place(p *plotted, b *document.Series) {
	kept, out := make([]int, 0, len(b.Seconds)), 0
	for i, second := range b.Seconds {
		if math.Abs(second) <= maxMagnitude && !b.Shown.Contains(second) {
			out++
			continue
		}
		if math.Abs(second) <= maxMagnitude && (len(p.X) == 0 || second > p.X[len(p.X)-1]) {
			p.X, kept = append(p.X, second), append(kept, i)
		}
	}
	s.Skipped = len(b.Seconds) - len(kept) - out
	for _, l := range b.Lines {
		values := make([]*float64, len(kept))
		for i, k := range kept {
			switch {
			case k >= len(l.Values) || l.Values[k] == nil || !(math.Abs(*l.Values[k]) <= maxMagnitude):
			case p.shows(*l.Values[k]):
				values[i] = l.Values[k]
			default:
				s.Unshown++
			}
		}
		p.Y = append(p.Y, values)
	}
}

// positive reports whether any value is positive, or none exists. A line of zeros needs a linear axis.
func positive(lines []document.Line) bool {
	none := true
	for i := range lines {
		for _, v := range lines[i].Values {
			if v != nil && *v > 0 {
				return true
			}
			none = none && v == nil
		}
	}
	return none
}

// shows reports whether the axis can show a value. A logarithmic axis shows only positive ones.
func (p *plotted) shows(v float64) bool { return math.Abs(v) <= maxMagnitude && (!p.Log || v > 0) }

// thin replaces each group of stretch instants by two: the minimum and the maximum, in their order.
func (p *plotted) thin(stretch int) {
	if stretch < 3 {
		return
	}
	lines := make([][]*float64, len(p.Y))
	var x []float64
	for from := 0; from < len(p.X); from += stretch {
		to := min(from+stretch, len(p.X))
		if to-from < 3 {
			x = append(x, p.X[from:to]...)
		} else {
			x = append(x, p.X[from], p.X[to-1])
		}
		for i, values := range p.Y {
			lines[i] = append(lines[i], extremes(values[from:to])...)
		}
	}
	p.X, p.Y = x, lines
}

// extremes returns the minimum and the maximum in their order, or two gaps; of less than three values it returns all.
func extremes(values []*float64) []*float64 {
	if len(values) < 3 {
		return values
	}
	lowest, highest := -1, -1
	for i, v := range values {
		if v == nil {
			continue
		}
		if lowest < 0 || *v < *values[lowest] {
			lowest = i
		}
		if highest < 0 || *v > *values[highest] {
			highest = i
		}
	}
	if lowest < 0 {
		return []*float64{nil, nil}
	}
	return []*float64{values[min(lowest, highest)], values[max(lowest, highest)]}
}
