package suggest

import (
	"fmt"
	"math"

	"loadgen/report/document"
)

// Verdict returns in a sentence whether to keep the scenario's own design, or which one is better.
func (p *Proposal) Verdict() string {
	best := p.bestOwn()
	switch {
	case len(p.Own) == 0:
		return sentence("verdict/count", document.Counted(len(p.Candidates), "design"))
	case p.Keep != "":
		text := sentence("verdict/keep", p.Keep, minPart)
		if best.Tried.Failed > 0 {
			text += sentence("verdict/failing", best.Tried.Failed)
		}
		if best.Appends != "" {
			text += sentence("verdict/appends", best.Appends)
		}
		return text
	case best == nil:
		return sentence("verdict/only", p.Candidates[0].Design.Name)
	default:
		_, difference := p.Candidates[0].Tried.compare(best.Tried, best.Design.Name)
		return sentence("verdict/try", p.Candidates[0].Design.Name, difference)
	}
}

// Document returns a proposal with trials: the designs with their keys on one screen, then the reasons for
// each, the costs of its queries, and the rejected designs.
func (p *Proposal) Document() *document.Document {
	d := &document.Document{Title: "suggest " + p.of.Name, Subtitle: "derived, tried in short simulations", Data: p,
		Answer: document.Answer{Claim: p.Verdict()}, Screen: []document.Block{p.trials()}}
	for i := range p.Candidates {
		p.Candidates[i].describe(d, i+1)
	}
	d.Add("left-out", "Left out", document.List{Items: p.Rejected}, document.Paragraph{Text: sentence("basis/tried", document.Counted(p.tried, "design"))})
	return d
}

// trials lists the results of all designs that were tried, the scenario's own first.
func (p *Proposal) trials() document.Table {
	t := document.NewTable("proposed", "Short simulations of all designs", "tried|words", "|words", "PartitionKey|cut=40",
		"RowKey|cut=40|spare=3", "copies|spare=2", "checks failed|spare=1", "lost|share", "throttled|share", "requests|rate|spare=1", "entities/op|rate")
	add := func(c *Candidate, mark string, best bool) {
		row := []any{"cannot serve", nil, nil, nil, nil}
		if tried := c.Tried; tried != nil {
			row = []any{tried.Failed, tried.Lost, tried.Throttled, tried.Requests, tried.Counted}
		}
		d := &c.Design
		t.Add(document.Good.If(best), d.Name, mark, d.PartitionKey, d.RowKey, len(d.Copies), row)
	}
	for i := range p.Own {
		add(&p.Own[i], "yours", p.Own[i].Design.Name == p.Keep)
	}
	for i := range p.Candidates {
		add(&p.Candidates[i], "proposed", i == 0 && p.Keep == "")
	}
	return t
}

// describe adds a section about the n-th candidate.
func (c *Candidate) describe(to *document.Document, n int) {
	id := fmt.Sprintf("proposal-%d", n)
	var blocks []document.Block
	add := func(sentence string) { blocks = append(blocks, document.Paragraph{Text: sentence}) }
	add("PartitionKey " + c.Design.PartitionKey + ", RowKey " + c.Design.RowKey)
	for _, one := range c.Design.Copies {
		table := ""
		if one.Table != "" {
			table = ", table " + one.Table
		}
		add(fmt.Sprintf("copy %s%s: %s / %s", one.Name, table, one.PartitionKey, one.RowKey))
	}
	t := document.NewTable(id+"-reads", "Average cost of each query", "query|words", "requests|rate|nonzero", "counts|rate|nonzero|unit=entities", "class|words")
	for _, r := range c.Reads {
		if r.Requests == 0 {
			t.Notes = []string{sentence("basis/rare")}
		}
		t.Add(r.Operation, r.Requests, r.Counted, r.Class)
	}
	to.Add(id, fmt.Sprintf("%d. %s", n, c.Design.Name), append(blocks, document.List{Items: c.Why}, t)...)
}

// why returns the reasons for a design.
func (r *rule) why(a *candidate) []string {
	var list []string
	add := func(applies bool, condition string, values ...any) {
		if applies {
			list = append(list, sentence(condition, values...))
		}
	}
	known, all := 0.0, 0.0
	for i := range r.questions {
		q := &r.questions[i]
		all += q.frequency
		if r.knowsAll(q, a.set) {
			known += q.frequency
		}
	}
	add(all > 0, "why/known", a.design.PartitionKey, known/max(all, 1e-9))
	add(true, "why/key", document.AtLeast(max(1, int64(math.Round(a.partitions))), a.atLeast), a.Hottest, a.Account)
	add(a.buckets > 1 && r.holdsPartition(a), "why/buckets", a.buckets, r.bucketBy)
	add(a.buckets > 1 && !r.holdsPartition(a), "why/too-few", a.buckets, r.bucketBy)
	for _, one := range a.design.Copies {
		add(one.Table != "", "why/table", one.Name, one.Table)
		add(one.Table == "", "why/same", one.Name)
	}
	add(a.appends && a.insertRate > 0, "why/appends", a.insertRate)
	add(!r.holdsAccount(a), "why/over", r.exceeded(a))
	return list
}
