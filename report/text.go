package report

import (
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"loadgen/report/document"
	"loadgen/report/text"
	"loadgen/results"
)

// Text writes the report of a record for a person at a terminal: the verdict first,
// then what it rests on. The summary is the one that [verdict.Judge] made of the
// record. Its error is the writer's, wrapped.
func Text(w io.Writer, record *results.Record, summary *results.Summary) error {
	return Plain(w, Document(record, summary))
}

// Plain writes a document as [Text] does: what it has as words and tables. Series and
// pictures are left out, as a terminal has no place for them. Its error is the writer's,
// wrapped.
func Plain(w io.Writer, d *document.Document) error {
	p := new(page)
	for _, warning := range d.Warnings {
		p.Paragraph("Warning: ", "  ", warning)
	}
	for i := range d.Sections {
		p.section(&d.Sections[i])
	}
	return written(w, "text", p.Bytes())
}

// page is a text report, to which sections of a document go.
type page struct{ text.Page }

// section adds a section, unless all of it is for the eye.
func (p *page) section(s *document.Section) {
	var blocks []document.Block
	for _, block := range s.Blocks {
		switch block.(type) {
		case document.Chart, document.Series:
		default:
			blocks = append(blocks, block)
		}
	}
	if len(blocks) == 0 && len(s.Blocks) > 0 {
		return
	}
	p.Heading(s.Title)
	for _, block := range blocks {
		switch b := block.(type) {
		case document.Paragraph:
			if b.Verbatim {
				p.command(b.Text)
			} else {
				p.Line(b.Text)
			}
		case document.List:
			for _, item := range b.Items {
				p.Item(item)
			}
		case document.Table:
			p.grid(&b)
			for _, note := range b.Notes {
				p.Line(note)
			}
		}
	}
}

// command adds a command, broken at its arguments where it does not fit.
func (p *page) command(prose string) {
	const first, rest, more = "  ", "      ", ` \`
	line := first
	for i, word := range arguments(text.Harmless(prose)) {
		if i > 0 && text.Columns(line)+1+text.Columns(word)+len(more) > text.Width {
			p.Verbatim(line + more)
			line = rest + word
			continue
		}
		if i > 0 {
			line += " "
		}
		line += word
	}
	p.Verbatim(strings.TrimRight(line, " "))
}

// grid adds a table. Units stand with the headings that need them: those of groups, and
// of times; what else a heading means stands below the table.
func (p *page) grid(t *document.Table) {
	grid := new(text.Table)
	for i, column := range t.Columns {
		heading := column.Title
		if column.Group == "" && isTime(column.Unit) {
			heading += ", " + column.Unit
		}
		grid.Headings = append(grid.Headings, heading)
		grid.FlushLeft = append(grid.FlushLeft, column.Words)
		switch last := len(grid.Titles) - 1; {
		case column.Group == "":
		case i > 0 && t.Columns[i-1].Group == column.Group:
			grid.Titles[last].Columns++
		default:
			group := column.Group
			if isTime(column.Unit) {
				group += ", " + column.Unit
			}
			grid.Titles = append(grid.Titles, text.Title{From: i, Columns: 1, Text: group})
		}
	}
	for _, row := range t.Rows {
		cells := make([]string, len(t.Columns))
		for i := range cells {
			if i < len(row) {
				cells[i] = strings.TrimSpace(row[i].Text)
			}
		}
		grid.Rows = append(grid.Rows, cells)
	}
	grid.Onto(&p.Page)
}

func isTime(unit string) bool { return unit == "ms" || unit == "s" || unit == "µs" }

// arguments splits a command at the spaces outside its quotes, as [quoted] sets them.
func arguments(command string) []string {
	var list []string
	var word strings.Builder
	quote, escapes, escaped := false, false, false
	for i, c := range command {
		switch {
		case escaped:
			escaped = false
		case quote && escapes && c == '\\', !quote && c == '\\':
			escaped = true
		case c == '\'' && quote:
			quote = false
		case c == '\'':
			quote, escapes = true, i > 0 && command[i-1] == '$'
		case c == ' ' && !quote:
			list = append(list, word.String())
			word.Reset()
			continue
		}
		word.WriteRune(c)
	}
	return append(list, word.String())
}

// CommandLine returns a command on one line, as a shell takes it.
func CommandLine(command []string) string {
	words := make([]string, len(command))
	for i, argument := range command {
		words[i] = quoted(argument)
	}
	return strings.Join(words, " ")
}

// quoted returns an argument as a shell takes it: as it is where nothing in it
// means anything to a shell, in single quotes where all of it can be shown, and
// else in the quotes $'…', which know escapes.
func quoted(argument string) string {
	plain := func(c rune) bool {
		return c < utf8.RuneSelf && (unicode.IsLetter(c) || unicode.IsDigit(c)) || strings.ContainsRune("-_=./,:@%+", c)
	}
	if argument != "" && !strings.ContainsFunc(argument, func(c rune) bool { return !plain(c) }) {
		return argument
	}
	if utf8.ValidString(argument) && !strings.ContainsFunc(argument, func(c rune) bool { return !unicode.IsPrint(c) }) {
		return "'" + strings.ReplaceAll(argument, "'", `'\''`) + "'"
	}
	var text strings.Builder
	for len(argument) > 0 {
		c, size := utf8.DecodeRuneInString(argument)
		switch {
		case c == '\'' || c == '\\':
			text.WriteString(`\` + string(c))
		case unicode.IsPrint(c) && (c != utf8.RuneError || size > 1):
			text.WriteRune(c)
		default:
			// Octal, because its three digits end where they end.
			for _, b := range []byte(argument[:size]) {
				octal := strconv.FormatUint(uint64(b), 8)
				text.WriteString(`\` + strings.Repeat("0", 3-len(octal)) + octal)
			}
		}
		argument = argument[size:]
	}
	return "$'" + text.String() + "'"
}
