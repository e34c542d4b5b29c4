package suggest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"loadgen/scenarios"
	"loadgen/scenarios/advise"
	"loadgen/scenarios/keys"
)

// rule applies the documents' rule to one scenario. It belongs to one goroutine.
type rule struct {
	scenario   *scenarios.Scenario
	targets    *advise.Targets
	attributes *attributes
	questions  []question
	// needed reports whether the response time of an operation is bounded.
	needed func(operation string) bool
	// inserts is the share of the operations that insert, inserted how many entities each of them inserts,
	// without copies.
	inserts  float64
	inserted map[string]int
	// unique differs between any two entities. bucketBy selects buckets, empty if transactions leave no
	// attribute for it. timeFormat is the format of the time in a RowKey.
	unique, bucketBy, timeFormat string
	// taken are the names of designs, copies and tables in lower case, names those of drafts.
	taken map[string]bool
	names map[string]string
}

// insertHeavy is the share of inserts from which keys that append are not proposed.
const insertHeavy = 0.05

// Deriving figures takes most of the time.
const (
	// maxComputed is the number of drafts with figures, maxBucketed the number of those for which buckets
	// are tried, maxTried how many numbers of buckets are tried for one.
	maxComputed = 12
	maxBucketed = 5
	maxTried    = 8
)

// Designs proposes designs for a valid scenario whose files have been read. The candidates and the
// scenario's own designs are tried before they are ranked, unless try is nil. The error wraps [ErrUnsuited],
// or is that of an invalid scenario or of a trial.
func Designs(s *scenarios.Scenario, try Try) (*Proposal, error) {
	if err := checkSuited(s); err != nil {
		return nil, err
	}
	r, err := newRule(s)
	if err != nil {
		return nil, err
	}
	p := &Proposal{of: s}
	drafts, err := r.drafts(p)
	if err != nil {
		return nil, err
	}
	candidates, err := r.compute(drafts, p)
	if err != nil {
		return nil, err
	}
	r.choose(candidates, p, try != nil)
	if len(p.Candidates) == 0 && !p.hasOwn {
		why := "no attribute has several values"
		if len(p.Rejected) > 0 {
			why = p.Rejected[0]
		}
		return nil, fmt.Errorf("%w: no design can serve the scenario; %s", ErrUnsuited, why)
	}
	if try == nil {
		return p, nil
	}
	return p, r.try(p, try)
}

func newRule(s *scenarios.Scenario) (*rule, error) {
	targets, err := advise.TargetsOf(s)
	if err != nil {
		return nil, err
	}
	r := &rule{scenario: s, targets: targets, needed: needs(s), inserted: make(map[string]int),
		timeFormat: "ticks", taken: make(map[string]bool), names: make(map[string]string)}
	for _, d := range ownDesigns(s) {
		r.taken[strings.ToLower(d.Name)] = true
		for _, one := range slices.Concat(d.Copies, d.Places) {
			r.taken[strings.ToLower(one.Name)], r.taken[strings.ToLower(one.Table)] = true, true
		}
	}
	g, err := s.Generator()
	if err != nil {
		return nil, err
	}
	r.attributes = &attributes{options: keys.Options{Attributes: s.Attributes}, generator: g, seen: make(map[string]nature), stride: defaultStride,
		own: append(parsed(s.Design.RowKey).Attributes(), parsed(s.Design.PartitionKey).Attributes()...)}
	for _, one := range s.Attributes {
		if keys.IsTime(one.Values) && r.attributes.time == "" {
			r.attributes.time = one.Name
		}
		if column, is := one.Values.(keys.ValueColumn); is {
			// The samples are of the whole file, once.
			r.attributes.stride = max(1, uint64(column.Table.Len())/samples)
		}
	}
	for _, op := range s.EachOperation {
		if op.Inserts() {
			r.inserted[op.Name] = max(1, op.Entities)
		}
	}
	r.questions, r.inserts = questions(s, r.needed)
	shared, batches := together(s)
	r.unique = r.attributes.unique(shared)
	r.bucketBy = r.unique
	if batches {
		// The entities of a transaction are in one bucket.
		r.bucketBy = ""
		if at := slices.IndexFunc(shared, func(name string) bool { return !r.attributes.nature(name).constant }); at >= 0 {
			r.bucketBy = shared[at]
		}
	}
	if slices.ContainsFunc(r.questions, func(q question) bool { return q.isLatest() }) {
		r.timeFormat = "inverted"
	}
	return r, nil
}

// together returns the attributes that the entities of every transaction share, and whether there are
// transactions.
func together(s *scenarios.Scenario) (shared []string, batches bool) {
	for p, op := range s.EachOperation {
		switch {
		case op.Entities == 0 || !p.Traffic.Events():
		case !batches:
			shared, batches = slices.Clone(op.Together), true
		default:
			shared = slices.DeleteFunc(shared, func(name string) bool { return !slices.Contains(op.Together, name) })
		}
	}
	return shared, batches
}

// drafts returns the designs whose figures are derived, the most promising first. Of keys that append only
// buckets are drafted if many operations insert.
func (r *rule) drafts(p *Proposal) ([]draft, error) {
	var list []draft
	rough := make(map[string]float64)
	for _, set := range r.sets() {
		buckets := 1
		if r.attributes.nature(set[0]).ordered && r.inserts >= insertHeavy {
			d, _ := r.draft(set, parts{1, 1}, 0)
			p.reject(&d.design, sentence("reject/appends", set[0], r.inserts))
			if r.bucketBy == "" {
				continue
			}
			buckets = minBuckets
		}
		for copied := range maxCopies + 1 {
			d, some := r.draft(set, parts{buckets, 1}, copied)
			if !some {
				break
			}
			cost, err := r.roughCost(&d.design)
			if err != nil {
				return nil, err
			}
			rough[d.design.Name] = cost
			list = append(list, d)
		}
	}
	slices.SortStableFunc(list, func(a, b draft) int {
		return cmp.Or(cmp.Compare(rough[a.design.Name], rough[b.design.Name]), cmp.Compare(len(a.design.Copies), len(b.design.Copies)))
	})
	return list[:min(len(list), maxComputed)], nil
}

// roughCost returns about the average cost of an operation.
func (r *rule) roughCost(d *scenarios.Design) (float64, error) {
	cost, all := 0.0, 0.0
	for i := range r.questions {
		q := &r.questions[i]
		how, err := r.accessOf(q, d)
		if err != nil {
			return 0, err
		}
		cost += q.score() * how.rank()
		all += q.score()
	}
	cost *= (1 - r.inserts) / max(all, 1e-9)
	for i := range d.Copies {
		writes := 2.0
		if d.Copies[i].Table == "" {
			writes = 1
		}
		cost += writes * r.inserts
	}
	return cost, nil
}
