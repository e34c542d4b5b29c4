package contest

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"io"
	"path/filepath"
	"strings"

	"loadgen/report/chart"
	"loadgen/report/document"
	"loadgen/report/html"
	"loadgen/results"
)

// PageFile is the page in the folder of a contest.
const PageFile = "report.html"

// Kept is a contest that is kept, with the record of each design's first run by its name:
// none of a design that was not run, or whose record cannot be read.
type Kept struct {
	*Contest
	Records map[string]*results.Record
}

// Open reads a contest from its folder. Its error says in one line that there is none, or
// what is wrong with it: it wraps [ErrFile], or is that of the file.
func Open(folder results.Dir) (*Kept, error) {
	file, err := folder.Open(File)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, MostBytes+1))
	if err != nil {
		return nil, err
	}
	told, err := Read(text)
	if err != nil {
		return nil, err
	}
	c := &Kept{told, make(map[string]*results.Record)}
	for i := range told.Ranking {
		name := told.Ranking[i].Design
		if len(c.Records) == chart.MostArms || !filepath.IsLocal(name) {
			continue
		}
		if record, err := results.Read(results.Dir(filepath.Join(string(folder), name))); err == nil {
			c.Records[name] = record
		}
	}
	return c, nil
}

// arms are the designs that can be drawn, best first.
func (c *Kept) arms() []chart.HeatArm {
	var list []chart.HeatArm
	for i := range c.Ranking {
		one := &c.Ranking[i]
		record := c.Records[one.Design]
		if record == nil {
			continue
		}
		var words []string
		if one.Sustained != nil {
			words = append(words, "sustains "+document.Rate(one.Sustained.Mean)+" entities/s")
		}
		if one.Lost != nil {
			words = append(words, document.Share(one.Lost.Mean)+" lost")
		}
		list = append(list, chart.HeatArm{Name: one.Design, Keys: one.template(), Says: strings.Join(words, "; "), Record: record})
	}
	return list
}

// Page writes the contest as one page, with the picture of where the load went. It writes
// nothing where that cannot be drawn.
func (c *Kept) Page(w io.Writer) error { return c.PageOf(w, Document(c.Contest)) }

// PageOf is Page of a document that says more than the contest's own.
func (c *Kept) PageOf(w io.Writer, d *document.Document) error {
	pictures := make(map[string]template.HTML)
	if arms := c.arms(); len(arms) > 0 {
		picture, err := chart.InlineContest(arms)
		if err != nil {
			return fmt.Errorf("drawing where the load went: %w", err)
		}
		pictures[ChartID] = picture
		blocks := [][]document.Block{d.Screen}
		for i := range d.Sections {
			blocks = append(blocks, d.Sections[i].Blocks)
		}
		for _, list := range blocks {
			for i, block := range list {
				if one, is := block.(document.Chart); is && one.ID == ChartID {
					one.Title = chart.ContestTitle(arms) // which says its answer
					list[i] = one
				}
			}
		}
	}
	return html.Render(w, d, html.Options{Pictures: pictures})
}

// Illustrate writes the pictures of a contest and its page into its folder. What could not
// be drawn holds up nothing else.
func (c *Kept) Illustrate(folder results.Folder) error {
	var err error
	if arms := c.arms(); len(arms) > 0 {
		_, err = chart.DrawContest(folder, arms)
	}
	var page bytes.Buffer
	unwritten := c.Page(&page)
	if unwritten == nil {
		unwritten = folder.Replace(PageFile, page.Bytes())
	}
	return errors.Join(err, unwritten)
}
