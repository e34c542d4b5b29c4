package run_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios/run"
	"loadgen/scenarios/run/runtest"
)

// looked runs 200 reads/s of two milliseconds for three seconds in real time, on so many workers and
// with these faults. It returns the record, and when the reads began.
func looked(t *testing.T, workers int, faults string) (*results.Record, time.Duration) {
	t.Helper()
	s := networked(t, "round_trip: 1ms, read_time: 1ms", 100, "get", "arrivals: {constant: 200}, for: 3s")
	settings := []string{fmt.Sprintf("workers=%d", workers)}
	if faults != "" {
		settings = append(settings, "faults=["+faults+"]")
	}
	s = runtest.Set(t, s, settings...)
	record := runtest.Run(t, run.Plan{Scenario: s, On: run.InProcess, NoProbe: true}).Record
	return record, record.Phases[slices.IndexFunc(record.Phases, func(p results.Phase) bool { return p.Reported })].Begin
}

// slowdown delays the replies of a fifth of the second second by 40 ms: 40
// operations, for which six workers need 67 ms more than there are.
const slowdown = "{kind: delay, from: 1500ms, to: 1700ms, by: 40ms}"

func TestPoolThatIsTooSmallIsTold(t *testing.T) {
	for _, row := range []struct {
		name    string
		workers int
		faults  string
		seconds int
	}{
		{"six workers are enough for a prompt target", 6, "", 0},
		{"six are too few while it is slow", 6, slowdown, 1},
		{"sixteen are enough for that", 16, slowdown, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			record, _ := looked(t, row.workers, row.faults)
			s := record.Summary
			late := 0
			for _, one := range verdict.Strains(record) {
				if one.Cause == verdict.TooFewWorkers {
					late++
				}
			}
			assert.Truef(t, s.Validity == results.Valid && late == row.seconds && len(s.ClientLimited) == row.seconds,
				"%s: %s, %d seconds late, client-limited %q; want %d", row.name, s.Validity, late, s.ClientLimited, row.seconds)
			assert.Truef(t, (s.Late > 0) == (row.seconds > 0) && s.Dropped == 0 && record.Total(results.Reported).Scheduled == 600,
				"%s: %d late, %d dropped; want none dropped of 600", row.name, s.Late, s.Dropped)
		})
	}
}

// frozen has all replies of 0.8 s come at once at its end.
const frozen = "{kind: freeze, from: 700ms, to: 1500ms}"

// A target that answers nothing is told with when, whether or not the workers were enough
// for it; where they were not, what is late because of it is put down to it.
func TestFrozenTargetIsNotTheGeneratorsLimit(t *testing.T) {
	for _, row := range []struct {
		name    string
		workers int
		late    bool
	}{{"workers enough for all that is due meanwhile", 400, false}, {"sixteen of them", 16, true}} {
		synctest.Test(t, func(t *testing.T) {
			record, begin := looked(t, row.workers, frozen)
			summary := record.Summary
			silences := verdict.Silences(record)
			assert.Truef(t, len(silences) == 1 && (silences[0].From-begin).Round(100*time.Millisecond) == 700*time.Millisecond &&
				(silences[0].To-begin).Round(100*time.Millisecond) == 1500*time.Millisecond, "%s: Silences = %v", row.name, silences)
			assert.Truef(t, summary.Late > 0 == row.late, "%s: %d late; want some: %v", row.name, summary.Late, row.late)
			starved := record.Generator.Starved
			// 16 workers are gone after 80 ms, and something is due within 10 more.
			assert.Truef(t, row.late == (starved > 0) && (!row.late || starved >= 710*time.Millisecond &&
				starved <= 720*time.Millisecond+drained), "%s: something was due and nobody free for %v", row.name, starved)
			for _, one := range verdict.Strains(record) {
				assert.Truef(t, one.Cause == verdict.OnTime || row.late && one.Cause == verdict.TargetSilent,
					"%s: second %d was late: %v", row.name, one.Second, one.Cause)
			}
		})
	}
}

// drained is how long 16 workers take at 2 ms each for the 144 operations that came due
// without one, and those that come due meanwhile.
const drained = 20 * time.Millisecond
