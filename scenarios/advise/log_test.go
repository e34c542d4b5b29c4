package advise_test

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/model"
	"loadgen/results"
	"loadgen/results/resultstest"
	"loadgen/scenarios/advise"
	"loadgen/scenarios/logs"
	"loadgen/scenarios/logs/replay"
)

// Keys in time, the log of their inserts and its replay have the same answer at their own rate: that of token buckets.
func TestKeysLogsAndReplaysAgree(t *testing.T) {
	cases := resultstest.Cases(10, 100)
	for n := range cases + 1 {
		if n == cases {
			n = 46 // which has a tail that lasts under a second
		}
		what, text, rate, refused := advise.DrawnLog(n)
		k, err := advise.FromKeys(strings.NewReader(text), advise.KeysOptions{File: "keys.csv", PerSecond: rate, Targets: advise.DocumentedTargets()})
		require.NoError(t, err)
		log := strings.ReplaceAll(strings.Replace(text, "PartitionKey,RowKey,instant", "PartitionKey,RowKey,time,operation", 1), "Z\n", "Z,insert\n")
		files := []logs.Source{{Name: "log.csv", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(log)), nil }}}
		told, err := logs.Examine(logs.Plan{Files: files})
		require.NoError(t, err)
		operations, err := replay.Gather(files, logs.Options{}, "")
		require.NoError(t, err)
		replayed, err := replay.Replay(t.Context(), replay.Plan{Operations: operations, Profile: model.Documented})
		require.NoError(t, err)
		holds := map[string]bool{"keys": k.State == results.Holds, "log": told.Record.Summary.Soundness == results.Sound, "replay": replayed.State == results.Holds}
		if refused > 0 && refused < 0.02 {
			continue // The keys are judged at the drawn rate, and the others at the one that their rows show.
		}
		for by, held := range holds {
			assert.Equalf(t, refused == 0, held, "case %d, %s at %.0f/s, of which %.3f are refused: holds by %s", n, what, rate, refused, by)
		}
	}
}
