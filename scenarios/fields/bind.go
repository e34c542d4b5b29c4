package fields

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// Binder binds Go structs by the tags of their fields, which stand in the order of the file:
//
//	yaml:"name,required"  the name in the file, and options: required; omitempty, not written at
//	                      zero or at its default; default=16, the value where it is left out;
//	                      was=procedure, its former name; own, the struct's FieldValue binds it
//	says:"…"              one sentence for the schema
//	range:"1..100"        bounds of a number or of a duration
//	expected:"…"          what a number with decimals should be, for messages
//	max:"200"             bytes of a text
//	choice:"warm,cold"    the words that a text can be
//	list:"1..9 phases"    bounds of a list's length, and what its items are called; other
//	                      tags are those of the items
//	form:"share"          a form of the binder
//
// A field without a yaml tag is no field of the file, and an embedded one stands for its own.
// A blank field has the tags object:"a phase", which names the struct in messages, one:"a,b",
// fields; exactly one must be given, and either:"a,b", the same for the schema alone.
//
// A struct can have a second form in the file: a view has a tag of its own instead of yaml,
// such as spread:"partitions,required,own", for which FieldValue is called with spread.partitions,
// and spread.says and spread.list where these say something else.
type Binder struct {
	// Form returns the binding of a value by the name of its form.
	Form func(name string, into any) Binding
	// View is the view of the struct, not of those in it; empty for yaml.
	View string
}

// Completer is a struct that looks at all of its fields together once they are read.
type Completer interface {
	Complete(r *Reader, path string, n *Node)
}

// Valuer is a struct that binds the fields with the option own by code of its own.
type Valuer interface {
	FieldValue(name string) Binding
}

// Defaulter is a struct that sets defaults which its tags cannot have.
type Defaulter interface {
	SetDefaults()
}

// Bound is a type that binds itself, wherever it stands.
type Bound interface {
	Binding() Binding
}

// Bind returns the binding of the struct that into points to.
func (b Binder) Bind(into any) Object { return b.object(reflect.ValueOf(into).Elem()) }

// Fresh is Bind of a new struct, which it gives its defaults.
func (b Binder) Fresh(into any) Object {
	o := b.Bind(into)
	o.reset()
	return o
}

func (b Binder) object(v reflect.Value) Object {
	var o Object
	for i := range v.NumField() {
		f := v.Type().Field(i)
		options := words(f.Tag.Get(cmp.Or(b.View, "yaml")))
		switch {
		case len(options) > 0:
			o.Fields = append(o.Fields, b.field(v, i, f.Tag, options))
		case f.Name == "_":
			o.What, o.Exactly, o.One = f.Tag.Get("object"), words(f.Tag.Get("one")), words(f.Tag.Get("either"))
		case f.Anonymous:
			inner := b.object(v.Field(i))
			o.Exactly, o.Fields = append(o.Exactly, inner.Exactly...), append(o.Fields, inner.Fields...)
		}
	}
	into := v.Addr().Interface()
	if own, ok := into.(Completer); ok {
		o.Then = own.Complete
	}
	if own, ok := into.(Defaulter); ok {
		o.Fresh = own.SetDefaults
	}
	return o
}

func (b Binder) field(v reflect.Value, i int, tag reflect.StructTag, options []string) Field {
	one, value := Field{Name: options[0], tag: tag, view: b.View}, tagged{Binder: b, name: options[0], tag: tag, of: v, value: v.Field(i)}
	for _, option := range options[1:] {
		switch key, text, _ := strings.Cut(option, "="); key {
		case "required":
			one.Required = true
		case "omitempty":
			value.omitEmpty = true
		case "own":
			value.own = true
		case "default":
			one.Default, value.standard = text, text
		case "was":
			one.Was = text
		default:
			panic("fields: unknown option " + option)
		}
	}
	one.Value = value
	return one
}

// tagged is a field of a struct. It is bound once it is read or written, for most fields of most
// structs are not given.
type tagged struct {
	Binder
	name string
	tag  reflect.StructTag
	// of is the struct.
	of, value      reflect.Value
	own, omitEmpty bool
	standard       string
}

func (t tagged) bind() Binding {
	if t.own {
		return t.of.Addr().Interface().(Valuer).FieldValue(strings.TrimPrefix(t.View+"."+t.name, "."))
	}
	return t.Binder.value(t.tag, t.name, t.value)
}

func (t tagged) Read(r *Reader, path string, n *Node) { t.bind().Read(r, path, n) }

func (t tagged) Write() *Node {
	if t.omitEmpty && t.value.IsZero() {
		return nil
	}
	n := t.bind().Write()
	if t.omitEmpty && t.standard != "" && n.Text == t.standard {
		return nil
	}
	return n
}

