package scenarios_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/scenarios"
)

// oneSpread is what the spread of its base says beside its operations.
const oneSpread = "partitions: 2, rate: 1, for: 1s"

const upserts = `operations: [{verb: insert-or-merge, properties: [{name: Age, type: Int32, value: "{age}"}]}]`

func TestSpreadIsReadAndWritten(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       scenarios.Traffic
	}{
		{"an open loop over a number of partitions", "partitions: 2, rate: 1000, for: 20m",
			scenarios.Traffic{Partitions: 2, Arrivals: &scenarios.Arrivals{Constant: 1000}, For: 20 * time.Minute, Entities: 1000}},
		{"an open loop over named partitions", "partitions: [Berlin, NYC], rate: 0.5, for: 1s, entities: 7",
			scenarios.Traffic{Keys: []string{"Berlin", "NYC"}, Arrivals: &scenarios.Arrivals{Constant: .5}, For: time.Second, Entities: 7}},
		{"a closed loop", "partitions: 1, clients: 64, think: 100ms, for: 24h",
			scenarios.Traffic{Partitions: 1, Clients: 64, Think: 100 * time.Millisecond, For: 24 * time.Hour, Entities: 1000}},
	} {
		s := reread(t, edited(t, "spread.yaml", oneSpread, tt.text))
		got := *s.Phases[len(s.Phases)-1].Traffic
		tt.want.Unit, tt.want.Drain = scenarios.UnitEach, 5*time.Second
		require.Truef(t, len(got.Operations) == 1 && got.Operations[0].Verb == entity.InsertOrMerge,
			"%s: operations %v; want one insert-or-merge", tt.name, got.Operations)
		got.Operations = nil
		assert.Equal(t, tt.want, got, tt.name)
	}
}

func TestWitnessesAreThePartitionsInOrder(t *testing.T) {
	s := parsed(t, edited(t, "spread.yaml", "partitions: 2", "partitions: [Berlin, NYC]"))
	g, err := s.Generator()
	require.NoError(t, err)
	found, err := s.Witnesses(0)
	assert.Truef(t, err == nil && len(found) == 2 && g.PartitionKey(found[0]) == "Berlin" && g.PartitionKey(found[1]) == "NYC",
		"Witnesses = %v, %v; want one of Berlin and one of NYC", found, err)
	for i, n := range found {
		first := uint64(0)
		for g.PartitionKey(first) != s.Phases[0].Traffic.Keys[i] {
			first++
		}
		assert.Equalf(t, first, n, "Witnesses()[%d]", i)
	}
}

func TestReads(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       bool
	}{
		{"writes alone", edited(t, "spread.yaml"), false},
		{"a get", race, true},
		{"a count", edited(t, "traffic.yaml") + "  - name: late\n    count: {lanes: 1}\n", true},
	} {
		assert.Equalf(t, tt.want, parsed(t, tt.text).Reads(), "%s: Reads()", tt.name)
	}
	// An update that knows its key reads nothing; one that looks for it has to find it.
	s := builtin(t, "scan-to-find")
	opposed, err := s.Opposed()
	assert.Truef(t, err == nil && !s.Reads() && opposed.Reads(),
		"Reads() = %t, and of the anti-pattern %v, %v; want false and true", s.Reads(), opposed, err)
}
