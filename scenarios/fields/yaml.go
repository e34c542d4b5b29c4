package fields

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Limits of a file. The YAML parser recurses into nested values and compares
// each key of a map with all before it: what it is given has to be bounded.
const (
	MaxBytes = 1 << 20
	MaxDepth = 20
	maxPairs = 10_000
)

func syntaxFault(at Place, format string, args ...any) Fault {
	return Fault{File: at.File, Line: at.line, Column: at.Column, What: fmt.Sprintf(format, args...)}
}

// wellFormed is what the parser's own words leave out.
const wellFormed = "expected quotes and brackets that are closed, and blanks that indent"

// ReadTree reads a YAML document. It returns the faults of the first step that
// found any: text, tokens, grammar.
func ReadTree(file string, text []byte) (tree *Node, faults Faults) {
	text = bytes.TrimPrefix(text, []byte("\uFEFF"))
	if fault, ok := TextFault(file, text); !ok {
		return nil, Faults{fault}
	}
	// The parser is not ours, and panics have been seen on input that no one
	// writes: they are faults of the input here.
	defer func() {
		if broken := recover(); broken != nil {
			tree, faults = nil, Faults{syntaxFault(Place{File: file, line: 1, Column: 1}, "this is not YAML that can be read: %v; "+wellFormed, broken)}
		}
	}()
	tokens := lexer.Tokenize(string(text))
	if faults := tokenFaults(file, tokens); len(faults) > 0 {
		return nil, faults
	}
	parsed, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		at := Place{File: file, line: 1, Column: 1}
		message, _, _ := strings.Cut(err.Error(), "\n")
		var located yaml.Error
		if errors.As(err, &located) && located.GetToken() != nil {
			at, message = placeOf(file, located.GetToken()), located.GetMessage()
		}
		return nil, Faults{syntaxFault(at, "not YAML: %s; "+wellFormed, message)}
	}
	var body ast.Node
	for _, doc := range parsed.Docs {
		if doc.Body == nil {
			continue
		}
		if body != nil {
			c := converter{file: file}
			return nil, Faults{syntaxFault(c.value(doc.Body, 0).At, "a second document begins; expected one scenario in a file")}
		}
		body = doc.Body
	}
	if body == nil {
		return &Node{Kind: Empty, At: Place{File: file, line: 1, Column: 1}}, nil
	}
	c := converter{file: file}
	tree = c.value(body, 0)
	return tree, c.faults
}

// TextFault returns what keeps a text from being read at all.
func TextFault(file string, text []byte) (Fault, bool) {
	if len(text) > MaxBytes {
		return syntaxFault(Place{File: file, line: 1, Column: 1}, "the text is too large; expected at most %d bytes", MaxBytes), false
	}
	line, column := 1, 1
	for rest := text; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		switch {
		case r == utf8.RuneError && size == 1:
			return syntaxFault(Place{File: file, line: line, Column: column}, "byte %#02x is no part of a character; expected UTF-8 text", rest[0]), false
		case r < ' ' && !bytes.ContainsRune([]byte("\t\r\n"), r):
			return syntaxFault(Place{File: file, line: line, Column: column}, "control character %U; expected text", r), false
		case r == '\n':
			line, column = line+1, 0
		}
		column++
		rest = rest[size:]
	}
	return Fault{}, true
}

// foreign are the tokens of YAML that the format does without.
var foreign = map[token.Type]string{
	token.AnchorType:     "an anchor",
	token.AliasType:      "an alias",
	token.TagType:        "a tag",
	token.MergeKeyType:   "a merge key",
	token.MappingKeyType: "a complex key",
	token.DirectiveType:  "a directive",
}

