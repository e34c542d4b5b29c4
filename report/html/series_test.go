package html_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/document"
	"loadgen/report/html"
)

func line(values ...float64) document.Line {
	l := document.Line{Meaning: document.Served}
	for _, v := range values {
		if math.IsNaN(v) {
			l.Values = append(l.Values, nil)
		} else {
			l.Values = append(l.Values, new(v))
		}
	}
	return l
}

// of returns numbers in words, a gap as –.
func of(values []*float64) string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = document.Optional(v, document.Figures)
	}
	return strings.Join(list, " ")
}

func TestWhatAnAxisHolds(t *testing.T) {
	gap := math.NaN()
	for _, row := range []struct {
		name             string
		in               document.Series
		log              bool
		y                string
		unshown, skipped int
	}{
		{"numbers and gaps", document.Series{Seconds: clockOf(3), Lines: []document.Line{line(10, gap, 93)}}, false, "10 – 93", 0, 0},
		{"decades", document.Series{Log: true, Seconds: clockOf(2), Lines: []document.Line{line(7, 510)}}, true, "7 510", 0, 0},
		{"a logarithmic axis has no zero", document.Series{Log: true, Seconds: clockOf(4), Lines: []document.Line{line(0, 20, gap, -3)}}, true, "– 20 – –", 2, 0},
		{"zeros alone are seen on a plain axis", document.Series{Log: true, Seconds: clockOf(2), Lines: []document.Line{line(0, 0)}}, false, "0 0", 0, 0},
		{"what is no number is a gap", document.Series{Seconds: clockOf(2), Lines: []document.Line{line(math.Inf(1), 1e300)}}, false, "– –", 0, 0},
		{"what prepares is left out", document.Series{Seconds: clockOf(4), Shown: document.Stretch{From: 1, To: 3}, Lines: []document.Line{line(1e6, 2, 3, 1e6)}}, false, "2 3", 0, 0},
		{"instants out of order", document.Series{Seconds: []float64{0, 2, 1, 2, gap, 3}, Lines: []document.Line{line(1, 2, 3, 4, 5, 6)}}, false, "1 2 6", 0, 3},
		{"nothing", document.Series{Lines: []document.Line{line()}}, false, "", 0, 0},
	} {
		got := html.Draw(row.in, 1)
		assert.Equal(t, []any{row.log, row.y, row.unshown, row.skipped}, []any{got.Log, of(got.Y[0]), got.Unshown, got.Skipped}, row.name)
		assert.Truef(t, slices.IsSorted(got.X), "%s: drawn at %v", row.name, got.X)
	}
}

func TestMergedStretchesKeepTheirExtremes(t *testing.T) {
	gap := math.NaN()
	s := document.Series{Seconds: clockOf(10), Lines: []document.Line{line(5, 1, 9, 3, gap, gap, gap, gap, 4, 2)}}
	got := html.Draw(s, 4)
	assert.Truef(t, slices.Equal(got.X, []float64{0, 3, 4, 7, 8, 9}), "drawn at %v; want the ends of the stretches", got.X)
	assert.Equal(t, "1 9 – – 4 2", of(got.Y[0]), "drawn")
	for name, row := range map[string]struct {
		in   []float64
		want string
	}{"falling": {[]float64{9, 5, 1, 7}, "9 1"}, "rising": {[]float64{2, 1, 8, 9}, "1 9"}} {
		got := of(html.Draw(document.Series{Seconds: clockOf(4), Lines: []document.Line{line(row.in...)}}, 4).Y[0])
		assert.Truef(t, got == row.want, "%s: %v became %s", name, row.in, got)
	}
}

func TestMarksAndLinesAreToldApart(t *testing.T) {
	s := document.Series{Seconds: clockOf(2)}
	for i := range 250 {
		s.Marks = append(s.Marks, document.Mark{Second: float64(i), Text: "split"})
	}
	for _, m := range []document.Meaning{document.Offered, document.Served, document.Failed, document.Throttled, document.Throttled, document.Throttled} {
		s.Lines = append(s.Lines, document.Line{Meaning: m})
	}
	got := html.Draw(s, 1)
	assert.Truef(t, got.Listed == 200 && got.More == 50, "%d marks are listed and %d not; want 200 and 50", got.Listed, got.More)
	want := []int{2, 0, 3, 0, 1, 2}
	assert.Truef(t, slices.Equal(got.Dashes, want), "patterns %v", got.Dashes)
}

// The marks of a run are listed once, below the first of the series that have them.
func TestMarksAreListedOnce(t *testing.T) {
	s := document.Series{ID: "one", Seconds: clockOf(2), Marks: []document.Mark{{Second: 1, Text: "split"}}}
	again, other := s, s
	again.ID, other.ID, other.Marks = "again", "other", []document.Mark{{Second: 1, Text: "move"}}
	root := parsed(t, rendered(t, &document.Document{Sections: []document.Section{{Blocks: []document.Block{s, again, other}}}}, nil))
	assert.Equal(t, 2, strings.Count(said(root), "Events (1)"), "marks are listed times")
}

var pagesFolder = flag.String("pages", "", "folder that takes the pages that .ci/browser opens; none are written without")

// handmade are the pages of documents that are made by hand, for a browser to open: its
// tests are a module of their own, report/html/testdata/chromium, which knows files alone.
func handmade(t *testing.T) map[string][]byte {
	pages := map[string][]byte{
		"stress":  rendered(t, stress(60), drawn()),
		"bare":    rendered(t, stress(60), nil),
		"decades": rendered(t, decades(), nil),
	}
	for i, text := range planted {
		pages[fmt.Sprintf("planted-%d", i)] = rendered(t, hostile(text, 2), nil)
	}
	return pages
}

// decades is a document with one series, from thousandths to thousands.
func decades() *document.Document {
	return &document.Document{Title: "decades", Sections: []document.Section{{ID: "seconds", Title: "Seconds", Blocks: []document.Block{
		document.Series{ID: "lag", Title: "Lag", Unit: "ms", Log: true, Seconds: []float64{0, 1},
			Lines: []document.Line{{Name: "max", Meaning: document.First, Values: []*float64{new(.0015), new(900.)}}}}}}}}
}

// hovered is the second whose values the browser is to show, as the document has them.
const hovered = 49

func TestPagesForABrowser(t *testing.T) {
	if *pagesFolder == "" {
		t.Skip("no -pages")
	}
	for name, content := range handmade(t) {
		require.NoError(t, os.WriteFile(filepath.Join(*pagesFolder, name+".html"), content, 0o644))
	}
	rate, is := stress(60).Sections[4].Blocks[0].(document.Series)
	require.Truef(t, is && rate.ID == "rate", "the series is %q; want the rate", rate.ID)
	values := map[string]float64{}
	for _, l := range rate.Lines {
		values[l.Name] = *l.Values[hovered]
	}
	text, err := json.Marshal(values)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(*pagesFolder, "hovered.json"), text, 0o644))
}
