package suggest

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"loadgen/scenarios"
)

// choose sets the candidates, the best first, and rejects the others. More are left if trials may change
// their order.
func (r *rule) choose(list []candidate, p *Proposal, tried bool) {
	reject := func(why func(a *candidate) string) {
		list = slices.DeleteFunc(list, func(a candidate) bool {
			text := why(&a)
			if text != "" {
				p.reject(&a.design, text)
			}
			return text != ""
		})
	}
	reject(func(a *candidate) string { return r.own(a, p) })
	if slices.ContainsFunc(list, func(a candidate) bool { return !r.mustScan(&a) }) {
		reject(func(a *candidate) string {
			if !r.mustScan(a) {
				return ""
			}
			return sentence("reject/scan", strings.Join(a.scans, ", "))
		})
	}
	if slices.ContainsFunc(list, func(a candidate) bool { return r.holdsAccount(&a) }) {
		reject(r.exceeded)
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return r.better(&a, &b) })
	limit := maxProposed
	if tried {
		limit = maxTrials
	}
	for i := range list {
		a := &list[i]
		// Copies that cost more than they save are of no use.
		simpler := slices.ContainsFunc(list[:i], func(b candidate) bool {
			return slices.Equal(a.set, b.set) && len(b.design.Copies) < len(a.design.Copies)
		})
		if !simpler && len(p.Candidates) < limit {
			a.Design, a.Why, a.Buckets, a.Holds, a.Appends = a.design, r.why(a), a.buckets, r.holdsAccount(a), ""
			p.Candidates = append(p.Candidates, a.Candidate)
		}
	}
}

// own names the scenario's own design with the keys of a candidate, empty for none.
func (r *rule) own(a *candidate, p *Proposal) string {
	same := func(a, b scenarios.Copy) bool {
		return (a.Table == "") == (b.Table == "") && a.PartitionKey == b.PartitionKey && a.RowKey == b.RowKey && slices.Equal(a.Properties, b.Properties)
	}
	for _, d := range ownDesigns(r.scenario) {
		b := &a.design
		if d.PartitionKey == b.PartitionKey && d.RowKey == b.RowKey && slices.EqualFunc(d.Copies, b.Copies, same) && len(d.Places)+len(b.Places) == 0 {
			p.hasOwn = true
			return sentence("reject/own", d.Name)
		}
	}
	return ""
}

// mustScan reports whether the dominant question, or one with a bounded response time, has to read several
// partitions.
func (r *rule) mustScan(a *candidate) bool {
	return slices.ContainsFunc(r.questions, func(q question) bool {
		dominant := q.spec == r.questions[0].spec
		return (dominant || q.needed) && slices.Contains(a.scans, q.spec.Name)
	})
}

// measures returns the figures by which designs are ordered, where less is better: those that exceed a
// target, queries that read more than they want, cost, copies, copies without transactions, buckets,
// the rate of the hottest partition, and attributes, these before the rate if there are no questions.
// Rounding exceeds the error of a sample.
func (r *rule) measures(a *candidate) []float64 {
	exceeds, hottest, attributes := 0.0, coarse(a.Hottest, 1.1), float64(len(a.set))
	if !r.holdsAccount(a) {
		exceeds = 1
	}
	if len(r.questions) == 0 {
		hottest, attributes = attributes, hottest
	}
	return []float64{exceeds, float64(a.unserved), coarse(a.Cost, 1.05), float64(len(a.design.Copies)), float64(apartFrom(&a.design)),
		float64(a.buckets), hottest, attributes}
}

// better orders designs, the best first.
func (r *rule) better(a, b *candidate) int {
	return cmp.Or(slices.Compare(r.measures(a), r.measures(b)), strings.Compare(a.design.Name, b.design.Name))
}

// exceeded returns which target a design exceeds, empty for none.
func (r *rule) exceeded(a *candidate) string {
	if fault := r.placement(a); fault != "" || r.holdsAccount(a) {
		return fault
	}
	return sentence("reject/account", a.Account, r.targets.Account)
}

// apartFrom returns the number of copies that no transaction writes together with their entities.
func apartFrom(d *scenarios.Design) int {
	apart := 0
	for i := range d.Copies {
		if d.Copies[i].Table != "" || d.Copies[i].PartitionKey != d.PartitionKey {
			apart++
		}
	}
	return apart
}

// coarse rounds a figure to a power of a step, which is an order, unlike a tolerance.
func coarse(figure, step float64) float64 {
	return math.Round(math.Log(max(figure, 1e-9)) / math.Log(step))
}
