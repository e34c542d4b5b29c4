package wire

import "strconv"

// jsonScanner reads one JSON text by RFC 8259, strictly, from front to back. The
// first fault is kept; from then on every method reports false, so that a loop
// over a broken text ends. Nothing is read twice and nothing recurses.
type jsonScanner struct {
	text string
	at   int
	// fault says what is wrong at byte at; empty while nothing is.
	fault string
}

// jsonKind is what a value is. The zero kind is none at all.
type jsonKind uint8

const (
	jsonNull jsonKind = iota + 1
	jsonFalse
	jsonTrue
	// jsonInteger is a number without fraction and exponent, jsonFraction any
	// other.
	jsonInteger
	jsonFraction
	jsonString
	// jsonNested is an object or an array.
	jsonNested
)

// maxJSONText is the maximum length of a request's text. The largest entity takes about 3 MiB if every character is
// escaped.
const maxJSONText = 4 << 20

// maxJSONDepth limits the nesting of skipped members: one bit for each is set for an object.
const maxJSONDepth = 64

func (s *jsonScanner) fail(what string) bool {
	if s.fault == "" {
		s.fault = what
	}
	return false
}

func (s *jsonScanner) detail() string {
	return "body is not the expected JSON: " + s.fault + " at byte " + strconv.Itoa(s.at)
}

func (s *jsonScanner) space() {
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return
		}
	}
}

// peek returns the byte at which the reader stands, 0 at the end.
func (s *jsonScanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

// open passes over the bracket with which an object or array begins.
func (s *jsonScanner) open(bracket byte) bool {
	s.space()
	if s.fault != "" || s.peek() != bracket {
		return s.fail("no " + string(bracket))
	}
	s.at++
	return true
}

// more reports whether an object or array goes on, and passes over the comma
// between two elements or over the bracket that ends it all.
func (s *jsonScanner) more(first bool, bracket byte) bool {
	if s.fault != "" {
		return false
	}
	s.space()
	switch c := s.peek(); {
	case c == bracket:
		s.at++
		return false
	case first:
		return true
	case c == ',':
		s.at++
		s.space()
		return true
	}
	return s.fail("neither a comma nor " + string(bracket))
}

// name reads a member's name and the colon after it; the reader then stands at
// the value.
func (s *jsonScanner) name() (string, bool) {
	name, ok := s.str()
	if !ok {
		return "", false
	}
	s.space()
	if s.peek() != ':' {
		return "", s.fail("missing colon")
	}
	s.at++
	s.space()
	return name, true
}

// members reads an object; visit is called at each value and has to read it or
// to pass over it.
func (s *jsonScanner) members(visit func(name string)) {
	if !s.open('{') {
		return
	}
	for first := true; s.more(first, '}'); first = false {
		if name, ok := s.name(); ok {
			visit(name)
		}
	}
}

// end reports whether nothing but blanks follows.
func (s *jsonScanner) end() bool {
	s.space()
	if s.fault == "" && s.at < len(s.text) {
		return s.fail("more than one value")
	}
	return s.fault == ""
}

// scalar reads a value that is neither object nor array; before one of those it
// stops and says jsonNested. The text is that of a string or number, a view
// where it has no escapes.
func (s *jsonScanner) scalar() (jsonKind, string, bool) {
	switch s.peek() {
	case '"':
		text, ok := s.str()
		return jsonString, text, ok
	case 't':
		return jsonTrue, "", s.word("true")
	case 'f':
		return jsonFalse, "", s.word("false")
	case 'n':
		return jsonNull, "", s.word("null")
	case '{', '[':
		return jsonNested, "", s.fault == ""
	default:
		return s.number()
	}
}

func (s *jsonScanner) word(want string) bool {
	if s.fault != "" || len(s.text)-s.at < len(want) || s.text[s.at:s.at+len(want)] != want {
		return s.fail("no value")
	}
	s.at += len(want)
	return true
}

func (s *jsonScanner) number() (jsonKind, string, bool) {
	start, kind := s.at, jsonInteger
	if s.fault != "" {
		return 0, "", false
	}
	if s.peek() == '-' {
		s.at++
	}
	if s.peek() == '0' {
		s.at++
	} else if !s.digits() {
		return 0, "", s.fail("no value")
	}
	if s.peek() == '.' {
		s.at++
		kind = jsonFraction
		if !s.digits() {
			return 0, "", s.fail("no digit after point")
		}
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.at++
		kind = jsonFraction
		if c := s.peek(); c == '+' || c == '-' {
			s.at++
		}
		if !s.digits() {
			return 0, "", s.fail("no exponent digit")
		}
	}
	return kind, s.text[start:s.at], true
}

// digits passes over at least one digit.
func (s *jsonScanner) digits() bool {
	start := s.at
	for s.at < len(s.text) && s.text[s.at]-'0' <= 9 {
		s.at++
	}
	return s.at > start
}

func (s *jsonScanner) skip() bool {
	var objects uint64
	depth, first := 0, false
	for {
		if depth > 0 {
			bracket := byte(']')
			inObject := objects&1 != 0
			if inObject {
				bracket = '}'
			}
			if !s.more(first, bracket) {
				if s.fault != "" {
					return false
				}
				objects >>= 1
				if depth, first = depth-1, false; depth == 0 {
					return true
				}
				continue
			}
			first = false
			if inObject {
				if _, ok := s.name(); !ok {
					return false
				}
			}
		}
		switch kind, _, ok := s.scalar(); {
		case !ok:
			return false
		case kind == jsonNested:
			if depth == maxJSONDepth {
				return s.fail("nesting too deep")
			}
			objects <<= 1
			if s.peek() == '{' {
				objects |= 1
			}
			s.at++
			depth, first = depth+1, true
		case depth == 0:
			return true
		}
	}
}
