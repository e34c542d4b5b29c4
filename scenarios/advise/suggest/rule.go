package suggest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"loadgen/report/document"
	"loadgen/scenarios"
	"loadgen/scenarios/advise"
	"loadgen/scenarios/advise/keystatistics"
	"loadgen/scenarios/keys"
)

// rule is the documents' rule at work on one scenario. It belongs to one goroutine.
type rule struct {
	scenario   *scenarios.Scenario
	options    Options
	attributes *attributes
	questions  []question
	// inserts is which share of the operations insert.
	inserts float64
	// unique tells any two entities apart, bucketBy is what buckets are chosen by, empty
	// where transactions leave nothing, timeFormat how a RowKey has the time.
	unique, bucketBy, timeFormat string
	// taken are the names of the scenario's own designs, of their copies and tables, named
	// what drafts are called by what they are.
	taken, named map[string]string
}

// insertHeavy is from which share of inserts on a key that appends is not proposed.
const insertHeavy = 0.05

// The bounds of what is computed, by far the most of the work.
const (
	// mostComputed is how many drafts are, mostParted of how many of them buckets are
	// sought, mostTried how many numbers of buckets are tried for one.
	mostComputed = 12
	mostParted   = 5
	mostTried    = 8
)

// Designs proposes designs for a scenario that was found sound and whose files have been
// read. The error joins the faults of the options, wraps [ErrUnsuited], or is that of a
// scenario that cannot be run. It is a pure function of its arguments: the same scenario
// is always proposed the same.
func Designs(s *scenarios.Scenario, o Options) (*Proposal, error) {
	if err := errors.Join(o.Validate()...); err != nil {
		return nil, err
	}
	if err := suited(s); err != nil {
		return nil, err
	}
	r, err := newRule(s, o)
	if err != nil {
		return nil, err
	}
	p := &Proposal{of: s, options: r.options}
	drafts, err := r.drafts(p)
	if err != nil {
		return nil, err
	}
	candidates, err := r.compute(drafts, p)
	if err != nil {
		return nil, err
	}
	r.choose(candidates, p)
	if len(p.Candidates) == 0 && !p.hasOwn {
		why := "none of its attributes is known to an operation that reads"
		if len(p.Rejected) > 0 {
			why = "of " + p.Rejected[0].PartitionKey + ": " + p.Rejected[0].Why
		}
		return nil, fmt.Errorf("%w: nothing that the rule comes to can serve the scenario; %s", ErrUnsuited, why)
	}
	if o.Try == nil {
		return p, nil
	}
	return p, r.try(p)
}

func newRule(s *scenarios.Scenario, o Options) (*rule, error) {
	o.Most, o.Headroom = cmp.Or(o.Most, usualMost), cmp.Or(o.Headroom, usualHeadroom)
	if o.Targets == nil {
		targets, _, err := advise.TargetsOf(s)
		if err != nil {
			return nil, err
		}
		o.Targets = &targets
	}
	r := &rule{scenario: s, options: o, timeFormat: "ticks", taken: make(map[string]string), named: make(map[string]string)}
	take := func(name string) {
		if name != "" {
			r.taken[strings.ToLower(name)] = name
		}
	}
	for _, d := range ownDesigns(s) {
		take(d.Name)
		for _, one := range slices.Concat(d.Copies, d.Places) {
			take(one.Name)
			take(one.Table)
		}
	}
	g, err := s.Generator()
	if err != nil {
		return nil, err
	}
	r.attributes = &attributes{options: keys.Options{Attributes: s.Attributes}, generator: g, seen: make(map[string]nature),
		own: append(names(s.Design.RowKey), names(s.Design.PartitionKey)...)}
	for _, one := range s.Attributes {
		if keys.IsTime(one.Values) && r.attributes.time == "" {
			r.attributes.time = one.Name
		}
	}
	r.questions, r.inserts = questions(s)
	shared, batches := together(s)
	r.unique = r.attributes.unique(shared)
	r.bucketBy = r.unique
	if batches {
		// What a transaction writes falls into one bucket.
		r.bucketBy = ""
		for _, name := range shared {
			if !r.attributes.nature(name).constant {
				r.bucketBy = name
				break
			}
		}
	}
	for i := range r.questions {
		if r.questions[i].latest() {
			r.timeFormat = "inverted"
		}
	}
	return r, nil
}

// together returns the attributes that the entities of every transaction share, and
// whether there are transactions.
func together(s *scenarios.Scenario) (shared []string, batches bool) {
	for i := range s.Phases {
		for _, op := range s.Phases[i].Operations() {
			switch {
			case op.Entities == 0 || s.Phases[i].Traffic == nil || !s.Phases[i].Traffic.Events():
			case !batches:
				shared, batches = slices.Clone(op.Together), true
			default:
				shared = slices.DeleteFunc(shared, func(name string) bool { return !slices.Contains(op.Together, name) })
			}
		}
	}
	return shared, batches
}

// drafts returns the designs that are worth computing, the most promising first. Keys
// that append are rejected where much is inserted, and their buckets drafted instead.
func (r *rule) drafts(p *Proposal) ([]draft, error) {
	var list []draft
	roughly := make(map[string]float64)
	for _, set := range r.sets() {
		buckets := 1
		if r.appends(set) && r.inserts >= insertHeavy {
			d, _ := r.draft(set, parts{1, 1}, 0)
			first := max(0, slices.IndexFunc(set, func(name string) bool { return !r.attributes.nature(name).constant }))
			p.reject(&d.design, keystatistics.AppendOnly.String()+": it begins with "+set[first]+
				", which rises or falls as entities come about, and "+document.Share(r.inserts)+
				" of the operations insert: all of those fall on one partition server, whatever the number of keys.")
			if r.bucketBy == "" {
				continue
			}
			buckets = fewestBuckets
		}
		for copied := range mostCopies + 1 {
			d, some := r.draft(set, parts{buckets, 1}, copied)
			if !some {
				break
			}
			// About what an operation costs, on the average.
			cost, all := 0.0, 0.0
			for i := range r.questions {
				plan, err := r.plan(&r.questions[i], &d.design)
				if err != nil {
					return nil, err
				}
				cost += r.questions[i].score() * plan.rank()
				all += r.questions[i].score()
			}
			cost *= (1 - r.inserts) / max(all, 1e-9)
			for i := range d.design.Copies {
				writes := 2.0
				if d.design.Copies[i].Table == "" {
					writes = 1
				}
				cost += writes * r.inserts
			}
			roughly[d.design.Name] = cost
			list = append(list, d)
		}
	}
	slices.SortStableFunc(list, func(a, b draft) int {
		return cmp.Or(cmp.Compare(roughly[a.design.Name], roughly[b.design.Name]), cmp.Compare(len(a.design.Copies), len(b.design.Copies)))
	})
	for i := mostComputed; i < len(list); i++ {
		p.reject(&list[i].design, "others promise more: what its queries read was rated worse than that of "+fmt.Sprint(mostComputed)+" others, by their classes alone.")
	}
	return list[:min(len(list), mostComputed)], nil
}

// limit is what a partition may count a second at the peak, 0 for anything.
func (r *rule) limit() float64 {
	return float64(r.options.Targets.Partition) * (1 - r.options.Headroom)
}
