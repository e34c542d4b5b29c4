package fields

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"loadgen/engine/nearest"
)

// Binding ties a value of the file to a field of a Go struct, both ways: the
// format is written down once, and reading, writing and the names to suggest
// all follow from it.
type Binding interface {
	// Read sets the field from the node, or reports why it cannot.
	Read(r *Reader, path string, n *Node)
	// Write returns the field as a node, nil where it is left out.
	Write() *Node
	// Schema returns what an editor needs to know about the value: its kind, its
	// bounds, its words. A binding that wraps another embeds it; one of its own
	// starts from the shapes of schema_value.go. It may refuse nothing that read
	// accepts, and should refuse whatever is of the wrong kind or out of bounds.
	Schema() *Schema
}

// Reader gathers the faults of one reading.
type Reader struct {
	Faults Faults
}

// Fault reports what is wrong with a value at a path.
func (r *Reader) Fault(at Place, path, format string, args ...any) {
	r.Faults = append(r.Faults, Fault{
		File: at.File, Line: at.line, Column: at.Column,
		Path: path, What: fmt.Sprintf(format, args...),
	})
}

// Expect reports that a value is not what it should be.
func (r *Reader) Expect(n *Node, path, expected string) {
	r.Fault(n.At, path, "%s is %s; expected %s", Label(path), n.ShortText(), expected)
}

// Object is a dict with a closed set of fields.
type Object struct {
	// What names it in messages.
	What   string
	Fields []Field
	// Exactly, if set, names fields; exactly one must be given. Then is not
	// called for another number of them.
	Exactly []string
	// One is the same for the schema alone: what is said of another number of them is
	// up to Then.
	One []string
	// Fresh, where set, gives a new struct the defaults that its fields do not name.
	Fresh func()
	// Then, where set, looks at all fields together once they are read.
	Then func(r *Reader, path string, n *Node)
}

// Field is one field of an [Object].
type Field struct {
	Name     string
	Value    Binding
	Required bool
	// Default is what a new struct has, as the file would write it.
	Default string
	// Was is how the field was called before, empty for never.
	Was string
	// Says is one plain sentence on what the field is, for the schema; empty for that of its tags.
	Says string
	tag  reflect.StructTag
	view string
}

// Description returns what is said of the field.
func (f Field) Description() string {
	return cmp.Or(f.Says, f.tag.Get(f.view+".says"), f.tag.Get("says"))
}

func (o Object) names() []string {
	return nearest.NamesOf(o.Fields, func(f Field) string { return f.Name })
}

// Read implements [Binding].
func (o Object) Read(r *Reader, path string, n *Node) {
	known := o.names()
	if n.Kind != Dict {
		const most = 15
		names := known
		if len(names) > most {
			names = nil
			for _, f := range o.Fields {
				if f.Required {
					names = append(names, f.Name)
				}
			}
			names = append(names, "and others")
		}
		r.Fault(n.At, path, "%s is %s; expected a map with the fields %s", o.What, n.ShortText(), strings.Join(names, ", "))
		return
	}
	for i := range n.Entries {
		e := &n.Entries[i]
		for _, f := range o.Fields {
			if f.Was != "" && e.Key == f.Was {
				r.Fault(e.At, Child(path, f.Name), "%s is called %s now; expected that name", f.Was, f.Name)
				e.Key = f.Name
			}
		}
	}
	r.Once(path, n)
	for _, e := range n.Entries {
		if !slices.Contains(known, e.Key) {
			r.Fault(e.At, Child(path, e.Key), "%s", nearest.Unknown("field", e.Key, known))
		}
	}
	for _, f := range o.Fields {
		if value := n.Find(f.Name); value != nil {
			f.Value.Read(r, Child(path, f.Name), value)
		} else if f.Required {
			r.Fault(n.At, Child(path, f.Name), "%s has no %s; expected one", o.What, f.Name)
		}
	}
	if given := len(n.GivenNames(o.Exactly)); len(o.Exactly) > 0 && given != 1 {
		last := len(o.Exactly) - 1
		r.Fault(n.At, path, "%s has %d of %s and %s; expected exactly one", o.What, given, strings.Join(o.Exactly[:last], ", "), o.Exactly[last])
	} else if o.Then != nil {
		o.Then(r, path, n)
	}
}

// Once reports every key of a dict that was there before.
func (r *Reader) Once(path string, n *Node) {
	first := map[string]Place{}
	for _, e := range n.Entries {
		before, twice := first[e.Key]
		switch {
		case !twice:
			first[e.Key] = e.At
		case before.line > 0:
			r.Fault(e.At, Child(path, e.Key), "field %q is given twice, first on line %d; expected once", e.Key, before.line)
		default:
			r.Fault(e.At, Child(path, e.Key), "field %q is given twice; expected once", e.Key)
		}
	}
}

// Entries visits the entries of a map whose keys the file chooses, each with its path; of a
// key given twice the first. What is no map, or has a key twice, is reported.
func (r *Reader) Entries(path string, n *Node, expected string) iter.Seq2[string, Entry] {
	if n.Kind != Dict {
		r.Expect(n, path, expected)
		return func(func(string, Entry) bool) {}
	}
	r.Once(path, n)
	return func(yield func(string, Entry) bool) {
		for _, e := range n.Entries {
			if n.Find(e.Key) == e.Value && !yield(Child(path, e.Key), e) {
				return
			}
		}
	}
}

// Write implements [Binding].
func (o Object) Write() *Node {
	n := &Node{Kind: Dict}
	for _, f := range o.Fields {
		if value := f.Value.Write(); value != nil {
			n.Entries = append(n.Entries, Entry{Key: f.Name, Value: value})
		}
	}
	return n
}

// ListOf is the binding of a list of least to most values, which what names in messages. An
// empty one is not written.
func ListOf[T any](into *[]T, least, most int, what string, bind func(*T) Binding) Binding {
	return items{reflect.ValueOf(into).Elem(), least, most, what, pointed(bind)}
}

// items is a list of values of any type.
type items struct {
	into        reflect.Value
	least, most int
	what        string
	bind        func(item reflect.Value) Binding
}

func (l items) Read(r *Reader, path string, n *Node) {
	if n.Kind != List {
		r.Expect(n, path, "a list of "+l.what)
		return
	}
	if len(n.Items) < l.least || len(n.Items) > l.most {
		count := fmt.Sprintf("%d to %d", l.least, l.most)
		if l.least == l.most {
			count = strconv.Itoa(l.least)
		}
		r.Fault(n.At, path, "%s has %d items; expected %s %s", Label(path), len(n.Items), count, l.what)
		return
	}
	l.into.Set(reflect.MakeSlice(l.into.Type(), len(n.Items), len(n.Items)))
	for i, item := range n.Items {
		fresh(l.bind(l.into.Index(i))).Read(r, Child(path, strconv.Itoa(i)), item)
	}
}

func (l items) Write() *Node {
	if l.into.Len() == 0 {
		return nil
	}
	n := &Node{Kind: List}
	for i := range l.into.Len() {
		n.Items = append(n.Items, l.bind(l.into.Index(i)).Write())
	}
	return n
}

func (l items) Schema() *Schema {
	item := fresh(l.bind(reflect.New(l.into.Type().Elem()).Elem()))
	s := &Schema{Type: Types{"array"}, Items: item.Schema(), MinItems: l.least}
	if l.most < math.MaxInt32 {
		s.MaxItems = l.most
	}
	return s
}
