package campaign_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/filter"
	"loadgen/scenarios/campaign"
)

// Clients that have so many operations to do do them all, one right after another, and
// the phase lasts until they are done.
func TestACountedLoopLastsAsLongAsItsOperations(t *testing.T) {
	leftOutWhenShort(t)
	lengths := map[string]time.Duration{}
	for _, clients := range []string{"1", "8"} {
		record := simulated(t, unlimited(t, ordered(t, "customer", "clients: "+clients+", count: 400, operations: [{verb: get}]")))
		if k := kindOf(t, record, "get"); k.Scheduled != 400 || k.Operations != 400 || k.Attempts != 400 || k.Dropped != 0 {
			t.Errorf("%s clients: %d due, %d ended, %d dropped; want 400, none dropped", clients, k.Scheduled, k.Operations, k.Dropped)
		}
		phase := reported(t, record)
		lengths[clients] = phase.End - phase.Begin
	}
	// A read takes 4 ms on the average.
	if one := lengths["1"]; one < 1200*time.Millisecond || one > 2000*time.Millisecond {
		t.Errorf("one client took %v; want 400 times 4 ms", one)
	}
	if ratio := float64(lengths["1"]) / float64(lengths["8"]); ratio < 7 || ratio > 8.5 {
		t.Errorf("one client took %v, eight took %v; want an eighth", lengths["1"], lengths["8"])
	}
}

// What its partitions serve is theirs however long a loop of so many operations lasts: also
// what comes later than was reckoned with.
func TestACountedLoopTellsOfItsPartitions(t *testing.T) {
	phase := reported(t, simulated(t, unlimited(t, ordered(t, "customer", "clients: 2, count: 2, operations: [{workflow: read-set, with: {sets: 2}}]"))))
	assert.Truef(t, len(phase.Offered) != 0 && slices.Equal(phase.Partitions, phase.Offered),
		"partitions served %v; want what was asked of them, %v", phase.Partitions, phase.Offered)
}

// Before it runs, a loop of so many operations is known by their number, and what a
// workflow does by what it reads.
func TestPreviewOfACountedLoop(t *testing.T) {
	s := ordered(t, "customer", "clients: 4, count: 40, operations: [{workflow: read-set, with: {sets: 1000}}]")
	p, err := planned(t, campaign.Options{Scenario: s, Table: "orders"}).Preview(1)
	require.NoError(t, err)
	if p.Count() != 40 || p.Length != 50*time.Millisecond || p.At(8) != 10*time.Millisecond {
		t.Errorf("Preview of 40 operations of 4 clients = %d in %v, the ninth at %v; want 40 in 50ms, the ninth at 10ms", p.Count(), p.Length, p.At(8))
	}
	assert.Equal(t, filter.ClassPartitionScan, p.Approaches()[0].Class, "a workflow that reads partitions has the class")
}
