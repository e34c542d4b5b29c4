package document

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"
)

// Place is where the sentences of a rule are shown.
type Place uint8

// Rule is one row of a narrative: a sentence, the evidence that it is written of, and its place.
type Rule[E any] struct {
	Place Place
	// Evidence returns the values that the sentence is about, one sentence for each; none if the rule does not apply.
	Evidence func(E) []any
	// Text is a [text/template] of such a value. Its functions write numbers as tables do: count, rate, share, cut
	// (a share cut off), factor, micros, minutes, seconds, span; things (a counted noun), key (a quoted key), name
	// (escaped), list, round (to some figures), lost (a share that may be unknown).
	Text string
}

// Narrative turns evidence into sentences. It is safe for concurrent use.
type Narrative[E any] struct {
	rules     []Rule[E]
	templates []*template.Template
}

// NewNarrative parses the texts of the rules, which may use the templates that the shared texts define. It panics if one
// is no template: rules are part of the program.
func NewNarrative[E any](shared string, rules []Rule[E]) *Narrative[E] {
	n, root := &Narrative[E]{rules: rules}, template.Must(template.New("").Funcs(sentenceFuncs).Parse(shared))
	for i := range rules {
		n.templates = append(n.templates, template.Must(root.New(strconv.Itoa(i)).Parse(rules[i].Text)))
	}
	return n
}

// sentenceFuncs are the functions of the templates.
var sentenceFuncs = template.FuncMap{
	"count": func(n any) string { return Count(whole(n)) }, "rate": Rate, "share": Share, "cut": CutShare, "factor": CutFactor,
	"micros": Micros, "minutes": Minutes, "seconds": Seconds, "span": Span, "list": Enumerated,
	"round": func(number float64, digits int) string { return Figures(Rounded(number, digits)) },
	"lost":  func(share *float64) string { return cmp.Or(Told(share, Share), "an unknown share") },
	"duration": func(seconds float64) string {
		return time.Duration(seconds * float64(time.Second)).Round(time.Millisecond).String()
	},
	"things": func(n any, thing string) string {
		if whole(n) == 0 {
			return "no " + thing
		}
		return Counted(int(whole(n)), thing)
	},
	"key":  func(key string) string { return Key(key, maxKeyLength) },
	"name": func(name string) string { return Printable(Cut(name, maxNameLength)) },
}

// Bounds of what a sentence shows of a key and of a name, in characters.
const (
	maxKeyLength  = 1024
	maxNameLength = 60
)

func whole(n any) int64 {
	if small, ok := n.(int); ok {
		return int64(small)
	}
	large, _ := n.(int64)
	return large
}

// Printable returns a text with control characters, quotation marks and invalid bytes escaped.
func Printable(text string) string { return strings.Trim(strconv.Quote(text), `"`) }

// Sentences returns the sentences of the rules of some places, in the order of the rules. Each begins with a capital.
func (n *Narrative[E]) Sentences(evidence E, places ...Place) []string {
	list := n.Phrases(evidence, places...)
	for i, text := range list {
		list[i] = strings.ToUpper(text[:1]) + text[1:]
	}
	return list
}

// Phrases returns the texts of the rules of some places, in the order of the rules, as they are.
func (n *Narrative[E]) Phrases(evidence E, places ...Place) []string {
	var list []string
	for i, rule := range n.rules {
		if !slices.Contains(places, rule.Place) {
			continue
		}
		for _, value := range rule.Evidence(evidence) {
			var text strings.Builder
			if err := n.templates[i].Execute(&text, value); err != nil {
				fmt.Fprintf(&text, " (not complete: %v)", err)
			}
			if text.Len() > 0 {
				list = append(list, text.String())
			}
		}
	}
	return list
}

// When returns the evidence of a rule that is about all of it, if a condition holds.
func When[E any](condition func(E) bool) func(E) []any {
	return func(evidence E) []any {
		if condition(evidence) {
			return []any{evidence}
		}
		return nil
	}
}

// Each returns the evidence of a rule that is about each value of a list.
func Each[E, V any](values func(E) []V) func(E) []any {
	return func(evidence E) []any {
		var list []any
		for _, value := range values(evidence) {
			list = append(list, value)
		}
		return list
	}
}

// One returns the evidence of a rule that is about a value, which nil leaves out.
func One[E, V any](value func(E) *V) func(E) []any {
	return func(evidence E) []any {
		if one := value(evidence); one != nil {
			return []any{one}
		}
		return nil
	}
}
