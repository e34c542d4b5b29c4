package scenarios

import (
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// schema returns the fields with what is said of each and its default.
func (o object) schema() *schema {
	s := &schema{called: definitionName(o.what), Type: types{"object"}, Additional: false}
	for _, f := range o.fields {
		value := f.value.schema()
		value.Description = strings.TrimSpace(f.says + " " + value.Description)
		if f.required {
			s.Required = append(s.Required, f.name)
		} else if fallback := fallbackOf(f.value); fallback != nil {
			value.Default = fallback
		}
		s.Properties = append(s.Properties, property{f.name, value})
	}
	for _, name := range o.one {
		s.OneOf = append(s.OneOf, &schema{Required: []string{name}})
	}
	return s
}

// definitionName returns the name of an object without its article.
func definitionName(what string) string {
	words := strings.Fields(what)
	if len(words) > 1 && (words[0] == "a" || words[0] == "an" || words[0] == "the") {
		words = words[1:]
	}
	return strings.Join(words, "-")
}

// fallbackOf returns the value that a field has where it is left out, nil where it
// then has none. That of an object is in its own fields.
func fallbackOf(value binding) json.RawMessage {
	n := value.write()
	if n == nil || n.kind == dict || n.kind == scalar && n.text == "" {
		return nil
	}
	return jsonText(n.json())
}

func (o optional[T]) schema() *schema { return o.bind(o.fresh()).schema() }

func (l listOf[T]) schema() *schema {
	var item T
	if l.fresh != nil {
		item = l.fresh()
	}
	s := &schema{Type: types{"array"}, Items: l.bind(&item).schema(), MinItems: l.least}
	if l.most < math.MaxInt32 {
		s.MaxItems = l.most
	}
	return s
}

var jsonNumeric = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)

// json returns the value as one of JSON, which cannot tell a text in quotes from
// one without.
func (n *node) json() any {
	switch n.kind {
	case list:
		items := make([]any, len(n.items))
		for i, item := range n.items {
			items[i] = item.json()
		}
		return items
	case dict:
		fields := map[string]any{}
		for _, e := range n.entries {
			fields[e.key] = e.value.json()
		}
		return fields
	case scalar:
		if truth, err := strconv.ParseBool(n.text); err == nil && !n.quoted && len(n.text) > 1 {
			return truth
		}
		if !n.quoted && jsonNumeric.MatchString(n.text) {
			return json.Number(n.text)
		}
		return n.text
	default:
		return nil
	}
}
