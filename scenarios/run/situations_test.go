package run_test

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/run"
	"loadgen/scenarios/run/runtest"
	"loadgen/target"
)

// offer is what a world is offered: phases as [inserts] has them, the rate that is asked
// about, 0 for none, and whether replaces are offered beside the inserts.
type offer struct {
	retry  string
	phases [][3]string
	peak   float64
	mixed  bool
}

func shaped(retry, arrivals string) offer {
	return offer{retry: retry, phases: [][3]string{{"load", arrivals, "40s"}}}
}

func ladder(retry, rates string) offer {
	return shaped(retry, "{steps: {rates: ["+rates+"], each: 8s}}")
}

func constant(retry string, rate float64, seconds int) offer {
	return offer{retry: retry, phases: [][3]string{{"load", fmt.Sprintf("{constant: %v}", rate), fmt.Sprintf("%ds", seconds)}}}
}

func (o offer) asking(peak float64) offer {
	o.peak = peak
	return o
}

func (o offer) text() string {
	text := inserts(o.retry, o.phases...)
	if o.mixed {
		const mixed = "[{name: putload, verb: insert, weight: 50}, {name: replaceload, verb: insert-or-replace, weight: 50}]"
		text = strings.Replace(text, "[{name: putload, verb: insert}]", mixed, 1)
	}
	return text
}

// finding is what is right to say of a load: one of some states, the kinds of throttling,
// stretch by stretch, empty for any, and the saturation in entities per second within a share,
// 0 for none that may be claimed.
type finding struct {
	states             []string
	kinds              string
	saturation, within float64
	validity           string
}

func state(states ...string) finding {
	return finding{states: states, within: .01, validity: results.Valid}
}

func (f finding) by(kinds string) finding {
	f.kinds = kinds
	return f
}

func (f finding) limit(saturation float64) finding {
	f.saturation = saturation
	return f
}

func (f finding) near(within float64) finding {
	f.within = within
	return f
}

// blip is from an instant on, in seconds of the load, for so long.
func blip(from, length float64) [2]time.Duration {
	return [2]time.Duration{time.Duration(from * 1e9), time.Duration((from + length) * 1e9)}
}

// queueOf is a queue of slots that serves so many requests a second.
func queueOf(slots int, perSecond float64) world {
	return world{slots: make([]time.Duration, slots), service: time.Duration(float64(slots) / perSecond * 1e9)}
}

// noise answers a share of the attempts with a status.
func noise(share float64, status int) world {
	codes := map[int]entity.Code{400: "InvalidInput", 500: "InternalError", 503: "ServerBusy"}
	return world{share: share, status: status, code: codes[status]}
}

func offline(from, length float64) world { return world{offline: blip(from, length)} }

func limited(limit float64) world { return world{limit: limit, burst: .1} }

type situation struct {
	name  string
	world world
	offer offer
	want  finding
}

