package main

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"loadgen/results"
)

// job is a scenario whose first part reads some pages of 2,500 entities and breaks off,
// and whose second goes on, each with what is said of where; without a load it works on
// what is there.
func job(t *testing.T, name, load, begins, goesOn string) {
	t.Helper()
	phases := "phases:\n" + load
	for _, part := range []struct{ name, operation string }{{"begin", begins}, {"goes-on", goesOn}} {
		if part.operation != "" {
			phases += fmt.Sprintf("  - {name: %s, traffic: {partitions: [journal], arrivals: {constant: 2}, for: 1s, operations: [{name: %s, verb: query, class: partition-scan, %s}]}}\n", part.name, part.name, part.operation)
		}
	}
	text := `name: job
retry: none
model: {profile: "off"}
attributes: {id: {sequence: 100000}}
design: {partition_key: journal, row_key: "{id}"}
` + phases
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
}

const jobLoad = "  - {name: load, load: {entities: 2500}}\n"

// counted returns how many entities operations of a name counted, each.
func counted(record *results.Record, name string) float64 {
	all := record.Total(func(_ *results.Phase, k results.Kind) bool { return k.Name == name })
	return float64(all.Counted) / float64(all.Sent)
}
