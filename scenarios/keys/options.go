package keys

import (
	"fmt"
	"slices"
	"strings"

	"loadgen/engine/entity"
	"loadgen/engine/nearest"
)

// Options is a key design with what it is formed from.
type Options struct {
	// Seed is the root of all chance.
	Seed uint64
	// History is how many entities were loaded before the load that is measured: the
	// [Time] of what is offered goes on behind them.
	History uint64
	// Attributes are what the templates can name.
	Attributes []Attribute
	// PartitionKey and RowKey form the key of each entity.
	PartitionKey, RowKey Template
	// Properties are those of each entity, in the order in which they are
	// stored.
	Properties []PropertySpec
	// Size is the size in bytes, by [entity.Size], that Filler pads each entity
	// to. It counts only where Filler is set.
	Size int
	// Sizes, where set, draw the size of each entity by its number, and Size is the
	// greatest of them.
	Sizes SizeDistribution
	// Filler names the String property of incompressible letters and digits
	// that pads the entity; empty leaves it out. Where Size asks for more than
	// one String can hold, further ones follow: Notes, Notes2, Notes3.
	Filler string
	// Gzip means that clients compress long String properties and store them as Binary.
	// Size is the size before compression.
	Gzip bool
}

// Validate returns everything that is wrong with the options, each a [*ValueFault];
// nil where nothing is. A key that could hold a forbidden character or be too
// long, a property whose text could be no value of its type, and an entity that
// could be larger than Size are faults: for that all values of an attribute are
// tried if they are few, and otherwise the outermost of the first billion entities.
func (o Options) Validate() []error {
	c := o.newCheck()
	c.attributes()
	c.key("partition_key", o.PartitionKey, func(text string) entity.Key { return entity.Key{Partition: text} })
	c.key("row_key", o.RowKey, func(text string) entity.Key { return entity.Key{Row: text} })
	c.properties(o.Properties)
	c.filler()
	if len(c.faults) > 0 || c.unread || c.sizesUnread() {
		return c.faults
	}
	// The largest entity has to be legal, and with its filler not larger than was asked for.
	var properties []entity.Property
	for _, spec := range c.Properties {
		// The size of a value depends on its type alone, save for a String.
		value := entity.String(c.widest(spec.Value))
		if spec.Type != entity.TypeString {
			value, _ = parseValue(spec.Type, value.Text())
		}
		properties = append(properties, entity.Property{Name: spec.Name, Value: value})
	}
	most := entity.Size(entity.Key{Partition: c.widest(c.PartitionKey), Row: c.widest(c.RowKey)}, properties)
	least := c.Size
	if c.Sizes != nil {
		least, _ = c.Sizes.Ends()
	}
	switch {
	case c.Filler == "":
		if most > entity.MaxEntityBytes {
			c.add("properties", "the largest entity has %d bytes; expected at most %d", most, entity.MaxEntityBytes)
		}
	case most+overhead(c.Filler) > least && c.Sizes != nil:
		c.add("size", "smallest size is %d, an entity without filler %d bytes; expected %d to %d",
			least, most, most+overhead(c.Filler), entity.MaxEntityBytes)
	case most+overhead(c.Filler) > c.Size:
		c.add("size", "size is %d, an entity without filler %d bytes; expected %d to %d",
			c.Size, most, most+overhead(c.Filler), entity.MaxEntityBytes)
	}
	return c.faults
}

// ValidateProperties returns what is wrong with specs that a [Generator.Part]
// is to be made of, each a [*ValueFault] with a path such as "properties.0.value".
// Faults of the options themselves are not repeated.
func (o Options) ValidateProperties(specs []PropertySpec) []error {
	c := o.newCheck()
	c.attributes()
	c.faults = nil
	c.properties(specs)
	return c.faults
}

// check gathers the faults of options. A template is looked into only where all
// its attributes are sound, so that one mistake is reported once.
type check struct {
	Options
	faults []error
	// sound are the attributes without a fault, by name; known are the names of
	// all.
	sound map[string]*attributeCheck
	// candidates are the derived attributes without a fault of their own.
	candidates map[string]bool
	// unread says that the values of an attribute wait for their file.
	unread bool
	known  []string
}

// attributeCheck is what the checks need to know of an attribute.
type attributeCheck struct {
	values Distribution
	probes []string
	widest string
	// stretches is of how many a derived one is put together.
	stretches int
	// judged says that the attribute's values were already found illegal in a
	// key.
	judged bool
}

func (o Options) newCheck() *check {
	return &check{Options: o, sound: map[string]*attributeCheck{}, candidates: map[string]bool{}}
}

func (c *check) attributes() {
	if len(c.Attributes) > MaxAttributes {
		c.add("attributes", "attributes has %d entries; expected at most %d", len(c.Attributes), MaxAttributes)
		return
	}
	for _, a := range c.Attributes {
		c.known = append(c.known, a.Name)
	}
	for _, a := range c.Attributes {
		path := "attributes." + a.Name
		var faults []error
		if !isName(a.Name) {
			faults = append(faults, valueFaultf(path, "%s cannot name an attribute; expected %s", nearest.Quote(a.Name), nameForm))
		}
		if a.Values == nil {
			faults = append(faults, valueFaultf(path, "attribute %q has no values; expected a distribution", a.Name))
		} else {
			faults = append(faults, a.Values.Faults(path)...)
		}
		c.faults = append(c.faults, faults...)
		// Of a file that has not been read nothing is known.
		if Unread(a.Values) {
			c.unread = true
		} else if _, derived := a.Values.(Text); derived {
			c.candidates[a.Name] = len(faults) == 0
		} else if len(faults) == 0 {
			probes := a.Values.Probes()
			c.sound[a.Name] = &attributeCheck{values: a.Values, probes: probes, widest: widest(probes)}
		}
	}
	c.builtIn()
	c.derive()
}