// situations are those in which a headline went wrong, or could.
func situations() []situation {
	holds, fails, saturates := state(results.Holds), state(results.DoesNotHold), state(results.Saturates)
	untold := state(results.DoesNotHold, results.Saturates, results.CannotTell)
	steps := ladder("short", "150, 225, 375, 500")
	nothing := finding{states: []string{results.CannotTell}, within: .01, validity: results.Invalid}
	two := func(second float64) offer {
		o := constant("none", 375, 20)
		o.phases = append(o.phases, constant("none", second, 20).phases...)
		o.phases[0][0], o.phases[1][0] = "first", "second"
		return o
	}
	rush := offer{retry: "none", phases: [][3]string{{"rush", "{constant: 1200}", "3s"}, {"calm", "{constant: 20}", "7s"}}}
	mixed := ladder("none", "100, 200, 400")
	mixed.mixed = true
	peaks, rates := ladder("none", "200, 300, 400, 500, 600, 800"), ladder("short", "200, 300, 400")
	ended := limited(300)
	ended.offline = blip(28, 1)
	sporadic, busy := limited(300), noise(.02, 503)
	sporadic.share, busy.limit, busy.burst = .1, 430, .1
	saved := world{limit: 300, burst: 10}
	return []situation{
		{"half a second of 503s shows no limit", offline(9.3, .5), constant("none", 200, 30), fails.by("brief")},
		{"nor three that retries carry", offline(9.3, 3), constant("documented", 200, 30), fails.by("brief")},
		{"three with retries", offline(9.3, 3), constant("short", 375, 30), fails.by("brief")},
		{"a blip in a ladder", offline(28, 1), ladder("none", "150, 225, 375, 500"), fails.by("brief")},
		{"a target frozen for three seconds", world{frozen: blip(10, 3)}, constant("none", 200, 30), holds.by("none")},
		{"an outage of most of the load is no limit", offline(5, 22), constant("none", 200, 30), fails.by("outage")},
		{"an outage in the first half", offline(1, 4), constant("none", 200, 10), fails},
		{"a peak with an outage", offline(17, 2), ladder("none", "200, 300, 400, 500").asking(400), fails},

		{"a limit", limited(300), constant("none", 375, 30), saturates.by("limit").limit(300)},
		{"a little above a limit", limited(300), constant("none", 302.5, 30), fails.by("none")},
		{"the same with retries", limited(300), constant("short", 302.5, 30), fails.by("carried by retries")},
		{"a limit in a ramp", limited(300), shaped("none", "{ramp: {from: 25, to: 500}}"), saturates.by("limit").limit(300)},
		{"in bursts without retries", limited(300), shaped("none", "{burst: {base: 40, peak: 500, every: 5s, length: 2s}}"),
			saturates.by("limit").limit(300)},
		{"in bursts that spend what was saved up", limited(300), shaped("none", "{burst: {base: 40, peak: 750, every: 5s, length: 1s}}"),
			fails.by("bursts")},
		{"in bursts", limited(300), shaped("short", "{burst: {base: 75, peak: 500, every: 10s, length: 4s}}"), saturates.by("limit").limit(300)},
		{"in a sine", limited(300), shaped("short", "{sine: {mean: 250, amplitude: 200, period: 20s}}"), saturates.by("limit").limit(300)},
		{"in random arrivals", limited(1200), constant("none", 1, 38).drawn(1300), saturates.by("limit").limit(1200)},
		{"in a ladder", limited(300), steps, saturates.by("limit").limit(300)},
		{"in a ladder with an outage", ended, steps, saturates.by("limit").limit(300)},
		{"beside sporadic throttling", sporadic, ladder("none", "150, 225, 375, 500"), saturates.by("limit").limit(300)},
		{"a limit beyond the load", limited(750), steps, holds.by("none")},
		{"a limit that moves is not one", world{limit: 300, then: 200, moves: 15 * time.Second, burst: .1}, constant("short", 375, 30),
			fails.by("changing")},
		{"a limit of each of two phases", world{limit: 300, then: 150, moves: 20 * time.Second, burst: .1}, two(375),
			saturates.by("limit,limit")},
		{"one limit in two phases", limited(300), two(450), saturates.by("limit,limit").limit(300)},
		{"scans of a hundred entities each", world{limit: 2000, burst: .1, scanned: 100}, constant("none", 30, 30),
			saturates.by("limit").limit(2000)},
		{"scans below the limit", world{limit: 2000, burst: .1, scanned: 100}, constant("none", 19, 30), holds.by("none")},
		{"a limit on inserts alone", world{limit: 75, burst: .1, insertsOnly: true}, mixed, saturates.limit(75).near(.03)},
		{"a bucket that is emptied on the way", saved, peaks, saturates.limit(300).near(.02)},
		{"a peak that the bucket carried", saved, peaks.asking(400), fails.limit(300).near(.02)},
		{"a limit that varies by a tenth", world{limit: 300, burst: .1, varies: .1}, ladder("none", "200, 250, 400, 600"),
			saturates.limit(300).near(.05)},
		{"a limit that falls by a fifth", world{limit: 300, burst: .1, drifts: -.0065}, ladder("none", "320, 400, 500, 600"),
			state(results.DoesNotHold, results.Saturates).limit(280).near(.2)},
		{"a limit that somebody else takes a third of", world{limit: 300, burst: .1, other: 1. / 3}, ladder("none", "100, 150, 250, 400"),
			saturates.limit(200).near(.02)},
		{"a limit of bytes", world{limit: 300, burst: .1, sized: true}, ladder("none", "200, 270, 400, 600"), saturates.limit(300).near(.03)},
		{"a rush at the begin, far beyond a limit", limited(400), rush, untold.limit(400).near(.02)},

		{"a queue of four slots, in a ladder", queueOf(4, 376), ladder("none", "200, 300, 400, 500"), saturates.limit(376).near(.02)},
		{"the queue at one rate", queueOf(4, 376), constant("short", 500, 20), saturates.limit(376).near(.02)},
		{"the queue below its capacity", queueOf(4, 376), constant("none", 350, 20), holds},
		{"a peak above what a queue answers", queueOf(4, 376), peaks.asking(400), fails.limit(376).near(.02)},
		{"a peak below what a queue answers", queueOf(4, 376), ladder("none", "150, 225, 300, 375, 450, 600").asking(300),
			holds.limit(376).near(.02)},
		{"a step shorter than its response time", queueOf(1, .2), constant("none", 10, 3), untold.limit(.2).near(9)},

		{"1% of 503 without a limit", world{share: .01}, constant("none", 250, 30), fails.by("limit or sporadic")},
		{"30%, of which retries carry most", world{share: .3}, constant("short", 250, 30), fails.by("carried by retries")},
		{"30% in a ramp", world{share: .3}, shaped("none", "{ramp: {from: 25, to: 500}}"), fails.by("sporadic")},
		{"0.5% that retries answer", noise(.005, 503), rates, holds},
		{"5% of 500 that retries answer", noise(.05, 500), rates, holds},
		{"5% of 500 that nobody retries", noise(.05, 500), ladder("none", "200, 300, 400"), fails},
		{"2% at one rate, which retries answer", noise(.02, 503), constant("short", 400, 20), holds},
		{"a peak with 2% at every rate", noise(.02, 503), ladder("short", "200, 300, 400, 500").asking(400), holds},
		{"2%, and a limit", busy, ladder("short", "200, 300, 500, 650"), saturates.limit(430).near(.02)},
		{"a peak below that limit", busy, ladder("short", "200, 300, 400, 500, 600, 800").asking(400), holds.limit(430).near(.02)},
		{"5% of 400 are no throttling", noise(.05, 400), constant("none", 200, 30), fails.by("none")},
		{"each reply is a 400", noise(1, 400), constant("none", 200, 30), nothing.by("none")},
		{"each reply is a 503", noise(1, 503), constant("short", 200, 30), nothing.by("outage")},
		{"a phase of one second", world{}, constant("none", 200, 1), state(results.Holds, results.CannotTell)},
	}
}

