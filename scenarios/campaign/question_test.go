package campaign

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/target"
)

// The text of a literal is read as the value that it was written from, of its type.
func TestLiterals(t *testing.T) {
	at, err := entity.ParseTicks("2026-03-01T00:00:00.5Z")
	require.NoError(t, err)
	for _, row := range []struct {
		name  string
		value entity.Value
		text  string
		want  string
	}{
		{"a text with quotes", entity.String("O'Neil''s"), "O'Neil''s", "'O''Neil''''s'"},
		{"an empty text", entity.String(""), "", "''"},
		{"a small number", entity.Int32(-5), "-5", "-5"},
		{"a number of 64 bits", entity.Int64(20_000_000_000), "20000000000", "20000000000L"},
		{"a number with zeros before it", entity.Int64(7), "0007", "0007L"},
		{"a fraction", entity.Double(0.25), "0.25", "0.25"},
		{"a whole number among fractions", entity.Double(20_000_000_000), "20000000000", "20000000000.0"},
		{"a large fraction", entity.Double(1e21), "1e21", "1e21"},
		{"a truth", entity.Boolean(true), "true", "true"},
		{"an instant", entity.DateTime(at), "2026-03-01T00:00:00.5000000Z", "datetime'2026-03-01T00:00:00.5000000Z'"},
	} {
		got := literal(row.value.Type(), row.text)
		query, err := target.Filtered("P eq " + got)
		if got != row.want || err != nil {
			t.Errorf("%s: literal(%q) = %s, %v; want %s", row.name, row.text, got, err, row.want)
			continue
		}
		assert.Truef(t, query.Filter.Keeps(entity.Key{}, entity.Pack(nil, 0, []entity.Property{{Name: "P", Value: row.value}})),
			"%s: %s is not equal to its value", row.name, got)
	}
}

// What is searched is due to be read as far as the page on which it is.
func TestDueOfASearch(t *testing.T) {
	if testing.Short() {
		t.Skip("a single goroutine plays it")
	}
	e := phaseOf(t, 5000, "arrivals: {constant: 1}, for: 1s, operations: [{verb: delete, by: [author]}, {name: other, verb: delete, by: [id]}]", 2)
	require.NoError(t, e.stocked())
	all := map[string]uint64{}
	for n := range uint64(5000) {
		event := e.event(member{loaded: true, number: n})
		author := e.homes[0].generator.PartitionKeyOf(event)
		all[author]++
		read := (all[author]-1)/1000*1000 + 1000
		if got := e.kinds[0].asked.due(0, event); got != int64(read) && uint64(got) > read {
			t.Fatalf("due(%d) = %d; want at most %d, for it is number %d of its partition", n, got, read, all[author])
		} else if got < int64(read)-1000 || got < int64(all[author]) {
			t.Fatalf("due(%d) = %d; want what is before it at least", n, got)
		}
	}
	for _, author := range []string{"ann", "ben", "cat", "dan"} {
		assert.Truef(t, all[author] >= 1100, "%s has %d entities; want more than a page", author, all[author])
	}
}
