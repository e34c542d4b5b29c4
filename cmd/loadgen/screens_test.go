package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results/resultstest"
)

// The first screen of each kind of answer, at 80 columns: every one was read as somebody reads it who knows neither
// the code nor the run.
func TestFirstScreens(t *testing.T) {
	leftOutWhenShort(t)
	golden, err := filepath.Abs("testdata/screens")
	require.NoError(t, err)
	page, keys := pageOf(t, "docs/your-log.log.gz"), strings.Repeat("NYC,1,2026-01-01T00:00:00Z\nRome,2,2026-01-01T00:00:01Z\n", 200)
	scenario := pageOf(t, "docs/your-log.yaml")
	choiceIn(t)
	put(t, map[string]string{"keys.csv": "PartitionKey,RowKey,Timestamp\n" + keys, "your-log.log.gz": page, "your-log.yaml": scenario})
	for _, row := range []struct{ name, typed string }{
		{"simulate", "simulate stress-one-partition --one-profile --out a"},
		{"simulate-seed", "simulate stress-one-partition --one-profile --seed 7 --out b"},
		{"simulate-anti-pattern", "simulate stress-one-partition --one-profile --anti-pattern --out c"},
		{"simulate-bursts", "simulate page-size --one-profile --out d"},
		{"simulate-invariants", "simulate lost-updates --one-profile --anti-pattern --out e"},
		{"simulate-sweep", "simulate choice.yaml --one-profile --sweep seed=1,2 --out swept"},
		{"simulate-transfers", "simulate bank-transfer --one-profile --out f"},
		{"explain", "explain choice.yaml"},
		{"explain-keys", "explain --from keys.csv --rate 50"},
		{"explain-keys-over", "explain --from keys.csv --rate 5000"},
		{"explain-log", "explain --log your-log.log.gz"},
		{"replay", "replay your-log.log.gz your-log.yaml --partition-key {year} --row-key {division}_{bib:05d}"},
		{"contest", "contest choice.yaml --seeds 2 --one-profile --out contest"},
		{"backoff", "backoff contest --clients 20 --outage 2s --policies none,js"},
		{"compare", "compare a b"},
		{"gate", "gate choice.yaml --accept --reason first"},
	} {
		args := strings.Fields(row.typed)
		if slices.Contains([]string{"simulate", "explain", "contest", "replay"}, args[0]) {
			args = append(args, "--quiet")
		}
		code, stdout, stderr := say(t, args...)
		assert.Containsf(t, []int{codeOk, codeExpectation, codeRegression, codeInconclusive}, code, "%s: %s", row.name, stderr)
		assert.Emptyf(t, promised("text", stdout), "%s:\n%s", row.name, stdout)
		resultstest.CheckGolden(t, filepath.Join(golden, row.name+".golden"), undated(stdout))
	}
	files, err := os.ReadDir(golden)
	require.NoError(t, err)
	assert.Len(t, files, 16, "goldens of commands that are not run")
}
