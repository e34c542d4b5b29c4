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
	"strings"

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
	dotsPerInch           = 144
	width       vg.Length = 750
	height      vg.Length = 450
	// narrow is the width of a chart in a narrow column, whose letters are then large enough, also on a telephone.
	narrow vg.Length = 360
)

// DrawAs writes the selected charts into the folder, as PNG, SVG or both, and returns the names of the files. Its error
// wraps [ErrOptions] or results.ErrWrite, and comes with the names written before.
func DrawAs(folder results.Folder, record *results.Record, o Options) ([]string, error) {
	if faults := o.Validate(); len(faults) > 0 {
		return nil, fmt.Errorf("%w: %w", ErrOptions, errors.Join(faults...))
	}
	var drawn []drawing
	for _, chart := range charts() {
		if len(o.Charts) == 0 && chart.hasData(record) || slices.Contains(o.Charts, chart.name) {
			drawn = append(drawn, drawing{chart.name, chart.draw(record, &Options{Axis: o.Axis})})
		}
	}
	return save(folder, drawn, o.Form)
}

// Inline returns one of the charts of [Names] as an SVG element for a page, with inks that the page may set as custom
// properties such as --ink-text. It has no style attribute, which a strict content policy rejects, and no identifier,
// so that a page may contain several. Its title is [Title], which the page writes. Its error wraps [ErrOptions].
func Inline(name string, record *results.Record, o Options) (template.HTML, error) {
	f, err := drawNamed(name, record, &o)
	if err != nil {
		return "", err
	}
	if o.Narrow {
		f.width, f.height = narrow, 0
	}
	return encodeInline(f)
}

// Title returns the title of one of the charts of [Names], empty if there is no such chart.
func Title(name string, record *results.Record) string {
	if c := findChart(name); c != nil {
		return c.titleOf(record)
	}
	return ""
}

// findChart returns the chart of a name, nil if there is none.
func findChart(name string) *chart {
	list := charts()
	if at := slices.IndexFunc(list, func(c chart) bool { return c.name == name }); at >= 0 {
		return &list[at]
	}
	return nil
}

func drawNamed(name string, record *results.Record, o *Options) (*figure, error) {
	o.Charts = []string{name}
	if faults := o.Validate(); len(faults) > 0 {
		return nil, fmt.Errorf("%w: %w", ErrOptions, errors.Join(faults...))
	}
	return findChart(name).draw(record, o), nil
}

func (c *chart) draw(record *results.Record, o *Options) *figure {
	f := c.figure(record, o)
	f.title = c.titleOf(record)
	return f
}

// drawing is a figure and the name of its files.
type drawing struct {
	name   string
	figure *figure
}

// save writes figures, each as PNG and SVG or in one form only, and returns the names of the files.
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
			if err := writeFile(folder, name, d.figure, form.encode); err != nil {
				return names, err
			}
			names = append(names, name)
		}
	}
	return names, nil
}

