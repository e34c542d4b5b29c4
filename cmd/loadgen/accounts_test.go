package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/model"
	"loadgen/results"
)

// shardedTable is a scenario whose load is half as much again as one account bears,
// and less than two do.
const shardedTable = `name: sharded
seed: 5
workers: 16
retry: none
model: {profile: documented, account_target: 100, partition_target: 50}
accounts: {number: 2, by: "{shard}"}
attributes:
  shard: {list: ["0", "1"]}
  bucket: {uniform: [0, 3]}
  number: {sequence: 1}
entity: {size: 300}
design: {partition_key: "{shard}-{bucket}", row_key: "{number}"}
phases:
  - name: load
    load: {entities: 80, transaction: 100, lanes: 4}
  - name: count
    count: {lanes: 4}
  - name: measure
    spread:
      partitions: 8
      rate: 18.75
      for: 4s
      operations: [{verb: insert}]
`

// intoShards writes the scenario into a folder of its own, in which the test goes on.
func intoShards(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("sharded.yaml", []byte(shardedTable), 0o600))
}

// inShards holds a record against what two accounts, or one, make of the load.
func inShards(t *testing.T, name string, record *results.Record, accounts int, attempts int64) {
	t.Helper()
	sum := record.Total(results.Reported)
	if share := float64(sum.Throttled) / float64(sum.Attempts); sum.Attempts != attempts || accounts == 2 && share != 0 || accounts == 1 && (share < .2 || share > .34) {
		t.Errorf("%s: %d of %d attempts were refused; want none of %d over two accounts, and 20 %% to a third of them in one", name, sum.Throttled, sum.Attempts, attempts)
	}
	if all := record.Total(results.Everything); record.Target == nil || record.Target.Requests != all.Attempts || record.Target.Throttled != all.Throttled || record.Target.Entities != all.Counted {
		t.Errorf("%s: the accounts counted %+v; want the %d attempts, %d refused, %d entities of the record", name, record.Target, all.Attempts, all.Throttled, all.Counted)
	}
	assert.Equalf(t, 2*(accounts-1), record.Manifest.Accounts, "%s: the manifest has accounts", name)
}

// twoServices opens two services that a run meets as strangers, each with an account
// and a key of its own, and returns files with their connection strings.
func twoServices(t *testing.T) (each [2]*service, files [2]string) {
	t.Helper()
	for i := range each {
		each[i] = newService(t, model.Off, 0)
		files[i] = filepath.Join(t.TempDir(), "connection")
		text := fmt.Sprintf("DefaultEndpointsProtocol=http;AccountName=races;AccountKey=%s;TableEndpoint=%s;", planted, each[i].url)
		require.NoError(t, os.WriteFile(files[i], []byte(text), 0o600))
	}
	return each, files
}

func TestShardedOverServices(t *testing.T) {
	each, files := twoServices(t)
	intoShards(t)
	t.Setenv("SECOND", string(bytesOf(t, files[1])))
	args := []string{"run", "--no-probe", "--target", "file:" + files[0], "--target", "env:SECOND", "--out", "run", "sharded.yaml", "--set", "phases.measure.for=1s"}
	code, _, stderr := say(t, args...)
	if code != codeUsage || !strings.Contains(stderr, "forecast for "+each[0].url+" and "+each[1].url) || !strings.Contains(stderr, "--yes") {
		t.Errorf("run without --yes = %d, %q; want %d and a forecast for both accounts", code, stderr, codeUsage)
	}
	if one, two := each[0].handler.Counts(), each[1].handler.Counts(); one.Requests+two.Requests != 0 {
		t.Errorf("%d and %d requests were sent without consent", one.Requests, two.Requests)
	}
	code, stdout, stderr := say(t, append(args, "--yes")...)
	require.Equalf(t, codeOk, code, "run = %d: %s", code, stderr)
	record := read(t, "run")
	one, two := each[0].handler.Counts(), each[1].handler.Counts()
	// Each also answered whether it was there.
	if all := record.Total(results.Everything); all.Attempts != one.Requests+two.Requests-2 || all.Counted != one.Entities+two.Entities || all.Failed != 0 {
		t.Errorf("attempts %d, failed %d, entities %d; the accounts saw %+v and %+v, one of each the question before", all.Attempts, all.Failed, all.Counted, one, two)
	}
	assert.Truef(t, one.Requests >= 75 && two.Requests >= 75,
		"the accounts saw %d and %d requests; want half of 150 inserts each", one.Requests, two.Requests)
	for i, s := range each {
		if !strings.Contains(stdout, s.url) {
			t.Errorf("the report does not name account %d, %s:\n%s", i+1, s.url, stdout)
		}
		if left := s.engine.TableNames("races"); len(left) > 0 {
			t.Errorf("the run left the tables %v in account %d", left, i+1)
		}
	}
	said := []string{stdout, stderr}
	for _, name := range leftIn(t, "run") {
		said = append(said, string(bytesOf(t, name)))
	}
	for _, text := range said {
		assert.NotContainsf(t, text, planted[:12], "what was said or written holds a part of the key: %.200q", text)
	}
}

func bytesOf(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return bytes.TrimSpace(text)
}
