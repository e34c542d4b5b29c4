package doctor

import (
	"context"
	"crypto/tls"
	"io"
	"slices"

	"loadgen/engine/clock"
	"loadgen/report/document"
	"loadgen/scenarios"
	"loadgen/scenarios/fields"
	"loadgen/target/azure"
)

// Options configure [Diagnose].
type Options struct {
	// Workers is the maximum number of concurrent attempts of runs.
	Workers int `flag:"workers" default:"256" excludes:"clean"`
	// Folder is for records, empty for the current folder.
	Folder string `flag:"runs" excludes:"clean"`
	// Service is visited, nil for none. Trust configures https, nil for the system's roots.
	Service *azure.Endpoint
	Trust   *tls.Config
	// Scenario determines the required bandwidth, nil for the stress test.
	Scenario *scenarios.Scenario
	Clock    clock.Real
}

// maxWorkers is a scenario's maximum.
const maxWorkers = 100_000

// Validate returns each fault as a [fields.Fault] with the name of a flag.
func (o *Options) Validate() []error {
	if o.Workers < 1 || o.Workers > maxWorkers {
		return []error{fields.Fault{Path: "workers", What: "expected 1 to " + document.Count(maxWorkers)}}
	}
	return nil
}

// Diagnose runs all checks, which take half a minute, and writes to progress what takes time. It
// skips the trials if the service rejects the credential, and the rest when the context ends.
func Diagnose(ctx context.Context, o Options, progress io.Writer) *Diagnosis {
	checks, last := o.machine(), []check{
		{name: "pacing", lasts: "3 s of 2,000 unanswered operations/s", examine: measured(trials{o.Clock, true}.measurePacing)},
		{name: "ceiling", lasts: "maximum rate for two seconds", examine: measured(trials{o.Clock, true}.measureCeiling)},
		{name: "books", lasts: "a short run with lost replies and throttling", examine: measured(func(ctx context.Context) (booksFigures, error) {
			return measureBooks(ctx, booksValues)
		})},
		{name: "stall", lasts: "20 s of 1,000 operations/s, the engine frozen for 2 s", examine: measured(trials{o.Clock, true}.measureStall)},
	}
	if o.Service != nil {
		v := newVisit(&o)
		defer v.close()
		checks = append(checks, v.checks()...)
		// A rejected credential ends the checks at once.
		for i := range last {
			last[i].needs = append(last[i].needs, visitKey)
		}
	}
	d := diagnose(ctx, append(checks, last...), progress)
	d.Unavailable = ctx.Err() == nil && o.Service != nil && !slices.Contains(d.passed(), visitKey)
	return d
}
