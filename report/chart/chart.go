package chart

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"html/template"
	"image"
	"image/png"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"loadgen/report/document"
	"loadgen/results"
)

// A chart is 1000 × 600 pixels on a page of 96 pixels per inch; the PNG has one and a half times as many each way, for
// a projector.
const (
	dotsPerInch             = 144
	fullWidth     vg.Length = 750
	defaultHeight vg.Length = 450
	// narrowWidth is the width of a chart in a narrow column, whose letters are then large enough, also on a telephone.
	narrowWidth vg.Length = 360
)

// Axis is the kind of a scale. It selects the vertical axis of response and percentiles, and the colours of heat; empty
// selects the best of each: a logarithmic axis of time, and linear colours. Other charts ignore it.
type Axis string

// The axes.
const (
	Linear      Axis = "linear"
	Logarithmic Axis = "log"
)

// drawing is a chart of a record: the name of its files, and its heading if the record has no data for a title. Draw
// returns nil if the record has no data for the chart.
type drawing struct {
	name, heading string
	draw          func(*results.Record, Axis) *Figure
}

func drawings() []drawing {
	return []drawing{
		{"latency", "Response times", latencyFigure},
		{"throttle", "Entities served per second", throttleFigure},
		{"waits", "Waits before retries", waitsFigure},
		{"steps", "Offered and served, by step", stepsFigure},
		{"percentiles", "Response and service times by operation", percentilesFigure},
		{"response", "Response times", responseFigure},
		{"heat", "Load by partition", heatFigure},
	}
}

// Names returns the names of all charts of a record, in the order in which they are drawn.
func Names() (names []string) {
	for _, d := range drawings() {
		names = append(names, d.name)
	}
	return names
}

// Figures returns the charts that a record has data for.
func Figures(record *results.Record, axis Axis) (list []*Figure) {
	for _, d := range drawings() {
		if f := d.draw(record, axis); f != nil {
			f.Name, f.subtitle = d.name, joinPhrases("subtitle", partSeparator, evidence{record})
			f.Title = cmp.Or(joinPhrases("title "+d.name, ", ", evidence{record}), d.heading)
			list = append(list, f)
		}
	}
	return list
}

// Find returns the figure with a name, nil if there is none.
func Find(figures []*Figure, name string) *Figure {
	if at := slices.IndexFunc(figures, func(f *Figure) bool { return f.Name == name }); at >= 0 {
		return figures[at]
	}
	return nil
}

// Save writes figures under their names, as PNG and SVG, and returns the names of the files. Its error wraps
// results.ErrWrite, and comes with the names written before.
func Save(folder results.Folder, figures ...*Figure) (files []string, err error) {
	for _, f := range figures {
		for _, file := range []string{f.Name + ".png", f.Name + ".svg"} {
			if err := f.SaveAs(folder, file); err != nil {
				return files, err
			}
			files = append(files, file)
		}
	}
	return files, nil
}

// SaveAs writes the figure into a file, as SVG or PNG by the extension of its name. Its error wraps results.ErrWrite.
func (f *Figure) SaveAs(folder results.Folder, name string) error {
	encode := encodePNG
	if strings.EqualFold(filepath.Ext(name), ".svg") {
		encode = encodeSVG
	}
	file, err := encode(f)
	if err == nil {
		err = folder.Replace(name, file)
	}
	if err != nil {
		return fmt.Errorf("%w: chart %s: %w", results.ErrWrite, name, err)
	}
	return nil
}

// pixels is a canvas of pixels that draws the cells of a picture with sharp edges. The library blurs them.
type pixels struct{ *vgimg.Canvas }

// DrawImage implements vg.Canvas.
func (p pixels) DrawImage(box vg.Rectangle, cells image.Image) {
	sheet, from := p.Image(), cells.Bounds()
	dots := func(v vg.Length) int { return int(v.Dots(p.DPI()) + .5) }
	low := sheet.Bounds().Max.Y
	at := image.Rect(dots(box.Min.X), low-dots(box.Max.Y), dots(box.Max.X), low-dots(box.Min.Y))
	for y := range at.Dy() {
		line := from.Min.Y + y*from.Dy()/at.Dy()
		for x := range at.Dx() {
			sheet.Set(at.Min.X+x, at.Min.Y+y, cells.At(from.Min.X+x*from.Dx()/at.Dx(), line))
		}
	}
}

func encodePNG(f *Figure) ([]byte, error) {
	canvas := vgimg.NewWith(vgimg.UseWH(f.width, f.height), vgimg.UseDPI(dotsPerInch))
	f.draw(draw.New(pixels{canvas}))
	var file bytes.Buffer
	// The best compression would take twice the time to save a thirtieth.
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	err := encoder.Encode(&file, canvas.Image())
	return file.Bytes(), err
}

// fonts are the fonts of SVG, because the file contains none.
const fonts = "'Liberation Sans',Arial,Helvetica,sans-serif"

