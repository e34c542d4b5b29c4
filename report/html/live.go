package html

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"slices"

	"loadgen/report/document"
)

//go:embed live.js
var liveScript string

// Live renders the page of a run in progress, and updates for open pages. All its documents
// have the same blocks in the same order, with an answer; texts, rows and numbers differ.
//
// The page reads server-sent events from the relative URL "events": "update" has the result of
// [Live.Update], "report" a page that replaces this one, as a JSON string, and "ended" a JSON
// string with the reason why nothing follows. A Stoppable page sends an empty POST to "stop"
// after its reader confirmed.
//
// A Live is safe for concurrent use. Make one with [NewLive].
type Live struct {
	Stoppable bool
	layout    *template.Template
}

// NewLive returns a renderer of live pages.
func NewLive(stoppable bool) (*Live, error) {
	t, err := parseLayout()
	return &Live{Stoppable: stoppable, layout: t}, err
}

// Render writes the page without the data of an update. It returns errors of w.
func (l *Live) Render(w io.Writer, d *document.Document) error {
	p := newPage(d, nil)
	p.Live, p.Stoppable = true, l.Stoppable
	for i := range p.Sections {
		p.Sections[i].Open = true
	}
	for _, s := range p.series() {
		// Events are rows of a table, and instants follow later.
		s.Marks, s.Last = nil, max(1, s.Last)
	}
	p.plotted = true
	p.addAssets()
	p.Scripts, p.Policy = append(p.Scripts, template.JS(liveScript)), livePolicy()
	return p.write(w, l.layout)
}

// update has new content by element ID.
type update struct {
	// Says is the text of the status bar, Title the title of the browser tab.
	Says  string `json:"says"`
	Title string `json:"title"`
	// Texts are texts of elements, Parts their inner HTML, Series the plots.
	Texts  map[string]string          `json:"texts"`
	Parts  map[string]string          `json:"parts"`
	Series map[string]json.RawMessage `json:"series"`
}

// Update returns the update of a page of [Live.Render], as JSON on one line. says is the
// text of the status bar.
func (l *Live) Update(d *document.Document, says string) ([]byte, error) {
	p := newPage(d, nil)
	u := update{Says: words(says), Title: p.Claim, Texts: map[string]string{"title": p.Title, "subtitle": p.Subtitle},
		Parts: make(map[string]string), Series: make(map[string]json.RawMessage)}
	var part bytes.Buffer
	render := func(id, name string, data any) error {
		part.Reset()
		if err := l.layout.ExecuteTemplate(&part, name, data); err != nil {
			return fmt.Errorf("html: rendering %s: %w", id, err)
		}
		u.Parts[id] = part.String()
		return nil
	}
	if p.Answer != nil {
		if err := render("state", "state", p.Answer); err != nil {
			return nil, err
		}
	}
	for _, b := range p.blocks() {
		if b.Table == nil {
			continue
		}
		u.Texts[b.Table.ID+"-caption"] = b.Table.Caption
		if err := render(b.Table.ID, "table", b.Table); err != nil {
			return nil, err
		}
	}
	for _, s := range p.series() {
		u.Series[s.ID] = json.RawMessage(s.Data)
	}
	return json.Marshal(u)
}

// blocks returns the blocks of the screen and of all sections.
func (p *page) blocks() []block {
	blocks := slices.Clone(p.Screen)
	for i := range p.Sections {
		blocks = append(blocks, p.Sections[i].Blocks...)
	}
	return blocks
}

// series returns all plots, the answer's first.
func (p *page) series() []*series {
	var list []*series
	if p.Answer != nil && p.Answer.Series != nil {
		list = append(list, p.Answer.Series)
	}
	for _, b := range p.blocks() {
		if b.Series != nil {
			list = append(list, b.Series)
		}
	}
	return list
}

// Policy returns the Content-Security-Policy header of a live page. It also forbids frames.
func (l *Live) Policy() string { return livePolicy() + "; frame-ancestors 'none'" }

// livePolicy allows the assets of a live page and of the report that replaces it, with or
// without series.
func livePolicy() string {
	return policy([]string{plotStyle + "\n" + pageStyle, pageStyle}, []string{plotScript, pageScript, liveScript}) + "; connect-src 'self'"
}
