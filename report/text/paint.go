package text

import (
	"strings"

	"charm.land/lipgloss/v2"

	"loadgen/report/document"
)

// Look has the options of a text. The zero value is one screen of 80 columns without colour.
type Look struct {
	// Columns is the width, limited to 60…120. 0 is 80, or 110 if verbose.
	Columns int
	// Colour allows ANSI colours. ASCII replaces all other characters.
	Colour, ASCII bool
	// Verbose shows the whole document instead of one screen.
	Verbose bool
}

const (
	minColumns     = 60
	maxColumns     = 120
	defaultColumns = 80
	verboseColumns = 110
)

// brush formats text for a look.
type brush struct{ look Look }

// tone returns words in the colour of a tone, in bold if strong.
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
	return b.styled(style, words)
}

func (b brush) faint(words string) string { return b.styled(lipgloss.NewStyle().Faint(true), words) }

func (b brush) styled(style lipgloss.Style, words string) string {
	if !b.look.Colour || strings.TrimSpace(words) == "" {
		return words
	}
	return style.Render(words)
}

// maxText is the maximum length of a text on one screen, and of any cell, in characters. It
// limits the time of layout.
const maxText = 2000

// safe returns a text without unprintable characters, at most maxText long.
func (b brush) safe(words string) string { return Harmless(document.Cut(words, maxText)) }

// prose is [brush.safe] without the maximum length if the look is verbose.
func (b brush) prose(words string) string {
	if b.look.Verbose {
		return Harmless(words)
	}
	return b.safe(words)
}

// right is the left margin of everything except headings.
func (b brush) right() int {
	if b.look.Verbose {
		return indent + 1
	}
	return indent
}

// bar draws a bar whose column has the given width.
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

// scale returns the heading of a column of bars: 0, the mark and the maximum.
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

// plain has the ASCII replacement of each sign in reports, of the same width.
var plain = map[rune]rune{'█': '#', '▒': ':', '│': '|', '✓': '+', '✗': 'x', '·': '-', '•': '*', '–': '-', '—': '-', '…': '~', 'µ': 'u', '−': '-',
	'←': '<', '→': '>', '≥': '>', '≤': '<', '±': '~', '×': 'x', '“': '"', '”': '"', '’': '\''}
