package suggest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"loadgen/report/document"
)

// hasTrials reports whether designs were tried.
func (p *Proposal) hasTrials() bool { return len(p.Own) > 0 }

// Verdict returns in a sentence whether to keep the scenario's own design, or which one is better.
func (p *Proposal) Verdict() string {
	best := p.bestOwn()
	switch {
	case !p.hasTrials():
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
		first := &p.Candidates[0]
		return sentence("verdict/try", first.Design.Name, first.Tried.difference(best.Tried, best.Design.Name))
	}
}

// Document returns the proposal: the designs with their keys on one screen, then the reasons for each, the
// costs of its queries, and the rejected designs.
func (p *Proposal) Document() *document.Document {
	d := &document.Document{Title: "suggest " + p.of.Name, Subtitle: "derived, nothing was sent", Data: p,
		Answer: document.Answer{Claim: p.Verdict()}}
	t, basis := p.proposed(), sentence("basis/derived")
	if p.hasTrials() {
		d.Subtitle = "derived, tried in short simulations"
		t, basis = p.trials(), sentence("basis/tried")
	}
	d.Screen = []document.Block{t}
	for i := range p.Candidates {
		p.Candidates[i].describe(d, i+1)
	}
	var rejected []string
	for _, r := range p.Rejected {
		rejected = append(rejected, r.PartitionKey+" ("+r.Name+"): "+r.Why)
	}
	if p.Unlisted > 0 {
		rejected = append(rejected, "and "+document.Count(int64(p.Unlisted))+" more.")
	}
	d.Add("left-out", "Left out", document.List{Items: rejected}, document.Paragraph{Text: basis})
	return d
}

// proposed lists the candidates with their figures.
func (p *Proposal) proposed() document.Table {
	t := document.NewTable("proposed", "Proposed designs, most promising first", "proposed|words", "PartitionKey|cut=40", "RowKey|cut=40|spare=3",
		"hottest/s|rate|unit=entities/s", "copies|spare=1", "buckets|spare=2", "reads|words")
	for i := range p.Candidates {
		c := &p.Candidates[i]
		var classes []string
		for _, r := range c.Reads {
			if !slices.Contains(classes, r.Class) {
				classes = append(classes, r.Class)
			}
		}
		t.Add(cmp.Or(document.Bad.If(!c.Holds), document.Good), c.Design.Name, c.Design.PartitionKey, c.Design.RowKey, c.Hottest, len(c.Design.Copies), c.Buckets, strings.Join(classes, ", "))
	}
	return t
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
	add("PartitionKey " + c.Design.PartitionKey)
	add("RowKey " + c.Design.RowKey)
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
	known, all := 0.0, 0.0
	for i := range r.questions {
		q := &r.questions[i]
		all += q.frequency
		if r.knowsAll(q, a.set) {
			known += q.frequency
		}
	}
	target := func(limit int64) string {
		if limit == 0 {
			return "no limit"
		}
		return document.Count(limit)
	}
	partitions := document.AtLeast(max(1, int64(math.Round(a.partitions))), a.atLeast)
	list := []string{sentence("why/key", a.design.PartitionKey, known/max(all, 1e-9), partitions, a.Hottest, target(r.options.Targets.Partition),
		a.Account, target(r.options.Targets.Account))}
	if a.buckets > 1 {
		list = append(list, r.whyBuckets(a))
	}
	list = append(list, r.whyRow(a))
	for _, one := range a.design.Copies {
		condition := "why/table"
		if one.Table == "" {
			condition = "why/same"
		}
		list = append(list, sentence(condition, one.Name, one.Table))
	}
	if a.insertCounted > 0 && len(a.design.Copies) > 0 {
		list = append(list, sentence("why/insert", a.insertCounted, document.Averaged(a.insertRequests, "request")))
	}
	if a.appends && a.insertRate > 0 {
		list = append(list, sentence("why/appends", a.insertRate))
	}
	if !r.holdsAccount(a) {
		list = append(list, sentence("why/over", r.exceeded(a)))
	}
	return list
}

// whyBuckets returns the reason for the number of buckets, and their cost for reads.
func (r *rule) whyBuckets(a *candidate) string {
	condition, asks := "why/buckets", ""
	switch {
	case !r.holdsPartition(a):
		condition = "why/too-few"
	case r.limit() == 0:
		condition = "why/spread"
	}
	for _, c := range a.Reads {
		if c.Requests > 1.5 {
			asks += sentence("why/asks", c.Operation, document.Averaged(c.Requests, "request"))
		}
	}
	return sentence(condition, a.buckets, r.bucketBy, r.options.Headroom, asks)
}

// whyRow returns the reason for the RowKey: the first question that its beginning serves.
func (r *rule) whyRow(a *candidate) string {
	key := r.rowKey(a.set, r.questions)
	for i := range r.questions {
		q := &r.questions[i]
		switch {
		case !r.knowsAll(q, a.set):
		case len(key.names) > 0 && r.knowsAll(q, key.names[:1]):
			return sentence("why/known", a.design.RowKey, key.names[0], q.spec.Name)
		case key.timed && len(key.names) == 0 && (q.spec.Span > 0 || q.isLatest()):
			return sentence("why/timed", a.design.RowKey, "", q.spec.Name)
		}
	}
	return sentence("why/unique", a.design.RowKey)
}
