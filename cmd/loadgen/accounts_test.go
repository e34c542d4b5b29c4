package main

import (
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

// shardedIn writes the scenario into a folder.
func shardedIn(t *testing.T, folder string) string {
	t.Helper()
	file := filepath.Join(folder, "sharded.yaml")
	require.NoError(t, os.WriteFile(file, []byte(shardedTable), 0o600))
	return file
}

func TestShardedOverServices(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	var each [2]*service
	out := filepath.Join(folder, "run")
	args := []string{"run", shardedIn(t, folder), "--no-probe", "--out", out, "--set", "phases.measure.for=1s"}
	for i := range each {
		each[i] = newService(t, model.Off, 0)
		file := filepath.Join(folder, fmt.Sprint("connection", i))
		text := fmt.Sprintf("DefaultEndpointsProtocol=http;AccountName=races;AccountKey=%s;TableEndpoint=%s;", planted, each[i].url)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		args = append(args, "--target", "file:"+file)
	}
	code, _, stderr := say(t, args...)
	if code != codeUsage || !strings.Contains(stderr, "forecast for "+each[0].url+" and "+each[1].url) || !strings.Contains(stderr, "--yes") {
		t.Errorf("run without --yes = %d, %q; want %d and a forecast for both accounts", code, stderr, codeUsage)
	}
	if one, two := each[0].handler.Counts(), each[1].handler.Counts(); one.Requests+two.Requests != 0 {
		t.Errorf("%d and %d requests were sent without consent", one.Requests, two.Requests)
	}
	code, stdout, stderr := say(t, append(args, "--yes")...)
	require.Equalf(t, codeOk, code, "run = %d: %s", code, stderr)
	record := read(t, out)
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
	said := map[string]string{"stdout": stdout, "stderr": stderr}
	addFiles(t, said, out)
	withoutKey(t, said)
}
