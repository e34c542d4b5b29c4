package advise

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/scenarios/run/runtest"
)

// Clients that wait for answers ask less often the longer those take.
func TestClientsWaitForTheirAnswers(t *testing.T) {
	times := Times{RoundTrip: time.Millisecond, Read: 3 * time.Millisecond, Write: 8 * time.Millisecond, Entity: 100 * time.Microsecond}
	for _, row := range []struct {
		name, operations string
		times            Times
		answer           float64 // in seconds
	}{
		{"answers at once", "[{verb: get}]", Times{}, 0},
		{"a read", "[{verb: get}]", times, .004},
		{"a write", "[{verb: insert}]", times, .009},
		{"a transaction of a hundred is one request", "[{verb: batch, entities: 100}]", times, .009 + 99*.0001},
		{"half reads, half writes", "[{verb: get}, {verb: insert}]", times, .0065},
	} {
		for _, kind := range []string{"spread", "traffic"} {
			checkLoop(t, row.name+", "+kind, kind+": {think: 40ms, for: 2s", row.operations, row.times, row.answer, .04)
		}
		if row.answer > 0 {
			checkLoop(t, row.name+", one right after another", "traffic: {count: 2000", row.operations, row.times, row.answer, 0)
		}
	}
}

// checkLoop checks the rate of clients in a phase of a kind that wait so long for answers.
func checkLoop(t *testing.T, name, phase, operations string, times Times, answer, think float64) {
	t.Helper()
	text := strings.NewReplacer("traffic: {think: 40ms, for: 2s", phase, "[{verb: get}]", operations).Replace(file(t, "loop"))
	d, err := InUse(Options{Scenario: runtest.Parse(t, text), Targets: documented, Times: times})
	require.NoError(t, err, name)
	load := d.Loads[0]
	assert.Truef(t, math.Abs(load.Answer-answer) <= .0003 && load.Clients == 20,
		"%s: %d clients wait %.4f s; want 20, %.4f s", name, load.Clients, load.Answer, answer)
	if want := 20 / (think + load.Answer); math.Abs(load.PerSecond/want-1) > .02 {
		t.Errorf("%s: they ask %.1f times a second; want %.1f", name, load.PerSecond, want)
	}
}
