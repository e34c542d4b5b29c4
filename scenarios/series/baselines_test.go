package series

import (
	"bytes"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"loadgen/report"
	"loadgen/report/compare"
	"loadgen/report/compare/gate"
	look "loadgen/report/text"
	"loadgen/results"
	"loadgen/results/baseline"
)

// asCommitted compares a run with its baseline that is checked in, byte for byte.
func asCommitted(t *testing.T, record *results.Record) {
	t.Helper()
	g := &Gate{Baselines: committed}
	name := record.Manifest.Scenario.Name
	if one, err := g.Rule(record, ""); err != nil || one.Outcome != compare.Same {
		t.Errorf("%s, %v\n%s", one.Outcome, err, shown(t, one))
	}
	was, err := os.ReadFile(g.file(name))
	require.NoError(t, err)
	kept, err := baseline.Read(was)
	require.NoError(t, err)
	made, err := baseline.New(record, kept.Accepted, kept.Reason)
	require.NoError(t, err)
	if is := made.File(); !bytes.Equal(was, is) {
		t.Errorf("%s: %d bytes that differ from those checked in, of which there are %d", name, len(is), len(was))
	}
}

// shown returns all that is said of what a gate has come to.
func shown(t *testing.T, one gate.Result) string {
	t.Helper()
	var text strings.Builder
	require.NoError(t, report.Print(&text, gate.Document([]gate.Result{one}), report.FormText, look.Look{Verbose: true}))
	return text.String()
}

// Every baseline that is checked in is that of a scenario of the library. That it holds is
// shown by [TestLibrary], which runs them all.
func TestCommittedBaselines(t *testing.T) {
	names := (&Gate{Baselines: committed}).Kept()
	files, err := os.ReadDir(committed)
	require.NoError(t, err)
	if len(names) < 20 || len(files) != 2*len(names)+1 {
		t.Errorf("%d files, and %d scenarios with a baseline; want the nightly set, 20 at least, a baseline and its reasons for each, and a README.md",
			len(files), len(names))
	}
	if i := slices.IndexFunc(names, func(name string) bool { return slices.Contains(grand(), name) }); i >= 0 {
		t.Errorf("%s has a baseline, to which nothing holds it", names[i])
	}
}

// elsewhere has a test run on one processor, in another time zone than that in which the
// baselines were written.
func elsewhere(t *testing.T) {
	processors, zone := runtime.GOMAXPROCS(1), time.Local
	time.Local = time.FixedZone("far away", 13*60*60+45*60)
	t.Cleanup(func() {
		runtime.GOMAXPROCS(processors)
		time.Local = zone
	})
}

// A baseline is the same file, byte for byte, with one processor and with all of them,
// and wherever the machine stands. All of them are held to that with the tag ci.
func TestBaselinesAreTheSameOnOtherMachines(t *testing.T) {
	if testing.Short() {
		t.Skip("a long run")
	}
	elsewhere(t)
	names := (&Gate{Baselines: committed}).Kept()
	for _, name := range spread(names, tier(1, len(names), len(names))) {
		asCommitted(t, simulated(t, builtin(t, name)))
	}
}
