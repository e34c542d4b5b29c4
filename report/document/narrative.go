package document

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"
)

// Narrative is a table of rules that turn evidence into sentences. It is safe for concurrent use.
type Narrative struct{ rules []rule }

type rule struct {
	place    string
	template *template.Template
}

// PartSeparator separates the parts of a phrase, written as ¦ in the rules.
const PartSeparator = "\x1f"

// sentenceSeparator ends a sentence of several, written as ¶. Evidence does not contain it: names and keys are escaped.
const sentenceSeparator = "\x1e"

// ParseNarrative reads a table of rules. Each is a [text/template] with its condition, which writes the evidence as a
// sentence, or as several that end with ¶, or as nothing if it does not apply. Blank lines separate rules, line breaks
// within them are spaces, and a line "=== place" names the place of those below it. A paragraph that defines templates
// is for all rules.
//
// The functions of the templates write numbers as tables do: count, rate, share, cut (a share cut off), fine (a share to
// hundredths), factor, bytes, micros, lapse (a duration as micros), minutes, seconds, span, duration (of seconds), things (a
// counted noun), figures (three), round (to some figures), finely (to thousandths), lost (a share that may be unknown); text:
// key (a quoted key), name (cut), escape (a name that is not), list, bare (without a full stop), capital (at the beginning);
// sum, minus (at least 0), over (a ratio), half (of an interval) and each (a duration for each) compute. ParseNarrative
// panics if a text is no template: the table is part of the program.
func ParseNarrative(table string) *Narrative {
	n, place, root := &Narrative{}, "", template.New("").Funcs(SentenceFuncs())
	table = strings.NewReplacer("¶", sentenceSeparator, "¦", PartSeparator).Replace(table)
	for i, text := range strings.Split(strings.TrimSpace(table), "\n\n") {
		if name, found := strings.CutPrefix(text, "=== "); found {
			place = name
			continue
		}
		parsed := template.Must(root.New(strconv.Itoa(i)).Parse(lineBreak.ReplaceAllString(text, " ")))
		if !strings.HasPrefix(text, "{{define") {
			n.rules = append(n.rules, rule{place, parsed})
		}
	}
	return n
}

// lineBreak is a line break within a rule.
var lineBreak = regexp.MustCompile(`\s*\n\s*`)

// SentenceFuncs are the functions of the templates.
func SentenceFuncs() template.FuncMap {
	return template.FuncMap{
		"count": func(n any) string { return Count(toInt64(n)) }, "rate": Rate, "share": Share, "cut": CutShare, "factor": CutFactor,
		"finely": Finely, "fine": FineShare, "figures": Figures, "bytes": Bytes,
		"lapse": Lapse, "micros": Micros, "minutes": Minutes, "seconds": Seconds, "span": Span, "list": Enumerated,
		"round": func(number float64, digits int) string { return Figures(Rounded(number, digits)) },
		"lost": func(share *float64) string {
			if share == nil {
				return "an unknown share"
			}
			return Share(*share)
		},
		"duration": func(seconds float64) string {
			return time.Duration(seconds * float64(time.Second)).Round(time.Millisecond).String()
		},
		"things": func(n any, thing string, many ...string) string {
			if toInt64(n) == 0 {
				return "no " + thing
			}
			return Counted(int(toInt64(n)), thing, many...)
		},
		"sum": func(numbers ...any) (sum int64) {
			for _, n := range numbers {
				sum += toInt64(n)
			}
			return sum
		},
		"minus":  func(a, b any) int64 { return max(0, toInt64(a)-toInt64(b)) },
		"each":   func(d time.Duration, n int64) time.Duration { return d / time.Duration(n) },
		"half":   func(interval *[2]float64) float64 { return (interval[1] - interval[0]) / 2 },
		"over":   func(part, of any) float64 { return ratio(part) / ratio(of) },
		"bare":   func(sentence string) string { return strings.TrimSuffix(sentence, ".") },
		"escape": Printable, "capital": capital,
		"key":  func(key string) string { return Key(key, maxKeyLength) },
		"name": func(name string) string { return Printable(Cut(name, maxNameLength)) },
	}
}

// Bounds of what a sentence shows of a key and of a name, in characters.
const (
	maxKeyLength  = 1024
	maxNameLength = 60
)

func toInt64(n any) int64 {
	switch n := n.(type) {
	case int:
		return int64(n)
	case *int64:
		return *n
	}
	large, _ := n.(int64)
	return large
}

// ratio returns a number as a float.
func ratio(n any) float64 {
	if number, ok := n.(float64); ok {
		return number
	}
	return float64(toInt64(n))
}

// Printable returns a text with control characters, quotation marks and invalid bytes escaped.
func Printable(text string) string { return strings.Trim(strconv.Quote(text), `"`) }

// Sentences returns the sentences of some places, in the order of the rules. Each begins with a capital.
func (n *Narrative) Sentences(evidence any, places ...string) []string {
	list := n.Phrases(evidence, places...)
	for i, text := range list {
		list[i] = capital(text)
	}
	return list
}

// capital returns a text with a capital at its beginning.
func capital(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// Phrases returns the texts of some places, in the order of the rules, as they are.
func (n *Narrative) Phrases(evidence any, places ...string) []string {
	var list []string
	for _, rule := range n.rules {
		if !slices.Contains(places, rule.place) {
			continue
		}
		var text strings.Builder
		if err := rule.template.Execute(&text, evidence); err != nil {
			fmt.Fprintf(&text, " (not complete: %v)", err)
		}
		for phrase := range strings.SplitSeq(text.String(), sentenceSeparator) {
			if phrase = strings.TrimSpace(phrase); phrase != "" {
				list = append(list, phrase)
			}
		}
	}
	return list
}
