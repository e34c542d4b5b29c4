package html

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"html/template"
	"slices"
	"strings"
	"unicode/utf8"

	"loadgen/report/document"
)

// page is what the layout lays out.
type page struct {
	// Claim is the name of the page: the answer, or what it is about where there is none.
	Claim, Title, Subtitle string
	Warnings               []string
	Policy                 string
	Style                  template.CSS
	Scripts                []template.JS
	// Live says that the page is told anew while it is open, Stoppable that it can end what
	// it is about.
	Live, Stoppable bool
	// Answer is nil where nothing is answered.
	Answer *answer
	// Screen is what stands below it, open to all.
	Screen   []block
	Sections []section

	plotted bool
}

// answer is what a reader sees first: a state, the number that counts, and what follows
// from it, beside the chart that shows it.
type answer struct {
	tone
	// Class is that of the tone, "plain" for none. Before and After are the claim around
	// the number, which is empty where the claim has none.
	Class                       string
	Before, Number, Unit, After string
	// Long says that the number is of many characters, and takes less room for each.
	Long   bool
	Beside string
	Says   []string
	// Chart or Series answers; both are nil where the screen of the document has none.
	Chart  *chart
	Series *series
}

// section is a part that is folded; Open says that it is not, to begin with.
type section struct {
	ID, Title string
	Open      bool
	Blocks    []block
}

// block has one of its fields.
type block struct {
	Paragraph *paragraph
	List      []string
	Facts     []string
	Table     *table
	Chart     *chart
	Series    *series
	// Above is the figure that stands on the page already.
	Above *above
}

type paragraph struct {
	Text                  string
	Lead, Verbatim, Badge bool
	ID                    string
	tone
}

// chart is a picture with its words.
type chart struct {
	ID, Title, Says string
	// Picture is empty where nobody drew it.
	Picture template.HTML
}

// above leads to a figure that is shown further up.
type above struct{ ID, Title string }

// tone is how a page tells what a word amounts to: by a sign and a word, and by a
// colour.
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
func newPage(d *document.Document, o Options) *page {
	// The more numbers there are, the more instants of each series are merged into two, so that
	// the page stays small.
	stretch, values, counted := 1, 0, make(map[string]bool)
	for _, list := range append([]document.Section{{Blocks: d.Screen}}, d.Sections...) {
		for _, b := range list.Blocks {
			if b, ok := b.(document.Series); ok && !counted[b.ID] {
				counted[b.ID] = true
				values += len(b.Seconds) * (len(b.Lines) + 1)
			}
		}
	}
	if values > mostValues {
		stretch = 2 * ((values + mostValues - 1) / mostValues)
	}
	m := maker{
		ids: names{taken: map[string]bool{"main": true, "contents": true, "answer": true, "answer-name": true, "screen": true, "screen-name": true}}, pictures: o.Pictures,
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
		shown := section{ID: m.ids.take(s.ID), Title: words(cmp.Or(s.Title, "Section"))}
		shown.Blocks = m.blocks(s.Blocks)
		// What answers stands open; where nothing did, the first part does.
		shown.Open = i == 0 && p.Answer == nil
		p.Sections = append(p.Sections, shown)
	}
	p.plotted = m.plotted
	return p
}

// dress adds style, scripts and the policy that admits them; what draws series comes
// along only where there are some.
func (p *page) dress() {
	style, scripts := pageStyle, []string{pageScript}
	if p.plotted {
		style, scripts = plotStyle+"\n"+pageStyle, []string{plotScript, pageScript}
	}
	p.Style, p.Policy = template.CSS(style), policy([]string{style}, scripts)
	for _, script := range scripts {
		p.Scripts = append(p.Scripts, template.JS(script))
	}
}

// maker turns blocks of a document into what the layout lays out.
type maker struct {
	ids      names
	pictures map[string]template.HTML
	stretch  int
	// shown are the figures that are on the page already, by their IDs in the document:
	// none stands there twice.
	shown   map[string]above
	plotted bool
	// marks are those of the series before, which are not listed again.
	marks []document.Mark
}

