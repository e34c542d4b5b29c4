package keys_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/results/resultstest"
	"loadgen/scenarios/keys"
)

// drawn is how many times as many cases are drawn as in a plain test: more with -tags ci.
var drawn = resultstest.Cases(1, 4)

func TestDerivedAttributes(t *testing.T) {
	o := race()
	deriving("card", "{address}/{upper(distance)}")(&o)
	deriving("address", "{lower(name)}.{bib:04d}@example.com")(&o)
	withProperty("Card", entity.TypeString, "{card} {prefix(address,3)}")(&o)
	for _, order := range []string{"as they are", "reversed"} {
		g := generator(t, o)
		for n := range uint64(100) {
			value := func(name string) string { text, _ := g.ValueOf(name, keys.Event{Number: n}); return text }
			var bib int
			fmt.Sscan(value("bib"), &bib)
			address := fmt.Sprintf("%s.%04d@example.com", strings.ToLower(value("name")), bib)
			require.Equalf(t, address, value("address"), "attributes %s: Value(address, %d)", order, n)
			want := address + "/" + strings.ToUpper(value("distance"))
			require.Equalf(t, want, value("card"), "attributes %s: Value(card, %d)", order, n)
			want += " " + string([]rune(address)[:3])
			require.Equalf(t, want, g.Properties(n)[6].Value.Text(), "attributes %s: Properties(%d) has the card", order, n)
		}
		o.Attributes = slices.Clone(o.Attributes)
		slices.Reverse(o.Attributes)
	}
}

// TestTheWidestHashIsForeseen takes a modulus of two digits for which all values that
// are tried happen to have a hash of one.
func TestTheWidestHashIsForeseen(t *testing.T) {
	modulus := uint64(11)
	for hashByHand("1")%modulus > 9 || hashByHand("1000000001")%modulus > 9 {
		modulus++
	}
	o := race()
	o.Properties, o.Filler = nil, ""
	o.RowKey = template(fmt.Sprintf("%s{hash(bib,%d)}", strings.Repeat("x", 511), modulus))
	if faults := faultsOf(t, o); modulus > 99 || len(faults) != 1 || !strings.Contains(faults[0].What, "the RowKey has 513 UTF-16 code units") {
		t.Errorf("Validate() of a key with a hash modulo %d = %v; want that it can have 513 code units", modulus, faults)
	}
}

// pieces are what random templates are put together from.
var pieces = []string{
	"{a}", "{b}", "{n}", "{d}", "{n:04d}", "{hash(a,7)}", "{hash(d,1000):02d}", "{prefix(a,2)}", "{prefix(d,3)}",
	"{reverse(a)}", "{upper(b)}", "{lower(d)}", "{at:day}", "{at:inverted}", "{uuid}", "x", "-",
}

// random returns options whose few values are all probed: what can come of them can
// be seen by trying.
func random(rng *rand.Rand) keys.Options {
	letters := []string{"a", "é", "🏃", "/", "#", "Q", "zz"}
	text := func(most int) string {
		var s strings.Builder
		for range rng.IntN(most + 1) {
			// Forbidden characters are rare, or nothing would be legal.
			letter := letters[rng.IntN(len(letters))]
			if (letter == "/" || letter == "#") && rng.IntN(4) > 0 {
				letter = "y"
			}
			s.WriteString(letter)
		}
		return s.String()
	}
	put := func(most int, from []string) keys.Template {
		var s strings.Builder
		for range 1 + rng.IntN(most) {
			s.WriteString(from[rng.IntN(len(from))])
		}
		return template(s.String())
	}
	plain := slices.DeleteFunc(slices.Clone(pieces), func(s string) bool { return strings.Contains(s, "d}") && !strings.Contains(s, "0") })
	return keys.Options{
		Seed: rng.Uint64(),
		Attributes: []keys.Attribute{
			{Name: "a", Values: keys.ValueList{Values: []string{text(3), text(5)}}},
			{Name: "b", Values: keys.ValueList{Values: []string{text(2), strings.Repeat("w", rng.IntN(200)), text(4)}}},
			{Name: "n", Values: keys.Uniform{Low: -3, High: 3}},
			{Name: "d", Values: keys.Text{Template: put(3, slices.DeleteFunc(plain, func(s string) bool { return strings.Contains(s, "(d,") || strings.Contains(s, "(d)") }))}},
			{Name: "at", Values: keys.Time{Start: november, Every: 1 << 40}},
		},
		PartitionKey: put(7, pieces), RowKey: put(7, pieces),
	}
}

