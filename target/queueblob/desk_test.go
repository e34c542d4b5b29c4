package queueblob_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"loadgen/engine/clock"
	"loadgen/target"
	"loadgen/target/queueblob"
)

// A service of one's own works on so many requests at once, and the others wait in the
// order in which they came: as a queue that is written as plainly as can be does, of drawn
// requests.
func TestServicesWorkOnSoManyAtOnce(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 31))
		atOnce := rng.IntN(4)
		m, now := queueblob.NewMemory(), clock.Instant(0)
		var busy []clock.Instant // when each request so far is done
		for i := range 200 {
			now = now.Add(time.Duration(rng.IntN(5)) * time.Millisecond)
			takes := time.Duration(rng.IntN(12)) * time.Millisecond
			begins := now
			if atOnce > 0 && working(busy, now) >= atOnce {
				begins = nextFree(busy, now, atOnce)
			}
			want := begins.Add(takes)
			busy = append(busy, want)
			o, done := m.Submit(now, &target.Operation{Beside: &target.Beside{Verb: target.Ask, Store: "broker", Takes: takes, AtOnce: atOnce}})
			if o.Status != 200 || done != want {
				t.Fatalf("seed %d, %d at once: request %d at %v that takes %v is answered %d at %v; want 200 at %v", seed, atOnce, i, now, takes, o.Status, done, want)
			}
		}
	}
}

// working returns how many requests are not done at an instant.
func working(busy []clock.Instant, at clock.Instant) (count int) {
	for _, done := range busy {
		if done > at {
			count++
		}
	}
	return count
}

// nextFree returns the first end of a request from an instant on after which fewer than so
// many are not done.
func nextFree(busy []clock.Instant, from clock.Instant, atOnce int) clock.Instant {
	first := clock.Never
	for _, done := range busy {
		if done >= from && working(busy, done) < atOnce {
			first = min(first, done)
		}
	}
	return first
}

// What no service could take is told, and each service has a desk of its own.
func TestQuestionsAreHeld(t *testing.T) {
	for _, row := range []struct {
		name   string
		ask    target.Beside
		status int
		says   string
	}{
		{"one", target.Beside{Store: "broker", Takes: time.Second, AtOnce: 1}, 200, ""},
		{"the longest", target.Beside{Store: "broker", Takes: target.MostTaken, AtOnce: target.MostAtOnce}, 200, ""},
		{"longer", target.Beside{Store: "broker", Takes: target.MostTaken + 1}, 400, "expected 0s to 1h0m0s"},
		{"shorter than nothing", target.Beside{Store: "broker", Takes: -1}, 400, "the service takes -1ns"},
		{"more at once", target.Beside{Store: "broker", AtOnce: target.MostAtOnce + 1}, 400, "to 10000"},
		{"fewer than none", target.Beside{Store: "broker", AtOnce: -1}, 400, "works on -1 at once"},
		{"a name that is none", target.Beside{Store: "a--b"}, 400, "the name of the queue, container or service"},
	} {
		row.ask.Verb = target.Ask
		o, _ := queueblob.NewMemory().Submit(0, &target.Operation{Beside: &row.ask})
		if o.Status != row.status || !strings.Contains(o.Detail, row.says) {
			t.Errorf("%s is answered %d %q; want %d that says %q", row.name, o.Status, o.Detail, row.status, row.says)
		}
	}
	m := queueblob.NewMemory()
	for _, store := range []string{"one", "other"} {
		op := target.Operation{Beside: &target.Beside{Verb: target.Ask, Store: store, Takes: time.Second, AtOnce: 1}}
		if _, done := m.Submit(0, &op); done.Offset() != time.Second {
			t.Errorf("service %s answers at %v; want 1s, for nobody asked it before", store, done)
		}
	}
}

// In real time a stand-in answers where the other services are an account's own.
func TestServicesOfOnesOwnBesideAnAccounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, clk := time.Now(), clock.NewReal()
		op := target.Operation{Beside: &target.Beside{Verb: target.Ask, Store: "broker", Takes: 70 * time.Millisecond}}
		o := queueblob.Services{Own: queueblob.NewWaiting(clk)}.Do(context.Background(), &op)
		if took := time.Since(began); o.Status != 200 || took != 70*time.Millisecond {
			t.Errorf("it is answered %d after %v; want 200 after 70ms", o.Status, took)
		}
	})
	if o := (queueblob.Services{}).Do(context.Background(), &target.Operation{Beside: &target.Beside{Verb: target.Ask, Store: "broker"}}); o.Status != 501 {
		t.Errorf("where there is none, it is answered %d; want 501", o.Status)
	}
}
