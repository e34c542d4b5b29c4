package filter

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"loadgen/engine/entity"
)

const (
	wordTrue  = "true"
	wordFalse = "false"
)

// literalPrefix is what stands before the opening quote of a constant and says
// its type.
type literalPrefix uint8

const (
	stringPrefix literalPrefix = iota
	dateTimePrefix
	guidPrefix
	binaryPrefix
)

// value returns what the content of the quotes means, or else what was
// expected there.
func (prefix literalPrefix) value(content string) (v entity.Value, expected string) {
	switch prefix {
	case dateTimePrefix:
		if t, ok := parseInstant(content); ok {
			return entity.DateTime(t), ""
		}
		return v, "an instant such as datetime'2017-08-30T13:20:32.66Z'"
	case guidPrefix:
		if c := content; len(c) == 36 && c[8] == '-' && c[13] == '-' && c[18] == '-' && c[23] == '-' {
			var g [16]byte
			digits := c[:8] + c[9:13] + c[14:18] + c[19:23] + c[24:]
			if _, err := hex.Decode(g[:], []byte(digits)); err == nil {
				return entity.GUID(g), ""
			}
		}
		return v, "32 hexadecimal digits in groups of 8, 4, 4, 4 and 12, such as guid'4185404a-…'"
	case binaryPrefix:
		if b, err := hex.DecodeString(content); err == nil {
			return entity.Binary(b), ""
		}
		return v, "pairs of hexadecimal digits, such as X'0aff'"
	default:
		return entity.String(content), ""
	}
}

// parseInstant reads the form of entity.ParseTicks, in which a client may leave
// out the Z or write an offset such as +02:00 in its stead.
func parseInstant(content string) (entity.Ticks, bool) {
	if strings.HasSuffix(content, "Z") {
		t, err := entity.ParseTicks(content)
		return t, err == nil
	}
	const offsetWidth, ticksPerMinute = len("+00:00"), 60 * 10_000_000
	ahead := entity.Ticks(0)
	if n := len(content) - offsetWidth; n > 0 && content[n+3] == ':' && (content[n] == '+' || content[n] == '-') {
		hours, hoursErr := strconv.ParseUint(content[n+1:n+3], 10, 8)
		minutes, minutesErr := strconv.ParseUint(content[n+4:], 10, 8)
		if hoursErr != nil || minutesErr != nil || hours > 14 || minutes > 59 {
			return 0, false
		}
		ahead = entity.Ticks(hours*60+minutes) * ticksPerMinute
		if content[n] == '-' {
			ahead = -ahead
		}
		content = content[:n]
	}
	t, err := entity.ParseTicks(content + "Z")
	t -= ahead
	return t, err == nil && t >= 0 && t <= entity.LatestDateTime
}

// constant appends the constant of a node as a filter has it.
func (p *printer) constant(dst []byte, n *node) []byte {
	if p.shape {
		return append(dst, '?')
	}
	switch v := n.constant; v.Type() {
	case entity.TypeBoolean:
		return strconv.AppendBool(dst, v.Bool())
	case entity.TypeInt32:
		return strconv.AppendInt(dst, v.Int(), 10)
	case entity.TypeInt64:
		return append(strconv.AppendInt(dst, v.Int(), 10), 'L')
	case entity.TypeDouble:
		start := len(dst)
		dst = strconv.AppendFloat(dst, v.Float(), 'g', -1, 64)
		if !strings.ContainsAny(string(dst[start:]), ".e") {
			dst = append(dst, ".0"...)
		}
		return dst
	case entity.TypeDateTime:
		return append(append(append(dst, "datetime'"...), v.Ticks().String()...), '\'')
	case entity.TypeGUID:
		g := v.GUID()
		return fmt.Appendf(dst, "guid'%x-%x-%x-%x-%x'", g[:4], g[4:6], g[6:8], g[8:10], g[10:])
	case entity.TypeBinary:
		return append(hex.AppendEncode(append(dst, "X'"...), v.Bytes()), '\'')
	default:
		return appendString(dst, v.Text())
	}
}

// appendString appends a string in quotes, those in it doubled.
func appendString(dst []byte, s string) []byte {
	return append(append(append(dst, '\''), strings.ReplaceAll(s, "'", "''")...), '\'')
}
