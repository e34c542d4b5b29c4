//go:build ci || long

package replay_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine"
	"loadgen/engine/accesslog"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/rest/serve"
	"loadgen/engine/wire"
	"loadgen/report/compare/statistics"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/logs"
	"loadgen/scenarios/logs/replay"
	"loadgen/scenarios/run"
	"loadgen/scenarios/run/runtest"
	"loadgen/target"
)

// witness counts what a service does, beside the log of it.
type witness struct {
	mu        sync.Mutex
	log       *serve.Log
	first     time.Duration
	lines     bytes.Buffer
	throttled int64
	// requests and seconds are those of each partition, served those that were answered.
	requests map[string]int64
	seconds  map[string]map[int64]int64
	// edges are those answered within 2 ms of the end of a second: a log has whole milliseconds,
	// by which they may be of the next.
	edges int64
}

func (w *witness) saw(format accesslog.Format) func(seen *accesslog.Observed) {
	date := clock.Epoch(begins)
	return func(seen *accesslog.Observed) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.log == nil {
			account, _, _ := strings.Cut(strings.TrimPrefix(seen.Request.URL.Path, "/"), "/")
			w.log, w.requests, w.seconds = serve.NewLog(&w.lines, format, account, date), make(map[string]int64), make(map[string]map[int64]int64)
			w.first = seen.Arrived.Offset().Truncate(100)
		}
		w.log.Saw(seen)
		busy := seen.Status == 503
		if busy {
			w.throttled++
		}
		if !seen.HasPartition || strings.HasPrefix(seen.PartitionKey, "~") {
			return
		}
		key := strings.Clone(seen.PartitionKey)
		if w.requests[key]++; !busy {
			if w.seconds[key] == nil {
				w.seconds[key] = make(map[int64]int64)
			}
			done := seen.EndTime().Offset() - w.first
			w.seconds[key][int64(done/time.Second)]++
			if (done+2*time.Millisecond)%time.Second < 4*time.Millisecond {
				w.edges++
			}
		}
	}
}

// logOf runs a scenario on the virtual clock and returns the log of its table.
func logOf(t *testing.T, s *scenarios.Scenario) []byte {
	t.Helper()
	m, err := s.PartitionModel()
	require.NoError(t, err)
	e := engine.New(engine.Options{Model: m, Accounts: []string{"races"}, Calendar: clock.Epoch(begins), Seed: s.Seed, Dataless: !s.Reads()})
	at := &logged{Immediate: target.NewInProcess(e, "races", nil), transactions: true}
	runtest.Campaign{Target: at, Options: campaign.Options{Scenario: s, Table: "Results", NewName: true, RunMark: "run", Blank: true,
		OnStage: func(p campaign.Progress) { at.begun = p.Stage != "load" }}}.MustRun(t)
	return at.lines
}

// keyed is the head of a scenario under one of two designs, of regions that are drawn, as are a
// target from the least on and sizes from one on.
func keyed(chance *rand.Rand, n int, name, design string, least, target, size, sizes int) string {
	var names, weights []string
	for i := range 2 + chance.IntN(4) {
		names, weights = append(names, fmt.Sprint("r", i)), append(weights, fmt.Sprint(1+chance.IntN(20)))
	}
	target = least + chance.IntN(target)
	if sizes > 0 {
		size += chance.IntN(sizes)
	}
	return fmt.Sprintf(`name: %s
seed: %d
retry: %s
model: {partition_target: %d, partition_burst: 20ms}
attributes:
  region: {list: [%s], weights: [%s]}
  day: {list: ["01", "02", "03"]}
  id: {sequence: 1}
entity: {size: %d}
use: %s
designs:
  - {name: by-region, partition_key: "{region}", row_key: "{day}_{id:06d}"}
  - {name: by-day, partition_key: "{region}_{day}", row_key: "{id:06d}"}
phases:
`, name, n+1, []string{"none", "short"}[n%2], target, strings.Join(names, ", "), strings.Join(weights, ", "), size, design)
}

// load is a scenario that overloads some partitions of a small model, under one of two
// designs.
func load(t *testing.T, n int, design string) *scenarios.Scenario {
	t.Helper()
	chance := rand.New(rand.NewPCG(7, uint64(n)))
	head := keyed(chance, n, "load", design, 60, 60, 300, 700)
	return runtest.Parse(t, head+fmt.Sprintf(`  - name: rush
    traffic:
      arrivals: {constant: %d}
      for: 3s
      drain: 10s
      operations:
        - {verb: insert, weight: %d}
        - {verb: insert-or-merge, properties: [{name: V, type: Int32, value: "1"}], weight: 2}
`, 200+chance.IntN(150), 2+chance.IntN(8)))
}

