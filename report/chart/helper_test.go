package chart_test

import (
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"loadgen/report/chart"
	"loadgen/results"
	"loadgen/results/resultstest"
)

// manifest is that of reads, two kinds of writes and a load on one partition.
func manifest(target int64) results.Manifest {
	return resultstest.Manifest(func(m *results.Manifest) {
		m.Targets = results.Targets{Partition: target}
		m.Operations = append(m.Operations[1:], results.Kind{Name: "load"})
	})
}

// stress is the run that most tests look at: steps up to 4,000/s and a hold, on a partition
// that serves 2,000 entities a second and refuses the rest, which is tried once more.
var stress = sync.OnceValue(func() *results.Record {
	load := resultstest.Phase{Phase: results.Phase{Name: "load", End: 2 * time.Second}, Kind: 3, Operations: 1}
	steps := resultstest.Steps(2*time.Second, time.Second, 0, 500, 1000, 1500, 2000, 2500, 3000, 3500, 4000, 4000)
	hold := &steps[len(steps)-1].Phase
	hold.Name, hold.Reported = "hold", false
	run := resultstest.Run{Manifest: manifest(2000), Phases: append([]resultstest.Phase{load}, steps...),
		Serves: 2000, Retries: 1, Wait: 100 * time.Millisecond,
		Operation: func(op *resultstest.Operation) {
			if op.Kind == 1 {
				op.Kind = [10]int{0, 0, 0, 0, 0, 0, 0, 1, 1, 2}[op.Rand.IntN(10)]
			}
		},
		Attempt: func(op *resultstest.Operation, a *results.Attempt) {
			took := 2.5e6 * math.Exp(0.45*op.Rand.NormFloat64())
			if op.Kind > 0 {
				took *= 2
			}
			a.Done = a.Sent + time.Duration(took)
		}}
	for i := range run.Phases {
		if i > 0 && run.Phases[i].Reported {
			run.Phases[i].Name = "step-" + strings.Repeat("i", i)
		}
	}
	return run.Record(panicking{})
})

// file returns a figure as a file of its own, "svg" or "png".
func file(t *testing.T, f *chart.Figure, extension string) []byte {
	t.Helper()
	folder := new(results.Memory)
	require.NoError(t, f.SaveAs(folder, "a."+extension))
	return folder.Bytes("a." + extension)
}

// figure returns a chart of a record, by its own axis or another.
func figure(t *testing.T, name string, record *results.Record, axis ...chart.Axis) *chart.Figure {
	t.Helper()
	f := chart.Find(chart.Figures(record, append(axis, "")[0]), name)
	require.NotNil(t, f, name)
	return f
}

// panicking lets a value that is made once fail outside of a single test.
type panicking struct{ testing.TB }

func (panicking) Helper()                        {}
func (panicking) Fatalf(format string, _ ...any) { panic(format) }
