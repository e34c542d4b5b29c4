package results

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Layout is the JSON form of a struct that embeds [Counts]: its fields in their order. It is immutable and safe
// for concurrent use.
type Layout struct {
	// form is a struct of these fields, whose indexes in the original are fields.
	form   reflect.Type
	fields [][]int
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
	var form []reflect.StructField
	add := func(field reflect.StructField, tag string) {
		l.fields = append(l.fields, field.Index)
		form = append(form, reflect.StructField{Name: field.Name, Type: field.Type, Tag: reflect.StructTag(`json:"` + tag + `"`)})
	}
	for _, one := range strings.Fields(names) {
		name, written, _ := strings.Cut(one, "=")
		field, known := fields[name]
		if !known {
			panic(fmt.Sprintf("results: %v has no field %s", reflect.TypeFor[T](), name))
		}
		others = slices.DeleteFunc(others, func(other string) bool { return other == name })
		tag := field.Tag.Get("json")
		add(field, cmp.Or(written, name)+tag[len(name):])
	}
	for _, name := range others {
		add(fields[name], name+",omitempty")
	}
	l.form = reflect.StructOf(form)
	return l
}

// Encode returns the JSON form of a struct, which must be of the layout's type, by value.
func (l Layout) Encode(of any) ([]byte, error) {
	from, to := reflect.ValueOf(of), reflect.New(l.form).Elem()
	for i, index := range l.fields {
		to.Field(i).Set(from.FieldByIndex(index))
	}
	return json.Marshal(to.Interface())
}
