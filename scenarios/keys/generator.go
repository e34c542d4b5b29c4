package keys

import (
	"errors"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
)

// Generator yields the entities of a key design. It is immutable: every method
// is a pure function of its arguments and safe for concurrent use. Entity
// numbers lie below 2⁶².
type Generator struct {
	options Options
	// attributes are those of the options, the built-in ones last.
	attributes     []drawn
	partition, row layout
	properties     []formed
	letters        clock.Stream
	// sizes, where set, draw how large an entity is.
	sizes *Sizes
	// blank, where set, is what every filler is the beginning of.
	blank string
}

// formed is a property with its template resolved.
type formed struct {
	name  string
	kind  entity.Type
	value layout
	// fixed is its value where that is the same of every entity, else nil.
	fixed *entity.Value
}

// New returns the generator of the options, which must not be altered
// afterwards. The error joins what [Options.Validate] finds; it wraps
// [ErrInvalidOptions].
func New(o Options) (*Generator, error) {
	faults := o.Validate()
	for _, a := range o.Attributes {
		if values, is := a.Values.(CSV); is && values.Set == nil {
			faults = append(faults, valueFaultf("attributes."+a.Name+".csv", "%s was not read", values.File))
		} else if Unread(a.Values) {
			faults = append(faults, valueFaultf("attributes."+a.Name, "its file was not read"))
		}
	}
	if o.sizesUnread() {
		faults = append(faults, valueFaultf("size.csv", "sizes were not read"))
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	g := &Generator{options: o, letters: clock.NewStream(o.Seed, "filler")}
	if o.Sizes != nil {
		g.sizes = o.Sizes.NewSizes(clock.NewStream(o.Seed, "sizes"))
	}
	var time timeline
	for _, a := range o.Attributes {
		d := drawn{stream: clock.NewStream(o.Seed, "attribute/"+a.Name)}
		switch values := a.Values.(type) {
		case Time:
			d.kind, d.time = byTime, newTimeline(values, o.History)
			time = d.time
		case Text:
			d.kind, d.text = byText, o.resolve(values.Template)
		case ValueColumn:
			// All columns of a row use the same draw.
			d.stream = clock.NewStream(o.Seed, "rows")
			d.values = values.Compile(d.stream)
		default:
			d.values = a.Values.Compile(clock.NewStream(o.Seed, "attribute/"+a.Name+"/once"))
		}
		g.attributes = append(g.attributes, d)
	}
	random := clock.NewStream(o.Seed, "uuid")
	g.attributes = append(g.attributes, drawn{kind: byNumber}, drawn{kind: byUUID, stream: random}, drawn{kind: byUUID7, stream: random, time: time})
	g.partition = o.resolve(o.PartitionKey)
	g.row = o.resolve(o.RowKey)
	g.properties = o.form(o.Properties)
	return g, nil
}

func (o *Options) form(specs []PropertySpec) []formed {
	var list []formed
	for _, spec := range specs {
		one := formed{name: spec.Name, kind: spec.Type, value: o.resolve(spec.Value)}
		text, same := "", true
		for i := range one.value {
			text += one.value[i].literal
			same = same && one.value[i].attribute < 0
		}
		if value, ok := parseValue(one.kind, text); same && ok {
			one.fixed = &value
		}
		list = append(list, one)
	}
	return list
}

// keyRoom is enough for most PartitionKeys with their RowKeys, so that forming a key costs a single allocation.
const keyRoom = 128

// Key returns the key of entity n, which was loaded.
func (g *Generator) Key(n uint64) entity.Key { return g.KeyOf(loaded(n)) }

// KeyOf returns the key of an event.
func (g *Generator) KeyOf(e Event) entity.Key {
	var room [keyRoom]byte
	o := occurrence{Event: e}
	text := g.expand(room[:0], g.partition, &o)
	partition := len(text)
	both := string(g.expand(text, g.row, &o))
	return entity.Key{Partition: both[:partition], Row: both[partition:]}
}

// PartitionKey returns the PartitionKey of entity n, which was loaded.
func (g *Generator) PartitionKey(n uint64) string { return g.PartitionKeyOf(loaded(n)) }

// PartitionKeyOf returns the PartitionKey of an event.
func (g *Generator) PartitionKeyOf(e Event) string {
	var room [keyRoom]byte
	return string(g.expand(room[:0], g.partition, &occurrence{Event: e}))
}

// ValueOf returns the value of an attribute, or of a built-in name, for an event, and false if there is
// no such attribute.
func (g *Generator) ValueOf(attribute string, e Event) (string, bool) {
	return g.ValueBefore(attribute, e, 0)
}

// ValueBefore returns the value that an attribute would have for an event so long before
// it: another one for a time alone. It is false if there is no such attribute.
func (g *Generator) ValueBefore(attribute string, e Event, span time.Duration) (string, bool) {
	s := g.options.slotOf(attribute)
	if s.attribute < 0 {
		return "", false
	}
	return string(g.fill(nil, &s, &occurrence{Event: e, back: entity.Ticks(max(0, span) / nanosPerTick)})), true
}

// Properties returns the properties of entity n, which was loaded, its filler last.
// The slice is the caller's.
func (g *Generator) Properties(n uint64) []entity.Property { return g.PropertiesOf(loaded(n)) }

// PropertiesOf returns the properties of an event, its filler last. The slice is
// the caller's.
func (g *Generator) PropertiesOf(e Event) []entity.Property {
	_, properties := g.EntityOf(e)
	return properties
}

// EntityOf returns the key of an event and its properties, as KeyOf and PropertiesOf do, and
// forms the key once.
func (g *Generator) EntityOf(e Event) (entity.Key, []entity.Property) {
	key, properties := g.KeyOf(e), g.withoutFiller(e)
	if g.options.Filler != "" {
		properties = g.padded(properties, key, e.Number)
	}
	return key, g.stored(properties)
}

// stored returns properties as clients store them.
func (g *Generator) stored(properties []entity.Property) []entity.Property {
	if g.options.Gzip {
		compress(properties)
	}
	return properties
}

// withoutFiller returns the properties of an event without its filler, for which it has capacity.
func (g *Generator) withoutFiller(e Event) []entity.Property {
	return g.form(make([]entity.Property, 0, len(g.properties)+1), g.properties, e)
}

// padded appends the filler to the properties of the entity with a key and a number.
func (g *Generator) padded(properties []entity.Property, key entity.Key, number uint64) []entity.Property {
	size := g.options.Size
	if g.sizes != nil {
		size = g.sizes.SizeOf(number)
	}
	room := size - entity.Size(key, properties)
	draw := g.letters.Draw(number)
	var one [1]piece // mostly there is one
	for _, p := range pad(one[:0], g.options.Filler, room) {
		if g.blank != "" {
			properties = append(properties, entity.Property{Name: p.name, Value: entity.String(g.blank[:p.units])})
			continue
		}
		// Each draw of 64 bits gives eight letters by the multiplication method: the high word is
		// a digit to the base 62, the low word what remains. Eight leave the last digit 22 bits,
		// enough to be even.
		const perDraw = 8
		text := make([]byte, 0, p.units)
		for len(text) < p.units {
			word := draw.Uint64()
			for range min(p.units-len(text), perDraw) {
				var letter uint64
				letter, word = bits.Mul64(word, uint64(len(alphabet)))
				text = append(text, alphabet[letter])
			}
		}
		properties = append(properties, entity.Property{Name: p.name, Value: entity.String(string(text))})
	}
	return properties
}

// MeanSize returns the mean size of entities that have sizes of their own, in bytes, and false
// where they have not.
func (g *Generator) MeanSize() (float64, bool) {
	if g.sizes == nil {
		return 0, false
	}
	return g.sizes.Mean(), true
}

// Blank returns the same generator with fillers of one letter, as long as they would be
// otherwise. Random letters take longer than the rest of a simulated insert,
// and have no effect without a network.
func (g *Generator) Blank() *Generator {
	blank := *g
	if g.options.Gzip {
		return &blank // one letter would be compressed to nothing
	}
	blank.blank = strings.Repeat("0", entity.MaxStringUnits)
	return &blank
}

func (g *Generator) form(dst []entity.Property, properties []formed, e Event) []entity.Property {
	var room [keyRoom]byte
	o := occurrence{Event: e}
	for i := range properties {
		p := &properties[i]
		if p.fixed != nil {
			dst = append(dst, entity.Property{Name: p.name, Value: *p.fixed})
		} else if value, ok := parseValue(p.kind, string(g.expand(room[:0], p.value, &o))); ok {
			dst = append(dst, entity.Property{Name: p.name, Value: value})
		}
	}
	return dst
}

// Event is what an entity records: one that was there before the load, or one
// that came about while the load ran.
type Event struct {
	// Number is the entity's own, below 2⁶².
	Number uint64
	// Lead is the number that decides those attributes which Shared names, in place
	// of Number: events of one lead have the same values of them.
	Lead   uint64
	Shared Shared
	// Run is how long after the beginning of the measured load the event came
	// about. It counts only where Offered is set, and is not negative.
	Run time.Duration
	// Offered says that the event came about during the load. Without it the
	// entity was loaded beforehand.
	Offered bool
}

// loaded returns the event of an entity that was loaded.
func loaded(n uint64) Event { return Event{Number: n} }

// occurrence is an event as one placeholder sees it: with the time set back by so
// much. A planner looks at a span of time through its two ends.
type occurrence struct {
	Event
	back entity.Ticks
}

// Part yields some properties of entities, formed from the attributes of a
// generator: what a merge changes. It is immutable and safe for concurrent use.
type Part struct {
	Of         *Generator
	properties []formed
	// All says that it is all of an entity, its filler with it.
	All bool
}

// Part returns the part that the specs describe. Made from a pinned generator,
// it sees the pinned values. The error joins what
// [Options.ValidateProperties] finds; it wraps [ErrInvalidOptions].
func (g *Generator) Part(specs []PropertySpec) (*Part, error) {
	if err := errors.Join(g.options.ValidateProperties(specs)...); err != nil {
		return nil, err
	}
	return &Part{Of: g, properties: g.options.form(specs)}, nil
}

// Properties returns the part of entity n, which was loaded. The slice is the
// caller's.
func (p *Part) Properties(n uint64) []entity.Property { return p.PropertiesOf(loaded(n)) }

// PropertiesOf returns the part of an event. The slice is the caller's.
func (p *Part) PropertiesOf(e Event) []entity.Property {
	if p.All {
		return p.Of.PropertiesOf(e)
	}
	return p.Of.stored(p.Of.form(make([]entity.Property, 0, len(p.properties)), p.properties, e))
}

// alphabet is what a filler is written in: one UTF-16 code unit each, so that
// sizes are exact, and nothing that any encoding has to escape.
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// piece is one of the properties that a filler consists of: as many letters as
// units says.
type piece struct {
	name  string
	units int
}

// overhead returns what a String property of that name counts when it is empty,
// in bytes.
func overhead(name string) int {
	empty := entity.Property{Name: name, Value: entity.String("")}
	return entity.Size(entity.Key{}, []entity.Property{empty}) - entity.Size(entity.Key{}, nil)
}

// pad returns the pieces that add up to the given number of bytes, or to one
// less where that is odd, for a code unit counts two bytes. It takes the fewest
// pieces, and none where not even an empty one fits.
func pad(pieces []piece, name string, bytes int) []piece {
	for room := 0; room+1 < bytes && bytes >= overhead(name); {
		next := piece{name: name}
		if len(pieces) > 0 {
			next.name += strconv.Itoa(len(pieces) + 1)
		}
		bytes -= overhead(next.name)
		room += 2 * entity.MaxStringUnits
		pieces = append(pieces, next)
	}
	units := max(0, bytes/2)
	for i := range pieces {
		pieces[i].units = min(units, entity.MaxStringUnits)
		units -= pieces[i].units
	}
	return pieces
}
