package chart

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"html/template"
	"image/png"
	"regexp"
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"loadgen/report/document"
	"loadgen/results"
)

// A chart is 1000 × 600 pixels on a page, as a page counts 96 to the inch; the
// PNG has one and a half times as many each way, for a projector.
const (
	dotsPerInch           = 144
	width       vg.Length = 750
	height      vg.Length = 450
	// narrow is how wide a chart is that stands beside an answer, also on a telephone: its
	// letters are then large enough.
	narrow vg.Length = 360
)

// DrawAs writes the charts that are chosen, else each of which the record has something to show,
// as PNG and SVG or in the form that is chosen into the folder and returns the names of the
// files. Its error wraps [ErrOptions] or results.ErrWrite, and comes with the names written before.
func DrawAs(folder results.Folder, record *results.Record, o Options) ([]string, error) {
	if faults := o.Validate(); len(faults) > 0 {
		return nil, fmt.Errorf("%w: %w", ErrOptions, errors.Join(faults...))
	}
	var drawn []drawing
	for _, chart := range charts() {
		if len(o.Charts) == 0 && chart.some(record) || slices.Contains(o.Charts, chart.name) {
			figure, err := pictured(chart.name, record, &Options{Axis: o.Axis})
			if err != nil {
				return nil, err
			}
			drawn = append(drawn, drawing{chart.name, figure})
		}
	}
	return save(folder, drawn, o.Form)
}

// Inline returns one of the charts of [Names] as an SVG element for a page: on the page's
// own paper, with inks that the page may set as custom properties such as --ink-text, and
// without a single style attribute or identifier, so that a strict content policy has
// nothing to object to and a page may hold several. Its title is [Title], which the page
// says. Its error wraps [ErrOptions].
func Inline(name string, record *results.Record, o Options) (template.HTML, error) {
	figure, err := pictured(name, record, &o)
	if err != nil {
		return "", err
	}
	if o.Narrow {
		figure.width, figure.height = narrow, 0
	}
	return encodeInline(figure)
}

// Title returns what one of the charts of [Names] shows of a record, in a few words and
// figures; empty where there is no such chart.
func Title(name string, record *results.Record) string {
	figure, err := pictured(name, record, &Options{})
	if err != nil {
		return ""
	}
	return figure.title
}

func pictured(name string, record *results.Record, o *Options) (*figure, error) {
	o.Charts = []string{name}
	if faults := o.Validate(); len(faults) > 0 {
		return nil, fmt.Errorf("%w: %w", ErrOptions, errors.Join(faults...))
	}
	for _, chart := range charts() {
		if chart.name == name {
			figure := chart.figure(record, o)
			if said := title(name, record); said != "" {
				figure.title = said
			}
			return figure, nil
		}
	}
	panic("chart: a name that is valid has no chart")
}

// drawing is a figure and the name of its files.
type drawing struct {
	name   string
	figure *figure
}

// save writes figures, each as PNG and SVG or in one form alone, and returns the names of
// the files.
func save(folder results.Folder, drawn []drawing, only Form) ([]string, error) {
	var names []string
	for _, d := range drawn {
		for _, form := range []struct {
			form   Form
			encode func(*figure) ([]byte, error)
		}{{PNG, encodePNG}, {SVG, encodeSVG}} {
			if only != "" && only != form.form {
				continue
			}
			name := d.name + "." + string(form.form)
			if err := keep(folder, name, d.figure, form.encode); err != nil {
				return names, err
			}
			names = append(names, name)
		}
	}
	return names, nil
}

// keep writes a figure into a file of the folder. Its error wraps results.ErrWrite.
func keep(folder results.Folder, name string, f *figure, encode func(*figure) ([]byte, error)) error {
	file, err := encode(f)
	if err == nil {
		err = folder.Replace(name, file)
	}
	if err != nil {
		return fmt.Errorf("%w: chart %s: %w", results.ErrWrite, name, err)
	}
	return nil
}

func encodePNG(f *figure) ([]byte, error) {
	canvas := vgimg.NewWith(vgimg.UseWH(f.size()), vgimg.UseDPI(dotsPerInch), vgimg.UseBackgroundColor(paperInk))
	f.draw(draw.New(canvas))
	var file bytes.Buffer
	// The best compression would take twice the time to save a thirtieth.
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	err := encoder.Encode(&file, canvas.Image())
	return file.Bytes(), err
}

// encodeSVG draws the figure as SVG, gives it the title that screen readers tell,
// and names fonts to fall back on, since the file carries none.
func encodeSVG(f *figure) ([]byte, error) {
	file, err := rawSVG(f, func(page *draw.Canvas) {
		fill(page, paperInk, page.Min.X, page.Min.Y, page.Max.X, page.Max.Y)
	})
	// A text of the record cannot match either: it holds no line break.
	const opened, styled = "1999/xlink\">\n", "\n\tstyle=\"font-family:Liberation Sans;"
	title := "<title>" + html.EscapeString(f.title+" ("+f.subtitle+")") + "</title>\n"
	file = bytes.Replace(file, []byte(opened), []byte(opened+title), 1)
	return bytes.ReplaceAll(file, []byte(styled), []byte("\n\tstyle=\"font-family:"+fonts+";")), err
}

// fonts are what text falls back on where a reader has not the font of the PNG.
const fonts = "'Liberation Sans',Arial,Helvetica,sans-serif"

// rawSVG draws the figure as the library writes it, on the paper that is laid, but for
// what the library says of pictures: that they are JPEG, and may be blurred.
func rawSVG(f *figure, lay func(page *draw.Canvas)) ([]byte, error) {
	canvas := vgsvg.New(f.size())
	page := draw.New(canvas)
	lay(&page)
	f.draw(page)
	var file bytes.Buffer
	_, err := canvas.WriteTo(&file)
	// A text of the record cannot match: it holds no quotation mark that is not escaped.
	const said, says = `xlink:href="data:image/jpg;`, `preserveAspectRatio="none" image-rendering="pixelated" xlink:href="data:image/png;`
	drawn := bytes.ReplaceAll(file.Bytes(), []byte(said), []byte(says))
	// Each text keeps the length that it has in the font of the PNG, so that with another,
	// wider one it still covers nothing.
	texts := regexp.MustCompile(`<text (x="[^"]*" y="[^"]*" transform="[^"]*"\s+style="[^"]*font-weight:(\w+);[^"]*font-size:([\d.]+)px[^"]*")>([^<]+)</text>`)
	return texts.ReplaceAllFunc(drawn, func(match []byte) []byte {
		parts := texts.FindSubmatch(match)
		size, err := strconv.ParseFloat(string(parts[3]), 64)
		if err != nil {
			return match
		}
		style := write(vg.Length(size), textInk)
		if string(parts[2]) == "bold" {
			style.Font.Weight = bold
		}
		length := document.Plainly(document.Rounded(style.Width(html.UnescapeString(string(parts[4]))).Points(), 5))
		return fmt.Appendf(nil, `<text %s textLength="%s" lengthAdjust="spacingAndGlyphs">%s</text>`, parts[1], length, parts[4])
	}), err
}