func (t tagged) Schema() *Schema { return t.bind().Schema() }

func words(tag string) []string {
	if tag == "" {
		return nil
	}
	return strings.Split(tag, ",")
}

// value binds one value by its tags and its type.
func (b Binder) value(tag reflect.StructTag, name string, v reflect.Value) Binding {
	if bounds := cmp.Or(tag.Get(b.View+".list"), tag.Get("list")); bounds != "" && v.Kind() == reflect.Slice {
		count, what, _ := strings.Cut(bounds, " ")
		least, most := span(count, strconv.Atoi)
		return items{v, least, most, what, func(item reflect.Value) Binding { return b.single(tag, name, item) }}
	}
	return b.single(tag, name, v)
}

func (b Binder) single(tag reflect.StructTag, name string, v reflect.Value) Binding {
	into := v.Addr().Interface()
	bounds := tag.Get("range")
	if form, ok := tag.Lookup("form"); ok {
		return b.Form(form, into)
	}
	switch into := into.(type) {
	case Bound:
		return into.Binding()
	case *string:
		return textOf(tag, name, into)
	case *bool:
		return Truth(into)
	case *uint64:
		return Seed(into)
	case *int:
		least, most := span(bounds, strconv.Atoi)
		return Whole[int]{Into: into, Least: least, Most: most}
	case *int64:
		if bounds == "" {
			return Whole[int64]{Into: into, Least: math.MinInt64, Most: math.MaxInt64}
		}
		least, most := span(bounds, func(text string) (int64, error) { return strconv.ParseInt(text, 10, 64) })
		return Whole[int64]{Into: into, Least: least, Most: most}
	case *float64:
		low, high, _ := strings.Cut(bounds, "..")
		least, most := span(bounds, func(text string) (float64, error) { return strconv.ParseFloat(text, 64) })
		form := DecimalNumber
		if least < 0 {
			form = JSONNumeric
		}
		return Decimal(into, form, least, most, cmp.Or(tag.Get("expected"), "a number such as 38 or 9.5, from "+low+" to "+high))
	case *time.Duration:
		least, most := span(bounds, time.ParseDuration)
		return Duration{Into: into, Least: least, Most: most}
	}
	if v.Kind() == reflect.Pointer {
		return optional{v, func(value reflect.Value) Binding { return b.single(tag, name, value) }}
	}
	return Binder{Form: b.Form}.object(v)
}

func textOf(tag reflect.StructTag, name string, into *string) Binding {
	if of, ok := tag.Lookup("choice"); ok {
		return Choice{Into: into, What: name, Of: words(of)}
	}
	if most, err := strconv.Atoi(tag.Get("max")); err == nil {
		return LongText(into, most)
	}
	return Text{Into: into}
}

// span reads bounds such as 1..100; a tag that has none is a mistake of the program.
func span[T any](text string, parse func(string) (T, error)) (least, most T) {
	low, high, _ := strings.Cut(text, "..")
	least, err := parse(low)
	if err == nil {
		most, err = parse(high)
	}
	if err != nil {
		panic(fmt.Sprintf("fields: tag %q has no bounds: %v", text, err))
	}
	return least, most
}

// reset gives each field its default.
func (o Object) reset() {
	if o.Fresh != nil {
		o.Fresh()
	}
	for _, f := range o.Fields {
		if f.Default != "" {
			f.Value.Read(new(Reader), f.Name, PlainNode(f.Default))
		}
		if one, ok := f.Value.(tagged); ok && one.value.Kind() == reflect.Struct {
			fresh(one.bind())
		}
	}
}

// fresh gives a new value its defaults, and returns its binding.
func fresh(bound Binding) Binding {
	if o, ok := bound.(Object); ok {
		o.reset()
	}
	return bound
}

// Optional is the binding of a value that is there or not, behind a pointer.
func Optional[T any](into **T, bind func(*T) Binding) Binding {
	return optional{reflect.ValueOf(into).Elem(), pointed(bind)}
}

func pointed[T any](bind func(*T) Binding) func(reflect.Value) Binding {
	return func(value reflect.Value) Binding { return bind(value.Addr().Interface().(*T)) }
}

// optional is a value behind a pointer.
type optional struct {
	pointer reflect.Value
	bind    func(reflect.Value) Binding
}

func (o optional) Read(r *Reader, path string, n *Node) {
	value := reflect.New(o.pointer.Type().Elem())
	fresh(o.bind(value.Elem())).Read(r, path, n)
	o.pointer.Set(value)
}

func (o optional) Write() *Node {
	if o.pointer.IsNil() {
		return nil
	}
	return o.bind(o.pointer.Elem()).Write()
}

func (o optional) Schema() *Schema {
	return fresh(o.bind(reflect.New(o.pointer.Type().Elem()).Elem())).Schema()
}