// key checks one of the two key templates; as puts a text in that key's place.
func (c *check) key(path string, t Template, as func(string) entity.Key) {
	if !c.template(path, t) {
		return
	}
	if !c.keyParts(path, t, path, as) {
		return
	}
	if code, detail := entity.ValidateKey(as(c.widest(t))); code != entity.OK {
		c.add(path, "the longest key is invalid: %s: %s", code, detail)
	}
}

func (c *check) properties(specs []PropertySpec) {
	seen := map[string]bool{}
	for i, spec := range specs {
		path := fmt.Sprintf("properties.%d", i)
		if what := nameFault(spec.Name); what != "" {
			c.add(path+".name", "%s", what)
		} else if seen[spec.Name] {
			c.add(path+".name", "property %q occurs twice; expected once", spec.Name)
		}
		seen[spec.Name] = true
		path += ".value"
		if !c.template(path, spec.Value) {
			continue
		}
		texts := c.expansions(spec.Value)
		if spec.Type == entity.TypeString {
			// Any text is a String, and only the widest can be too wide.
			texts = slices.Values([]string{c.widest(spec.Value)})
		}
		for text := range texts {
			value, ok := parseValue(spec.Type, text)
			if !ok {
				c.add(path, "value can be %s, which is no %s; expected %s", nearest.Quote(text), TypeName(spec.Type), expected[spec.Type])
				break
			}
			if value.Type() == entity.TypeString && value.Size() > entity.String("").Size()+2*entity.MaxStringUnits {
				c.add(path, "value can have %d bytes; expected at most %d UTF-16 code units", len(text), entity.MaxStringUnits)
				break
			}
		}
	}
}

// template checks that the attributes of a template exist and have formats that are ones
// for them, and reports whether all of them are sound.
func (c *check) template(path string, t Template) bool {
	sound := true
	for i := range t.parts {
		p := &t.parts[i]
		if p.attribute == "" {
			continue
		}
		if c.sound[p.attribute] == nil {
			sound = false
			if what := c.missing(p.attribute); what != "" {
				c.faults = append(c.faults, &ValueFault{Path: path, Offset: p.offset + strings.IndexByte(p.source, '(') + 1, What: what})
			}
			continue
		}
		isTime := hasTimes(c.sound[p.attribute].values)
		switch {
		case p.format.ofTime() && !isTime:
			_, format, _ := strings.Cut(strings.TrimSuffix(p.source, "}"), ":")
			c.addAt(path, p, "%s formats times, not %s; expected no format", format, p.attribute)
			sound = false
		case p.format.kind == toPadded && p.call.kind != toHash:
			for _, text := range c.outcomes(&part{attribute: p.attribute, call: p.call}) {
				if !isNumber([]byte(strings.TrimPrefix(text, "-"))) {
					c.addAt(path, p, "%s can be %s, no whole number; expected no format", p.attribute, nearest.Quote(text))
					sound = false
					break
				}
			}
		}
	}
	return sound
}

// hasTimes reports whether all values are instants, as far as is known before a file is read.
func hasTimes(d Distribution) bool {
	column, is := d.(ValueColumn)
	return IsTime(d) || is && (column.Table == nil || column.Table.columns[column.Name] != nil && column.Table.columns[column.Name].hasTimes)
}

// missing says what is wrong with a name that is not sound, "" where its own fault
// does.
func (c *check) missing(name string) string {
	if slices.Contains(c.known, name) {
		return ""
	}
	if slices.Contains(builtins, name) {
		times := c.times()
		switch {
		case len(times) == 0:
			return fmt.Sprintf("{%s} needs a time; expected one such as at: {time: 2026-01-01T00:00:00Z}", name)
		case len(times) > 1:
			return fmt.Sprintf("{%s} needs a time, and there are %d; expected one", name, len(times))
		case name == nameUUID7 && c.sound[c.Attributes[times[0]].Name] != nil:
			return fmt.Sprintf("{uuid7} begins in 1970, %s before; expected {uuid}", c.Attributes[times[0]].Name)
		default:
			return ""
		}
	}
	if near, isNear := nearest.Name(name, slices.Concat(c.known, builtins)); isNear {
		return fmt.Sprintf("unknown attribute %s; did you mean %q?", nearest.Quote(name), near)
	}
	return nearest.Unknown("attribute", name, c.known)
}

func (c *check) add(path, format string, args ...any) {
	c.faults = append(c.faults, valueFaultf(path, format, args...))
}

// sizesUnread reports whether the sizes wait for their file.
func (o Options) sizesUnread() bool {
	curve, is := o.Sizes.(*Curve)
	return is && curve.Unread()
}
