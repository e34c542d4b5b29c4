package suggest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"loadgen/report/document"
)

// Document says what is proposed: the designs with their keys on one screen, then the
// reasons for each, what its queries come to, and what was left out.
func (p *Proposal) Document() *document.Document {
	d := &document.Document{Title: "suggest " + p.of.Name, Subtitle: "derived, nothing was sent", Data: p,
		Answer: document.Answer{Claim: p.Verdict()}}
	rests := "Every number is derived: nothing was sent."
	if p.tried() {
		d.Subtitle = "derived, and tried in short simulations"
		rests = "The trials were short simulations by a seed that no run of a contest has; every other number is derived."
	}
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
		c.describe(d, i+1)
	}
	if p.tried() {
		t = p.trials()
	}
	d.Screen = []document.Block{t}
	var rejected []string
	for _, r := range p.Rejected {
		rejected = append(rejected, r.PartitionKey+" ("+r.Name+"): "+r.Why)
	}
	if p.Unlisted > 0 {
		rejected = append(rejected, "and "+document.Count(int64(p.Unlisted))+" more.")
	}
	d.Add("left-out", "Left out", document.List{Items: rejected}, document.Paragraph{Text: rests + " Which of them is best, a contest says."})
	return d
}

// describe adds a section of all that is to be said of a candidate, the n-th.
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
			t.Notes = []string{document.Untold + ": too seldom to be met in a sample"}
		}
		t.Add(r.Operation, r.Requests, r.Counted, r.Class)
	}
	to.Add(id, fmt.Sprintf("%d. %s", n, c.Design.Name), append(blocks, document.List{Items: c.Why}, t)...)
}
