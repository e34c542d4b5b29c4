package live

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/results/resultstest"
)

// testRun is a run of one kind of operation that its stats read.
type testRun struct {
	*Stats
	recorder *results.Recorder
}

func newRun(t *testing.T) *testRun {
	t.Helper()
	recorder := resultstest.Open(t, new(results.Memory), results.Manifest{Operations: []results.Kind{{Name: "get"}}})
	recorder.Phase(results.Phase{Name: "work", End: time.Hour})
	r := &testRun{New(), recorder}
	r.Read(recorder)
	return r
}

// played is a run of ten operations a second, each of two entities in one partition,
// from an instant on: the first attempt of every fourth is throttled, and made again at
// once.
func played(p *testRun, from time.Duration, operations int, key func(n int) string) {
	for n := range operations {
		due := from + time.Duration(n)*100*time.Millisecond
		done := due + 20*time.Millisecond
		p.recorder.Scheduled(&results.Scheduled{Intended: due, Sent: due + time.Duration(n%2)*6*time.Millisecond, Entities: 2})
		attempt := results.Attempt{Class: results.Ok, Number: uint64(n), Intended: due, Sent: due, Done: done, HasPartition: true, PartitionKey: key(n)}
		if n%4 == 3 {
			throttled := attempt
			throttled.Class, throttled.Counted = results.Throttled, 2
			p.recorder.Attempt(&throttled)
			p.recorder.FurtherRequest(due)
		}
		attempt.Counted = 2
		p.recorder.Attempt(&attempt)
		p.recorder.Completed(&results.Completed{Class: results.Ok, Number: uint64(n), Intended: due, Done: done, Served: 2})
	}
}

func told[T any](v *T) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprint(*v)
}

func TestStatus(t *testing.T) {
	stage := func(p *testRun, length time.Duration, rates ...float64) {
		p.Enter("work", 100, length)
		for i, rate := range rates {
			p.Phase(i, &results.Phase{Name: fmt.Sprint("step ", rate), Begin: time.Duration(i) * 5 * time.Second, Rate: rate})
		}
	}
	same := func(int) string { return "hot" }
	for _, tt := range []struct {
		name string
		play func(p *testRun)
		at   time.Duration
		want string
	}{
		{"before the first stage", func(*testRun) {}, 0, "phase  of –: – of –, throttled –, left –, hottest []"},
		{"before the stage has begun", func(p *testRun) { p.Enter("work", 100, time.Second) }, 0, "phase  of –: – of –, throttled –, left –, hottest []"},
		{"too early for a rate", func(p *testRun) { stage(p, 10*time.Second, 10) }, 400 * time.Millisecond,
			"phase step 10 of 10: – of –, throttled –, left 9.6s, hottest []"},
		{"the last two whole seconds", func(p *testRun) { stage(p, 10*time.Second, 10, 20); played(p, 0, 100, same) }, 4700 * time.Millisecond,
			"phase step 10 of 10: 20 of 20, throttled 0.2, left 5.3s, hottest [{hot 20}]"},
		{"the second step", func(p *testRun) { stage(p, 10*time.Second, 10, 20); played(p, 0, 100, same) }, 5 * time.Second,
			"phase step 20 of 20: 20 of 20, throttled 0.1935483870967742, left 5s, hottest [{hot 20}]"},
		{"after the schedule", func(p *testRun) { stage(p, 10*time.Second, 10); played(p, 0, 100, same) }, 12500 * time.Millisecond,
			"phase step 10 of 10: 0 of 0, throttled 0.21052631578947367, left 0s, hottest []"},
		{"a closed loop", func(p *testRun) { stage(p, 0, 0); played(p, 0, 50, same) }, 5 * time.Second,
			"phase step 0 of –: 20 of 20, throttled 0.1935483870967742, left 5s, hottest [{hot 20}]"},
		{"no whole second of the stage", func(p *testRun) {
			p.Enter("work", 100, time.Second)
			p.Phase(0, &results.Phase{Name: "late", Begin: 1500 * time.Millisecond, Rate: 10})
			played(p, 1500*time.Millisecond, 20, same)
		}, 2900 * time.Millisecond, "phase late of 10: – of –, throttled –, left 0s, hottest []"},
		{"the first whole second of the stage", func(p *testRun) {
			p.Enter("work", 100, time.Second)
			p.Phase(0, &results.Phase{Name: "late", Begin: 1500 * time.Millisecond, Rate: 10})
			played(p, 1500*time.Millisecond, 20, same)
		}, 3 * time.Second, "phase late of 10: 20 of 20, throttled 0.16666666666666666, left 0s, hottest [{hot 20}]"},
		{"nothing of the stage before", func(p *testRun) {
			stage(p, 0, 0)
			played(p, 0, 20, same)
			p.Enter("next", 10, 0)
			p.Phase(1, &results.Phase{Name: "next", Begin: 2 * time.Second})
		}, 3 * time.Second, "phase next of –: 0 of 0, throttled –, left –, hottest []"},
		{"a generator that lags behind", func(p *testRun) { stage(p, 10*time.Second, 40); played(p, 0, 100, same) }, 4 * time.Second,
			"phase step 40 of 40: 20 of 80, throttled 0.2, left 6s, hottest [{hot 20}]"},
		{"the end of a schedule is no lag", func(p *testRun) { stage(p, 3*time.Second, 40); played(p, 0, 100, same) }, 4 * time.Second,
			"phase step 40 of 40: 20 of 20, throttled 0.2, left 0s, hottest [{hot 20}]"},
		{"a rate that changes is no lag", func(p *testRun) {
			p.Enter("work", 100, 10*time.Second)
			p.Phase(0, &results.Phase{Name: "waves", Rate: 40, Varying: true})
			played(p, 0, 100, same)
		}, 4 * time.Second, "phase waves of 40: 20 of 20, throttled 0.2, left 6s, hottest [{hot 20}]"},
		{"nor is a step that has just begun", func(p *testRun) { stage(p, 10*time.Second, 10, 40); played(p, 0, 100, same) }, 6 * time.Second,
			"phase step 40 of 40: 20 of 20, throttled 0.20634920634920634, left 4s, hottest [{hot 20}]"},
		{"two partitions, alike by name", func(p *testRun) {
			stage(p, 10*time.Second, 10)
			played(p, 0, 100, func(n int) string { return []string{"b", "a"}[n%2] })
		}, 4 * time.Second, "phase step 10 of 10: 20 of 20, throttled 0.2, left 6s, hottest [{a 10} {b 10}]"},
	} {
		p := newRun(t)
		tt.play(p)
		require.NoError(t, p.recorder.Advance(tt.at-3*time.Second), tt.name)
		s := p.Status(tt.at)
		got := fmt.Sprintf("phase %s of %s: %s of %s, throttled %s, left %s, hottest %v", s.Phase, told(s.Target), told(s.Served), told(s.Offered),
			told(s.Throttled), told(s.Left), s.Hottest)
		assert.Equalf(t, tt.want, got, "%s:\n%s\nwant\n%s", tt.name, got, tt.want)
	}
}

