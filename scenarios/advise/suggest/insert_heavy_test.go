package suggest_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/results/resultstest"
	"loadgen/scenarios"
	"loadgen/scenarios/advise/keystatistics"
	"loadgen/scenarios/advise/suggest"
	"loadgen/scenarios/keys"
)

// moving reports whether the inserts of a scenario under a design go to one place that
// moves, or to one end: as a survey of its keys has it, as they come about.
func moving(t testing.TB, s *scenarios.Scenario, d *scenarios.Design) bool {
	t.Helper()
	of, err := s.Generator()
	require.NoError(t, err)
	home := scenarios.Copy{PartitionKey: d.PartitionKey, RowKey: d.RowKey}
	g, err := home.Generator(of)
	require.NoError(t, err)
	seen := keystatistics.New(keystatistics.Options{Seed: 1})
	loaded := s.Loaded(len(s.Phases))
	for i := range uint64(2000) {
		run := time.Duration(i) * 50 * time.Millisecond
		seen.Add(&keystatistics.Row{PartitionKey: g.PartitionKeyOf(keys.Event{Number: loaded + i, Run: run, Offered: true}),
			Instant: clock.Instant(run), HasInstant: true, Entities: 1, Kind: keystatistics.Insert})
	}
	switch seen.Report().Order.Verdict {
	case keystatistics.AppendOnly, keystatistics.PrependOnly, keystatistics.HotTail, keystatistics.MovingPoint:
		return true
	default:
		return false
	}
}

// random is a scenario with a time, whose operations insert at least every other time.
func random(seed uint64) string {
	rng := rand.New(rand.NewPCG(seed, 9))
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	names := []string{"hour", "day", "minute", "late", "user", "site", "kind", "id", "old", "at"}
	know := func() string {
		var list []string
		for _, i := range rng.Perm(len(names))[:1+rng.IntN(3)] {
			list = append(list, names[i])
		}
		return strings.Join(list, ", ")
	}
	insert := pick("verb: insert", "verb: insert", "verb: batch, entities: 4, together: [user]", "verb: batch, entities: 3, together: [hour, site]")
	var queries []string
	for i := range 1 + rng.IntN(3) {
		more := pick("", "", ", span: 10m", ", span: 3h", ", top: 5, pages: 1")
		queries = append(queries, fmt.Sprintf("        - {name: q%d, verb: query, by: [%s]%s, weight: %d}", i, know(), more, 1+rng.IntN(4)))
	}
	expect := pick("[]", "[]", "[p99(q0) < 20ms]", "[p99 < 1s]")
	return fmt.Sprintf(`name: random
seed: %d
model: {partition_target: %s, account_target: %s}
attributes:
  at: {time: 2026-01-01T00:00:00Z, every: %s, speed: %s}
  hour: {text: "{at:hour}"}
  day: {text: "d_{at:day}"}
  minute: {text: "{at:minute}"}
  late: {text: "{at:inverted}"}
  user: {%s}
  site: {list: [north, south, east, west]}
  kind: {list: [a]}
  id: {sequence: %d}
  old: {text: "{id}-{kind}"}
entity:
  properties: [{name: At, type: DateTime, value: "{at}"}, {name: Hour, value: "{hour}"}, {name: Day, value: "{day}"}, {name: Minute, value: "{minute}"},
    {name: Late, value: "{late}"}, {name: User, value: "{user}"}, {name: Site, value: "{site}"}, {name: Id, value: "{id}"}, {name: Old, value: "{old}"}]
design: {partition_key: "{user}", row_key: "{hour}_{site}_{at:ticks}_{id}"}
phases:
  - name: load
    load: {entities: 60}
  - name: work
    traffic:
      arrivals: {%s: %d}
      for: 1s
      operations:
        - {name: write, %s, weight: %d}
%s
expect: %s
`, seed, pick("0", "40", "100", "2000"), pick("0", "20000"), pick("1s", "5m"), pick("60", "600", "3600"),
		pick("uniform: [1, 300]", "zipf: {of: 50, exponent: 1}", "latest: {window: 20, every: 3}"), 1+rng.IntN(9000),
		pick("constant", "poisson"), 80+rng.IntN(100), insert, 12+rng.IntN(40), strings.Join(queries, "\n"), expect)
}

// Whatever is asked, and however an insert-heavy stream is written, no key is proposed
// under which all inserts fall on one place that moves. What is proposed is sound, and its
// first design can serve.
func TestNoKeyThatAppends(t *testing.T) {
	wanted := resultstest.Cases(3, 50)
	proposals, bucketed, none := 0, 0, 0
	for seed := uint64(0); seed < 200 && proposals < wanted; seed++ {
		s, err := scenarios.Parse("random.yaml", []byte(random(seed)))
		if err != nil {
			continue // its transactions have no partition under its own key
		}
		p, err := suggest.Designs(s, nil)
		if errors.Is(err, suggest.ErrUnsuited) {
			none++
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, random(seed))
		}
		proposals++
		if _, err := p.Scenario(); err != nil {
			t.Errorf("seed %d: what is proposed is not sound: %v", seed, err)
		}
		for _, c := range p.Candidates {
			if moving(t, s, &c.Design) {
				t.Errorf("seed %d: %s is proposed, whose inserts go to one place that moves\n%s", seed, c.Design.PartitionKey, random(seed))
			}
			if c.Buckets > 1 {
				bucketed++
			}
		}
	}
	assert.Truef(t, proposals >= wanted && bucketed >= wanted/6 && none <= wanted,
		"%d proposals, %d of their candidates in buckets, and %d scenarios without any; want %d, and more in buckets", proposals, bucketed, none, wanted)
}
