package report_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report"
	"loadgen/report/document"
	layout "loadgen/report/text"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/resultstest"
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
		t.Add(document.Bad, word, word)
		s.Lines = append(s.Lines, document.Line{Name: word, Values: []*float64{nil, &zero}})
	}
	return &document.Document{Title: words[0], Subtitle: words[5], Warnings: words, Sections: []document.Section{
		{ID: "words", Title: words[9], Blocks: []document.Block{document.List{Items: words}, document.Paragraph{Text: words[10], Lead: true},
			document.Paragraph{Text: words[11]}, document.Paragraph{Text: words[6] + words[7], Verbatim: true}, t, s,
			document.Chart{ID: "latency", Title: words[13], Says: words[0]}}},
		{ID: "pictures", Title: "Pictures alone", Blocks: []document.Block{document.Chart{ID: "heat", Title: "Heat"}}}}}
}

func TestDocumentsAsEachFormShowsThem(t *testing.T) {
	documents := map[string]*document.Document{"planted": planted(), "stress": stressDocument(t),
		"observed": documentOf(observed(t, busy)), "moved": situations(t)["cold"].Document}
	for name, d := range documents {
		for form, render := range renderers() {
			if form == "text" && (name == "stress" || name == "observed") {
				continue // a golden file of Text
			}
			var got strings.Builder
			require.NoErrorf(t, render(&got, d), "%s as %s", name, form)
			resultstest.CheckGolden(t, "testdata/"+name+"."+form, got.String())
			harmlessAs(t, form, got.String())
		}
	}
}

var tag = regexp.MustCompile(`<[a-zA-Z/!]`)

// harmlessAs checks a rendering for what nothing in a record may do to it.
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
		assert.Falsef(t, tag.MatchString(regexp.MustCompile("(?s)```+sh\n.*?\n```+\n").ReplaceAllString(text, "")),
			"the Markdown holds a tag:\n%s", text)
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

func TestRenderersReturnTheWritersError(t *testing.T) {
	renders := renderers()
	renders["json"] = func(w io.Writer, _ *document.Document) error { return report.JSON(w, new(results.Summary)) }
	for form, render := range renders {
		for _, left := range []int{0, 10, 100} {
			assert.ErrorIsf(t, render(resultstest.FullWriter{Room: left}, planted()), resultstest.ErrFull, "as %s to a writer that takes %d bytes", form, left)
		}
	}
}

func TestJSONIsExactlyTheSummary(t *testing.T) {
	record := stressRecord(t)
	record.Manifest.Scenario.Name = hostile + "\U000e0001 <&>"
	record.Manifest.PartitionKey = hostile
	summary := verdict.Judge(record)
	var out bytes.Buffer
	require.NoError(t, report.JSON(&out, summary), "JSON")
	var back results.Summary
	decoder := json.NewDecoder(bytes.NewReader(out.Bytes()))
	decoder.DisallowUnknownFields()
	require.NoError(t, decoder.Decode(&back), "Decode")
	// What is no UTF-8 has no place in JSON.
	summary.Scenario = strings.ToValidUTF8(summary.Scenario, "\ufffd")
	assert.Empty(t, cmp.Diff(summary, &back), "the object (-summary +read back)")
	assert.Truef(t, !decoder.More() && strings.HasPrefix(out.String(), "{\n  \"scenario\":") && strings.HasSuffix(out.String(), "\n}\n"),
		"JSON = %.40q…; want one indented object and a line's end", out.String())
	if i := strings.IndexFunc(out.String(), func(c rune) bool { return c != '\n' && !unicode.IsPrint(c) }); i >= 0 {
		t.Errorf("JSON holds %q at byte %d; want nothing that is not printable", out.String()[i:i+1], i)
	}
}

func TestJSONOfAnEmptyRunKeepsItsKeys(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, report.JSON(&out, verdict.Judge(&results.Record{Validity: results.Partial})), "JSON")
	var fields map[string]any
	require.NoError(t, json.Unmarshal(out.Bytes(), &fields), "Unmarshal")
	for _, key := range strings.Fields(`scenario target start profile seed started duration_s validity reasons state ok scheduled sent
		dropped late operations attempts ok_attempts throttled failed entities_counted entities_returned
		saturation_entities_per_second saturation_interval hottest_partition response_us service_us lag_us
		retry_waits_us phases per_operation checks verdict client_limited saturation_seconds saturation_why throttling share_throttled_reported`) {
		value, exists := fields[key]
		_, list := value.([]any)
		assert.Truef(t, exists, "the object has no key %q", key)
		assert.Equalf(t, slices.Contains([]string{"reasons", "phases", "checks", "client_limited", "throttling"}, key), list, "%s is a list", key)
		delete(fields, key)
	}
	assert.Lenf(t, fields, 0, "the object has keys beside the published ones: %v", fields)
}
