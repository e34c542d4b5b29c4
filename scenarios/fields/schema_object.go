package fields

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Schema returns the fields with what is said of each and its default.
func (o Object) Schema() *Schema {
	words := strings.Fields(o.What)
	if len(words) > 1 && (words[0] == "a" || words[0] == "an" || words[0] == "the") {
		words = words[1:]
	}
	s := &Schema{Called: strings.Join(words, "-"), Type: Types{"object"}, Additional: false}
	for _, f := range o.Fields {
		value := f.Value.Schema()
		value.Description = strings.TrimSpace(f.Description() + " " + value.Description)
		if f.Required {
			s.Required = append(s.Required, f.Name)
		} else if n := f.Value.Write(); n != nil && n.Kind != Dict && (n.Kind != Scalar || n.Text != "") {
			value.Default = JSONText(n.json()) // that of an object is in its own fields
		}
		s.Properties = append(s.Properties, Property{f.Name, value})
	}
	for _, name := range slices.Concat(o.Exactly, o.One) {
		s.OneOf = append(s.OneOf, &Schema{Required: []string{name}})
	}
	return s
}

// JSONNumeric is the form of a number in JSON.
var JSONNumeric = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)

// json returns the value as one of JSON, which cannot tell a text in quotes from
// one without.
func (n *Node) json() any {
	switch n.Kind {
	case List:
		items := make([]any, len(n.Items))
		for i, item := range n.Items {
			items[i] = item.json()
		}
		return items
	case Dict:
		fields := map[string]any{}
		for _, e := range n.Entries {
			fields[e.Key] = e.Value.json()
		}
		return fields
	case Scalar:
		if truth, err := strconv.ParseBool(n.Text); err == nil && !n.Quoted && len(n.Text) > 1 {
			return truth
		}
		if !n.Quoted && JSONNumeric.MatchString(n.Text) {
			return json.Number(n.Text)
		}
		return n.Text
	default:
		return nil
	}
}
