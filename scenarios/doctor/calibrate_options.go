package doctor

import (
	"fmt"
	"io"
	"time"

	"loadgen/scenarios"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/run"
)

// CalibrationOptions configure the experiments.
type CalibrationOptions struct {
	// On is the target; [run.Remote] uses the one account of Accounts.
	On       run.Place
	Accounts []run.Endpoint
	// Budget is the maximum number of billed transactions.
	Budget int64 `flag:"budget" help:"end at this number of billed transactions (0: unlimited)"`
	// Consent is called once before the first request.
	Consent func(run.Ask) error
	// Remains records what was created and not dropped yet; it may be nil.
	Remains *run.Remains
	// Rate is for latencies, MaxRate the maximum for one partition, in operations per second.
	Rate    float64 `flag:"rate" help:"offer this rate, in operations/s (keys: entities/s)"`
	MaxRate float64 `flag:"max-rate" help:"maximum rate in operations/s"`
	// Each is the time per operation at Rate, 0 for 20 s.
	Each time.Duration
	// AccountRate is the maximum at which the account's limit is looked for, in entities per second, which throttles its
	// other users; 0 for not at all.
	AccountRate float64 `flag:"account-limit" alone:"40000" help:"find the account's limit, too, up to this *rate* in entities/s; throttles its other users"`
	// Workers is the maximum number of concurrent attempts, 0 for a run's default.
	Workers int `flag:"workers" help:"maximum number of concurrent attempts"`
	// Model and Seed configure an embedded engine.
	Model scenarios.Model
	Seed  uint64
	// Now is the start of the experiments; Progress gets a line for each.
	Now      time.Time
	Progress io.Writer
}

// Defaults and bounds of the rates.
const (
	DefaultRate    = 50
	DefaultMaxRate = 4000

	// gently is the default of Each.
	gently = 20 * time.Second

	minRate        = 10
	maxLowRate     = 200
	minMaxRate     = 100
	maxMaxRate     = 20_000
	maxAccountRate = 200_000
	// minBudget is about the size of the first experiment.
	minBudget = 1000
)

// Validate returns each fault as a [fields.Fault] with the name of a flag.
func (o *CalibrationOptions) Validate() (faults []error) {
	inside := func(rate, low, high float64) bool { return rate >= low && rate <= high } // false for NaN
	for _, one := range []struct {
		valid      bool
		path, what string
	}{
		{o.Budget >= minBudget, "budget", fmt.Sprintf("expected at least %d billed transactions", minBudget)},
		{inside(o.Rate, minRate, maxLowRate), "rate", fmt.Sprintf("expected %d to %d operations/s", minRate, maxLowRate)},
		{o.Each == 0 || o.Each >= time.Second, "each", "expected 1 s or more"},
		{inside(o.MaxRate, minMaxRate, maxMaxRate), "max-rate", fmt.Sprintf("expected %d to %d operations/s", minMaxRate, maxMaxRate)},
		{o.AccountRate == 0 || inside(o.AccountRate, minMaxRate, maxAccountRate), "account-limit",
			fmt.Sprintf("expected %d to %d entities/s", minMaxRate, maxAccountRate)},
		{len(o.Accounts) <= 1, "target", "expected one account"},
	} {
		if !one.valid {
			faults = append(faults, fields.Fault{Path: one.path, What: one.what})
		}
	}
	return faults
}
