package page

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"loadgen/engine/clock"
	"loadgen/report/document"
	"loadgen/report/live"
	"loadgen/results"
)

// Run describes the run to show.
type Run struct {
	Scenario string
	// Virtual runs use virtual time. Cores is the number of cores that it may use.
	Virtual bool
	Cores   int
	// Stats measures the run; Now returns its time.
	Stats *live.Stats
	Now   func() time.Duration
	// Queries returns the queries of a service that scanned most, up to a number. It is nil for a run, whose
	// generator's health is shown instead.
	Queries func(limit int) []results.QueryShape
}

// The limits of what a watch keeps: marks of a run, marks that are listed, and partitions that are counted.
const (
	maxMarks   = 200
	maxRows    = 12
	maxCounted = 10_000
)

// Watch observes a run, and shows it until it ends; a nil one does nothing. It is a watcher of drive's ledger and an
// observer of the generator's health.
type Watch struct {
	run    Run
	server *Server
	end    context.CancelFunc
	// next is the first whole second that is not in the history yet.
	next atomic.Int64

	// mu guards the following fields.
	mu      sync.Mutex
	history history
	heat    heatMap
	// measured is the beginning of the first reported phase, negative before.
	measured time.Duration
	marks    []document.Mark
	// health has the latest seconds, each at its number's remainder.
	health [16]results.Health
	latest results.Health
	// before are the totals at the last second of the history.
	before live.Totals
	over   bool

	// counting guards met, the partitions so far, and more, whether there are more than maxCounted.
	counting sync.Mutex
	met      map[partition]struct{}
	more     bool
}

type partition struct{ table, key string }

// grace is the time after its end at which a second goes into the history: by then it is complete.
const grace = 100 * time.Millisecond

// Begin shows a run from now on, in place of what was shown before. The caller passes events to the watch, and calls End.
func (s *Server) Begin(r Run) *Watch {
	w := &Watch{run: r, server: s, measured: -1, met: make(map[partition]struct{})}
	ctx, cancel := context.WithCancel(context.Background())
	w.end = cancel
	if r.Queries != nil {
		// A service has one stage, from its start on.
		whole := results.Phase{Name: "traffic", Reported: true}
		r.Stats.Enter(whole.Name, 0, 0)
		r.Stats.Phase(0, &whole)
		w.Phase(0, &whole)
	}
	s.Show(w.compose)
	s.watches.Go(func() { // Virtual seconds come faster than real ones, and are taken when attempts end.
		c := clock.NewReal()
		for {
			wait := time.Second
			if now := w.run.Now(); !w.run.Virtual {
				wait = (now - grace).Truncate(time.Second) + time.Second + grace - now
			}
			if c.Sleep(ctx, c.Now().Add(wait)) != nil {
				return
			}
			if !w.run.Virtual {
				w.advance(w.run.Now())
			}
			w.server.Refresh()
		}
	})
	return w
}

// End marks the run as over: its report, if there is one, comes next.
func (w *Watch) End() {
	if w == nil {
		return
	}
	w.end()
	w.advance(w.run.Now() + time.Second)
	w.mu.Lock()
	w.over = true
	w.mu.Unlock()
	w.server.Refresh()
}