// drawn has operations arrive at random, at a rate.
func (o offer) drawn(rate float64) offer {
	o.phases[0][1] = fmt.Sprintf("{poisson: %v}", rate)
	return o
}

func TestSituations(t *testing.T) {
	runtest.SkipIfShort(t)
	t.Parallel()
	for i, row := range situations() {
		if i%run.Tier(6, 1) > 0 {
			continue
		}
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			row.judge(t, loaded(t, &row.world, row.offer.text(), row.offer.peak).Summary)
		})
	}
}

func (row *situation) judge(t *testing.T, s *results.Summary) {
	t.Helper()
	want := row.want
	var kinds []string
	for _, one := range s.Throttling {
		kinds = append(kinds, one.Kind)
	}
	if got := strings.Join(kinds, ","); want.kinds != "" && got != want.kinds || !slices.Contains(want.states, s.State) {
		t.Errorf("%s, throttling %s; want %v, %s: %s", s.State, got, want.states, want.kinds, s.Verdict)
	}
	switch {
	case s.Saturation == nil && want.saturation > 0 && !slices.Contains(want.states, results.CannotTell),
		s.Saturation != nil && math.Abs(*s.Saturation-want.saturation) > want.within*want.saturation:
		t.Errorf("saturation %s; want %v: %s", shown(s.Saturation), want.saturation, s.Verdict)
	}
	assert.Truef(t, s.Validity == want.validity, "the run is %s; want %s: %v", s.Validity, want.validity, s.Reasons)
	w := &row.world
	for _, phase := range s.Phases {
		assert.Truef(t, w.limit <= 0 || w.burst > .1 || w.sized || row.offer.mixed ||
			phase.Served <= 1.1*w.limit*(1+w.varies), "%s served %v/s above a limit of %v", phase.Name, phase.Served, w.limit)
	}
}

