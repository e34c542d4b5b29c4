package serve

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
)

// What was served is told every few seconds, if there was anything; whoever wants to
// know what time it is is told each second, and what is wrong with that is told, too.
func TestCountsAreToldWhereThereAreAny(t *testing.T) {
	for _, quiet := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var said bytes.Buffer
			var ticks []clock.Instant
			s, faults := newService(Options{Profile: "off", Quiet: quiet, Journal: &said, Tick: func(now clock.Instant) error {
				if ticks = append(ticks, now); len(ticks) == 18 {
					return errors.Join(errors.New("no room"), errors.New("at all"))
				}
				return nil
			}})
			require.NoError(t, errors.Join(append(faults, s.prepare(t.Context()))...))
			ask := func() {
				s.answer(httptest.NewRecorder(), httptest.NewRequest("GET", "/devstoreaccount1/Tables", nil))
			}
			s.watch()
			time.Sleep(6 * time.Second) // in the bubble's time
			ask()
			ask()
			time.Sleep(13 * time.Second)
			ask()
			time.Sleep(2 * time.Second)
			s.unwatch()
			want := "requests: 2 (0 ok, 0 throttled, 2 failed); entities counted: 0\nno room; at all\nrequests: 3 (0 ok, 0 throttled, 3 failed); entities counted: 0\n"
			if quiet {
				want = "no room; at all\n"
			}
			assert.Equalf(t, want, said.String(), "quiet %v: said %q", quiet, &said)
			assert.Truef(t, len(ticks) == 21 && ticks[20] == clock.Instant(21*time.Second),
				"ticks = %v; want one each second", ticks)
		})
	}
}

// The archive is written while the service goes on, and again at the end.
func TestExportNowAndThen(t *testing.T) {
	t.Chdir(t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		s, faults := newService(Options{Input: strings.NewReader(`{"Table":"Races","PartitionKey":"p","RowKey":"1"}`), Imports: []string{"-"},
			Export: "all.jsonl", ExportEvery: 3 * time.Second, Journal: io.Discard})
		require.NoError(t, errors.Join(append(faults, s.prepare(t.Context()))...))
		s.watch()
		time.Sleep(2 * time.Second) // in the bubble's time
		synctest.Wait()
		assert.NoFileExists(t, "all.jsonl", "before the time")
		time.Sleep(time.Second)
		synctest.Wait()
		entities := func() int {
			text, _ := os.ReadFile("all.jsonl")
			return strings.Count(string(text), "RowKey")
		}
		assert.Equal(t, 1, entities(), "entities in the export meanwhile")
		s.engine.Load(0, "devstoreaccount1", "Races", &entity.Change{Verb: entity.Insert, Key: entity.Key{Partition: "p", Row: "2"}})
		s.unwatch()
		require.NoError(t, s.Save())
		assert.Equal(t, 2, entities(), "entities in the export at the end")
		files, err := os.ReadDir(".")
		assert.Truef(t, err == nil && len(files) == 1, "the folder holds %v, %v; want the export", files, err)
	})
}

func TestTurnedAwayIsTold(t *testing.T) {
	assert.Empty(t, turnedAway(0, 0))
	assert.Equal(t, "; connections turned away: 999", turnedAway(0, 999))
	assert.Equal(t, "; rejected for lack of memory: 1,234,567; connections turned away: 1,000", turnedAway(1_234_567, 1000))
}

// Memory is given back once after each peak that was worth it, when it has been quiet
// for a while.
func TestLulls(t *testing.T) {
	const mib = 1 << 20
	for _, row := range []struct {
		sentence string
		// looks are what is held at each, in MiB; gives has a * where memory is given back.
		looks []int64
		gives string
	}{
		{"little is never worth it", []int64{0, 31, 0, 0, 0, 0}, "......"},
		{"a peak, then quiet", []int64{0, 128, 1, 1, 1, 1, 1}, "....*.."},
		{"a peak that falls by half", []int64{100, 50, 50, 50, 50, 50}, "...*.."},
		{"and by half again, above the least", []int64{100, 50, 50, 50, 20, 20, 20}, "...*..*"},
		{"a little less is none", []int64{128, 65, 65, 65, 65, 65}, "......"},
		{"what comes and goes is none", []int64{128, 1, 1, 128, 1, 1, 128, 1, 1, 1}, ".........*"},
		{"another peak", []int64{128, 1, 1, 1, 200, 1, 1, 1}, "...*...*"},
	} {
		var l lull
		got := ""
		for _, now := range row.looks {
			if l.look(now*mib, now*mib) {
				got += "*"
			} else {
				got += "."
			}
		}
		assert.Equalf(t, row.gives, got, "%s: given back", row.sentence)
	}
	var l lull
	for i, want := range []bool{false, false, true} {
		// A peak that came and went between two looks.
		assert.Equalf(t, want, l.look(0, max(0, int64(100*mib*(1-i)))), "look %d", i)
	}
}

