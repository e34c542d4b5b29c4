//go:build ci

package keys_test

import (
	"bytes"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/scenarios/keys"
	"loadgen/scenarios/run"
)

func TestReadCSVHasAMillionValuesAtMost(t *testing.T) {
	text := []byte("city\n")
	for i := range int64(1_000_001) {
		text = append(strconv.AppendInt(text, i, 36), '\n')
	}
	_, err := cities.Read(bytes.NewReader(text))
	assert.Truef(t, err != nil && strings.HasPrefix(err.Error(), "events.csv:1000002: "),
		"Read() of a million and one values = %v; want a fault of the last line", err)
}

// A file of 600,000 rows of five columns, of which three are all different, takes less
// memory than 200 MB while it is read, and three seconds; twice that is a fault.
func TestManyRowsTakeLittle(t *testing.T) {
	const rows = 600_000
	var text bytes.Buffer
	text.WriteString("year,division,bib,runner,finished\n")
	for i := range rows {
		fmt.Fprintf(&text, "%d,M%d,%d,Runner number %d,%d.%d\n", 2000+i/30_000, i%20, i, i*7, i/200, i)
	}
	runtime.GC()
	var before, now runtime.MemStats
	runtime.ReadMemStats(&before)
	peak := uint64(0)
	watched := &watchedReader{from: &text, at: func() {
		runtime.ReadMemStats(&now)
		peak = max(peak, now.HeapAlloc)
	}}
	begun, _ := run.CPU()
	table, err := keys.ReadTable(watched, keys.TableOptions{File: "r.csv", Columns: []string{"bib", "division", "finished", "runner", "year"}})
	used, _ := run.CPU()
	took := used - begun
	watched.at()
	require.Truef(t, err == nil && table.Len() == rows, "%v; want %d rows", err, rows)
	held := int64(peak) - int64(before.HeapAlloc)
	t.Logf("%v of CPU, %d MB at most", took, held/1e6)
	assert.Truef(t, held <= 200e6 && took <= 6*time.Second,
		"reading took %v of CPU and %d MB; want 3 s, at most 6, and 200 MB", took, held/1e6)
	runtime.KeepAlive(table)
}

// watchedReader tells of every mebibyte that is read.
type watchedReader struct {
	from *bytes.Buffer
	read int
	at   func()
}

func (w *watchedReader) Read(into []byte) (int, error) {
	n, err := w.from.Read(into)
	if (w.read+n)>>20 > w.read>>20 {
		w.at()
	}
	w.read += n
	return n, err
}
