package html_test

import (
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"loadgen/report/document"
)

// room is the page of a document with an awkward table of each kind.
func room(t *testing.T) *html.Node {
	t.Helper()
	d := stress(30)
	d.Sections = append(d.Sections, document.Section{ID: "odd", Title: "Odd", Blocks: []document.Block{
		document.Table{ID: "none", Caption: "Nothing", Columns: []document.Column{{Title: "a"}, {Title: "b"}}},
		document.Table{ID: "ragged", Columns: []document.Column{{Title: ""}, {Title: "b", Group: "g", Unit: "ms"}}, Rows: [][]document.Cell{{{Text: "1"}}, {{Text: "1"}, {Text: "2"}, {Text: "3"}}, {}}},
		document.Table{ID: "none", Rows: [][]document.Cell{{{Text: "x"}}}},
	}})
	return parsed(t, rendered(t, d, drawn()))
}

func TestLandmarksAndHeadings(t *testing.T) {
	root := room(t)
	for _, name := range []string{"main", "nav", "header", "footer", "h1", "title"} {
		assert.Lenf(t, all(root, name), 1, "the page has of <%s>", name)
	}
	last := 0
	for _, h := range all(root, "h1", "h2", "h3", "h4", "h5", "h6") {
		rank := int(h.Data[1] - '0')
		assert.Truef(t, rank <= last+1 && (rank != 1 || last == 0) && strings.TrimSpace(said(h)) != "",
			"<%s> %q follows a heading of rank %d", h.Data, said(h), last)
		last = rank
	}
	first := all(root, "a")[0]
	assert.Truef(t, attribute(first, "class") == "skip" && attribute(first, "href") == "#main",
		"the first link is %q to %q; want one that skips to #main", said(first), attribute(first, "href"))
	assert.Equal(t, "en", attribute(all(root, "html")[0], "lang"), "the page does not say its language")
	identifiers := map[string]bool{}
	for _, n := range all(root) {
		if id := attribute(n, "id"); id != "" {
			assert.Falsef(t, identifiers[id], "the identifier %q is there twice", id)
			identifiers[id] = true
		}
	}
	for _, n := range all(root) {
		for _, key := range []string{"aria-labelledby", "aria-describedby", "data-copies"} {
			for _, id := range strings.Fields(attribute(n, key)) {
				assert.Truef(t, identifiers[id], "<%s %s=%q> names nothing", n.Data, key, id)
			}
		}
		target, inside := strings.CutPrefix(attribute(n, "href"), "#")
		assert.Truef(t, !inside || identifiers[target], "a link leads to #%s, which is not there", target)
	}
}

func TestTablesCanBeHeard(t *testing.T) {
	root := room(t)
	tables := all(root, "table")
	require.Len(t, tables, 6, "the page has tables")
	for _, table := range tables {
		name := attribute(table, "id")
		assert.Equalf(t, name+"-caption", attribute(table, "aria-labelledby"), "table %s has no caption", name)
		for _, th := range all(table, "th") {
			assert.Truef(t, slices.Contains([]string{"col", "colgroup", "row"}, attribute(th, "scope")),
				"table %s: the heading %q has the scope %q", name, said(th), attribute(th, "scope"))
			assert.Truef(t, th.Parent.Parent.Data != "thead" || strings.TrimSpace(said(th)) != "",
				"table %s: a column has no heading", name)
		}
		width := 0 // a group's columns have headings of their own
		for _, th := range all(all(table, "thead")[0], "th") {
			if attribute(th, "scope") == "col" {
				width++
			}
		}
		for _, row := range all(all(table, "tbody")[0], "tr") {
			got := 0
			for _, c := range all(row, "th", "td") {
				span, _ := strconv.Atoi(attribute(c, "colspan"))
				got += max(1, span)
			}
			if first := all(row, "th", "td")[0]; attribute(first, "scope") != "row" && said(first) != "none" {
				t.Errorf("table %s: %q does not head its row", name, said(first))
			}
			assert.Equalf(t, width, got, "table %s has a row of %d cells below %d columns", name, got, width)
		}
		if region := table.Parent; attribute(region, "role") != "region" || attribute(region, "tabindex") != "0" || attribute(region, "aria-labelledby") == "" {
			t.Errorf("table %s does not stand in a region that the keyboard can scroll", name)
		}
	}
}

// tokens returns the colours of the style: those of the light, overlaid in the dark.
func tokens(t *testing.T) (light, dark map[string]string) {
	css, err := os.ReadFile("page.css")
	require.NoError(t, err)
	blocks := regexp.MustCompile(`(?s):root \{(.*?)\}`).FindAllStringSubmatch(string(css), -1)
	require.Len(t, blocks, 2, "the style has blocks of colours")
	light, dark = map[string]string{}, map[string]string{}
	for i, block := range blocks {
		for _, token := range regexp.MustCompile(`--([a-z0-9-]+): (#[0-9a-f]{6});`).FindAllStringSubmatch(block[1], -1) {
			if i == 0 {
				light[token[1]] = token[2]
			}
			dark[token[1]] = token[2]
		}
	}
	return light, dark
}

