package drive

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/backoff"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/results/resultstest"
	"loadgen/scenarios/workflow"
	"loadgen/target"
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

func TestSilence(t *testing.T) {
	const second = clock.Instant(time.Second)
	type event struct {
		at     clock.Instant
		what   string // sent, reply or lost
		others int
	}
	sent := func(at clock.Instant) event { return event{at, "sent", 0} }
	lost := event{second, "lost", 0}
	many := func(n int, more ...event) []event {
		return append(slices.Repeat([]event{sent(0), {0, "lost", 0}}, n), more...)
	}
	for _, row := range []struct {
		name    string
		events  []event
		at      clock.Instant
		lasting time.Duration
		dead    bool
	}{
		{"nothing was asked", nil, 100 * second, 0, false},
		{"an attempt that is under way owes a reply since it was sent", []event{sent(2 * second)}, 5 * second, 3 * time.Second, false},
		{"one that is answered owes none", []event{sent(0), {second, "reply", 0}}, 90 * second, 0, false},
		{"others under way owe theirs since the reply", []event{sent(0), sent(0), {second, "reply", 1}}, 4 * second, 3 * time.Second, false},
		{"a lost attempt is no reply", []event{sent(0), lost}, 7 * second, 7 * time.Second, false},
		{"a later one does not begin the silence anew", []event{sent(0), lost, sent(6 * second)}, 7 * second, 7 * time.Second, false},
		{"a silence begins with what is sent, not with the last reply", []event{sent(0), {second, "reply", 0}, sent(50 * second)}, 51 * second, time.Second, false},
		{"twenty lost in two seconds", many(20), 2 * second, 2 * time.Second, true},
		{"nineteen may be chance", many(19), 60 * second, time.Minute, false},
		{"less than two seconds may be a hiccup", many(1000), 2*second - 1, 2*time.Second - 1, false},
		{"a reply after them ends it", many(1000, sent(0), event{0, "reply", 0}, sent(0)), 2 * second, 2 * time.Second, false},
	} {
		var s silence
		for _, e := range row.events {
			if e.what == "sent" {
				s.begin(e.at)
			} else {
				s.end(e.at, e.what == "reply", e.others)
			}
		}
		if got := s.lasting(row.at); got != row.lasting || s.dead(got) != row.dead {
			t.Errorf("%s: lasting(%v) = %v, dead %v; want %v, %v", row.name, row.at.Offset(), got, s.dead(got), row.lasting, row.dead)
		}
	}
}

// Of attempts that come at random no stretch of time lets go more than rate · t + burst, in
// exact arithmetic; none waits while there are tokens; the order is that of their coming.
func TestRateLimitKeepsItsRate(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	cases := 40
	if testing.Short() {
		cases = 10
	}
	for range cases {
		rate := []ratio{{7, 10}, {3, 1}, {499, 10}, {1000, 3}, {700_000, 1}}[random.IntN(5)]
		limit := RateLimit{Rate: float64(rate.over) / float64(rate.under), Burst: 1 + random.IntN(7)}
		every := time.Duration(float64(time.Second) / limit.Rate)
		var goes []clock.Instant
		now := clock.Instant(random.Int64N(1 << 40))
		for range 300 {
			pause := int64(every) + 1
			if random.IntN(20) == 0 {
				pause *= 20
			}
			now = now.Add(time.Duration(random.Int64N(pause)))
			at := now.Add(limit.reserve(now))
			if n := len(goes); n > 0 && at < goes[n-1] {
				t.Fatalf("%+v: one goes at %v, the one before it at %v; want them in their order", limit, at, goes[n-1])
			}
			require.Falsef(t, rate.exceeded(goes, at, limit.Burst),
				"%+v: %d attempts have gone when one goes at %v; want it to wait", limit, len(goes), at)
			require.Truef(t, at <= now || rate.exceeded(goes, max(now, at.Add(-3)), limit.Burst),
				"%+v: one that comes at %v goes at %v; want it earlier", limit, now, at)
			goes = append(goes, at)
		}
	}
}

// ratio is a rate in attempts per second.
type ratio struct{ over, under int64 }

// exceeded reports whether one more at an instant would be more than rate · t + burst since
// some that went before. Instants are rounded up to nanoseconds, each by less than one.
func (r ratio) exceeded(goes []clock.Instant, at clock.Instant, burst int) bool {
	for from := range goes {
		t := int64(at.Sub(goes[from])) + 1
		if int64(len(goes)-from+1) > t*r.over/(r.under*int64(time.Second))+int64(burst) {
			return true
		}
	}
	return false
}

