package keys

import (
	"fmt"
	"iter"

	"loadgen/engine/entity"
)

// maxExpansions bounds how many texts of one template are tried ahead of time.
const maxExpansions = 10_000

// expansions yields texts that a template can come to: every combination of its
// attributes' probes where there are not too many, otherwise each probe of each
// attribute beside the first of the others.
func (c *check) expansions(t Template) iter.Seq[string] {
	names := t.Attributes()
	combinations := 1
	for _, name := range names {
		if combinations *= len(c.sound[name].probes); combinations > maxExpansions {
			return func(yield func(string) bool) { c.oneByOne(t, names, yield) }
		}
	}
	return func(yield func(string) bool) {
		for i := range combinations {
			// i counts in a number system with one digit for each attribute.
			digits := i
			chosen := map[string]string{}
			for _, name := range names {
				probes := c.sound[name].probes
				chosen[name] = probes[digits%len(probes)]
				digits /= len(probes)
			}
			if !yield(t.Expand(func(name string) string { return chosen[name] })) {
				return
			}
		}
	}
}

func (c *check) oneByOne(t Template, names []string, yield func(string) bool) {
	chosen := map[string]string{}
	for _, name := range names {
		chosen[name] = c.sound[name].probes[0]
	}
	for _, name := range names {
		for _, probe := range c.sound[name].probes {
			chosen[name] = probe
			if !yield(t.Expand(func(name string) string { return chosen[name] })) {
				return
			}
		}
		chosen[name] = c.sound[name].probes[0]
	}
}

// widest returns the longest text that a sound template can come to.
func (c *check) widest(t Template) string {
	return t.Expand(func(name string) string { return c.sound[name].widest })
}

// widest returns the longest of texts, in UTF-16 code units.
func widest(texts []string) string {
	longest, most := "", 0
	for _, text := range texts {
		if size := entity.String(text).Size(); size > most {
			longest, most = text, size
		}
	}
	return longest
}

func (c *check) filler() {
	if c.Filler == "" {
		return
	}
	if what := nameFault(c.Filler); what != "" {
		c.add("filler", "%s", what)
		return
	}
	if c.Size < 1 || c.Size > entity.MaxEntityBytes {
		c.add("size", "size is %d; expected 1 to %d bytes", c.Size, entity.MaxEntityBytes)
		return
	}
	pieces := pad(c.Filler, c.Size)
	if all := len(c.Properties) + len(pieces); all > entity.MaxProperties {
		c.add("properties", "an entity would have %d properties with its filler; expected at most %d", all, entity.MaxProperties)
	}
	for i, spec := range c.Properties {
		for _, piece := range pieces {
			if spec.Name == piece.name {
				c.add(fmt.Sprintf("properties.%d.name", i), "property %q is also the name of the filler; expected another name", spec.Name)
			}
		}
	}
}

// size checks that the largest entity is legal, and with its filler not larger
// than was asked for.
func (c *check) size() {
	if len(c.faults) > 0 {
		return
	}
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
	switch {
	case c.Filler == "":
		if most > entity.MaxEntityBytes {
			c.add("properties", "the largest entity has %d bytes; expected at most %d", most, entity.MaxEntityBytes)
		}
	case most+overhead(c.Filler) > c.Size:
		c.add("size", "size is %d, but the largest entity has %d bytes before its filler; expected %d to %d",
			c.Size, most, most+overhead(c.Filler), entity.MaxEntityBytes)
	}
}
