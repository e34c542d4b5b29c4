package keys_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/scenarios/keys"
)

func list(given ...string) keys.Distribution { return keys.ValueList{Values: given} }

func hotList(given ...string) keys.HotSet {
	return keys.HotSet{Ranked: keys.Ranked{List: given}, Hot: 0.5, Share: 0.5}
}

// change is one way to alter options.
type change func(o *keys.Options)

// steps makes several changes one after the other.
func steps(all ...change) change {
	return func(o *keys.Options) {
		for _, one := range all {
			one(o)
		}
	}
}

// setting gives an attribute another distribution.
func setting(name string, values keys.Distribution) change {
	return func(o *keys.Options) {
		at := slices.IndexFunc(o.Attributes, func(a keys.Attribute) bool { return a.Name == name })
		o.Attributes[at].Values = values
	}
}

func adding(name string, values keys.Distribution) change {
	return func(o *keys.Options) {
		o.Attributes = append(o.Attributes, keys.Attribute{Name: name, Values: values})
	}
}

// deriving adds derived attributes, each a name and a text.
func deriving(pairs ...string) change {
	return func(o *keys.Options) {
		for i := 0; i < len(pairs); i += 2 {
			adding(pairs[i], keys.Text{Template: template(pairs[i+1])})(o)
		}
	}
}

func withRow(text string) change { return func(o *keys.Options) { o.RowKey = template(text) } }

func withProperty(name string, kind entity.Type, value string) change {
	return func(o *keys.Options) {
		o.Properties = append(o.Properties, keys.PropertySpec{Name: name, Type: kind, Value: template(value)})
	}
}

func withoutProperties(o *keys.Options) { o.Properties = nil }

// validated is the race changed, and the faults that then show: of each the path, and the
// names and numbers in what is wrong.
type validated struct {
	name   string
	change change
	want   string
}

var mentioned = regexp.MustCompile(`"[^"]*"|\b[0-9][0-9a-zA-Z.]*`)

func checkValidated(t *testing.T, rows []validated) {
	t.Helper()
	for _, row := range rows {
		o := race()
		row.change(&o)
		var got []string
		for _, fault := range faultsOf(t, o) {
			what, _, _ := strings.Cut(fault.What, "; expected")
			got = append(got, strings.Join(append([]string{fault.Path}, mentioned.FindAllString(what, -1)...), " "))
		}
		assert.Equalf(t, row.want, strings.Join(got, "; "), "%s: Validate() finds", row.name)
		if _, err := keys.New(o); (err != nil) != (row.want != "") {
			t.Errorf("%s: New() = %v; want an error exactly where Validate finds a fault", row.name, err)
		}
	}
}

// faultsOf returns the faults of options.
func faultsOf(t *testing.T, o keys.Options) []*keys.ValueFault {
	t.Helper()
	var faults []*keys.ValueFault
	for _, err := range o.Validate() {
		fault, ok := err.(*keys.ValueFault)
		require.Truef(t, ok && errors.Is(err, keys.ErrInvalidOptions),
			"Validate() holds %#v; want a ValueFault that wraps ErrInvalidOptions", err)
		faults = append(faults, fault)
	}
	return faults
}

func TestValidateAttributes(t *testing.T) {
	weighed := func(weights ...int64) change {
		return setting("event", keys.ValueList{Values: []string{"a", "b", "c"}[:max(2, len(weights))], Weights: weights})
	}
	checkValidated(t, []validated{
		{"the race", steps(), ""},
		{"a list needs values", setting("event", list()), "attributes.event.list 0"},
		{"a list needs a weight for each value", weighed(1), "attributes.event.weights 1"},
		{"each weight is positive and bounded", weighed(0, -1, 2_000_000_000), "attributes.event.weights.0 0 0; attributes.event.weights.1 1 1; attributes.event.weights.2 2 2000000000"},
		{"values are UTF-8", setting("name", list("a", "\xff")), "attributes.name.list.1 1 8"},
		{"bounds of a uniform distribution in order", setting("age", keys.Uniform{Low: 5, High: 4}), "attributes.age.uniform 5 4"},
		{"a uniform distribution is bounded", setting("age", keys.Uniform{Low: -1 << 62, High: 1 << 62}), "attributes.age.uniform.0 0 4611686018427387904; attributes.age.uniform.1 1 4611686018427387904"},
		{"the start of a sequence is bounded", setting("bib", keys.Sequence{Start: 1 << 62}), "attributes.bib.sequence 4611686018427387904"},
		{"an attribute needs a distribution", setting("bib", nil), `attributes.bib "bib"`},
		{"an attribute needs a name", adding("a b", list("x")), `attributes.a b "a b"`},
		{"at most a hundred attributes", func(o *keys.Options) { *o = keys.Options{Attributes: make([]keys.Attribute, 101)} }, "attributes 101"},
	})
}