func TestTotals(t *testing.T) {
	p := newRun(t)
	p.Enter("first", 8, 0)
	played(p, 0, 8, func(int) string { return "" })
	p.Enter("second", 9, 0)
	p.recorder.Scheduled(&results.Scheduled{Dropped: true, Sent: time.Second})
	p.recorder.Scheduled(&results.Scheduled{Sent: results.LateAfter})
	p.recorder.Attempt(&results.Attempt{Class: results.Failed, Done: 3 * time.Second})
	p.recorder.Scheduled(&results.Scheduled{})
	s := p.Status(0)
	want := Totals{Counts: results.Counts{Scheduled: 11, Dropped: 1, Late: 4, Sent: 10, Attempts: 11, Ok: 8, Throttled: 2,
		Failed: 1, Operations: 8, Succeeded: 8, Offered: 16, Served: 16, Counted: 20, FirstThrottled: 2}, InFlight: 1}
	sofar := Totals{Counts: results.Counts{Scheduled: 3, Dropped: 1, Sent: 2, Attempts: 1, Failed: 1}, InFlight: 1}
	assert.True(t, s.Totals.Equal(&want.Counts) && s.Sofar.Equal(&sofar.Counts) && s.Totals.Begun() == 12 && s.Sofar.Begun() == 2)
	assert.Truef(t, s.Ended == 1 && s.Totals.InFlight == 1 && p.Latest() == 3*time.Second,
		"totals %+v, of the stage %+v, %d ended, %d in flight, latest %v;\nwant %+v, %+v, 1, 1, 3s", s.Totals, s.Sofar, s.Ended, s.Totals.InFlight, p.Latest(), want, sofar)
}

