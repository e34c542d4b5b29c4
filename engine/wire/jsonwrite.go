package wire

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"loadgen/engine/entity"
)

// jsonStyle is how text beyond ASCII is written.
type jsonStyle bool

const (
	// jsonASCII escapes it, as the service does.
	jsonASCII jsonStyle = false
	jsonUTF8  jsonStyle = true
)

const jsonHexDigits = "0123456789abcdef"

// appendString appends a string with its quotes. Bytes that are not UTF-8
// become U+FFFD.
func (j jsonStyle) appendString(dst []byte, s string) []byte {
	n := len(dst)
	dst = append(slices.Grow(dst, len(s)+plainSlack+1), '"')
	if room := dst[n+1 : n+1+len(s)+plainSlack]; putPlain(room, s) {
		room[len(s)] = '"'
		return dst[:n+len(s)+2]
	}
	return append(j.appendEscaped(dst, s), '"')
}

// appendName appends a member's name and the colon after it.
func (j jsonStyle) appendName(dst []byte, name string) []byte {
	return j.appendQuoted(dst, name, ':')
}

// appendQuoted appends a string with its quotes and one more byte after them.
// Nearly all strings are plain and take one step.
func (j jsonStyle) appendQuoted(dst []byte, s string, after byte) []byte {
	n, size := len(dst), len(s)+len(`"",`)
	dst = slices.Grow(dst, size+plainSlack)
	if room := dst[n : n+size+plainSlack]; putPlain(room[1:], s) {
		room[0], room[size-2], room[size-1] = '"', '"', after
		return dst[:n+size]
	}
	dst = append(dst, '"')
	return append(j.appendEscaped(dst, s), '"', after)
}

// plainSlack is how much more room putPlain needs than the string is long.
const plainSlack = 8

// putPlain copies a string to the front of room, and reports whether all of it
// may stand in a JSON string just as it is. What it leaves in the room else, or
// beyond the string, means nothing. Most strings are names and numbers of a few
// bytes, for which a call of copy would take longer than all else.
func putPlain(room []byte, s string) bool {
	n := len(s)
	switch {
	case n < 8:
		w := lastBytes(s)
		binary.LittleEndian.PutUint64(room, w)
		return marks(w|ones*' '<<(8*n))&tops == 0
	case n > 48:
		return copy(room, s[:plainUpTo(s, 0)]) == n
	}
	last := word(s[n-8:])
	binary.LittleEndian.PutUint64(room[n-8:], last)
	found := marks(last)
	for i := 0; i+8 < n; i += 8 {
		w := word(s[i : i+8])
		binary.LittleEndian.PutUint64(room[i:], w)
		found |= marks(w)
	}
	return found&tops == 0
}

func (j jsonStyle) appendEscaped(dst []byte, s string) []byte {
	for {
		i := plainUpTo(s, 0)
		dst = append(dst, s[:i]...)
		if i == len(s) {
			return dst
		}
		s = s[i:]
		if s[0] < utf8.RuneSelf {
			const short, letters = "\"\\\b\f\n\r\t", `"\bfnrt`
			if at := strings.IndexByte(short, s[0]); at >= 0 {
				dst = append(dst, '\\', letters[at])
			} else {
				dst = appendJSONUnit(dst, rune(s[0]))
			}
			s = s[1:]
			continue
		}
		r, width := utf8.DecodeRuneInString(s)
		switch {
		case j == jsonUTF8:
			dst = utf8.AppendRune(dst, r)
		case width == 4:
			high, low := utf16.EncodeRune(r)
			dst = appendJSONUnit(appendJSONUnit(dst, high), low)
		default:
			dst = appendJSONUnit(dst, r)
		}
		s = s[width:]
	}
}

func appendJSONUnit(dst []byte, r rune) []byte {
	return append(dst, '\\', 'u',
		jsonHexDigits[r>>12&15], jsonHexDigits[r>>8&15], jsonHexDigits[r>>4&15], jsonHexDigits[r&15])
}

// appendProperty appends a property and a comma, with its type before it where
// that is wanted and the value does not tell it.
func (j jsonStyle) appendProperty(dst []byte, name string, v *entity.Value, annotate bool) []byte {
	if annotate && needsAnnotation(v) {
		dst = j.appendAnnotation(dst, name, v.Type())
	}
	return j.appendValue(j.appendName(dst, name), v)
}

// needsAnnotation reports whether a value in JSON does not tell its own type.
func needsAnnotation(v *entity.Value) bool {
	switch v.Type() {
	case entity.TypeInt64, entity.TypeDateTime, entity.TypeGUID, entity.TypeBinary:
		return true
	case entity.TypeDouble:
		f := v.Float()
		return math.IsNaN(f) || math.IsInf(f, 0)
	default:
		return false
	}
}

// appendValue appends a value and a comma. Those of types that JSON does not know are strings.
func (j jsonStyle) appendValue(dst []byte, v *entity.Value) []byte {
	switch v.Type() {
	case entity.TypeString:
		return j.appendQuoted(dst, v.Text(), ',')
	case entity.TypeBoolean:
		dst = strconv.AppendBool(dst, v.Bool())
	case entity.TypeInt32:
		dst = strconv.AppendInt(dst, v.Int(), 10)
	case entity.TypeDouble:
		dst = appendJSONDouble(dst, v.Float())
	case entity.TypeInt64:
		dst = append(strconv.AppendInt(append(dst, '"'), v.Int(), 10), '"')
	case entity.TypeDateTime:
		dst = append(appendInstant(append(dst, '"'), v.Ticks()), '"')
	case entity.TypeGUID:
		g, from := v.GUID(), 0
		for i, to := range [...]int{4, 6, 8, 10, 16} {
			dst = hex.AppendEncode(append(dst, `"----`[i]), g[from:to])
			from = to
		}
		dst = append(dst, '"')
	case entity.TypeBinary:
		dst = append(base64.StdEncoding.AppendEncode(append(dst, '"'), v.Bytes()), '"')
	default:
		panic("wire: property without value")
	}
	return append(dst, ',')
}

func (j jsonStyle) appendAnnotation(dst []byte, name string, edm entity.Type) []byte {
	dst = append(dst, '"')
	dst = j.appendEscaped(dst, name)
	dst = append(dst, `@odata.type":"`...)
	dst = append(dst, edm.String()...)
	return append(dst, `",`...)
}

// appendJSONDouble appends the shortest text that reads back as f and can only
// be a Double: with a point or an exponent, or in quotes where f is no number.
func appendJSONDouble(dst []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, `"NaN"`...)
	case math.IsInf(f, 1):
		return append(dst, `"Infinity"`...)
	case math.IsInf(f, -1):
		return append(dst, `"-Infinity"`...)
	}
	size := math.Abs(f)
	if size != 0 && (size < 1e-6 || size >= 1e21) {
		return strconv.AppendFloat(dst, f, 'e', -1, 64)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, f, 'f', -1, 64)
	if bytes.IndexByte(dst[start:], '.') < 0 {
		dst = append(dst, ".0"...)
	}
	return dst
}

// endJSONObject ends an object whose members each have a comma after them.
func endJSONObject(dst []byte) []byte {
	if dst[len(dst)-1] == ',' {
		dst[len(dst)-1] = '}'
		return dst
	}
	return append(dst, '}')
}
