package wire

import (
	"errors"
	"mime"
	"strings"

	"loadgen/engine/entity"
)

// Level is the amount of metadata in a JSON reply.
type Level uint8

// The levels. The zero value is the default.
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
	return [...]string{"minimalmetadata", "nometadata", "fullmetadata"}[l]
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
		if strings.TrimSpace(item) == "" {
			continue
		}
		named = true
		if level, ok := mediaLevel(item); ok {
			return level, true
		}
	}
	return MinimalMetadata, !named
}

// mediaLevel returns the level that one item of a list asks for. Parameters other than odata and a weight of zero do not
// matter.
func mediaLevel(item string) (Level, bool) {
	media, parameters, err := mime.ParseMediaType(item)
	weight := parameters["q"]
	switch {
	case err != nil, strings.HasPrefix(weight, "0") && strings.Trim(weight, "0.") == "":
		return MinimalMetadata, false
	case media == "*/*", media == "application/*":
		return MinimalMetadata, true
	case media != jsonMedia && media != "json":
		return MinimalMetadata, false
	}
	option, given := parameters["odata"]
	for level := range FullMetadata + 1 {
		if strings.EqualFold(option, level.String()) {
			return level, true
		}
	}
	return MinimalMetadata, !given
}

// cutQuoted cuts text at the first separator outside double quotes; found reports whether there is one.
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

// jsonMedia is the media type of JSON.
const jsonMedia = "application/json"

// maxBoundary is the greatest length of a boundary by RFC 2046 §5.1.1.
const maxBoundary = 70

// Boundary returns the boundary of a multipart/mixed Content-Type, and false
// without one.
func Boundary(contentType string) (string, bool) {
	media, parameters, err := mime.ParseMediaType(contentType)
	boundary := parameters["boundary"]
	if err != nil || media != "multipart/mixed" || boundary == "" || len(boundary) > maxBoundary || strings.ContainsAny(boundary, "\r\n\"") {
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
