package scenarios

import (
	"strconv"
	"strings"
	"unicode"
)

// node is one value of a scenario file, before it is known what it means.
type node struct {
	kind kind
	// text is a scalar's, as typed; quoted says that it stood in quotes and is
	// therefore no number and no truth value.
	text   string
	quoted bool
	items  []*node
	// entries keep their order, and a key given twice is there twice.
	entries []entry
	at      place
}

type kind uint8

const (
	empty kind = iota
	scalar
	list
	dict
)

// entry is one field of a dict.
type entry struct {
	key   string
	at    place
	value *node
}

// place is where a value came from.
type place struct {
	file         string
	line, column int
	// inner is the column of the first character of a scalar's text where that
	// stands in the file as it is; 0 where it does not.
	inner int
}

// places maps the path of each value to its place.
type places map[string]place

// of returns the place of a path, or of the nearest value that it lies in.
func (p places) of(path string) place {
	for {
		if at, ok := p[path]; ok || path == "" {
			return at
		}
		path = path[:max(0, strings.LastIndexByte(path, '.'))]
	}
}

// child returns the path of a part.
func child(path, part string) string {
	if path == "" {
		return part
	}
	return path + "." + part
}

// label returns the last part of a path as a message names it: "each",
// "rates[3]".
func label(path string) string {
	parts := strings.Split(path, ".")
	last := parts[len(parts)-1]
	if _, err := strconv.Atoi(last); err == nil && len(parts) > 1 {
		return parts[len(parts)-2] + "[" + last + "]"
	}
	return last
}

// text returns the node of a text, and plain that of a number or the like.
func text(s string) *node  { return &node{kind: scalar, text: s, quoted: true} }
func plain(s string) *node { return &node{kind: scalar, text: s} }

// find returns the value of a field, nil where there is none.
func (n *node) find(key string) *node {
	for _, e := range n.entries {
		if e.key == key {
			return e.value
		}
	}
	return nil
}

// put gives a field a value, after the others where it is new.
func (n *node) put(key string, value *node, at place) {
	for i := range n.entries {
		if n.entries[i].key == key {
			n.entries[i].value, n.entries[i].at = value, at
			return
		}
	}
	n.entries = append(n.entries, entry{key, at, value})
}

// walk calls visit for the node and everything in it, with their paths.
func (n *node) walk(path string, visit func(path string, n *node)) {
	visit(path, n)
	for i, item := range n.items {
		item.walk(child(path, strconv.Itoa(i)), visit)
	}
	for i := range n.entries {
		n.entries[i].value.walk(child(path, n.entries[i].key), visit)
	}
}

// places returns where each value of the tree came from.
func (n *node) places() places {
	found := places{}
	n.walk("", func(path string, n *node) { found[path] = n.at })
	return found
}

// locate gives every value of the tree its place.
func (n *node) locate(known places) {
	n.walk("", func(path string, n *node) {
		n.at = known.of(path)
		for i := range n.entries {
			n.entries[i].at = known.of(child(path, n.entries[i].key))
		}
	})
}

// shown returns the value as a message shows it.
func (n *node) shown() string {
	const most = 60
	switch n.kind {
	case list:
		return "a list"
	case dict:
		return "a map"
	case empty:
		return "empty"
	}
	short := n.text
	if characters := []rune(short); len(characters) > most {
		short = string(characters[:most]) + "…"
	}
	// A text without quotes can go over several lines, a message cannot.
	if n.quoted || short == "" || strings.ContainsFunc(short, unicode.IsControl) {
		return strconv.Quote(short)
	}
	return short
}

// step returns a part of a node by its name or position, nil where there is
// none.
func (n *node) step(part string) *node {
	if n.kind == list {
		if i := n.position(part); i >= 0 {
			return n.items[i]
		}
		return nil
	}
	return n.find(part)
}

// position returns where a list has an item, by its name or else by its
// position; negative where it has none.
func (n *node) position(part string) int {
	for i, item := range n.items {
		if name := item.find("name"); name != nil && name.text == part {
			return i
		}
	}
	if i, err := strconv.Atoi(part); err == nil && i >= 0 && i < len(n.items) {
		return i
	}
	return -1
}

// replace puts a value at the end of resolved steps, and dicts on the way where
// there is nothing yet.
func (n *node) replace(steps []string, value *node, origin place) {
	last := len(steps) - 1
	for _, step := range steps[:last] {
		next := n.step(step)
		if next == nil {
			next = &node{kind: dict, at: origin}
			n.put(step, next, origin)
		}
		n = next
	}
	if n.kind == list {
		n.items[n.position(steps[last])] = value
		return
	}
	n.put(steps[last], value, origin)
}
