package fields

import "loadgen/engine/nearest"

// Either is a value of one of several shapes, such as a word or a map. The first shape reads
// whatever no other takes.
type Either []Shape

// Shape is one way to write a value.
type Shape struct {
	Binding
	// Takes is the kind of nodes that the shape reads, and Text, where set, the only scalar.
	Takes kind
	Text  string
	// Given reports whether the value has this shape: the first such one is written. A shape
	// without it is for reading alone.
	Given func() bool
}

// Read implements [Binding].
func (e Either) Read(r *Reader, path string, n *Node) {
	for _, s := range e[1:] {
		if s.Text != "" && n.Kind == Scalar && n.Text == s.Text || s.Text == "" && n.Kind == s.Takes {
			fresh(s.Binding).Read(r, path, n)
			return
		}
	}
	e[0].Read(r, path, n)
}

// Write implements [Binding].
func (e Either) Write() *Node {
	for _, s := range e {
		if s.Given != nil && s.Given() {
			return s.Binding.Write()
		}
	}
	return nil
}

// Schema implements [Binding].
func (e Either) Schema() *Schema {
	s := new(Schema)
	for _, shape := range e {
		s.AnyOf = append(s.AnyOf, fresh(shape.Binding).Schema())
	}
	return s
}

// Word is a single word, which sets into.
func Word(into *bool, word, expected string) Single[bool] {
	return Single[bool]{Into: into, Expected: expected, Form: &Schema{Enum: []string{word}},
		Written: func(bool) string { return word }, Quotes: true,
		Parse: func(text string) (bool, bool) { return true, text == word }}
}

// Named is one of some values that have names. It is not written at zero.
type Named[T comparable] struct {
	Into *T
	// What says what they are.
	What string
	Of   []T
	Name func(T) string
}

func (v Named[T]) choice(into *string) Choice {
	return Choice{Into: into, What: v.What, Of: nearest.NamesOf(v.Of, v.Name)}
}

// Read implements [Binding].
func (v Named[T]) Read(r *Reader, path string, n *Node) {
	text := ""
	v.choice(&text).Read(r, path, n)
	for _, one := range v.Of {
		if v.Name(one) == text {
			*v.Into = one
		}
	}
}

// Write implements [Binding].
func (v Named[T]) Write() *Node {
	if *v.Into == *new(T) {
		return nil
	}
	return TextNode(v.Name(*v.Into))
}

// Schema implements [Binding].
func (v Named[T]) Schema() *Schema { return v.choice(nil).Schema() }
