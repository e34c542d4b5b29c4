package scenarios

import (
	"fmt"
	"strconv"
	"strings"

	"loadgen/engine/nearest"
)

// binding ties a value of the file to a field of a Go struct, both ways: the
// format is written down once, and reading, writing and the names to suggest
// all follow from it.
type binding interface {
	// read sets the field from the node, or reports why it cannot.
	read(r *reader, path string, n *node)
	// write returns the field as a node, nil where it is left out.
	write() *node
	// schema returns what an editor can be told of the value: its kind, its
	// bounds, its words. A binding that wraps another embeds it; one of its own
	// starts from the shapes of schema_value.go. It may refuse nothing that read
	// accepts, and should refuse whatever is of the wrong kind or out of bounds.
	schema() *schema
}

var (
	_ binding = object{}
	_ binding = listOf[int]{}
	_ binding = optional[int]{}
)

// reader gathers the faults of one reading.
type reader struct {
	faults Faults
}

// fault reports what is wrong with a value at a path.
func (r *reader) fault(at place, path, format string, args ...any) {
	r.faults = append(r.faults, Fault{
		File: at.file, Line: at.line, Column: at.column,
		Path: path, What: fmt.Sprintf(format, args...),
	})
}

// expect reports that a value is not what it should be.
func (r *reader) expect(n *node, path, expected string) {
	r.fault(n.at, path, "%s is %s; expected %s", label(path), n.shown(), expected)
}

// object is a dict with a closed set of fields.
type object struct {
	// what names it in messages.
	what   string
	fields []field
	// one, where set, names fields of which exactly one is given. It is for the
	// schema alone: what is said of another number of them is up to then.
	one []string
	// then, where set, looks at all fields together once they are read.
	then func(r *reader, path string, n *node)
}

type field struct {
	name     string
	value    binding
	required bool
	// says is one plain sentence on what the field is, for the schema.
	says string
}

func (o object) names() []string {
	names := make([]string, len(o.fields))
	for i, f := range o.fields {
		names[i] = f.name
	}
	return names
}

// fieldsInWords names the fields, of many the required ones.
func (o object) fieldsInWords() string {
	const most = 15
	if len(o.fields) <= most {
		return strings.Join(o.names(), ", ")
	}
	var names []string
	for _, f := range o.fields {
		if f.required {
			names = append(names, f.name)
		}
	}
	return strings.Join(append(names, "and others"), ", ")
}

func (o object) read(r *reader, path string, n *node) {
	if n.kind != dict {
		r.fault(n.at, path, "%s is %s; expected a map with the fields %s", o.what, n.shown(), o.fieldsInWords())
		return
	}
	r.once(path, n)
	for _, e := range n.entries {
		known := false
		for _, f := range o.fields {
			known = known || f.name == e.key
		}
		if !known {
			r.fault(e.at, child(path, e.key), "%s", nearest.Unknown("field", e.key, o.names()))
		}
	}
	for _, f := range o.fields {
		if value := n.find(f.name); value != nil {
			f.value.read(r, child(path, f.name), value)
		} else if f.required {
			r.fault(n.at, child(path, f.name), "%s has no %s; expected one", o.what, f.name)
		}
	}
	if o.then != nil {
		o.then(r, path, n)
	}
}

// once reports every key of a dict that was there before.
func (r *reader) once(path string, n *node) {
	first := map[string]place{}
	for _, e := range n.entries {
		before, twice := first[e.key]
		switch {
		case !twice:
			first[e.key] = e.at
		case before.line > 0:
			r.fault(e.at, child(path, e.key), "field %q is given twice, first on line %d; expected once", e.key, before.line)
		default:
			r.fault(e.at, child(path, e.key), "field %q is given twice; expected once", e.key)
		}
	}
}

func (o object) write() *node {
	n := &node{kind: dict}
	for _, f := range o.fields {
		if value := f.value.write(); value != nil {
			n.entries = append(n.entries, entry{key: f.name, value: value})
		}
	}
	return n
}

// optional is a value that is there or not, behind a pointer.
type optional[T any] struct {
	into  **T
	fresh func() *T
	bind  func(*T) binding
}

func (o optional[T]) read(r *reader, path string, n *node) {
	value := o.fresh()
	o.bind(value).read(r, path, n)
	*o.into = value
}

func (o optional[T]) write() *node {
	if *o.into == nil {
		return nil
	}
	return o.bind(*o.into).write()
}

// listOf is a list of least to most values. An empty one is not written.
type listOf[T any] struct {
	into        *[]T
	least, most int
	// what names the items in messages.
	what string
	// fresh, where set, returns an item with its defaults.
	fresh func() T
	bind  func(*T) binding
}

func (l listOf[T]) read(r *reader, path string, n *node) {
	if n.kind != list {
		r.expect(n, path, "a list of "+l.what)
		return
	}
	if len(n.items) < l.least || len(n.items) > l.most {
		count := fmt.Sprintf("%d to %d", l.least, l.most)
		if l.least == l.most {
			count = strconv.Itoa(l.least)
		}
		r.fault(n.at, path, "%s has %d items; expected %s %s", label(path), len(n.items), count, l.what)
		return
	}
	values := make([]T, len(n.items))
	for i, item := range n.items {
		if l.fresh != nil {
			values[i] = l.fresh()
		}
		l.bind(&values[i]).read(r, child(path, strconv.Itoa(i)), item)
	}
	*l.into = values
}

func (l listOf[T]) write() *node {
	if len(*l.into) == 0 {
		return nil
	}
	n := &node{kind: list}
	for i := range *l.into {
		n.items = append(n.items, l.bind(&(*l.into)[i]).write())
	}
	return n
}
