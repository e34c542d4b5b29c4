//go:build invariants

package invariants

import (
	"bytes"
	"reflect"
	"slices"
	"unsafe"
)

// Poison fills the struct that a pointer refers to, except for the named fields: those
// are kept from one use to the next. Of a kept room of bytes the content is filled, which
// must not be read any more. What holds a value that cannot be made up, an interface, a
// function or a map, keeps the one of the last use.
func Poison(pointer any, kept ...string) {
	v := reflect.ValueOf(pointer).Elem()
	for i := range v.NumField() {
		switch field := writable(v.Field(i)); {
		case !slices.Contains(kept, v.Type().Field(i).Name):
			poison(field, 2)
		case field.Kind() == reflect.Slice && field.Type().Elem().Kind() == reflect.Uint8:
			room := field.Slice(0, field.Cap()).Bytes()
			copy(room, bytes.Repeat([]byte{0xdb}, len(room)))
		}
	}
}

// writable returns a field as one that may be set, exported or not.
func writable(v reflect.Value) reflect.Value {
	return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
}

// poison fills a value and what it points to, to a depth.
func poison(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(0x5a)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		v.SetUint(0x5a)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(0x5a)
	case reflect.String:
		v.SetString("\xffpoison")
	case reflect.Array:
		for i := range v.Len() {
			poison(v.Index(i), depth)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		if depth > 0 {
			poison(v.Index(0), depth-1)
		}
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			poison(writable(v.Field(i)), depth)
		}
	}
}
