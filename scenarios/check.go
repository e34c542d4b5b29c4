package scenarios

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"loadgen/engine/entity"
	"loadgen/engine/nearest"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/keys"
)

// checker looks at what follows from several values together. A check is left
// out where one of its values is at fault already, so that one mistake is
// reported once.
type checker struct {
	*Scenario
	// before are the faults of single values, found those of the checks.
	before, found fields.Faults
	// tried is how many bytes of filters were put to the test.
	tried int
	// generator and keyOptions are the scenario's, each built once.
	generator  func() (*keys.Generator, error)
	keyOptions func() (keys.Options, []error)
}

func (s *Scenario) checker(before fields.Faults) *checker {
	return &checker{Scenario: s, before: before, generator: sync.OnceValues(s.Generator), keyOptions: sync.OnceValues(s.options)}
}

func (s *Scenario) check(before fields.Faults) fields.Faults {
	c := s.checker(before)
	c.names()
	c.design()
	for i := range s.Phases {
		p, path := &s.Phases[i], fmt.Sprintf("phases.%d", i)
		switch {
		case before.Cover(path):
		case p.Load != nil:
			c.transaction(path+".load.transaction", p.Load.Transaction)
			c.unique(i, path+".load.entities")
		case (p.Count != nil || p.Form == FormPeak) && c.loadsSound(i) && c.Loaded(i) == 0:
			c.add(path+".name", "phase %q comes before any load; expected a load first", p.Name)
		case p.Traffic != nil:
			c.traffic(i, path+"."+p.Kind())
		}
	}
	c.faults()
	c.tokens()
	c.accounts()
	c.network()
	c.expect()
	c.gate()
	c.antiPattern()
	return c.found
}

// sound reports whether nothing at, above or below the paths is at fault.
func (c *checker) sound(paths ...string) bool {
	return !c.before.Concern(paths...) && !c.found.Concern(paths...)
}

func (c *checker) add(path, format string, args ...any) { c.addAt(path, -1, format, args...) }

// addAt reports a fault at an offset into a text, negative for the whole value, unless
// something is known to be wrong at, above or below the path already.
func (c *checker) addAt(path string, offset int, format string, args ...any) {
	if c.before.Concern(path) {
		return
	}
	at := c.places.Find(path)
	value := nodeAt(c.encode(), strings.Split(path, "."))
	if value != nil && value.Kind == fields.Scalar && offset >= 0 && at.Inner > 0 && offset <= len(value.Text) {
		at.Column = at.Inner + utf8.RuneCountInString(value.Text[:offset])
	} else if offset > 0 {
		format = fmt.Sprintf("byte %d: %s", offset, format)
	}
	r := fields.Reader{}
	r.Fault(at, path, format, args...)
	c.found = append(c.found, r.Faults...)
}

// names checks that no two phases, or operations of a phase, share a name, and
// that an operation of several phases is reported in one group.
func (c *checker) names() {
	seen := map[string]bool{}
	groups := map[string]string{}
	for i := range c.Phases {
		p := &c.Phases[i]
		c.own("phase", p.Name, seen, fmt.Sprintf("phases.%d.name", i))
		own := map[string]bool{}
		for j, o := range p.Operations() {
			name := fmt.Sprintf("phases.%d.%s.operations.%d.name", i, p.Kind(), j)
			before, known := groups[o.Name]
			switch {
			case o.Name == "":
			case slices.Contains([]string{"create", "mark", "load", "count", "audit", "drop"}, o.Name):
				c.add(name, "%q names the run's own preparation; expected another name", o.Name)
			case own[o.Name]:
				c.add(name, "operation %q occurs twice; expected unique names", o.Name)
			case known && before != o.Group:
				c.add(name, "operation %q is in group %s and before in %s; expected one group", o.Name, o.Group, before)
			}
			own[o.Name], groups[o.Name] = true, o.Group
		}
	}
}

// reportFirst reports the first of some rules that is broken, and whether one is.
func (c *checker) reportFirst(path string, rules ...rule) bool {
	at := slices.IndexFunc(rules, func(one rule) bool { return one.broken })
	if at >= 0 {
		c.add(rules[at].pathIn(path), "%s", rules[at].says)
	}
	return at >= 0
}

