package advise

import (
	"slices"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/scenarios"
	"loadgen/scenarios/keys"
)

// How many entities a density is told from, about how many of them ask, and how many
// have to lie in what they read for that to say anything.
const (
	crowd    = 3000
	askers   = 100
	leastMet = 100
)

// densities fills in, for each query that wants only some of what it reads, which
// share of it that is: from a crowd of entities, of which some ask and the others are
// what they meet.
func (d *Design) densities(s *scenarios.Scenario) error {
	g, err := s.Generator()
	if err != nil {
		return err
	}
	loaded := float64(s.Loaded(len(s.Phases)))
	for i := range d.Loads {
		l := &d.Loads[i]
		// Events of what the phase finds and of what it adds, in proportion.
		added := 0.0
		for j := range l.Approaches {
			if spec := l.Approaches[j].spec; spec.Inserts() {
				added += float64(l.Operations) * l.Approaches[j].Share * float64(max(1, spec.Entities))
			}
		}
		events := make([]keys.Event, min(crowd, int(loaded+added)))
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
			asked, err := newWish(one, s, g)
			if err != nil {
				return err
			}
			one.Density = asked.density(events, one.Entities)
		}
	}
	return nil
}

// wish is what a kind of query wants of what it reads.
type wish struct {
	spec *scenarios.OperationSpec
	g    *keys.Generator
	plan keys.Plan
	// where is its filter, nil for none.
	where *keys.Template
}

// newWish returns what an operation wants, of the home of entities that it reads.
func newWish(one *Operation, s *scenarios.Scenario, g *keys.Generator) (*wish, error) {
	w := &wish{spec: one.spec, g: g}
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

// met is an entity of a crowd, as a kind of query sees it.
type met struct {
	keys.Event
	key entity.Key
	// known are the values of what the application knows; packed is the whole where a
	// filter asks for it.
	known  []string
	packed entity.Packed
}

// density returns which share of the entities that the query counts it wants, nil
// where too few of a crowd lie in what it reads.
func (w *wish) density(crowd []keys.Event, counted float64) *float64 {
	all := make([]met, len(crowd))
	for i, e := range crowd {
		all[i] = met{Event: e, key: w.g.KeyOf(e)}
		for _, name := range w.spec.By {
			all[i].known = append(all[i].known, w.value(name, e))
		}
		if w.where != nil {
			all[i].packed = entity.Pack(nil, 0, w.g.PropertiesOf(e))
		}
	}
	read, wanted := 0, 0
	every := max(1, len(all)/askers)
	for asker := every / 2; asker < len(all); asker += every {
		reads := w.reads(&all[asker])
		var passes *filter.Expression
		if w.where != nil {
			// Its text was tried when the scenario was read; one that is none keeps all.
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
	if read < leastMet || counted < 1 {
		return nil
	}
	// The entity that the query is about is there beside those that were met.
	part := float64(wanted) / float64(read)
	density := (1 + (counted-1)*part) / counted
	return &density
}

func (w *wish) value(attribute string, e keys.Event) string {
	text, _ := w.g.ValueOf(attribute, e)
	return text
}

func (w *wish) reads(asker *met) func(entity.Key) bool {
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
func (w *wish) wants(asker *met) string {
	return w.spec.Wanted(*w.where, func(attribute string) string { return w.value(attribute, asker.Event) })
}
