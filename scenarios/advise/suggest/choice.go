package suggest

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"loadgen/scenarios"
)

// choose sets the candidates, the best first, and rejects the others.
func (r *rule) choose(list []candidate, p *Proposal) {
	list = r.withoutOwn(list, p)
	served := slices.ContainsFunc(list, func(a candidate) bool { return !r.mustScan(&a) })
	list = slices.DeleteFunc(list, func(a candidate) bool {
		scans := served && r.mustScan(&a)
		if scans {
			p.reject(&a.design, sentence("reject/scan", strings.Join(a.scans, ", ")))
		}
		return scans
	})
	holds := slices.ContainsFunc(list, func(a candidate) bool { return r.holdsAccount(&a) })
	list = slices.DeleteFunc(list, func(a candidate) bool {
		exceeds := holds && !r.holdsAccount(&a)
		if exceeds {
			p.reject(&a.design, r.exceeded(&a))
		}
		return exceeds
	})
	slices.SortStableFunc(list, func(a, b candidate) int { return r.better(&a, &b) })
	limit := r.options.Most
	if r.options.Try != nil {
		// A trial may change the order.
		limit = max(limit, maxTrials)
	}
	for i := range list {
		a := &list[i]
		simpler := slices.IndexFunc(list[:i], func(b candidate) bool {
			return slices.Equal(a.set, b.set) && len(b.design.Copies) < len(a.design.Copies)
		})
		switch {
		case simpler >= 0:
			p.reject(&a.design, sentence("reject/copies", list[simpler].design.Name))
		case len(p.Candidates) == limit:
			p.reject(&a.design, r.behind(a, &list[0]))
		default:
			a.Design, a.Why, a.Buckets, a.Holds, a.Appends = a.design, r.why(a), a.buckets, r.holdsAccount(a), ""
			p.Candidates = append(p.Candidates, a.Candidate)
		}
	}
}

// withoutOwn returns the candidates without the keys of the scenario's own designs, if those take part.
func (r *rule) withoutOwn(list []candidate, p *Proposal) []candidate {
	if !r.options.Beside {
		return list
	}
	own := ownDesigns(r.scenario)
	same := func(a, b scenarios.Copy) bool {
		return (a.Table == "") == (b.Table == "") && a.PartitionKey == b.PartitionKey && a.RowKey == b.RowKey && slices.Equal(a.Properties, b.Properties)
	}
	return slices.DeleteFunc(list, func(a candidate) bool {
		at := slices.IndexFunc(own, func(d scenarios.Design) bool {
			b := &a.design
			return d.PartitionKey == b.PartitionKey && d.RowKey == b.RowKey && slices.EqualFunc(d.Copies, b.Copies, same) && len(d.Places)+len(b.Places) == 0
		})
		if at >= 0 {
			p.hasOwn = true
			p.reject(&a.design, sentence("reject/own", own[at].Name))
		}
		return at >= 0
	})
}

// mustScan reports whether the dominant question, or one with a bounded response time, has to read several
// partitions.
func (r *rule) mustScan(a *candidate) bool {
	return slices.ContainsFunc(r.questions, func(q question) bool {
		dominant := q.spec == r.questions[0].spec
		return (dominant || q.needed) && slices.Contains(a.scans, q.spec.Name)
	})
}

// criterion is a measure of designs, where less is better. Measures within a factor of step are equal.
type criterion struct {
	condition string
	measure   func(*candidate) float64
	step      float64
}

// criteria returns how designs are ordered after those that sustain the peak: fewer queries that read more
// than they want, lower cost, fewer copies, fewer copies without transactions, fewer buckets, a cooler
// hottest partition. Steps exceed the error of a sample.
func criteria() []criterion {
	return []criterion{
		{"behind/unserved", func(a *candidate) float64 { return float64(a.unserved) }, 0},
		{"behind/cost", func(a *candidate) float64 { return a.Cost }, 1.05},
		{"behind/copies", func(a *candidate) float64 { return float64(len(a.design.Copies)) }, 0},
		{"behind/apart", func(a *candidate) float64 { return float64(apartFrom(&a.design)) }, 0},
		{"behind/buckets", func(a *candidate) float64 { return float64(a.buckets) }, 0},
		{"behind/hottest", func(a *candidate) float64 { return a.Hottest }, 1.1},
	}
}

func (c *criterion) compare(a, b *candidate) int {
	if c.step == 0 {
		return cmp.Compare(c.measure(a), c.measure(b))
	}
	return cmp.Compare(coarse(c.measure(a), c.step), coarse(c.measure(b), c.step))
}

// better orders designs, the best first.
func (r *rule) better(a, b *candidate) int {
	if holds := r.holdsAccount(a); holds != r.holdsAccount(b) {
		if holds {
			return -1
		}
		return 1
	}
	for _, c := range criteria() {
		if order := c.compare(a, b); order != 0 {
			return order
		}
	}
	return cmp.Or(cmp.Compare(len(a.set), len(b.set)), strings.Compare(a.design.Name, b.design.Name))
}

// behind returns the first criterion by which a design is worse than the best, or the last.
func (r *rule) behind(a, best *candidate) string {
	list := criteria()
	at := slices.IndexFunc(list, func(c criterion) bool { return c.compare(a, best) > 0 })
	if at < 0 {
		at = len(list) - 1
	}
	return sentence(list[at].condition, best.design.Name, list[at].measure(a), list[at].measure(best))
}

// exceeded returns which target a design exceeds.
func (r *rule) exceeded(a *candidate) string {
	if fault := r.placement(a); fault != "" {
		return fault
	}
	return sentence("reject/account", a.Account, r.options.Targets.Account)
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
