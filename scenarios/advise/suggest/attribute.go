package suggest

import (
	"slices"
	"strings"
	"time"

	"loadgen/engine/entity"
	"loadgen/scenarios/keys"
)

// attributes classifies the attributes of a scenario. It belongs to one goroutine.
type attributes struct {
	options   keys.Options
	generator *keys.Generator
	seen      map[string]nature
	// time is the name of the time of an event, empty for none.
	time string
	// stride is the distance between samples in entities.
	stride uint64
	// own are the names in the scenario's own keys, which are preferred as unique.
	own []string
}

// nature describes the values of an attribute.
type nature struct {
	// constant reports that all entities have the same value, ordered that values ascend or descend over
	// time, so that a key that begins with them appends.
	constant, ordered bool
}

// parsed returns a valid template, the empty one for others.
func parsed(text string) keys.Template {
	t, _ := keys.ParseTemplate(text)
	return t
}

// The sample of an attribute's values.
const (
	samples = 240
	// defaultStride and interval are the distances between samples, in entities and in time: days and
	// months pass between them.
	defaultStride = 997
	interval      = 101 * time.Hour
	// oneWay is the minimum share of different neighbours in one direction for ordered values.
	oneWay = 0.9
)

// nature classifies the values of an attribute, not their declared distribution: a value that is derived
// from a time can be ordered or hashed.
func (a *attributes) nature(name string) nature {
	if n, known := a.seen[name]; known {
		return n
	}
	rises, falls, distinct, before := 0, 0, map[string]bool{}, ""
	for i := range uint64(samples) {
		text, _ := a.generator.ValueOf(name, a.event(i))
		distinct[text] = true
		if i > 0 {
			switch order := entity.Compare(before, text); {
			case order < 0:
				rises++
			case order > 0:
				falls++
			}
		}
		before = text
	}
	n := nature{constant: len(distinct) == 1}
	n.ordered = len(distinct) > 2 && float64(max(rises, falls)) >= oneWay*float64(rises+falls)
	a.seen[name] = n
	return n
}

// knows reports whether a reader who knows some attributes knows another: directly, or because it is
// derived from them.
func (a *attributes) knows(known []string, name string) bool {
	return slices.Contains(known, name) || len(a.differing(name, known)) == 0
}

// implies reports whether one of some attributes determines another: it is known with them, or both are
// times and one extends the other, as the minute extends the hour. A reader who knows the minute does not
// count as knowing the hour, which applications rarely form.
func (a *attributes) implies(known []string, name string) bool {
	if a.knows(known, name) {
		return true
	}
	return a.isTime(name) && slices.ContainsFunc(known, func(longer string) bool {
		always := a.isTime(longer)
		for i := uint64(0); always && i < samples; i++ {
			long, _ := a.generator.ValueOf(longer, a.event(i))
			short, _ := a.generator.ValueOf(name, a.event(i))
			always = strings.HasPrefix(long, short)
		}
		return always
	})
}

// event returns a sampled event.
func (a *attributes) event(i uint64) keys.Event {
	return keys.Event{Number: i * a.stride, Run: time.Duration(i) * interval, Offered: true}
}

// differing returns the attributes from which one is derived, of those in which entities that share some
// can differ.
func (a *attributes) differing(name string, shared []string) []string {
	return a.options.Differing(parsed(template(name)), shared)
}

// isTime reports whether an attribute is the time or is derived from it alone.
func (a *attributes) isTime(name string) bool {
	return a.time != "" && slices.Equal(a.differing(name, nil), []string{a.time})
}

// unique returns an attribute that differs between any two entities, of the scenario's own keys or its
// attributes, and preferably not one that transactions share; the entity's number for none.
func (a *attributes) unique(shared []string) string {
	candidates := slices.Clone(a.own)
	for _, one := range a.options.Attributes {
		candidates = append(candidates, one.Name)
	}
	for _, name := range candidates {
		if !slices.Contains(shared, name) && a.isUnique(name) {
			return name
		}
	}
	return "number"
}

// isUnique reports whether no two entities share the value of an attribute.
func (a *attributes) isUnique(name string) bool {
	return len(a.options.Unique(parsed(template(name)), keys.Template{})) > 0
}
