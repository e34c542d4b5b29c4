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

// Experiment is the trouble that contestants meet. Operations become due at
// random instants of even slots, at one rate each before, in and after it.
type Experiment struct {
	// Clients is how many there are, see [Experiment.ClientOf].
	Clients int
	// Lead, Trouble and Tail are how long each lasts, LeadRate to TailRate the
	// operations due per second in it, all clients together.
	Lead, Trouble, Tail             time.Duration
	LeadRate, TroubleRate, TailRate float64
	// Together has every client have one operation due at the trouble's first
	// instant, and none in the rest of it; TroubleRate does not matter then.
	Together bool
	Seed     uint64
	// Build puts operation k into w, as [loadgen/scenarios/drive.Stage.Build] does.
	Build func(k uint64, w *drive.Work)
}

// patience is how much longer than the policy can wait an experiment goes on.
const patience = 10 * time.Second

// longest bounds an experiment with a policy that waits without end.
const longest = 24 * time.Hour

// Validate returns everything that is wrong with the experiment.
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

// ClientOf returns whose operation k is: in each round of as many operations as
// there are clients every client has one, in an order that is turned on from round
// to round by chance. A fixed order could fall in step with a partition's allowance,
// which would then serve the same clients each time.
func (e *Experiment) ClientOf(k uint64) uint64 {
	n := uint64(e.Clients)
	draw := clock.NewStream(e.Seed, "clients").At(k / n)
	return (k + uint64(draw.IntN(e.Clients))) % n
}

// Try puts a contestant through the experiment against a target of its own. The
// error is the context's, or wraps [ErrExperiment].
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
		Grace:  min(c.Policy.LongestWait(), longest) + patience,
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

// together is the schedule of an experiment whose trouble finds every client with
// one operation due at its first instant.
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

// Rate implements [arrival.Schedule]; in the trouble it is 0.
func (t *together) Rate(at time.Duration) float64 {
	if at < t.begins {
		return t.lead.Rate(at)
	}
	return t.tail.Rate(at - t.begins)
}

// Length implements [arrival.Schedule].
func (t *together) Length() time.Duration { return t.begins + t.tail.Length() }