// A service under a known load writes its log: what that says is what the service did, by
// a count of its own.
func TestALogSaysWhatItsServiceDid(t *testing.T) {
	for n := range loads {
		format := []accesslog.Format{accesslog.Analytics, accesslog.Resource}[n%2]
		t.Run(fmt.Sprint(n, format), func(t *testing.T) {
			w := new(witness)
			runtest.Run(t, run.Plan{Scenario: load(t, n, "by-region"), On: run.Embedded, RetryChosen: true, NoProbe: true, Seen: w.saw(format)})
			require.NoError(t, w.log.Flush())
			w.toldBy(t)
		})
	}
}

// logged is a table on the virtual clock that keeps a log.
type logged struct {
	target.Immediate
	lines  []byte
	number int
	// transactions says that those have the key of their object, begun that what prepares
	// the table is done.
	transactions, begun bool
}

// Submit implements [target.Immediate]. What prepares the table is in no log.
func (l *logged) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	outcome, done := l.Immediate.Submit(now, op)
	key, path := op.Change.Key, ""
	e := accesslog.Entry{Observed: accesslog.Observed{Operation: accesslog.OperationOf(op.Verb), RequestBytes: sizeOf}}
	switch {
	case !l.begun || op.Verb == entity.CreateTable || op.Verb == entity.DeleteTable || strings.HasPrefix(key.Partition, "~"):
		return outcome, done
	case op.Verb == entity.Batch:
		e.RequestBytes = 200
		for i := range op.Changes {
			e.RequestBytes += bodyOf(&op.Changes[i]) + 400
		}
		e.URL, e.ObjectKey = "https://races.table.core.windows.net/$batch", "/races/$batch"
		if l.transactions {
			e.ObjectKey = "/races/Results(PartitionKey='" + op.Changes[0].Key.Partition + "',RowKey='')"
		}
	case op.Verb == entity.Query:
		text, _ := op.Query.Range.Text()
		if op.Query.Filter != nil {
			text = op.Query.Filter.String()
		}
		e.RequestBytes, e.ResponseBytes = 0, outcome.Returned*sizeOf
		e.URL = "https://races.table.core.windows.net/Results()?$filter=" + url.QueryEscape(text)
		if op.Query.Top > 0 {
			e.URL += fmt.Sprint("&$top=", op.Query.Top)
		}
		if op.Query.Token.Present {
			e.URL += "&NextPartitionKey=1!4!&NextRowKey=1!4!"
		}
	default:
		path = "/Results(PartitionKey='" + key.Partition + "',RowKey='" + key.Row + "')"
		e.URL, e.ObjectKey = "https://races.table.core.windows.net"+path, "/races"+path
		switch op.Verb {
		case entity.Get:
			e.RequestBytes, e.ResponseBytes = 0, sizeOf
		case entity.Delete:
		default:
			e.RequestBytes = bodyOf(&op.Change)
		}
	}
	e.At, e.StatusText, e.Status, e.EndToEnd, e.Server, e.Account = entity.TicksOf(begins)+entity.Ticks(now/100), string(outcome.Code), outcome.Status, done.Sub(now), done.Sub(now), "races"
	e.RequestID, e.ContentLength, e.ClientRequestID = fmt.Sprint("id-", l.number), e.RequestBytes, fmt.Sprint("c-", op.Number)
	l.number++
	l.lines = accesslog.AppendAnalytics(l.lines, &e)
	return outcome, done
}

func bodyOf(c *entity.Change) int64 {
	return wire.RequestWeight(entity.Insert, c, nil) - wire.InsertHead
}

// sizeOf is that of an entity on the wire.
const sizeOf = 600

// A log that was written on the virtual clock, so that nothing but the keys can differ:
// replayed it meets what happened, and with other keys what a run of those meets.
func TestRoundTrip(t *testing.T) {
	for n := range loads {
		for _, make := range []func(*testing.T, int, string) *scenarios.Scenario{load, mixed} {
			replayedAlike(t, n, make)
		}
	}
}

