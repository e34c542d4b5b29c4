package campaign_test

import (
	"fmt"
	"slices"
	"testing"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/target"
)

// reader is a target that takes down what queries return and where they end.
type reader struct {
	*world
	keys []entity.Key
	next target.Token
	// properties is how many the last entity read had.
	properties int
}

func (r *reader) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	outcome, done := r.world.Submit(now, op)
	if op.Verb != entity.Query {
		return outcome, done
	}
	for _, row := range outcome.Rows {
		r.keys = append(r.keys, row.Key)
		list, _ := row.Entity.Unpack(nil)
		r.properties = len(list)
	}
	r.next = outcome.Next
	return outcome, done
}

// saved returns the text of the token at which the reading ended.
func (r *reader) saved(t *testing.T) string {
	t.Helper()
	text, err := r.next.MarshalText()
	if err != nil || !r.next.Present {
		t.Fatalf("the half that was read ended with the token %+v, %v; want one", r.next, err)
	}
	return string(text)
}

// eachOnce checks that two readings together met the rows 0 to n-1 of a partition,
// each once and in order.
func eachOnce(t *testing.T, partition string, n int, first, second []entity.Key) {
	t.Helper()
	if len(first) == 0 || len(second) == 0 {
		t.Errorf("%d entities were read before the token and %d after it; want some each", len(first), len(second))
	}
	got := slices.Concat(first, second)
	if len(got) != n {
		t.Errorf("%d entities were read; want %d", len(got), n)
	}
	for i := range got {
		if got[i].Partition != partition || i > 0 && got[i-1].Compare(got[i]) >= 0 {
			t.Errorf("entity %d read is %v; want one of %q after the one before", i, got[i], partition)
			return
		}
	}
}

// A partition is read by halves, in two runs that share nothing but a text: pages in the one
// run, from in the other.
func TestAScenarioResumesFromAToken(t *testing.T) {
	const scan = "{name: page, verb: query, class: partition-scan, top: 20, "
	settings := func(rest string) *scenarios.Scenario {
		return small(t, "phases.load.entities=1200", "phases.peak.rates=[1]", "phases.peak.each=1s", "phases.peak.hold=false",
			"model.profile=off", "phases.peak.operations=["+scan+rest+"}]")
	}
	first := settings("pages: 3")
	_, members, _ := loadedInto(t, first)
	w := newWorld(t, first, nil)
	runner := &drive.Virtual{}
	run := func(s *scenarios.Scenario, o campaign.Options) *reader {
		r := &reader{world: w}
		runner.Target = r
		o.Scenario, o.Table = s, "stress"
		recorded(t, carry(t, t.Context(), runner, o, nil))
		// The count reads all partitions first.
		r.keys = r.keys[s.Loaded(len(s.Phases)):]
		return r
	}
	before := run(first, campaign.Options{Keep: true})
	after := run(settings("from: "+before.saved(t)), campaign.Options{Reuse: true})
	eachOnce(t, hot, int(members[hot]), before.keys, after.keys)
	if len(before.keys) != 60 {
		t.Errorf("three pages of 20 hold %d entities; want 60", len(before.keys))
	}
}

// What a scenario selects is what comes back.
func TestAScenarioProjects(t *testing.T) {
	for operation, want := range map[string]int{"": 10, ", select: [Age, Name]": 2, ", select: [RowKey]": 0} {
		s := small(t, "phases.load.entities=300", "phases.peak.rates=[1]", "phases.peak.each=1s", "phases.peak.hold=false",
			"model.profile=off", "phases.peak.operations=[{name: page, verb: query, class: point"+operation+"}]")
		r := &reader{world: newWorld(t, s, nil)}
		recorded(t, carry(t, t.Context(), &drive.Virtual{Target: r}, stress(s), nil))
		if r.properties != want || len(r.keys) != 301 {
			t.Errorf("a point query%s returned %d properties, %d entities with those counted; want %d, 301", operation, r.properties, len(r.keys), want)
		}
	}
}

// A query that begins at a token is due to count what is left, and counts it; one whose
// token only its service can read is taken for one of the whole.
func TestOffersOfAResumedQuery(t *testing.T) {
	leftOutWhenShort(t)
	for _, row := range []struct {
		name string
		at   target.Token
		want int64
	}{
		{"from the beginning", target.Token{}, 300},
		{"from the middle", target.Token{Present: true, NextPartitionKey: "one", NextRowKey: "1150"}, 150},
		{"from the last entity", target.Token{Present: true, NextPartitionKey: "one", NextRowKey: "1299"}, 1},
		{"from a token that no key follows", target.Token{Present: true, NextPartitionKey: "~", NextRowKey: ""}, 300},
	} {
		t.Run(row.name, func(t *testing.T) {
			token, err := row.at.MarshalText()
			if err != nil {
				t.Fatal(err)
			}
			from := ""
			if row.at.Present {
				from = ", from: " + string(token)
			}
			record := simulated(t, parsed(t, fmt.Sprintf(`name: resume
attributes: {id: {sequence: 1000}}
entity: {size: 200}
design: {partition_key: one, row_key: "{id}"}
phases:
  - {name: load, load: {entities: 300, lanes: 1}}
  - name: read
    traffic:
      partitions: [one]
      arrivals: {constant: 1}
      for: 3s
      operations: [{verb: query, class: partition-scan%s}]
`, from)))
			for i, kind := range record.Manifest.Operations {
				k := &record.Phases[len(record.Phases)-2].Kinds[i]
				if kind.Name == "query" && k.Offered != row.want*k.Operations {
					t.Errorf("%d queries are due to count %d; want %d each", k.Operations, k.Offered, row.want)
				}
				if kind.Name == "query" && row.at.NextPartitionKey != "~" && k.Counted != k.Offered {
					t.Errorf("they counted %d of %d; want all", k.Counted, k.Offered)
				}
			}
		})
	}
}
