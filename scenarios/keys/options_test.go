package keys_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"loadgen/engine/entity"
	"loadgen/scenarios/keys"
)

// race returns the options of a small foot race.
func race() keys.Options {
	return keys.Options{
		Seed: 42,
		Attributes: []keys.Attribute{
			{Name: "event", Values: keys.ValueList{Values: []string{"2011 New York City Marathon", "2011 Berlin Marathon"}}},
			{Name: "distance", Values: keys.ValueList{Values: []string{"Full", "Half", "10 km"}, Weights: []int64{40, 35, 25}}},
			{Name: "bib", Values: keys.Sequence{Start: 1}},
			{Name: "name", Values: keys.ValueList{Values: []string{"Ada", "Björn", "田中"}}},
			{Name: "age", Values: keys.Uniform{Low: 18, High: 79}},
			{Name: "paid", Values: keys.ValueList{Values: []string{"true", "false"}, Weights: []int64{9, 1}}},
			{Name: "day", Values: keys.Uniform{Low: 10, High: 28}},
		},
		PartitionKey: template("{event}__{distance}"),
		RowKey:       template("{bib}__{name}__{age}"),
		Properties: []keys.PropertySpec{
			{Name: "Name", Type: entity.TypeString, Value: template("{name}")},
			{Name: "Age", Type: entity.TypeInt32, Value: template("{age}")},
			{Name: "Number", Type: entity.TypeInt64, Value: template("{bib}")},
			{Name: "Paid", Type: entity.TypeBoolean, Value: template("{paid}")},
			{Name: "Fee", Type: entity.TypeDouble, Value: template("{age}.50")},
			{Name: "Registered", Type: entity.TypeDateTime, Value: template("2011-05-{day}T08:00:00Z")},
		},
		Size:   1024,
		Filler: "Notes",
	}
}

// template returns the template of a text that is known to be one.
func template(text string) keys.Template {
	t, err := keys.ParseTemplate(text)
	if err != nil {
		panic(err)
	}
	return t
}

func TestValidateAcceptsTheRace(t *testing.T) {
	if faults := race().Validate(); faults != nil {
		t.Errorf("Validate() = %v; want none", faults)
	}
}

// spoiled is the race with one thing changed, and all faults that then show.
type spoiled struct {
	name  string
	spoil func(o *keys.Options)
	want  []string
}