func (m *maker) blocks(list []document.Block) []block {
	var shown []block
	for _, b := range list {
		if made, some := m.block(b); some {
			shown = append(shown, made)
		}
	}
	return shown
}

// block returns what stands for a block of the document, and false for one that is
// empty.
func (m *maker) block(b document.Block) (block, bool) {
	switch b := b.(type) {
	case document.Paragraph:
		ids := &m.ids
		p := &paragraph{Text: words(strings.TrimSpace(b.Text)), Lead: b.Lead, Verbatim: b.Verbatim, tone: toneOf(b.Tone)}
		if b.Verbatim {
			p.Text, p.ID = words(b.Text), ids.take("text")
		}
		p.Badge = b.Tone != document.Plain && !b.Lead && utf8.RuneCountInString(p.Text) <= badgeLength
		return block{Paragraph: p}, b.Text != ""
	case document.List:
		return block{List: escapeEach(b.Items)}, len(b.Items) > 0
	case document.Facts:
		return block{Facts: escapeEach(b.Lines)}, len(b.Lines) > 0
	case document.Table:
		t := newTable(&b, &m.ids)
		return block{Table: t}, len(t.Columns) > 0
	case document.Chart:
		return m.once("chart-"+b.ID, func() (block, string, string) {
			c := &chart{ID: m.ids.take("chart-" + b.ID), Says: words(b.Says), Picture: m.pictures[b.ID]}
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

// answer returns the answer of a document with the first figure of its screen, nil where
// it has none.
func (m *maker) answer(d *document.Document) *answer {
	of := &d.Answer
	if of.Claim == "" {
		return nil
	}
	a := &answer{tone: toneOf(of.Tone()), Beside: words(of.Beside), Says: escapeEach(of.Says)}
	a.Class = cmp.Or(a.tone.Class, "plain")
	before, after, found := strings.Cut(of.Claim, of.Number)
	a.Before, a.Number, a.Unit = words(of.Claim), words(of.Number), words(of.Unit)
	if of.Number != "" && found {
		a.Before = words(strings.Trim(before, " :"))
		a.After = words(strings.Trim(strings.TrimPrefix(strings.Trim(after, " "), of.Unit), " "))
	}
	const many = 7
	a.Long = utf8.RuneCountInString(a.Number) > many
	for _, b := range d.Screen {
		switch b.(type) {
		case document.Chart, document.Series:
			made, _ := m.block(b)
			a.Chart, a.Series = made.Chart, made.Series
		}
		if a.Chart != nil || a.Series != nil {
			break
		}
	}
	return a
}

// once makes a figure, or leads to it where the page has it already.
func (m *maker) once(key string, show func() (shown block, id, title string)) block {
	if at, again := m.shown[key]; again {
		return block{Above: &at}
	}
	b, id, title := show()
	m.shown[key] = above{id, title}
	return b
}

// badgeLength is how many characters a toned paragraph may have to be shown as a badge.
const badgeLength = 48

// policy is the content policy of a page with those styles and scripts: it names
// them by their hashes and forbids all else but pictures inside the page. Style
// attributes are forbidden, too: the pictures of package chart have none.
func policy(styles, scripts []string) string {
	var named, dressed strings.Builder
	for _, style := range styles {
		dressed.WriteString(" " + fingerprint(style))
	}
	for _, script := range scripts {
		named.WriteString(" " + fingerprint(script))
	}
	if len(scripts) == 0 {
		named.WriteString(" 'none'")
	}
	return "default-src 'none'; script-src" + named.String() +
		"; style-src" + dressed.String() +
		"; img-src data:; base-uri 'none'; form-action 'none'"
}

// fingerprint is how a policy names a script or style.
func fingerprint(content string) string {
	sum := sha256.Sum256([]byte(content))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