func TestValidateKeys(t *testing.T) {
	checkValidated(t, []validated{
		{"a template names attributes that exist, in every field", steps(withRow("{bib}__{velocity}"),
			func(o *keys.Options) { o.PartitionKey = template("{evnt}__{distance}") },
			withProperty("Extra", entity.TypeString, "x{nmae}")), `partition_key "evnt" "event"; row_key "velocity"; properties.6.value "nmae" "name"`},
		{"a broken attribute is reported once", setting("distance", list()), "attributes.distance.list 0"},
		{"a list value of a key with a forbidden character", setting("distance", list("Full", "10/2 km", "a\tb")), `attributes.distance.list.1 1 "10/2 km" 002F; attributes.distance.list.2 2 "a\tb" 0009`},
		{"a value in both keys is reported once", steps(setting("distance", list("a#b")), withRow("{bib}{distance}")), `attributes.distance.list.0 0 "a#b" 0023`},
		{"a value that is in no key", steps(setting("name", list("a/b")), withRow("{bib}")), ""},
		{"literal text with a forbidden character", withRow("{bib}?{age}"), "row_key 003F"},
		{"a key of more than 512 UTF-16 code units", setting("event", list(strings.Repeat("x", 509), "y")), "partition_key 516 16 512"},
		{"a supplementary character counts two units", setting("name", list(strings.Repeat("🏃", 250))), "row_key 516 16 512"},
		{"a text of a zipf", setting("event", keys.Zipf{Ranked: keys.Ranked{List: []string{"a", "b/c"}}, Exponent: 1}), `attributes.event.zipf.list.1 1 "b/c" 002F`},
		{"a text of a hot set", setting("event", hotList("a#", "b")), `attributes.event.hot_set.list.0 0 "a#" 0023`},
		{"a text by rank that is too wide", setting("event", hotList("a", strings.Repeat("x", 510))), "partition_key 517 16 512"},
	})
}

func TestValidateProperties(t *testing.T) {
	counted := make([]string, 200)
	for i := range counted {
		counted[i] = fmt.Sprint(i)
	}
	checkValidated(t, []validated{
		{"a property has a legal name of its own", steps(
			withProperty("RowKey", entity.TypeString, "x"), withProperty("a-b", entity.TypeString, "x"),
			withProperty("XmlNote", entity.TypeString, "x"), withProperty("Age", entity.TypeString, "x"),
			withProperty("Notes", entity.TypeString, "x")), `properties.6.name "RowKey"; properties.7.name "a-b"; properties.8.name "XmlNote"; properties.9.name "Age"; properties.10.name "Notes"`},
		{"a value is of the property's type", steps(
			withProperty("A", entity.TypeBoolean, "yes"), withProperty("B", entity.TypeInt32, "{name}"),
			withProperty("C", entity.TypeInt32, "9{bib}"), withProperty("D", entity.TypeInt64, "1.5"),
			withProperty("E", entity.TypeDouble, "NaN"), withProperty("F", entity.TypeDateTime, "2011-02-{day}")), `properties.6.value "yes"; properties.7.value "Ada"; properties.8.value "91000000001"; properties.9.value "1.5"; properties.10.value "NaN"; properties.11.value "2011-02-10"`},
		{"all combinations of few values are tried", steps(setting("day", keys.Uniform{Low: 10, High: 31}), withoutProperties,
			adding("month", keys.Uniform{Low: 1, High: 9}),
			withProperty("A", entity.TypeDateTime, "2011-0{month}-{day}T00:00:00Z")), `properties.0.value "2011-02-29T00:00:00Z"`},
		{"of many combinations each value is tried", steps(setting("name", list(counted...)),
			setting("event", list(append(slices.Clone(counted[:99]), "x")...)),
			withProperty("A", entity.TypeInt64, "{name}{event}")), `properties.6.value "0x"`},
		{"a String is at most 64 KiB long", steps(setting("paid", list(strings.Repeat("x", 32769))), withoutProperties,
			withProperty("A", entity.TypeString, "{paid}"), func(o *keys.Options) { o.Size = 1 << 20 }), "properties.0.value 32769"},
		{"a bell too wide for a property", setting("age", keys.Gaussian{Mean: 3e9, Deviation: 1, Low: 1, High: 4e9}), `properties.1.value "4000000000"`},
		{"the latest too wide for a property", setting("age", keys.Latest{Window: 1, Every: 1, Start: 2e9}), `properties.1.value "3000000000"`},
	})
}

