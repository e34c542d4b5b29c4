package campaign_test

import (
	"fmt"
	"strings"
	"testing"

	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios"
)

// A point is read from the home of its entity whose keys the reader can form: what is
// asked for is there, and each read counts one entity.
func TestPointsAreReadWhereTheirKeysAreKnown(t *testing.T) {
	for _, row := range []struct{ sentence, design, by string }{
		{"in the table of a copy", "copied", "[id]"},
		{"beside the entity", "beside", "[customer, id]"},
		{"where the entity itself is", "customer", "[customer, at, id]"},
		{"by more than the keys tell", "hour", "[state, at, id]"},
	} {
		t.Run(row.design, func(t *testing.T) {
			r := carriedOut(t, ordered(t, row.design, "arrivals: {constant: 40}, for: 2s, operations: [{verb: get, by: "+row.by+"}]"), false, nil)
			all := r.record.Total(results.Reported)
			if open := verdict.Books(r.record); r.ended != nil || len(open) > 0 {
				t.Fatalf("%s: ended with %v, open: %v", row.sentence, r.ended, open)
			}
			if all.Attempts != 80 || all.Ok != 80 || all.Handled != 0 || all.Counted != 80 || all.Returned != 80 {
				t.Errorf("%s: %d attempts, %d ok, %d of them not found, %d counted, %d returned; want 80 points that are there",
					row.sentence, all.Attempts, all.Ok, all.Handled, all.Counted, all.Returned)
			}
		})
	}
}

// A copy that some write leaves out can be missing, and that it is is no failure.
func TestAPointOfACopyCanBeMissing(t *testing.T) {
	r := carriedOut(t, ordered(t, "copied", "arrivals: {constant: 60}, for: 3s, operations: "+
		"[{verb: insert}, {name: newest, verb: get, by: [id], of: latest}, {verb: delete}]"), false, nil)
	if all := r.record.Total(results.Reported); r.ended != nil || all.Failed > 0 {
		t.Errorf("%d failed, ended with %v; want none", all.Failed, r.ended)
	}
}

// Without both keys there is no point to read.
func TestNoPointWithoutItsKey(t *testing.T) {
	for _, row := range []struct{ design, by, want string }{
		{"hour", "[id]", "PartitionKey begins with {at:hour}, which the reader does not know"},
		{"customer", "[customer, id]", "RowKey begins with {at:inverted}, which the reader does not know"},
		{"copied", "[customer]", "RowKey begins with {at:inverted}, which the reader does not know"},
	} {
		_, err := scenarios.Parse("orders.yaml", fmt.Appendf(nil, orders, row.design, "arrivals: {constant: 40}, for: 2s, operations: [{verb: get, by: "+row.by+"}]"))
		if err == nil || !strings.Contains(err.Error(), "a point read needs both keys, and "+row.want) {
			t.Errorf("%s by %s: %v; want %q", row.design, row.by, err, row.want)
		}
	}
}
