package text

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"loadgen/report/document"
)

// Write returns a document as text: its answer, then one screen of it or, if the look is
// verbose, all sections. Charts and series are omitted. Lines are at most as wide as the
// look allows, except for commands with longer arguments. All text is printable.
func Write(d *document.Document, look Look) []byte {
	if look.Verbose = look.Verbose || len(d.Screen) == 0; look.Verbose {
		s := newScreen(d, look, measure{})
		for _, section := range d.AllSections() {
			blocks := withoutFigures(section.Blocks)
			if len(blocks) == 0 && len(section.Blocks) > 0 {
				continue
			}
			s.space()
			s.wrapped(0, s.lines, section.Title, func(line string) string { return s.tone(document.Plain, true, line) })
			for _, block := range blocks {
				s.block(block)
			}
		}
		return s.bytes()
	}
	var s *screen
	// Sentences get shorter before tables do.
	measures := []measure{{24, 5}, {24, 3}, {24, 2}, {16, 2}, {12, 2}, {8, 2}, {6, 2}, {5, 2}, {4, 2}, {3, 2}, {2, 2}, {1, 2}, {1, 1}}
	for _, m := range measures {
		s = newScreen(d, look, m)
		for _, block := range withoutFigures(d.Screen) {
			s.space()
			s.block(block)
		}
		if bytes.Count(s.text.Bytes(), []byte("\n")) <= maxLines {
			break
		}
	}
	return s.bytes()
}

// measure is the maximum number of rows of a table and of lines of a text on one screen.
type measure struct{ rows, lines int }

// maxLines is the maximum number of lines of one screen, if the smallest measure fits.
const maxLines = 30

// titleLines is how many lines a title takes at least before it is cut: it ends with the validity.
const titleLines = 3

// newScreen returns a screen with the title, the answer and warnings.
func newScreen(d *document.Document, look Look, m measure) *screen {
	columns := max(minColumns, min(maxColumns, look.Columns))
	switch {
	case look.Columns == 0 && look.Verbose:
		columns = verboseColumns
	case look.Columns == 0:
		columns = defaultColumns
	}
	s := &screen{brush: brush{look}, columns: columns, measure: m}
	title := d.Title
	if d.Subtitle != "" {
		title += " · " + d.Subtitle
	}
	if title != "" {
		s.wrapped(0, max(s.lines, titleLines), title, s.faint)
	}
	s.answer(&d.Answer)
	for i, warning := range d.Warnings {
		if i == 0 {
			s.space()
		}
		s.wrapped(0, s.lines, "Warning: "+warning, func(line string) string { return s.tone(document.Doubtful, false, line) })
	}
	return s
}

// screen collects lines.
type screen struct {
	brush
	measure
	columns int
	text    bytes.Buffer
}

// bytes returns the text, in ASCII if the look asks for it, with question marks for unknown characters.
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

// space adds an empty line, except at the beginning.
func (s *screen) space() {
	if s.text.Len() > 0 {
		s.text.WriteByte('\n')
	}
}

func (s *screen) answer(a *document.Answer) {
	if a.Claim == "" {
		return
	}
	s.space()
	mark, claim, beside := cmp.Or(a.Tone().Sign(), " "), s.safe(a.Claim), s.safe(a.Beside)
	strong := func(line string) string { return s.tone(a.Tone(), true, line) }
	room := s.columns - markWidth - ansi.StringWidth(claim)
	if beside != "" && ansi.StringWidth(beside)+2 <= room {
		gap := strings.Repeat(" ", room-ansi.StringWidth(beside))
		s.line(" " + strong(mark) + " " + strong(claim) + gap + s.faint(beside))
	} else {
		for i, line := range wrapped(ansi.Truncate(claim, 3*(s.columns-markWidth)/2, "…"), s.columns-markWidth) {
			if i > 0 {
				mark = " "
			}
			s.line(" " + strong(mark) + " " + strong(line))
		}
		if beside != "" {
			s.wrapped(markWidth, s.lines, beside, s.faint)
		}
	}
	for _, said := range a.Says {
		s.wrapped(markWidth, s.lines, s.abridged(said), nil)
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

// wrapped adds a text as indented lines, at most limit on one screen; the last one then ends in an ellipsis.
func (s *screen) wrapped(right, limit int, words string, paint func(string) string) {
	lines := wrapped(s.prose(words), s.columns-right)
	if len(lines) > limit && !s.look.Verbose {
		lines = append(lines[:limit-1], ansi.Truncate(lines[limit-1], s.columns-right-1, "")+"…")
	}
	for _, line := range lines {
		if paint != nil {
			line = paint(line)
		}
		s.line(strings.Repeat(" ", right) + line)
	}
}

func withoutFigures(blocks []document.Block) []document.Block {
	return slices.DeleteFunc(slices.Clone(blocks), func(block document.Block) bool {
		switch block.(type) {
		case document.Chart, document.Series:
			return true
		}
		return false
	})
}

func (s *screen) block(block document.Block) {
	right := s.right()
	switch b := block.(type) {
	case document.Paragraph:
		if b.Verbatim {
			s.command(b.Text)
		} else {
			s.wrapped(right, s.lines, b.Text, func(line string) string { return s.tone(b.Tone, b.Lead, line) })
		}
	case document.Facts:
		lines := b.Lines
		if b.Max > 0 && !s.look.Verbose {
			lines = document.LimitLines(lines, b.Max)
		}
		for _, fact := range lines {
			s.wrapped(right, min(3, s.lines), fact, nil)
		}
	case document.List:
		for _, item := range b.Items {
			for i, line := range wrapped(s.prose(item), s.columns-right-2) {
				bullet := "- "
				if i > 0 {
					bullet = "  "
				}
				s.line(strings.Repeat(" ", right) + bullet + line)
			}
		}
	case document.Table:
		if !s.look.Verbose {
			b = b.Around(max(s.rows, b.MinRows))
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
			s.wrapped(right, s.lines, note, s.faint)
		}
	}
}

// command adds a command, continued on further lines at its arguments as needed.
func (s *screen) command(prose string) {
	const first, indented, more = "  ", "      ", ` \`
	line := first
	for i, word := range argument.FindAllString(Harmless(prose), -1) {
		if i > 0 && ansi.StringWidth(line)+1+ansi.StringWidth(word)+len(more) > s.columns {
			s.line(line + more)
			line = indented + word
			continue
		}
		if i > 0 {
			line += " "
		}
		line += word
	}
	s.line(line)
}
