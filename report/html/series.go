package html

import (
	"cmp"
	"fmt"
	"html/template"
	"math"

	"loadgen/report/document"
)

// series is numbers over time as the page holds them: a still picture, a legend, and
// the same numbers for the script.
type series struct {
	ID, Title, Says, Unit string
	// Known says that the title is the section's once more.
	Known bool
	Lines []line
	Level string
	Marks []mark
	// MoreMarks is how many marks are not listed.
	MoreMarks int
	// Stretch is how many instants are drawn as their extremes, 1 for all as they are.
	Stretch int
	// Unshown is how many numbers a logarithmic axis has no place for.
	Unshown int
	// Skipped is how many instants are not after those before them, or beyond any axis.
	Skipped int
	Still   template.HTML
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

type mark struct {
	At, Text string
	Balance  bool
}

const (
	// dashes is the number of patterns of dashes, see page.css and page.js.
	dashes = 4
	// mostMarks is how many marks are listed and drawn.
	mostMarks = 200
	// mostValues bounds the numbers of all series of a page. As JSON they then take
	// some 500 kB.
	mostValues = 100_000
)

// thinning returns how many instants each series has to merge into two so that the page
// stays small: 1 for none.
func thinning(d *document.Document) int {
	values := 0
	for _, s := range d.Sections {
		for _, b := range s.Blocks {
			if b, ok := b.(document.Series); ok {
				values += len(b.Seconds) * (len(b.Lines) + 1)
			}
		}
	}
	if values <= mostValues {
		return 1
	}
	return 2 * ((values + mostValues - 1) / mostValues)
}

// newSeries returns the series with stretches of that many instants merged.
func newSeries(b *document.Series, stretch int, ids *names) *series {
	s := &series{ID: ids.take(b.ID), Title: words(b.Title), Says: words(b.Says), Unit: words(b.Unit), Stretch: stretch}
	s.Title = cmp.Or(s.Title, s.ID)
	used := make(map[string]int)
	for _, l := range b.Lines {
		meaning := meaningOf(l.Meaning)
		s.Lines = append(s.Lines, line{words(l.Name), meaning, (dashOf(l.Meaning) + used[meaning]) % dashes})
		used[meaning]++
	}
	p := newPlot(b, stretch)
	s.Last, s.Unshown, s.Skipped = len(p.x)-1, p.unshown, p.skipped
	for _, m := range b.Marks {
		if !finite(m.Second) {
			continue
		}
		if len(s.Marks) == mostMarks {
			s.MoreMarks++
			continue
		}
		s.Marks = append(s.Marks, mark{p.clock(m.Second), words(m.Text), m.Balance})
		p.marks = append(p.marks, m)
	}
	if b.Level != nil && finite(b.Level.Value) {
		s.Level = words(b.Level.Name)
		if b.Level.Value > p.high { // beyond the picture: told, not drawn
			s.Level += fmt.Sprintf(" (%s, above the picture)", grouped(b.Level.Value))
		}
	}
	s.Still = p.still(s)
	s.Data = p.data(s)
	return s
}

// meaningOf returns the class of a line's colour.
func meaningOf(m document.Meaning) string {
	switch m {
	case document.Served, document.Throttled, document.Failed, document.Offered, document.Returned,
		document.First, document.Second, document.Third:
		return string(m)
	}
	return string(document.First)
}

// dashOf returns the pattern of the first line of a meaning: lines that are often side by
// side differ in it, for who does not tell their colours apart.
func dashOf(m document.Meaning) int {
	switch m {
	case document.Returned, document.Second:
		return 1
	case document.Offered, document.Third:
		return 2
	case document.Failed:
		return 3
	}
	return 0
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
