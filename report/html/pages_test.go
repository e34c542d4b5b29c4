package html_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"loadgen/report/document"
)

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
