package serve_test

import (
	"cmp"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine"
	"loadgen/engine/entity"
	"loadgen/engine/model"
	"loadgen/engine/rest"
	"loadgen/engine/rest/serve"
	"loadgen/target"
)

// Each kind of fault reaches a client over the wire as what it is, at the key alone that it
// is for, and what was carried out is there.
func TestFaultsOnTheWire(t *testing.T) {
	const late = 30 * time.Millisecond
	refused := func(status int, code entity.Code) target.Outcome { return target.Outcome{Status: status, Code: code} }
	lost := target.Outcome{Fault: target.ConnectionClosed}
	cut := target.Outcome{Fault: target.ReplyCutOff}
	written, read := target.Outcome{Status: 204}, target.Outcome{Status: 200}
	for _, row := range []struct {
		says        string
		rule        engine.FaultRule
		insert, get target.Outcome
		// entities are there in the end, that of another key among them.
		entities int64
		takes    time.Duration
	}{
		{"503", engine.FaultRule{Kind: engine.FaultRefuse}, refused(503, entity.ServerBusy), refused(503, entity.ServerBusy), 1, 0},
		{"500 after a while", engine.FaultRule{Kind: engine.FaultRefuse, Code: entity.OperationTimedOut, By: late},
			refused(500, entity.OperationTimedOut), refused(500, entity.OperationTimedOut), 1, late},
		{"another 500", engine.FaultRule{Kind: engine.FaultRefuse, Code: entity.InternalError},
			refused(500, entity.InternalError), refused(500, entity.InternalError), 1, 0},
		{"lost before", engine.FaultRule{Kind: engine.FaultDrop, Moment: engine.FaultBefore}, lost, lost, 1, 0},
		{"lost after", engine.FaultRule{Kind: engine.FaultDrop, Moment: engine.FaultAfter, By: late}, lost, lost, 2, late},
		{"half of a body, and nothing of what has none", engine.FaultRule{Kind: engine.FaultCut}, lost, cut, 2, 0},
		{"late", engine.FaultRule{Kind: engine.FaultDelay, By: late}, written, read, 2, late},
		{"in drops", engine.FaultRule{Kind: engine.FaultDrip, By: late}, written, read, 2, late},
		{"frozen", engine.FaultRule{Kind: engine.FaultFreeze, To: 3 * late}, written, read, 2, 0},
	} {
		t.Run(row.says, func(t *testing.T) {
			t.Parallel()
			row.rule.Key, row.rule.Share, row.rule.To = "p", engine.WholeShare, cmp.Or(row.rule.To, time.Hour)
			var mu sync.Mutex
			seen := make(map[engine.FaultKind]int)
			s := open(t, serve.Options{Profile: model.Off, Faults: &engine.FaultPlan{Rules: []engine.FaultRule{row.rule}}, Observe: func(one *rest.Seen) {
				mu.Lock()
				defer mu.Unlock()
				if one.Injected != 0 {
					seen[one.Injected]++
				}
			}})
			s.Must(entity.CreateTable, "Races", "", "")
			for i, want := range []target.Outcome{row.insert, row.get} {
				verb, began := []entity.Verb{entity.Insert, entity.Get}[i], time.Now()
				got := s.Try(verb, "Races", "p", "1")
				assert.Truef(t, got.Status == want.Status && got.Code == want.Code && got.Fault == want.Fault,
					"the %v came to %d %s %s; want %d %s %s", verb, got.Status, got.Code, got.Fault, want.Status, want.Code, want.Fault)
				assert.GreaterOrEqualf(t, time.Since(began), row.takes, "the %v took", verb)
			}
			s.Must(entity.Insert, "Races", "other", "1")
			// A query of the whole table is about no one key.
			assert.Equal(t, row.entities, s.Send(&target.Operation{Verb: entity.Query, Table: "Races"}).Returned,
				"entities are there")
			mu.Lock()
			defer mu.Unlock()
			if row.rule.Kind != engine.FaultFreeze { // which may be over by now
				assert.Equal(t, map[engine.FaultKind]int{row.rule.Kind: 2}, seen, "the faults that the service saw")
			}
		})
	}
}
