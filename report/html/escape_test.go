package html_test

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"golang.org/x/net/html"

	"loadgen/report/document"
	report "loadgen/report/html"
)

// planted are names that would be more than names on a page that believed them.
var planted = []string{
	`<script>window.planted=1</script>`,
	`</script><script>window.planted=1</script>`,
	`</title></style><img src=x onerror="window.planted=1">`,
	`" onmouseover="window.planted=1" x="`,
	`{{.Title}} ${window.planted=1} javascript:window.planted=1`,
	`<!--<script>`, `]]>`, "\u2028window.planted=1", "&lt;b&gt; &amp; &#60;",
	"a\x1b[2J\x1b]0;owned\a\r\n\u202eb\u009b31m\xff\x00",
}

// hostile is a document that has a text everywhere where one may stand.
func hostile(text string, number float64) *document.Document {
	return &document.Document{
		Title: text, Subtitle: text, Warnings: []string{text},
		Answer: document.Answer{State: document.Saturates, Claim: text + " " + text, Number: text, Unit: text, Beside: text, Says: []string{text}},
		Screen: []document.Block{document.Facts{Lines: []string{text}}, document.Table{ID: text, Caption: text, Columns: []document.Column{{Title: text}, {Title: text}},
			Rows: [][]document.Cell{{{Text: text}, {Text: text, Bar: &document.Bar{Solid: 1, Hollow: number, Mark: 1, Full: 3}}}}}},
		Sections: []document.Section{{ID: text, Title: text, Blocks: []document.Block{
			document.Paragraph{Text: text, Lead: true, Tone: document.Bad},
			document.Paragraph{Text: text, Tone: document.Doubtful},
			document.Paragraph{Text: text, Verbatim: true},
			document.Paragraph{Text: text},
			document.List{Items: []string{text}},
			document.Table{ID: text, Caption: text, Notes: []string{text}, Columns: []document.Column{{Group: text, Title: text, Unit: text}, {Group: text, Title: text, Words: true}},
				Rows: [][]document.Cell{{{Text: text}, {Text: text, Tone: document.Good}}, {{Text: text}, {Text: text}}}},
			document.Table{ID: text, Caption: text, Notes: []string{text}, Columns: []document.Column{{Title: text, Unit: text}}, Rows: [][]document.Cell{{{Text: text}}}},
			document.Chart{ID: text, Title: text, Says: text},
			document.Series{ID: text, Title: text, Unit: text, Says: text, Seconds: []float64{0, 1, number, 3},
				Lines: []document.Line{{Name: text, Meaning: document.Meaning(text), Values: []*float64{new(1.), new(number), nil, new(2.)}}, {Name: text, Meaning: document.Throttled}},
				Level: &document.Level{Name: text, Value: number}, Marks: []document.Mark{{Second: 1, Text: text}, {Second: number, Text: text, Balance: true}}},
			document.Series{ID: text, Log: true, Seconds: []float64{number}, Lines: []document.Line{{Values: []*float64{new(number)}}}, Level: &document.Level{Value: number}},
		}}},
	}
}

// skeleton is the elements of a page, in order, with the names of their attributes.
func skeleton(root *html.Node) []string {
	var list []string
	for _, n := range all(root) {
		element := n.Data
		for _, a := range n.Attr {
			element += " " + a.Key
		}
		list = append(list, element)
	}
	return list
}

// checkHostile holds that a text stayed one: the page has the elements that it has with
// an innocent text, and says the text wherever it stands.
func checkHostile(t *testing.T, text string, number float64) {
	t.Helper()
	page := parsed(t, rendered(t, hostile(text, number), nil))
	innocent := parsed(t, rendered(t, hostile(strings.Map(harmless, report.Words(text)), number), nil))
	got, want := skeleton(page), skeleton(innocent)
	if !slices.Equal(got, want) {
		for i := range min(len(got), len(want)) {
			if got[i] != want[i] {
				t.Errorf("element %d is <%s>; want <%s>", i, got[i], want[i])
				break
			}
		}
		t.Errorf("%q makes %d elements of %d", text, len(got), len(want))
	}
	for _, n := range all(page, "script") {
		if attribute(n, "type") != "application/json" {
			continue
		}
		raw := n.FirstChild.Data
		assert.Falsef(t, strings.ContainsAny(raw, "<>&\u2028\u2029"), "the numbers of a series hold what ends a script: %q", raw)
		assert.Truef(t, json.Valid([]byte(raw)), "the numbers of a series are no JSON: %q", raw)
	}
	for _, n := range all(page) {
		for _, a := range n.Attr {
			for _, r := range a.Val {
				assert.Falsef(t, unicode.Is(unicode.Cf, r), "<%s %s> holds the invisible %U", n.Data, a.Key, r)
			}
		}
	}
	for _, r := range said(page) {
		assert.Truef(t, r == '\n' || r == '\t' || !unicode.In(r, unicode.Cc, unicode.Cf),
			"the page holds the invisible %U", r)
	}
}

// harmless keeps what decides on the layout, the length and where a sentence ends, and
// nothing that a page could take for anything but letters.
func harmless(r rune) rune {
	if r == '.' || r == ' ' || r == ';' || r >= 'A' && r <= 'Z' {
		return r
	}
	return 'x'
}

func TestPlantedTextStaysText(t *testing.T) {
	for _, text := range planted { // which FuzzRender checks, too
		page := rendered(t, hostile(text, 2), nil)
		assert.Truef(t, !strings.Contains(string(page), "window.planted=1</script>") && !strings.Contains(string(page), `<img`),
			"%q reached the page as it is", text)
	}
	page := said(parsed(t, rendered(t, hostile(planted[0], 2), nil)))
	// Title twice, subtitle, warning, contents, heading, 4 paragraphs, list, caption, note and cells …
	n := strings.Count(page, planted[0])
	assert.Truef(t, n >= 25, "the page says the planted script %d times; want it wherever a word stands", n)
	page = said(parsed(t, rendered(t, hostile(planted[len(planted)-1], 2), nil)))
	assert.Contains(t, page, `a\x1b[2J\x1b]0;owned\x07\x0d`+"\n"+`\u202eb\u009b31m\xff\x00`, "escape sequences are not written out")
}

func TestNumbersThatAreNone(t *testing.T) {
	for _, number := range []float64{0, -1, 1e-320, 1e308, -1e308, 1e15, math.MaxFloat64, math.NaN(), math.Inf(1), math.Inf(-1)} {
		checkHostile(t, "a", number)
		page := string(rendered(t, hostile("a", number), nil))
		found := regexp.MustCompile(`(NaN|[+-]?Inf)\b`).FindString(page[strings.Index(page, "<main"):strings.Index(page, "<footer")])
		assert.Truef(t, found == "", "with %v the page says %s", number, found)
	}
}

func FuzzRender(f *testing.F) {
	for i, text := range planted {
		f.Add(text, float64(i)*1e3)
	}
	f.Fuzz(func(t *testing.T, text string, number float64) {
		if len(text) > 1000 {
			text = text[:1000]
		}
		checkHostile(t, text, number)
	})
}
