package bench

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"loadgen/engine/clock"
	"loadgen/scenarios/run"
)

// Cell is what is measured once a round: what is done, at which load or size, and whose
// code does it.
type Cell struct {
	Group string `json:"group"`
	What  string `json:"what"`
	At    string `json:"at,omitempty"`
	Of    string `json:"of"`
}

// cell is a Cell with what measures it.
type cell struct {
	Cell
	// per is how many of the figure's things an operation has, 0 for one; thing is what they
	// are called, empty for operations.
	per   int
	thing string
	// once has it be measured once a round, and not in several turns.
	once bool
	// slow gives it one turn of a round where the others have several.
	slow bool
	run  func(context.Context) (reading, error)
}

// reading is what a cell came to in a round.
type reading struct {
	operations int64
	// cpu is what they have used, lasted how long they took.
	cpu, lasted time.Duration
	// allocations are those of this process meanwhile, counted where counted says so.
	allocations int64
	counted     bool
	// more are figures that are no CPU.
	more []value
}

// plus adds another turn of the same round.
func (r *reading) plus(more reading) {
	r.operations, r.cpu, r.lasted = r.operations+more.operations, r.cpu+more.cpu, r.lasted+more.lasted
	r.allocations, r.counted = r.allocations+more.allocations, more.counted
	r.more = append(r.more, more.more...)
}

// value is a figure of a cell with a name and a unit of its own.
type value struct {
	what, unit string
	value      float64
}

// load has lanes perform operations for so long, each with a number of its own. Before that each
// lane performs a few, so that its connection is open, and begins is called between: both, and
// ends, run alone.
type load struct {
	clock clock.Real
	lanes int
	lasts time.Duration
	// least is how many operations there are to be at least, for which it may last longest times
	// as long: a busy machine does little in a slice, which says little.
	least  int64
	begins func() error
	ends   func() error
	do     func(lane int, number uint64) error
}

// longest is how many times as long a load may last to have its least.
const longest = 5

// warmed is how many operations each lane performs before it is measured.
const warmed = 1

// run carries the load out and returns how many operations were measured and how long they took.
func (l *load) run(ctx context.Context) (operations int64, lasted time.Duration, err error) {
	var numbers atomic.Uint64
	if err := l.together(func(lane int) error {
		for range warmed {
			if err := l.do(lane, numbers.Add(1)); err != nil {
				return err
			}
		}
		return ctx.Err()
	}); err != nil {
		return 0, 0, err
	}
	if err := l.begins(); err != nil {
		return 0, 0, err
	}
	var done atomic.Int64
	began := l.clock.Now()
	goes := func() bool {
		now := l.clock.Now().Sub(began)
		return (now < l.lasts || now < longest*l.lasts && done.Load() < l.least) && ctx.Err() == nil
	}
	err = l.together(func(lane int) error {
		for first := true; first || goes(); first = false { // once, however long it was kept from it
			if err := l.do(lane, numbers.Add(1)); err != nil {
				return err
			}
			done.Add(1)
		}
		return ctx.Err()
	})
	lasted = l.clock.Now().Sub(began)
	if err == nil {
		err = l.ends()
	}
	return done.Load(), lasted, err
}

// together has each lane do something and returns the first error.
func (l *load) together(each func(lane int) error) error {
	var lanes sync.WaitGroup
	errs := make([]error, l.lanes)
	for lane := range l.lanes {
		lanes.Go(func() { errs[lane] = each(lane) })
	}
	lanes.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// own measures what this process itself uses and allocates between begins and ends.
type own struct {
	cpu    time.Duration
	before runtime.MemStats
	after  runtime.MemStats
}

func (o *own) begins() error {
	runtime.ReadMemStats(&o.before)
	o.cpu, _ = run.CPU()
	return nil
}

func (o *own) ends() error {
	used, _ := run.CPU()
	o.cpu = used - o.cpu
	runtime.ReadMemStats(&o.after)
	return nil
}

// reading returns the resources used by a number of operations.
func (o *own) reading(operations int64, lasted time.Duration) reading {
	return reading{operations: operations, cpu: o.cpu, lasted: lasted, counted: true,
		allocations: int64(o.after.Mallocs - o.before.Mallocs)}
}

// measureHere measures lanes of this process for so long.
func measureHere(ctx context.Context, clk clock.Real, lanes int, lasts time.Duration, do func(lane int, number uint64) error) (reading, error) {
	used := new(own)
	l := load{clock: clk, lanes: lanes, lasts: lasts, least: int64(lanes), begins: used.begins, ends: used.ends, do: do}
	operations, lasted, err := l.run(ctx)
	return used.reading(operations, lasted), err
}
