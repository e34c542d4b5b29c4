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
	t := document.Table{ID: "proposed", Caption: "What short simulations said of your designs and of those proposed", Columns: []document.Column{
		{Title: "tried", Words: true}, {Title: "", Words: true}, {Title: "PartitionKey", Words: true}, {Title: "RowKey", Words: true, Spare: 3},
		{Title: "copies", Spare: 2}, {Title: "checks failed", Spare: 1}, {Title: "lost"}, {Title: "throttled"}, {Title: "requests", Spare: 1}, {Title: "entities/op"}}}
	add := func(d *scenarios.Design, mark string, tried *Tried, tone document.Tone) {
		row := document.Cells(d.Name, mark, document.Cut(d.PartitionKey, keyWidth), document.Cut(d.RowKey, keyWidth), document.Count(int64(len(d.Copies))))
		if tried == nil {
			row = append(row, document.Cells("cannot serve", document.Untold, document.Untold, document.Untold, document.Untold)...)
		} else {
			row = append(row, document.Cells(document.Count(int64(tried.Failed)), document.Share(tried.Lost), document.Share(tried.Throttled),
				document.Rate(tried.Requests), document.Rate(tried.Counted))...)
		}
		row[0].Tone = tone
		t.Rows = append(t.Rows, row)
	}
	for i := range p.Own {
		tone := document.Plain
		if p.Own[i].Design.Name == p.Keep {
			tone = document.Good
		}
		add(&p.Own[i].Design, "yours", p.Own[i].Tried, tone)
	}
	for i := range p.Candidates {
		tone := document.Plain
		if i == 0 && p.Keep == "" {
			tone = document.Good
		}
		add(&p.Candidates[i].Design, "proposed", p.Candidates[i].Tried, tone)
	}
	return t
}
