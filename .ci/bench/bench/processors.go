package bench

import (
	"context"
	"fmt"
	"runtime"
	"runtime/metrics"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/run"
	"loadgen/target"
)

// The cost of a whole load with more processors to run on, which all want the runner's
// lock and the record's.
const (
	whatSent  = "get, sent and recorded"
	whatWaits = "waits for a lock"
)

// processors are how many the scheduler of the runtime is given, whether or not the machine has
// them: what goroutines wait for each other shows on fewer, too.
var processors = [...]int{1, 2, 4, 8}

// sentOperations are sent in a round: the beginning and the end of a run are short in comparison.
const sentOperations, sentQuick = 10_000, 1000

func processorsName(n int) string { return fmt.Sprintf("GOMAXPROCS %d", n) }

// unpacedLoads are loads without pauses by the live runner with its record, to the bare handler.
func (b *bench) unpacedLoads(s *server) []cell {
	var cells []cell
	for _, n := range processors {
		cells = append(cells, cell{Cell: Cell{GroupRecord, whatSent, processorsName(n), ofProgram}, once: true, run: func(ctx context.Context) (reading, error) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
			return b.sentBy(ctx, s)
		}})
	}
	return cells
}

// sentBy measures a closed loop whose clients never pause.
func (b *bench) sentBy(ctx context.Context, s *server) (reading, error) {
	operation := target.Operation{Verb: entity.Get, Table: benchTable}
	operation.Change = entity.Change{Verb: entity.Get, Key: entity.Key{Partition: pageKey, Row: rowKey(7)}}
	count := uint64(sentOperations)
	if b.Quick {
		count = sentQuick
	}
	stage := &drive.Stage{Name: "flat out", Lanes: driverLanes, Count: count, Limit: time.Minute, Chance: clock.NewStream(1, "retry"),
		Phases: []results.Phase{{Name: "flat out", Reported: true}},
		Build:  func(_ uint64, w *drive.Work) { w.Operation = operation }}
	trial := run.Trial{Runner: &drive.Live{Clock: b.Clock, Target: s.to, Workers: driverLanes}, Kinds: []results.Kind{{Name: "get", Group: "GET"}}}
	waited := waitedForLocks()
	measured, err := b.once(func() error {
		_, err := trial.Run(ctx, stage)
		return err
	})
	measured.operations = int64(count)
	waits := (waitedForLocks() - waited) / float64(count)
	measured.more = []value{{whatWaits, "µs", waits * 1e6}}
	return measured, err
}

// waitedForLocks returns how many seconds goroutines have waited for a lock so far, the time
// until they run again among it.
func waitedForLocks() float64 {
	sample := []metrics.Sample{{Name: "/sync/mutex/wait/total:seconds"}}
	metrics.Read(sample)
	return sample[0].Value.Float64()
}
