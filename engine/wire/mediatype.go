package wire

import "strings"

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

// IsJSON reports whether a media type without its parameters is JSON.
func IsJSON(media string) bool { return strings.EqualFold(media, "application/json") }

// MaxBoundary is the greatest length of a boundary by RFC 2046 §5.1.1.
const MaxBoundary = 70

// Boundary returns the boundary of a multipart/mixed Content-Type, and false
// where there is none.
func Boundary(contentType string) (string, bool) {
	media, parameters, _ := cutQuoted(contentType, ';')
	if !strings.EqualFold(strings.TrimSpace(media), "multipart/mixed") {
		return "", false
	}
	boundary, given := mediaParameter(parameters, "boundary")
	if !given || boundary == "" || len(boundary) > MaxBoundary || strings.ContainsAny(boundary, "\r\n\"") {
		return "", false
	}
	return boundary, true
}
