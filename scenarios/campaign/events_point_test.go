package campaign_test

import (
	"testing"

	"loadgen/report/verdict"
	"loadgen/results"
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
			record := simulated(t, ordered(t, row.design, "arrivals: {constant: 40}, for: 2s, operations: [{verb: get, by: "+row.by+"}]"))
			all := record.Total(results.Reported)
			if open := verdict.Books(record); len(open) > 0 {
				t.Fatalf("%s: the books are open: %v", row.sentence, open)
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
	record := simulated(t, ordered(t, "copied", "arrivals: {constant: 60}, for: 3s, operations: "+
		"[{verb: insert}, {name: newest, verb: get, by: [id], of: latest}, {verb: delete}]"))
	if all := record.Total(results.Reported); all.Failed > 0 {
		t.Errorf("%d failed; want none", all.Failed)
	}
}
