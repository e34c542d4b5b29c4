package results

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Layout is how a struct that embeds [Counts] is written as JSON: which fields in which order.
type Layout []laidOut

// laidOut is a field of a layout: its name in JSON and where it is.
type laidOut struct {
	head  string
	index []int
	// whenZero says that it is written although it is zero.
	whenZero bool
}

// LayoutOf returns the layout of a struct from the names of its fields in their order. A name with a - before
// it is left out; a field that is not named, such as a new count, comes last and only where it is not zero.
func LayoutOf[T any](names string) Layout {
	order := strings.Fields(names)
	type ranked struct {
		laidOut
		rank int
	}
	var list []ranked
	for _, field := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous || !field.IsExported() || name == "-" || slices.Contains(order, "-"+name) {
			continue
		}
		one := ranked{laidOut{head: `"` + name + `":`, index: field.Index}, slices.Index(order, name)}
		if at := slices.IndexFunc(order, func(o string) bool { return strings.HasPrefix(o, name+"=") }); at >= 0 {
			_, written, _ := strings.Cut(order[at], "=")
			one.head, one.rank = `"`+written+`":`, at
		}
		if one.whenZero = one.rank >= 0 && options == ""; one.rank < 0 {
			one.rank = len(order) + len(list)
		}
		list = append(list, one)
	}
	slices.SortStableFunc(list, func(a, b ranked) int { return a.rank - b.rank })
	l := make(Layout, len(list))
	for i := range list {
		l[i] = list[i].laidOut
	}
	return l
}

// Encoded returns the struct, which is given by value, as JSON.
func (l Layout) Encoded(of any) ([]byte, error) {
	from, text := reflect.ValueOf(of), []byte{'{'}
	for i := range l {
		value := from.FieldByIndex(l[i].index)
		if !l[i].whenZero && (value.IsZero() || (value.Kind() == reflect.Slice || value.Kind() == reflect.Map) && value.Len() == 0) {
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