// Of a random run over more partitions than have places, told by several goroutines, the
// rates are those that a naive count gives, the hottest partition is found, and none is
// told to be hotter than it was.
func TestAgainstNaiveCount(t *testing.T) {
	chance := rand.New(rand.NewPCG(9, 11))
	p := newRun(t)
	p.Enter("work", 50_000, 20*time.Second)
	p.Phase(0, &results.Phase{Name: "work", Rate: 2500})
	var all []results.Completed
	var attempts []results.Attempt
	truth := map[string]int64{}
	var served int64
	var times []time.Duration
	for n := range 50_000 {
		due := time.Duration(n) * 400 * time.Microsecond
		mean := 30 * time.Millisecond
		if due < 3*time.Second { // ten times as slow, and too long ago
			mean *= 10
		}
		done := due + time.Duration(chance.ExpFloat64()*float64(mean))
		key := fmt.Sprint("cold ", chance.IntN(5000))
		if chance.IntN(4) == 0 {
			key = "hot"
		}
		attempts = append(attempts, results.Attempt{Class: results.Ok, Number: uint64(n), Done: done, HasPartition: true, PartitionKey: key, Counted: 1})
		all = append(all, results.Completed{Class: results.Ok, Number: uint64(n), Intended: due, Done: done, Served: 1})
		if second := int(done / time.Second); second >= 12 && second < 14 {
			truth[key]++
			served++
		}
		if second := int(done / time.Second); second >= 4 && second < 14 {
			times = append(times, done-due)
		}
	}
	var told sync.WaitGroup
	for g := range 4 {
		told.Go(func() {
			for n := g; n < len(all) && all[n].Intended < 14500*time.Millisecond; n += 4 {
				p.recorder.Attempt(&attempts[n])
				p.recorder.Completed(&all[n])
			}
		})
	}
	told.Wait()
	require.NoError(t, p.recorder.Advance(13*time.Second))
	s := p.Status(14600 * time.Millisecond)
	assert.Equal(t, float64(served)/2, *s.Served, "served/s")
	slices.Sort(times)
	exact := times[(len(times)*99+99)/100-1]
	if *s.P99 < exact.Truncate(time.Microsecond) || float64(*s.P99) > float64(exact)*1.04 {
		t.Errorf("p99 %v; want %v and up to 4%% more", *s.P99, exact)
	}
	if len(s.Hottest) != Hottest || s.Hottest[0].Name != "hot" || s.Hottest[0].Rate < float64(truth["hot"])/2*.9 {
		t.Errorf("the hottest of %d is %v; want %d, first hot with %v", len(s.Hottest), s.Hottest[0], Hottest, float64(truth["hot"])/2)
	}
	for _, one := range s.Hottest {
		assert.Truef(t, one.Rate <= float64(truth[one.Name])/2,
			"%s is told to serve %v/s; it served %v", one.Name, one.Rate, float64(truth[one.Name])/2)
	}
}

// A second is told by partition as a naive count has it: exactly where there are no more than
// have places, and never as more than there was.
func TestSecondAgainstNaiveCount(t *testing.T) {
	chance := rand.New(rand.NewPCG(32, 3))
	for _, keys := range []int{1, 12, 5000} {
		p := newRun(t)
		p.Enter("work", 1<<40, time.Hour)
		served, throttled, all := make(map[string]int64), make(map[string]int64), Second{}
		for n := range uint64(20_000) {
			at := 3*time.Second + time.Duration(chance.Int64N(int64(time.Second)))
			key := fmt.Sprint("key ", chance.IntN(keys))
			if chance.IntN(3) > 0 {
				key = "hot"
			}
			a := results.Attempt{Number: n, Done: at, HasPartition: true, PartitionKey: key, Entities: 2, Class: results.Ok, Counted: 2}
			switch all.Attempts++; chance.IntN(5) {
			case 0:
				a.Class, a.Counted = results.Throttled, 0
				throttled[key] += 2
				all.Throttled++
				all.Demanded += 2
			case 1:
				a.Class, a.Counted = results.Failed, 0
			default:
				served[key] += 2
				all.Demanded += 2
			}
			p.recorder.Attempt(&a)
		}
		got := p.Second(3)
		assert.Truef(t, got.Attempts == all.Attempts && got.Throttled == all.Throttled && got.Demanded == all.Demanded,
			"%d keys: %d attempts, %d throttled, %d demanded; want %+v", keys, got.Attempts, got.Throttled, got.Demanded, all)
		if len(got.Hottest) != min(keys+1, MaxHottest) || got.Hottest[0].Name() != "hot" {
			t.Fatalf("%d keys: %d are told, first %v; want %d, first hot", keys, len(got.Hottest), got.Hottest[0], min(keys+1, MaxHottest))
		}
		for i, w := range got.Hottest {
			name := w.Name()
			exact := keys < 1000 || name == "hot"
			if w.Served > served[name] || w.Throttled > throttled[name] || exact && (w.Served != served[name] || w.Throttled != throttled[name]) {
				t.Errorf("%d keys: %s has %d served, %d throttled; want %d and %d", keys, name, w.Served, w.Throttled, served[name], throttled[name])
			}
			if i > 0 && w.Demanded() > got.Hottest[i-1].Demanded() {
				t.Errorf("%d keys: %v after %v", keys, w, got.Hottest[i-1])
			}
		}
		other := p.Second(15)
		assert.Truef(t, other.Attempts == 0 && len(other.Hottest) == 0, "second 15 has %+v; want nothing", other)
	}
}

