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
	a.Before, a.Number, a.Unit, a.After = claim(of)
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

// claim takes a claim apart about its number and that number's unit.
func claim(a *document.Answer) (before, number, unit, after string) {
	before, after, found := strings.Cut(a.Claim, a.Number)
	if a.Number == "" || !found {
		return words(a.Claim), words(a.Number), words(a.Unit), ""
	}
	after = strings.TrimPrefix(strings.Trim(after, " "), a.Unit)
	return words(strings.Trim(before, " :")), words(a.Number), words(a.Unit), words(strings.Trim(after, " "))
}
