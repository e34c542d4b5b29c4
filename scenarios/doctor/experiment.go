package doctor

import (
	"fmt"
	"math"
	"strings"
	"time"

	"loadgen/report/document"
)

// The names of the phases identify the attempts of an experiment.
const (
	phaseGet, phaseInsert, phasePage, phaseBatch = "get", "insert", "page", "transaction"
	phaseHold, phaseAfter                        = "hold", "after"
	phaseRest, phaseBurst                        = "rest", "burst"
)

const (
	// pageEntities is the size of a page, batchEntities of a transaction, as in paging and batching.
	pageEntities, batchEntities = 100, 100
	// defaultBytes and largeBytes are the sizes of entities.
	defaultBytes, largeBytes = 1024, 16 * 1024
	// seldom is the share of Rate for pages and transactions.
	seldom = 0.4
	// rungFor is the time of a rate of the ladder, holdFor of an overload, settleFor of one that
	// settles slowly, afterFor of the low load after it.
	rungFor, holdFor, settleFor, afterFor = 4 * time.Second, 10 * time.Second, 40 * time.Second, 4 * time.Second
	// restFor is the pause before a burst, burstFor the time of a burst.
	restFor, burstFor = 3 * time.Second, time.Second
	bursts            = 5
)

// scenarioOf returns a scenario with these phases.
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

// offered returns a phase with one operation at a constant rate.
func offered(name string, perSecond float64, lasts time.Duration, operation string) string {
	return fmt.Sprintf("  - {name: %s, traffic: {arrivals: {constant: %s}, for: %s, operations: [%s]}}", name,
		document.Plainly(math.Round(perSecond*1000)/1000), lasts, operation)
}

const (
	inserting = "{name: insert, verb: insert}"
	getting   = "{name: get, verb: get}"
	paging    = "{name: page, verb: query, class: partition-scan, top: 100, pages: 1}"
	batching  = "{name: transaction, verb: batch, entities: 100, together: [group]}"
	// spreadKey makes 32 partitions, oneKey one.
	spreadKey, oneKey = "{group}", "calibrate"
	partitions        = 32
)

// latencies measures each operation at a low rate.
func latencies(rate float64, each time.Duration) string {
	return scenarioOf("latency", spreadKey, defaultBytes, []string{
		"  - {name: load, load: {entities: 6400, transaction: 100, lanes: 4}}",
		offered(phaseGet, rate, each, getting),
		offered(phaseInsert, rate, each, inserting),
		offered(phasePage, rate*seldom, each, paging),
		offered(phaseBatch, rate*seldom, each, batching),
	})
}

// largeLatencies measures single operations on large entities.
func largeLatencies(rate float64, each time.Duration) string {
	return scenarioOf("size", spreadKey, largeBytes, []string{
		"  - {name: load, load: {entities: 320, transaction: 10, lanes: 4}}",
		offered(phaseGet, rate, each/2, getting),
		offered(phaseInsert, rate, each/2, inserting),
	})
}

// overload offers a rate to a partition, then a lower one if that is not 0.
func overload(rate, below float64, lasts time.Duration) string {
	phases := []string{offered(phaseHold, rate, lasts, inserting)}
	if below > 0 {
		phases = append(phases, offered(phaseAfter, below, afterFor, inserting))
	}
	return scenarioOf("overload", oneKey, defaultBytes, phases)
}

// burst alternates pauses and rates above a partition's limit.
func burst(rate float64) string {
	var phases []string
	for i := range bursts {
		phases = append(phases, offered(fmt.Sprintf("%s-%d", phaseRest, i+1), 1, restFor, inserting),
			offered(fmt.Sprintf("%s-%d", phaseBurst, i+1), rate, burstFor, inserting))
	}
	return scenarioOf("burst", oneKey, defaultBytes, phases)
}

// accountLoad offers transactions of small entities to many partitions, and no lower rate after that.
func accountLoad(entitiesPerSecond, _ float64, lasts time.Duration) string {
	text := scenarioOf("account", spreadKey, 100, []string{offered(phaseHold, entitiesPerSecond/batchEntities, lasts, batching)})
	return strings.Replace(text, "[100, 131]", "[1000, 1255]", 1)
}