// advance adds every whole second that is over at an instant to the history.
func (w *Watch) advance(now time.Duration) {
	if live.LastSecond(now) < w.next.Load() {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	last := live.LastSecond(now)
	for number := max(w.next.Load(), last-live.Kept+1); number <= last; number++ {
		second := w.run.Stats.Second(number)
		status := w.run.Stats.Status(time.Duration(number+1) * time.Second)
		one := sample{second: float64(number), offered: float64(second.Offered), served: float64(second.Served), throttled: float64(second.Throttled),
			p50: inMillis(status.P50), p99: inMillis(status.P99)}
		if late := status.Totals.LateSince(&w.before); late != nil && !w.run.Virtual {
			one.late = new(100 * *late)
		}
		if h := &w.health[number%int64(len(w.health))]; h.Second == number && h.Lasted > 0 {
			one.cpu = new(100 * h.Share(w.run.Cores))
		}
		w.before = status.Totals
		w.history.add(one)
		w.heat.add(&second)
	}
	w.next.Store(max(last+1, w.next.Load()))
}

// Attempt implements an observer.
func (w *Watch) Attempt(a *results.Attempt) {
	if w.run.Virtual {
		w.advance(a.Done)
	}
	if a.HasPartition {
		w.Touched(a.Table, a.PartitionKey)
	}
}

// Touched counts a partition.
func (w *Watch) Touched(table, key string) {
	w.counting.Lock()
	defer w.counting.Unlock()
	if _, known := w.met[partition{table, key}]; known {
		return
	}
	if len(w.met) == maxCounted {
		w.more = true
		return
	}
	w.met[partition{strings.Clone(table), strings.Clone(key)}] = struct{}{}
}

// Completed implements an observer.
func (*Watch) Completed(*results.Completed) {}

// Due implements a watcher.
func (*Watch) Due(*results.Scheduled) {}

// Phase implements a watcher.
func (w *Watch) Phase(_ int, phase *results.Phase) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if phase.Reported && w.measured < 0 {
		w.measured = phase.Begin
	}
}

// Event implements a watcher: it marks the beginning of phases, and load balancing.
func (w *Watch) Event(e results.Event) {
	if w == nil {
		return
	}
	const maxKey = 24
	mark := document.Mark{Second: time.Duration(e.At).Seconds(), Balance: true}
	switch d := e.Decision; {
	case e.What == results.PhaseBegins:
		mark.Text, mark.Balance = e.Phase, false
	case !e.Balanced():
		return
	case e.What == results.RangeMoved:
		mark.Text = fmt.Sprintf("move of the range from %s to server %d", document.Key(d.Key, maxKey), d.To)
	case e.What == results.RangesMerged:
		mark.Text = "merge at " + document.Key(d.Key, maxKey)
	default:
		mark.Text = e.What + " at " + document.Key(d.Key, maxKey)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.marks) == maxMarks {
		w.marks = append(w.marks[:0], w.marks[1:]...)
	}
	w.marks = append(w.marks, mark)
}

// Health adds a whole second of the generator's health.
func (w *Watch) Health(h results.Health) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.health[max(0, h.Second)%int64(len(w.health))], w.latest = h, h
	if h.Second >= w.next.Load() || w.history.each > 1 {
		return
	}
	// Its second is in the history already.
	for i, one := range slices.Backward(w.history.samples) {
		if one.second <= float64(h.Second) {
			if one.second == float64(h.Second) {
				w.history.samples[i].cpu = new(100 * h.Share(w.run.Cores))
			}
			return
		}
	}
}

// compose returns the document of the run, and the line above it.
func (w *Watch) compose() (*document.Document, string) {
	w.counting.Lock()
	partitions, more := len(w.met), w.more
	w.counting.Unlock()
	status := w.run.Stats.Status(w.run.Now())
	open, dropped := w.server.counts()
	w.mu.Lock()
	defer w.mu.Unlock()
	s := snapshot{run: &w.run, status: &status, samples: slices.Clone(w.history.samples), each: max(1, w.history.each), measured: w.measured, marks: slices.Clone(w.marks),
		health: w.latest, viewers: open, dropped: dropped}
	if open := w.history.open; len(open) > 0 {
		s.samples = append(s.samples, merge(open))
	}
	s.heat = w.heat.table(partitions, more)
	if len(status.Members) > 0 {
		s.heat.Notes = []string{noKeys}
	}
	if w.run.Queries != nil {
		s.queries = w.run.Queries(maxQueries)
	}
	if w.over {
		return s.document(), "the run is over; writing its report"
	}
	says := "live"
	if w.run.Virtual {
		says = "live, in virtual time"
	}
	says += " · " + document.Minutes(status.At.Seconds()) + " in"
	switch left := status.Left; {
	case left == nil || w.run.Queries != nil:
	case *left == 0:
		says += " · " + status.Stage + " is finishing"
	default:
		says += " · "
		if status.Estimated {
			says += "about "
		}
		whole := (*left + time.Second - 1).Truncate(time.Second) // rounded up
		says += document.Minutes(whole.Seconds()) + " left of " + status.Stage
	}
	return s.document(), says
}
