package engine_test

import (
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/model"
)

var update = flag.Bool("update", false, "write docs/development/published.md anew")

const comparisonPage = "../docs/development/published.md"

// TestPublishedMeasurements plays the measurements that the service's own team
// published in 2010 (V16 to V18 of the model) through the engine with the profile
// fitted to them, and holds the tables of docs/development/published.md, deviations and all, to what comes out.
func TestPublishedMeasurements(t *testing.T) {
	if testing.Short() {
		t.Skip("plays eighteen minutes of load from one goroutine")
	}
	t.Parallel()
	written, err := os.ReadFile(comparisonPage)
	require.NoError(t, err)
	page := string(written)
	begin, end := strings.Index(page, "\n## Single inserts"), strings.Index(page, "\n## What this shows")
	require.Truef(t, begin >= 0 && end >= begin, "%s has no tables", comparisonPage)
	var b strings.Builder
	singles(t, &b)
	transactions(t, &b)
	sweep(t, &b)
	tables := b.String()
	if *update {
		require.NoError(t, os.WriteFile(comparisonPage, []byte(page[:begin]+tables+page[end:]), 0o644))
	} else if page[begin:end] != tables {
		t.Errorf("docs/development/published.md has other tables; go test ./engine -run TestPublishedMeasurements -update writes\n%s", tables)
	}
}

// crowd is a number of threads that send one transaction after another to one
// partition and, as in the published tests, pause for 3 s after a throttled request and do
// not retry.
type crowd struct{ threads, entities int }

// yield is what a crowd gets done in a second.
type yield struct {
	// Entities were written, share is how many of the requests were throttled.
	entities, share float64
	latency         time.Duration
}

// play runs a crowd for twenty seconds and then for the minute that counts, which
// is about what the memory of rates needs to settle.
func (c crowd) play(t *testing.T) yield {
	b := newCold(t, model.Measured2010, nil)
	const begin, end = 20 * second, 80 * second
	var next clock.Queue[int]
	for thread := range c.threads {
		next.Push(clock.Instant(thread)*second/clock.Instant(c.threads), uint64(thread), thread)
	}
	var ok, throttled int
	var latency time.Duration
	changes := make([]entity.Change, c.entities)
	for next.Len() > 0 {
		now, thread := next.Pop()
		b.number++
		// The entities are the same all the time: what counts is how many.
		for i := range changes {
			changes[i] = entity.Change{Verb: entity.InsertOrReplace, Key: entity.Key{Partition: "hot", Row: fmt.Sprint(thread, "_", i)}}
		}
		r := b.Submit(now, &engine.Request{Account: "one", Table: "Races", Verb: entity.Batch, Changes: changes, Number: b.number})
		counts := r.Done >= begin && r.Done < end
		pause := time.Duration(0)
		switch {
		case r.Code != entity.OK:
			pause = 3 * time.Second
			if counts {
				throttled++
			}
		case counts:
			ok++
			latency += r.Done.Sub(now)
		}
		if again := r.Done.Add(pause); again < end {
			next.Push(again, uint64(thread), thread)
		}
	}
	minute := end.Sub(begin).Seconds()
	return yield{float64(ok*c.entities) / minute, float64(throttled) / float64(ok+throttled), latency / time.Duration(max(1, ok))}
}

func singles(t *testing.T, page *strings.Builder) {
	page.WriteString("\n## Single inserts to one partition\n\n" +
		"| threads | published, per second | here | deviation | within 10% | published throttled | here |\n|--:|--:|--:|--:|:-:|--:|--:|\n")
	for _, row := range []struct {
		threads   int
		published float64
		throttled string
	}{{30, 600, "0"}, {75, 1000, "0.0004%"}, {150, 1000, "0.03%"}, {240, 1000, "0.2%"}} {
		y := crowd{row.threads, 1}.play(t)
		fmt.Fprintf(page, "| %d | %.0f | %.0f | %s | %s | %s | %.2f%% |\n", row.threads, row.published, y.entities,
			deviation(y.entities, row.published), verdictOf(math.Abs(y.entities/row.published-1) <= .1), row.throttled, 100*y.share)
	}
}

func transactions(t *testing.T, page *strings.Builder) {
	page.WriteString("\n## Transactions of 100 to one partition\n\n" +
		"| threads | published, entities per second | here | deviation | within 10% | published throttled | here | within 6 points |\n|--:|--:|--:|--:|:-:|--:|--:|:-:|\n")
	for _, row := range []struct {
		threads              int
		published, throttled float64
	}{{20, 2300, 0}, {30, 2400, .11}, {50, 2500, .22}} {
		y := crowd{row.threads, 100}.play(t)
		fmt.Fprintf(page, "| %d | %.0f | %.0f | %s | %s | %.0f%% | %.1f%% | %s |\n", row.threads, row.published, y.entities,
			deviation(y.entities, row.published), verdictOf(math.Abs(y.entities/row.published-1) <= .1),
			100*row.throttled, 100*y.share, verdictOf(math.Abs(y.share-row.throttled) <= .06))
	}
}

// sweep varies the size of the transactions with 30 threads: what a transaction
// gains is in the pipeline, so that it must be full.
func sweep(t *testing.T, page *strings.Builder) {
	page.WriteString("\n## Size of the transactions, 75 threads\n\n| entities in a transaction | entities per second | of the rate with 100 |\n|--:|--:|--:|\n")
	rates := map[int]float64{}
	sizes := []int{1, 2, 5, 10, 20, 50, 100}
	for _, n := range sizes {
		rates[n] = crowd{75, n}.play(t).entities
	}
	for _, n := range sizes {
		fmt.Fprintf(page, "| %d | %.0f | %.1f%% |\n", n, rates[n], 100*rates[n]/rates[100])
	}
	gain := rates[100] / rates[1]
	fmt.Fprintf(page, "\n- Published: the gain for each entity peaks at about 20. Here 20 reach %.1f%% of what 100 do; at least 90%%: %s.\n",
		100*rates[20]/rates[100], verdictOf(rates[20] >= .9*rates[100]))
	fmt.Fprintf(page, "- Published: transactions of 100 write about 3 times what single inserts do. Here %.2f times; from 2 to 3.2: %s.\n",
		gain, verdictOf(gain >= 2 && gain <= 3.2))
}

func deviation(got, want float64) string { return fmt.Sprintf("%+.1f%%", 100*(got/want-1)) }

func verdictOf(holds bool) string {
	if holds {
		return "yes"
	}
	return "**no**"
}
