package wire

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"loadgen/engine/entity"
)

// value returns the typed value of a member that is not null; the code is OK, or
// else what says what is wrong with it.
func (e *jsonEntity) value(m *jsonMember) (v entity.Value, code entity.Code, what string) {
	switch m.edm {
	case 0:
		return untypedValue(m)
	case entity.TypeString:
		if m.kind == jsonString {
			return entity.String(m.text), entity.OK, ""
		}
	case entity.TypeBoolean:
		if truth, ok := m.truth(); ok {
			return entity.Boolean(truth), entity.OK, ""
		}
	case entity.TypeInt32:
		if i, ok := m.integer(); ok && i == int64(int32(i)) {
			return entity.Int32(int32(i)), entity.OK, ""
		}
	case entity.TypeInt64:
		if i, ok := m.integer(); ok {
			return entity.Int64(i), entity.OK, ""
		}
	case entity.TypeDouble:
		if f, ok := m.float(); ok {
			return entity.Double(f), entity.OK, ""
		}
	case entity.TypeGUID:
		if g, ok := m.guid(); ok {
			return entity.GUID(g), entity.OK, ""
		}
	case entity.TypeDateTime:
		return m.instant()
	case entity.TypeBinary:
		return e.binary(m)
	}
	return entity.Value{}, entity.InvalidInput, "is no " + m.edm.String()
}

// untypedValue goes by the token. A whole number too large for an Int32 becomes
// a Double, rather than being refused: the documents do not say which, and it is
// what a reader of JSON would take it for.
func untypedValue(m *jsonMember) (entity.Value, entity.Code, string) {
	switch m.kind {
	case jsonString:
		return entity.String(m.text), entity.OK, ""
	case jsonTrue, jsonFalse:
		return entity.Boolean(m.kind == jsonTrue), entity.OK, ""
	case jsonInteger:
		if i, ok := m.integer(); ok && i == int64(int32(i)) {
			return entity.Int32(int32(i)), entity.OK, ""
		}
	}
	if f, ok := m.float(); ok {
		return entity.Double(f), entity.OK, ""
	}
	return entity.Value{}, entity.InvalidInput, "exceeds Edm.Double"
}

func (m *jsonMember) truth() (truth, ok bool) {
	switch {
	case m.kind == jsonTrue, m.kind == jsonString && m.text == "true":
		return true, true
	case m.kind == jsonFalse, m.kind == jsonString && m.text == "false":
		return false, true
	}
	return false, false
}

// integer parses a whole number, as a token or in a string. An Int64 belongs in a
// string, but the meaning of a token is clear.
func (m *jsonMember) integer() (int64, bool) {
	digits := strings.TrimPrefix(m.text, "-")
	if m.kind != jsonString && m.kind != jsonInteger || digits == "" || digits[0] == '+' || digits[0] == '0' && len(digits) > 1 {
		return 0, false
	}
	i, err := strconv.ParseInt(m.text, 10, 64)
	return i, err == nil
}

// float reads a Double, as a token or in a string, where it may be one of the
// three that JSON has no number for.
func (m *jsonMember) float() (float64, bool) {
	switch m.kind {
	case jsonString:
		switch m.text {
		case "NaN":
			return math.NaN(), true
		case "Infinity":
			return math.Inf(1), true
		case "-Infinity":
			return math.Inf(-1), true
		}
		s := jsonScanner{text: m.text}
		if _, _, ok := s.number(); !ok || s.at != len(m.text) {
			return 0, false
		}
	case jsonInteger, jsonFraction:
	default:
		return 0, false
	}
	f, err := strconv.ParseFloat(m.text, 64)
	return f, err == nil
}

// guid parses 8-4-4-4-12 hexadecimal digits in either case.
func (m *jsonMember) guid() (g [16]byte, ok bool) {
	s := m.text
	if m.kind != jsonString || len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return g, false
	}
	var room [32]byte
	digits := room[:0]
	for _, part := range [...]string{s[:8], s[9:13], s[14:18], s[19:23], s[24:]} {
		digits = append(digits, part...)
	}
	_, err := hex.Decode(g[:], digits)
	return g, err == nil
}

func (m *jsonMember) instant() (entity.Value, entity.Code, string) {
	if m.kind != jsonString {
		return entity.Value{}, entity.InvalidInput, "is no Edm.DateTime"
	}
	t, code := parseInstant(m.text)
	switch {
	case code == entity.InvalidInput:
		return entity.Value{}, code, "is no Edm.DateTime"
	case code != entity.OK || t < entity.EarliestDateTime || t > entity.LatestDateTime:
		return entity.Value{}, entity.OutOfRangeInput, "is outside years 1601 to 9999"
	}
	return entity.DateTime(t), entity.OK, ""
}

// binary reads base64 with padding; line breaks in it are passed over, as some
// encoders write them. A text that is far too long is not decoded at all.
func (e *jsonEntity) binary(m *jsonMember) (entity.Value, entity.Code, string) {
	const no = "is no Edm.Binary"
	if m.kind != jsonString {
		return entity.Value{}, entity.InvalidInput, no
	}
	if len(m.text) > 2*entity.MaxBinaryBytes {
		return entity.Value{}, entity.PropertyValueTooLarge,
			fmt.Sprintf("exceeds %d bytes", entity.MaxBinaryBytes)
	}
	n := len(m.text)
	e.room = slices.Grow(e.room[:0], n+base64.StdEncoding.DecodedLen(n))
	text := append(e.room, m.text...)
	into := text[n:cap(text)]
	n, err := base64.StdEncoding.Decode(into, text)
	if err != nil {
		return entity.Value{}, entity.InvalidInput, no
	}
	return entity.Binary(into[:n]), entity.OK, ""
}

// jsonBrief returns a name or text as one line of bounded length, in quotes.
func jsonBrief(s string) string {
	const most = 60
	if len(s) > most {
		return strconv.QuoteToASCII(strings.ToValidUTF8(s[:most], "")) + "…"
	}
	return strconv.QuoteToASCII(s)
}