// among checks that names are among those that are known, each given once.
func (c *checker) among(what string, names, known []string, path string) {
	for i, name := range names {
		switch at := fmt.Sprintf("%s.%d", path, i); {
		case !slices.Contains(known, name):
			c.add(at, "%s", nearest.Unknown(what, name, known))
		case slices.Contains(names[:i], name):
			c.add(at, "%s %q occurs twice; expected once", what, name)
		}
	}
}

// own reports a name that was seen before, and makes it one that was.
func (c *checker) own(what, name string, seen map[string]bool, path string) {
	if name != "" && seen[name] {
		c.add(path, "%s %q occurs twice; expected unique names", what, name)
	}
	seen[name] = true
}

// design checks which design is used, what the keys package judges of every one and its
// copies, and that keys are unique.
func (c *checker) design() {
	names := map[string]bool{}
	for i := range c.Designs {
		c.own("design", c.Designs[i].Name, names, fmt.Sprintf("designs.%d.name", i))
	}
	switch {
	case c.before.Concern("design") || c.before.Cover("designs"):
	case len(c.Designs) == 0 && c.Use != "":
		c.add("use", "use has no designs to choose from; expected designs, or no use")
	case len(c.Designs) > 0 && c.used() < 0:
		c.add("use", "%s", nearest.Unknown("design", c.Use, c.Alternatives()))
	}
	all := c.Designs
	if len(all) == 0 {
		all = []Design{c.Design}
	}
	for i := range all {
		path := "design"
		if len(c.Designs) > 0 {
			path = fmt.Sprintf("designs.%d", i)
		}
		c.home(all[i], path)
		for j := range all[i].Copies {
			c.home(all[i].Copies[j].keys(), fmt.Sprintf("%s.copies.%d", path, j))
		}
		c.copies(&all[i], path)
		d := &all[i]
		seen := map[string]bool{}
		for i := range d.Places {
			one, at := &d.Places[i], fmt.Sprintf("%s.places.%d", path, i)
			c.formed(one.keys(), at)
			c.own("place", one.Name, seen, at+".name")
		}
	}
}

// home checks one way to form keys.
func (c *checker) home(d Design, path string) {
	c.formed(d, path)
	if !c.sound(path, "attributes", "rows") {
		return
	}
	if len(c.sequences(d.PartitionKey+d.RowKey, "")) == 0 {
		and := ""
		switch {
		case c.Rows == nil:
		case c.Rows.Draw == DrawByChance:
			and = ": random rows repeat"
		default:
			and = fmt.Sprintf(", and rows of %s share what they hold of it", c.Rows.File)
		}
		c.add(path, "keys can repeat%s; expected an attribute with a sequence, such as {bib}, {number} or {uuid}", and)
	}
}

// formed checks what the keys package judges of one way to form keys.
func (c *checker) formed(d Design, path string) {
	o, faults := c.optionsOf(d)
	if !c.nameless() {
		c.addEach(append(faults, o.Validate()...), func(at string) string {
			head, _, _ := strings.Cut(at, ".")
			switch head {
			case "partition_key", "row_key":
				return fields.Child(path, at)
			case "properties", "size", "filler":
				return "entity." + at
			default:
				return at
			}
		})
	}
}

// nameless reports whether attributes were not read at all, so that every name is
// unknown.
func (c *checker) nameless() bool { return c.before.Cover("attributes") || c.before.Concern("rows") }

// addEach reports faults of the keys package, each at the place that its path leads to,
// unless something is known to be wrong there already.
func (c *checker) addEach(faults []error, place func(path string) string) {
	for _, err := range faults {
		var fault *keys.ValueFault
		if !errors.As(err, &fault) {
			continue
		}
		path := place(fault.Path)
		if head, name, _ := strings.Cut(path, "."); head == "attributes" && c.Rows != nil {
			path = cmp.Or(c.Rows.path(name), path)
		}
		if !c.found.Cover(path) {
			c.addAt(path, fault.Offset, "%s", fault.What)
		}
	}
}

// sequences returns what distinguishes entities, such as an attribute with a sequence,
// that one template has and another has not.
func (c *checker) sequences(in, notIn string) []string {
	holds, _ := keys.ParseTemplate(in)
	lacks, _ := keys.ParseTemplate(notIn)
	return keys.Options{Attributes: c.Attributes}.Unique(holds, lacks)
}

