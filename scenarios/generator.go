package scenarios

import (
	"errors"
	"fmt"
	"slices"

	"loadgen/engine/entity"
	"loadgen/engine/nearest"
	"loadgen/engine/wire"
	"loadgen/scenarios/keys"
)

// Generator returns the generator of the scenario's entities. The error joins
// all faults of the design, the attributes and the entity.
func (s *Scenario) Generator() (*keys.Generator, error) {
	o, faults := s.options()
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return keys.New(o)
}

// EachOperation yields every operation that a phase offers, with its phase.
func (s *Scenario) EachOperation(yield func(*Phase, *OperationSpec) bool) {
	for i := range s.Phases {
		list := s.Phases[i].Operations()
		for j := range list {
			if !yield(&s.Phases[i], &list[j]) {
				return
			}
		}
	}
}

// Part returns what a merging operation writes, from a generator of this
// scenario, pinned or not.
func (o *OperationSpec) Part(g *keys.Generator) (*keys.Part, error) {
	if o.All {
		return &keys.Part{Of: g, All: true}, nil
	}
	specs, faults := propertySpecs(o.Properties)
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return g.Part(specs)
}

// Payload returns how many bytes of JSON bring the largest entity of a generator: of its
// filler, each character has one byte there, and counts as two in the size.
func (s *Scenario) Payload(g *keys.Generator) int {
	change := entity.Change{Verb: entity.Insert, Key: g.Key(0), Properties: g.Properties(0)}
	payload := int(wire.BatchPayload([]entity.Change{change}))
	if s.Entity.Sizes != nil {
		payload += (s.Entity.Size - entity.Size(change.Key, change.Properties)) / 2
	}
	return payload
}

// options returns what the keys package needs. The faults are those of the
// templates' syntax, each a [*keys.ValueFault] with a path as that package has it.
func (s *Scenario) options() (keys.Options, []error) { return s.optionsOf(s.Design) }

func (s *Scenario) optionsOf(d Design) (keys.Options, []error) {
	o := keys.Options{Seed: s.Seed, Attributes: s.Attributes, Size: s.Entity.Size, Sizes: s.Entity.Sizes, Filler: s.Entity.Filler, Gzip: s.Wire().Gzip,
		History: s.Loaded(len(s.Phases))}
	var faults []error
	o.PartitionKey = parseTemplate("partition_key", d.PartitionKey, &faults)
	o.RowKey = parseTemplate("row_key", d.RowKey, &faults)
	specs, more := propertySpecs(s.Entity.Properties)
	o.Properties = specs
	return o, append(faults, more...)
}

func propertySpecs(properties []PropertySpec) ([]keys.PropertySpec, []error) {
	var specs []keys.PropertySpec
	var faults []error
	for i, p := range properties {
		kind, ok := entity.ParseType(p.Type)
		if !ok {
			faults = append(faults, &keys.ValueFault{Path: fmt.Sprintf("properties.%d.type", i), Offset: -1, What: fmt.Sprintf("unknown type %q", p.Type)})
		}
		value := parseTemplate(fmt.Sprintf("properties.%d.value", i), p.Value, &faults)
		specs = append(specs, keys.PropertySpec{Name: p.Name, Type: kind, Value: value})
	}
	return specs, faults
}

func parseTemplate(path, text string, faults *[]error) keys.Template {
	t, err := keys.ParseTemplate(text)
	var fault *keys.TemplateError
	if errors.As(err, &fault) {
		*faults = append(*faults, &keys.ValueFault{Path: path, Offset: fault.Offset, What: fault.What})
	}
	return t
}

// exhausted reports a load of more entities than the rows have keys for.
func (c *checker) exhausted(phase int, path string) bool {
	unique := c.sequences(c.Design.PartitionKey+c.Design.RowKey, "")
	for _, a := range c.Attributes {
		column, is := a.Values.(keys.ValueColumn)
		if !is || !slices.Contains(unique, a.Name) {
			continue
		}
		unique = slices.DeleteFunc(unique, func(name string) bool { return c.Rows.path(name) != "" })
		if rows := uint64(column.Table.Len()); len(unique) == 0 && c.Loaded(phase+1) > rows {
			c.add(path, "%d entities are loaded, and %s has %d rows; expected at most that many, or a key with {number}", c.Loaded(phase+1), column.File, rows)
			return true
		}
	}
	return false
}

// EncodeKey returns the key that a template forms of the values of its attributes. The error
// says in a line where the template is none, which value has no form, or that no table takes
// the key.
func EncodeKey(template string, given map[string]string) (string, error) {
	t, err := keyTemplate(template, keys.ParseTemplate)
	if err != nil {
		return "", err
	}
	key, err := t.Encode(given)
	if err != nil {
		return "", keyFault(template, err)
	}
	return key, takenKey(key)
}

// DecodeKey returns what a key that a template formed says of its attributes, such as bib=42;
// at:hour=… where the placeholder keeps less than the value. The error says in a line at
// which byte the key is none of the template, or that it can be read in two ways.
func DecodeKey(template, key string) ([]string, error) {
	t, err := keyTemplate(template, keys.ParseTemplate)
	if err != nil {
		return nil, err
	}
	if err := takenKey(key); err != nil {
		return nil, err
	}
	read, err := t.Decode(key)
	if err != nil {
		return nil, keyFault(template, err)
	}
	var values []string
	for _, r := range read {
		if text := r.Name() + "=" + r.Value; !slices.Contains(values, text) {
			values = append(values, text)
		}
	}
	return values, nil
}

// keyTemplate returns a template that parse reads. The error is a line without the name of a package.
func keyTemplate(text string, parse func(string) (keys.Template, error)) (keys.Template, error) {
	t, err := parse(text)
	var fault *keys.TemplateError
	switch {
	case errors.As(err, &fault):
		return t, fmt.Errorf("template %s, byte %d: %s", nearest.Quote(text), fault.Offset, fault.What)
	case err == nil && len(t.Attributes()) == 0 && attributeName.MatchString(text):
		return t, fmt.Errorf("template %s has no placeholder; did you mean {%s}?", nearest.Quote(text), text)
	case err == nil && len(t.Attributes()) == 0:
		return t, fmt.Errorf("template %s has no placeholder; expected one, such as {event}__{bib:05d}", nearest.Quote(text))
	}
	return t, err
}

func takenKey(key string) error {
	if code, detail := entity.ValidateKey(entity.Key{Partition: key}); code != entity.OK {
		return fmt.Errorf("key %s is invalid: %s", nearest.Quote(key), detail)
	}
	return nil
}

func keyFault(template string, err error) error {
	return fmt.Errorf("template %s: %s", nearest.Quote(template), nearest.What(err))
}
