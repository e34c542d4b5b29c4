package trial

import (
	"context"
	"fmt"
	"time"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/run"
	"loadgen/target"
)

// Experiment is the load of one try. Operations are due at random instants of even slots, with
// one rate each before, during and after the trouble.
type Experiment struct {
	// Clients is the number of clients, see [Experiment.ClientOf].
	Clients int
	// Lead, Trouble and Tail are the durations, LeadRate to TailRate the operations per second
	// of all clients.
	Lead, Trouble, Tail             time.Duration
	LeadRate, TroubleRate, TailRate float64
	// Together makes one operation of each client due at the first instant of the trouble, and
	// none in the rest of it; TroubleRate is ignored.
	Together bool
	Seed     uint64
	// Build writes operation k into w, see [loadgen/scenarios/drive.Stage.Build].
	Build func(k uint64, w *drive.Work)
}

// grace is added to the policy's maximum wait at the end of an experiment, which maxWait limits.
const (
	grace   = 10 * time.Second
	maxWait = 24 * time.Hour
)

// Validate returns every fault of the experiment.
func (e *Experiment) Validate() []error {
	var faults []error
	if e.Clients < 1 || e.Clients > 1_000_000 {
		faults = append(faults, fmt.Errorf("%w: clients is %d; it must be 1 to 1,000,000", ErrExperiment, e.Clients))
	}
	for _, stretch := range []struct {
		name   string
		length time.Duration
	}{{"lead", e.Lead}, {"trouble", e.Trouble}, {"tail", e.Tail}} {
		if stretch.length < 100*time.Millisecond || stretch.length > time.Hour {
			faults = append(faults, fmt.Errorf("%w: %s lasts %v; it must be 100ms to 1h", ErrExperiment, stretch.name, stretch.length))
		}
	}
	if _, err := e.arrivals(); len(faults) == 0 && err != nil {
		faults = append(faults, fmt.Errorf("%w: %w", ErrExperiment, err))
	}
	return faults
}

func (e *Experiment) arrivals() (arrival.Schedule, error) {
	chance := clock.NewStream(e.Seed, "arrivals")
	if e.Together {
		lead, err := arrival.NewSteps(arrival.Step{Rate: e.LeadRate, Length: e.Lead})
		if err != nil {
			return nil, err
		}
		tail, err := arrival.NewSteps(arrival.Step{Rate: e.TailRate, Length: e.Tail})
		if err != nil {
			return nil, err
		}
		return &together{lead: arrival.NewJittered(lead, chance), tail: arrival.NewJittered(tail, clock.NewStream(e.Seed, "tail")),
			clients: uint64(e.Clients), at: e.Lead, begins: e.Lead + e.Trouble}, nil
	}
	steps, err := arrival.NewSteps(arrival.Step{Rate: e.LeadRate, Length: e.Lead},
		arrival.Step{Rate: e.TroubleRate, Length: e.Trouble}, arrival.Step{Rate: e.TailRate, Length: e.Tail})
	if err != nil {
		return nil, err
	}
	return arrival.NewJittered(steps, chance), nil
}

// ClientOf returns the client of operation k: in each round every client has one operation, in
// an order that rotates randomly from round to round. A fixed order could fall in step with a
// partition's allowance, which would then always serve the same clients.
func (e *Experiment) ClientOf(k uint64) uint64 {
	n := uint64(e.Clients)
	draw := clock.NewStream(e.Seed, "clients").At(k / n)
	return (k + uint64(draw.IntN(e.Clients))) % n
}

// Try runs the experiment for a contestant against a new target. The error is the context's,
// or wraps [ErrExperiment].
func (e *Experiment) Try(ctx context.Context, c Contestant, t target.Immediate) (results.PolicyTrial, error) {
	if faults := e.Validate(); len(faults) > 0 {
		return results.PolicyTrial{}, faults[0]
	}
	schedule, err := e.arrivals()
	if err != nil {
		return results.PolicyTrial{}, err
	}
	watch := &watch{clientOf: e.ClientOf, from: e.Lead, to: e.Lead + e.Trouble, arrivals: e.Lead + e.Trouble + e.Tail,
		caught: make([]int64, e.Clients), won: make([]int64, e.Clients)}
	stage := &drive.Stage{
		Name: c.Name, Schedule: schedule,
		Build: e.Build, Retry: c.Policy, Chance: clock.NewStream(e.Seed, "retry"),
		Grace:  min(c.Policy.LongestWait(), maxWait) + grace,
		Phases: []results.Phase{{Name: c.Name, End: schedule.Length(), Reported: true}},
	}
	if c.Limiter != nil {
		stage.Limiters = &drive.Limiters{Clients: uint64(e.Clients), ClientOf: e.ClientOf, New: c.Limiter, Chance: clock.NewStream(e.Seed, "limiter")}
	}
	trial := run.Trial{Runner: &drive.Virtual{Target: t}, Kinds: []results.Kind{{Name: "operation"}}, Observers: []drive.Observer{watch}}
	if _, err := trial.Run(ctx, stage); err != nil {
		return results.PolicyTrial{}, err
	}
	var withheld int64
	if stage.Limiters != nil {
		withheld, _ = stage.Limiters.Withheld()
	}
	return watch.trial(c, schedule, withheld), nil
}

// together is a schedule with one operation of each client at the first instant of the
// trouble.
type together struct {
	lead, tail *arrival.Jittered
	clients    uint64
	at, begins time.Duration
}

var _ arrival.Schedule = (*together)(nil)

// At implements [arrival.Schedule].
func (t *together) At(n uint64) time.Duration {
	switch before := t.lead.Len(); {
	case n < before:
		return t.lead.At(n)
	case n < before+t.clients:
		return t.at
	default:
		return t.begins + t.tail.At(n-before-t.clients)
	}
}

// Len implements [arrival.Schedule].
func (t *together) Len() uint64 { return t.lead.Len() + t.clients + t.tail.Len() }

// Rate implements [arrival.Schedule]; it is 0 in the trouble.
func (t *together) Rate(at time.Duration) float64 {
	if at < t.begins {
		return t.lead.Rate(at)
	}
	return t.tail.Rate(at - t.begins)
}

// Length implements [arrival.Schedule].
func (t *together) Length() time.Duration { return t.begins + t.tail.Length() }
