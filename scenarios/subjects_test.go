package scenarios_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/scenarios"
)

// Every built-in scenario has a subject, and stands in the list once.
func TestSubjects(t *testing.T) {
	all, err := scenarios.Catalogue()
	require.NoError(t, err)
	var names, order []string
	for _, one := range all {
		names = append(names, one.Name)
		assert.Truef(t, slices.Contains(scenarios.Subjects(), one.Subject),
			"%s is about %q, which is no subject", one.Name, one.Subject)
		if len(order) == 0 || order[len(order)-1] != one.Subject {
			order = append(order, one.Subject)
		}
	}
	assert.Equalf(t, scenarios.Subjects(), order, "the catalogue goes by the subjects %v", order)
	if slices.Sort(names); !slices.Equal(names, scenarios.Library()) {
		t.Errorf("the catalogue has %v; want the library, each once", names)
	}
}

// What people look for by other words is found, the nearest first.
func TestSearch(t *testing.T) {
	all, err := scenarios.Catalogue()
	require.NoError(t, err)
	if found, err := scenarios.Search("SAS"); err != nil || len(found) == 0 {
		t.Errorf("Search(SAS) = %d scenarios, %v; want some", len(found), err)
	}
	for _, row := range []struct {
		term string
		// first is what is found first, has what is found as well; none is both empty.
		first string
		has   []string
	}{
		{"SAS", "user-signatures", nil},
		{"CORS", "user-signatures", nil},
		{"EGT", "transactions", []string{"bank-transfer", "common-entities", "granularity"}},
		{"ETag", "etag-by-verb", []string{"lost-updates", "index-blob", "data-series"}},
		{"Nagle", "checklist-parallelism", nil},
		{"table scan", "table-scan", nil},
		{"log tail", "log-tail", []string{"prepend-only"}},
		{"hotspot", "user-id-key", nil},
		{"saga", "eventual-transaction", []string{"eventual-transaction-poison"}},
		{"GUID", "append-only", []string{"granularity"}},
		{"pagination", "page-size", []string{"saved-token"}},
		{"aggregate", "summary-entity", nil},
		{"ttl", "high-volume-delete", nil},
		{"POINT-query", "point-query", nil},
		{"blob", "index-blob", []string{"log-in-blobs", "large-entity"}},
		{"quaternion", "", nil},
	} {
		var names []string
		for _, one := range scenarios.SearchIn(all, row.term) {
			names = append(names, one.Name)
		}
		assert.Truef(t, (row.first != "" || len(names) <= 0) && (row.first == "" || (len(names) != 0 && names[0] == row.first)),
			"Search(%q) = %v; want %q first", row.term, names, row.first)
		for _, name := range row.has {
			assert.Truef(t, slices.Contains(names, name), "Search(%q) = %v; want %s in it", row.term, names, name)
		}
	}
}
