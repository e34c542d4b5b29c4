package chart

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"loadgen/report/document"
	"loadgen/results"
)

// How many characters are taken of a text of the record: of a key, whose end may
// be what tells it from others, and of a name.
const (
	longestKey  = 60
	longestName = 32
)

// clean makes a text of the record fit to be drawn: one line of so many printable
// characters at most. What is not printable, be it a control character, an
// invisible one or broken UTF-8, becomes a question mark, which every font has
// and XML can hold.
func clean(word string, longest int) string {
	var b strings.Builder
	length := 0
	for _, r := range word {
		if length == longest {
			b.WriteRune('…')
			break
		}
		switch {
		case unicode.IsSpace(r):
			r = ' '
		case !unicode.IsPrint(r) || r == unicode.ReplacementChar:
			r = '?'
		}
		b.WriteRune(r)
		length++
	}
	return b.String()
}

// fit shortens a text until it is no wider than the room.
func fit(style text.Style, words string, room vg.Length) string {
	if style.Width(words) <= room {
		return words
	}
	runes := []rune(words)
	low, high := 0, len(runes)
	for low < high {
		middle := (low + high + 1) / 2
		if style.Width(string(runes[:middle])+"…") <= room {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return strings.TrimRight(string(runes[:low]), " ") + "…"
}

// describe says which run a chart is of; what makes the run less than valid
// comes first, where no shortening reaches it.
func describe(record *results.Record) string {
	m := &record.Manifest
	var parts []string
	if record.Validity != results.Valid && record.Validity != "" {
		parts = append(parts, clean(record.Validity, longestName)+" run")
	}
	scenario := clean(m.Scenario.Name, longestName)
	if scenario == "" {
		scenario = "without a name"
	}
	parts = append(parts, "scenario "+scenario)
	switch {
	case m.Spread != nil:
		parts = append(parts, document.Counted(m.Spread.Partitions, "partition"))
	case m.PartitionKey == "":
		parts = append(parts, "no single partition")
	default:
		parts = append(parts, fmt.Sprintf("partition “%s”", clean(m.PartitionKey, longestKey)))
	}
	if m.Target != "" {
		parts = append(parts, clean(m.Target, longestName))
	}
	if m.Time != "" {
		parts = append(parts, clean(m.Time, longestName)+" time")
	}
	return strings.Join(parts, "  ·  ")
}

// note is a text at a point of the data, moved by an offset.
type note struct {
	at     point
	off    vg.Point
	alignX text.XAlignment
	alignY text.YAlignment
	words  string
}

// notes writes texts on paper-coloured ground inside the panel. One that would
// cover an earlier one is left out: unreadable text says less than none.
type notes struct {
	style text.Style
	list  []note
}

// Plot implements plot.Plotter.
func (ns notes) Plot(c draw.Canvas, p *plot.Plot) {
	const margin, apart = 2, 3
	x, y := p.Transforms(&c)
	var taken []vg.Rectangle
	for _, n := range ns.list {
		style := ns.style
		style.XAlign, style.YAlign = n.alignX, n.alignY
		at := vg.Point{X: x(n.at.x), Y: y(n.at.y)}.Add(n.off)
		box := style.Rectangle(n.words).Add(at)
		move := vg.Point{X: into(box.Min.X, box.Max.X, c.Min.X, c.Max.X), Y: into(box.Min.Y, box.Max.Y, c.Min.Y, c.Max.Y)}
		at, box = at.Add(move), box.Add(move)
		covers := func(other vg.Rectangle) bool {
			return box.Min.X < other.Max.X+apart && other.Min.X < box.Max.X+apart && box.Min.Y < other.Max.Y && other.Min.Y < box.Max.Y
		}
		if slices.ContainsFunc(taken, covers) {
			continue
		}
		taken = append(taken, box)
		fill(&c, paperInk, box.Min.X-margin, box.Min.Y, box.Max.X+margin, box.Max.Y)
		c.FillText(style, at, n.words)
	}
}

// into returns by how much a stretch must move to lie between two bounds.
func into(from, to, least, greatest vg.Length) vg.Length {
	switch {
	case from < least:
		return least - from
	case to > greatest:
		return greatest - to
	default:
		return 0
	}
}
