package html_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/document"
	"loadgen/report/html"
)

// shaped is a document of the shape that live pages have, with so many rows.
func shaped(rows int) *document.Document {
	d := &document.Document{Title: "<it> goes on", Subtitle: "phase <one>", Answer: document.Claimed("", "SERVES", "1,998", "entities/s", "")}
	s := document.Series{ID: "rate", Title: "Rate", Seconds: clockOf(rows), Lines: []document.Line{line(make([]float64, rows)...)},
		Marks: []document.Mark{{Second: 0, Text: "begins"}}}
	t := document.NewTable("heat", "Heat", "key|words", "over time")
	for range rows {
		t.Rows = append(t.Rows, []document.Cell{{Text: "<script>planted</script>"}, {Text: "most 3", Strip: []document.Shade{{Heat: .5, Throttled: .5}}}})
	}
	d.Screen = []document.Block{s, t}
	return d
}

// What an update brings has its places in the page, and nothing of it is markup of a record.
func TestAnUpdateFitsItsPage(t *testing.T) {
	l, err := html.NewLive(true)
	require.NoError(t, err)
	var page strings.Builder
	require.NoError(t, l.Render(&page, shaped(0)))
	update, err := l.Update(shaped(3), "live")
	require.Truef(t, err == nil && !strings.Contains(string(update), "\n"), "%v; want an update in one line", err)
	var u struct {
		Says, Title  string
		Texts, Parts map[string]string
		Series       map[string]struct{ X []float64 }
	}
	require.NoError(t, json.Unmarshal(update, &u))
	root := parsed(t, []byte(page.String()))
	known := map[string]bool{}
	for _, n := range all(root) {
		known[attribute(n, "id")] = true
	}
	for id := range u.Parts {
		assert.Truef(t, known[id], "the page has no place for the part %s", id)
	}
	for id := range u.Texts {
		assert.Truef(t, known[id], "the page has no place for the text %s", id)
	}
	for id, series := range u.Series {
		assert.Truef(t, known[id] && len(series.X) == 3,
			"the series %s has %v in the update; want three instants, and a place", id, series.X)
	}
	for _, id := range []string{"live", "live-says", "stop", "stop-asks", "stop-yes", "stop-no", "state", "title", "subtitle", "rate", "heat"} {
		assert.Truef(t, known[id], "the page has no %s", id)
	}
	assert.Truef(t, len(u.Parts) == 2 && len(u.Series) == 1 && u.Says == "live" && u.Title == "SERVES 1,998 entities/s" && u.Texts["title"] == "<it> goes on",
		"the update is %+v", u)
	assert.NotContainsf(t, u.Parts["heat"], "<script>", "a name is markup: %s", u.Parts["heat"])
	if l, _ := html.NewLive(false); l.Render(&page, shaped(0)) != nil || strings.Count(page.String(), `id="stop"`) != 1 {
		t.Error("what cannot be stopped has a button for it")
	}
}

// The policy of a live page lets it ask its own server alone.
func TestPolicyOfALivePage(t *testing.T) {
	l, err := html.NewLive(false)
	require.NoError(t, err)
	policy := l.Policy()
	for _, want := range []string{"default-src 'none'; ", "; connect-src 'self'; ", "frame-ancestors 'none'", "form-action 'none'", "base-uri 'none'"} {
		assert.Contains(t, policy, want, "the policy")
	}
	// The report that takes its place is admitted, with series and without.
	for name, d := range map[string]*document.Document{"with series": shaped(2), "without": {Title: "bare"}} {
		own := string(rendered(t, d, nil))
		_, own, _ = strings.Cut(own, `http-equiv="Content-Security-Policy" content="`)
		own, _, _ = strings.Cut(own, `"`)
		own = strings.NewReplacer("&#39;", "'", "&#43;", "+").Replace(own)
		for _, hash := range strings.FieldsFunc(own, func(r rune) bool { return r == ' ' || r == ';' }) {
			assert.Truef(t, !strings.HasPrefix(hash, "'sha256-") || strings.Contains(policy, hash),
				"%s: the report's %s is not in the policy of the live page", name, hash)
		}
	}
}

// The row of a heat map puts together what is alike, and shows a little of anything.
func TestStrips(t *testing.T) {
	for _, row := range []struct {
		name   string
		shades []document.Shade
		want   []string
	}{
		{"nothing", []document.Shade{{}, {}}, nil},
		{"alike", []document.Shade{{Heat: 1}, {Heat: .99}, {Heat: .81}}, []string{`depth-4" d="M0 0h3v10h-3z"`}},
		{"a little", []document.Shade{{}, {Heat: .001, Throttled: .001}}, []string{`depth-0" d="M1 0h1v10h-1z"`, `hot" d="M1 9h1v1h-1z"`}},
		{"all throttled, beyond what there is", []document.Shade{{Heat: 7, Throttled: 3}}, []string{`depth-4" d="M0 0h1v10h-1z"`, `hot" d="M0 0h1v10h-1z"`}},
		{"two depths", []document.Shade{{Heat: .5}, {Heat: .1}, {Heat: .5}}, []string{`depth-0" d="M1 0h1v10h-1z"`, `depth-2" d="M0 0h1v10h-1zM2 0h1v10h-1z"`}},
	} {
		d := &document.Document{Screen: []document.Block{document.Table{Columns: []document.Column{{}, {}}, Rows: [][]document.Cell{{{Text: "k"}, {Text: "heard", Strip: row.shades}}}}}}
		page := string(rendered(t, d, nil))
		_, drawn, found := strings.Cut(page, `class="strip"`)
		drawn, _, _ = strings.Cut(drawn, "</svg>")
		assert.Truef(t, found && strings.Contains(page, `<span class="unseen">heard</span>`) && strings.Count(drawn, "<path") == len(row.want),
			"%s: drawn as %s; want %q", row.name, drawn, row.want)
		for _, want := range row.want {
			assert.Containsf(t, drawn, want, "%s: drawn as", row.name)
		}
	}
}
