package results

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Layout is the JSON form of a struct that embeds [Counts]: its fields in their order. It is immutable and safe
// for concurrent use.
type Layout []layoutField

// layoutField is a field of the JSON form. Its head is the quoted name and the colon.
type layoutField struct {
	head      string
	index     []int
	omitEmpty bool
}

// firstCounts are the counts that records had before layouts: a layout leaves out those that it does not name.
const firstCounts = "scheduled sent dropped late operations succeeded cut attempts ok handled throttled failed causes retries " +
	"offered_entities served_entities counted_entities returned_entities bytes_out bytes_in stored_bytes " +
	"attempts_held_by_line attempts_held_by_limit attempts_kept_from_target first_attempts_throttled"

// LayoutOf returns the layout of T with the named JSON fields, in that order. name=other writes a field under
// another name. Fields that are not named follow where they are not empty, but for the counts that records had
// before layouts: so a count that is added to [Counts] is in every layout. It panics if T has no such field.
func LayoutOf[T any](names string) Layout {
	fields := make(map[string]reflect.StructField)
	var others []string
	for _, field := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous || !field.IsExported() || name == "-" {
			continue
		}
		fields[name] = field
		if !slices.Contains(strings.Fields(firstCounts), name) {
			others = append(others, name)
		}
	}
	var l Layout
	for _, one := range strings.Fields(names) {
		name, written, _ := strings.Cut(one, "=")
		field, known := fields[name]
		if !known {
			panic(fmt.Sprintf("results: %v has no field %s", reflect.TypeFor[T](), name))
		}
		others = slices.DeleteFunc(others, func(other string) bool { return other == name })
		omitEmpty := strings.HasSuffix(field.Tag.Get("json"), ",omitempty")
		l = append(l, layoutField{strconv.Quote(cmp.Or(written, name)) + ":", field.Index, omitEmpty})
	}
	for _, name := range others {
		l = append(l, layoutField{strconv.Quote(name) + ":", fields[name].Index, true})
	}
	return l
}

// Encode returns the JSON form of a struct, which must be of the layout's type, by value.
func (l Layout) Encode(of any) ([]byte, error) {
	from, text := reflect.ValueOf(of), []byte{'{'}
	for i := range l {
		value := from.FieldByIndex(l[i].index)
		if l[i].omitEmpty && isEmpty(value) {
			continue
		}
		if len(text) > 1 {
			text = append(text, ',')
		}
		text = append(text, l[i].head...)
		if value.Kind() == reflect.Int64 {
			text = strconv.AppendInt(text, value.Int(), 10)
			continue
		}
		more, err := json.Marshal(value.Interface())
		if err != nil {
			return nil, err
		}
		text = append(text, more...)
	}
	return append(text, '}'), nil
}

// isEmpty reports whether encoding/json's omitempty leaves a value out.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map:
		return v.Len() == 0
	case reflect.Struct:
		return false
	default:
		return v.IsZero()
	}
}
