package html_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	xhtml "golang.org/x/net/html"

	"loadgen/report/document"
	"loadgen/report/html"
)

func withPicture(svg string) ([]byte, error) {
	d := &document.Document{Title: "t", Sections: []document.Section{{ID: "s", Title: "s", Blocks: []document.Block{
		document.Chart{ID: "steps", Title: "Steps", Says: "They rise."},
	}}}}
	var page bytes.Buffer
	err := html.Render(&page, d, html.Options{Pictures: map[string][]byte{"steps": []byte(svg)}})
	return page.Bytes(), err
}

func TestPictureIsPutTogetherAnew(t *testing.T) {
	page, err := withPicture(picture)
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	for _, want := range []string{
		`<svg viewBox="0 0 750 300" role="img" aria-labelledby="chart-steps-name" aria-describedby="chart-steps-says">`,
		`<path fill="none" stroke="var(--ink-axis, #555555)" stroke-width="1" d="M60,40L720,40"></path>`,
		`<clipPath id="chart-steps-clip">`, `<g clip-path="url(#chart-steps-clip)">`, `href="data:image/png;base64,iVBOR`,
		`font-family="Liberation Sans"`, `>operations per second</text>`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	for _, odd := range []string{"xmlns", " style=", "<title>Latency", "Plotinum"} {
		if strings.Contains(text, odd) {
			t.Errorf("the page holds %s of the picture", odd)
		}
	}
}

func TestStyleCountsForMoreThanAttributes(t *testing.T) {
	page, err := withPicture(`<svg viewBox="0 0 1 1"><path fill="red" style="fill:blue" d="M0,0"/></svg>`)
	if err != nil || !strings.Contains(string(page), `<path fill="blue" d="M0,0">`) {
		t.Errorf("the path is not blue, or said to be red, too (%v)", err)
	}
}

func TestPicturesThatAreRefused(t *testing.T) {
	for _, row := range []struct{ name, inner string }{
		{"a script", `<script>x</script>`},
		{"a handler", `<path onclick="x" d="M0,0"/>`},
		{"a foreign object", `<foreignObject><p>x</p></foreignObject>`},
		{"a link", `<a href="#x"><path d="M0,0"/></a>`},
		{"a style sheet", `<style>p{}</style>`},
		{"an animation", `<animate attributeName="href"/>`},
		{"a use of something elsewhere", `<use href="other.svg#x"/>`},
		{"an image from elsewhere", `<image href="https://example.org/x.png"/>`},
		{"an image that is an SVG", `<image href="data:image/svg+xml;base64,AAAA"/>`},
		{"a paint from elsewhere", `<path style="fill:url(https://example.org/x#y)"/>`},
		{"a paint from elsewhere by an attribute", `<path fill="url(other.svg#y)"/>`},
		{"a style that loads", `<path style="background:url(x)"/>`},
		{"a style that is none of a shape's", `<path style="position:fixed"/>`},
		{"a second picture within", `<svg></svg>`},
		{"an identifier with a quotation mark", `<path id="a&quot;b"/>`},
		{"an element in a title", `<g><title><path d="M0,0"/></title></g>`},
		{"a name space", `<x:path xmlns:x="y"/>`},
		{"an instruction", `<?php x ?>`},
		{"what is not closed", `<g>`},
		{"what was not open", `</g>`},
		{"an entity", `<text>&unknown;</text>`},
	} {
		t.Run(row.name, func(t *testing.T) {
			page, err := withPicture(`<svg viewBox="0 0 1 1">` + row.inner + `</svg>`)
			if !errors.Is(err, html.ErrPicture) {
				t.Errorf("Render = %v; want it to wrap %v", err, html.ErrPicture)
			}
			if len(page) > 0 {
				t.Errorf("%d bytes of a page were written; want none", len(page))
			}
			o := html.Options{Pictures: map[string][]byte{"a": []byte(row.inner), "b": []byte(picture), "c": nil}}
			if faults := o.Validate(); len(faults) != 2 {
				t.Errorf("Validate = %q; want a fault of each of two pictures", faults)
			}
		})
	}
	for _, row := range []struct{ name, file string }{
		{"nothing", ""}, {"no SVG", "<html></html>"}, {"two", `<svg viewBox="0 0 1 1"></svg><svg viewBox="0 0 1 1"></svg>`},
		{"no size", "<svg></svg>"}, {"a declaration of entities", `<!DOCTYPE svg [<!ENTITY a "b">]><svg viewBox="0 0 1 1"></svg>`},
		{"a size with more in it", `<svg viewBox="0 0 1 1&quot; onload=&quot;x"></svg>`},
	} {
		t.Run(row.name, func(t *testing.T) {
			if _, err := withPicture(row.file); !errors.Is(err, html.ErrPicture) {
				t.Errorf("Render = %v; want it to wrap %v", err, html.ErrPicture)
			}
		})
	}
}

func TestChartNamedTwiceShowsItsPictureOnce(t *testing.T) {
	d := stress(3)
	d.Sections = append(d.Sections, d.Sections[2])
	root := parsed(t, rendered(t, d, map[string][]byte{"steps": []byte(picture)}))
	if n := strings.Count(said(root), "operations per second"); n != 1 {
		t.Errorf("the picture is there %d times; want once", n)
	}
	if n := strings.Count(said(root), "This chart was not drawn."); n != 3 {
		t.Errorf("%d charts are said not to be drawn; want 3", n)
	}
}

// FuzzPicture holds that whatever is taken in is shapes and nothing else, however a
// browser reads it.
func FuzzPicture(f *testing.F) {
	f.Add([]byte(picture))
	f.Add([]byte(`<svg viewBox="0 0 1 1"><text style="fill:#000">&lt;/svg>&lt;script></text><title>x</title></svg>`))
	f.Add([]byte(`<svg viewBox="0 0 1 1"><desc><g><path d="&quot;&gt;&lt;script&gt;"/></g></desc></svg>`))
	f.Fuzz(func(t *testing.T, file []byte) {
		page, err := withPicture(string(file))
		if err != nil {
			if !errors.Is(err, html.ErrPicture) || len(page) > 0 {
				t.Fatalf("Render = %v and %d bytes; want nothing written", err, len(page))
			}
			return
		}
		root := parsed(t, page)
		if scripts := len(all(root, "script")); scripts != 1 {
			t.Fatalf("%q makes %d scripts; want the page's own", file, scripts)
		}
		for _, svg := range all(root, "svg") {
			for n := range svg.Descendants() {
				if n.Type == xhtml.ElementNode && n.Namespace != "svg" {
					t.Fatalf("%q makes an element %s outside the picture's name space", file, n.Data)
				}
				for _, a := range n.Attr {
					if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "href" && !strings.HasPrefix(a.Val, "data:image/png;base64,") {
						t.Fatalf("%q makes an attribute %s=%q", file, a.Key, a.Val)
					}
				}
			}
		}
		if len(all(root, "footer")) != 1 {
			t.Fatalf("%q swallows what follows it", file)
		}
	})
}
