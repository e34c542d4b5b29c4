//go:build ci && unix

package advise

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/scenarios/run"
)

// readRows returns a reader of rows of a race, without holding them.
func readRows(rows int) io.Reader {
	out, into := io.Pipe()
	chance := rand.New(rand.NewPCG(6, 6))
	go func() {
		text := bufio.NewWriter(into)
		fmt.Fprintln(text, "year,division,bib,runner,finished")
		for n := 1; n <= rows; n++ {
			fmt.Fprintf(text, "%d,%s,%d,runner %d,2026-04-21T%02d:%02d:%02d.%06dZ\n", 2010+chance.IntN(5),
				[]string{"Mopen", "Fopen", "M40", "F40", "M50"}[chance.IntN(5)], n, chance.IntN(400_000),
				n/36_000_00%24, n/60_000%60, n/1000%60, n%1000*1000)
		}
		into.CloseWithError(text.Flush())
	}()
	return out
}

// A million rows under three designs, one of which repeats keys: within 6 s of CPU, which is reported, and 250 MB.
func TestThreeCandidatesOverManyRows(t *testing.T) {
	// As the command runs.
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	var memory runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&memory)
	begun, _ := run.CPU()
	lived, most := memory.HeapAlloc, uint64(0)
	c, err := FromRows(readRows(1_000_000), []Candidate{{"{year}__{division}", "{bib}"}, {"{bib}", "r"}, {"{runner}", "{division}"}},
		KeysOptions{File: "rows.csv", Targets: documented, PerSecond: 5000, Time: "finished", Progress: func(int64) {
			runtime.ReadMemStats(&memory)
			most = max(most, memory.HeapAlloc-lived)
		}})
	require.NoError(t, err)
	runtime.ReadMemStats(&memory)
	used, _ := run.CPU()
	t.Logf("%v of CPU; want 6 s; %d MB at most, first %s: %s", used-begun, max(most, memory.HeapAlloc-lived)>>20, c.Ranked[0].PartitionKey, c.Verdict)
	assert.LessOrEqual(t, max(most, memory.HeapAlloc-lived)>>20, uint64(250), "megabytes")
	last := c.Ranked[2]
	assert.Truef(t, last.PartitionKey == "{runner}" && last.Keyed == 1_000_000 && last.Repeated > 0 && last.State == results.DoesNotHold,
		"the last is %s, which repeats %d of %d: %s; want the one that repeats keys", last.PartitionKey, last.Repeated, last.Keyed, last.Verdict)
}
