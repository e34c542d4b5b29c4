package html

import (
	"cmp"
	"html/template"
	"slices"
	"unicode/utf8"

	"loadgen/report/document"
)

// page is what the layout lays out.
type page struct {
	Title, Subtitle string
	Warnings        []string
	Policy          string
	Style           template.CSS
	Scripts         []template.JS
	Sections        []section
}

type section struct {
	ID, Title string
	// First is the one that has to be seen before all others: the verdict.
	First  bool
	Blocks []block
}

// block has one of its fields.
type block struct {
	Paragraph *paragraph
	List      []string
	Table     *table
	Figures   *figures
	Chart     *chart
	Series    *series
}

type paragraph struct {
	// Opening is the first sentence of the verdict, Text the rest or all.
	Opening, Text  string
	Lead, Verbatim bool
	// Badge is a toned paragraph of few words.
	Badge bool
	ID    string
	tone
}

// under returns the block below a heading, which it does not say again to who sees both.
func (b block) under(title string) block {
	switch {
	case b.Table != nil:
		b.Table.Known = b.Table.Caption == title
	case b.Chart != nil:
		b.Chart.Known = b.Chart.Title == title
	case b.Series != nil:
		b.Series.Known = b.Series.Title == title && b.Series.Unit == ""
	}
	return b
}

// chart is a picture with its words.
type chart struct {
	ID, Title, Says string
	// Known says that the title is the section's once more.
	Known bool
	// Picture is nil where nobody drew it.
	Picture template.HTML
}

// tone is how a page tells what a word amounts to: by a sign and a word, and by a
// colour.
type tone struct{ Class, Sign, Word string }

func toneOf(t document.Tone) tone {
	switch t {
	case document.Good:
		return tone{"good", "✓", "good: "}
	case document.Bad:
		return tone{"bad", "✗", "bad: "}
	case document.Doubtful:
		return tone{"doubtful", "!", "doubtful: "}
	}
	return tone{}
}

// newPage returns the page of a document. Its error wraps [ErrPicture].
func newPage(d *document.Document, o Options) (*page, error) {
	m := maker{ids: names{taken: map[string]bool{"main": true, "contents": true}}, stretch: thinning(d)}
	m.charts = m.chartNames(d)
	var err error
	if m.drawn, err = pictures(o, m.charts); err != nil {
		return nil, err
	}
	p := &page{
		Title:    cmp.Or(words(d.Title), "Report"),
		Subtitle: words(d.Subtitle),
		Warnings: each(d.Warnings),
	}
	plotted := false
	for i, s := range d.Sections {
		shown := section{ID: m.ids.take(s.ID), Title: cmp.Or(words(s.Title), "Section"), First: hasVerdict(&d.Sections[i])}
		for _, b := range s.Blocks {
			if made, ok := m.block(b, shown.First); ok {
				shown.Blocks = append(shown.Blocks, made.under(shown.Title))
				plotted = plotted || made.Series != nil
			}
		}
		p.Sections = append(p.Sections, shown)
	}
	p.dress(plotted)
	return p, nil
}

// dress adds style, scripts and the policy that admits them; what draws series comes
// along only where there are some.
func (p *page) dress(plotted bool) {
	style, scripts := pageStyle, []string{pageScript}
	if plotted {
		style, scripts = plotStyle+"\n"+pageStyle, []string{plotScript, pageScript}
	}
	p.Style, p.Policy = template.CSS(style), policy(style, scripts)
	for _, script := range scripts {
		p.Scripts = append(p.Scripts, template.JS(script))
	}
}

// hasVerdict says that a section holds what a reader has to see first.
func hasVerdict(s *document.Section) bool {
	return slices.ContainsFunc(s.Blocks, func(b document.Block) bool {
		p, is := b.(document.Paragraph)
		return is && p.Lead
	})
}

// maker turns blocks of a document into what the layout lays out.
type maker struct {
	ids     names
	stretch int
	// charts and drawn are the identifiers on the page, and the pictures, of the charts
	// that have not been met yet, by their identifiers in the document.
	charts map[string]string
	drawn  map[string]template.HTML
}

// chartNames returns the identifiers on the page of the charts that a document names.
func (m *maker) chartNames(d *document.Document) map[string]string {
	named := make(map[string]string)
	for _, s := range d.Sections {
		for _, b := range s.Blocks {
			if c, ok := b.(document.Chart); ok && named[c.ID] == "" {
				named[c.ID] = m.ids.take("chart-" + c.ID)
			}
		}
	}
	return named
}

// block returns what stands for a block of the document, and false for one that is
// empty.
func (m *maker) block(b document.Block, first bool) (block, bool) {
	switch b := b.(type) {
	case document.Paragraph:
		return block{Paragraph: newParagraph(b, &m.ids)}, b.Text != ""
	case document.List:
		return block{List: each(b.Items)}, len(b.Items) > 0
	case document.Table:
		if first && len(b.Rows) == 1 && len(b.Columns) == len(b.Rows[0]) && len(b.Columns) <= mostFigures {
			return block{Figures: newFigures(&b, &m.ids)}, len(b.Columns) > 0
		}
		t := newTable(&b, &m.ids)
		return block{Table: t}, len(t.Columns) > 0
	case document.Chart:
		return block{Chart: m.chart(&b)}, true
	case document.Series:
		return block{Series: newSeries(&b, m.stretch, &m.ids)}, true
	}
	return block{}, false
}

// chart returns a chart with its picture. A picture shows once: what it holds has
// identifiers, which are to be unique in the page.
func (m *maker) chart(b *document.Chart) *chart {
	c := &chart{ID: m.charts[b.ID], Title: words(b.Title), Says: words(b.Says), Picture: m.drawn[b.ID]}
	if delete(m.charts, b.ID); c.ID == "" {
		c.ID, c.Picture = m.ids.take("chart-"+b.ID), ""
	}
	c.Title = cmp.Or(c.Title, c.ID)
	return c
}

// badgeLength is how many characters a toned paragraph may have to be shown as a badge.
const badgeLength = 48

func newParagraph(b document.Paragraph, ids *names) *paragraph {
	p := &paragraph{Text: words(b.Text), Lead: b.Lead, Verbatim: b.Verbatim, tone: toneOf(b.Tone)}
	switch {
	case b.Verbatim:
		p.ID = ids.take("text")
	case b.Lead:
		p.Opening, p.Text = opening(p.Text)
	case b.Tone != document.Plain:
		p.Badge = utf8.RuneCountInString(p.Text) <= badgeLength
	}
	return p
}

// opening divides a text behind its first sentence; the parts together are the text. A
// full stop ends a sentence where a space and a capital letter follow.
func opening(text string) (first, rest string) {
	for i := 0; i+2 < len(text); i++ {
		if text[i] == '.' && text[i+1] == ' ' && text[i+2] >= 'A' && text[i+2] <= 'Z' {
			return text[:i+1], text[i+1:]
		}
	}
	return text, ""
}
