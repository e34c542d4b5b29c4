package keys_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
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
