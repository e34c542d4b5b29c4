package text

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"loadgen/report/document"
)

// Write returns a document as text: its answer first, then what one screen shows of it, or
// where the look is verbose all that it says. Charts and series are left out, as a terminal
// has no place for them. No line is wider than the look asks for, but for commands whose
// words are, and nothing in it moves a cursor.
func Write(d *document.Document, look Look) []byte {
	if look.Verbose = look.Verbose || len(d.Screen) == 0; look.Verbose {
		s := newScreen(d, look, measure{})
		for _, section := range d.Whole() {
			shown := false
			for _, block := range section.Blocks {
				shown = shown || !seen(block)
			}
			if !shown && len(section.Blocks) > 0 {
				continue
			}
			s.space()
			s.wrapped(0, section.Title, func(line string) string { return s.tone(document.Plain, true, line) })
			for _, block := range section.Blocks {
				if !seen(block) {
					s.block(block)
				}
			}
		}
		return s.bytes()
	}
	var s *screen
	measures := []measure{{24, 5}, {20, 5}, {16, 5}, {12, 5}, {8, 5}, {7, 5}, {6, 5}, {5, 5}, {4, 5}, {3, 5}, {3, 4}, {3, 3}, {3, 2}, {3, 1}}
	for _, m := range measures {
		s = newScreen(d, look, m)
		for _, block := range d.Screen {
			if !seen(block) {
				s.space()
				s.block(block)
			}
		}
		if bytes.Count(s.text.Bytes(), []byte("\n")) <= mostLines {
			break
		}
	}
	return s.bytes()
}

// measure is how much of a document one screen shows: so many rows of a table, those about
// the answer where there are more, and so many lines of a text.
type measure struct{ rows, lines int }

// mostLines is how long one screen is.
const mostLines = 30

// newScreen returns one that says what was run, and what it came to.
func newScreen(d *document.Document, look Look, m measure) *screen {
	columns := max(leastColumns, min(mostColumns, look.Columns))
	switch {
	case look.Columns == 0 && look.Verbose:
		columns = wholeColumns
	case look.Columns == 0:
		columns = usualColumns
	}
	s := &screen{brush: brush{look}, columns: columns, measure: m}
	title := d.Title
	if d.Subtitle != "" {
		title += " · " + d.Subtitle
	}
	if title != "" {
		s.wrapped(0, title, s.faint)
	}
	s.answer(&d.Answer)
	for i, warning := range d.Warnings {
		if i == 0 {
			s.space()
		}
		s.wrapped(0, "Warning: "+warning, func(line string) string { return s.tone(document.Doubtful, false, line) })
	}
	return s
}

// screen gathers lines.
type screen struct {
	brush
	measure
	columns int
	text    bytes.Buffer
}

// bytes is what has been gathered, in ASCII where nothing else is shown: what stands for nothing
// in it is a question mark.
func (s *screen) bytes() []byte {
	if !s.look.ASCII {
		return s.text.Bytes()
	}
	var text bytes.Buffer
	for _, c := range s.text.String() {
		switch instead, known := plain[c]; {
		case c < utf8.RuneSelf:
			text.WriteRune(c)
		case known:
			text.WriteRune(instead)
		default:
			text.WriteString(strings.Repeat("?", Columns(string(c))))
		}
	}
	return text.Bytes()
}

func (s *screen) line(line string) { s.text.WriteString(strings.TrimRight(line, " ") + "\n") }

// space parts what comes from what stands there.
func (s *screen) space() {
	if s.text.Len() > 0 {
		s.text.WriteByte('\n')
	}
}

