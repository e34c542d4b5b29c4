package keys_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/entity"
	"loadgen/scenarios/keys"
)

// The instants are those of other calendars: the ticks of .NET's DateTime, computed
// apart from this code.
func TestFunctions(t *testing.T) {
	for _, tt := range []struct {
		name, placeholder, value, want string
	}{
		{"a number is filled up with zeros", "{x:05d}", "42", "00042"},
		{"a sign counts, and stays in front", "{x:05d}", "-42", "-0042"},
		{"what is wide enough stays", "{x:02d}", "1234", "1234"},
		{"what is just wide enough stays", "{x:04d}", "1234", "1234"},
		{"zero is a number", "{x:03d}", "0", "000"},
		{"letters are no number", "{x:05d}", "ab", "ab"},
		{"a sign alone is no number", "{x:05d}", "-", "-"},
		{"nothing is no number", "{x:05d}", "", ""},
		{"the hash of nothing", "{hash(x,1000000000)}", "", "528514342"},
		{"the hash of a letter", "{hash(x,1000000000)}", "a", "427828315"},
		{"the hash of a name", "{hash(x,1000000000)}", "user-1", "622785477"},
		{"the hash is of UTF-8", "{hash(x,1000000000)}", "Zürich", "110733776"},
		{"a hash is a bucket", "{hash(x,16)}", "a", "11"},
		{"a bucket can be filled up with zeros", "{hash(x,16):02d}", "user-1", "05"},
		{"one bucket takes all", "{hash(x,1)}", "a", "0"},
		{"reversed", "{reverse(x)}", "12345", "54321"},
		{"characters are reversed, not bytes", "{reverse(x)}", "aé🏃z", "z🏃éa"},
		{"nothing reversed", "{reverse(x)}", "", ""},
		{"reversed and filled up", "{reverse(x):05d}", "12", "00021"},
		{"the first characters", "{prefix(x,2)}", "user", "us"},
		{"the first characters, not bytes", "{prefix(x,2)}", "é🏃z", "é🏃"},
		{"no more than there are", "{prefix(x,9)}", "user", "user"},
		{"lower case", "{lower(x)}", "McGEE 9", "mcgee 9"},
		{"lower case beyond ASCII", "{lower(x)}", "AÉ", "aé"},
		{"upper case", "{upper(x)}", "McGee 9[", "MCGEE 9["},
		{"upper case beyond ASCII", "{upper(x)}", "aé", "AÉ"},
		{"the ticks of the first instant that a table stores", "{x:ticks}", "1601-01-01T00:00:00Z", "0504911232000000000"},
		{"the ticks of an instant", "{x:ticks}", "2026-11-01T15:04:05.123456Z", "0639291422451234560"},
		{"the ticks of a leap day", "{x:ticks}", "2000-02-29T00:00:00Z", "0630873792000000000"},
		{"inverted, the first instant is the last text", "{x:inverted}", "1601-01-01T00:00:00Z", "2650467743999999999"},
		{"inverted, the first instant of all", "{x:inverted}", "0000000000000000000", "3155378975999999999"},
		{"inverted, the last instant but one", "{x:inverted}", "9999-12-31T23:59:59.9999998Z", "0000000000000000001"},
		{"inverted ticks", "{x:inverted}", "2026-11-01T00:00:00Z", "2516088095999999999"},
		{"inverted ticks of ticks", "{x:inverted}", "0639291422451234560", "2516087553548765439"},
		{"inverted, the last instant is the first text", "{x:inverted}", "9999-12-31T23:59:59.9999999Z", "0000000000000000000"},
		{"a year", "{x:year}", "2026-11-01T15:04:05.1Z", "2026"},
		{"an hour", "{x:hour}", "2026-11-01T15:04:05.1Z", "2026-11-01T15"},
		{"what is no instant has no hour", "{x:hour}", "yesterday", "yesterday"},
	} {
		assert.Equalf(t, tt.want, template(tt.placeholder).Expand(func(string) string { return tt.value }),
			"%s: %s of %q", tt.name, tt.placeholder, tt.value)
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
