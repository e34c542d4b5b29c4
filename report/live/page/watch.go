package page

import (
	"cmp"
	"context"
	"fmt"
	"maps"
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

// Scheduled implements a watcher.
func (*Watch) Scheduled(*results.Scheduled) {}

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
	if i := slices.IndexFunc(w.history.samples, func(one sample) bool { return one.second == float64(h.Second) }); i >= 0 {
		w.history.samples[i].cpu = new(100 * h.Share(w.run.Cores))
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

// The limits of a heat map: columns of a second each, rows, and the last columns that decide which rows are shown.
const (
	columns = 60
	rows    = 12
	recent  = 3
)

// heatMap is the load of partitions in the last seconds. The zero value is empty.
type heatMap struct{ columns []column }

// column is one second: the load of the hottest partitions, and of all.
type column struct {
	loads    map[partition]results.PartitionLoad
	demanded int64
}

func (h *heatMap) add(s *live.Second) {
	c := column{loads: make(map[partition]results.PartitionLoad, len(s.Hottest)), demanded: s.Demanded}
	for _, load := range s.Hottest {
		c.loads[partition{load.Table, load.PartitionKey}] = load
	}
	if len(h.columns) == columns {
		h.columns = append(h.columns[:0], h.columns[1:]...)
	}
	h.columns = append(h.columns, c)
}

// row is a partition with its load in the last columns, and its demand in all of them.
type row struct {
	results.PartitionLoad
	total int64
}

// hottest returns the partitions with the highest demand in the last columns, then those with the
// highest in all columns, and the demand of all others in the last ones.
func (h *heatMap) hottest() (list []row, others int64) {
	sums := make(map[partition]row)
	for i, c := range h.columns {
		late := i >= len(h.columns)-recent
		if late {
			others += c.demanded
		}
		for at, load := range c.loads {
			sum := sums[at]
			sum.Table, sum.PartitionKey, sum.total = load.Table, load.PartitionKey, sum.total+load.Demanded()
			if late {
				sum.Served, sum.Throttled = sum.Served+load.Served, sum.Throttled+load.Throttled
			}
			sums[at] = sum
		}
	}
	list = slices.SortedFunc(maps.Values(sums), func(a, b row) int {
		return cmp.Or(cmp.Compare(b.Demanded(), a.Demanded()), cmp.Compare(b.total, a.total), cmp.Compare(a.Name(), b.Name()))
	})
	list = list[:min(len(list), rows)]
	for i := range list {
		others -= list[i].Demanded()
	}
	return list, max(0, others)
}

// maxKey is the maximum length of a shown name, in characters.
const maxKey = 40

// table returns the map as a table: a row for each of the hottest partitions, and one for the others. Partitions is their
// number, or a lower bound if limited.
func (h *heatMap) table(partitions int, limited bool) document.Table {
	t := document.NewTable("heat", "Heat by partition, the last minute", "partition|words", "second by second, until now|words", "demand|rate|unit=entities/s",
		"throttled|share", "of all|share|spare=1")
	t.Notes = []string{fmt.Sprintf("Dark: high demand. Orange: throttled. Numbers: last %d seconds. "+
		"Only the %d hottest partitions of a second count.", recent, live.MaxHottest)}
	list, others := h.hottest()
	seconds := float64(max(1, min(recent, len(h.columns))))
	highest, all := int64(1), others
	for i := range list {
		all += list[i].Demanded()
		for _, c := range h.columns {
			load := c.loads[partition{list[i].Table, list[i].PartitionKey}]
			highest = max(highest, load.Demanded())
		}
	}
	for _, one := range list {
		strip, busiest := make([]document.Shade, columns), int64(0)
		for i, c := range h.columns {
			load := c.loads[partition{one.Table, one.PartitionKey}]
			demanded := load.Demanded()
			busiest = max(busiest, demanded)
			strip[columns-len(h.columns)+i] = document.Shade{Heat: float64(demanded) / float64(highest),
				Throttled: float64(load.Throttled) / float64(max(1, demanded))}
		}
		t.Add(document.Cut(one.Name(), maxKey), document.Strip{Text: fmt.Sprintf("at most %s entities in a second", document.Count(busiest)), Shades: strip},
			float64(one.Demanded())/seconds, document.RatioOf(one.Throttled, max(1, one.Demanded())), document.RatioOf(one.Demanded(), max(1, all)))
	}
	if more := partitions - len(list); more > 0 && len(list) > 0 {
		name := document.Counted(more, "other")
		if limited {
			name = "more than " + name
		}
		t.Add(name, "together", float64(others)/seconds, "", document.RatioOf(others, max(1, all)))
	}
	return t
}

// sample is one or several whole seconds of a run.
type sample struct {
	// second is its first second, since the start of the run.
	second float64
	// offered and served are entities, throttled attempts, each per second.
	offered, served, throttled float64
	// p50 and p99 are response times of the ten seconds before its end, in milliseconds;
	// late is the share of operations that were sent late, cpu the share of the generator's cores
	// that was busy, both in percent. A nil value is unknown.
	p50, p99, late, cpu *float64
}

// maxSamples is the maximum number of samples of a run: from there on pairs are merged.
const maxSamples = 600

// history has the samples of a run from its start on. The zero value is empty.
type history struct {
	// each is the number of seconds of a sample; open has those of an unfinished one.
	each    int
	samples []sample
	open    []sample
}

func (h *history) add(one sample) {
	h.each = max(1, h.each)
	h.open = append(h.open, one)
	if len(h.open) < h.each {
		return
	}
	h.samples = append(h.samples, merge(h.open))
	h.open = h.open[:0]
	if len(h.samples) < maxSamples {
		return
	}
	for i := range len(h.samples) / 2 {
		h.samples[i] = merge(h.samples[2*i : 2*i+2])
	}
	h.samples = h.samples[:len(h.samples)/2]
	h.each *= 2
}

// merge combines samples: rates and shares are means, times are maxima.
func merge(list []sample) sample {
	one := sample{second: list[0].second}
	for i := range list {
		one.offered += list[i].offered / float64(len(list))
		one.served += list[i].served / float64(len(list))
		one.throttled += list[i].throttled / float64(len(list))
		one.p50, one.p99 = live.MaxKnown(one.p50, list[i].p50), live.MaxKnown(one.p99, list[i].p99)
	}
	one.late = mean(list, func(s *sample) *float64 { return s.late })
	one.cpu = mean(list, func(s *sample) *float64 { return s.cpu })
	return one
}

// mean returns the mean of the known values, nil if there are none.
func mean(list []sample, value func(*sample) *float64) *float64 {
	sum, known := 0., 0
	for i := range list {
		if v := value(&list[i]); v != nil {
			sum, known = sum+*v, known+1
		}
	}
	if known == 0 {
		return nil
	}
	return new(sum / float64(known))
}

// line returns one value of every sample.
func line(list []sample, name string, meaning document.Meaning, value func(*sample) *float64) document.Line {
	l := document.Line{Name: name, Meaning: meaning, Values: make([]*float64, len(list))}
	for i := range list {
		l.Values[i] = value(&list[i])
	}
	return l
}

// inMillis returns a duration in milliseconds, nil for nil.
func inMillis(d *time.Duration) *float64 {
	if d == nil {
		return nil
	}
	return new(float64(d.Microseconds()) / 1000)
}