func TestValidateSizes(t *testing.T) {
	sized := func(size int) change { return func(o *keys.Options) { o.Size = size } }
	filled := func(name string) change { return func(o *keys.Options) { o.Filler = name } }
	large := []change{setting("paid", list(strings.Repeat("x", 32000))), withoutProperties, filled("")}
	for i := range 17 {
		large = append(large, withProperty(fmt.Sprintf("P%d", i), entity.TypeString, "{paid}"))
	}
	checkValidated(t, []validated{
		{"the largest entity fits into the size", sized(286), "size 286 265"},
		{"an entity that leaves room for an empty filler", sized(287), ""},
		{"the filler has a legal name", filled("a b"), `filler "a b"`},
		{"no filler needs no size", steps(filled(""), sized(0)), ""},
		{"without filler the largest entity has at most 1 MiB", steps(large...), "properties 1088400"},
	})
}

func TestValidateDerived(t *testing.T) {
	doubled := []string{"t0", "{name}{name}"}
	for i := range 60 {
		doubled = append(doubled, fmt.Sprintf("t%d", i+1), fmt.Sprintf("{t%d}{t%d}", i, i))
	}
	named := setting("name", list("Ada", "A#a"))
	checkValidated(t, []validated{
		{"a cycle of one", deriving("a", "{a}x"), `attributes.a.text "a"`},
		{"a cycle is reported once, whoever uses it", steps(withRow("{bib}{x}{a}"),
			deriving("x", "{b}", "a", "{bib}{lower(b)}", "b", "{c}-{name}", "c", "{a}")), `attributes.b.text "b"`},
		{"two cycles are two faults", deriving("a", "{b}", "b", "{a}", "c", "{c}"), `attributes.a.text "a"; attributes.c.text "c"`},
		{"a derived attribute is of ones that exist", deriving("a", "{nmae}{velocity}"), `attributes.a.text "nmae" "name"; attributes.a.text "velocity"`},
		{"one fault is not one of what is derived from it", steps(setting("name", list()),
			deriving("a", "{name}", "b", "{a}"), withRow("{bib}{b}")), "attributes.name.list 0"},
		{"a forbidden character is found where it is written", steps(
			deriving("a", "x/{name}", "b", "{a}"), withRow("{bib}{b}{a}")), "attributes.a.text 002F"},
		{"and in the values that it comes from", steps(named, deriving("a", "x{name}"), withRow("{bib}{a}")), `attributes.name.list.1 1 "A#a" 0023`},
		{"a function can let a forbidden character through", steps(named, withRow("{bib}{prefix(name,2)}")), `row_key 2 "A#" 0023`},
		{"a function can keep it out", steps(named, withRow("{bib}{prefix(name,1)}{hash(name,9)}")), ""},
		{"a key is too long by what is derived", steps(
			deriving("a", strings.Repeat("x", 250)+"{name}"), withRow("{bib}{a}{a}")), "row_key 520 16 512"},
		{"a key is short enough after a function", steps(
			deriving("a", strings.Repeat("x", 600)+"{name}"), withRow("{bib}{prefix(a,300)}{hash(a,16)}")), ""},
		{"a key is too long by its padding", withRow(strings.Repeat("{bib:064d}", 8) + "x"), "row_key 513 16 512"},
		{"a text that doubles itself is bounded", deriving(doubled...), "attributes.t9.text 2046"},
		{"a text is bounded", steps(setting("name", list(strings.Repeat("x", 1000))), withRow("{bib}"), withoutProperties,
			deriving("a", strings.Repeat("{name}", 100))), "attributes.a.text 100000"},
		{"a value of a property follows from what it is derived from", steps(
			deriving("month", "2011-0{hash(name,9)}-{day}"),
			withProperty("A", entity.TypeInt32, "{age:03d}"), withProperty("B", entity.TypeInt32, "{lower(age)}{name}")), `properties.7.value "18Ada"`},
	})
}