// writeFile writes a figure into a file of the folder. Its error wraps results.ErrWrite.
func writeFile(folder results.Folder, name string, f *figure, encode func(*figure) ([]byte, error)) error {
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

// fonts are the fonts of SVG, because the file contains none.
const fonts = "'Liberation Sans',Arial,Helvetica,sans-serif"

// encodeSVG returns the figure as SVG, with a title for screen readers.
func encodeSVG(f *figure) ([]byte, error) {
	file, err := rawSVG(f, func(page *draw.Canvas) {
		fill(page, paperInk, page.Min.X, page.Min.Y, page.Max.X, page.Max.Y)
	})
	// A text of the record cannot match either: it has no line break.
	const opened, styled = "1999/xlink\">\n", "\n\tstyle=\"font-family:Liberation Sans;"
	title := "<title>" + html.EscapeString(f.title+" ("+f.subtitle+")") + "</title>\n"
	file = bytes.Replace(file, []byte(opened), []byte(opened+title), 1)
	return bytes.ReplaceAll(file, []byte(styled), []byte("\n\tstyle=\"font-family:"+fonts+";")), err
}

// rawSVG returns the figure as the library writes it, on a prepared page, but with pictures as PNG and sharp, which the
// library declares as JPEG.
func rawSVG(f *figure, prepare func(page *draw.Canvas)) ([]byte, error) {
	canvas := vgsvg.New(f.size())
	page := draw.New(canvas)
	prepare(&page)
	f.draw(page)
	var file bytes.Buffer
	_, err := canvas.WriteTo(&file)
	// A text of the record cannot match: its quotation marks are escaped.
	const jpeg, sharp = `xlink:href="data:image/jpg;`, `preserveAspectRatio="none" image-rendering="pixelated" xlink:href="data:image/png;`
	return addTextLengths(bytes.ReplaceAll(file.Bytes(), []byte(jpeg), []byte(sharp))), err
}

// addTextLengths gives each text its length in the font of the PNG, so that a wider font covers nothing.
func addTextLengths(file []byte) []byte {
	texts := regexp.MustCompile(`<text (x="[^"]*" y="[^"]*" transform="[^"]*"\s+style="[^"]*font-weight:(\w+);[^"]*font-size:([\d.]+)px[^"]*")>([^<]+)</text>`)
	return texts.ReplaceAllFunc(file, func(match []byte) []byte {
		parts := texts.FindSubmatch(match)
		size, err := strconv.ParseFloat(string(parts[3]), 64)
		if err != nil {
			return match
		}
		style := write(vg.Length(size), textInk)
		if string(parts[2]) == "bold" {
			style = writeBold(vg.Length(size), textInk)
		}
		length := document.Plainly(document.Rounded(style.Width(html.UnescapeString(string(parts[4]))).Points(), 5))
		return fmt.Appendf(nil, `<text %s textLength="%s" lengthAdjust="spacingAndGlyphs">%s</text>`, parts[1], length, parts[4])
	})
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

// encodeInline returns the figure as an element of a page, without the title that the page writes.
func encodeInline(f *figure) (template.HTML, error) {
	f.bare = true
	file, err := rawSVG(f, func(*draw.Canvas) {})
	if err != nil {
		return "", err
	}
	_, body, _ := bytes.Cut(file, []byte("1999/xlink\">\n"))
	// A text of the record has no quotation mark that is not escaped.
	styled := regexp.MustCompile(`\s+style="([^"]*)"`)
	variables := make(map[string]string)
	for colour, name := range inks() {
		variables[colour.hex()] = "var(--ink-" + name + "," + colour.hex() + ")"
	}
	body = styled.ReplaceAllFunc(body, func(match []byte) []byte {
		return attributes(string(styled.FindSubmatch(match)[1]), variables)
	})
	wide, tall := f.size()
	class := ""
	if wide > narrow {
		class = ` class="wide"`
	}
	return template.HTML(fmt.Sprintf("<svg%s role=\"img\" aria-label=\"%s\" viewBox=\"0 0 %v %v\" "+
		"xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\">\n%s",
		class, html.EscapeString(f.title), float64(wide), float64(tall), body)), nil
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

// ErrOptions is wrapped by the errors for an unknown chart, form or axis.
var ErrOptions = errors.New("chart: invalid options")

// Form is the format of a chart, and the extension of its file.
type Form string

// The forms.
const (
	PNG Form = "png"
	SVG Form = "svg"
)

// Axis is the kind of a scale.
type Axis string

// The axes.
const (
	Linear      Axis = "linear"
	Logarithmic Axis = "log"
)

// Options select what is drawn. The zero value draws everything that the record has data for.
type Options struct {
	// Charts are names of [Names]; empty selects all that the record has data for. A named chart is drawn even without
	// data.
	Charts []string
	// Form is the only form to write; empty selects both.
	Form Form
	// Axis is the vertical axis of response and percentiles, and the colours of heat; empty selects the best of each: a
	// logarithmic axis of time, and linear colours. Other charts ignore it.
	Axis Axis
	// Narrow draws for a narrow column. Only [Inline] uses it.
	Narrow bool
}

// Validate returns all faults of the options.
func (o *Options) Validate() []error {
	var faults []error
	for _, name := range o.Charts {
		if findChart(name) == nil {
			faults = append(faults, fmt.Errorf("unknown chart %q: use %s", clean(name, maxName), strings.Join(Names(), ", ")))
		}
	}
	if !slices.Contains([]Form{"", PNG, SVG}, o.Form) {
		faults = append(faults, fmt.Errorf("unknown form %q: use png or svg", clean(string(o.Form), maxName)))
	}
	if !slices.Contains([]Axis{"", Linear, Logarithmic}, o.Axis) {
		faults = append(faults, fmt.Errorf("unknown axis %q: use linear or log", clean(string(o.Axis), maxName)))
	}
	return faults
}

// chart is a chart of a record.
type chart struct {
	// name is that of its files, heading its title if the record has no data for a title.
	name, heading string
	figure        func(*results.Record, *Options) *figure
	title         func(*results.Record) string
	// hasData reports whether a record has something to show.
	hasData func(*results.Record) bool
}

func charts() []chart {
	return []chart{
		{"latency", "Response times", latencyFigure, latencyTitle, func(r *results.Record) bool { return len(LatencyBars(r)) > 0 }},
		{"throttle", "Entities served per second", throttleFigure, throttleTitle, func(r *results.Record) bool { return len(ThrottleBars(r)) > 0 }},
		{"waits", "Waits before retries", waitsFigure, waitsTitle, func(r *results.Record) bool { return r.RetryWaits.Count() > 0 }},
		{"steps", "Offered and served, by step", stepsFigure, stepsTitle, func(r *results.Record) bool { return len(Steps(r)) > 1 }},
		{"percentiles", "Response and service times by operation", percentilesFigure, percentilesTitle,
			func(r *results.Record) bool { return len(OperationCurves(r)) > 0 }},
		{"response", "Response times", responseFigure, responseTitle, func(r *results.Record) bool { return ResponseHeat(r).count > 1 }},
		{"heat", "Load by partition", heatFigure, heatTitle, func(r *results.Record) bool {
			g, _ := reportedGrid(r)
			return g.hasSeveral()
		}},
	}
}

// titleOf returns the title of the chart of a record.
func (c *chart) titleOf(record *results.Record) string {
	if title := c.title(record); title != "" {
		return title
	}
	return c.heading
}

// Names returns the names of all charts of a record, in the order in which they are drawn.
func Names() []string {
	var names []string
	for _, c := range charts() {
		names = append(names, c.name)
	}
	return names
}

// Shown returns the names of the charts that a record has data for.
func Shown(record *results.Record) []string {
	var names []string
	for _, c := range charts() {
		if c.hasData(record) {
			names = append(names, c.name)
		}
	}
	return names
}
