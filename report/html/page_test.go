package html_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"loadgen/report/document"
	"loadgen/results/resultstest"
)

// parsed returns the tree of a page.
func parsed(t testing.TB, page []byte) *html.Node {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(page))
	require.NoError(t, err)
	return root
}

// all returns the elements of those names, all where none is given, in order.
func all(root *html.Node, names ...string) (found []*html.Node) {
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if len(names) == 0 || slices.Contains(names, n.Data) {
			found = append(found, n)
		}
	}
	return found
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// said returns the text within an element, that of scripts and styles left out.
func said(n *html.Node) string {
	var text strings.Builder
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.TextNode {
			text.WriteString(n.Data)
		}
		if n.DataAtom == atom.Script || n.DataAtom == atom.Style {
			return
		}
		for c := range n.ChildNodes() {
			walk(c)
		}
	}
	walk(n)
	return text.String()
}

func TestPageIsAsItWas(t *testing.T) {
	page := string(rendered(t, stress(12), drawn()))
	for _, bulky := range []string{"style", "script"} {
		page = regexp.MustCompile(`(?s)<`+bulky+`>.*?</`+bulky+`>`).ReplaceAllString(page, "<"+bulky+">…</"+bulky+">")
	}
	page = regexp.MustCompile(`sha256-.*?&#39;`).ReplaceAllString(page, "sha256-…&#39;")
	resultstest.CheckGolden(t, "testdata/stress.golden.html", page)
}

func TestPageLeadsNowhere(t *testing.T) {
	root := parsed(t, rendered(t, stress(60), drawn()))
	checked := 0
	for _, n := range all(root) {
		for _, a := range n.Attr {
			assert.Truef(t, !strings.HasPrefix(a.Key, "on") && a.Key != "style",
				"<%s> has an attribute %s=%q, which the policy forbids", n.Data, a.Key, a.Val)
			switch a.Key {
			case "href", "src", "srcset", "action", "data", "poster", "cite", "background", "ping", "formaction", "manifest":
				checked++
				if !strings.HasPrefix(a.Val, "#") && !strings.HasPrefix(a.Val, "data:") {
					t.Errorf("<%s %s=%q> leads out of the page", n.Data, a.Key, a.Val)
				}
			}
			assert.Truef(t, !strings.Contains(a.Val, "url(") || strings.HasPrefix(a.Val, "url(#"),
				"<%s %s=%q> leads out of the page", n.Data, a.Key, a.Val)
		}
	}
	assert.Truef(t, checked >= 8,
		"looked at %d references; want those of the contents, the icon and the pictures at least", checked)
	for _, style := range all(root, "style") {
		if css := style.FirstChild.Data; strings.Contains(css, "url(") || strings.Contains(css, "@import") {
			t.Error("the style leads out of the page")
		}
	}
	for _, script := range all(root, "script") {
		for _, call := range []string{"fetch(", "XMLHttpRequest", "WebSocket", "sendBeacon", "EventSource", "importScripts", "import("} {
			assert.NotContainsf(t, script.FirstChild.Data, call, "a script calls %s", call)
		}
	}
	for _, odd := range all(root, "iframe", "object", "embed", "base", "form", "img", "audio", "video") {
		t.Errorf("the page has an element %s", odd.Data)
	}
}

func TestPolicyNamesScriptsAndStyleAndNoMore(t *testing.T) {
	for _, row := range []struct {
		name    string
		of      *document.Document
		scripts int
	}{
		{"with series, two scripts", stress(20), 2},
		{"without series, nothing draws", &document.Document{Title: "Nothing"}, 1},
	} {
		root := parsed(t, rendered(t, row.of, nil))
		var content string
		for _, meta := range all(root, "meta") {
			if attribute(meta, "http-equiv") == "Content-Security-Policy" {
				content = attribute(meta, "content")
			}
		}
		want, scripts := "default-src 'none'; script-src", 0
		for _, script := range all(root, "script") {
			if attribute(script, "type") == "" {
				want += " " + hashed(script.FirstChild.Data)
				scripts++
			}
		}
		page := string(rendered(t, row.of, nil))
		before := page[:strings.Index(page, "Content-Security-Policy")]
		assert.NotRegexp(t, "<(style|script|link|title)", before, "what stands before the policy")
		styles := all(root, "style")
		require.Truef(t, len(styles) == 1 && scripts == row.scripts,
			"%s: %d styles and %d scripts; want 1 and %d", row.name, len(styles), scripts, row.scripts)
		want += "; style-src " + hashed(styles[0].FirstChild.Data) + "; img-src data:; base-uri 'none'; form-action 'none'"
		assert.Equalf(t, want, content, "%s: policy", row.name)
	}
}

func hashed(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func TestVendoredFilesAreUnaltered(t *testing.T) {
	readme, err := os.ReadFile("uplot/README.md")
	require.NoError(t, err)
	for name, want := range map[string]string{
		"uPlot.iife.min.js": "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
		"uPlot.min.css":     "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
	} {
		content, err := os.ReadFile("uplot/" + name)
		require.NoError(t, err)
		sum := sha256.Sum256(content)
		assert.Equalf(t, want, hex.EncodeToString(sum[:]), "%s has the SHA-256", name)
		assert.Containsf(t, string(readme), want+"  "+name, "uplot/README.md does not say that %s has %s", name, want)
	}
}

func TestLongestReportIsSmall(t *testing.T) {
	page := rendered(t, stress(86_400), drawn())
	got := len(page)
	assert.Truef(t, got <= 1_500_000, "the page of a day has %d bytes; want at most 1,500,000", got)
	// 86,400 instants of 9 lines and 3 axes are 1,036,800 numbers, of 100,000 that fit.
	assert.Contains(t, said(parsed(t, page)), "Each 22 instants",
		"the page of a day does not say that 22 instants are merged into two, or merges more than it has to")
}
