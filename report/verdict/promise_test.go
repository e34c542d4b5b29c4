package verdict_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"

	"loadgen/report/verdict"
	"loadgen/results"
)

// Each check that is promised to fail fails, holds, or cannot be told; checks are the same
// however they are written.
func TestPromise(t *testing.T) {
	summary := &results.Summary{Checks: []results.Check{
		{Expr: "throttled < 1%", Ok: new(false)}, {Expr: "lost < 1%", Ok: new(true)}, {Expr: "p99 < 1s"},
	}}
	for _, row := range []struct {
		sentence     string
		fails        []string
		want         verdict.Promised
		broken, told bool
	}{
		{"one that fails", []string{"throttled<1%"}, verdict.Promised{Kept: []string{"throttled < 1%"}}, false, true},
		{"one that holds", []string{"lost < 1%"}, verdict.Promised{Broken: []string{"lost < 1%"}}, true, true},
		{"one that cannot be told", []string{"throttled < 1%", "p99 < 1s"}, verdict.Promised{Kept: []string{"throttled < 1%"}, Untold: []string{"p99 < 1s"}}, false, false},
		{"one that holds beside one that cannot be told", []string{"lost < 1%", "p99 < 1s"}, verdict.Promised{Broken: []string{"lost < 1%"}, Untold: []string{"p99 < 1s"}}, true, true},
		{"one that is not there", []string{"served > 5"}, verdict.Promised{Untold: []string{"served > 5"}}, false, false},
		{"any of them", nil, verdict.Promised{Kept: []string{"throttled < 1%"}, Broken: []string{"lost < 1%"}, Untold: []string{"p99 < 1s"}}, false, true},
	} {
		record := &results.Record{Manifest: results.Manifest{Example: &results.Example{Fails: row.fails}}}
		got := verdict.Promise(record, summary)
		assert.Empty(t, cmp.Diff(row.want, got, cmpopts.IgnoreUnexported(verdict.Promised{})), row.sentence)
		assert.Truef(t, got.Fails() == row.broken && got.Told() == row.told,
			"%s: broken %v, told %v; want %v, %v", row.sentence, got.Fails(), got.Told(), row.broken, row.told)
	}
}
