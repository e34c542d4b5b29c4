package verdict

import (
	_ "embed"
	"strings"
	"sync"

	"loadgen/report/document"
	"loadgen/results"
)

// The places of sentences, as narrative.tmpl names them.
const (
	// question is what a run answers; the other rules ask for it.
	question = "question"
	// unknownTraffic is why it is unknown whether captured traffic is sustained.
	unknownTraffic = "unknown traffic"
	// claims are headlines, and the first one is used: words ¦ number ¦ unit ¦ words. asides follow it in small letters.
	claims = "claims"
	asides = "asides"
	// checkNumber is how many checks pass, after the claim.
	checkNumber = "number of checks"
	// examples say what an example shows, after the leads.
	examples = "examples"
	// leads are for the first screen, as many as it has room for; the others are findings.
	leads = "leads"
	// reasons are of the validity, books are counts that do not reconcile, which are reasons as well.
	reasons = "reasons"
	books   = "books"
	// clientLimits say how the generator did not send the load as due.
	clientLimits = "client limits"
	// bursts are leads about throttling that depends on partition_burst.
	bursts = "bursts"
	// findings are for the page and --verbose.
	findings = "findings"
	// kindLimits and limits are what no run of its kind shows, and what this run does not show.
	kindLimits = "limits of the kind"
	limits     = "limits"
)

// maxLeads is the maximum number of sentences on the first screen.
const maxLeads = 4

// Story is a judged record in words: the answer with the sentences that decide it, what else stands out, and what the
// run does not show. Warnings are about the record.
type Story struct {
	Answer                     document.Answer
	Findings, Limits, Warnings []string
}

// Narrate returns the story of a judged record.
func Narrate(record *results.Record, summary *results.Summary) Story {
	return evidenceOf(record, summary).story()
}

func (e *evidence) story() Story {
	story, mark := Story{Answer: e.answer(), Limits: narrative().Sentences(e, kindLimits, limits), Warnings: narrative().Sentences(e, "warnings")}, Mark(e.Record, e.Summary)
	story.Answer.Mark = &mark
	said := narrative().Sentences(e, leads, bursts)
	shown := min(len(said), maxLeads)
	story.Answer.Says = append(said[:shown:shown], narrative().Sentences(e, examples)...)
	story.Findings = append(said[shown:], narrative().Sentences(e, findings)...)
	return story
}

// KindLimits returns what no run of its kind shows: by its target, model and clock.
func KindLimits(record *results.Record) []string {
	return narrative().Sentences(evidenceOf(record, nil), kindLimits)
}

// Bucket returns a sentence about throttling of a modelled run that depends on partition_burst; empty if none does.
func Bucket(record *results.Record) string {
	return strings.Join(narrative().Sentences(&evidence{Record: record}, bursts), " ")
}

// answer returns the headline: the state, the claim with its number, and what the number is compared with.
func (e *evidence) answer() document.Answer {
	var parts [4]string
	if found := narrative().Phrases(e, claims); len(found) > 0 {
		copy(parts[:], strings.SplitN(found[0], document.PartSeparator, len(parts)))
	}
	if before := parts[0]; before != "" && !strings.HasPrefix(before, ":") {
		parts[0] = " " + before
	}
	a := document.Claimed(e.State, parts[0], parts[1], parts[2], parts[3])
	a.Claim = strings.TrimSuffix(a.Claim, ":") + strings.Join(narrative().Phrases(e, checkNumber), "")
	a.Beside = strings.Join(narrative().Phrases(e, asides), " · ")
	return a
}

// CheckCount returns how many checks fail, are unknown or pass, the first of these that
// applies, as text that follows the claim of a state; empty without checks.
func CheckCount(state string, checks []results.Check) string {
	e := &evidence{Record: &results.Record{}, Summary: &results.Summary{Checks: checks}, State: state}
	return strings.Join(narrative().Phrases(e, checkNumber), "")
}

// checkCount is the number of checks that fail, are unknown or hold.
type checkCount struct{ All, Fail, Unknown, Hold int }

// CheckCount counts the checks of the scenario.
func (e *evidence) CheckCount() checkCount {
	checks := e.scenarioChecks()
	held, told := results.HeldOf(checks)
	return checkCount{len(checks), told - held, len(checks) - told, held}
}

// TablesLeft names tables in a line: the first ones, and how many there are.
func TablesLeft(tables []string) string {
	e := &evidence{Record: &results.Record{}, Summary: &results.Summary{Killed: &results.Killed{Tables: tables}}}
	return strings.Join(narrative().Phrases(e, "tables left"), "")
}

//go:embed narrative.tmpl
var narrativeTable string

// narrative is the table of all sentences, parsed when it is first needed.
var narrative = sync.OnceValue(func() *document.Narrative { return document.ParseNarrative(narrativeTable) })
