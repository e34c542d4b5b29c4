package results

import (
	"cmp"
	"slices"
	"time"
)

// Generator is what the process that sent the load could do, what that cost it,
// and how it fared: the ground for believing the other figures, or for doubting
// them. Of an embedded run it is the cost of the engine, too, which shares the
// process.
type Generator struct {
	// Ceiling is what was sent flat out before the run, nil where nobody tried.
	Ceiling *Ceiling `json:"ceiling"`
	// Cores is how many of the machine's the process may keep busy at once,
	// Workers the greatest number of attempts that it may have under way.
	Cores   int `json:"cores" merge:"sum"`
	Workers int `json:"workers" merge:"sum"`
	// CPUKnown says that the system tells how much the process has used. Where it
	// does not, each CPU is 0.
	CPUKnown bool `json:"cpu_known"`
	// Seconds is how many whole seconds were looked at: each is part of its line
	// of intervals.ndjson. Pauses are those of the garbage collector, in all.
	Seconds int64         `json:"seconds" merge:"max"`
	CPU     time.Duration `json:"cpu_ns" merge:"sum"`
	Pauses  time.Duration `json:"gc_pauses_ns" merge:"max"`
	// LongestPause is as exact as the runtime's histogram of them.
	LongestPause time.Duration `json:"longest_gc_pause_ns" merge:"max"`
	// StoodStill is for how long the process was not let run, longest at once.
	StoodStill   time.Duration `json:"stood_still_ns" merge:"max"`
	LongestStill time.Duration `json:"longest_stood_still_ns" merge:"max"`
	// Starved, GCCPU, RunQueue and Pressure are the sums of what [Health] says of
	// each second; the last two are nil where the system does not tell.
	Starved  time.Duration  `json:"starved_ns" merge:"max"`
	GCCPU    time.Duration  `json:"gc_cpu_ns" merge:"sum"`
	RunQueue *time.Duration `json:"run_queue_wait_ns" merge:"max"`
	Pressure *time.Duration `json:"cpu_pressure_ns" merge:"max"`
	// LeastFree is the least number of workers that were free while load was
	// sent, nil where that is not known.
	LeastFree *int64 `json:"least_free_workers" merge:"min"`
	// Goroutines and Heap, in bytes, are the greatest of any second.
	Goroutines int64 `json:"most_goroutines" merge:"max"`
	Heap       int64 `json:"most_heap_bytes" merge:"max"`
	// Busiest is the second of the run that took most CPU, nil where none was
	// looked at.
	Busiest *Health `json:"busiest"`
}

// Ceiling is what the generator sends where nothing holds it up: a closed loop,
// flat out, on a target that answers at once.
type Ceiling struct {
	// Over is [OverNothing] or [OverHTTP].
	Over string `json:"over"`
	// Lanes is how many operations were under way at once.
	Lanes      int           `json:"lanes"`
	Operations int64         `json:"operations"`
	Took       time.Duration `json:"took_ns"`
	// CPU is what the process used meanwhile, the answering end included; 0
	// where that is not known.
	CPU time.Duration `json:"cpu_ns"`
}

// The targets of a ceiling: one that is called directly, and a server of this
// process behind a socket of this machine. Both answer 204 at once.
const (
	OverNothing = "null target"
	OverHTTP    = "null server"
)

// PerSecond returns the ceiling in operations a second, 0 where none is known.
func (c *Ceiling) PerSecond() float64 {
	if c == nil || c.Took <= 0 {
		return 0
	}
	return float64(c.Operations) / c.Took.Seconds()
}

// CPUMicros returns the CPU of an operation in microseconds, 0 where it is not
// known.
func (c *Ceiling) CPUMicros() float64 {
	if c == nil || c.Operations <= 0 {
		return 0
	}
	return float64(c.CPU) / float64(time.Microsecond) / float64(c.Operations)
}

// Health is how the generator fared in one whole second of the run, as
// [Generator] has it.
type Health struct {
	Second int64 `json:"second"`
	// Lasted is the time that CPU and pauses are of: a second, or more where the
	// process stood still at its end.
	Lasted       time.Duration `json:"lasted_ns" merge:"max" follow:"sum"`
	CPU          time.Duration `json:"cpu_ns" merge:"sum" follow:"sum"`
	Pauses       time.Duration `json:"gc_pauses_ns" merge:"max" follow:"sum"`
	LongestPause time.Duration `json:"longest_gc_pause_ns" merge:"max" follow:"max"`
	// StoodStill is of this second alone.
	StoodStill time.Duration `json:"stood_still_ns" merge:"max" follow:"sum"`
	// Starved is for how long something was due and no worker was free to send it.
	Starved time.Duration `json:"starved_ns" merge:"max" follow:"sum"`
	// RunQueue is how long threads of the process were ready to run and had no CPU,
	// all of them together; Pressure for how long something on the machine had to
	// wait for one. They are nil where the system does not tell.
	RunQueue *time.Duration `json:"run_queue_wait_ns" merge:"max" follow:"sum"`
	Pressure *time.Duration `json:"cpu_pressure_ns" merge:"max" follow:"sum"`
	// GCCPU is what the garbage collector took of the CPU that the load could have
	// had. The runtime tells it as a collection ends.
	GCCPU time.Duration `json:"gc_cpu_ns" merge:"sum" follow:"sum"`
	// FreeWorkers is the least number of them, nil where no load was sent.
	FreeWorkers *int64 `json:"free_workers" merge:"min" follow:"min"`
	Goroutines  int64  `json:"goroutines" merge:"sum" follow:"max"`
	Heap        int64  `json:"heap_bytes" merge:"sum" follow:"max"`
	// Unanswered are the stretches of the second in which attempts were under way
	// and none was answered, in order, though the process was let run: those of at
	// least 50 ms, what lay in seconds before counted. One that goes on has its next
	// part in the next second.
	Unanswered []Stretch `json:"unanswered,omitempty"`
}

// Stretch is a part of a run in which nothing was answered, from an instant to
// another, with the greatest number of attempts that waited at its end.
type Stretch struct {
	From    time.Duration `json:"from_ns"`
	To      time.Duration `json:"to_ns"`
	Waiting int64         `json:"waiting"`
}

// Share returns the part of so many cores that the second kept busy, 0 where
// that is not known.
func (v *Health) Share(cores int) float64 {
	if v == nil || v.Lasted <= 0 || cores <= 0 {
		return 0
	}
	return float64(v.CPU) / float64(v.Lasted) / float64(cores)
}

// Health takes down how the generator fared in a whole second, as part of that
// second's line. One that was written already goes without.
func (r *Recorder) Health(v Health) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if v.Second >= r.rows.first {
		r.rows.at(time.Duration(v.Second) * time.Second).Generator = &v
	}
}

// followedBy returns the health of a stretch of seconds and the one after it together. A nil one is not known.
func (v *Health) followedBy(next *Health) *Health {
	if v == nil || next == nil {
		return cmp.Or(v, next)
	}
	sum := *v
	combine(&sum, next, "follow")
	sum.Unanswered = slices.Concat(v.Unanswered, next.Unanswered)
	return &sum
}