func TestValidateTimes(t *testing.T) {
	day := func(start entity.Ticks) change {
		return steps(setting("day", keys.Time{Start: start}), withoutProperties)
	}
	checkValidated(t, []validated{
		{"what goes by the time needs one", withRow("{bib}{time:hour}{uuid7}"), "row_key; row_key"},
		{"and one only", steps(day(november), setting("paid", keys.Time{Start: november}), withRow("{bib}{ticks}")), "row_key 2"},
		{"an ordered UUID counts from 1970", steps(day(entity.EarliestDateTime), withRow("{bib}{uuid7}")), "row_key 1970"},
		{"a format of a time is for a time", withRow("{bib}{name:hour}"), "row_key"},
		{"a number alone is filled up", withRow("{bib:05d}{name:05d}"), `row_key "Ada"`},
		{"an attribute called like a time goes before", steps(adding("time", list("noon")), adding("uuid", list("x")),
			withRow("{bib}{time}{uuid}")), ""},
		{"a mistyped built-in name", withRow("{bib}{uuidd}"), `row_key "uuidd" "uuid"`},
		{"the nearest name, built in or not", withRow("{bib}{numer}{nams}"), `row_key "numer" "number"; row_key "nams" "name"`},
	})
}

func TestValidateDistributions(t *testing.T) {
	parted := func(of, rows int64, sizes ...keys.Size) keys.Partitions {
		return keys.Partitions{Of: of, Rows: rows, Sizes: sizes}
	}
	age := func(values keys.Distribution) change { return setting("age", values) }
	checkValidated(t, []validated{
		{"an empty list", age(keys.Zipf{Ranked: keys.Ranked{List: []string{}}}), "attributes.age.zipf.list 0"},
		{"a text that occurs twice", age(keys.Zipf{Ranked: keys.Ranked{List: []string{"a", "b", "a"}}}), `attributes.age.zipf.list.2 2 "a" 0`},
		{"a text that is not UTF-8", age(hotList("a", "\xff")), "attributes.age.hot_set.list.1 1 8"},
		{"nothing hot", age(hotSet(10, 0, 0.5)), "attributes.age.hot_set.hot 0"},
		{"everything hot", age(hotSet(10, 1, 0.5)), "attributes.age.hot_set.hot 100"},
		{"less than one value hot", age(hotSet(10, 0.04, 0.5)), "attributes.age.hot_set.hot 4 10 0"},
		{"all but less than one value hot", age(hotSet(10, 0.96, 0.5)), "attributes.age.hot_set.hot 96 10 10"},
		{"a bell without width", age(keys.Gaussian{Deviation: 0}), "attributes.age.gaussian.sd 0"},
		{"a range where no bell is left", age(keys.Gaussian{Mean: 0, Deviation: 1, Low: 6, High: 9}), "attributes.age.gaussian.mean 1e 06"},
		{"rows in all that are too many", age(parted(1e9, 1e6, keys.Size{Share: 1, Weight: 2})), "attributes.age.rows 1000000000000000"},
		{"sizes that are not all", age(parted(10, 0, keys.Size{Share: 0.7, Weight: 1}, keys.Size{Share: 0.2, Weight: 2})), "attributes.age.sizes 90"},
		{"a size of no partition", age(parted(3, 0, keys.Size{Share: 0.9, Weight: 1}, keys.Size{Share: 0.1, Weight: 2})), "attributes.age.sizes.1 1 10 3"},
		{"a file without a name or a column", age(keys.CSV{}), "attributes.age.csv.column"},
		{"a column that weighs itself", age(keys.CSV{File: "a", Column: "b", Weight: "b"}), `attributes.age.csv.weight "b"`},
	})
}

func TestFaultOffsets(t *testing.T) {
	for _, row := range []struct {
		partition, row string
		want           []int
	}{
		{"ü{evnt}__{distanc}", "{bib}/x", []int{2, 10, 5}},
		{"ü{hash(evnt,16)}", "ab{bib}{name:05d}", []int{8, 7}},
	} {
		o := race()
		o.PartitionKey, o.RowKey = template(row.partition), template(row.row)
		var got []int
		for _, fault := range faultsOf(t, o) {
			got = append(got, fault.Offset)
		}
		assert.Truef(t, slices.Equal(got, row.want),
			"%q and %q have faults at bytes %v; want %v", row.partition, row.row, got, row.want)
	}
}
