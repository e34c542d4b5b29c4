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

// Options say what the machine is to be good for, and which service is visited.
type Options struct {
	// Workers is the greatest number of attempts at once that runs are to have.
	Workers int
	// Folder is the one that runs are to be written to, empty for the present one.
	Folder string
	// Service is visited besides; nil for none. Trust configures its https, nil trusts
	// whom the machine trusts.
	Service *azure.Endpoint
	Trust   *tls.Config
	// Scenario is what the way to the service is held against, nil for the stress test.
	Scenario *scenarios.Scenario
	// Clock times all that is measured, see [clock.NewReal].
	Clock clock.Real
}

// mostWorkers are those that a scenario may have.
const mostWorkers = 100_000

// Validate returns all that is wrong with the options, each a [fields.Fault] whose
// path is the field that it concerns, in the words of a command's flag; nil where nothing
// is.
func (o *Options) Validate() []error {
	if o.Workers < 1 || o.Workers > mostWorkers {
		return []error{fields.Fault{Path: "workers", What: "expected 1 to " + document.Count(mostWorkers)}}
	}
	return nil
}

// Diagnose makes all checks, the longest last, and says on progress what takes its time.
// It takes half a minute, and ends early with its context, or where the service lets nobody in:
// what is left is then not tried.
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
		// Who cannot be let in is told so at once.
		for i := range last {
			last[i].needs = append(last[i].needs, visitKey)
		}
	}
	d := diagnose(ctx, append(checks, last...), progress)
	d.Unavailable = ctx.Err() == nil && o.Service != nil && !slices.Contains(d.passed(), visitKey)
	return d
}
