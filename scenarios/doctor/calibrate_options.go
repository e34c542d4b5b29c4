package doctor

import (
	"fmt"
	"io"
	"time"

	"loadgen/scenarios"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/run"
)

// CalibrationOptions say what is measured, and what it may take.
type CalibrationOptions struct {
	// On is where the load goes, [run.Remote] to Accounts, of which there is one then.
	On       run.Place
	Accounts []run.Endpoint
	// Budget is how many billed transactions all experiments may make together.
	Budget int64
	// Consent is asked once, before anything is sent.
	Consent func(run.Ask) error
	// Remains holds what was made and not dropped yet; it may be nil.
	Remains *run.Remains
	// Rate is the gentle one, at which latencies are measured, MaxRate the highest that a
	// partition is offered, both in operations per second.
	Rate, MaxRate float64
	// Each is how long each operation is measured at the gentle rate, 0 for 20 s.
	Each time.Duration
	// AccountLimit has the limit of the account looked for as well: what else uses it is
	// throttled meanwhile. AccountRate is the highest that it is offered, in entities per second.
	AccountLimit bool
	AccountRate  float64
	// Workers is how many attempts may be under way at once, 0 for as many as a run has.
	Workers int
	// Model and Seed are those of an embedded engine, where the load goes to one.
	Model scenarios.Model
	Seed  uint64
	// Now is when the experiments begin; Progress is told of each.
	Now      time.Time
	Progress io.Writer
}

// The rates where nobody says another, and their bounds.
const (
	DefaultRate        = 50
	DefaultMaxRate     = 4000
	DefaultAccountRate = 40_000

	// gently is Each where nobody says another.
	gently = 20 * time.Second

	leastRate     = 10
	mostGentle    = 200
	leastMaxRate  = 100
	mostMaxRate   = 20_000
	mostAccountly = 200_000
	// leastBudget is what the first experiment takes, about.
	leastBudget = 1000
)

// Validate returns all that is wrong with the options, each a [fields.Fault] whose path is
// the field that it concerns, in the words of a command's flag; nil where nothing is.
func (o *CalibrationOptions) Validate() []error {
	var faults []error
	wrong := func(path, format string, args ...any) {
		faults = append(faults, fields.Fault{Path: path, What: fmt.Sprintf(format, args...)})
	}
	if o.Budget < leastBudget {
		wrong("budget", "expected at least %d billed transactions", leastBudget)
	}
	if !(o.Rate >= leastRate && o.Rate <= mostGentle) {
		wrong("rate", "expected %d to %d operations/s", leastRate, mostGentle)
	}
	if o.Each < 0 || o.Each > 0 && o.Each < time.Second {
		wrong("each", "expected 1 s or more")
	}
	if !(o.MaxRate >= leastMaxRate && o.MaxRate <= mostMaxRate) {
		wrong("max-rate", "expected %d to %d operations/s", leastMaxRate, mostMaxRate)
	}
	if o.AccountLimit && !(o.AccountRate >= leastMaxRate && o.AccountRate <= mostAccountly) {
		wrong("account-rate", "expected %d to %d entities/s", leastMaxRate, mostAccountly)
	}
	if len(o.Accounts) > 1 {
		wrong("target", "expected one account")
	}
	return faults
}
