package text_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/assert"

	"loadgen/report/document"
	"loadgen/report/text"
)

// ladder is a table of so many steps, of which those from the bad one on do not hold.
func ladder(steps, bad int) document.Table {
	t := document.NewTable("ladder", "", "offered/s", "of it", "lost", "p50|unit=ms|spare=1", "PartitionKey|words|spare=2")
	for i := range steps {
		offered := float64(100 * (i + 1))
		served := min(offered, float64(100*bad))
		bar := &document.Bar{Solid: served, Hollow: offered - served, Mark: float64(100 * bad), Full: float64(100 * steps)}
		t.Add(document.Bad.If(i >= bad), document.Rate(offered), bar, document.Share(1-served/offered), "4.50", "2011 New York City Marathon__Full")
	}
	return t
}

func answered(blocks ...document.Block) *document.Document {
	return &document.Document{Title: "loadgen stress", Subtitle: "embedded", Screen: blocks,
		Answer: document.Answer{State: document.Saturates, Claim: "SATURATES at 200 entities/s", Number: "200", Unit: "entities/s", Beside: "target 200/s"}}
}

// A bar is as long as its number, with the target marked where it reaches that, and what is
// lost drawn lightly; the rows about the first that does not hold are shown.
func TestScreenOfALadder(t *testing.T) {
	got := string(text.Write(answered(ladder(4, 2)), text.Look{Columns: 60}))
	want := `loadgen stress · embedded

 ✗ SATURATES at 200 entities/s                  target 200/s

   offered/s  0            200           400   lost  p50, ms
         100  ████████                           0%     4.50
         200  ██████████████│                    0%     4.50
 ✗       300  ██████████████│▒▒▒▒▒▒▒▒         33.3%     4.50
 ✗       400  ██████████████│▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒  50.0%     4.50
`
	assert.Equalf(t, want, got, "the screen is\n%s\nwant\n%s", got, want)
}

// However much there is to show, and however it is named, a screen stays one: within its
// width, in thirty lines, with nothing that moves a cursor.
func TestScreenStaysOne(t *testing.T) {
	hostile := "a\x1b[2J\x1b]0;owned\x07\r\n\u202e" + strings.Repeat("世", 200)
	long := document.NewTable("", "", hostile+"|words", "n", hostile)
	for i := range 10_000 {
		long.Add(hostile, fmt.Sprint(i), hostile)
	}
	hostiles := answered(long, ladder(10_000, 7_000), document.Facts{Lines: []string{hostile, strings.Repeat("word ", 500)}})
	hostiles.Title, hostiles.Subtitle = hostile, hostile
	hostiles.Answer.Claim, hostiles.Answer.Beside, hostiles.Answer.Says = hostile, hostile, []string{hostile, strings.Repeat("word ", 500)}
	for _, columns := range []int{-1, 0, 1, 20, 60, 80, 120, 100_000} {
		for _, look := range []text.Look{{Columns: columns}, {Columns: columns, Colour: true}, {Columns: columns, ASCII: true}} {
			most := max(60, min(120, columns))
			if columns == 0 {
				most = 80
			}
			assert.LessOrEqualf(t, checkLines(t, hostiles, look, most), 30, "%+v: lines", look)
		}
	}
}

// checkLines writes a document and returns the number of its lines: printable ones of at most so many columns.
func checkLines(t *testing.T, d *document.Document, look text.Look, columns int) int {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(string(text.Write(d, look)), "\n"), "\n")
	for _, line := range lines {
		bare := ansi.Strip(line)
		assert.Truef(t, utf8.ValidString(line) && text.Columns(bare) <= columns, "%+v: a line of %d columns: %q", look, text.Columns(bare), line)
		odd := strings.ContainsFunc(bare, func(c rune) bool { return !unicode.IsPrint(c) || look.ASCII && c > 126 })
		assert.Falsef(t, odd, "%+v: characters that are not printed: %q", look, line)
	}
	return len(lines)
}

// Where nothing may be left out, a table that is too wide goes on below itself, each part
// with its first column.
func TestWideTablesGoOnBelow(t *testing.T) {
	wide := document.Table{Columns: []document.Column{{Title: "operation", Words: true}}}
	row := []document.Cell{{Text: "get"}}
	for i := range 30 {
		wide.Columns = append(wide.Columns, document.Column{Group: fmt.Sprintf("group %d", i/3), Title: "figure", Spare: 1})
		row = append(row, document.Cell{Text: fmt.Sprint(100_000 + i)})
	}
	wide.Rows = [][]document.Cell{row}
	d := answered()
	d.Sections = []document.Section{{ID: "wide", Title: "Wide", Blocks: []document.Block{wide}}}
	got := string(text.Write(d, text.Look{Verbose: true}))
	for i := range 30 {
		assert.Equalf(t, 1, strings.Count(got, fmt.Sprint(100_000+i)), "figure %d is not there once:\n%s", i, got)
	}
	n := strings.Count(got, "get")
	assert.Truef(t, n >= 3, "the first column stands in %d parts; want it in each:\n%s", n, got)
}
