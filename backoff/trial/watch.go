package trial

import (
	"math"
	"slices"
	"sort"
	"time"

	"loadgen/results"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/drive"
)

// watch sees every attempt and every operation of a try. It belongs to one
// goroutine.
type watch struct {
	clientOf func(k uint64) uint64
	from, to time.Duration

	// caught and won count the operations of each client that became due in the
	// trouble and, of them, those that succeeded.
	caught, won []int64
	// before and in are the response times of the operations that succeeded and
	// became due before the trouble, or in it.
	before, in []time.Duration
	// retries are when each retry was sent.
	retries []time.Duration
	// attempts are those at caught operations, throttled of them were, served what
	// was counted for successes that ended from the trouble on, by the last arrival.
	attempts, throttled, ended int64
	served                     int64
	arrivals                   time.Duration
	last                       time.Duration
	duplicates                 int64
}

var _ drive.Observer = (*watch)(nil)

// troubled reports whether an operation became due in the trouble.
func (w *watch) troubled(intended time.Duration) bool { return w.from <= intended && intended < w.to }

// Attempt implements [drive.Observer].
func (w *watch) Attempt(a *results.Attempt) {
	if a.Try > 0 {
		w.retries = append(w.retries, a.Sent)
		if a.Status == 404 || a.Status == 409 || a.Status == 412 {
			w.duplicates++
		}
	}
	if w.troubled(a.Intended) {
		w.attempts++
		if a.Class == results.Throttled {
			w.throttled++
		}
	}
}

// Completed implements [drive.Observer].
func (w *watch) Completed(c *results.Completed) {
	if c.Class == results.Ok && c.Done >= w.from && c.Done < w.arrivals {
		w.served += c.Served
	}
	response := c.Done - c.Intended
	switch {
	case w.troubled(c.Intended):
		w.ended++
		client := w.clientOf(c.Number)
		w.caught[client]++
		w.last = max(w.last, c.Done)
		if c.Class == results.Ok {
			w.won[client]++
			w.in = append(w.in, response)
		}
	case c.Intended < w.from && c.Class == results.Ok:
		w.before = append(w.before, response)
	}
}

// trial sums up. Withheld operations were never sent, and so never ended.
func (w *watch) trial(c Contestant, schedule arrival.Schedule, withheld int64) results.PolicyTrial {
	slices.Sort(w.before)
	slices.Sort(w.in)
	slices.Sort(w.retries)
	t := results.PolicyTrial{Policy: c.Name, Withheld: withheld, Duplicates: w.duplicates}
	first, after := numberAt(schedule, w.from), numberAt(schedule, w.to)
	t.Caught = int64(after - first)
	t.Lost = t.Caught - int64(len(w.in))
	if t.Caught > 0 {
		share := float64(t.Lost) / float64(t.Caught)
		t.LostPercent = 100 * share
		t.LostDoubt = 100 * 1.96 * math.Sqrt(share*(1-share)/float64(t.Caught))
	}
	t.Goodput = float64(w.served) / (w.arrivals - w.from).Seconds()
	if w.ended > 0 {
		t.AttemptsPerOperation = float64(w.attempts) / float64(w.ended)
	}
	if w.attempts > 0 {
		// If each attempt is throttled with probability p, and at most so many retries follow, an
		// operation has (1 − p^(R+1))/(1 − p) on the average, the sum of the geometric series.
		p, most := float64(w.throttled)/float64(w.attempts), float64(c.Policy.Retries+1)
		if t.AmplificationByChance = most; p < 1 {
			t.AmplificationByChance = (1 - math.Pow(p, most)) / (1 - p)
		}
	}
	t.DrainS = max(0, w.last-w.to).Seconds()
	// Omit quantiles with fewer than ten responses beyond them.
	calm := 0.0
	if len(w.before) > 0 {
		calm = w.before[(len(w.before)-1)/2].Seconds()
	}
	at := func(q float64) *float64 {
		if float64(len(w.in))*(1-q) < 10 {
			return nil
		}
		value := 1000 * max(0, w.in[int(math.Ceil(q*float64(len(w.in))))-1].Seconds()-calm)
		return &value
	}
	t.Added = results.AddedQuantiles{P50: at(0.5), P95: at(0.95), P99: at(0.99)}
	begin := 0
	for i, at := range w.retries {
		for at-w.retries[begin] >= 100*time.Millisecond {
			begin++
		}
		t.PeakRetries = max(t.PeakRetries, i-begin+1)
		tenth := int((at - w.from) / (100 * time.Millisecond))
		if at < w.from || tenth >= mostStrip {
			continue
		}
		for len(t.RetriesPer100ms) <= tenth {
			t.RetriesPer100ms = append(t.RetriesPer100ms, 0)
		}
		t.RetriesPer100ms[tenth]++
	}
	t.Fairness = w.fairness()
	return t
}

// numberAt returns how many operations are due before an instant.
func numberAt(schedule arrival.Schedule, at time.Duration) uint64 {
	return uint64(sort.Search(int(schedule.Len()), func(k int) bool { return schedule.At(uint64(k)) >= at }))
}

// fairness returns Jain's index, (Σx)²/(n·Σx²), over the clients' shares x of
// caught operations that succeeded; clients without a caught one are left out.
func (w *watch) fairness() *float64 {
	var sum, squares float64
	n := 0
	for client, caught := range w.caught {
		if caught > 0 {
			x := float64(w.won[client]) / float64(caught)
			sum += x
			squares += x * x
			n++
		}
	}
	if squares == 0 {
		return nil
	}
	index := sum * sum / (float64(n) * squares)
	return &index
}

// mostStrip bounds how many tenths of a second have their retries counted: ten minutes of them.
const mostStrip = 6000
