package keys

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxTemplate bounds a template's text in bytes: four times what a key can
// hold.
const maxTemplate = 4096

// Template is text with placeholders: "{event}__{distance}" stands for the
// value of the attribute event, two underscores and the value of distance.
// "{{" and "}}" stand for the braces themselves. The zero value is the template
// of the empty text. A Template is immutable and safe for concurrent use.
//
// A placeholder can call a function of an attribute, and have a format after a
// colon. The functions are
//
//	{hash(user,16)}   a number from 0 to 15 that the value's text decides: FNV-1a
//	                  of 64 bits, stirred by the finaliser of MurmurHash3, modulo 16
//	{reverse(user)}   its characters, the last one first
//	{prefix(user,2)}  its first two characters
//	{lower(user)}     its letters in lower case, and {upper(user)} in upper case
//
// and the formats
//
//	{bib:05d}         a whole number with zeros before it, up to five characters
//	{at:ticks}        an instant as ticks of 100 ns since the year 1, in 19 digits
//	{at:inverted}     the ticks that are left until the end of the year 9999,
//	                  likewise: the latest comes first in the index
//	{at:hour}         an instant cut off behind its hour, 2026-11-01T15; so do
//	                  year, month, day, minute and second
//
// Every entity also has the built-in {number}, its own; {uuid}, a random
// one (version 4); {uuid7}, one that is ordered by time (version 7); and {time}
// and {ticks}, which are the one [Time] among the attributes, as an instant and as
// ticks. An attribute of such a name goes before.
type Template struct {
	text  string
	parts []part
}

// part is a stretch of a template: a placeholder where attribute is set, else
// literal text.
type part struct {
	literal   string
	attribute string
	// call and format are what is done to the attribute's value, in this order.
	call, format transform
	// offset is where the part starts in the template's text, in bytes, and
	// source what stands there.
	offset int
	source string
}

// ParseTemplate reads a template. The error is a [TemplateError]. Whether the
// attributes exist is for [Options.Validate] to say.
func ParseTemplate(text string) (Template, error) { return parseTemplate(text, isName) }

// ParseColumns reads a template whose placeholders are columns of a file, which may have any name without a
// brace or a colon. The error is a [TemplateError].
func ParseColumns(text string) (Template, error) {
	return parseTemplate(text, func(name string) bool { return name != "" })
}

// parseTemplate reads a template whose attributes have names that named accepts.
func parseTemplate(text string, named func(string) bool) (Template, error) {
	if len(text) > maxTemplate {
		return Template{}, &TemplateError{Offset: maxTemplate, What: fmt.Sprintf("text has %d bytes; expected at most %d", len(text), maxTemplate)}
	}
	for at, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[at:], string(utf8.RuneError)) {
			return Template{}, &TemplateError{Offset: at, What: "not UTF-8; expected UTF-8 text"}
		}
	}
	t := Template{text: text}
	for at := 0; at < len(text); {
		rest, p := text[at:], part{offset: at}
		switch {
		case strings.HasPrefix(rest, "{{"), strings.HasPrefix(rest, "}}"):
			// A doubled brace is a part of its own.
			p.literal = rest[:1]
			at += 2
		case rest[0] == '}':
			return Template{}, &TemplateError{Offset: at, What: "unmatched '}'; expected '}}'"}
		case rest[0] == '{':
			end := strings.IndexAny(rest[1:], "{}")
			if end < 0 || rest[1+end] == '{' {
				return Template{}, &TemplateError{Offset: at, What: "unclosed '{'; expected {event} or similar, or '{{'"}
			}
			var err error
			if p, err = parsePlaceholder(rest[1:1+end], at+1, named); err != nil {
				return Template{}, err
			}
			p.offset, p.source = at, rest[:end+2]
			at += end + 2
		default:
			end := strings.IndexAny(rest, "{}")
			if end < 0 {
				end = len(rest)
			}
			p.literal = rest[:end]
			at += end
		}
		t.parts = append(t.parts, p)
	}
	return t, nil
}

// String returns the text that the template was read from.
func (t Template) String() string { return t.text }

// Piece is a stretch of a template: literal text, or what stands between the braces of
// a placeholder.
type Piece struct {
	Literal, Placeholder string
	// Offset is where it begins in the template's text, in bytes.
	Offset int
}

// Pieces returns the stretches of the template, in their order.
func (t Template) Pieces() []Piece {
	var all []Piece
	for _, p := range t.parts {
		all = append(all, Piece{p.literal, strings.Trim(p.source, "{}"), p.offset})
	}
	return all
}

// Attributes returns the names of the attributes in the template, each once, in
// the order of their first use. The slice is the caller's.
func (t Template) Attributes() []string {
	var names []string
	for _, p := range t.parts {
		if p.attribute != "" && !slices.Contains(names, p.attribute) {
			names = append(names, p.attribute)
		}
	}
	return names
}

// Times returns the names of the attributes that the template writes as instants, such as
// {at:hour}. The slice is the caller's.
func (t Template) Times() []string {
	var names []string
	for _, p := range t.parts {
		if p.format.ofTime() {
			names = append(names, p.attribute)
		}
	}
	return names
}

// RenameAttributes returns the text of the template with other names for its attributes.
func (t Template) RenameAttributes(rename func(attribute string) string) string {
	var text strings.Builder
	for i := range t.parts {
		p, end := &t.parts[i], len(t.text)
		if i+1 < len(t.parts) {
			end = t.parts[i+1].offset
		}
		source := t.text[p.offset:end]
		if p.attribute != "" {
			at := 1 // behind the brace
			if p.call.kind != asIs {
				at = strings.IndexByte(source, '(') + 1
			}
			source = source[:at] + rename(p.attribute) + source[at+len(p.attribute):]
		}
		text.WriteString(source)
	}
	return text.String()
}

// Expand returns the text with each placeholder replaced by what value returns
// for its attribute, put through the placeholder's function and format.
func (t Template) Expand(value func(attribute string) string) string {
	return t.ExpandAs(value, func(text string) string { return text })
}

// ExpandAs is Expand with what each placeholder comes to put through written, such
// as the doubling of quotes in a filter. Literal text is not.
func (t Template) ExpandAs(value func(attribute string) string, written func(text string) string) string {
	var text strings.Builder
	for _, p := range t.parts {
		if p.attribute != "" {
			text.WriteString(written(p.apply(value(p.attribute))))
		} else {
			text.WriteString(p.literal)
		}
	}
	return text.String()
}

func (p *part) apply(value string) string {
	if p.isPlain() {
		return value
	}
	text := p.call.apply([]byte(value), 0)
	return string(p.format.apply(text, 0))
}

// isPlain reports whether a placeholder takes the value as it is.
func (p *part) isPlain() bool { return p.call.kind == asIs && p.format.kind == asIs }

// isName reports whether text can name an attribute or a property: an ASCII
// identifier of at most 255 bytes.
func isName(text string) bool {
	if text == "" || len(text) > 255 {
		return false
	}
	for i := range len(text) {
		c := text[i]
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return true
}