// TestForeseenKeysAreTheKeys holds the checks ahead of time against many entities of
// random designs: what is found sound has legal keys only, and what is found at fault
// has one that is not.
func TestForeseenKeysAreTheKeys(t *testing.T) {
	sound, broken := 0, 0
	for seed := range uint64(150 * drawn) {
		o := random(rand.New(rand.NewPCG(seed, 1)))
		legal := legalKeys(o)
		if err := o.Validate(); (err == nil) != legal {
			t.Errorf("seed %d: Validate() of %q and %q = %v; all keys legal: %t", seed, o.PartitionKey, o.RowKey, err, legal)
		}
		if legal {
			sound++
		} else {
			broken++
		}
	}
	assert.Truef(t, sound >= 25*drawn && broken >= 25*drawn,
		"of the designs %d are sound and %d are not; want a sixth of each, or this test says little", sound, broken)
}

// legalKeys tries every combination of values: by expanding texts, without a
// generator.
func legalKeys(o keys.Options) bool {
	given := map[string][]string{"n": {"-3", "-2", "-1", "0", "1", "2", "3"}, "at": {"2026-11-01T00:00:00.0000000Z"},
		"uuid": {"00000000-0000-4000-8000-000000000000"}}
	var derived keys.Template
	for _, a := range o.Attributes {
		switch v := a.Values.(type) {
		case keys.ValueList:
			given[a.Name] = v.Values
		case keys.Text:
			derived = v.Template
		}
	}
	for _, a := range given["a"] {
		for _, b := range given["b"] {
			for _, n := range given["n"] {
				chosen := map[string]string{"a": a, "b": b, "n": n, "at": given["at"][0], "uuid": given["uuid"][0]}
				value := func(name string) string { return chosen[name] }
				chosen["d"] = derived.Expand(value)
				key := entity.Key{Partition: o.PartitionKey.Expand(value), Row: o.RowKey.Expand(value)}
				if code, _ := entity.ValidateKey(key); code != entity.OK {
					return false
				}
			}
		}
	}
	return true
}

// Expansion leaves alone what is no value for a format. Of values that are, cmd/loadgen has a script.
func TestFormatsLeaveOtherValuesAlone(t *testing.T) {
	for _, tt := range []struct{ placeholder, value, want string }{
		{"{x:02d}", "1234", "1234"}, {"{x:05d}", "ab", "ab"}, {"{x:05d}", "-", "-"}, {"{x:05d}", "", ""}, {"{x:hour}", "yesterday", "yesterday"},
		{"{x:inverted}", "0000000000000000000", "3155378975999999999"},
	} {
		assert.Equalf(t, tt.want, template(tt.placeholder).Expand(func(string) string { return tt.value }), "%s of %q", tt.placeholder, tt.value)
	}
}

func TestExpandAsWritesPlaceholdersOnly(t *testing.T) {
	got := template("'{x}' {prefix(x,2)}").ExpandAs(func(string) string { return "a'b" }, func(text string) string { return "<" + text + ">" })
	assert.Equal(t, "'<a'b>' <a'>", got, "ExpandAs")
}

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

// unequal are the sizes that the documents show.
func unequal() []keys.Size {
	return []keys.Size{{Share: 0.7, Weight: 1}, {Share: 0.2, Weight: 2.5}, {Share: 0.1, Weight: 3.5}}
}

// many returns a list of so many values with weights from 1 to 1,000.
func many(given int) keys.ValueList {
	l := keys.ValueList{}
	for i := range given {
		l.Values = append(l.Values, string(rune('a'+i%26)))
		l.Weights = append(l.Weights, int64(i*i%1000+1))
	}
	return l
}

// single returns a generator whose PartitionKey is one attribute, x.
func single(t testing.TB, seed uint64, given keys.Distribution) *keys.Generator {
	t.Helper()
	return generator(t, keys.Options{Seed: seed, PartitionKey: template("{x}"), RowKey: template("r"),
		Attributes: []keys.Attribute{{Name: "x", Values: given}}})
}