// After a cold start an overload that lasts for as long as the detection takes is met by a
// split at the first tick after that, whoever asks or does not; the journal says so, and the
// two halves are in the state. After a warm start nothing is split.
func TestLoadBalancingOfAColdService(t *testing.T) {
	for _, row := range []struct {
		tick, detection, from, want time.Duration
	}{
		{500 * time.Millisecond, time.Second, 0, time.Second},
		{500 * time.Millisecond, 1300 * time.Millisecond, 0, 1500 * time.Millisecond},
		{200 * time.Millisecond, 2 * time.Second, 3 * time.Second, 5 * time.Second},
		{700 * time.Millisecond, 3 * time.Second, 2100 * time.Millisecond, 5600 * time.Millisecond},
		{time.Second, 2 * time.Second, 4 * time.Second, 6 * time.Second},
	} {
		for _, start := range []string{"cold", "warm"} {
			set := []string{"model.partition_target=50", "model.account_target=10000"}
			if start == "cold" {
				set = append(set, fmt.Sprint("model.tick=", row.tick), fmt.Sprint("model.detection=", row.detection), "model.range_target=50", "model.server_target=50")
			}
			synctest.Test(t, func(t *testing.T) {
				var said bytes.Buffer
				var events []Event
				s, faults := newService(Options{Start: start, Set: set, Journal: &said, Quiet: true, Balanced: func(list []Event) { events = append(events, list...) }})
				require.NoError(t, errors.Join(append(faults, s.prepare(t.Context()))...))
				s.watch()
				overload(t, s, row.from, row.want+2*time.Second)
				s.unwatch()
				s.balance()
				state := s.State()
				if start == "warm" {
					assert.Emptyf(t, events, "%+v: after a warm start", row)
					assert.Emptyf(t, state.Ranges, "%+v: after a warm start", row)
					return
				}
				if len(events) == 0 || events[0].Kind != "split" || events[0].TableName != "Races" || events[0].At.Offset() != row.want {
					t.Fatalf("%+v: %v; want a split of Races first, at %v", row, events, row.want)
				}
				assert.Truef(t, len(state.Ranges) >= 2 && state.Ranges[0].FirstKey == "" && state.Ranges[1].FirstKey != "" && state.Ranges[1].Table == "Races",
					"%+v: ranges %+v; want both halves", row, state.Ranges)
				assert.Containsf(t, said.String(), fmt.Sprintf("table Races: %v split range 1 and 2 at", row.want),
					"%+v: the journal says\n%s", row, &said)
			})
		}
	}
}

// overload asks for four times what a range takes from one instant to another, on 20 keys.
func overload(t *testing.T, s *Service, from, to time.Duration) {
	t.Helper()
	clk := s.options.Clock
	e := s.engine
	e.Submit(clk.Now(), &engine.Request{Account: s.door.account, Table: "Races", Verb: entity.CreateTable})
	for n := 0; ; n++ {
		at := from + time.Duration(n)*5*time.Millisecond
		if at >= to {
			return
		}
		require.NoError(t, clk.Sleep(t.Context(), clock.Instant(at)))
		key := entity.Key{Partition: fmt.Sprintf("p%02d", n%20), Row: fmt.Sprint(n)}
		e.Submit(clk.Now(), &engine.Request{Account: s.door.account, Table: "Races", Verb: entity.Insert, Number: uint64(n),
			Change: &entity.Change{Verb: entity.Insert, Key: key}})
	}
}
