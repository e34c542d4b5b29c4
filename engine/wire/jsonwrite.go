package wire

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"loadgen/engine/entity"
)

// jsonStyle is the form of text that is not ASCII.
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
	return append(j.appendEscaped(append(dst, '"'), s), '"')
}

// appendName appends a member's name and the colon after it.
func (j jsonStyle) appendName(dst []byte, name string) []byte {
	return append(j.appendString(dst, name), ':')
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
		dst = j.appendString(dst, v.Text())
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