// contrast is the ratio of WCAG 2: of the lighter to the darker relative luminance.
func contrast(a, b string) float64 {
	luminance := func(colour string) float64 {
		bits, _ := strconv.ParseUint(colour[1:], 16, 32)
		sum := 0.0
		for i, weight := range []float64{.2126, .7152, .0722} {
			c := float64(bits>>(16-8*i)&0xFF) / 255
			if c <= .04045 {
				c /= 12.92
			} else {
				c = math.Pow((c+.055)/1.055, 2.4)
			}
			sum += weight * c
		}
		return sum
	}
	x, y := luminance(a)+.05, luminance(b)+.05
	return max(x/y, y/x)
}

func TestContrast(t *testing.T) {
	require.InDelta(t, 4.54, contrast("#767676", "#ffffff"), .01, "contrast of #767676 and white")
	light, dark := tokens(t)
	for theme, of := range map[string]map[string]string{"light": light, "dark": dark} {
		for _, row := range []struct {
			least       float64
			above, inks string
		}{
			{4.5, "paper", "ink faded link good bad doubtful target event"},
			{4.5, "raised", "ink faded"},
			{4.5, "good-paper", "ink"},
			{4.5, "bad-paper", "ink"},
			{4.5, "doubtful-paper", "ink"},
			{3, "paper", "served throttled failed offered returned first second third rule"},
			// The sign of a tone is the paper's colour upon the tone's.
			{3, "good-paper", "good"},
			{3, "bad-paper", "bad"},
			{3, "doubtful-paper", "doubtful"},
		} {
			for _, ink := range strings.Fields(row.inks) {
				require.Truef(t, of[ink] != "" && of[row.above] != "", "no colour --%s or --%s", ink, row.above)
				if got := contrast(of[ink], of[row.above]); got < row.least {
					t.Errorf("%s: --%s on --%s has the contrast %.2f; want %.1f", theme, ink, row.above, got, row.least)
				}
			}
		}
	}
	assert.Truef(t, light["ink"] != dark["ink"] && light["served"] == "#0072b2" && light["throttled"] == "#d55e00" && light["failed"] == "#6f5a7e",
		"the colours are not those of the charts: %v", light)
}

// TestEveryColourIsAToken holds that nothing is drawn in a colour that the contrast test
// does not know.
func TestEveryColourIsAToken(t *testing.T) {
	css, err := os.ReadFile("page.css")
	require.NoError(t, err)
	rest := regexp.MustCompile(`(?s):root \{.*?\}`).ReplaceAllString(string(css), "")
	found := regexp.MustCompile(`#[0-9a-fA-F]{3,8}\b|rgba?\(|hsla?\(`).FindAllString(rest, -1)
	assert.Emptyf(t, found, "the style has the colours %q outside its tokens", found)
	light, _ := tokens(t)
	for _, use := range regexp.MustCompile(`var\(--([a-z0-9-]+)\)`).FindAllStringSubmatch(rest, -1) {
		assert.Truef(t, light[use[1]] != "", "the style uses --%s, which is no token", use[1])
	}
}

// Pictures and figures have names, and a tone has a sign and a word beside its colour.
func TestPicturesAndTonesHaveWords(t *testing.T) {
	root, pictures, toned := room(t), 0, 0
	for _, svg := range all(root, "svg") {
		if attribute(svg, "aria-hidden") != "true" {
			pictures++
			assert.Truef(t, attribute(svg, "role") == "img" && attribute(svg, "aria-label") != "", "a picture has no name: %v", svg.Attr)
		}
	}
	for _, figure := range all(root, "figure") {
		named := attribute(figure, "aria-labelledby") != "" && len(all(figure, "h3")) == 1
		assert.Truef(t, named, "figure %s has no name", attribute(figure, "id"))
	}
	for _, n := range all(root, "td", "p", "div") {
		for class, sign := range map[string]string{"good": "✓", "bad": "✗", "doubtful": "?"} {
			if slices.Contains(strings.Fields(attribute(n, "class")), class) {
				toned++
				assert.Contains(t, said(n), sign, class)
				assert.Truef(t, n.Data == "p" || strings.Contains(said(n), class+": "), "%q does not say %s", said(n), class)
			}
		}
	}
	assert.Equal(t, 2, pictures, "pictures: each chart once")
	assert.GreaterOrEqual(t, toned, 5, "words with a tone: the answer, a badge and three results")
}
