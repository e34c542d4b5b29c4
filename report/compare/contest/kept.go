package contest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"path/filepath"
	"slices"

	"loadgen/report/chart"
	"loadgen/report/document"
	"loadgen/report/html"
	"loadgen/report/text"
	"loadgen/results"
)

// File is the name of the contest in its folder, PageFile that of its page.
const (
	File     = "contest.json"
	PageFile = "report.html"
)

// ErrFile is wrapped by the error of a text that is not a contest.
var ErrFile = errors.New("it holds no contest")

// maxBytes limits the text of a contest in a folder, maxRanked the number of designs.
const (
	maxBytes  = 16 << 20
	maxRanked = 1000
)

// Read parses the JSON of a contest. Its error is one line and wraps [ErrFile].
func Read(text []byte) (*Contest, error) {
	c := new(Contest)
	err := json.Unmarshal(text, c)
	if err == nil {
		err = c.validate()
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s", ErrFile, results.OneLine(err))
	}
	return c, nil
}

// validate returns why [Rank] cannot have returned the contest.
func (c *Contest) validate() error {
	states := []string{results.Holds, results.DoesNotHold, results.CannotTell}
	switch {
	case c.Verdict == "":
		return errors.New("it has no verdict")
	case !slices.Contains(states, c.State):
		return fmt.Errorf("its state is %.40q; expected one of %q", c.State, states)
	case len(c.Ranking) > maxRanked:
		return fmt.Errorf("it ranks %d designs; the maximum is %d", len(c.Ranking), maxRanked)
	case c.Winner != nil && (len(c.Ranking) == 0 || c.Ranking[0].Design != *c.Winner):
		return errors.New("its winner is not the first of its ranking")
	}
	for _, one := range c.Ranking {
		for _, check := range one.Expected {
			if check.Held < 0 || check.Held > check.Runs || check.Untold < 0 {
				return fmt.Errorf("a check of the design %.40q held in %d of %d runs", one.Design, check.Held, check.Runs)
			}
		}
	}
	return nil
}

// Kept is a contest in a folder, with the record of each design's first run by its name. A
// design that did not run, or whose record cannot be read, has none.
type Kept struct {
	*Contest
	Records map[string]*results.Record
}

// Open reads a contest from its folder. Its error is one line: it wraps [ErrFile], or is that of
// the file.
func Open(folder results.Dir) (*Kept, error) {
	file, err := folder.Open(File)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxBytes))
	if err != nil {
		return nil, err
	}
	contest, err := Read(text)
	if err != nil {
		return nil, err
	}
	c := &Kept{contest, make(map[string]*results.Record)}
	for i := range contest.Ranking {
		name := contest.Ranking[i].Design
		if len(c.Records) == chart.MaxArms || !filepath.IsLocal(name) {
			continue
		}
		if record, err := results.Read(results.Dir(filepath.Join(string(folder), name))); err == nil {
			c.Records[name] = record
		}
	}
	return c, nil
}

// arms returns the designs with a record, best first.
func (c *Kept) arms() []chart.HeatArm {
	var list []chart.HeatArm
	for i := range c.Ranking {
		one := &c.Ranking[i]
		if record := c.Records[one.Design]; record != nil {
			says := "sustains " + document.Optional(one.Sustained.Pointer(), document.Rate) + " entities/s; " + document.Optional(one.Lost.Pointer(), document.Share) + " lost"
			list = append(list, chart.HeatArm{Name: one.Design, Keys: one.Keys(), Says: says, Record: record})
		}
	}
	return list
}

// Page writes the contest as one page with the picture of where the load went. It writes nothing
// if that cannot be drawn.
func (c *Kept) Page(w io.Writer) error { return c.PageOf(w, Document(c.Contest)) }

// PageOf is [Kept.Page] with another document.
func (c *Kept) PageOf(w io.Writer, d *document.Document) error {
	pictures := make(map[string]template.HTML)
	if arms := c.arms(); len(arms) > 0 {
		figure := chart.Contest(arms)[0]
		picture, err := figure.Inline(false)
		if err != nil {
			return fmt.Errorf("drawing where the load went: %w", err)
		}
		pictures[ChartID] = picture
		for _, section := range append(d.Sections, document.Section{Blocks: d.Screen}) {
			for i, block := range section.Blocks {
				if one, is := block.(document.Chart); is && one.ID == ChartID {
					one.Title = figure.Title
					section.Blocks[i] = one
				}
			}
		}
	}
	return html.Render(w, d, pictures)
}

// Write writes the contest, its page and its pictures into its folder. A failure of the page or a
// picture does not stop the others.
func (c *Kept) Write(folder results.Folder) error {
	var file, page bytes.Buffer
	err := text.JSON(&file, c.Contest)
	if err == nil {
		err = folder.Replace(File, file.Bytes())
	}
	if err != nil {
		return fmt.Errorf("%w: %w", results.ErrWrite, err)
	}
	if err = c.Page(&page); err == nil {
		err = folder.Replace(PageFile, page.Bytes())
	}
	if arms := c.arms(); len(arms) > 0 {
		_, failure := chart.Save(folder, chart.Contest(arms)...)
		err = errors.Join(failure, err)
	}
	return err
}
