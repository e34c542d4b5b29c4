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

// Live makes the page of what goes on, and what brings one that is open up to date. All
// documents that it is given are of one shape: the same blocks in the same order, with an
// answer, of which the words, the rows and the numbers differ.
//
// The page asks for the stream of server-sent events at "events" beside its own address, and
// takes these: "update" with what [Live.Update] returns, "report" with a page that takes its
// place, as a JSON string, and "ended" with a JSON string that says why nothing follows. Where
// it is Stoppable it sends an empty POST to "stop" there once its reader has agreed.
//
// A Live may be used by several goroutines. Make one with [NewLive].
type Live struct {
	Stoppable bool
	layout    *template.Template
}

// NewLive returns what makes live pages.
func NewLive(stoppable bool) (*Live, error) {
	t, err := read()
	return &Live{Stoppable: stoppable, layout: t}, err
}

// Render writes the page, without what an update brings. Its error is that of w.
func (l *Live) Render(w io.Writer, d *document.Document) error {
	p := newPage(d, Options{})
	p.Live, p.Stoppable = true, l.Stoppable
	for i := range p.Sections {
		p.Sections[i].Open = true
	}
	for _, s := range p.series() {
		// What happened is told in rows of a table, and instants are yet to come.
		s.Marks, s.Last = nil, max(1, s.Last)
	}
	p.plotted = true
	p.dress()
	p.Scripts, p.Policy = append(p.Scripts, template.JS(liveScript)), livePolicy()
	var page bytes.Buffer
	if err := l.layout.Execute(&page, p); err != nil {
		return fmt.Errorf("html: laying out the page: %w", err)
	}
	_, err := page.WriteTo(w)
	return err
}

// update is what brings a page up to date, by the identifiers of its elements.
type update struct {
	// Says is what stands in the bar above the page, Title what it is called.
	Says  string `json:"says"`
	Title string `json:"title"`
	// Texts are the texts of elements, Parts their insides as HTML, Series what is plotted.
	Texts  map[string]string          `json:"texts"`
	Parts  map[string]string          `json:"parts"`
	Series map[string]json.RawMessage `json:"series"`
}

// Update returns what brings a page up to date that [Live.Render] has written, as a JSON
// object without a line's end in it; says is a line for the bar above it.
func (l *Live) Update(d *document.Document, says string) ([]byte, error) {
	p := newPage(d, Options{})
	u := update{Says: words(says), Title: p.Claim, Texts: map[string]string{"title": p.Title, "subtitle": p.Subtitle},
		Parts: make(map[string]string), Series: make(map[string]json.RawMessage)}
	var part bytes.Buffer
	lay := func(id, name string, of any) error {
		part.Reset()
		if err := l.layout.ExecuteTemplate(&part, name, of); err != nil {
			return fmt.Errorf("html: laying out %s: %w", id, err)
		}
		u.Parts[id] = part.String()
		return nil
	}
	if p.Answer != nil {
		if err := lay("state", "state", p.Answer); err != nil {
			return nil, err
		}
	}
	for _, b := range p.all() {
		if b.Table == nil {
			continue
		}
		u.Texts[b.Table.ID+"-caption"] = b.Table.Caption
		if err := lay(b.Table.ID, "table", b.Table); err != nil {
			return nil, err
		}
	}
	for _, s := range p.series() {
		u.Series[s.ID] = json.RawMessage(s.Data)
	}
	return json.Marshal(u)
}

// all returns the blocks of a page, but for its answer.
func (p *page) all() []block {
	blocks := slices.Clone(p.Screen)
	for i := range p.Sections {
		blocks = append(blocks, p.Sections[i].Blocks...)
	}
	return blocks
}

// series returns what is plotted, that of the answer first.
func (p *page) series() []*series {
	var list []*series
	if p.Answer != nil && p.Answer.Series != nil {
		list = append(list, p.Answer.Series)
	}
	for _, b := range p.all() {
		if b.Series != nil {
			list = append(list, b.Series)
		}
	}
	return list
}

// Policy is what a live page may do and load, for the header Content-Security-Policy: what
// its own head says, and that no other page shows it inside itself.
func (l *Live) Policy() string { return livePolicy() + "; frame-ancestors 'none'" }

// livePolicy admits what a live page needs, and the report that takes its place: with what
// draws series, or without.
func livePolicy() string {
	return policy([]string{plotStyle + "\n" + pageStyle, pageStyle}, []string{plotScript, pageScript, liveScript}) + "; connect-src 'self'"
}
