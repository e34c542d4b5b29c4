package text

import (
	"strings"

	"charm.land/lipgloss/v2"

	"loadgen/report/document"
)

// Look is how a text is laid out for whoever reads it. The zero value is one screen of 80
// columns without colour.
type Look struct {
	// Columns is the width, 0 for 80, or 110 for the whole. Below 60 and above 120 it is taken for that.
	Columns int
	// Colour says that escapes for colours are understood, ASCII that nothing else is shown.
	Colour, ASCII bool
	// Verbose asks for the whole and not for one screen.
	Verbose bool
}

// The widths that a text is fitted to.
const (
	leastColumns = 60
	mostColumns  = 120
	usualColumns = 80
	wholeColumns = 110
)

// brush puts what words amount to into colours, where they are understood, and into ASCII,
// where nothing else is shown.
type brush struct{ look Look }

// tone paints words in the colour of what they amount to, strong ones in bold type.
func (b brush) tone(t document.Tone, strong bool, words string) string {
	style := lipgloss.NewStyle().Bold(strong)
	switch t {
	case document.Good:
		style = style.Foreground(lipgloss.Green)
	case document.Bad:
		style = style.Foreground(lipgloss.Red)
	case document.Doubtful:
		style = style.Foreground(lipgloss.Yellow)
	}
	return b.in(style, words)
}

// faint paints what is less than the figures around it.
func (b brush) faint(words string) string { return b.in(lipgloss.NewStyle().Faint(true), words) }

func (b brush) in(style lipgloss.Style, words string) string {
	if !b.look.Colour || strings.TrimSpace(words) == "" {
		return words
	}
	return style.Render(words)
}

// longest is how much of a text is shown on one screen, and of a cell anywhere, in
// characters: more than has room there, and less than takes time.
const longest = 2000

// safe returns a text of which nothing can move a cursor.
func (b brush) safe(words string) string { return Harmless(document.Cut(words, longest)) }

// prose is [brush.safe] of a text that is shown whole where all is.
func (b brush) prose(words string) string {
	if b.look.Verbose {
		return Harmless(words)
	}
	return b.safe(words)
}

// right is how far to the right all stands that is no heading.
func (b brush) right() int {
	if b.look.Verbose {
		return indent + 1
	}
	return indent
}

// bar draws a bar in so many columns.
func (b brush) bar(bar *document.Bar, columns int) string {
	at := func(v float64) int {
		if bar.Full <= 0 || !(v > 0) {
			return 0
		}
		return min(columns, max(1, int(v/bar.Full*float64(columns)+.5)))
	}
	solid, all := at(bar.Solid), at(bar.Solid+bar.Hollow)
	drawn := []rune(strings.Repeat("█", solid) + strings.Repeat("▒", max(0, all-solid)))
	mark := at(bar.Mark) - 1
	if bar.Mark > 0 && mark < len(drawn) && bar.Solid+bar.Hollow >= bar.Mark {
		drawn[mark] = '│'
	}
	hollow := len(drawn)
	for hollow > 0 && drawn[hollow-1] != '█' {
		hollow--
	}
	return string(drawn[:hollow]) + b.tone(document.Bad, false, string(drawn[hollow:]))
}

// scale is the heading of a column of bars: 0, the mark and the longest.
func scale(bar *document.Bar, columns int) string {
	full := document.Rate(bar.Full)
	if bar.Full <= 0 || columns < len(full)+2 {
		return ""
	}
	line := []rune("0" + strings.Repeat(" ", columns-1-len(full)) + full)
	mark := document.Rate(bar.Mark)
	from := int(bar.Mark/bar.Full*float64(columns)+.5) - 1 - len(mark)/2
	if bar.Mark > 0 && from >= 2 && from+len(mark) < columns-len(full) {
		copy(line[from:], []rune(mark))
	}
	return string(line)
}

// plain is what stands for the signs of a report where nothing but ASCII is shown: each
// takes as many columns.
var plain = map[rune]rune{'█': '#', '▒': ':', '│': '|', '✓': '+', '✗': 'x', '·': '-', '•': '*', '–': '-', '—': '-', '…': '~', 'µ': 'u', '−': '-',
	'←': '<', '→': '>', '≥': '>', '≤': '<', '±': '~', '×': 'x', '“': '"', '”': '"', '’': '\''}
