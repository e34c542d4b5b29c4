package drive

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"loadgen/backoff"
	"loadgen/engine/clock"
	"loadgen/target"
)

// attack is a stage whose operations vegeta's attacker sends: hit n is operation n.
// The attacker's workers replace those of [Live], with the same accounting and ending. It is the attacker's pacer and
// the transport of its client, and it receives the attacker's results.
type attack struct {
	*workers
	epoch    time.Time
	attacker *vegeta.Attacker
	// stopped is closed when nothing more is to be sent.
	stopped chan struct{}
	// first is the place of hit 0 among the run's attempts, hits how many have
	// ended, sent or not. They belong to the collector while there is one.
	first, hits uint64

	// The mutex of Live guards what follows: the sessions of hits that have not come
	// to be sent yet, though one after them has, and of those under way.
	awaited, under map[uint64]*Session
	// outcomes are those of hits under way that have ended.
	outcomes map[uint64]target.Outcome
}

var (
	_ vegeta.Pacer      = (*attack)(nil)
	_ http.RoundTripper = (*attack)(nil)
)

const (
	// hitURL is what vegeta believes to hit; it takes no target without one.
	hitURL = "http://loadgen.invalid/"
	// hitNumber is the header with the number of a hit.
	hitNumber = "X-Vegeta-Seq"
	// pacePatience is how long vegeta may sleep at a time, which nothing can cut
	// short. What lies before that is waited for here.
	pacePatience = 50 * time.Millisecond
)

// errUnsent is the error that vegeta gets for a hit after the end of the stage.
var errUnsent = errors.New("drive: not sent")

// Rate implements vegeta.Pacer.
func (a *attack) Rate(elapsed time.Duration) float64 { return a.stage.Schedule.Rate(elapsed) }

// Pace implements vegeta.Pacer. It uses the run's clock: vegeta's own begins with the attack, a little later than the
// stage.
func (a *attack) Pace(_ time.Duration, hits uint64) (time.Duration, bool) {
	now := a.Clock.Now()
	a.mu.Lock()
	over := a.dismissed || hits >= a.agenda.count
	a.mu.Unlock()
	if over {
		return 0, true
	}
	due := a.opened.start.Add(a.stage.Schedule.DueTime(hits))
	wait := max(0, due.Sub(now))
	if wait > pacePatience {
		alarm := a.Clock.Alarm(now.Add(wait - pacePatience))
		defer alarm.Stop()
		select {
		case <-alarm.C:
		case <-a.stopped:
			return 0, true
		}
		wait = max(0, due.Sub(a.Clock.Now()))
	}
	return wait, false
}

// RoundTrip implements [http.RoundTripper]: it sends the operation of a hit, and returns once its outcome is known.
func (a *attack) RoundTrip(r *http.Request) (*http.Response, error) {
	hit, err := strconv.ParseUint(r.Header.Get(hitNumber), 10, 64)
	if err != nil {
		return nil, err
	}
	s, sent := a.takeHit(hit)
	if s == nil {
		return nil, errUnsent
	}
	s.Step(sent, Due, nil)
	outcome := a.Target.Do(a.ctx, s.Operation())
	a.mu.Lock()
	defer a.mu.Unlock()
	a.outcomes[hit] = outcome
	return &http.Response{StatusCode: http.StatusNoContent, Body: http.NoBody}, nil
}

// takeHit returns the session of a hit, and when it is sent; nil after the end of the stage. Hits can overtake one
// another, but the agenda is in the order of their numbers: earlier sessions are taken as well, and kept for their hits.
func (a *attack) takeHit(hit uint64) (*Session, clock.Instant) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.Clock.Now()
	ended := a.dismissed || now >= a.deadline
	for !ended && a.agenda.next <= hit {
		s := a.agenda.takeNext(now)
		if s == nil {
			return nil, 0
		}
		a.awaited[s.k] = s
	}
	s := a.awaited[hit]
	delete(a.awaited, hit)
	switch {
	case s == nil:
		return nil, 0
	case ended:
		a.agenda.refuse(now, s, a.ledger)
		return nil, 0
	}
	a.under[hit] = s
	sent := a.workers.begin(s)
	// A worker may be at its next hit before the last one is settled.
	a.busiest = min(a.busiest, a.Workers)
	return s, sent
}

func (a *attack) endHit(hit *vegeta.Result) {
	a.mu.Lock()
	s := a.under[hit.Seq]
	outcome := a.outcomes[hit.Seq]
	delete(a.under, hit.Seq)
	delete(a.outcomes, hit.Seq)
	a.mu.Unlock()
	if s == nil {
		return // It was not sent.
	}
	s.sent, s.attempt.Sequence = clock.Instant(hit.Timestamp.Sub(a.epoch)), a.first+hit.Seq
	done := s.sent.Add(hit.Latency)
	effect := s.Step(done, Replied, &outcome)
	a.ledger.recordEffect(s, effect)

	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.Clock.Now()
	a.released(now, outcome.Status != 0)
	a.silence.end(now, outcome.Status != 0, a.busy)
	s.observe(&outcome)
	if effect.Action == WaitUntil {
		a.agenda.cut(done, s, a.ledger)
	} else {
		a.agenda.finish(done, s)
	}
	if a.agenda.isOver(now) {
		a.notifyEnded()
	}
}

// Vegeta runs stages in real time, one at a time: open loops by vegeta's attacker,
// with as many workers at most as [Live] has, everything else by Live. It is a
// second opinion on the same load. The service time of an attempt is what vegeta
// calls its latency, the response time of an operation runs from its intended
// instant to the same end. Vegeta sends an operation once: none is tried again, and
// one that would take another request, such as the next page of a query, ends as
// cut. All goroutines of a stage end with it.
type Vegeta struct {
	*Live
	// Epoch is the calendar time of the clock's instant zero by the same clock: vegeta's timestamps are calendar times.
	Epoch time.Time
}

var _ Runner = (*Vegeta)(nil)

// Run implements [Runner]. Its error wraps [ErrSilent] where the target has stopped
// answering.
func (v *Vegeta) Run(ctx context.Context, stage *Stage, ledger *Ledger) error {
	if stage.Schedule == nil {
		return v.Live.Run(ctx, stage, ledger)
	}
	once := *stage
	once.Retry, once.Retries = backoff.Policy{}, nil
	return v.attend(ctx, &once, ledger, func(c *workers) (stop func()) {
		a := &attack{
			workers: c, epoch: v.Epoch, stopped: make(chan struct{}),
			awaited: make(map[uint64]*Session), under: make(map[uint64]*Session),
			outcomes: make(map[uint64]target.Outcome),
		}
		client := &http.Client{Transport: a}
		a.attacker = vegeta.NewAttacker(vegeta.Client(client), vegeta.MaxWorkers(uint64(v.Workers)))
		a.ledger.mu.Lock()
		a.first = a.ledger.sent
		a.ledger.mu.Unlock()
		aim := func(t *vegeta.Target) error {
			t.Method, t.URL = http.MethodGet, hitURL
			return nil
		}
		results := a.attacker.Attack(aim, a, 0, "")
		a.running.Go(func() {
			for hit := range results {
				a.hits++
				a.endHit(hit)
			}
			// The run's attempts are numbered on from the last hit.
			a.ledger.mu.Lock()
			a.ledger.sent = a.first + a.hits
			a.ledger.mu.Unlock()
		})
		return func() {
			// Operations that were due but not sent are dropped.
			a.dismiss()
			close(a.stopped)
			a.attacker.Stop()
		}
	})
}
