//go:build live && linux

package main

import (
	"encoding/json"
	"io"
	"math"
	"strconv"
	"testing"
	"time"

	"loadgen/engine/clock"
	explanation "loadgen/scenarios/advise"
)

// What judging ten million keys may cost: 20 s of CPU and 200 MB are aimed at, and
// twice the CPU fails, for other machines are slower.
const (
	tenMillion    = 10_000_000
	mostKeysCPU   = 2 * 20 * time.Second
	mostKeysBytes = 200 << 20
)

func TestLiveExplainTenMillionKeys(t *testing.T) {
	text, cpu, memory := measured(t, newKeyFile(tenMillion), "explain", "--from", "-", "--rate", "5000", "--format", "json", "--quiet")
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
		draw := f.chance.At(f.next)
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