// A low rate is offered and served as it was asked for.
func TestLowRatesAreExact(t *testing.T) {
	t.Parallel()
	for _, rate := range []float64{0.3, 0.7, 1, 3, 7.5} {
		s := loaded(t, new(world), constant("none", rate, 40).text(), 0).Summary
		assert.Equal(t, [2]float64{rate, rate}, [2]float64{s.Phases[0].Offered, s.Phases[0].Served}, "offered and served")
		assert.Equal(t, results.Holds, s.State, rate)
	}
}

// Wherever an overload ends, it is not reported as a rate that holds.
func TestAnOverloadOfAnyLengthDoesNotHold(t *testing.T) {
	t.Parallel()
	for name, world := range map[string]func() world{
		"a limit":      func() world { return limited(400) },
		"a queue":      func() world { return queueOf(4, 376) },
		"a slow queue": func() world { return queueOf(32, 40) },
		"an outage":    func() world { return offline(0, .5) },
	} {
		lengths := []int{1, 2, 5, 3, 4, 6, 7, 8, 9, 10, 11, 12}
		for _, seconds := range lengths[:run.Tier(2, len(lengths))] {
			w := world()
			s := loaded(t, &w, constant("none", 500, seconds).text(), 0).Summary
			assert.Truef(t, s.State != results.Holds, "%s, %d s: %s", name, seconds, s.Verdict)
		}
	}
}

// world is a target whose truth is known: what it does to each attempt of the load is
// written here, and no engine is asked.
type world struct {
	// limit is in entities per second, 0 for none, and from moves on it is another one;
	// burst is how much of a second's allowance is saved up.
	limit, then, burst float64
	moves              time.Duration
	// offline answers 503 between two instants, frozen nothing until the second one.
	offline, frozen [2]time.Duration
	// share of the attempts are answered so by chance, others by the limit.
	share  float64
	status int
	code   entity.Code
	// scanned is how many entities an attempt counts, 1 where it is 0.
	scanned int64
	// slots are the instants since the begin at which each slot of a queue is free again: a
	// request waits for the first of them, and is served for a time with a mean and a
	// coefficient of variation. No slots means no queue.
	slots       []time.Duration
	service     time.Duration
	cv          float64
	exponential bool
	// varies is by which part the limit differs from second to second, drifts by which
	// part it grows each second, other the share of it that somebody else takes.
	varies, drifts, other float64
	// insertsOnly has the limit hold for inserts alone, sized counts requests of 0.5 to 1.5.
	insertsOnly, sized bool

	begin  clock.Instant
	begun  bool
	tokens float64
	last   clock.Instant
}

const (
	worldTable = "loadgenworld"
	worldKey   = "2011 Full"
)

func (w *world) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	reply := now.Add(4 * time.Millisecond)
	if key, _ := op.PartitionKey(); key != worldKey || op.Verb == entity.CreateTable || op.Verb == entity.DeleteTable {
		return target.Outcome{Status: 204}, reply
	}
	if !w.begun {
		w.begun, w.begin, w.last, w.tokens = true, now, now, w.limit*w.burst
	}
	at := time.Duration(now - w.begin)
	if inside(w.frozen, at) {
		reply = w.begin.Add(w.frozen[1] + 4*time.Millisecond)
	}
	busy := target.Outcome{Status: 503, Code: entity.ServerBusy, Detail: "busy"}
	switch {
	case inside(w.offline, at):
		return busy, now.Add(2 * time.Millisecond)
	case w.share > 0 && w.drawn(op, "share") < w.share:
		if w.status == 0 {
			return busy, now.Add(2 * time.Millisecond)
		}
		return target.Outcome{Status: w.status, Code: w.code, Detail: "no"}, reply
	case !w.admits(now, at, op):
		return busy, now.Add(2 * time.Millisecond)
	}
	if len(w.slots) > 0 {
		reply = w.begin.Add(w.queued(at, op))
	}
	return target.Outcome{Status: 204, Counted: max(1, w.scanned)}, reply
}