// vectors is a canvas of an SVG that records the length of each text in the font of the PNG.
type vectors struct {
	*vgsvg.Canvas
	lengths []vg.Length
}

// FillString implements vg.Canvas.
func (v *vectors) FillString(face font.Face, at vg.Point, words string) {
	v.lengths = append(v.lengths, face.Width(words))
	v.Canvas.FillString(face, at, words)
}

// elements returns the elements of the figure as the library writes them, but with pictures as PNG and sharp, which the
// library declares as JPEG, and each text with its length, so that a wider font covers nothing. The head is what the
// library writes before them. A text of the record cannot match any of the replaced text, which has line breaks or
// quotation marks that are not escaped.
func elements(f *Figure) (head, body []byte, err error) {
	canvas := &vectors{Canvas: vgsvg.New(f.width, f.height)}
	f.draw(draw.New(canvas))
	var file bytes.Buffer
	if _, err = canvas.WriteTo(&file); err != nil {
		return nil, nil, err
	}
	const opened, jpeg = "1999/xlink\">\n", `xlink:href="data:image/jpg;`
	const sharp = `preserveAspectRatio="none" image-rendering="pixelated" xlink:href="data:image/png;`
	head, body, _ = bytes.Cut(bytes.ReplaceAll(file.Bytes(), []byte(jpeg), []byte(sharp)), []byte(opened))
	next := 0
	body = regexp.MustCompile(`<text `).ReplaceAllFunc(body, func(match []byte) []byte {
		length := document.Plainly(document.Rounded(canvas.lengths[next].Points(), 5))
		next++
		return fmt.Appendf(nil, `%stextLength="%s" lengthAdjust="spacingAndGlyphs" `, match, length)
	})
	return slices.Concat(head, []byte(opened)), body, nil
}

// encodeSVG returns the figure as SVG, with a title for screen readers.
func encodeSVG(f *Figure) ([]byte, error) {
	head, body, err := elements(f)
	title := fmt.Appendf(nil, "<title>%s</title>\n", html.EscapeString(f.Title+" ("+f.subtitle+")"))
	const styled = "\n\tstyle=\"font-family:"
	return slices.Concat(head, title, bytes.ReplaceAll(body, []byte(styled+"Liberation Sans;"), []byte(styled+fonts+";"))), err
}

// inks returns the names of the colours of the palette that a page can set. The target has the colour of text.
func inks() map[ink]string {
	return map[ink]string{
		servedInk: "served", getInk: "get", putInk: "put", otherInk: "other", throttledInk: "throttled", lostInk: "lost",
		failedInk: "failed", generatorInk: "generator", textInk: "text", fadedInk: "faded", eventInk: "event",
		nightInk: "night", axisInk: "axis", gridInk: "grid", paperInk: "paper",
	}
}

// hex returns a colour as CSS writes it.
func (i ink) hex() string { return fmt.Sprintf("#%06X", uint32(i)) }

// Inline returns the figure as an SVG element for a page, with inks that the page may set as custom properties such as
// --ink-text. It has no style attribute, which a strict content policy rejects, and no identifier, so that a page may
// contain several, and no title, which the page writes. Narrow draws for a narrow column.
func (f *Figure) Inline(narrow bool) (template.HTML, error) {
	inline := *f
	inline.bare, inline.width, inline.height = true, cmp.Or(f.pageWidth, f.width), f.height-titleRoom
	if narrow {
		inline.width, inline.height = narrowWidth, narrowWidth*(.4+.2*vg.Length(max(2, len(f.panels))))
	}
	_, body, err := elements(&inline)
	if err != nil {
		return "", err
	}
	variables := make(map[string]string)
	for colour, name := range inks() {
		variables[colour.hex()] = "var(--ink-" + name + "," + colour.hex() + ")"
	}
	styled := regexp.MustCompile(`\s+style="([^"]*)"`)
	body = styled.ReplaceAllFunc(body, func(match []byte) []byte {
		return attributes(string(styled.FindSubmatch(match)[1]), variables)
	})
	class := ""
	if !narrow {
		class = ` class="wide"`
	}
	return template.HTML(fmt.Sprintf("<svg%s role=\"img\" aria-label=\"%s\" viewBox=\"0 0 %v %v\" "+
		"xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\">\n%s",
		class, html.EscapeString(f.Title), float64(inline.width), float64(inline.height), body)), nil
}

// attributes returns the declarations of a style as attributes of their own, which take variables as well and which a
// content policy accepts.
func attributes(style string, variables map[string]string) []byte {
	var list []byte
	for declaration := range strings.SplitSeq(style, ";") {
		property, value, _ := strings.Cut(declaration, ":")
		if variable, is := variables[value]; is {
			value = variable
		}
		switch property {
		case "font-variant", "font-style":
			continue // the default
		case "font-family":
			value = fonts
		}
		list = fmt.Appendf(list, " %s=\"%s\"", property, value)
	}
	return list
}
