package html

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"loadgen/report/document"
)

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
