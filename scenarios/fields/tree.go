package fields

import (
	"strconv"
	"strings"
	"unicode"
)

// Node is one value of a scenario file, before it is known what it means.
type Node struct {
	Kind kind
	// Text is a scalar's, as typed; Quoted says that it stood in quotes and is
	// therefore no number and no truth value.
	Text   string
	Quoted bool
	Items  []*Node
	// Entries keep their order, and a key given twice is there twice.
	Entries []Entry
	At      Place
}

type kind uint8

const (
	// Empty is a value that was left out after its key.
	Empty kind = iota
	// Scalar is a single value.
	Scalar
	// List is a list of values.
	List
	// Dict is a map by keys.
	Dict
)

// Entry is one field of a dict.
type Entry struct {
	Key   string
	At    Place
	Value *Node
}

// Place is where a value came from.
type Place struct {
	File         string
	line, Column int
	// Inner is the column of the first character of a scalar's text where that
	// stands in the file as it is; 0 where it does not.
	Inner int
}

// Places maps the path of each value to its place.
type Places map[string]Place

// Find returns the place of a path, or of the nearest value that it lies in.
func (p Places) Find(path string) Place {
	for {
		if at, ok := p[path]; ok || path == "" {
			return at
		}
		path = path[:max(0, strings.LastIndexByte(path, '.'))]
	}
}

// Child returns the path of a part.
func Child(path, part string) string {
	if path == "" {
		return part
	}
	return path + "." + part
}

// Label returns the last part of a path as a message names it: "each",
// "rates[3]".
func Label(path string) string {
	parts := strings.Split(path, ".")
	last := parts[len(parts)-1]
	if _, err := strconv.Atoi(last); err == nil && len(parts) > 1 {
		return parts[len(parts)-2] + "[" + last + "]"
	}
	return last
}

// TextNode returns the node of a text, and plain that of a number or the like.
func TextNode(s string) *Node { return &Node{Kind: Scalar, Text: s, Quoted: true} }

// PlainNode returns a text that stands without quotes.
func PlainNode(s string) *Node { return &Node{Kind: Scalar, Text: s} }

// Find returns the value of a field, nil if there is none.
func (n *Node) Find(key string) *Node {
	for _, e := range n.Entries {
		if e.Key == key {
			return e.Value
		}
	}
	return nil
}

// Has reports whether a field is given.
func (n *Node) Has(key string) bool { return n.Find(key) != nil }

// GivenNames returns those of the names that are fields of a dict.
func (n *Node) GivenNames(names []string) []string {
	var given []string
	for _, name := range names {
		if n.Has(name) {
			given = append(given, name)
		}
	}
	return given
}

// put gives a field a value, after the others where it is new.
func (n *Node) put(key string, value *Node, at Place) {
	for i := range n.Entries {
		if n.Entries[i].Key == key {
			n.Entries[i].Value, n.Entries[i].At = value, at
			return
		}
	}
	n.Entries = append(n.Entries, Entry{key, at, value})
}

// Walk calls visit for the node and everything in it, with their paths.
func (n *Node) Walk(path string, visit func(path string, n *Node)) {
	visit(path, n)
	for i, item := range n.Items {
		item.Walk(Child(path, strconv.Itoa(i)), visit)
	}
	for i := range n.Entries {
		n.Entries[i].Value.Walk(Child(path, n.Entries[i].Key), visit)
	}
}

// ShortText returns the value as a message shows it.
func (n *Node) ShortText() string {
	const most = 60
	switch n.Kind {
	case List:
		return "a list"
	case Dict:
		return "a map"
	case Empty:
		return "empty"
	}
	short := n.Text
	if characters := []rune(short); len(characters) > most {
		short = string(characters[:most]) + "…"
	}
	// A text without quotes can go over several lines, a message cannot.
	if n.Quoted || short == "" || strings.ContainsFunc(short, unicode.IsControl) {
		return strconv.Quote(short)
	}
	return short
}

// Step returns a part of a node by its name or position, nil if there is
// none.
func (n *Node) Step(part string) *Node {
	if n.Kind == List {
		if i := n.Position(part); i >= 0 {
			return n.Items[i]
		}
		return nil
	}
	return n.Find(part)
}

// Position returns where a list has an item, by its name or else by its
// position; negative where it has none.
func (n *Node) Position(part string) int {
	for i, item := range n.Items {
		if name := item.Find("name"); name != nil && name.Text == part {
			return i
		}
	}
	if i, err := strconv.Atoi(part); err == nil && i >= 0 && i < len(n.Items) {
		return i
	}
	return -1
}

// Replace puts a value at the end of resolved steps, and dicts on the way where
// there is nothing yet.
func (n *Node) Replace(steps []string, value *Node, origin Place) {
	last := len(steps) - 1
	for _, step := range steps[:last] {
		next := n.Step(step)
		if next == nil {
			next = &Node{Kind: Dict, At: origin}
			n.put(step, next, origin)
		}
		n = next
	}
	if n.Kind == List {
		n.Items[n.Position(steps[last])] = value
		return
	}
	n.put(steps[last], value, origin)
}
