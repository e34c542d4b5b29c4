package doctor

import (
	"fmt"
	"math"
	"strings"
	"time"

	"loadgen/report/document"
	"loadgen/scenarios"
)

// The phases of the experiments, by which attempts are told apart.
const (
	phaseGet, phaseInsert, phasePage, phaseBatch = "get", "insert", "page", "transaction"
	phaseRung, phaseHold, phaseAfter             = "rung", "hold", "after"
	phaseRest, phaseBurst                        = "rest", "burst"
)

const (
	// pageEntities is how many entities a page has whose latency is measured, batchEntities
	// how many a transaction.
	pageEntities, batchEntities = 100, 100
	// usualBytes and largeBytes are the sizes of entities.
	usualBytes, largeBytes = 1024, 16 * 1024
	// seldom is what pages and transactions come at, of the gentle rate.
	seldom = 0.4
	// rungFor is how long a rate of the ladder lasts, holdFor an overload, settleFor one whose
	// limit takes its time, afterFor the gentle load that follows.
	rungFor, holdFor, settleFor, afterFor = 4 * time.Second, 10 * time.Second, 40 * time.Second, 4 * time.Second
	// restFor is how long a partition rests before each of the bursts, burstFor how long these last.
	restFor, burstFor = 3 * time.Second, time.Second
	bursts            = 5
)

// scenarioOf returns a scenario of this room: rows of its phases, each on a line.
func scenarioOf(name, partitionKey string, bytes int, phases []string) string {
	return fmt.Sprintf(`name: calibrate-%s
about: Part of what measures a service for a profile of the model.
table: calibrate
retry: none
attributes:
  group: {uniform: [100, 131]}
  id: {sequence: 1}
entity: {size: %d, filler: Filler, properties: [{name: Id, type: Int64, value: "{id}"}]}
design: {partition_key: "%s", row_key: "{id:09d}"}
phases:
%s
`, name, bytes, partitionKey, strings.Join(phases, "\n"))
}

// offered returns a phase that offers one operation at an even rate.
func offered(name string, perSecond float64, lasts time.Duration, operation string) string {
	return fmt.Sprintf("  - {name: %s, traffic: {arrivals: {constant: %s}, for: %s, operations: [%s]}}", name,
		document.Plainly(math.Round(perSecond*1000)/1000), lasts, operation)
}

const (
	inserting = "{name: insert, verb: insert}"
	getting   = "{name: get, verb: get}"
	// spreadKey puts entities into 32 partitions, oneKey all into one.
	spreadKey, oneKey = "{group}", "calibrate"
	partitions        = 32
)

// latencies measures each operation at a gentle rate, for so long.
func latencies(rate float64, each time.Duration) string {
	return scenarioOf("latency", spreadKey, usualBytes, []string{
		"  - {name: load, load: {entities: 6400, transaction: 100, lanes: 4}}",
		offered(phaseGet, rate, each, getting),
		offered(phaseInsert, rate, each, inserting),
		offered(phasePage, rate*seldom, each, fmt.Sprintf("{name: page, verb: query, class: partition-scan, top: %d, pages: 1}", pageEntities)),
		offered(phaseBatch, rate*seldom, each, fmt.Sprintf("{name: transaction, verb: batch, entities: %d, together: [group]}", batchEntities)),
	})
}

// largeLatencies measures single operations on large entities, for half as long.
func largeLatencies(rate float64, each time.Duration) string {
	return scenarioOf("size", spreadKey, largeBytes, []string{
		"  - {name: load, load: {entities: 320, transaction: 10, lanes: 4}}",
		offered(phaseGet, rate, each/2, getting),
		offered(phaseInsert, rate, each/2, inserting),
	})
}

// rung offers one rate to one partition.
func rung(rate float64, lasts time.Duration) string {
	return scenarioOf("rung", oneKey, usualBytes, []string{offered(phaseRung, rate, lasts, inserting)})
}

// overload holds a rate beyond the limit of a partition, and goes on below it.
func overload(rate, below float64, lasts time.Duration) string {
	return scenarioOf("overload", oneKey, usualBytes, []string{
		offered(phaseHold, rate, lasts, inserting),
		offered(phaseAfter, max(1, below), afterFor, inserting),
	})
}

// burst has a partition rest, and then meet a rate beyond its limit, several times.
func burst(rate float64) string {
	var phases []string
	for i := range bursts {
		phases = append(phases, offered(fmt.Sprintf("%s-%d", phaseRest, i+1), 1, restFor, inserting),
			offered(fmt.Sprintf("%s-%d", phaseBurst, i+1), rate, burstFor, inserting))
	}
	return scenarioOf("burst", oneKey, usualBytes, phases)
}

// accountLoad offers entities to many partitions in transactions, small ones: what is counted is
// entities, and not bytes.
func accountLoad(entitiesPerSecond float64, lasts time.Duration) string {
	text := scenarioOf("account", "{group}", 100, []string{offered(phaseHold, entitiesPerSecond/batchEntities, lasts,
		fmt.Sprintf("{name: transaction, verb: batch, entities: %d, together: [group]}", batchEntities))})
	return strings.Replace(text, "[100, 131]", "[1000, 1255]", 1)
}

// read returns the scenario of a text of this room, with the model and seed of an engine.
func (o *CalibrationOptions) read(text string) (*scenarios.Scenario, error) {
	s, err := scenarios.Parse("calibrate", []byte(text))
	if err != nil {
		return nil, err
	}
	if o.Model.Profile != "" {
		s.Model = o.Model
	}
	if o.Seed != 0 {
		s.Seed = o.Seed
	}
	s.Workers = o.Workers
	return s, nil
}