// tokenFaults returns what the format does not know, and what is nested too
// deeply or too much to be parsed.
func tokenFaults(file string, tokens token.Tokens) Faults {
	var faults Faults
	depth, entries, pairs := 0, 0, 0
	for _, t := range tokens {
		at := placeOf(file, t)
		if what, ok := foreign[t.Type]; ok {
			faults = append(faults, syntaxFault(at, "%s is not part of the scenario format; expected values written out", what))
		}
		// Items may begin one inside the other on one line: - - - x.
		if entries++; t.Type != token.SequenceEntryType {
			entries = 0
		}
		switch t.Type {
		case token.MappingStartType, token.SequenceStartType:
			depth++
		case token.MappingEndType, token.SequenceEndType:
			depth--
		case token.MappingValueType:
			pairs++
		}
		if depth > MaxDepth || entries > MaxDepth || t.Type == token.MappingValueType && pairs == maxPairs {
			return append(faults, syntaxFault(at, "too many or too deeply nested values; expected at most %d fields and %d levels", maxPairs, MaxDepth))
		}
	}
	return faults
}

func placeOf(file string, t *token.Token) Place {
	at := Place{File: file, line: 1, Column: 1}
	if t != nil && t.Position != nil {
		at.line, at.Column = max(1, t.Position.Line), max(1, t.Position.Column)
	}
	return at
}

// converter turns the parser's tree into ours.
type converter struct {
	file   string
	faults Faults
}

func (c *converter) value(from ast.Node, depth int) *Node {
	if from == nil {
		return &Node{Kind: Empty, At: Place{File: c.file}}
	}
	at := placeOf(c.file, from.GetToken())
	if depth > MaxDepth {
		c.faults = append(c.faults, syntaxFault(at, "too deeply nested; expected at most %d levels", MaxDepth))
		return &Node{Kind: Empty, At: at}
	}
	switch from := from.(type) {
	case *ast.MappingNode:
		return c.dict(at, from.Values, depth)
	case *ast.MappingValueNode:
		return c.dict(at, []*ast.MappingValueNode{from}, depth)
	case *ast.SequenceNode:
		n := &Node{Kind: List, At: at}
		for _, item := range from.Values {
			n.Items = append(n.Items, c.value(item, depth+1))
		}
		return n
	case *ast.LiteralNode:
		return &Node{Kind: Scalar, Text: from.Value.Value, Quoted: true, At: at}
	case *ast.StringNode:
		n := &Node{Kind: Scalar, Text: from.Value, At: at}
		quote := ""
		switch from.Token.Type {
		case token.DoubleQuoteType:
			quote = `"`
		case token.SingleQuoteType:
			quote = "'"
		}
		n.Quoted = quote != ""
		if strings.TrimSpace(from.Token.Origin) == quote+from.Value+quote {
			n.At.Inner = at.Column + len(quote)
		}
		return n
	case *ast.NullNode:
		return &Node{Kind: Empty, At: at}
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return &Node{Kind: Scalar, Text: from.GetToken().Value, At: at}
	default:
		c.faults = append(c.faults, syntaxFault(at, "a YAML %s is not part of the scenario format; expected a map, a list or a single value", from.Type()))
		return &Node{Kind: Empty, At: at}
	}
}

func (c *converter) dict(at Place, pairs []*ast.MappingValueNode, depth int) *Node {
	n := &Node{Kind: Dict, At: at}
	if len(pairs) > 0 {
		// A block map has no token of its own: it begins where its first key
		// does.
		if first := placeOf(c.file, pairs[0].Key.GetToken()); first.line < at.line || first.line == at.line && first.Column < at.Column {
			n.At = first
		}
	}
	for _, pair := range pairs {
		key := pair.Key.GetToken()
		value := c.value(pair.Value, depth+1)
		text, ok := pair.Value.(*ast.StringNode)
		if ok && text.Token.Type == token.StringType && strings.Contains(strings.TrimSpace(text.Token.Origin), "\n") {
			value.At = placeOf(c.file, key)
		}
		n.Entries = append(n.Entries, Entry{key.Value, placeOf(c.file, key), value})
	}
	return n
}
