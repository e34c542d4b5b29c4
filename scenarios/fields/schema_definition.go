package fields

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Schema is a value of the format in the words of JSON Schema. It has
// those that the format needs, in the order in which they are written.
type Schema struct {
	Dialect     string `json:"$schema,omitempty"`
	ID          string `json:"$id,omitempty"`
	Title       string `json:"title,omitempty"`
	Reference   string `json:"$ref,omitempty"`
	Description string `json:"description,omitempty"`
	Type        Types  `json:"type,omitempty"`
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
	Items         *Schema    `json:"items,omitempty"`
	MinProperties int        `json:"minProperties,omitempty"`
	MaxProperties int        `json:"maxProperties,omitempty"`
	Names         *Schema    `json:"propertyNames,omitempty"`
	Properties    Properties `json:"properties,omitempty"`
	Required      []string   `json:"required,omitempty"`
	// Additional is false, or the *schema of the values under any other name.
	Additional any             `json:"additionalProperties,omitempty"`
	AnyOf      []*Schema       `json:"anyOf,omitempty"`
	OneOf      []*Schema       `json:"oneOf,omitempty"`
	Default    json.RawMessage `json:"default,omitempty"`

	Definitions Properties `json:"$defs,omitempty"`

	// Called is the name of an object, under which it is defined once for all its
	// places; empty for any other value.
	Called string `json:"-"`
}

// Types are the kinds of JSON that a value can be.
type Types []string

// MarshalJSON writes a single kind as itself, and several as a list.
func (t Types) MarshalJSON() ([]byte, error) {
	if len(t) == 1 {
		return json.Marshal(t[0])
	}
	return json.Marshal([]string(t))
}

// Properties are named schemas in the order of the format.
type Properties []Property

// Property is one named schema among [Properties].
type Property struct {
	Name  string
	Value *Schema
}

// MarshalJSON writes an object that keeps the order.
func (p Properties) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	for i, one := range p {
		out.WriteByte("{,"[min(i, 1)])
		out.Write(bytes.TrimSpace(JSONText(one.Name)))
		out.WriteByte(':')
		out.Write(JSONText(one.Value))
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// Defined returns a copy of a document in which each object stands once, below its
// name.
func (s *Schema) Defined() *Schema {
	d := definitions{called: map[string]string{}}
	root := d.below(s)
	root.Definitions = d.all
	return root
}

// definitions are the objects of the format, each once.
type definitions struct {
	all Properties
	// called maps the name of a definition to what the object is called.
	called map[string]string
}

// refer returns a value as it stands in another: an object by its name.
func (d *definitions) refer(s *Schema) *Schema {
	below := d.below(s)
	if s.Called == "" {
		return below
	}
	description, fallback := below.Description, below.Default
	below.Description, below.Default = "", nil
	// Two objects of one name that differ get names of their own.
	own, others := "", 0
	for _, one := range d.all {
		if d.called[one.Name] != s.Called {
			continue
		}
		if bytes.Equal(JSONText(one.Value), JSONText(below)) {
			own = one.Name
			break
		}
		others++
	}
	if own == "" {
		own = s.Called
		if others > 0 {
			own = fmt.Sprintf("%s-%d", s.Called, others+1)
		}
		d.all = append(d.all, Property{own, below})
		d.called[own] = s.Called
	}
	return &Schema{Reference: "#/$defs/" + own, Description: description, Default: fallback}
}

// below returns a copy of a value in which what it is made of is referred to.
func (d *definitions) below(s *Schema) *Schema {
	settled := *s
	settled.Properties = nil
	for _, one := range s.Properties {
		settled.Properties = append(settled.Properties, Property{one.Name, d.refer(one.Value)})
	}
	if s.Items != nil {
		settled.Items = d.refer(s.Items)
	}
	if other, ok := s.Additional.(*Schema); ok {
		settled.Additional = d.refer(other)
	}
	settled.AnyOf = nil
	for _, one := range s.AnyOf {
		settled.AnyOf = append(settled.AnyOf, d.refer(one))
	}
	return &settled
}

// JSONText returns a value as indented JSON with a line end.
func JSONText(value any) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		panic("fields: the schema is not JSON: " + err.Error())
	}
	return out.Bytes()
}
