package campaign_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/target"
)

// inbox is users who read messages of their own.
const inbox = `name: inbox
seed: %d
workers: 200
retry: none
model: {profile: documented}
attributes: {user: {uniform: [1, 40]}, message: {sequence: 1000}}
entity: {size: 300}
design: {partition_key: "{user}", row_key: "{message}"}
phases:
  - {name: load, load: {entities: 120, transaction: 10, lanes: 1}}
  - {name: day, traffic: {%s, operations: [%s]}}
`

// door notes what goes through it to the target: of each operation, what it asked for and
// which entity it read.
type door struct {
	*world
	mu sync.Mutex
	// asked are the services that were asked, in order, and read the key, by the
	// operation's number.
	asked map[uint64][]string
	read  map[uint64]entity.Key
	// due is when each operation came first: on the virtual clock, when it was due.
	due map[uint64]time.Duration
}

func (d *door) note(now clock.Instant, op *target.Operation) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, known := d.due[op.Number]; !known {
		d.due[op.Number] = now.Offset()
	}
	if op.Beside != nil && op.Beside.Verb == target.Ask {
		d.asked[op.Number] = append(d.asked[op.Number], strings.TrimPrefix(op.Beside.Store, "races-"))
		return
	}
	if _, err := strconv.Atoi(op.Change.Key.Partition); err == nil && op.Verb == entity.Get {
		d.read[op.Number] = op.Change.Key
	}
}

func (d *door) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	d.note(now, op)
	return d.world.Submit(now, op)
}

func (d *door) Do(ctx context.Context, op *target.Operation) target.Outcome {
	d.note(0, op)
	return d.world.Do(ctx, op)
}

// readInbox carries a scenario out and returns what its users asked for.
func readInbox(t *testing.T, s *scenarios.Scenario, clk clock.Clock) (*results.Record, *door) {
	t.Helper()
	d := &door{world: newWorld(t, s, clk), asked: make(map[uint64][]string), read: make(map[uint64]entity.Key), due: make(map[uint64]time.Duration)}
	var runner drive.Runner = &drive.Virtual{Target: d}
	if clk != nil {
		runner = d.through(d)
	}
	return recorded(t, carry(t, t.Context(), runner, campaign.Options{Scenario: s, Table: "races"}, nil)), d
}

// permits are those of the users of an inbox, as the rule has it: when each was given.
type permits struct {
	lasts, preflight time.Duration
	entity           bool
	signed, allowed  map[entity.Key]time.Duration
}

// asks returns what a read that is due at a time asks for, and gives it.
func (p *permits) asks(due time.Duration, key entity.Key) (list []string) {
	of := key
	if !p.entity {
		of.Row = ""
	}
	given, there := p.signed[of]
	if !there || due >= given+p.lasts {
		list, given = append(list, "broker"), due
		p.signed[of] = due
	}
	if p.preflight == 0 {
		return list
	}
	// Leave is for the URL, which has the signature in it.
	if at, there := p.allowed[key]; !there || due >= at+p.preflight || at < given {
		list = append(list, "preflight")
		p.allowed[key] = due
	}
	return list
}

// What users ask for follows from when their reads are due: read for read as the rule says
// that is written here again, alike in virtual and in real time.
func TestUsersAskForWhatIsOver(t *testing.T) {
	const closed = "clients: 7, count: 150"
	rows := []struct {
		name, traffic, with string
		rule                permits
	}{
		{"a signature for all of the run", "", "lasts: 1h", permits{lasts: time.Hour}},
		{"signatures that expire", "", "lasts: 1s", permits{lasts: time.Second}},
		{"in a closed loop, by the numbers of the reads", closed, "lasts: 1h, preflight: 10m", permits{lasts: time.Hour, preflight: 10 * time.Minute}},
		{"in a browser", "", "lasts: 1h, preflight: 10m", permits{lasts: time.Hour, preflight: 10 * time.Minute}},
		{"in a browser that forgets", "", "lasts: 1500ms, preflight: 700ms", permits{lasts: 1500 * time.Millisecond, preflight: 700 * time.Millisecond}},
		{"two operations, whose users are the same", "", "lasts: 1s, preflight: 10m}}, {name: again, workflow: direct-read, with: {lasts: 1s, preflight: 10m", permits{lasts: time.Second, preflight: 10 * time.Minute}},
		{"a signature for each entity", "", "lasts: 2s, covers: entity, preflight: 10m", permits{lasts: 2 * time.Second, entity: true, preflight: 10 * time.Minute}},
		{"a broker with a queue", "", "lasts: 500ms, issue-time: 40ms, issuers: 1", permits{lasts: 500 * time.Millisecond}},
	}
	for _, row := range spread(rows, tier(4, len(rows))) {
		for _, seed := range []uint64{7, 8}[:tier(1, 2)] {
			traffic := cmp.Or(row.traffic, "arrivals: {poisson: 100}, for: 4s")
			s := parsed(t, fmt.Sprintf(inbox, seed, traffic, "{name: read, workflow: direct-read, with: {"+row.with+"}}"))
			virtual, seen := readInbox(t, s, nil)
			if row.traffic == closed {
				require.Len(t, seen.read, 150)
				for number := range seen.read {
					seen.due[number] = time.Duration(number)
				}
			}
			holdToRule(t, row.name, row.rule, virtual, seen)
			inBubble(t, func(t *testing.T, clk clock.Real) {
				live, also := readInbox(t, s, clk)
				assert.True(t, maps.EqualFunc(also.asked, seen.asked, slices.Equal), "%s: what is asked live and virtually", row.name)
				assert.True(t, maps.Equal(also.read, seen.read), "%s: what is read live and virtually", row.name)
				assert.Equal(t, fmt.Sprint(virtual.Counters), fmt.Sprint(live.Counters), row.name)
			})
		}
	}
}

// holdToRule goes through the reads of a run in the order in which they were due.
func holdToRule(t *testing.T, name string, rule permits, record *results.Record, seen *door) {
	t.Helper()
	rule.signed, rule.allowed = make(map[entity.Key]time.Duration), make(map[entity.Key]time.Duration)
	numbers := slices.Sorted(maps.Keys(seen.read))
	require.Truef(t, len(numbers) >= 150, "%s: %d reads; want about 400, or 150", name, len(numbers))
	counts := map[string]int64{}
	for i, number := range numbers {
		want := rule.asks(seen.due[number], seen.read[number])
		require.Truef(t, slices.Equal(seen.asked[number], want), "%s: read %d of %v asks %q first; want %q", name, i, seen.read[number], seen.asked[number], want)
		for _, one := range want {
			counts[one]++
		}
	}
	for counter, service := range map[string]string{"issued": "broker", "preflights": "preflight"} {
		for _, one := range record.Counters {
			if one.Name == counter {
				counts[service] -= one.Count
			}
		}
		assert.Zerof(t, counts[service], "%s: asked for more often than counted as %s", name, counter)
	}
}