func TestRateLimitOfAnIdleClientSavesItsBurst(t *testing.T) {
	limit := RateLimit{Rate: 10, Burst: 3}
	for _, row := range []struct {
		name      string
		now, wait time.Duration
	}{
		{"the first of a burst", 0, 0}, {"the second", 0, 0}, {"the third", 0, 0},
		{"the fourth waits for a token", 0, 100 * time.Millisecond},
		{"the fifth for the one after it", 0, 200 * time.Millisecond},
		{"after a tenth of a second the sixth waits as long", 100 * time.Millisecond, 200 * time.Millisecond},
		{"after a rest the burst is back", 10 * time.Second, 0}, {"and again", 10 * time.Second, 0}, {"and again", 10 * time.Second, 0},
		{"and no more", 10 * time.Second, 100 * time.Millisecond},
	} {
		assert.Equalf(t, row.wait, limit.reserve(clock.Instant(row.now)), "%s: it waits", row.name)
	}
}

// A rate of one in a quarter of an hour, asked for a million times, goes wrong nowhere.
func TestRateLimitFarAhead(t *testing.T) {
	limit := RateLimit{Rate: 0.001, Burst: 1}
	limit.tokens = 1 << 50
	wait := limit.reserve(0)
	assert.Truef(t, wait > 0, "it waits %v; want years", wait)
}

// TestSessionScripts runs each situation of testdata/session: commands, each
// followed by its golden reply, which is what the session wants and what it has
// recorded. The commands are
//
//	begin INTENDED VERB [WORD …]   an operation; the words are policy=NAME, of a
//	                               formula with commas, codes=STATUS, expects=STATUS,
//	                               pages, rows=N, most=N, top=N, batch=N:VERB, offers=N
//	due [AT]                       it is its turn, first or again; without an
//	                               instant, when it was due or asked to be
//	reply AT STATUS [WORD …]       an outcome; the words are code=CODE, counted=N,
//	                               returned=N, next=ROWKEY
//	stopped AT                     the run ends while it waits
//
// An instant with a sign counts from the one before.
func TestSessionScripts(t *testing.T) {
	resultstest.CheckGoldens(t, "testdata/session/*.txt", func(t *testing.T, text string) string {
		return resultstest.Replay(text, (&sessionPlay{t: t}).do)
	})
}

// sessionPlay is the session of a script.
type sessionPlay struct {
	t       *testing.T
	session Session
	// now is the last instant, next the one that the session asked for.
	now, next clock.Instant
}

func (p *sessionPlay) do(f []string) []string {
	if p.now = p.next; len(f) > 1 {
		p.now = p.instant(f[1])
	}
	switch f[0] {
	case "begin":
		return p.begin(f[2], f[3:])
	case "due":
		return p.effect(Due, nil)
	case "reply":
		return p.effect(Replied, p.outcome(f[2], f[3:]))
	default:
		require.Equal(p.t, "stopped", f[0], "command")
		return p.effect(Stopped, nil)
	}
}

// apply calls the setter of each word with its value.
func (p *sessionPlay) apply(words []string, setters map[string]func(value string)) {
	for _, word := range words {
		name, value, _ := strings.Cut(word, "=")
		require.Contains(p.t, setters, name, "words")
		setters[name](value)
	}
}

// begin begins operation 7 of a stage whose first has the number 500.
func (p *sessionPlay) begin(verb string, words []string) []string {
	of, _ := entity.ParseVerb(verb)
	key := entity.Key{Partition: "hot", Row: "r"}
	w := Work{Kind: 1, Operation: target.Operation{Verb: of, Table: "T"}}
	w.Operation.Change = entity.Change{Verb: of, Key: key}
	w.Operation.Query = target.OnePartition(key.Partition)
	stage := &Stage{First: 500, Chance: clock.NewStream(1, "retry")}
	p.apply(words, map[string]func(string){
		"policy": func(value string) {
			var err error
			stage.Retry, err = backoff.ByName(strings.ReplaceAll(value, ",", " "))
			require.NoError(p.t, err)
		},
		"codes":   func(value string) { stage.Retry = stage.Retry.WithStatuses(p.number(value)) },
		"expects": func(value string) { w.Expected.NotFound = value == "404" },
		"pages":   func(string) { w.Pages = true },
		"rows":    func(value string) { w.Rows = int64(p.number(value)) },
		"most":    func(value string) { w.MaxPages = p.number(value) },
		"top":     func(value string) { w.Operation.Query.Top = p.number(value) },
		"offers":  func(value string) { w.Offers = int64(p.number(value)) },
		"batch": func(value string) {
			number, name, _ := strings.Cut(value, ":")
			change, _ := entity.ParseVerb(name)
			w.Operation.Changes = slices.Repeat([]entity.Change{{Verb: change, Key: key}}, p.number(number))
		},
	})
	stage.Build = func(k uint64, built *Work) {
		assert.EqualValues(p.t, 7, k, "the operation that is built")
		*built = w
	}
	p.session.begin(stage, 7, p.now, 12, false)
	p.next = p.now
	s := p.session.scheduled(p.now, false)
	assert.True(p.t, p.session.firstAttempt(), "a session that has just begun has sent something")
	return []string{fmt.Sprintf("operation %d, kind %d, phase %d: due at %v, offers %d",
		p.session.number, s.Kind, s.Phase, s.Intended, s.Entities)}
}

