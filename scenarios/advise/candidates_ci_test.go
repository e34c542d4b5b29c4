//go:build ci && unix

package advise

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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

// 600,000 rows under five designs: within 15 s of CPU and 200 MB; it fails at twice the time.
func TestFiveCandidatesOverManyRows(t *testing.T) {
	var memory runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&memory)
	begun, _ := run.CPU()
	lived, most := memory.HeapAlloc, uint64(0)
	c, err := FromRows(readRows(600_000), []Candidate{{"{year}", "{bib}"}, {"{year}__{division}", "{bib}"}, {"{bib}", "r"}, {"{runner}", "{bib}"},
		{"{hash(bib,64):02d}", "{bib}"}}, KeysOptions{File: "rows.csv", Targets: documented, PerSecond: 5000, Time: "finished", Progress: func(int64) {
		runtime.ReadMemStats(&memory)
		most = max(most, memory.HeapAlloc-lived)
	}})
	require.NoError(t, err)
	used, _ := run.CPU()
	took := used - begun
	t.Logf("%v of CPU, %d MB at most, first %s: %s", took, most>>20, c.Ranked[0].PartitionKey, c.Verdict)
	assert.Truef(t, took <= 30*time.Second && most <= 200<<20,
		"five designs over 600,000 rows took %v of CPU and %d MB; want 15 s, and no more than 30 s and 200 MB", took, most>>20)
	if first := c.Ranked[0].PartitionKey; first != "{hash(bib,64):02d}" && first != "{runner}" {
		t.Errorf("the first is %s; want one that spreads", first)
	}
}
