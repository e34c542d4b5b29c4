package wire

import (
	"strings"
	"unicode/utf8"
)

// multipart cuts a body of parts at its boundary. It takes what clients are
// known to send: LF for CRLF, blanks after a delimiter, text before the first
// and after the last one. The parts are views into the body.
type multipart struct {
	text     string
	boundary string
	// at is where the next part begins.
	at int
	// ended says that no part follows, closed that a closing delimiter said so.
	ended, closed bool
}

// openMultipart returns the parts of a body, and false where the boundary is
// not in it.
func openMultipart(text, boundary string) (multipart, bool) {
	m := multipart{text: text, boundary: boundary}
	if boundary == "" {
		return m, false
	}
	_, end, closes, found := m.delimiter()
	m.at, m.ended, m.closed = end, closes, closes
	return m, found
}

// next returns the next part, without the line break that belongs to the
// delimiter after it, and false after the last one.
func (m *multipart) next() (part string, more bool) {
	if m.ended {
		return "", false
	}
	start, end, closes, found := m.delimiter()
	if !found {
		part = m.text[m.at:]
		m.at, m.ended = len(m.text), true
		return part, true
	}
	part = strings.TrimSuffix(strings.TrimSuffix(m.text[m.at:start], "\n"), "\r")
	m.at, m.ended, m.closed = end, closes, closes
	return part, true
}

// delimiter finds the next line that consists of two hyphens, the boundary and
// perhaps two more hyphens, which close the body. Lines are few and long, so it
// goes from one to the next.
func (m *multipart) delimiter() (start, end int, closes, found bool) {
	for start = m.at; start < len(m.text); start = end {
		line := m.text[start:]
		i := strings.IndexByte(line, '\n')
		if end = start + i + 1; i < 0 {
			end = len(m.text)
		}
		if line[0] != '-' {
			continue
		}
		line = m.text[start:end]
		if !strings.HasPrefix(line, "--") || !strings.HasPrefix(line[len("--"):], m.boundary) {
			continue
		}
		rest, closes := strings.CutPrefix(line[len("--")+len(m.boundary):], "--")
		if isBlank(rest) {
			return start, end, closes, true
		}
	}
	return 0, 0, false, false
}

// cutLine cuts the first line off text, without its line break.
func cutLine(text string) (line, rest string) {
	line = text
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		line, rest = text[:i], text[i+1:]
	}
	return strings.TrimSuffix(line, "\r"), rest
}

// cutHeader splits a line at its colon, and is false if the text before it is not the name of a header.
func cutHeader(line string) (name, value string, ok bool) {
	i := 0
	for i < len(line) && unreserved(line[i]) {
		i++
	}
	if i == 0 || i == len(line) || line[i] != ':' {
		return "", "", false
	}
	name, value = line[:i], line[i+1:]
	if n := len(value); n > 1 && value[0] == ' ' && plainByte(value[1]) && plainByte(value[n-1]) {
		return name, value[1:], true // as what clients send is
	}
	return name, strings.TrimSpace(value), true
}

func plainByte(c byte) bool { return c > ' ' && c < utf8.RuneSelf }

// isHeader reports whether a name is that of a header, in whatever case.
func isHeader(name, header string) bool {
	return len(name) == len(header) && (name == header || strings.EqualFold(name, header))
}

// isBlank reports whether a part is nothing but line breaks and blanks.
func isBlank(part string) bool {
	return part == "" || !plainByte(part[0]) && strings.TrimSpace(part) == ""
}

// partBoundary returns the boundary that a part gives for the parts within it,
// and those; false where it is a part of another type.
func partBoundary(part string) (boundary, within string, nested bool) {
	line, rest := cutLine(part)
	for ; line != ""; line, rest = cutLine(rest) {
		name, value, ok := cutHeader(line)
		if ok && isHeader(name, contentTypeHeader) {
			boundary, nested = Boundary(value)
		}
	}
	return boundary, rest, nested
}

const (
	contentTypeHeader = "Content-Type"
	contentIDHeader   = "Content-ID"
)