func (s spoiled) run(t *testing.T) {
	o := race()
	s.spoil(&o)
	var got []string
	for _, err := range o.Validate() {
		var fault *keys.ValueFault
		if !errors.As(err, &fault) || !errors.Is(err, keys.ErrInvalidOptions) {
			t.Fatalf("Validate() holds %#v; want a Fault that wraps ErrInvalid", err)
		}
		got = append(got, fault.Path+": "+fault.What)
	}
	if !slices.Equal(got, s.want) {
		t.Errorf("Validate() =\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(s.want, "\n"))
	}
	if _, err := keys.New(o); (err != nil) != (s.want != nil) {
		t.Errorf("New() = %v; want an error exactly where Validate finds a fault", err)
	}
}

func list(given ...string) keys.Distribution { return keys.ValueList{Values: given} }

// set gives an attribute another distribution.
func set(o *keys.Options, name string, values keys.Distribution) {
	for i := range o.Attributes {
		if o.Attributes[i].Name == name {
			o.Attributes[i].Values = values
		}
	}
}

// property adds a property.
func property(o *keys.Options, name string, kind entity.Type, value string) {
	o.Properties = append(o.Properties, keys.PropertySpec{Name: name, Type: kind, Value: template(value)})
}

func TestValidateAttributes(t *testing.T) {
	for _, tt := range []spoiled{
		{"a list needs values", func(o *keys.Options) { set(o, "event", list()) },
			[]string{"attributes.event.list: list has 0 values; expected 1 to 100000"}},
		{"a list needs a weight for each value", func(o *keys.Options) {
			set(o, "event", keys.ValueList{Values: []string{"a", "b"}, Weights: []int64{1}})
		}, []string{"attributes.event.weights: weights has 1 numbers; expected 2, one for each value of the list"}},
		{"each weight is positive and bounded", func(o *keys.Options) {
			set(o, "event", keys.ValueList{Values: []string{"a", "b", "c"}, Weights: []int64{0, -1, 2_000_000_000}})
		}, []string{
			"attributes.event.weights.0: weights[0] is 0; expected 1 to 1000000000",
			"attributes.event.weights.1: weights[1] is -1; expected 1 to 1000000000",
			"attributes.event.weights.2: weights[2] is 2000000000; expected 1 to 1000000000",
		}},
		{"values are UTF-8", func(o *keys.Options) { set(o, "name", list("a", "\xff")) },
			[]string{"attributes.name.list.1: list[1] is not UTF-8; expected UTF-8 text"}},
		{"the bounds of a uniform distribution are in order", func(o *keys.Options) { set(o, "age", keys.Uniform{Low: 5, High: 4}) },
			[]string{"attributes.age.uniform: uniform is [5, 4]; expected the lower bound first"}},
		{"the bounds of a uniform distribution are bounded", func(o *keys.Options) { set(o, "age", keys.Uniform{Low: -1 << 62, High: 1 << 62}) },
			[]string{
				"attributes.age.uniform.0: uniform[0] is -4611686018427387904; expected -1000000000000000 to 1000000000000000",
				"attributes.age.uniform.1: uniform[1] is 4611686018427387904; expected -1000000000000000 to 1000000000000000",
			}},
		{"the start of a sequence is bounded", func(o *keys.Options) { set(o, "bib", keys.Sequence{Start: 1 << 62}) },
			[]string{"attributes.bib.sequence: sequence is 4611686018427387904; expected -1000000000000000 to 1000000000000000"}},
		{"an attribute needs a distribution", func(o *keys.Options) { set(o, "bib", nil) },
			[]string{`attributes.bib: attribute "bib" has no values; expected a distribution`}},
		{"an attribute needs a name", func(o *keys.Options) {
			o.Attributes = append(o.Attributes, keys.Attribute{Name: "a b", Values: list("x")})
		},
			[]string{`attributes.a b: "a b" cannot name an attribute; expected a letter or '_', then letters, digits or '_'`}},
		{"two attributes do not share a name", func(o *keys.Options) {
			o.Attributes = append(o.Attributes, keys.Attribute{Name: "spare", Values: list("x")}, keys.Attribute{Name: "spare", Values: list("x")})
		}, []string{
			`attributes.spare: attribute "spare" occurs 2 times; expected once`,
			`attributes.spare: attribute "spare" occurs 2 times; expected once`,
		}},
		{"there are at most a hundred attributes", func(o *keys.Options) {
			*o = keys.Options{Attributes: make([]keys.Attribute, 101)}
		}, []string{"attributes: attributes has 101 entries; expected at most 100"}},
	} {
		t.Run(tt.name, tt.run)
	}
}

func TestValidateKeys(t *testing.T) {
	for _, tt := range []spoiled{
		{"a template names attributes that exist, in every field, each fault by its place", func(o *keys.Options) {
			o.PartitionKey = template("{evnt}__{distance}")
			o.RowKey = template("{bib}__{velocity}")
			property(o, "Extra", entity.TypeString, "x{nmae}")
		}, []string{
			`partition_key: unknown attribute "evnt"; did you mean "event"?`,
			`row_key: unknown attribute "velocity"; expected event, distance, bib, name, age, paid or day`,
			`properties.6.value: unknown attribute "nmae"; did you mean "name"?`,
		}},
		{"a broken attribute is reported once, not again where it is used", func(o *keys.Options) { set(o, "distance", list()) },
			[]string{"attributes.distance.list: list has 0 values; expected 1 to 100000"}},
		{"a list value of a key holds no forbidden character", func(o *keys.Options) { set(o, "distance", list("Full", "10/2 km", "a\tb")) },
			[]string{
				`attributes.distance.list.1: list[1] is "10/2 km", and partition_key is formed from it: OutOfRangeInput: the PartitionKey holds the forbidden character U+002F`,
				`attributes.distance.list.2: list[2] is "a\tb", and partition_key is formed from it: OutOfRangeInput: the PartitionKey holds the forbidden character U+0009`,
			}},
		{"a value in both keys is reported once", func(o *keys.Options) {
			set(o, "distance", list("a#b"))
			o.RowKey = template("{bib}{distance}")
		}, []string{`attributes.distance.list.0: list[0] is "a#b", and partition_key is formed from it: OutOfRangeInput: the PartitionKey holds the forbidden character U+0023`}},
		{"a value that no key is formed from may hold any character", func(o *keys.Options) {
			set(o, "name", list("a/b"))
			o.RowKey = template("{bib}")
		}, nil},
		{"the literal text of a key holds no forbidden character", func(o *keys.Options) { o.RowKey = template("{bib}?{age}") },
			[]string{"row_key: OutOfRangeInput: the RowKey holds the forbidden character U+003F"}},
		{"a key is at most 512 UTF-16 code units long", func(o *keys.Options) {
			set(o, "event", list(strings.Repeat("x", 509), "y"))
		}, []string{"partition_key: the longest key that can come of it is not legal: KeyValueTooLarge: the PartitionKey has 516 UTF-16 code units, more than 512"}},
		{"a supplementary character counts two units", func(o *keys.Options) {
			set(o, "name", list(strings.Repeat("🏃", 250)))
		}, []string{"row_key: the longest key that can come of it is not legal: KeyValueTooLarge: the RowKey has 516 UTF-16 code units, more than 512"}},
	} {
		t.Run(tt.name, tt.run)
	}
}

func TestValidateProperties(t *testing.T) {
	for _, tt := range []spoiled{
		{"a property has a legal name of its own", func(o *keys.Options) {
			property(o, "RowKey", entity.TypeString, "x")
			property(o, "a-b", entity.TypeString, "x")
			property(o, "XmlNote", entity.TypeString, "x")
			property(o, "Age", entity.TypeString, "x")
			property(o, "Notes", entity.TypeString, "x")
		}, []string{
			`properties.6.name: "RowKey" is a property that every entity has already; expected another name`,
			`properties.7.name: "a-b" cannot name a property; expected a letter or '_', then letters, digits or '_', at most 255`,
			`properties.8.name: "XmlNote" cannot name a property, for it begins with xml; expected another name`,
			`properties.9.name: property "Age" occurs twice; expected once`,
			`properties.10.name: property "Notes" is also the name of the filler; expected another name`,
		}},
		{"a property has a type that can be generated", func(o *keys.Options) {
			property(o, "A", entity.TypeGUID, "x")
			property(o, "B", 0, "x")
		}, []string{
			"properties.6.type: type Guid cannot be generated; expected String, Boolean, Int32, Int64, Double or DateTime",
			"properties.7.type: type unknown cannot be generated; expected String, Boolean, Int32, Int64, Double or DateTime",
		}},
		{"a value is of the property's type", func(o *keys.Options) {
			property(o, "A", entity.TypeBoolean, "yes")
			property(o, "B", entity.TypeInt32, "{name}")
			property(o, "C", entity.TypeInt32, "9{bib}")
			property(o, "D", entity.TypeInt64, "1.5")
			property(o, "E", entity.TypeDouble, "NaN")
			property(o, "F", entity.TypeDateTime, "2011-02-{day}")
		}, []string{
			`properties.6.value: value can become "yes", which is no Boolean; expected true or false`,
			`properties.7.value: value can become "Ada", which is no Int32; expected a whole number from -2147483648 to 2147483647`,
			`properties.8.value: value can become "91000000001", which is no Int32; expected a whole number from -2147483648 to 2147483647`,
			`properties.9.value: value can become "1.5", which is no Int64; expected a whole number of 64 bits`,
			`properties.10.value: value can become "NaN", which is no Double; expected a finite number such as 11.5`,
			`properties.11.value: value can become "2011-02-10", which is no DateTime; expected an instant such as 2011-05-07T08:20:53Z, in the years 1601 to 9999`,
		}},
		{"all combinations of few values are tried", func(o *keys.Options) {
			set(o, "day", keys.Uniform{Low: 10, High: 31})
			o.Attributes = append(o.Attributes, keys.Attribute{Name: "month", Values: keys.Uniform{Low: 1, High: 9}})
			o.Properties = nil
			property(o, "A", entity.TypeDateTime, "2011-0{month}-{day}T00:00:00Z")
		}, []string{`properties.0.value: value can become "2011-02-29T00:00:00Z", which is no DateTime; expected an instant such as 2011-05-07T08:20:53Z, in the years 1601 to 9999`}},
		{"of many combinations each value is tried", func(o *keys.Options) {
			given := make([]string, 200)
			for i := range given {
				given[i] = fmt.Sprint(i)
			}
			set(o, "name", keys.ValueList{Values: given})
			set(o, "event", keys.ValueList{Values: append(slices.Clone(given[:99]), "x")})
			property(o, "A", entity.TypeInt64, "{name}{event}")
		}, []string{`properties.6.value: value can become "0x", which is no Int64; expected a whole number of 64 bits`}},
		{"a String is at most 64 KiB long", func(o *keys.Options) {
			set(o, "paid", list(strings.Repeat("x", 32769)))
			o.Properties = nil
			property(o, "A", entity.TypeString, "{paid}")
			o.Size = 1 << 20
		}, []string{"properties.0.value: value can become a text of 32769 bytes; expected at most 32768 UTF-16 code units"}},
	} {
		t.Run(tt.name, tt.run)
	}
}

func TestValidateSizes(t *testing.T) {
	for _, tt := range []spoiled{
		{"an entity has at most 252 properties", func(o *keys.Options) { o.Properties = make([]keys.PropertySpec, 253) },
			[]string{"properties: properties has 253 entries; expected at most 252", "properties: an entity would have 254 properties with its filler; expected at most 252"}},
		{"a size is positive", func(o *keys.Options) { o.Size = 0 },
			[]string{"size: size is 0; expected 1 to 1048576 bytes"}},
		{"a size is at most 1 MiB", func(o *keys.Options) { o.Size = 1<<20 + 1 },
			[]string{"size: size is 1048577; expected 1 to 1048576 bytes"}},
		{"the largest entity fits into the size", func(o *keys.Options) { o.Size = 286 },
			[]string{"size: size is 286, but the largest entity has 265 bytes before its filler; expected 287 to 1048576"}},
		{"an entity that leaves room for an empty filler fits", func(o *keys.Options) { o.Size = 287 }, nil},
		{"the filler has a legal name", func(o *keys.Options) { o.Filler = "a b" },
			[]string{`filler: "a b" cannot name a property; expected a letter or '_', then letters, digits or '_', at most 255`}},
		{"no filler needs no size", func(o *keys.Options) { o.Filler, o.Size = "", 0 }, nil},
		{"without filler the largest entity has at most 1 MiB", func(o *keys.Options) {
			set(o, "paid", list(strings.Repeat("x", 32000)))
			o.Properties, o.Filler = nil, ""
			for i := range 17 {
				property(o, fmt.Sprintf("P%d", i), entity.TypeString, "{paid}")
			}
		}, []string{"properties: the largest entity has 1088400 bytes; expected at most 1048576"}},
	} {
		t.Run(tt.name, tt.run)
	}
}

func TestFaultOffsets(t *testing.T) {
	o := race()
	o.PartitionKey = template("ü{evnt}__{distanc}")
	o.RowKey = template("{bib}/x")
	want := map[int]bool{2: true, 10: true, 5: true}
	for _, err := range o.Validate() {
		var fault *keys.ValueFault
		if errors.As(err, &fault) && !want[fault.Offset] {
			t.Errorf("Validate() puts %q at byte %d; want one of %v", fault.What, fault.Offset, want)
		}
	}
	if got := len(o.Validate()); got != len(want) {
		t.Errorf("Validate() has %d faults; want %d", got, len(want))
	}
}
