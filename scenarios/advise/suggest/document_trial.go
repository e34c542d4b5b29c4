package suggest

import (
	"fmt"

	"loadgen/report/document"
	"loadgen/scenarios"
)

// tried reports whether there were trials.
func (p *Proposal) tried() bool { return len(p.Own) > 0 }

// Verdict says in a sentence whether the scenario's own design is to be kept, and what is
// better where one is.
func (p *Proposal) Verdict() string {
	if !p.tried() {
		return document.Counted(len(p.Candidates), "design") + " to try, the most promising first"
	}
	best := p.bestOwn()
	if p.Keep != "" {
		says := fmt.Sprintf("Keep yours: no proposal is better than %s by more than %s %%", p.Keep, document.Count(int64(100*aPart)))
		if best.Tried.Failed > 0 {
			says += ", though " + failing(best.Tried.Failed) + " under it"
		}
		if best.Appends != "" {
			says += "; but its inserts come as " + best.Appends + ", at any moment in one place"
		}
		return says
	}
	first := &p.Candidates[0]
	if best == nil {
		return "Try " + first.Design.Name + ": none of your designs can serve the scenario"
	}
	return "Try " + first.Design.Name + ": " + first.Tried.apart(best.Tried, best.Design.Name)
}

// apart says by what two trials differ most, in the order of [Tried.against].
func (t *Tried) apart(other *Tried, name string) string {
	const where = " in a short simulation, "
	switch {
	case t.Failed != other.Failed:
		return failing(t.Failed) + where + document.Count(int64(other.Failed)) + " under " + name
	case t.Lost > other.Lost+aShare || other.Lost > t.Lost+aShare:
		return document.Share(t.Lost) + " is lost" + where + document.Share(other.Lost) + " under " + name
	case t.Throttled > other.Throttled+aShare || other.Throttled > t.Throttled+aShare:
		return document.Share(t.Throttled) + " is throttled" + where + document.Share(other.Throttled) + " under " + name
	default:
		return "an operation comes to " + document.Rate(t.cost()) + " requests and counted entities" + where + document.Rate(other.cost()) + " under " + name
	}
}

func failing(checks int) string {
	if checks == 1 {
		return "1 check fails"
	}
	return document.Counted(checks, "check") + " fail"
}

// trials is one line for each design that was tried, the scenario's own marked: its keys,
// and what a short simulation said.
func (p *Proposal) trials() document.Table {
	t := document.NewTable("proposed", "Short simulations of your designs and the proposed ones", "tried|words", "|words", "PartitionKey|cut=40",
		"RowKey|cut=40|spare=3", "copies|spare=2", "checks failed|spare=1", "lost|share", "throttled|share", "requests|rate|spare=1", "entities/op|rate")
	add := func(d *scenarios.Design, mark string, tried *Tried, best bool) {
		row := []any{"cannot serve", nil, nil, nil, nil}
		if tried != nil {
			row = []any{tried.Failed, tried.Lost, tried.Throttled, tried.Requests, tried.Counted}
		}
		t.Add(document.Good.If(best), d.Name, mark, d.PartitionKey, d.RowKey, len(d.Copies), row)
	}
	for i := range p.Own {
		add(&p.Own[i].Design, "yours", p.Own[i].Tried, p.Own[i].Design.Name == p.Keep)
	}
	for i := range p.Candidates {
		add(&p.Candidates[i].Design, "proposed", p.Candidates[i].Tried, i == 0 && p.Keep == "")
	}
	return t
}
