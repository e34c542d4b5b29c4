//go:build live && linux

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	explanation "loadgen/scenarios/advise"
)

// What the page of an hour may cost: 3 s of CPU and 300 MB are aimed at, and twice the
// CPU fails, for other machines are slower. Its size is bounded anywhere.
const (
	mostPageCPU    = 2 * 3 * time.Second
	mostPageMemory = 300 << 20
	mostPageSize   = 1_500_000
)

// anHour is a scenario of 3,600 seconds, 1,000 partitions and 12 operations, of which a
// few are throttled.
func anHour() string {
	var operations strings.Builder
	for i, verb := range []string{"insert", "get", "get", "get", "insert", "get", "insert", "get", "insert", "get", "get", "get"} {
		fmt.Fprintf(&operations, "        - {name: operation-%d, verb: %s, weight: %d}\n", i+1, verb, 5+i)
	}
	return `name: hour
about: An hour of traffic on a thousand partitions.
seed: 1
table: hour
retry: short
model: {profile: documented, partition_target: 5}
attributes:
  user: {zipf: {of: 1000, exponent: 1}}
  id: {sequence: 1}
use: user
designs:
  - {name: user, partition_key: "{user}", row_key: "{id}"}
phases:
  - name: load
    load: {entities: 2000}
  - name: work
    traffic:
      arrivals: {constant: 60}
      for: 60m
      operations:
` + operations.String()
}

func TestLivePageOfAnHour(t *testing.T) {
	folder := t.TempDir()
	file, run := filepath.Join(folder, "hour.yaml"), filepath.Join(folder, "run")
	require.NoError(t, os.WriteFile(file, []byte(anHour()), 0o600))
	if code, _, stderr := say(t, "simulate", file, "--out", run, "--quiet"); code != codeOk {
		t.Fatalf("simulate = %d\n%s", code, stderr)
	}
	page, cpu, memory := measured(t, nil, "report", run, "--format", "html")
	for _, want := range []string{"operation-12", ",100,101,102,103,", ",3598,3599"} {
		assert.Truef(t, bytes.Contains(page, []byte(want)), "the page does not hold %s: it is not of an hour", want)
	}
	t.Logf("the page of an hour: %.1f s of CPU, %d MB, %d bytes", cpu.Seconds(), memory>>20, len(page))
	if cpu > mostPageCPU || memory > mostPageMemory || len(page) > mostPageSize {
		t.Errorf("%.1f s of CPU, %d MB and %d bytes; want at most %v, %d MB and %d",
			cpu.Seconds(), memory>>20, len(page), mostPageCPU, mostPageMemory>>20, mostPageSize)
	}
}

// What judging ten million keys may cost: 20 s of CPU and 200 MB are aimed at, and
// twice the CPU fails, for other machines are slower.
const (
	tenMillion    = 10_000_000
	mostKeysCPU   = 2 * 20 * time.Second
	mostKeysBytes = 200 << 20
)

func TestLiveExplainTenMillionKeys(t *testing.T) {
	text, cpu, memory := measured(t, newKeyFile(tenMillion), "keys", "-", "--rate", "5000", "--format", "json", "--quiet")
	var k explanation.Keys
	if err := json.Unmarshal(text, &k); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if k.Rows != tenMillion || k.Spread.PartitionsError == 0 {
		t.Errorf("%d rows of %v partitions; want %d rows, and too many partitions to be told apart", k.Rows, k.Spread.Partitions, tenMillion)
	}
	t.Logf("%d keys of about %.0f partitions: %.1f s of CPU, %d MB", k.Rows, k.Spread.Partitions, cpu.Seconds(), memory>>20)
	if cpu > mostKeysCPU || memory > mostKeysBytes {
		t.Errorf("%.1f s of CPU and %d MB; want at most %v and %d MB", cpu.Seconds(), memory>>20, mostKeysCPU, mostKeysBytes>>20)
	}
}

// keyFile is a CSV file of keys, made as it is read: users as uneven as people, about
// a million of them, each with an instant.
type keyFile struct {
	chance clock.Stream
	rows   uint64
	next   uint64
	text   []byte
}

func newKeyFile(rows uint64) *keyFile {
	return &keyFile{chance: clock.NewStream(10, "keys"), rows: rows, text: []byte("PartitionKey,RowKey,instant\n")}
}

// Read implements io.Reader.
func (f *keyFile) Read(into []byte) (int, error) {
	for len(f.text) < len(into) && f.next < f.rows {
		draw := f.chance.Draw(f.next)
		f.text = append(f.text, "user-"...)
		f.text = strconv.AppendUint(f.text, uint64(math.Mod(math.Pow(1-draw.Float64(), -4), 1e7)), 10)
		f.text = append(f.text, ',')
		f.text = strconv.AppendUint(f.text, f.next, 10)
		f.text = append(f.text, ',')
		f.text = time.Unix(1_780_000_000, int64(f.next)*1e6).UTC().AppendFormat(f.text, time.RFC3339Nano)
		f.text = append(f.text, '\n')
		f.next++
	}
	if len(f.text) == 0 {
		return 0, io.EOF
	}
	n := copy(into, f.text)
	f.text = f.text[:copy(f.text, f.text[n:])]
	return n, nil
}
