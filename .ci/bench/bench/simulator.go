package bench

import (
	"context"
	"fmt"

	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/run"
)

// ofSimulator is this program's runner in virtual time.
const ofSimulator = "simulate"

// The load that is simulated unless a dimension says otherwise, in operations a second, and for
// how many seconds.
const (
	simulatedRate    = 20_000
	simulatedSeconds = 10
	quickSeconds     = 2
)

// whatAttempt is one attempt in virtual time, from the schedule to the sealed record.
const (
	whatAttempt     = "attempt"
	whatAttemptData = "attempt, stored"
)

// simulated is a scenario of the group: the merges of the canonical simulation.
type simulated struct {
	at         string
	partitions int
	servers    int
	cold, data bool
	// clients make a closed loop with a think time instead of a rate, for a number of seconds.
	clients int
	think   string
	seconds int
}

// simulations are the dimensions, each changed alone. The first two are those that
// aims are of.
var simulations = [...]simulated{
	{at: "32 ranges, 30 servers", partitions: 32, servers: 30},
	{at: "32 ranges, 30 servers", partitions: 32, servers: 30, data: true},
	{at: "1 range, 30 servers", partitions: 1, servers: 30},
	{at: "1,024 ranges, 30 servers", partitions: 1024, servers: 30},
	{at: "cold, 1 server", partitions: 32, servers: 1, cold: true},
	{at: "cold, 1,000 servers", partitions: 32, servers: 1000, cold: true},
	{at: "closed loop, 10 clients", partitions: 32, servers: 30, clients: 10, think: "1ms", seconds: 60},
	{at: "closed loop, 100 clients", partitions: 32, servers: 30, clients: 100, think: "1ms", seconds: 10},
	{at: "closed loop, 1,000 clients", partitions: 32, servers: 30, clients: 1000, think: "40ms", seconds: 6},
}

// text is the scenario of a dimension.
func (s *simulated) text(seconds int) string {
	start, offers := "warm", fmt.Sprintf("arrivals: {constant: %d}", simulatedRate)
	if s.cold {
		start = "cold"
	}
	if s.clients > 0 {
		offers, seconds = fmt.Sprintf("clients: %d, think: %s", s.clients, s.think), s.seconds
	}
	return fmt.Sprintf(`name: bench
about: What the simulator is measured by.
table: bench
retry: none
start: %s
model: {profile: documented, servers: %d}
attributes:
  group: {uniform: [10000, %d]}
  id: {sequence: 1}
entity: {size: 1024, filler: Filler}
design: {partition_key: "{group}", row_key: "{id:09d}"}
phases:
  - {name: offered, traffic: {%s, for: %ds, operations: [{name: merge, verb: insert-or-merge, properties: [{name: Paid, type: Boolean, value: "true"}]}]}}
`, start, s.servers, 10_000+s.partitions-1, offers, seconds)
}

// simulator measures what an attempt costs in virtual time.
func (b *bench) simulator(ctx context.Context) error {
	seconds, list := simulatedSeconds, simulations[:]
	if b.Quick {
		seconds, list = quickSeconds, list[:2]
	}
	var cells []cell
	for _, one := range list {
		c, err := b.simulatedCell(&one, seconds)
		if err != nil {
			return err
		}
		cells = append(cells, c)
	}
	return b.rounds(ctx, cells)
}

// simulatedCell is the cell of a dimension.
func (b *bench) simulatedCell(one *simulated, seconds int) (cell, error) {
	scenario, err := scenarios.Parse("bench", []byte(one.text(seconds)))
	if err != nil {
		return cell{}, err
	}
	what, data := whatAttempt, one.data
	if data {
		what = whatAttemptData
	}
	return cell{Cell: Cell{GroupSimulator, what, one.at, ofSimulator}, once: true, run: func(ctx context.Context) (reading, error) {
		return b.simulate(ctx, scenario, data)
	}}, nil
}

// simulate measures one simulation whose record is kept in memory.
func (b *bench) simulate(ctx context.Context, s *scenarios.Scenario, data bool) (reading, error) {
	used := new(own)
	_ = used.begins()
	began := b.Clock.Now()
	record, err := run.Run(ctx, run.Plan{Scenario: s, Data: data, Memory: new(results.Memory)})
	_ = used.ends()
	if err != nil {
		return reading{}, err
	}
	return used.reading(record.Total(results.Everything).Attempts, b.Clock.Now().Sub(began)), nil
}
