package suggest

import (
	"slices"
	"strings"
	"time"

	"loadgen/engine/entity"
	"loadgen/scenarios/keys"
)

// attributes is what the attributes of a scenario are fit for. It belongs to one
// goroutine.
type attributes struct {
	options   keys.Options
	generator *keys.Generator
	seen      map[string]nature
	// time is the name of the one time of an event, empty where there is none.
	time string
	// own are the names in the scenario's own keys, which are fit to be unique first.
	own []string
}

// nature is what the values of an attribute are like.
type nature struct {
	// constant says that all entities have the same value; ordered that values ascend or
	// descend as entities come about, so that a key that begins with them appends.
	constant, ordered bool
}

// names returns the attributes in the text of a template that is sound.
func names(text string) []string {
	t, err := keys.ParseTemplate(text)
	if err != nil {
		return nil
	}
	return t.Attributes()
}

// samples is how many entities an attribute's nature is told from, apart how many
// entities and how long the events are apart: far enough for days and months to pass.
const (
	samples = 240
	apart   = 997
	between = 101 * time.Hour
	// oneWay is which share of neighbours that differ go the same way where values are
	// ordered.
	oneWay = 0.9
)

// nature looks at the values of an attribute, rather than at how they are said to be
// distributed: what is derived from a time can be as ordered as it, or be hashed.
func (a *attributes) nature(name string) nature {
	if n, known := a.seen[name]; known {
		return n
	}
	rises, falls, distinct, before := 0, 0, map[string]bool{}, ""
	for i := range uint64(samples) {
		text, _ := a.generator.ValueOf(name, sampled(i))
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

// knows reports whether a reader who knows some attributes knows another, by itself or
// since it is derived from them.
func (a *attributes) knows(known []string, name string) bool {
	return slices.Contains(known, name) || len(a.differing(name, known)) == 0
}

// implies reports whether one of some attributes gives another away: it is known with
// them, or both are of the time and one is the other, gone on with, as the minute is the
// hour. A reader who knows the minute is not said to know the hour, for nobody forms it.
func (a *attributes) implies(known []string, name string) bool {
	if a.knows(known, name) {
		return true
	}
	return a.ofTime(name) && slices.ContainsFunc(known, func(longer string) bool {
		always := a.ofTime(longer)
		for i := uint64(0); always && i < samples; i++ {
			long, _ := a.generator.ValueOf(longer, sampled(i))
			short, _ := a.generator.ValueOf(name, sampled(i))
			always = strings.HasPrefix(long, short)
		}
		return always
	})
}

// sampled returns an event far away from the one before.
func sampled(i uint64) keys.Event {
	return keys.Event{Number: i * apart, Run: time.Duration(i) * between, Offered: true}
}

// differing returns what an attribute comes from in the end in which entities can
// differ that share some.
func (a *attributes) differing(name string, shared []string) []string {
	return a.options.Differing(placeholder(name), shared)
}

// ofTime reports whether an attribute is the time or is derived from nothing else.
func (a *attributes) ofTime(name string) bool {
	return a.time != "" && slices.Equal(a.differing(name, nil), []string{a.time})
}

func placeholder(name string) keys.Template {
	t, err := keys.ParseTemplate("{" + name + "}")
	if err != nil {
		panic("suggest: an attribute has a name that is none: " + err.Error())
	}
	return t
}

// unique returns what tells any two entities apart, as far as possible none of what
// transactions share: of the scenario's own keys, or of its attributes; the entity's
// number where there is none.
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
	return len(a.options.Unique(placeholder(name), keys.Template{})) > 0
}
