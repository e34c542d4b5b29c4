package scenarios_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/scenarios"
)

// The text of every field of event traffic is read as what it was written from.
func TestTextOfEventTraffic(t *testing.T) {
	text := edited(t, "visits.yaml", `{at:ticks}_{id}"`, `{at:ticks}_{id}", copies: [{name: n, table: Numbers, partition_key: "n{id}", row_key: "{page}", properties: [Page]}, `+
		`{name: m, partition_key: "m{id}", row_key: "{page}"}]`,
		"[{verb: insert}]", `[{name: a, verb: get, of: latest}, {name: b, verb: get, of: {latest: 40}}, {name: c, verb: get, of: {zipf: 0}}, `+
			`{name: d, verb: get, of: {hot: 5%, share: 100%}}, `+
			`{name: e, verb: query, by: [page, id], span: 90m, of: uniform}, {name: f, verb: batch, together: [page]}, {name: g, verb: delete, by: [id]}]`)
	s := reread(t, text)
	list := s.Phases[1].Traffic.Operations
	for i, want := range []scenarios.Access{{Kind: "latest", Window: 1}, {Kind: "latest", Window: 40}, {Kind: "zipf"}, {Kind: "hot", Hot: 0.05, Share: 1}, {}} {
		assert.Equalf(t, want, list[i].Of, "operation %s is of", list[i].Name)
	}
	require.NoError(t, s.Set("use", "other"))
	assert.Equal(t, "o{id}", s.Design.PartitionKey)
	assert.Empty(t, s.Tables())
}

// A copy answers what it keeps: names of properties are told from all else in a filter.
func TestCopiesAnswer(t *testing.T) {
	some := &scenarios.Copy{Properties: []string{"Page", "Count_2"}}
	for _, row := range []struct {
		where  string
		fields []string
		want   bool
	}{
		{"", nil, true},
		{"", []string{"Page", "RowKey", "Timestamp"}, true},
		{"", []string{"Page", "Seen"}, false},
		{"Page eq 'Seen''s' and not (Count_2 ge 5L)", nil, true},
		{"Page eq '{page}' or Seen lt datetime'2026-01-01T00:00:00Z'", nil, false},
		{"Count_2 eq {Seen} and true", nil, true},
		{"RowKey gt 'a' and Count_2 lt 1.5E3", nil, true},
		{"'a' eq Pages", nil, false},
		{"Page eq 'no end", nil, true},
	} {
		o := &scenarios.OperationSpec{Where: row.where, Select: row.fields}
		assert.Equalf(t, row.want, some.Answers(o), "Answers(%q, %v)", row.where, row.fields)
		assert.Truef(t, new(scenarios.Copy).Answers(o),
			"Answers(%q, %v) of a copy of everything = false; want true", row.where, row.fields)
	}
}