// loadsSound reports whether what is loaded before a phase is known.
func (c *checker) loadsSound(phase int) bool {
	for i := range phase {
		if c.before.Concern(fmt.Sprintf("phases.%d.load", i)) {
			return false
		}
	}
	return true
}

// transaction checks that an entity group transaction stays within its bytes.
func (c *checker) transaction(path string, entities int) {
	if !c.sound(path, c.designPath(), "attributes", "entity", "seed") || c.Entity.Filler == "" {
		return
	}
	g, err := c.generator()
	if err != nil {
		return
	}
	payload := c.Payload(g)
	if fit := entity.MaxBatchPayload / payload; entities > fit {
		or := ""
		if c.Entity.Sizes != nil {
			or = fmt.Sprintf(", or sizes up to %d bytes", c.Entity.Size-2*(payload-entity.MaxBatchPayload/entities))
		}
		c.add(path, "%d entities of %d bytes of JSON exceed a transaction's %d bytes; expected at most %d entities%s",
			entities, payload, entity.MaxBatchPayload, fit, or)
	}
}

// listed is the maximum number of entities whose keys in a load are compared with each other.
const listed = 100_000

// unique checks that no two of the entities loaded so far have the same key, nor two
// of their copies in one table.
func (c *checker) unique(phase int, path string) {
	if !c.sound(path, c.designPath(), "attributes", "entity", "seed") {
		return
	}
	g, err := c.generator()
	if err != nil {
		return
	}
	// Where the design in use stores every entity, its own key first.
	homes := []address{{"the key", "", g}}
	for i := range c.Design.Copies {
		one := &c.Design.Copies[i]
		copied, err := one.Generator(g)
		if err != nil {
			return
		}
		homes = append(homes, address{fmt.Sprintf("the copy %q", one.Name), one.Table, copied})
	}
	if c.exhausted(phase, path) {
		return
	}
	type place struct {
		table string
		key   entity.Key
	}
	type owner struct {
		entity uint64
		home   int
	}
	count := min(c.Loaded(phase+1), uint64(listed/len(homes)))
	seen := make(map[place]owner, count*uint64(len(homes)))
	for n := range count {
		for i, home := range homes {
			key := home.generator.Key(n)
			first, twice := seen[place{home.table, key}]
			switch {
			case !twice:
				seen[place{home.table, key}] = owner{n, i}
			case first.home+i == 0:
				c.add(path, "entities %d and %d both have PartitionKey %q and RowKey %q; expected distinct keys: separate the attributes in row_key", first.entity, n, key.Partition, key.Row)
				return
			default:
				c.add(path, "%s of entity %d and %s of entity %d both have PartitionKey %q and RowKey %q; expected distinct keys, or a table for the copy",
					homes[first.home].name, first.entity, home.name, n, key.Partition, key.Row)
				return
			}
		}
	}
}

// address is where every entity has a key: that of its own, or of a copy.
type address struct {
	name, table string
	generator   *keys.Generator
}

// weights checks that some operation has one.
func (c *checker) weights(list []OperationSpec, path string) {
	total := 0
	for j := range list {
		total += list[j].Weight
	}
	if total == 0 && c.sound(path) {
		c.add(path, "all weights are 0; expected one above 0")
	}
}

func (c *checker) operation(o *OperationSpec, path string) {
	if o.Verb == entity.Batch && (o.Replaces() || o.All) {
		c.transaction(path+".entities", o.Entities)
	}
	if o.Verb == entity.Query {
		c.among("property", o.Select, c.properties(), path+".select")
		if o.Where != "" && c.sound(path+".where", path+".class", "attributes", c.designPath(), "entity", "seed") {
			c.where(o, path+".where")
		}
	}
	if c.nameless() {
		return
	}
	options, _ := c.keyOptions()
	if o.Counter != "" {
		raised, _ := propertySpecs([]PropertySpec{{Name: o.Counter, Type: keys.TypeName(entity.TypeInt64), Value: "0"}})
		c.addEach(options.ValidateProperties(raised), func(string) string { return path + ".counter" })
		for i := range o.Properties {
			if o.Properties[i].Name == o.Counter {
				c.add(fmt.Sprintf("%s.properties.%d.name", path, i),
					"property %q is the operation's counter; expected another name", o.Counter)
			}
		}
	}
	specs, faults := propertySpecs(o.Properties)
	c.addEach(append(faults, options.ValidateProperties(specs)...), func(at string) string { return path + "." + at })
}
