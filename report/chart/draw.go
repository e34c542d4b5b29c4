package chart

import (
	"bytes"
	"fmt"
	"html"
	"image/png"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"loadgen/results"
)

// A chart is 1000 × 600 pixels on a page, as a page counts 96 to the inch; the
// PNG has one and a half times as many each way, for a projector.
const (
	dotsPerInch           = 144
	width       vg.Length = 750
	height      vg.Length = 450
)

// Draw writes latency, throttle and steps, each as PNG and SVG, into the folder
// and returns the names of the files. A record without data gives charts that say
// so. Its error wraps results.ErrWrite and comes with the names written before.
func Draw(folder results.Folder, record *results.Record) ([]string, error) {
	var drawn []drawing
	for _, chart := range charts() {
		drawn = append(drawn, drawing{chart.name, chart.figure(record)})
	}
	return save(folder, drawn)
}

// drawing is a figure and the name of its files.
type drawing struct {
	name   string
	figure *figure
}

// save writes figures, each as PNG and SVG, and returns the names of the files.
func save(folder results.Folder, drawn []drawing) ([]string, error) {
	var names []string
	for _, d := range drawn {
		for _, form := range []struct {
			suffix string
			encode func(*figure) ([]byte, error)
		}{{".png", encodePNG}, {".svg", encodeSVG}} {
			name := d.name + form.suffix
			file, err := form.encode(d.figure)
			if err == nil {
				err = folder.Replace(name, file)
			}
			if err != nil {
				return names, fmt.Errorf("%w: chart %s: %w", results.ErrWrite, name, err)
			}
			names = append(names, name)
		}
	}
	return names, nil
}

// chart is a name and what is drawn by it.
type chart struct {
	name   string
	figure func(*results.Record) *figure
}

func charts() []chart {
	return []chart{{"latency", latencyFigure}, {"throttle", throttleFigure}, {"steps", stepsFigure}}
}

func encodePNG(f *figure) ([]byte, error) {
	canvas := vgimg.NewWith(vgimg.UseWH(width, f.tall()), vgimg.UseDPI(dotsPerInch), vgimg.UseBackgroundColor(paperInk))
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
	canvas := vgsvg.New(width, f.tall())
	page := draw.New(canvas)
	fill(&page, paperInk, page.Min.X, page.Min.Y, page.Max.X, page.Max.Y)
	f.draw(page)
	var file bytes.Buffer
	if _, err := canvas.WriteTo(&file); err != nil {
		return nil, err
	}
	// A text of the record cannot match either: it holds no line break.
	const opened, styled = "1999/xlink\">\n", "\n\tstyle=\"font-family:Liberation Sans;"
	title := "<title>" + html.EscapeString(f.title+" ("+f.subtitle+")") + "</title>\n"
	text := bytes.Replace(file.Bytes(), []byte(opened), []byte(opened+title), 1)
	return bytes.ReplaceAll(text, []byte(styled), []byte("\n\tstyle=\"font-family:'Liberation Sans',Arial,Helvetica,sans-serif;")), nil
}
