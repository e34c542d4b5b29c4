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

// watch observes every attempt and operation of a try. It is not safe for concurrent use.
type watch struct {
	clientOf func(k uint64) uint64
	from, to time.Duration

	// caught counts the operations of each client due in the trouble, won those that
	// succeeded.
	caught, won []int64
	// before and in are the response times of successful operations due before the trouble and
	// in it.
	before, in []time.Duration
	// retries are the send times of retries.
	retries []time.Duration
	// attempts and throttled count the attempts of caught operations. served counts the
	// entities of successes between the begin of the trouble and the last arrival.
	attempts, throttled, ended int64
	served                     int64
	arrivals                   time.Duration
	last                       time.Duration
	duplicates                 int64
}

var _ drive.Observer = (*watch)(nil)

// troubled reports whether an operation was due in the trouble.
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

// trial returns the sums. Withheld operations were never sent, so they never ended.
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
		// If each attempt is throttled with probability p, an operation with at most R retries has
		// (1 − p^(R+1))/(1 − p) attempts on average, the sum of the geometric series.
		p, limit := float64(w.throttled)/float64(w.attempts), float64(c.Policy.Retries+1)
		if t.AmplificationByChance = limit; p < 1 {
			t.AmplificationByChance = (1 - math.Pow(p, limit)) / (1 - p)
		}
	}
	t.DrainS = max(0, w.last-w.to).Seconds()
	// Omit quantiles with fewer than ten responses above them.
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
		if at < w.from || tenth >= maxTenths {
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

// numberAt returns the number of operations due before an instant.
func numberAt(schedule arrival.Schedule, at time.Duration) uint64 {
	return uint64(sort.Search(int(schedule.Len()), func(k int) bool { return schedule.At(uint64(k)) >= at }))
}

// fairness returns Jain's index, (Σx)²/(n·Σx²), over the clients' shares x of caught
// operations that succeeded, without clients that have none.
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

// maxTenths limits the retries by tenth of a second: ten minutes.
const maxTenths = 6000