func TestLateSince(t *testing.T) {
	before := Totals{Counts: results.Counts{Scheduled: 10, Late: 4}}
	if got := (&Totals{Counts: results.Counts{Scheduled: 30, Late: 9}}).LateSince(&before); got == nil || *got != .25 {
		t.Errorf("5 of 20 are the share %v; want 0.25", told(got))
	}
	if got := (&Totals{Counts: results.Counts{Scheduled: 10, Late: 4}}).LateSince(&before); got != nil {
		t.Errorf("none of none is the share %v", *got)
	}
}

// Members sum to the whole, each to what it told, and whoever is lost or has handed in does
// not begin to send again by a second that comes late.
func TestMembersSumToTheWhole(t *testing.T) {
	for seed := range uint64(6) {
		chance := rand.New(rand.NewPCG(seed, 1))
		stats, number := New(), 1+chance.IntN(20)
		want := make([]Totals, number)
		response := make([]*results.Histogram, number)
		for i := range number {
			stats.Joined(&results.FleetMember{Name: fmt.Sprint("member ", i), Index: i}, results.MemberReady)
			response[i] = results.NewHistogram()
			for range 2000 {
				response[i].Record(time.Duration(1+chance.IntN(1_000_000)) * time.Microsecond)
			}
		}
		for second := range time.Duration(5) {
			for _, i := range chance.Perm(number) {
				n := func() int64 { return chance.Int64N(1000) }
				of := results.Interval{Counts: results.Counts{Scheduled: n(), Late: n(), Dropped: n(), Attempts: n(), Ok: n(), Throttled: n(), Failed: n(), Operations: n(), Served: n()}}
				stats.AddSecond(i, (second+1)*time.Second, &of, []*results.Histogram{nil, response[i]})
				w := &want[i]
				w.Scheduled, w.Late, w.Dropped = w.Scheduled+of.Scheduled, w.Late+of.Late, w.Dropped+of.Dropped
				w.Attempts, w.Ok, w.Throttled, w.Failed = w.Attempts+of.Attempts, w.Ok+of.Ok, w.Throttled+of.Throttled, w.Failed+of.Failed
				w.Operations, w.Served = w.Operations+of.Operations, w.Served+of.Served
			}
		}
		members := stats.Members()
		var all []*Member
		for i := range members {
			if !members[i].Totals.Equal(&want[i].Counts) || members[i].State != results.MemberSending || *members[i].Heard != 5*time.Second {
				t.Errorf("seed %d: %+v; want %+v, sending, heard of after 5 s", seed, members[i], want[i])
			}
			exact := time.Duration(*results.QuantilesOf(response[i]).P99) * time.Microsecond
			got := *P99(&members[i])
			assert.Truef(t, got >= exact && float64(got) <= 1.05*float64(exact), "seed %d: p99 is %v", seed, got)
			all = append(all, &members[i])
		}
		if sum, whole := Together(all), stats.Totals(); !sum.Totals.Equal(&whole.Counts) {
			t.Errorf("seed %d: members sum to %+v, and the whole is %+v", seed, sum.Totals, whole)
		}
		for _, state := range []results.MemberState{results.MemberEnded, results.MemberLost} {
			stats.Joined(&results.FleetMember{Name: "member 0"}, state)
			stats.AddSecond(0, 6*time.Second, &results.Interval{}, nil)
			got := stats.Members()[0].State
			assert.Truef(t, got == state, "seed %d: after a late second a member that was %q is %q", seed, state, got)
		}
	}
	stats := New()
	stats.AddSecond(maxMembers, time.Second, &results.Interval{Counts: results.Counts{Scheduled: 3}}, nil)
	assert.Empty(t, stats.Members(), "beyond the bound")
}
