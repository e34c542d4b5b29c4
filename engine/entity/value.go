package entity

import (
	"math"
	"strings"
)

// Property is a named, typed value.
type Property struct {
	Name  string
	Value Value
}

// Value is one of the eight EDM types that a table stores. It is immutable. The
// zero Value has no type and is never stored: the service drops nulls.
type Value struct {
	kind Type
	// bits holds a number, a truth value or an instant.
	bits uint64
	// text holds a string, the bytes of a binary, or the 16 of a GUID.
	text string
}

// Type names an EDM type.
type Type uint8

// The types, in the order of their names in the service's documents.
const (
	TypeString Type = iota + 1
	TypeBinary
	TypeBoolean
	TypeDateTime
	TypeDouble
	TypeGUID
	TypeInt32
	TypeInt64
)

// typeNames is indexed by Type.
var typeNames = [...]string{
	"", "Edm.String", "Edm.Binary", "Edm.Boolean", "Edm.DateTime", "Edm.Double",
	"Edm.Guid", "Edm.Int32", "Edm.Int64",
}

// String returns the type's name on the wire, such as Edm.Int32, and "unknown"
// for what is none of the eight.
func (t Type) String() string {
	if !t.isKnown() {
		return "unknown"
	}
	return typeNames[t]
}

// ParseType returns the type of that name, with or without "Edm." before it,
// and false for any other text. Case matters.
func ParseType(name string) (Type, bool) {
	switch strings.TrimPrefix(name, "Edm.") {
	case "String":
		return TypeString, true
	case "Binary":
		return TypeBinary, true
	case "Boolean":
		return TypeBoolean, true
	case "DateTime":
		return TypeDateTime, true
	case "Double":
		return TypeDouble, true
	case "Guid":
		return TypeGUID, true
	case "Int32":
		return TypeInt32, true
	case "Int64":
		return TypeInt64, true
	default:
		return 0, false
	}
}

func (t Type) isKnown() bool { return t >= TypeString && t <= TypeInt64 }

// String returns an Edm.String value. It shares s.
func String(s string) Value { return Value{kind: TypeString, text: s} }

// Binary returns an Edm.Binary value. It copies b.
func Binary(b []byte) Value { return Value{kind: TypeBinary, text: string(b)} }

// Int32 returns an Edm.Int32 value.
func Int32(i int32) Value { return Value{kind: TypeInt32, bits: uint64(uint32(i))} }

// Int64 returns an Edm.Int64 value.
func Int64(i int64) Value { return Value{kind: TypeInt64, bits: uint64(i)} }

// Double returns an Edm.Double value; NaN and the infinities are values too.
func Double(f float64) Value { return Value{kind: TypeDouble, bits: math.Float64bits(f)} }

// Boolean returns an Edm.Boolean value.
func Boolean(b bool) Value {
	v := Value{kind: TypeBoolean}
	if b {
		v.bits = 1
	}
	return v
}

// DateTime returns an Edm.DateTime value.
func DateTime(t Ticks) Value { return Value{kind: TypeDateTime, bits: uint64(t)} }

// GUID returns an Edm.Guid value; the bytes are in the order in which its text
// form shows them.
func GUID(g [16]byte) Value { return Value{kind: TypeGUID, text: string(g[:])} }

// Type returns the value's type, 0 for the zero Value.
func (v Value) Type() Type { return v.kind }

// Equal reports whether two values have the same type and are stored as the
// same bits: a NaN equals itself, and the two zeros of a Double differ. The
// comparisons of a query's filter are another matter.
func (v Value) Equal(other Value) bool { return v == other }

// Text returns the text of an Edm.String, and "" for any other type.
func (v Value) Text() string {
	if v.kind != TypeString {
		return ""
	}
	return v.text
}

// Bytes returns a copy of the bytes of an Edm.Binary, and nil for any other
// type.
func (v Value) Bytes() []byte {
	if v.kind != TypeBinary {
		return nil
	}
	return []byte(v.text)
}

// Int returns the number of an Edm.Int32 or Edm.Int64, and 0 for any other type.
func (v Value) Int() int64 {
	switch v.kind {
	case TypeInt32:
		return int64(int32(v.bits))
	case TypeInt64:
		return int64(v.bits)
	default:
		return 0
	}
}

// Float returns the number of an Edm.Double, and 0 for any other type.
func (v Value) Float() float64 {
	if v.kind != TypeDouble {
		return 0
	}
	return math.Float64frombits(v.bits)
}

// Bool returns the truth of an Edm.Boolean, and false for any other type.
func (v Value) Bool() bool { return v.kind == TypeBoolean && v.bits != 0 }

// Ticks returns the instant of an Edm.DateTime, and 0 for any other type.
func (v Value) Ticks() Ticks {
	if v.kind != TypeDateTime {
		return 0
	}
	return Ticks(v.bits)
}

// GUID returns the bytes of an Edm.Guid, and zeros for any other type.
func (v Value) GUID() (g [16]byte) {
	if v.kind == TypeGUID {
		copy(g[:], v.text)
	}
	return g
}
