package target_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/model"
	"loadgen/results"
	"loadgen/target"
)

// spy is a target that notes which operations reached it.
type spy struct {
	mu   sync.Mutex
	seen []uint64
	// books are what it says that it counted.
	books target.Counts
}

func (s *spy) Do(_ context.Context, op *target.Operation) target.Outcome {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, op.Number)
	return target.Outcome{Status: 200 + op.Account}
}

func (s *spy) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	return s.Do(context.Background(), op), now.Add(time.Duration(op.Account) * time.Second)
}

// keeper is a spy with books.
type keeper struct{ spy }

func (k *keeper) Counts() target.Counts { return k.books }

func TestEachAttemptReachesItsAccountAlone(t *testing.T) {
	spies := []*spy{{}, {}, {}}
	live := target.NewShards([]target.Target{spies[0], spies[1], spies[2]})
	virtual := target.NewImmediateShards([]target.Immediate{spies[0], spies[1], spies[2]})
	for number := range uint64(300) {
		op := &target.Operation{Number: number, Account: int(number * 7 % 3)}
		if number%2 == 0 {
			if got := live.Do(t.Context(), op); got.Status != 200+op.Account {
				t.Errorf("Do(account %d) = %d; want that account's %d", op.Account, got.Status, 200+op.Account)
			}
		} else if got, done := virtual.Submit(5, op); got.Status != 200+op.Account || done != clock.Instant(5).Add(time.Duration(op.Account)*time.Second) {
			t.Errorf("Submit(account %d) = %d at %v; want that account's", op.Account, got.Status, done)
		}
	}
	for account, s := range spies {
		assert.Lenf(t, s.seen, 100, "attempts that account %d saw", account)
		for _, number := range s.seen {
			assert.Truef(t, int(number*7%3) == account,
				"account %d saw operation %d; want it in account %d", account, number, number*7%3)
		}
	}
}

func TestAnAccountThatIsNotThere(t *testing.T) {
	one := &spy{}
	live, virtual := target.NewShards([]target.Target{one}), target.NewImmediateShards([]target.Immediate{one})
	for name, call := range map[string]func(){
		"one behind the last":   func() { live.Do(t.Context(), &target.Operation{Account: 1}) },
		"a negative one":        func() { virtual.Submit(0, &target.Operation{Account: -1}) },
		"no account at all":     func() { target.NewShards(nil) },
		"none for a simulation": func() { target.NewImmediateShards(nil) },
	} {
		func() {
			defer func() { assert.Regexpf(t, "^target: ", fmt.Sprint(recover()), "%s: panic", name) }()
			call()
		}()
	}
	assert.Len(t, one.seen, 0, "attempts that the only account saw")
}

func TestBooksAreTheSumOfThoseThatAreKept(t *testing.T) {
	kept := &keeper{spy{books: target.Counts{Requests: 7, Ok: 4, Throttled: 2, Failed: 1, Entities: 90}}}
	more := &keeper{spy{books: target.Counts{Requests: 100, Ok: 50, Throttled: 20, Failed: 30, Entities: 60}}}
	both := target.Counts{Requests: 107, Ok: 54, Throttled: 22, Failed: 31, Entities: 150}
	assert.Equal(t, both, target.NewShards([]target.Target{kept, more}).Counts(), "two that keep books")
	assert.Equal(t, both, target.NewImmediateShards([]target.Immediate{kept, &spy{}, more}).Counts(), "one of three that keeps none")
	assert.Zero(t, target.NewShards([]target.Target{&spy{}}).Counts(), "nobody keeps any")
}

// An account has a limit of its own: what is sent to one takes nothing from another.
func TestAnAccountsLimitIsItsOwn(t *testing.T) {
	e := newEngine(t, model.Documented, "account_target=300", "account_burst=100ms", "partition_target=0")
	router := immediate(e)
	for account := range 2 {
		router.Submit(0, &target.Operation{Verb: entity.CreateTable, Account: account, Table: "Races"})
	}
	// For 10 s the first account is asked for three times its limit, the second for
	// two thirds of it.
	throttled, number := [2]int{}, uint64(10)
	send := func(now clock.Instant, account int) {
		number++
		op := &target.Operation{Verb: entity.InsertOrReplace, Account: account, Table: "Races", Number: number}
		op.Change = entity.Change{Verb: entity.InsertOrReplace, Key: entity.Key{Partition: fmt.Sprint(number)}}
		if outcome, _ := router.Submit(now, op); outcome.Class(target.Expected{}) == results.Throttled {
			throttled[account]++
		}
	}
	for k := range 9000 {
		now := clock.Instant(time.Second).Add(time.Duration(k) * 10 * time.Second / 9000)
		send(now, 0)
		if k%9 < 2 {
			send(now, 1)
		}
	}
	// The first is served 300/s for 10 s and what it had saved up, 30.
	if want := 9000 - 3030; throttled[0] < want-2 || throttled[0] > want+2 {
		t.Errorf("the account with three times its limit refused %d of 9,000; want %d", throttled[0], want)
	}
	assert.Equal(t, 0, throttled[1], "the account within its limit refused of 2,000")
	if got, want := router.Counts(), target.Counts(e.Counts()); got != want || got.Requests != 11002 {
		t.Errorf("Counts() = %+v; want the engine's %+v, of 11,002 requests", got, want)
	}
}
