package serve_test

import (
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"loadgen/engine"
	"loadgen/engine/entity"
	"loadgen/engine/model"
	"loadgen/engine/rest"
	"loadgen/engine/rest/serve"
	"loadgen/target"
)

// faultyShop is a service of one table whose requests to the partition p meet faults, and
// what it has seen of those that did.
func faultyShop(t *testing.T, seed uint64, rules ...engine.FaultRule) (*shop, func() map[engine.FaultKind]int) {
	var mu sync.Mutex
	seen := make(map[engine.FaultKind]int)
	for i := range rules {
		rules[i].Key = "p"
		if rules[i].To == 0 {
			rules[i].To = time.Hour
		}
	}
	s := open(t, serve.Options{Profile: model.Off, Faults: &engine.FaultPlan{Rules: rules}, Seed: seed, Observe: func(one *rest.Seen) {
		mu.Lock()
		defer mu.Unlock()
		if one.Injected != 0 {
			seen[one.Injected]++
		}
	}})
	s.Must(entity.CreateTable, "Races", "", "")
	return s, func() map[engine.FaultKind]int {
		mu.Lock()
		defer mu.Unlock()
		return seen
	}
}

// Each kind of fault reaches a client over the wire as what it is, at the key alone that it
// is for, and what was carried out is there.
func TestFaultsOnTheWire(t *testing.T) {
	const late = 150 * time.Millisecond
	rule := func(r engine.FaultRule) engine.FaultRule { r.Share = engine.WholeShare; return r }
	for _, row := range []struct {
		says           string
		rule           engine.FaultRule
		insert, get    target.Outcome
		carriedOut     bool
		insertsTake    time.Duration
		getsTakeAsLong bool
	}{
		{"503", rule(engine.FaultRule{Kind: engine.FaultRefuse}), target.Outcome{Status: 503, Code: entity.ServerBusy}, target.Outcome{Status: 503, Code: entity.ServerBusy}, false, 0, false},
		{"500 after a while", rule(engine.FaultRule{Kind: engine.FaultRefuse, Code: entity.OperationTimedOut, By: late}), target.Outcome{Status: 500, Code: entity.OperationTimedOut},
			target.Outcome{Status: 500, Code: entity.OperationTimedOut}, false, late, true},
		{"another 500", rule(engine.FaultRule{Kind: engine.FaultRefuse, Code: entity.InternalError}), target.Outcome{Status: 500, Code: entity.InternalError},
			target.Outcome{Status: 500, Code: entity.InternalError}, false, 0, false},
		{"lost before", rule(engine.FaultRule{Kind: engine.FaultDrop, Moment: engine.FaultBefore}), target.Outcome{Fault: target.ConnectionClosed}, target.Outcome{Fault: target.ConnectionClosed}, false, 0, false},
		{"lost after", rule(engine.FaultRule{Kind: engine.FaultDrop, Moment: engine.FaultAfter, By: late}), target.Outcome{Fault: target.ConnectionClosed}, target.Outcome{Fault: target.ConnectionClosed}, true, late, true},
		{"half of a body, and nothing of what has none", rule(engine.FaultRule{Kind: engine.FaultCut}), target.Outcome{Fault: target.ConnectionClosed}, target.Outcome{Fault: target.ReplyCutOff}, true, 0, false},
		{"late", rule(engine.FaultRule{Kind: engine.FaultDelay, By: late}), target.Outcome{Status: 204}, target.Outcome{Status: 200}, true, late, true},
		{"in drops", rule(engine.FaultRule{Kind: engine.FaultDrip, By: late}), target.Outcome{Status: 204}, target.Outcome{Status: 200}, true, late, true},
		{"frozen", rule(engine.FaultRule{Kind: engine.FaultFreeze, To: 3 * late}), target.Outcome{Status: 204}, target.Outcome{Status: 200}, true, 0, false},
	} {
		s, seen := faultyShop(t, 1, row.rule)
		began := time.Now()
		same := func(what string, got, want target.Outcome) {
			t.Helper()
			if got.Status != want.Status || got.Code != want.Code || got.Fault != want.Fault {
				t.Errorf("%s: the %s came to %d %s %s; want %d %s %s", row.says, what, got.Status, got.Code, got.Fault, want.Status, want.Code, want.Fault)
			}
		}
		same("insert", s.Try(entity.Insert, "Races", "p", "1"), row.insert)
		if took := time.Since(began); took < row.insertsTake {
			t.Errorf("%s: the insert took %v; want %v at least", row.says, took, row.insertsTake)
		}
		began = time.Now()
		same("get", s.Try(entity.Get, "Races", "p", "1"), row.get)
		if took := time.Since(began); row.getsTakeAsLong && took < row.insertsTake {
			t.Errorf("%s: the get took %v; want %v at least", row.says, took, row.insertsTake)
		}
		s.Must(entity.Insert, "Races", "other", "1")
		// A query of the whole table is about no one key.
		all := s.Send(&target.Operation{Verb: entity.Query, Table: "Races"})
		if want := map[bool]int64{true: 2, false: 1}[row.carriedOut]; all.Returned != want {
			t.Errorf("%s: %d entities are there; want %d", row.says, all.Returned, want)
		}
		if want := 2; row.rule.Kind != engine.FaultFreeze && seen()[row.rule.Kind] != want || len(seen()) > 1 {
			t.Errorf("%s: the service saw %v; want %d of that kind alone", row.says, seen(), want)
		}
	}
}

// What the service says that it injected is what its client met, to the count, whatever the
// shares; and the running number of a request and the seed alone decide.
func TestTheServicesLogOfFaultsIsWhatItsClientMet(t *testing.T) {
	play := func(seed uint64) (met map[engine.FaultKind]int, order string) {
		rng := rand.New(rand.NewPCG(seed, 3))
		share := func() int { return engine.WholeShare * (1 + rng.IntN(20)) / 100 }
		s, seen := faultyShop(t, seed, engine.FaultRule{Kind: engine.FaultRefuse, Share: share()}, engine.FaultRule{Kind: engine.FaultDrop, Moment: engine.FaultBefore, Share: share()},
			engine.FaultRule{Kind: engine.FaultCut, Share: share()})
		met = make(map[engine.FaultKind]int)
		for i := range 150 {
			got := s.Try(entity.InsertOrReplace, "Races", "p", strconv.Itoa(i%7))
			kind := engine.FaultKind(0)
			switch {
			case got.Status == 503:
				kind = engine.FaultRefuse
			case got.Fault != "":
				kind = engine.FaultDrop // of a reply without a body a cut leaves nothing either
			}
			if kind != 0 {
				met[kind]++
			}
			order += kind.String()[:1]
		}
		if log := seen(); log[engine.FaultRefuse] != met[engine.FaultRefuse] || log[engine.FaultDrop]+log[engine.FaultCut] != met[engine.FaultDrop] || log[engine.FaultCut] == 0 {
			t.Errorf("seed %d: the service saw %v, and its client met %v; want the same", seed, log, met)
		}
		return met, order
	}
	for seed := range uint64(3) {
		_, first := play(seed)
		if _, again := play(seed); again != first {
			t.Errorf("seed %d: the faults came as\n%s\nand then as\n%s", seed, first, again)
		}
	}
}
