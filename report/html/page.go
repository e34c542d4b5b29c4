package html

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"loadgen/report/document"
)

var (
	//go:embed page.tmpl
	layout string
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	pageScript string
	//go:embed uplot/uPlot.iife.min.js
	plotScript string
	//go:embed uplot/uPlot.min.css
	plotStyle string
)

// Render writes the document as one page. It returns errors of w, and is safe for concurrent use.
//
// Pictures are the SVG elements that package chart drew, by chart ID, nil for none. They are embedded unchanged. A chart
// without a picture has only its text.
func Render(w io.Writer, d *document.Document, pictures map[string]template.HTML) error {
	t, err := parseLayout()
	if err != nil {
		return err
	}
	p := newPage(d, pictures)
	p.addAssets()
	return p.write(w, t)
}

func (p *page) write(w io.Writer, t *template.Template) error {
	var content bytes.Buffer
	if err := t.Execute(&content, p); err != nil {
		return fmt.Errorf("html: rendering the page: %w", err)
	}
	_, err := content.WriteTo(w)
	return err
}

func parseLayout() (*template.Template, error) {
	t, err := template.New("page").Parse(layout)
	if err != nil {
		return nil, fmt.Errorf("html: parsing the template: %w", err)
	}
	return t, nil
}

// page is the data of the template.
type page struct {
	// Claim is the title of the browser tab: the answer, or the title if there is no answer.
	Claim, Title, Subtitle string
	Warnings               []string
	Policy                 string
	Style                  template.CSS
	Scripts                []template.JS
	// Live pages receive updates while they are open; Stoppable ones can stop the run.
	Live, Stoppable bool
	// Answer is nil if the document has none.
	Answer *answer
	// Screen follows the answer, always visible.
	Screen   []block
	Sections []section

	plotted bool
}

// answer is the first part of a page: a state, its number, notes, and the figure next to it.
type answer struct {
	tone
	// Class is the tone's, or "plain". Before and After are the claim around the number,
	// which is empty if the claim has none.
	Class                       string
	Before, Number, Unit, After string
	// Long numbers are set in smaller type.
	Long   bool
	Beside string
	// Says are the sentences next to the figure, More those below it.
	Says, More []string
	// Chart and Series are nil if the document's screen has no figure.
	Chart  *chart
	Series *series
}

// section is a collapsible part; Open is its initial state.
type section struct {
	ID, Title string
	Open      bool
	Blocks    []block
}

// block has exactly one field set.
type block struct {
	Paragraph *paragraph
	List      []string
	Facts     []string
	Table     *table
	Chart     *chart
	Series    *series
	// Above links to a figure that is already on the page.
	Above *above
}

type paragraph struct {
	Text                  string
	Lead, Verbatim, Badge bool
	ID                    string
	tone
}

// chart is a picture with its title and text.
type chart struct {
	ID, Title, Says string
	// Picture is empty if the caller passed none.
	Picture template.HTML
}

// above links to a figure further up the page.
type above struct{ ID, Title string }

// tone is how the page marks good, bad and doubtful text: a colour, a sign, and a word for
// screen readers.
type tone struct{ Class, Sign, Word string }

func toneOf(t document.Tone) tone {
	class := map[document.Tone]string{document.Good: "good", document.Bad: "bad", document.Doubtful: "doubtful", document.Neutral: "plain"}[t]
	word := ""
	if t != document.Plain && t != document.Neutral {
		word = class + ": "
	}
	return tone{class, t.Sign(), word}
}

// newPage returns the page of a document.
func newPage(d *document.Document, pictures map[string]template.HTML) *page {
	// Series with many values are thinned so that the page stays small.
	stretch, values, counted := 1, 0, make(map[string]bool)
	for _, list := range append([]document.Section{{Blocks: d.Screen}}, d.Sections...) {
		for _, b := range list.Blocks {
			if b, ok := b.(document.Series); ok && !counted[b.ID] {
				counted[b.ID] = true
				values += len(b.Seconds) * (len(b.Lines) + 1)
			}
		}
	}
	if values > maxValues {
		stretch = 2 * ((values + maxValues - 1) / maxValues)
	}
	m := maker{
		ids: names{"main": true, "contents": true, "answer": true, "answer-name": true, "screen": true, "screen-name": true}, pictures: pictures,
		stretch: stretch, shown: make(map[string]above),
	}
	p := &page{
		Title: words(cmp.Or(d.Title, "Report")), Subtitle: words(d.Subtitle), Warnings: escapeEach(d.Warnings),
		Answer: m.answer(d),
	}
	p.Claim = cmp.Or(words(d.Answer.Claim), p.Title)
	p.Screen = slices.DeleteFunc(m.blocks(d.Screen), func(b block) bool { return b.Above != nil })
	for i := range d.Sections {
		s := &d.Sections[i]
		shown := section{ID: m.ids.unique(s.ID), Title: words(cmp.Or(s.Title, "Section")), Open: i == 0}
		shown.Blocks = m.blocks(s.Blocks)
		p.Sections = append(p.Sections, shown)
	}
	p.plotted = m.plotted
	return p
}