// answer says what a reader has to know first.
func (s *screen) answer(a *document.Answer) {
	if a.Claim == "" {
		return
	}
	s.space()
	mark, claim, beside := a.Tone().Sign(), s.safe(a.Claim), s.safe(a.Beside)
	if mark == "" {
		mark = " "
	}
	strong := func(line string) string { return s.tone(a.Tone(), true, line) }
	room := s.columns - markWidth - ansi.StringWidth(claim)
	if beside != "" && ansi.StringWidth(beside)+2 <= room {
		gap := strings.Repeat(" ", room-ansi.StringWidth(beside))
		s.line(" " + strong(mark) + " " + strong(claim) + gap + s.faint(beside))
		beside = ""
	} else {
		for i, line := range wrapped(ansi.Truncate(claim, 3*(s.columns-markWidth)/2, "…"), s.columns-markWidth) {
			if i > 0 {
				mark = " "
			}
			s.line(" " + strong(mark) + " " + strong(line))
		}
	}
	if beside != "" {
		s.wrapped(markWidth, beside, s.faint)
	}
	for _, said := range a.Says {
		s.wrapped(markWidth, s.abridged(said), nil)
	}
}

// maxQuoted is the maximum length of a quoted key on the first screen, in characters.
const maxQuoted = 56

var quotation = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// abridged cuts long quoted keys of a sentence, unless the look is verbose.
func (s *screen) abridged(sentence string) string {
	if s.look.Verbose {
		return sentence
	}
	return quotation.ReplaceAllStringFunc(sentence, func(key string) string {
		if ansi.StringWidth(key) <= maxQuoted {
			return key
		}
		return document.Cut(key, maxQuoted-2) + `"`
	})
}

// wrapped adds a text in as many lines as it needs, each so far to the right.
func (s *screen) wrapped(right int, words string, paint func(string) string) {
	for _, line := range s.cut(wrapped(s.prose(words), s.columns-right), s.lines, s.columns-right) {
		if paint != nil {
			line = paint(line)
		}
		s.line(strings.Repeat(" ", right) + line)
	}
}

// cut returns so many lines at most on one screen, the last of them with a mark that there
// is more.
func (s *screen) cut(lines []string, most, columns int) []string {
	if len(lines) <= most || s.look.Verbose {
		return lines
	}
	return append(lines[:most-1], ansi.Truncate(lines[most-1], columns-1, "")+"…")
}

// seen reports whether a block is for the eye alone.
func seen(block document.Block) bool {
	switch block.(type) {
	case document.Chart, document.Series:
		return true
	}
	return false
}

func (s *screen) block(block document.Block) {
	right := s.right()
	switch b := block.(type) {
	case document.Paragraph:
		if b.Verbatim {
			s.command(b.Text)
		} else {
			s.wrapped(right, b.Text, func(line string) string { return s.tone(b.Tone, b.Lead, line) })
		}
	case document.Facts:
		lines := b.Lines
		if b.Max > 0 && !s.look.Verbose {
			lines = document.LimitLines(lines, b.Max)
		}
		for _, fact := range lines {
			for _, line := range s.cut(wrapped(s.prose(fact), s.columns-right), min(3, s.lines), s.columns-right) {
				s.line(strings.Repeat(" ", right) + line)
			}
		}
	case document.List:
		for _, item := range b.Items {
			for i, line := range wrapped(s.prose(item), s.columns-right-2) {
				before := "- "
				if i > 0 {
					before = "  "
				}
				s.line(strings.Repeat(" ", right) + before + line)
			}
		}
	case document.Table:
		if !s.look.Verbose {
			b = b.Around(s.rows)
		}
		for i, grid := range s.grids(&b, s.columns, s.look.Verbose) {
			if i > 0 {
				s.space()
			}
			for _, line := range grid.lines() {
				s.line(line)
			}
		}
		for _, note := range b.Notes {
			s.wrapped(right, note, s.faint)
		}
	}
}

// command adds a command, broken at its arguments where it does not fit.
func (s *screen) command(prose string) {
	const first, rest, more = "  ", "      ", ` \`
	line := first
	for i, word := range arguments(Harmless(prose)) {
		if i > 0 && ansi.StringWidth(line)+1+ansi.StringWidth(word)+len(more) > s.columns {
			s.line(line + more)
			line = rest + word
			continue
		}
		if i > 0 {
			line += " "
		}
		line += word
	}
	s.line(line)
}