func inside(span [2]time.Duration, at time.Duration) bool { return span[0] <= at && at < span[1] }

// queued returns when a request that arrives at an instant has been served.
func (w *world) queued(at time.Duration, op *target.Operation) time.Duration {
	first := 0
	for i := range w.slots {
		if w.slots[i] < w.slots[first] {
			first = i
		}
	}
	length, u := float64(w.service), w.drawn(op, "service")
	switch {
	case w.exponential:
		length *= -math.Log(1 - u)
	case w.cv > 0:
		sigma := math.Sqrt(math.Log(1 + w.cv*w.cv))
		length *= math.Exp(sigma*math.Sqrt2*math.Erfinv(2*u-1) - sigma*sigma/2)
	}
	w.slots[first] = max(w.slots[first], at) + time.Duration(length)
	return w.slots[first]
}

// drawn is by chance, and the same for the same attempt.
func (w *world) drawn(op *target.Operation, of string) float64 {
	h := fnv.New64a()
	fmt.Fprint(h, op.Number, op.Attempt, w.share, of)
	x := h.Sum64()
	x ^= x >> 31
	x *= 0x9e3779b97f4a7c15
	return float64((x^x>>29)>>11) / (1 << 53)
}

// admits is a bucket of tokens.
func (w *world) admits(now clock.Instant, at time.Duration, op *target.Operation) bool {
	limit := w.limit
	if w.moves > 0 && at >= w.moves {
		limit = w.then
	}
	if limit <= 0 || w.insertsOnly && op.Verb != entity.Insert {
		return true
	}
	cost := float64(max(1, w.scanned))
	if w.sized {
		cost *= 0.5 + w.drawn(op, "size")
	}
	rate := limit * (1 + w.drifts*at.Seconds()) * (1 - w.other)
	if w.varies > 0 {
		second := target.Operation{Number: uint64(at / time.Second)}
		rate *= 1 + w.varies*(2*w.drawn(&second, "limit")-1)
	}
	w.tokens = min(limit*w.burst, w.tokens+rate*time.Duration(now-w.last).Seconds())
	w.last = now
	if w.tokens < 1 {
		return false
	}
	w.tokens -= cost
	return true
}

// loaded runs the load of a scenario against a world and returns the judged record.
func loaded(t testing.TB, w *world, text string, peak float64) *results.Record {
	t.Helper()
	return searched(t, w, text, peak, nil)
}

// searched is loaded with a search for the highest rate in place of the scenario's own rates,
// where there is one.
func searched(t testing.TB, w *world, text string, peak float64, find *campaign.Find) *results.Record {
	t.Helper()
	c := runtest.Campaign{Target: w, Manifest: results.Manifest{Target: "https://table.example", PartitionKey: worldKey, PeakAsked: peak}}
	c.Options = campaign.Options{Scenario: runtest.Parse(t, text), Table: worldTable, NewName: true, Blank: true, Find: find}
	return c.MustRun(t).Record
}

// inserts is a scenario of inserts into one partition, phase after phase: each its name,
// its arrivals and its length.
func inserts(retry string, phases ...[3]string) string {
	text := "name: world\nseed: 7\ntable: world\nretry: " + retry + "\ndesign: {partition_key: \"2011 Full\", row_key: \"{number}\"}\n" +
		"attributes:\n  number: {sequence: 1}\nphases:\n"
	for _, p := range phases {
		length := "for: " + p[2]
		if strings.Contains(p[1], "steps") {
			length = ""
		}
		text += fmt.Sprintf("  - name: %s\n    traffic:\n      arrivals: %s\n      %s\n      operations: [{name: put%s, verb: insert}]\n", p[0], p[1], length, p[0])
	}
	return text
}
