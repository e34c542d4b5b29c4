package workflow_test

import (
	"strings"
	"testing"

	"loadgen/scenarios/workflow"
)

// The queue and the container that each form uses.
func TestIndexStores(t *testing.T) {
	for _, row := range []struct{ kind, form, stores string }{
		{"index-add", "partition", ""},
		{"index-add", "place", "queue changes"},
		{"index-work", "blob", "container lists, queue changes"},
		{"index-lookup", "place", ""},
		{"index-lookup", "blob", "container lists"},
	} {
		kind := workflow.Find(row.kind)
		var got []string
		for _, store := range kind.Stores(kind.Settle(indexWith(row.kind, indexGiven(row.form, nil)))) {
			what := "container "
			if store.Queue {
				what = "queue "
			}
			got = append(got, what+store.Name)
		}
		if text := strings.Join(got, ", "); text != row.stores {
			t.Errorf("%s, form %s uses %q; want %q", row.kind, row.form, text, row.stores)
		}
	}
}
