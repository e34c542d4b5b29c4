//go:build invariants

package drive

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/invariants"
	"loadgen/target"
)

// getWork is a get of a hot partition.
func getWork(_ uint64, w *Work) {
	w.Operation.Verb, w.Operation.Table = entity.Get, "T"
	w.Operation.Change = entity.Change{Verb: entity.Get, Key: entity.Key{Partition: "hot", Row: "1234"}}
}

// A session that is used again begins as a new one does, whatever it was: a field that
// is left out of the reset would still hold what Poison put there.
func TestPoisonedSessionBeginsAsANewOne(t *testing.T) {
	outline := func(uint64) Work { return Work{Kind: 1, Offers: 3} }
	for _, row := range []struct {
		name    string
		stage   Stage
		sending bool
	}{
		{"formed as it is due", Stage{First: 7, Build: getWork}, false},
		{"outlined as it is due", Stage{First: 7, Build: getWork, Outline: outline}, false},
		{"formed, though it could be outlined", Stage{First: 7, Build: getWork, Outline: outline}, true},
	} {
		var fresh, used Session
		invariants.Poison(&used)
		for _, s := range []*Session{&fresh, &used} {
			s.begin(&row.stage, 5, clock.Instant(9), 4, row.sending)
			s.Step(10, Due, nil)
			s.Step(20, Replied, &target.Outcome{Status: 503, Code: entity.ServerBusy})
		}
		assert.Equalf(t, used, fresh, "%s: a session used again is %+v; want it as a new one, %+v", row.name, used, fresh)
	}
}
