package drive

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/clock"
	"loadgen/results"
)

// The record tells when a stage and its steps begin and end: each mark once its
// instant is past, in the order of the instants, and none that never came.
func TestMarksOfAStage(t *testing.T) {
	const s = time.Second
	open := &Stage{Name: "peak", Schedule: everyTick(t, 4*s), Phases: []results.Phase{
		{Name: "low", Begin: 0, End: 2 * s}, {Name: "high", Begin: 2 * s, End: 4 * s}}}
	closed := &Stage{Name: "load", Phases: []results.Phase{{Name: "load"}}}
	for _, test := range []struct {
		name        string
		stage       *Stage
		passed      time.Duration
		closed      time.Duration
		interrupted bool
		want        []string
		ends        time.Duration
	}{
		{"an open loop", open, 13 * s, 15 * s, false, []string{
			"10s stage-begins peak", "10s phase-begins low", "12s phase-ends low", "12s phase-begins high",
			"14s phase-ends high", "15s stage-ends peak"}, 14 * s},
		{"an open loop that is interrupted in its first step", open, 11 * s, 11 * s, true, []string{
			"10s stage-begins peak", "10s phase-begins low", "11s interrupted peak", "11s stage-ends peak"}, 14 * s},
		{"a closed loop, whose phase ends when it is done", closed, 11 * s, 17 * s, false, []string{
			"10s stage-begins load", "17s stage-ends load"}, 17 * s},
	} {
		t.Run(test.name, func(t *testing.T) {
			run := newTrial(t, getStage(nil, 0), 0)
			opened := run.ledger.open(test.stage, clock.Instant(10*s))
			opened.pass(clock.Instant(test.passed))
			opened.close(clock.Instant(test.closed), test.interrupted)
			record := run.finish(t, clock.Instant(20*s))
			var got []string
			for _, e := range record.Events[1:] { // the first is of the trial's own stage
				got = append(got, fmt.Sprintf("%v %s %s", time.Duration(e.At), e.What, e.Phase+e.Text))
			}
			assert.Truef(t, slices.Equal(got, test.want), "events = %q; want %q", got, test.want)
			last := record.Phases[len(record.Phases)-1]
			assert.Truef(t, last.Stage == test.stage.Name && last.End == test.ends,
				"the last phase is of stage %q and ends at %v; want %q and %v", last.Stage, last.End, test.stage.Name, test.ends)
		})
	}
}
