package filter

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"loadgen/engine/entity"
)

// lexer cuts the text of a filter into tokens.
type lexer struct {
	text string
	at   int
}

// token is a word of the grammar.
type token struct {
	kind tokenKind
	// at is the offset of its first byte.
	at int
	// text is the token as it was written, a view into the filter.
	text string
	// value is what a constant means.
	value entity.Value
}

type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenOpen
	tokenClose
	// tokenName is a property or an operator, depending on its position.
	tokenName
	tokenConstant
)

// is reports whether the token is that operator. The documents write operators
// in lower case; what clients send is taken in any.
func (t *token) is(word string) bool { return t.kind == tokenName && isWord(t.text, word) }

// next returns the next token, at the end of the text one of kind tokenEnd.
func (l *lexer) next() (token, *fault) {
	for l.skip(" \t\n\r") {
		continue
	}
	start := l.at
	if start == len(l.text) {
		return token{kind: tokenEnd, at: start}, nil
	}
	switch c := l.text[start]; {
	case c == '(':
		l.at++
		return l.token(tokenOpen, start), nil
	case c == ')':
		l.at++
		return l.token(tokenClose, start), nil
	case c == '\'':
		return l.quoted(start, stringPrefix)
	case c == '-' || isDigit(c):
		return l.number(start)
	default:
		return l.word(start)
	}
}

// token returns the token that ends here.
func (l *lexer) token(kind tokenKind, start int) token {
	return token{kind: kind, at: start, text: l.text[start:l.at]}
}

func (l *lexer) constant(start int, v entity.Value) (token, *fault) {
	t := l.token(tokenConstant, start)
	t.value = v
	return t, nil
}

// word reads a name, a truth value, or a constant that says its type before a
// quote. Any other word before a quote is an operator without a blank after it.
func (l *lexer) word(start int) (token, *fault) {
	l.at += nameWidth(l.text[start:], true)
	word := l.text[start:l.at]
	switch {
	case word == "":
		r, _ := utf8.DecodeRuneInString(l.text[start:])
		return token{}, invalid(start, "the character %q outside a string", r)
	case l.at < len(l.text) && l.text[l.at] == '\'':
		switch {
		case isWord(word, "datetime"):
			return l.quoted(start, dateTimePrefix)
		case isWord(word, "guid"):
			return l.quoted(start, guidPrefix)
		case isWord(word, "x"), isWord(word, "binary"):
			return l.quoted(start, binaryPrefix)
		}
	case isWord(word, wordTrue):
		return l.constant(start, entity.Boolean(true))
	case isWord(word, wordFalse):
		return l.constant(start, entity.Boolean(false))
	}
	return l.token(tokenName, start), nil
}

// quoted reads from the opening quote on, in which a quote is doubled, and has
// the prefix say what the content means.
func (l *lexer) quoted(start int, prefix literalPrefix) (token, *fault) {
	l.at++
	from, doubled := l.at, false
	for {
		i := strings.IndexByte(l.text[l.at:], '\'')
		if i < 0 {
			return token{}, invalid(start, "expected a closing quote for")
		}
		l.at += i + 1
		if l.at == len(l.text) || l.text[l.at] != '\'' {
			break
		}
		l.at++
		doubled = true
	}
	content := l.text[from : l.at-1]
	if doubled {
		content = strings.ReplaceAll(content, "''", "'")
	}
	v, expected := prefix.value(content)
	if expected != "" {
		return token{}, invalid(start, "expected %s, found %s", expected, excerpt(l.text[start:l.at]))
	}
	return l.constant(start, v)
}

// number reads an optional minus, digits, and what makes them a Double or an
// Int64.
func (l *lexer) number(start int) (token, *fault) {
	if l.text[l.at] == '-' {
		l.at++
	}
	whole, ok := true, l.digits()
	if ok && l.skip(".") {
		whole, ok = false, l.digits()
	}
	if ok && l.skip("eE") {
		l.skip("+-")
		whole, ok = false, l.digits()
	}
	digits := l.text[start:l.at]
	long := ok && whole && l.skip("lL")
	// A name that follows at once, or a second point, would be read as another
	// token and blamed for standing there.
	if !ok || l.wordEnd() > l.at || l.skip(".") {
		return token{}, invalid(start, "expected a number, found %s", excerpt(l.text[start:l.wordEnd()]))
	}
	var v entity.Value
	var err error
	if whole {
		// One without L that is too large for an Int32 is taken as an Int64: numbers of all
		// types compare by value, so that the result is the same.
		var i int64
		i, err = strconv.ParseInt(digits, 10, 64)
		if v = entity.Int64(i); !long && i >= math.MinInt32 && i <= math.MaxInt32 {
			v = entity.Int32(int32(i))
		}
	} else {
		var f float64
		f, err = strconv.ParseFloat(digits, 64)
		v = entity.Double(f)
	}
	if err != nil {
		return token{}, invalid(start, "a number outside the range of its type, %s,", excerpt(l.text[start:l.at]))
	}
	return l.constant(start, v)
}

// digits passes over one digit at least.
func (l *lexer) digits() bool {
	from := l.at
	for l.at < len(l.text) && isDigit(l.text[l.at]) {
		l.at++
	}
	return l.at > from
}

// skip passes over one of these characters, where one stands there.
func (l *lexer) skip(characters string) bool {
	if l.at == len(l.text) || strings.IndexByte(characters, l.text[l.at]) < 0 {
		return false
	}
	l.at++
	return true
}

// wordEnd returns where the name characters end that stand here.
func (l *lexer) wordEnd() int { return l.at + nameWidth(l.text[l.at:], false) }

// isWord reports whether s is that word, which is in lower case, in any case.
func isWord(s, word string) bool {
	// No letter outside ASCII that folds to an ASCII letter has its length.
	return len(s) == len(word) && strings.EqualFold(s, word)
}

// nameWidth returns how many bytes at the beginning of s are a name: a letter or
// underscore where it is the first character, then letters, digits, underscores,
// and what else a C# identifier may hold.
func nameWidth(s string, first bool) int {
	for i, r := range s {
		if !entity.IdentifierRune(r, first && i == 0) {
			return i
		}
	}
	return len(s)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// fault is why a text is no filter that could be carried out.
type fault struct {
	code entity.Code
	// at is the offset of the place, in bytes.
	at   int
	what string
}

func invalid(at int, format string, values ...any) *fault {
	return &fault{code: entity.InvalidInput, at: at, what: fmt.Sprintf(format, values...)}
}

// unsupported is a fault of the service's making rather than the client's: OData
// has it, the table service does not.
func unsupported(at int, format string, values ...any) *fault {
	return &fault{code: entity.NotImplemented, at: at, what: fmt.Sprintf(format, values...)}
}

// excerpt returns s as one line of bounded length.
func excerpt(s string) string {
	const most = 40
	if len(s) > most {
		return fmt.Sprintf("%q…", s[:most])
	}
	return fmt.Sprintf("%q", s)
}
