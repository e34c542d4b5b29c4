package wire

import (
	"errors"
	"strings"

	"loadgen/engine/entity"
)

// Level is how much a JSON reply says of itself.
type Level uint8

// The levels. The zero value is what clients get that do not choose.
const (
	MinimalMetadata Level = iota
	NoMetadata
	FullMetadata
)

// ContentType returns the Content-Type of a reply at the level.
func (l Level) ContentType() string {
	switch l {
	case NoMetadata:
		return "application/json;odata=nometadata;streaming=true;charset=utf-8"
	case FullMetadata:
		return "application/json;odata=fullmetadata;streaming=true;charset=utf-8"
	default:
		return "application/json;odata=minimalmetadata;streaming=true;charset=utf-8"
	}
}

// String returns the level as the option odata of an Accept header has it.
func (l Level) String() string {
	switch l {
	case NoMetadata:
		return "nometadata"
	case FullMetadata:
		return "fullmetadata"
	default:
		return "minimalmetadata"
	}
}

// ParseLevel returns the level that an Accept header or a $format option asks
// for: of a list the first acceptable item; an absent one or */* is minimal. It
// is false where only formats are acceptable that the service does not speak.
func ParseLevel(accept string) (Level, bool) {
	switch accept { // What clients send is not parsed further.
	case "", "*/*", "application/json", "application/json;odata=minimalmetadata":
		return MinimalMetadata, true
	case "application/json;odata=nometadata":
		return NoMetadata, true
	}
	named := false
	for rest, more := accept, true; more; {
		var item string
		item, rest, more = cutQuoted(rest, ',')
		media, parameters, _ := cutQuoted(item, ';')
		if media = strings.TrimSpace(media); media == "" {
			continue
		}
		named = true
		if level, ok := mediaLevel(media, parameters); ok {
			return level, true
		}
	}
	return MinimalMetadata, !named
}

// mediaLevel returns the level that one item of a list asks for. Parameters
// other than odata and a weight of zero say nothing here.
func mediaLevel(media, parameters string) (Level, bool) {
	if weight, given := mediaParameter(parameters, "q"); given && (strings.HasPrefix(weight, "0") && strings.Trim(weight, "0.") == "") {
		return MinimalMetadata, false
	}
	switch {
	case media == "*/*", strings.EqualFold(media, "application/*"):
		return MinimalMetadata, true
	case !isJSON(media) && !strings.EqualFold(media, "json"):
		return MinimalMetadata, false
	}
	level, given := mediaParameter(parameters, "odata")
	switch {
	case !given, strings.EqualFold(level, "minimalmetadata"):
		return MinimalMetadata, true
	case strings.EqualFold(level, "nometadata"):
		return NoMetadata, true
	case strings.EqualFold(level, "fullmetadata"):
		return FullMetadata, true
	default:
		return MinimalMetadata, false
	}
}

// cutQuoted cuts text at the first separator that no pair of double quotes
// encloses; found says whether there is one.
func cutQuoted(text string, separator byte) (before, after string, found bool) {
	quoted := false
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case c == separator && !quoted:
			return text[:i], text[i+1:], true
		}
	}
	return text, "", false
}

// mediaParameter returns the value of one of a media type's parameters, without
// the quotes around it, and false where it is not given.
func mediaParameter(parameters, name string) (value string, given bool) {
	for more := parameters != ""; more; {
		var parameter string
		parameter, parameters, more = cutQuoted(parameters, ';')
		found, value, valued := strings.Cut(parameter, "=")
		if !valued || !strings.EqualFold(strings.TrimSpace(found), name) {
			continue
		}
		value = strings.TrimSpace(value)
		if n := len(value); n >= 2 && value[0] == '"' && value[n-1] == '"' {
			value = value[1 : n-1]
		}
		return value, true
	}
	return "", false
}

// isJSON reports whether a media type without its parameters is JSON.
func isJSON(media string) bool { return strings.EqualFold(media, "application/json") }

// maxBoundary is the greatest length of a boundary by RFC 2046 §5.1.1.
const maxBoundary = 70

// Boundary returns the boundary of a multipart/mixed Content-Type, and false
// without one.
func Boundary(contentType string) (string, bool) {
	media, parameters, _ := cutQuoted(contentType, ';')
	if !strings.EqualFold(strings.TrimSpace(media), "multipart/mixed") {
		return "", false
	}
	boundary, given := mediaParameter(parameters, "boundary")
	if !given || boundary == "" || len(boundary) > maxBoundary || strings.ContainsAny(boundary, "\r\n\"") {
		return "", false
	}
	return boundary, true
}

// noVersion is a timestamp that no entity carries: tables begin to count at 0.
const noVersion entity.Ticks = -1

// ParseMatch reads an If-Match header; present is false for no header. A
// well-formed weak tag of no version that a table gave out is a condition that
// nothing meets; a small w marks a weak one as well. The code is OK or InvalidInput.
func ParseMatch(header string, present bool) (m entity.Match, code entity.Code, detail string) {
	switch {
	case !present:
		return entity.Match{}, entity.OK, ""
	case header == "*":
		return entity.MatchAny, entity.OK, ""
	}
	if strings.HasPrefix(header, "w/") {
		header = "W" + header[1:]
	}
	version, err := entity.ParseETag(header)
	switch {
	case err == nil:
		return entity.MatchExactly(version), entity.OK, ""
	case errors.Is(err, entity.ErrForeignETag):
		return entity.MatchExactly(noVersion), entity.OK, ""
	default:
		return entity.Match{}, entity.InvalidInput, "If-Match is neither * nor a quoted weak tag"
	}
}
