package chart_test

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"image"
	"image/png"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"

	"loadgen/results/resultstest"
)

// picture is what a test reads out of an SVG: upright texts and filled
// rectangles, in points from the lower left corner.
type picture struct {
	texts    []words
	boxes    []box
	images   []picturedCells
	tall     float64
	elements map[string]int
}

type words struct {
	text string
	box
}

type box struct {
	fill                     string
	left, bottom, right, top float64
}

var (
	rectangle = regexp.MustCompile(`^M([-\d.e]+),([-\d.e]+)L([-\d.e]+),[-\d.e]+L[-\d.e]+,([-\d.e]+)L[-\d.e]+,[-\d.e]+Z$`)
	filled    = regexp.MustCompile(`^fill:(#[0-9A-F]{6})$`)
	written   = regexp.MustCompile(`font-weight:(\w+);font-style:normal;font-size:([\d.]+)px`)
)

// look parses an SVG strictly.
func look(t *testing.T, file []byte) picture {
	t.Helper()
	seen := picture{elements: make(map[string]int)}
	walk(t, file, func(name, content string, depth int, attributes map[string]string) {
		seen.elements[name]++
		switch name {
		case "svg":
			_, tall, _ := strings.Cut(attributes["viewBox"], "0 0 750 ")
			seen.tall, _ = strconv.ParseFloat(tall, 64)
		case "image":
			seen.addImage(t, attributes)
		case "path":
			seen.addPath(attributes)
		case "text":
			// The first group turns the page upright, the next ones a text aside.
			if depth == 1 {
				seen.texts = append(seen.texts, measured(t, content, attributes))
			}
		}
	})
	return seen
}

// walk calls visit with each element of a file that is XML: its name, the text that it begins
// with, in how many groups it lies, and its attributes.
func walk(t *testing.T, file []byte, visit func(name, content string, depth int, attributes map[string]string)) {
	t.Helper()
	depth := 0
	for decoder := xml.NewDecoder(bytes.NewReader(file)); ; {
		token, err := decoder.Token()
		if err == io.EOF {
			return
		}
		require.NoErrorf(t, err, "this is no XML: %v", err)
		switch e := token.(type) {
		case xml.EndElement:
			if e.Name.Local == "g" {
				depth--
			}
		case xml.StartElement:
			if e.Name.Local == "g" {
				depth++
			}
			attributes := make(map[string]string)
			for _, a := range e.Attr {
				attributes[a.Name.Local] = a.Value
			}
			content := ""
			if e.Name.Local == "text" {
				if next, err := decoder.Token(); err == nil {
					letters, _ := next.(xml.CharData)
					content = string(letters)
				}
			}
			visit(e.Name.Local, content, depth, attributes)
		}
	}
}

// picturedCells is an image within an SVG, and where it lies.
type picturedCells struct {
	image.Image
	box
}

func (p *picture) addImage(t *testing.T, attributes map[string]string) {
	t.Helper()
	encoded, is := strings.CutPrefix(attributes["href"], "data:image/png;base64,")
	assert.Truef(t, is && attributes["image-rendering"] == "pixelated" && attributes["preserveAspectRatio"] == "none",
		"an image refers to %.30q and is drawn as %q, %q", attributes["href"], attributes["image-rendering"], attributes["preserveAspectRatio"])
	file, err := base64.StdEncoding.DecodeString(encoded)
	require.NoError(t, err)
	cells, err := png.Decode(bytes.NewReader(file))
	require.NoError(t, err)
	number := func(name string) float64 { v, _ := strconv.ParseFloat(attributes[name], 64); return v }
	low := -number("y") - number("height")
	p.images = append(p.images, picturedCells{cells, box{"", number("x"), low, number("x") + number("width"), low + number("height")}})
}

// rasters returns the images but for the colour bars, which are a line high and lie among
// words.
func (p *picture) rasters() []picturedCells {
	var list []picturedCells
	for _, i := range p.images {
		if i.top-i.bottom > 10 {
			list = append(list, i)
		}
	}
	return list
}

func (p *picture) addPath(attributes map[string]string) {
	colour := filled.FindStringSubmatch(attributes["style"])
	corners := rectangle.FindStringSubmatch(attributes["d"])
	if colour == nil || corners == nil {
		return
	}
	var at [4]float64
	for i := range at {
		at[i], _ = strconv.ParseFloat(corners[i+1], 64)
	}
	p.boxes = append(p.boxes, box{colour[1], at[0], at[1], at[2], at[3]})
}

// measured returns a text with the box of its letters, by the font's own widths.
func measured(t *testing.T, content string, attributes map[string]string) words {
	t.Helper()
	style := written.FindStringSubmatch(attributes["style"])
	require.Truef(t, style != nil, "text %q has the style %q", content, attributes["style"])
	size, _ := strconv.ParseFloat(style[2], 64)
	x, _ := strconv.ParseFloat(attributes["x"], 64)
	y, _ := strconv.ParseFloat(attributes["y"], 64)
	face := font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Length(size)}
	if style[1] == "bold" {
		face.Weight = 3
	}
	width := text.Style{Font: face, Handler: plot.DefaultTextHandler}.Width(content)
	if held, _ := strconv.ParseFloat(attributes["textLength"], 64); held < float64(width)*.999 || held > float64(width)*1.001 {
		t.Errorf("text %q is held to a length of %v; want %v", content, attributes["textLength"], float64(width))
	}
	return words{content, box{"", x, -y - 0.2*size, x + float64(width), -y + 0.75*size}}
}

// rectangles returns the filled rectangles of a colour but for the sample of the
// legend, a square of nine points.
func (p *picture) rectangles(colour string) []box {
	var list []box
	for _, b := range p.boxes {
		if b.fill == colour && fmt.Sprintf("%.1f %.1f", b.right-b.left, b.top-b.bottom) != "9.0 9.0" {
			list = append(list, b)
		}
	}
	return list
}

// says reports whether some text of the picture holds these words.
func (p *picture) says(part string) bool {
	for _, w := range p.texts {
		if strings.Contains(w.text, part) {
			return true
		}
	}
	return false
}

// checkWords checks what the texts of the picture say.
func (p *picture) checkWords(t *testing.T, name, words string) {
	t.Helper()
	var all strings.Builder
	for _, w := range p.texts {
		all.WriteString(w.text + "\n")
	}
	resultstest.CheckWords(t, name, all.String(), words)
}

// checkTexts fails where texts cover one another or leave the page.
func (p *picture) checkTexts(t *testing.T, name string) {
	t.Helper()
	for i, w := range p.texts {
		assert.Truef(t, w.left >= 0 && w.right <= 750 && w.bottom >= 0 && w.top <= p.tall,
			"%s: text %q leaves the page: %+v", name, w.text, w.box)
		for _, other := range p.texts[:i] {
			if w.left < other.right && other.left < w.right && w.bottom < other.top && other.bottom < w.top {
				t.Errorf("%s: text %q covers %q", name, w.text, other.text)
			}
		}
	}
}