func (p *sessionPlay) outcome(status string, words []string) *target.Outcome {
	o := target.Outcome{Status: p.number(status)}
	p.apply(words, map[string]func(string){
		"code":     func(value string) { o.Code = entity.Code(value) },
		"counted":  func(value string) { o.Counted = int64(p.number(value)) },
		"returned": func(value string) { o.Returned = int64(p.number(value)) },
		"next": func(value string) {
			o.Next = target.Token{Present: true, NextPartitionKey: "hot", NextRowKey: value}
		},
	})
	return &o
}

// effect passes an event to the session and shows its effect: the records, then what is to be done.
func (p *sessionPlay) effect(event Event, outcome *target.Outcome) []string {
	e := p.session.Step(p.now, event, outcome)
	assert.Equalf(p.t, event == Replied, e.Attempted, "event %d has the effect %+v; want an attempt after a reply only", event, e)
	var lines []string
	if a := &p.session.attempt; e.Attempted {
		what := ""
		if a.Retry {
			what = ", a retry,"
		}
		lines = append(lines, fmt.Sprintf("attempt %d%s of operation %d, kind %d, phase %d, in %q: %s, sent %v, done %v, counted %d, returned %d",
			a.Try, what, a.Number, a.Kind, a.Phase, a.PartitionKey,
			strings.TrimRight(fmt.Sprintf("%v %d %s", a.Class, a.Status, a.Code), " "), a.Sent, a.Done, a.Counted, a.Returned))
	}
	if c := &p.session.completed; e.Action == Done {
		line := fmt.Sprintf("operation %d, kind %d, phase %d: %v, attempts %d, response %v, served %d of %d",
			c.Number, c.Kind, c.Phase, c.Class, c.Attempts, c.Done-c.Intended, c.Served, c.Entities)
		if c.Cut {
			line += ", cut"
		}
		lines = append(lines, line)
	}
	switch e.Action {
	case Send:
		lines = append(lines, p.request())
	case WaitUntil:
		p.next = e.Until
		lines = append(lines, fmt.Sprintf("wait until %v, for %v", e.Until.Offset(), e.Waited))
	case Done:
		lines = append(lines, "done")
	}
	return lines
}

// request shows the attempt that is to be sent.
func (p *sessionPlay) request() string {
	op := p.session.Operation()
	line := fmt.Sprintf("send attempt %d", op.Attempt)
	if op.Verb == entity.Query {
		line += fmt.Sprintf(", top %d", op.Query.Top)
		if op.Query.Token.Present {
			line += fmt.Sprintf(", from %q", op.Query.Token.NextRowKey)
		}
	}
	return line
}

func (p *sessionPlay) instant(text string) clock.Instant {
	d, err := time.ParseDuration(text)
	require.NoError(p.t, err)
	if strings.HasPrefix(text, "+") {
		return p.now.Add(d)
	}
	return clock.Instant(d)
}

func (p *sessionPlay) number(text string) int {
	n, err := strconv.Atoi(text)
	require.NoError(p.t, err)
	return n
}

// What goes beside the table alone is due to count nothing, whether it is sent at once
// or later.
func TestWorkflowBesideTheTableIsDueNothing(t *testing.T) {
	beside := workflow.NewProcedure(nil, workflow.NewBesideRequest(target.Beside{Verb: target.PutMessage, Store: "q"}))
	outlined := Work{Workflow: beside, Operation: target.Operation{Beside: &target.Beside{}}}
	stage := &Stage{Build: func(_ uint64, w *Work) { *w = outlined }, Outline: func(uint64) Work { return outlined }}
	for _, sending := range []bool{false, true} {
		var s Session
		s.begin(stage, 3, 0, 0, sending)
		assert.Zerof(t, s.completed.Entities, "sent at once: %t: entities that are due", sending)
	}
}
