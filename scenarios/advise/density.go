package advise

import (
	"slices"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/scenarios"
	"loadgen/scenarios/keys"
)

// A density is measured with up to maxCrowd entities. About maxAskers of them ask, and at least minRead
// others have to be in what they read.
const (
	maxCrowd  = 3000
	maxAskers = 100
	minRead   = 100
)

// densities sets the share that each query with a filter wants of what it reads.
func (d *Design) densities(s *scenarios.Scenario) error {
	g, err := s.Generator()
	if err != nil {
		return err
	}
	loaded := float64(s.Loaded(len(s.Phases)))
	for i := range d.Loads {
		l := &d.Loads[i]
		// Entities that the phase finds and that it adds, in proportion.
		added := 0.0
		for j := range l.Approaches {
			if spec := l.Approaches[j].spec; spec.Inserts() {
				added += float64(l.Operations) * l.Approaches[j].Share * float64(max(1, spec.Entities))
			}
		}
		events := make([]keys.Event, min(maxCrowd, int(loaded+added)))
		for j := range events {
			at := (loaded + added) * (float64(j) + 0.5) / float64(len(events))
			events[j].Number = uint64(at)
			if at >= loaded {
				events[j].Offered, events[j].Run = true, seconds((at-loaded)/added*l.Seconds)
			}
		}
		for j := range l.Approaches {
			one := &l.Approaches[j]
			if !one.Narrowed || one.Share == 0 || one.rank <= filter.ClassPoint {
				continue
			}
			q, err := newNarrowQuery(one, s, g)
			if err != nil {
				return err
			}
			one.Density = q.density(events, one.Entities)
		}
	}
	return nil
}

// narrowQuery is a kind of query that wants only some of what it reads.
type narrowQuery struct {
	spec *scenarios.OperationSpec
	g    *keys.Generator
	plan keys.Plan
	// where is its filter, nil for none.
	where *keys.Template
}

func newNarrowQuery(one *Operation, s *scenarios.Scenario, g *keys.Generator) (*narrowQuery, error) {
	w := &narrowQuery{spec: one.spec, g: g}
	if len(one.spec.By) > 0 {
		homes := []*keys.Generator{g}
		for i := range s.Design.Copies {
			home, err := s.Design.Copies[i].Generator(g)
			if err != nil {
				return nil, err
			}
			homes = append(homes, home)
		}
		var at int
		w.plan, at = s.Plan(one.spec, homes)
		w.g = homes[at]
	}
	if one.spec.Where == "" {
		return w, nil
	}
	where, err := keys.ParseTemplate(one.spec.Where)
	w.where = &where
	return w, err
}

// candidateEntity is an entity that a query may read.
type candidateEntity struct {
	keys.Event
	key entity.Key
	// known are the values that the application knows; packed is the entity, for a filter.
	known  []string
	packed entity.Packed
}

// density returns the share that the query wants of the entities that it counts, nil if it reads too few
// of a crowd.
func (w *narrowQuery) density(crowd []keys.Event, counted float64) *float64 {
	all := make([]candidateEntity, len(crowd))
	for i, e := range crowd {
		all[i] = candidateEntity{Event: e, key: w.g.KeyOf(e)}
		for _, name := range w.spec.By {
			all[i].known = append(all[i].known, w.value(name, e))
		}
		if w.where != nil {
			all[i].packed = entity.Pack(nil, 0, w.g.PropertiesOf(e))
		}
	}
	read, wanted := 0, 0
	every := max(1, len(all)/maxAskers)
	for asker := every / 2; asker < len(all); asker += every {
		reads := w.reads(&all[asker])
		var passes *filter.Expression
		if w.where != nil {
			// The scenario's parser checked the filter; an invalid one keeps all.
			passes, _, _ = filter.Parse(w.wants(&all[asker]))
		}
		for i := range all {
			if i == asker || !reads(all[i].key) {
				continue
			}
			read++
			if slices.Equal(all[i].known, all[asker].known) && (passes == nil || passes.Keeps(all[i].key, all[i].packed)) {
				wanted++
			}
		}
	}
	if read < minRead || counted < 1 {
		return nil
	}
	// The query wants the entity that it is about, in addition.
	part := float64(wanted) / float64(read)
	density := (1 + (counted-1)*part) / counted
	return &density
}

func (w *narrowQuery) value(attribute string, e keys.Event) string {
	text, _ := w.g.ValueOf(attribute, e)
	return text
}

func (w *narrowQuery) reads(asker *candidateEntity) func(entity.Key) bool {
	switch {
	case len(w.spec.By) > 0:
		ranges := w.plan.Ranges(asker.Event)
		if w.spec.FiltersKeys() {
			for i, r := range ranges {
				within, _ := r.Text()
				if passes, code, _ := filter.Parse(scenarios.Narrow(within, w.wants(asker))); code == entity.OK {
					ranges[i] = passes.Range()
				}
			}
		}
		return func(key entity.Key) bool {
			return slices.ContainsFunc(ranges, func(r filter.Range) bool { return r.Contains(key) })
		}
	case w.spec.Class == scenarios.ClassTableScan || w.spec.Class == scenarios.ClassPartitionRange:
		return func(entity.Key) bool { return true }
	default:
		return func(k entity.Key) bool { return k.Partition == asker.key.Partition }
	}
}

// wants returns the text of the filter for an entity.
func (w *narrowQuery) wants(asker *candidateEntity) string {
	return w.spec.Wanted(*w.where, func(attribute string) string { return w.value(attribute, asker.Event) })
}
