package verdict

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"loadgen/report/document"
	"loadgen/results"
)

// The places of sentences.
const (
	// inClaim is the headline, of which the first is taken, and inBeside what follows it in small letters.
	inClaim document.Place = iota
	inBeside
	// inExample is before everything: what an example shows.
	inExample
	// inLead is the first screen, for as many sentences as it has room for; the others are findings.
	inLead
	// inFindings is the page and --verbose.
	inFindings
	// inKindLimits and inLimits are what no run of its kind shows, and what this run does not show.
	inKindLimits
	inLimits
)

// maxLeads is the maximum number of sentences on the first screen.
const maxLeads = 4

// Story is a judged record in words: the answer with the sentences that decide it, what else stands out, and what the
// run does not show.
type Story struct {
	Answer           document.Answer
	Findings, Limits []string
}

// Narrate returns the story of a judged record.
func Narrate(record *results.Record, summary *results.Summary) Story {
	e := evidenceOf(record, summary)
	_, ok := State(summary)
	story := Story{Answer: e.answer(), Limits: Limits(record)}
	story.Answer.Mark = document.MarkOf(e.State, Asked(summary), ok)
	leads := narrative().Sentences(e, inLead)
	shown := min(len(leads), maxLeads)
	story.Answer.Says = append(narrative().Sentences(e, inExample), leads[:shown]...)
	story.Findings = append(leads[shown:], narrative().Sentences(e, inFindings)...)
	return story
}

// Limits returns what the run does not show, [KindLimits] first.
func Limits(record *results.Record) []string {
	return narrative().Sentences(evidenceOf(record, nil), inKindLimits, inLimits)
}

// KindLimits returns what no run of its kind shows: by its target, model and clock.
func KindLimits(record *results.Record) []string {
	return narrative().Sentences(evidenceOf(record, nil), inKindLimits)
}

// Bucket returns a sentence about throttling of a modelled run that depends on partition_burst; empty if none does.
func Bucket(record *results.Record) string {
	sentences := burstNarrative().Sentences(&evidence{Record: record}, inLead)
	return strings.Join(sentences, " ")
}

// answer returns the headline: the state, the claim with its number, and what the number is compared with.
func (e *evidence) answer() document.Answer {
	var parts [4]string
	if claims := narrative().Phrases(e, inClaim); len(claims) > 0 {
		copy(parts[:], strings.SplitN(claims[0], part, len(parts)))
	}
	a := document.Claimed(e.State, parts[0], parts[1], parts[2], parts[3])
	a.Claim = strings.TrimSuffix(a.Claim, ":") + CheckCount(e.scenarioChecks())
	a.Beside = strings.Join(narrative().Phrases(e, inBeside), " · ")
	return a
}

// CheckCount returns how many checks fail, cannot be told or pass, the first of these that
// applies, as text that follows a claim; empty without checks.
func CheckCount(checks []results.Check) string {
	held, told := results.HeldOf(checks)
	number, verb := held, "pass"
	switch {
	case len(checks) == 0:
		return ""
	case told > held:
		number, verb = told-held, "fail"
	case told < len(checks):
		return fmt.Sprintf("; %d of %s cannot be told", len(checks)-told, document.Counted(len(checks), "check"))
	}
	if number == 1 {
		verb = map[string]string{"pass": "passes", "fail": "fails"}[verb]
	}
	return fmt.Sprintf("; %d of %s %s", number, document.Counted(len(checks), "check"), verb)
}

// TablesLeft names tables in a line: the first ones, and how many there are.
func TablesLeft(tables []string) string {
	var names []string
	for _, table := range tables[:min(maxNamed, len(tables))] {
		names = append(names, document.Printable(shortened(table)))
	}
	text := "the table " + names[0]
	if len(tables) > 1 {
		text = "the tables " + strings.Join(names, ", ")
	}
	if more := len(tables) - len(names); more > 0 {
		text += fmt.Sprintf(" and %s more", document.Count(int64(more)))
	}
	return text
}

type rule = document.Rule[*evidence]

// say makes the rules of a place.
func say(place document.Place) func(evidence func(*evidence) []any, text string) rule {
	return func(of func(*evidence) []any, text string) rule { return rule{Place: place, Evidence: of, Text: text} }
}

// The rules by place.
var (
	claim, beside, example, lead = say(inClaim), say(inBeside), say(inExample), say(inLead)
	finding, kindLimit, limit    = say(inFindings), say(inKindLimits), say(inLimits)
)

// one and each return the evidence of rules that are about a value, which may be missing, or about each of a list.
func one[V any](value func(*evidence) *V) func(*evidence) []any    { return document.One(value) }
func each[V any](values func(*evidence) []V) func(*evidence) []any { return document.Each(values) }

// when and not combine conditions of rules that are about all of the evidence.
func when(conditions ...func(*evidence) bool) func(*evidence) []any {
	return document.When(func(e *evidence) bool {
		return !slices.ContainsFunc(conditions, func(holds func(*evidence) bool) bool { return !holds(e) })
	})
}

func not(condition func(*evidence) bool) func(*evidence) bool {
	return func(e *evidence) bool { return !condition(e) }
}

// in reports whether the state is one of some.
func in(states ...string) func(*evidence) bool {
	return func(e *evidence) bool { return slices.Contains(states, e.State) }
}

// part separates the parts of a headline: before its number, the number, its unit, and after it.
const part = "¦"

// narrative is the narrative of all rules, parsed when it is first needed.
var narrative = sync.OnceValue(func() *document.Narrative[*evidence] {
	return document.NewNarrative(sharedTexts, slices.Concat(headlines, leads, burstRules, loadRules, findings, trafficFindings, kindLimits, limits))
})

var burstNarrative = sync.OnceValue(func() *document.Narrative[*evidence] { return document.NewNarrative("", burstRules) })
