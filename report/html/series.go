package html

import (
	"cmp"
	"encoding/json"
	"html/template"
	"math"
	"slices"

	"loadgen/report/document"
)

// series is numbers over time as the page holds them: a legend, and the numbers for the
// script that draws them.
type series struct {
	ID, Title, Says, Unit string
	Lines                 []line
	Level                 string
	Marks                 []mark
	// MoreMarks is how many marks are not listed.
	MoreMarks int
	// Stretch is how many instants are drawn as their extremes, 1 for all as they are.
	Stretch int
	// Unshown is how many numbers a logarithmic axis has no place for.
	Unshown int
	// Skipped is how many instants are not after those before them, or beyond any axis.
	Skipped int
	Data    template.JS
	// Last is the position of the last instant, −1 where there is none.
	Last int
}

// line is the entry of a legend.
type line struct {
	Name    string `json:"name"`
	Meaning string `json:"meaning"`
	// Dash tells lines of the same meaning apart, 0 to dashes − 1.
	Dash int `json:"dash"`
}

// mark is something that happened, and where the axis of time has it.
type mark struct {
	At      string  `json:"-"`
	X       float64 `json:"x"`
	Text    string  `json:"text"`
	Balance bool    `json:"balance,omitempty"`
}

// plotted is what the script draws.
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
	// dashes is the number of patterns of dashes, see page.css and page.js.
	dashes = 4
	// mostMarks is how many marks are listed and drawn.
	mostMarks = 200
	// mostValues bounds the numbers of all series of a page. As JSON they then take
	// some 500 kB.
	mostValues = 100_000
	// farthest bounds what has a place on an axis: the numbers that a float has at its
	// ends leave no room for the steps of one.
	farthest = 1e15
)

// firstDash is the pattern of the first line of each meaning that has a colour: lines that are
// often side by side differ in it, for who does not tell their colours apart.
var firstDash = map[document.Meaning]int{
	document.Served: 0, document.Throttled: 0, document.First: 0, document.Returned: 1, document.Second: 1,
	document.Offered: 2, document.Third: 2, document.Failed: 3,
}

// series returns a series with stretches of instants merged.
func (m *maker) series(b *document.Series) *series {
	m.plotted = true
	s := &series{ID: m.ids.take(b.ID), Title: words(b.Title), Says: words(b.Says), Unit: words(b.Unit), Stretch: m.stretch}
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
		if !(math.Abs(one.Second) <= farthest) {
			continue
		}
		if len(p.Marks) == mostMarks {
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
		panic("html: a series holds a number that JSON has not: " + err.Error())
	}
	s.Data = template.JS(data)
	return s
}

// place puts the numbers of a series in order: what an axis cannot show is a gap.
func (s *series) place(p *plotted, b *document.Series) {
	kept, out := make([]int, 0, len(b.Seconds)), 0
	for i, second := range b.Seconds {
		if math.Abs(second) <= farthest && !b.Shown.Holds(second) {
			out++
			continue
		}
		if math.Abs(second) <= farthest && (len(p.X) == 0 || second > p.X[len(p.X)-1]) {
			p.X, kept = append(p.X, second), append(kept, i)
		}
	}
	s.Skipped = len(b.Seconds) - len(kept) - out
	for _, l := range b.Lines {
		values := make([]*float64, len(kept))
		for i, k := range kept {
			switch {
			case k >= len(l.Values) || l.Values[k] == nil || !(math.Abs(*l.Values[k]) <= farthest):
			case p.shows(*l.Values[k]):
				values[i] = l.Values[k]
			default:
				s.Unshown++
			}
		}
		p.Y = append(p.Y, values)
	}
}

// positive says that a logarithmic axis has something to show, or that there is nothing
// at all: a line of zeros is seen on a plain one.
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

// shows says whether the axis has a place for a number: a logarithmic one has none for
// what is not positive.
func (p *plotted) shows(v float64) bool { return math.Abs(v) <= farthest && (!p.Log || v > 0) }

// thin merges stretches of that many instants into two each: the least and the greatest
// number, in the order in which they were.
func (p *plotted) thin(stretch int) {
	if stretch < 3 {
		return
	}
	lines := make([][]*float64, len(p.Y))
	var x []float64
	for from := 0; from < len(p.X); from += stretch {
		to := min(from+stretch, len(p.X))
		whole := to-from < 3
		if whole {
			x = append(x, p.X[from:to]...)
		} else {
			x = append(x, p.X[from], p.X[to-1])
		}
		for i, values := range p.Y {
			if whole {
				lines[i] = append(lines[i], values[from:to]...)
			} else {
				lines[i] = append(lines[i], extremes(values[from:to])...)
			}
		}
	}
	p.X, p.Y = x, lines
}

// extremes returns the least and the greatest number in the order in which they stand,
// nil where there is none.
func extremes(values []*float64) []*float64 {
	least, most := -1, -1
	for i, v := range values {
		if v == nil {
			continue
		}
		if least < 0 || *v < *values[least] {
			least = i
		}
		if most < 0 || *v > *values[most] {
			most = i
		}
	}
	if least < 0 {
		return []*float64{nil, nil}
	}
	return []*float64{values[min(least, most)], values[max(least, most)]}
}
