package doctor

import (
	"embed"
	"math"
	"os"
	"time"

	"loadgen/report/document"
)

// The names of the phases identify the attempts of an experiment.
const (
	phaseGet, phaseInsert, phasePage, phaseBatch = "get", "insert", "page", "transaction"
	phaseHold, phaseAfter, phaseBurst            = "hold", "after", "burst"
)

const (
	// pageEntities is the size of a page, batchEntities of a transaction.
	pageEntities, batchEntities = 100, 100
	// seldom is the share of Rate for pages and transactions.
	seldom = 0.4
	// rungFor is the time of a rate of the ladder, holdFor of an overload, settleFor of one that
	// settles slowly, afterFor of the low load after it.
	rungFor, holdFor, settleFor, afterFor = 4 * time.Second, 10 * time.Second, 40 * time.Second, 4 * time.Second
	// restFor is the pause before a burst, burstFor the time of a burst.
	restFor, burstFor = 3 * time.Second, time.Second
)

// experiment is a run of a scenario of a file in the folder experiments, in which the values replace ${rate}, ${other_rate},
// ${time} and ${other_time}.
type experiment struct {
	file string
	// rate is in operations per second, otherRate that of pages and transactions, before a burst, or after an overload.
	rate, otherRate float64
	time, otherTime time.Duration
}

//go:embed experiments
var experimentFiles embed.FS

// scenario returns the text of the scenario.
func (e experiment) scenario() ([]byte, error) {
	text, err := experimentFiles.ReadFile("experiments/" + e.file + ".yaml")
	plain := func(rate float64) string { return document.Plainly(math.Round(rate*1000) / 1000) }
	values := map[string]string{"rate": plain(e.rate), "other_rate": plain(e.otherRate), "time": e.time.String(), "other_time": e.otherTime.String()}
	return []byte(os.Expand(string(text), func(name string) string { return values[name] })), err
}

// latencies measures each operation at a low rate.
func latencies(rate float64, each time.Duration) experiment {
	return experiment{"latency", rate, rate * seldom, each, each}
}

// largeLatencies measures single operations on large entities.
func largeLatencies(rate float64, each time.Duration) experiment {
	return experiment{"size", rate, 0, each / 2, 0}
}

// overload offers a rate to a partition, then a lower one if that is not 0.
func overload(rate, below float64, lasts time.Duration) experiment {
	if below == 0 {
		return experiment{"rate", rate, 0, lasts, 0}
	}
	return experiment{"overload", rate, below, lasts, afterFor}
}

// burst alternates pauses and rates above a partition's limit.
func burst(rate float64) experiment { return experiment{"burst", rate, 1, burstFor, restFor} }

// accountLoad offers transactions of small entities to many partitions, and no lower rate after that.
func accountLoad(entitiesPerSecond, _ float64, lasts time.Duration) experiment {
	return experiment{"account", entitiesPerSecond / batchEntities, 0, lasts, 0}
}
