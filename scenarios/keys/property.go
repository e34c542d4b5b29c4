package keys

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"loadgen/engine/entity"
	"loadgen/engine/nearest"
)

// PropertySpec says how one property of each entity is formed: the template
// gives a text, the text is read as the type. An entity for which the text is
// no value of the type goes without the property; [Options.Validate] foresees
// that as far as it can.
type PropertySpec struct {
	Name string
	// Type is one of those that [Types] lists.
	Type  entity.Type
	Value Template
}

// Types returns the types that a property can be generated in. The slice is the
// caller's.
func Types() []entity.Type {
	return []entity.Type{
		entity.TypeString, entity.TypeBoolean, entity.TypeInt32,
		entity.TypeInt64, entity.TypeDouble, entity.TypeDateTime,
	}
}

// parseValue reads a text as a value of the type, and returns false where it is
// none.
func parseValue(kind entity.Type, text string) (entity.Value, bool) {
	switch kind {
	case entity.TypeString:
		return entity.String(text), true
	case entity.TypeBoolean:
		return entity.Boolean(text == "true"), text == "true" || text == "false"
	case entity.TypeInt32:
		i, err := strconv.ParseInt(text, 10, 32)
		return entity.Int32(int32(i)), err == nil
	case entity.TypeInt64:
		i, err := strconv.ParseInt(text, 10, 64)
		return entity.Int64(i), err == nil
	case entity.TypeDouble:
		f, err := strconv.ParseFloat(text, 64)
		return entity.Double(f), err == nil && !math.IsInf(f, 0) && !math.IsNaN(f)
	case entity.TypeDateTime:
		t, err := entity.ParseTicks(text)
		return entity.DateTime(t), err == nil && t >= entity.EarliestDateTime && t <= entity.LatestDateTime
	default:
		return entity.Value{}, false
	}
}

// expected describes the texts that are values of a type.
var expected = map[entity.Type]string{
	entity.TypeString:   "a text",
	entity.TypeBoolean:  "true or false",
	entity.TypeInt32:    fmt.Sprintf("a whole number from %d to %d", math.MinInt32, math.MaxInt32),
	entity.TypeInt64:    "a 64-bit whole number",
	entity.TypeDouble:   "a finite number, like 11.5",
	entity.TypeDateTime: instantForm,
}

// The forms of a name and of an instant, as errors describe them.
const nameForm = "a letter or '_', then letters, digits or '_'"
const instantForm = "an instant such as 2026-11-01T15:04:05Z, in the years 1601 to 9999"

// nameFault returns what is wrong with a property's name, or "".
func nameFault(name string) string {
	switch {
	case name == "PartitionKey", name == "RowKey", name == "Timestamp":
		return fmt.Sprintf("every entity has %q already; expected another name", name)
	case !isName(name):
		return fmt.Sprintf("%s cannot name a property; expected %s, at most 255", nearest.Quote(name), nameForm)
	case len(name) >= 3 && strings.EqualFold(name[:3], "xml"):
		return fmt.Sprintf("%s begins with xml; expected another name", nearest.Quote(name))
	default:
		return ""
	}
}

// TypeName returns the type's name as a scenario spells it, such as Int32.
func TypeName(kind entity.Type) string { return strings.TrimPrefix(kind.String(), "Edm.") }
