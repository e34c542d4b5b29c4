package suggest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"loadgen/report/document"
	"loadgen/scenarios"
)

// choose fills in the candidates, the best first, and rejects the rest.
func (r *rule) choose(list []candidate, p *Proposal) {
	list = r.others(list, p)
	served := slices.ContainsFunc(list, func(a candidate) bool { return !r.mustScan(&a) })
	list = slices.DeleteFunc(list, func(a candidate) bool {
		scans := served && r.mustScan(&a)
		if scans {
			p.reject(&a.design, "a scan: "+strings.Join(a.scans, ", ")+" would read several partitions whole for what it wants.")
		}
		return scans
	})
	holds := slices.ContainsFunc(list, func(a candidate) bool { return r.holdsAccount(&a) })
	list = slices.DeleteFunc(list, func(a candidate) bool {
		bursts := holds && !r.holdsAccount(&a)
		if bursts {
			p.reject(&a.design, r.over(&a))
		}
		return bursts
	})
	slices.SortStableFunc(list, func(a, b candidate) int { return r.better(&a, &b) })
	most := r.options.Most
	if r.options.Try != nil {
		// A trial may turn the order.
		most = max(most, mostTrials)
	}
	for i := range list {
		a := &list[i]
		simpler := slices.IndexFunc(list[:i], func(b candidate) bool {
			return slices.Equal(a.set, b.set) && len(b.design.Copies) < len(a.design.Copies)
		})
		if simpler >= 0 {
			p.reject(&a.design, fmt.Sprintf("its copies save less than they cost: %s has fewer, and is better.", list[simpler].design.Name))
			continue
		}
		if len(p.Candidates) == most {
			p.reject(&a.design, r.behind(a, &list[0]))
			continue
		}
		p.Candidates = append(p.Candidates, Candidate{Design: a.design, Why: r.why(a), Buckets: a.buckets, Hottest: a.hottest,
			Account: a.account, Holds: r.holdsAccount(a), Cost: a.cost, Reads: a.reads})
	}
}

// others returns the candidates that have not the keys of a design of the scenario, where
// that takes part itself.
func (r *rule) others(list []candidate, p *Proposal) []candidate {
	if !r.options.Beside {
		return list
	}
	own := ownDesigns(r.scenario)
	return slices.DeleteFunc(list, func(a candidate) bool {
		at := slices.IndexFunc(own, func(d scenarios.Design) bool {
			b := &a.design
			same := func(a, b scenarios.Copy) bool {
				return (a.Table == "") == (b.Table == "") && a.PartitionKey == b.PartitionKey && a.RowKey == b.RowKey && slices.Equal(a.Properties, b.Properties)
			}
			return d.PartitionKey == b.PartitionKey && d.RowKey == b.RowKey && slices.EqualFunc(d.Copies, b.Copies, same) && len(d.Places)+len(b.Places) == 0
		})
		if at >= 0 {
			p.hasOwn = true
			p.reject(&a.design, "your "+own[at].Name+" has these keys, and stands for it.")
		}
		return at >= 0
	})
}

// mustScan reports whether the dominant question, or one with a bounded response time,
// has to read several partitions for what it wants.
func (r *rule) mustScan(a *candidate) bool {
	return slices.ContainsFunc(r.questions, func(q question) bool {
		dominant := q.spec == r.questions[0].spec
		return (dominant || q.needed) && slices.Contains(a.scans, q.spec.Name)
	})
}

// over says which target a design does not hold.
func (r *rule) over(a *candidate) string {
	if lack := r.lack(a); lack != "" {
		return lack
	}
	return "the account counts " + document.Rate(a.account) + " entities/s at the peak, and its target is " + document.Count(r.options.Targets.Account) + " (derived)."
}

// better orders designs: what holds the peak, leaves nobody with a bounded response time
// to read more than he wants, costs less by more than a sample may err, has fewer copies,
// and of them fewer that no transaction keeps consistent, fewer buckets, and the smaller
// partitions.
func (r *rule) better(a, b *candidate) int {
	holding := func(a *candidate) int {
		if r.holdsAccount(a) {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(holding(a), holding(b)), cmp.Compare(a.unserved, b.unserved),
		cmp.Compare(coarse(a.cost, 1.05), coarse(b.cost, 1.05)), cmp.Compare(len(a.design.Copies), len(b.design.Copies)),
		cmp.Compare(apartFrom(&a.design), apartFrom(&b.design)), cmp.Compare(a.buckets, b.buckets), cmp.Compare(coarse(a.hottest, 1.1), coarse(b.hottest, 1.1)),
		cmp.Compare(len(a.set), len(b.set)), strings.Compare(a.design.Name, b.design.Name))
}

// behind says by what a design is behind the best, in the same order.
func (r *rule) behind(a, best *candidate) string {
	than := best.design.Name
	switch {
	case a.unserved > best.unserved:
		return fmt.Sprintf("%s with a bounded response time would read more than it wants, and %d under %s.", document.Counted(a.unserved, "operation"), best.unserved, than)
	case coarse(a.cost, 1.05) > coarse(best.cost, 1.05):
		return fmt.Sprintf("an operation comes to %s requests and counted entities on the average, and to %s under %s (derived).", document.Rate(a.cost), document.Rate(best.cost), than)
	case len(a.design.Copies) > len(best.design.Copies):
		return fmt.Sprintf("it costs about as much as %s and needs %s more.", than, document.Counted(len(a.design.Copies)-len(best.design.Copies), "copy", "copies"))
	case apartFrom(&a.design) > apartFrom(&best.design):
		return fmt.Sprintf("it costs about as much as %s, and no transaction keeps %s consistent.", than, document.Counted(apartFrom(&a.design), "copy", "copies"))
	case a.buckets > best.buckets:
		return fmt.Sprintf("it costs about as much as %s and has %d buckets rather than %d.", than, a.buckets, best.buckets)
	default:
		return fmt.Sprintf("it costs about as much as %s, and its hottest partition counts %s entities/s rather than %s (derived).", than, document.Rate(a.hottest), document.Rate(best.hottest))
	}
}

// apartFrom returns how many copies lie apart from their entities, so that no transaction
// writes both.
func apartFrom(d *scenarios.Design) int {
	apart := 0
	for i := range d.Copies {
		if d.Copies[i].Table != "" || d.Copies[i].PartitionKey != d.PartitionKey {
			apart++
		}
	}
	return apart
}

// coarse rounds a figure to a power of a step: unlike a tolerance, that leaves an order.
func coarse(figure, step float64) float64 {
	return math.Round(math.Log(max(figure, 1e-9)) / math.Log(step))
}