// mixed is a scenario like load that reads by queries, and writes by transactions, too.
func mixed(t *testing.T, n int, design string) *scenarios.Scenario {
	t.Helper()
	chance := rand.New(rand.NewPCG(11, uint64(n)))
	head := keyed(chance, n, "mixed", design, 2000, 2000, 600, 0)
	return runtest.Parse(t, head+fmt.Sprintf(`  - {name: load, load: {entities: %d}}
  - name: rush
    traffic:
      arrivals: {constant: %d}
      for: 16s
      drain: 10s
      operations:
        - {verb: get, weight: %d}
        - {verb: insert, weight: %d}
        - {verb: batch, entities: %d, change: insert, together: [region, day], weight: %d}
        - {name: day, verb: query, by: [region, day], weight: %d}
        - {name: region, verb: query, by: [region], weight: %d}
        - {name: top, verb: query, by: [region, day], top: 5, pages: 1, weight: %d}
`, 100+chance.IntN(200), 250+chance.IntN(150), 5+chance.IntN(20), 5+chance.IntN(20), 2+chance.IntN(8), 1+chance.IntN(10), 1+chance.IntN(4),
		1+chance.IntN(3), 1+chance.IntN(5)))
}

// source is a log as a file of its own.
func source(log []byte) []logs.Source {
	return []logs.Source{{Name: "the log", Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(log)), nil }}}
}

// toldBy holds what the log says against what was counted beside it.
func (w *witness) toldBy(t *testing.T) {
	t.Helper()
	told, err := logs.Examine(logs.Plan{Files: source(w.lines.Bytes())})
	require.NoError(t, err)
	seen := told.Record.Capture
	assert.Equal(t, w.throttled, seen.ThrottledByPartition, "throttled requests")
	hottest, most := "", int64(0)
	for key, seconds := range w.seconds {
		for _, n := range seconds {
			if n > most || n == most && w.requests[key] > w.requests[hottest] {
				hottest, most = key, n
			}
		}
	}
	busiest := seen.Partitions[0]
	for _, one := range seen.Partitions {
		if one.Busiest > busiest.Busiest || one.Busiest == busiest.Busiest && one.Requests > busiest.Requests {
			busiest = one
		}
		if strings.HasPrefix(one.PartitionKey, "~") {
			continue
		}
		assert.InEpsilonf(t, w.requests[one.PartitionKey], one.Requests, .01, "requests of %s", one.PartitionKey)
	}
	assert.Truef(t, busiest.PartitionKey == hottest || w.requests[busiest.PartitionKey] >= w.requests[hottest]*99/100,
		"the log says that %s was the hottest; it was %s", busiest.PartitionKey, hottest)
	assert.InDeltaf(t, most, busiest.Busiest, max(.01*float64(most), float64(w.edges)), "the hottest, with %d at the edges of seconds", w.edges)
}

// replayedAlike holds the replay of a log against what happened, and against a run under
// other keys.
func replayedAlike(t *testing.T, n int, make func(*testing.T, int, string) *scenarios.Scenario) {
	t.Helper()
	s := make(t, n, "by-region")
	m, err := s.PartitionModel()
	require.NoError(t, err)
	found, err := replay.Gather(source(logOf(t, s)), logs.Options{}, "")
	require.NoError(t, err)
	happened := float64(found.Throttled) / float64(found.Attempts)
	var same, other []float64
	for seed := range uint64(seeds) {
		told := replayed(t, replay.Plan{Operations: found, Pattern: replay.Pattern{PartitionKey: "{region}", RowKey: "{day}_{id:06d}"}, Seed: 5 + seed,
			Designs: []replay.Design{{Name: "by-day", PartitionKey: "{region}_{day}", RowKey: "{id:06d}"}}, Retry: s.Retry,
			Set: []string{fmt.Sprint("model.partition_target=", m.PartitionTarget), "model.partition_burst=20ms"}})
		same, other = append(same, told.Arms[0].Under[0].Throttled), append(other, told.Arms[1].Under[0].Throttled)
	}
	// The same operations under the other keys: with another seed they would be others.
	ran := runtest.Run(t, run.Plan{Scenario: make(t, n, "by-day"), RetryChosen: true})
	want := *ran.Summary.ShareThrottled
	near(t, fmt.Sprintf("%s %d: throttled share of the replay", s.Name, n), same, happened)
	near(t, fmt.Sprintf("%s %d: throttled share under other keys", s.Name, n), other, want)
}

// near checks that some replays, which differ by the chance of back-off alone, are on the average
// within two points of what happened. That is one more such draw, which may lie two deviations off.
func near(t *testing.T, name string, replays []float64, happened float64) {
	t.Helper()
	deviation, _ := statistics.Deviation(replays)
	assert.InDelta(t, happened, statistics.Mean(replays), .02+2*deviation, name)
}