// addAssets adds style, scripts and the policy that allows them. Pages without series omit uPlot.
func (p *page) addAssets() {
	style, scripts := pageStyle, []string{pageScript}
	if p.plotted {
		style, scripts = plotStyle+"\n"+pageStyle, []string{plotScript, pageScript}
	}
	p.Style, p.Policy = template.CSS(style), policy([]string{style}, scripts)
	for _, script := range scripts {
		p.Scripts = append(p.Scripts, template.JS(script))
	}
}

// maker converts the blocks of a document to those of a page.
type maker struct {
	ids      names
	pictures map[string]template.HTML
	stretch  int
	// shown are the figures on the page so far, by their document IDs; each is drawn once.
	shown   map[string]above
	plotted bool
	// marks are those of the previous series, which are not listed again.
	marks []document.Mark
}

func (m *maker) blocks(list []document.Block) []block {
	var shown []block
	for _, b := range list {
		if made, ok := m.block(b); ok {
			shown = append(shown, made)
		}
	}
	return shown
}

// block converts one block, and returns false if it is empty.
func (m *maker) block(b document.Block) (block, bool) {
	switch b := b.(type) {
	case document.Paragraph:
		p := &paragraph{Text: words(strings.TrimSpace(b.Text)), Lead: b.Lead, Verbatim: b.Verbatim, tone: toneOf(b.Tone)}
		if b.Verbatim {
			p.Text, p.ID = words(b.Text), m.ids.unique("text")
		}
		p.Badge = b.Tone != document.Plain && !b.Lead && utf8.RuneCountInString(p.Text) <= maxBadge
		return block{Paragraph: p}, b.Text != ""
	case document.List:
		return block{List: escapeEach(b.Items)}, len(b.Items) > 0
	case document.Facts:
		return block{Facts: escapeEach(b.Lines)}, len(b.Lines) > 0
	case document.Table:
		t := newTable(&b, m.ids)
		return block{Table: t}, len(t.Columns) > 0
	case document.Chart:
		return m.once("chart-"+b.ID, func() (block, string, string) {
			c := &chart{ID: m.ids.unique("chart-" + b.ID), Says: words(b.Says), Picture: m.pictures[b.ID]}
			c.Title = cmp.Or(words(b.Title), c.ID)
			for _, id := range b.Shows {
				if c.Picture != "" {
					m.shown["series-"+id] = above{c.ID, c.Title}
				}
			}
			return block{Chart: c}, c.ID, c.Title
		}), true
	case document.Series:
		return m.once("series-"+b.ID, func() (block, string, string) {
			s := m.series(&b)
			return block{Series: s}, s.ID, s.Title
		}), true
	}
	return block{}, false
}

// answer returns the answer of a document with the first figure of its screen, or nil if
// there is no answer.
func (m *maker) answer(d *document.Document) *answer {
	from := &d.Answer
	if from.Claim == "" {
		return nil
	}
	a := &answer{tone: toneOf(from.Tone()), Beside: words(from.Beside), Says: escapeEach(from.Says)}
	a.Class = cmp.Or(a.tone.Class, "plain")
	before, after, found := strings.Cut(from.Claim, from.Number)
	a.Before, a.Number, a.Unit = words(from.Claim), words(from.Number), words(from.Unit)
	if from.Number != "" && found {
		a.Before = words(strings.Trim(before, " :"))
		// The remainder is on a line of its own, without the separator before it.
		a.After = words(strings.Trim(strings.TrimPrefix(strings.Trim(after, " "), from.Unit), " ;"))
	}
	a.Long = utf8.RuneCountInString(a.Number) > maxLargeNumber
	for _, b := range d.Screen {
		switch b.(type) {
		case document.Chart, document.Series:
			made, _ := m.block(b)
			a.Chart, a.Series = made.Chart, made.Series
			if len(a.Says) > maxBesideFigure {
				a.Says, a.More = a.Says[:maxBesideFigure], a.Says[maxBesideFigure:]
			}
			return a
		}
	}
	return a
}

// once makes a figure, or a link to it if it is already on the page.
func (m *maker) once(key string, show func() (shown block, id, title string)) block {
	if at, known := m.shown[key]; known {
		return block{Above: &at}
	}
	b, id, title := show()
	m.shown[key] = above{id, title}
	return b
}

const (
	// maxBadge is the maximum length of a toned paragraph that is shown as a badge, maxLargeNumber
	// of a number in the largest type, in characters.
	maxBadge       = 48
	maxLargeNumber = 7
	// maxBesideFigure is the maximum of sentences that precede a figure on a narrow screen.
	maxBesideFigure = 3
)

// policy returns the content security policy of a page: it lists the hashes of styles and
// scripts and forbids everything else except embedded pictures, including style attributes.
func policy(styles, scripts []string) string {
	return "default-src 'none'; script-src" + hashes(scripts) + "; style-src" + hashes(styles) +
		"; img-src data:; base-uri 'none'; form-action 'none'"
}

func hashes(contents []string) string {
	list := ""
	for _, content := range contents {
		sum := sha256.Sum256([]byte(content))
		list += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return list
}
