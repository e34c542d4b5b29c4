package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/run"
	"loadgen/target"
)

// pacingWorkers are there to keep a rate.
const pacingWorkers = 64

// rates are those that drivers keep, in operations a second.
var rates = [...]int{2000, 5000, 10_000, 20_000}

// The figures of a driver that keeps a rate, in addition to its CPU.
const (
	whatPaced = "get at a rate"
	whatHalf  = "off its instant, p50"
	whatTail  = "off its instant, p99"
)

// pacing measures how exactly drivers send, to the bare handler.
func (b *bench) pacing(ctx context.Context) (err error) {
	s, err := b.startBare(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	raw, err := b.sentFor(ctx, s, whatGet)
	if err != nil {
		return err
	}
	return b.rounds(ctx, b.paced(s, raw))
}

// pacedFor is how long a rate is kept in a round.
const pacedFor = 600 * time.Millisecond

// paced are drivers that keep a rate, and how far from its instant each operation is sent.
func (b *bench) paced(s *server, raw *rawRequest) []cell {
	kept := rates[:]
	if b.Quick {
		kept = kept[:2]
	}
	alone := &vegetaAlone{method: raw.Method, url: raw.URL.String(), header: raw.Header, workers: pacingWorkers}
	var cells []cell
	for _, rate := range kept {
		at := fmt.Sprintf("%d,%03d/s", rate/1000, rate%1000)
		cells = append(cells,
			cell{Cell: Cell{GroupPacing, whatPaced, at, ofDriver}, once: true, run: func(ctx context.Context) (reading, error) {
				return b.measurePacing(func() ([]time.Duration, error) { return b.pace(ctx, s, rate) })
			}},
			cell{Cell: Cell{GroupPacing, whatPaced, at, ofVegeta}, once: true, run: func(context.Context) (reading, error) {
				return b.measurePacing(func() ([]time.Duration, error) { return alone.paced(b.Clock, rate, pacedFor) })
			}})
	}
	return cells
}

// measurePacing measures a driver that keeps a rate, and returns how far off it was.
func (b *bench) measurePacing(pace func() ([]time.Duration, error)) (reading, error) {
	before, _ := run.CPU()
	began := b.Clock.Now()
	lags, err := pace()
	after, _ := run.CPU()
	if err == nil && len(lags) == 0 {
		err = errors.New("nothing was sent")
	}
	if err != nil {
		return reading{}, err
	}
	slices.Sort(lags)
	at := func(percent int) float64 { return lags[(len(lags)-1)*percent/100].Seconds() * 1e6 }
	return reading{operations: int64(len(lags)), cpu: after - before, lasted: b.Clock.Now().Sub(began),
		more: []value{{whatHalf, "µs", at(50)}, {whatTail, "µs", at(99)}}}, nil
}

// pace keeps a rate by the live runner, and returns how far each operation was off.
func (b *bench) pace(ctx context.Context, s *server, rate int) ([]time.Duration, error) {
	schedule, err := arrival.NewSteps(arrival.Step{Rate: float64(rate), Length: pacedFor})
	if err != nil {
		return nil, err
	}
	operation := target.Operation{Verb: entity.Get, Table: benchTable}
	operation.Change = entity.Change{Verb: entity.Get, Key: entity.Key{Partition: pageKey, Row: rowKey(7)}}
	stage := &drive.Stage{Name: "paced", Schedule: schedule, Chance: clock.NewStream(1, "retry"), Grace: time.Second,
		Phases: []results.Phase{{Name: "paced", End: pacedFor, Rate: float64(rate), Reported: true}},
		Build:  func(_ uint64, w *drive.Work) { w.Operation = operation }}
	sent := new(lags)
	trial := run.Trial{Runner: &drive.Live{Clock: b.Clock, Target: s.to, Workers: pacingWorkers, Fine: true},
		Kinds: []results.Kind{{Name: "get", Group: "GET"}}, Observers: []drive.Observer{sent}}
	_, err = trial.Run(ctx, stage)
	return sent.list, err
}

// lags are how far from their instants operations were sent. One goroutine adds at a time.
type lags struct{ list []time.Duration }

// Attempt implements [drive.Observer].
func (l *lags) Attempt(a *results.Attempt) { l.list = append(l.list, (a.Sent - a.Intended).Abs()) }

// Completed implements [drive.Observer].
func (l *lags) Completed(*results.Completed) {}
