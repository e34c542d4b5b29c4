package scenarios_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/scenarios"
)

// Every built-in scenario has a subject, and stands in the list once.
func TestSubjects(t *testing.T) {
	all, err := catalogue()
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
	assert.ElementsMatch(t, scenarios.Library(), names, "the catalogue has each scenario once")
}

// What people look for by other words is found, the nearest first.
func TestSearch(t *testing.T) {
	all, err := catalogue()
	require.NoError(t, err)
	found, err := scenarios.Search("SAS")
	require.NoError(t, err)
	assert.NotEmpty(t, found, "Search(SAS)")
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
		assert.Equalf(t, row.first, strings.Join(names[:min(1, len(names))], ""), "Search(%q) finds first", row.term)
		assert.Subsetf(t, names, row.has, "Search(%q)", row.term)
	}
}
