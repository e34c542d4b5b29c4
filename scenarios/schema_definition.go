package scenarios

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// schema is a value of the format in the words of JSON Schema, of which it has
// those that the format needs, in the order in which they are written.
type schema struct {
	Dialect     string `json:"$schema,omitempty"`
	ID          string `json:"$id,omitempty"`
	Title       string `json:"title,omitempty"`
	Reference   string `json:"$ref,omitempty"`
	Description string `json:"description,omitempty"`
	Type        types  `json:"type,omitempty"`
	// Enum are the words that are known; Constant is the only number.
	Enum     []string    `json:"enum,omitempty"`
	Constant json.Number `json:"const,omitempty"`
	Minimum  json.Number `json:"minimum,omitempty"`
	Maximum  json.Number `json:"maximum,omitempty"`
	// MaxLength is in characters, where the format counts bytes: never fewer.
	MaxLength     int        `json:"maxLength,omitempty"`
	Pattern       string     `json:"pattern,omitempty"`
	MinItems      int        `json:"minItems,omitempty"`
	MaxItems      int        `json:"maxItems,omitempty"`
	Items         *schema    `json:"items,omitempty"`
	MinProperties int        `json:"minProperties,omitempty"`
	MaxProperties int        `json:"maxProperties,omitempty"`
	Names         *schema    `json:"propertyNames,omitempty"`
	Properties    properties `json:"properties,omitempty"`
	Required      []string   `json:"required,omitempty"`
	// Additional is false, or the *schema of the values under any other name.
	Additional any             `json:"additionalProperties,omitempty"`
	AnyOf      []*schema       `json:"anyOf,omitempty"`
	OneOf      []*schema       `json:"oneOf,omitempty"`
	Default    json.RawMessage `json:"default,omitempty"`

	Definitions properties `json:"$defs,omitempty"`

	// called is the name of an object, under which it is defined once for all its
	// places; empty for any other value.
	called string
}

// types are the kinds of JSON that a value can be.
type types []string

// MarshalJSON writes a single kind as itself, and several as a list.
func (t types) MarshalJSON() ([]byte, error) {
	if len(t) == 1 {
		return json.Marshal(t[0])
	}
	return json.Marshal([]string(t))
}

// properties are named schemas in the order of the format.
type properties []property

type property struct {
	name  string
	value *schema
}

// MarshalJSON writes an object that keeps the order.
func (p properties) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	for i, one := range p {
		out.WriteByte("{,"[min(i, 1)])
		out.Write(bytes.TrimSpace(jsonText(one.name)))
		out.WriteByte(':')
		out.Write(jsonText(one.value))
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// defined returns a copy of a document in which each object stands once, below its
// name.
func (s *schema) defined() *schema {
	d := definitions{called: map[string]string{}}
	root := d.below(s)
	root.Definitions = d.all
	return root
}

// definitions are the objects of the format, each of which stands once.
type definitions struct {
	all properties
	// called maps the name of a definition to what the object is called.
	called map[string]string
}

// refer returns a value as it stands in another: an object by its name.
func (d *definitions) refer(s *schema) *schema {
	below := d.below(s)
	if s.called == "" {
		return below
	}
	description, fallback := below.Description, below.Default
	below.Description, below.Default = "", nil
	return &schema{Reference: "#/$defs/" + d.define(s.called, below), Description: description, Default: fallback}
}

// below returns a copy of a value in which what it is made of is referred to.
func (d *definitions) below(s *schema) *schema {
	settled := *s
	settled.Properties = nil
	for _, one := range s.Properties {
		settled.Properties = append(settled.Properties, property{one.name, d.refer(one.value)})
	}
	if s.Items != nil {
		settled.Items = d.refer(s.Items)
	}
	if other, ok := s.Additional.(*schema); ok {
		settled.Additional = d.refer(other)
	}
	settled.AnyOf = nil
	for _, one := range s.AnyOf {
		settled.AnyOf = append(settled.AnyOf, d.refer(one))
	}
	return &settled
}

// define returns the name under which an object stands. Two objects of one name
// that differ get names of their own.
func (d *definitions) define(name string, s *schema) string {
	others := 0
	for _, one := range d.all {
		if d.called[one.name] != name {
			continue
		}
		if bytes.Equal(jsonText(one.value), jsonText(s)) {
			return one.name
		}
		others++
	}
	own := name
	if others > 0 {
		own = fmt.Sprintf("%s-%d", name, others+1)
	}
	d.all = append(d.all, property{own, s})
	d.called[own] = name
	return own
}

// jsonText returns a value as indented JSON with a line end.
func jsonText(value any) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		panic("scenarios: the schema is not JSON: " + err.Error())
	}
	return out.Bytes()
}
