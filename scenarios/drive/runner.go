package drive

import (
	"context"

	"loadgen/engine/clock"
)

// Runner carries out stages, one after another.
type Runner interface {
	// Run carries a stage out and returns when each of its operations has
	// ended. A done context ends it early: what is under way is waited for,
	// the rest dropped or cut, and the context's error returned. Any other
	// error is a failure of the harness: the record could not be written.
	Run(ctx context.Context, stage *Stage, ledger *Ledger) error
	// Now returns the runner's present instant.
	Now() clock.Instant
}
