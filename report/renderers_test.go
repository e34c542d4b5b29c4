package report_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"loadgen/report"
	"loadgen/report/document"
	layout "loadgen/report/text"
	"loadgen/report/verdict"
	"loadgen/results"
)

// renderers are those of a document, by the ending of their golden files.
func renderers() map[string]func(io.Writer, *document.Document) error {
	return map[string]func(io.Writer, *document.Document) error{"text": whole, "md": report.Markdown, "csv": report.CSV}
}

// whole writes all that a document says as text.
func whole(w io.Writer, d *document.Document) error {
	return report.Screen(w, d, layout.Look{Verbose: true})
}

// planted is a document whose every word would do harm somewhere.
func planted() *document.Document {
	words := []string{"<script>alert(1)</script>", "=HYPERLINK(1)", "+1+1", "-cmd|' /C calc'!A0", "@SUM(1)", "| a | b |", "`code` and ```fence```",
		"line\nbreak\r\nand\ttab", hostile, "# heading", "1. item", "> quote", "***", "[a](javascript:1) ![b](http://x/y)", "a\\|b", "&lt;b&gt;", "$x$", "~~gone~~", "  spaces  ", ""}
	t := document.Table{ID: "planted", Caption: words[0], Columns: []document.Column{{Title: words[5], Words: true}, {Group: words[7], Title: words[6], Unit: words[1]}}, Notes: words}
	s := document.Series{ID: "series", Title: words[0], Unit: words[1], Seconds: []float64{0, 1.5}, Says: words[6]}
	zero := 0.0
	for _, word := range words {
		t.Rows = append(t.Rows, []document.Cell{{Text: word, Tone: document.Bad}, {Text: word}})
		s.Lines = append(s.Lines, document.Line{Name: word, Values: []*float64{nil, &zero}})
	}
	return &document.Document{Title: words[0], Subtitle: words[5], Warnings: words, Sections: []document.Section{
		{ID: "words", Title: words[9], Blocks: []document.Block{document.List{Items: words}, document.Paragraph{Text: words[10], Lead: true},
			document.Paragraph{Text: words[11]}, document.Paragraph{Text: words[6] + words[7], Verbatim: true}, t, s,
			document.Chart{ID: "latency", Title: words[13], Says: words[0]}}},
		{ID: "pictures", Title: "Pictures alone", Blocks: []document.Block{document.Chart{ID: "heat", Title: "Heat"}}}}}
}

func TestDocumentsAsEachFormShowsThem(t *testing.T) {
	of := func(record *results.Record) *document.Document { return report.Document(record, verdict.Judge(record)) }
	documents := map[string]*document.Document{"planted": planted(), "stress": of(stress().Record(t)), "observed": of(observed(t, busy)), "moved": of(moved(t))}
	for name, d := range documents {
		for form, render := range renderers() {
			if form == "text" && (name == "stress" || name == "observed") {
				continue // a golden file of Text
			}
			var got bytes.Buffer
			if err := render(&got, d); err != nil {
				t.Fatalf("%s as %s: %v", name, form, err)
			}
			golden := filepath.Join("testdata", name+"."+form)
			if *update {
				if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatalf("%v; -update writes it", err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("%s differs (-golden +got); -update writes it anew:\n%s", golden, diff)
			}
			harmlessAs(t, form, got.String())
		}
	}
}

var tag = regexp.MustCompile(`<[a-zA-Z/!]`)

// harmlessAs holds a rendering to what nothing in a record may do to it.
func harmlessAs(t testing.TB, form, text string) {
	t.Helper()
	for _, c := range text {
		if c != '\n' && !unicode.IsPrint(c) {
			t.Errorf("as %s there is %U", form, c)
			break
		}
	}
	switch form {
	case "md":
		if tag.MatchString(regexp.MustCompile("(?s)```+sh\n.*?\n```+\n").ReplaceAllString(text, "")) {
			t.Errorf("the Markdown holds a tag:\n%s", text)
		}
	case "csv":
		rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil || len(rows) == 0 || !slices.Equal(rows[0], []string{"section", "table", "row", "column", "value", "unit"}) {
			t.Fatalf("the CSV is none, or has other headings: %v", err)
		}
		number := regexp.MustCompile(`^-?[0-9.]+(e[0-9]+)?$`)
		for i, row := range rows {
			for _, field := range row {
				if begins := strings.TrimLeft(field, " "); begins != "" && strings.Contains("=+-@", begins[:1]) && !number.MatchString(field) {
					t.Errorf("line %d of the CSV has the formula %q", i+1, field)
				}
			}
		}
	}
}

// Cells of Markdown stay in their column, whatever is in them.
func TestMarkdownTablesKeepTheirColumns(t *testing.T) {
	var text bytes.Buffer
	if err := report.Markdown(&text, planted()); err != nil {
		t.Fatal(err)
	}
	rows := 0
	for _, line := range strings.Split(text.String(), "\n") {
		if !strings.HasPrefix(line, "| ") {
			continue
		}
		rows++
		if bars := len(regexp.MustCompile(`(^|[^\\])(\\\\)*\|`).FindAllString(line, -1)); bars != 3 {
			t.Errorf("%q has %d bars that part cells; want 3", line, bars)
		}
	}
	if want := 1 + len(planted().Warnings); rows != want {
		t.Errorf("the table has %d rows; want %d", rows, want)
	}
}

// The CSV has every number of every table and series of the document.
func TestCSVHasEveryCell(t *testing.T) {
	record := stress().Record(t)
	d := report.Document(record, verdict.Judge(record))
	var text bytes.Buffer
	if err := report.CSV(&text, d); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&text).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]int)
	for _, row := range rows[1:] {
		got[row[1]]++
	}
	for _, table := range tables(d) {
		if want := len(table.Rows) * len(table.Columns); got[table.ID] != want {
			t.Errorf("the CSV has %d cells of %s; want %d", got[table.ID], table.ID, want)
		}
	}
	if want := 2 * len(record.Intervals); got["rate"] != want {
		t.Errorf("the CSV has %d values of the series of rates; want %d", got["rate"], want)
	}
	for _, want := range [][]string{{"steps", "steps-all", "3", "lost, settled", "50.0", "%"}, {"accounting", "accounting", "1", "attempts", "4205", ""},
		{"steps-2", "steps-2", "1", "response p99", "", ""}, {"seconds", "throttled", "9", "throttled: no reply", strconv.FormatInt(record.Intervals[9].Throttled, 10), "attempts/s"}} {
		if !slices.ContainsFunc(rows, func(row []string) bool { return slices.Equal(row, want) }) {
			t.Errorf("the CSV lacks %q", want)
		}
	}
}

func TestRenderersReturnTheWritersError(t *testing.T) {
	for form, render := range renderers() {
		for _, left := range []int{0, 10} {
			if err := render(&broken{left}, planted()); !errors.Is(err, errBroken) {
				t.Errorf("as %s to a writer that takes %d bytes: %v; want its error", form, left, err)
			}
		}
	}
}
