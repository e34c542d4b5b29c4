package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"loadgen/scenarios/drive"
	"loadgen/target"
)

// errBudget is the cause of the end of a run whose budget was spent.
var errBudget = errors.New("the budget of billed transactions was spent")

// tablePrefix begins the name of every table that this tool makes, and of all
// that it touches on a service that others use, too.
const tablePrefix = "loadgen"

// ownTable refuses a table of a remote target that is not named as ours are.
func (f *runFlags) ownTable(table string) error {
	if f.aim.kind == aimRemote && !strings.HasPrefix(strings.ToLower(table), tablePrefix) {
		return usageError{fmt.Errorf("--table %s: on a target that is not embedded only tables are touched whose name begins with %q",
			table, tablePrefix)}
	}
	return nil
}

// agree shows what a run will ask of a target that is not embedded, and of the queues
// and blobs beside it, and refuses to go on without consent.
func (f *runFlags) agree(forecast drive.Forecast, table, beside string, stderr io.Writer) error {
	if f.aim.kind != aimRemote {
		return nil
	}
	if !f.silent() || !f.consent {
		fmt.Fprint(stderr, forecastText(forecast, f.aim.String(), table, beside))
	}
	if !f.consent {
		return usageError{errors.New("nothing was sent: add --yes to send it, and --budget N to bound what is billed")}
	}
	return nil
}

func forecastText(f drive.Forecast, where, table, beside string) string {
	var text strings.Builder
	fmt.Fprintf(&text, "forecast for %s, table %s\n", where, table)
	fmt.Fprintf(&text, "  requests   %s, each a billed transaction; %s if all of the peak is refused until it is given up\n",
		thousands(f.Requests), thousands(f.AtMost))
	if beside != "" {
		fmt.Fprintf(&text, "  beside     of these about %s go to %s; what the run makes there, it drops; looking at the end at what is left comes on top\n",
			thousands(f.Beside), beside)
	}
	fmt.Fprintf(&text, "  entities   %s counted by the documents' rule\n", thousands(f.Entities))
	fmt.Fprintf(&text, "  bytes      about %s sent and %s received, without retries\n", size(f.Sent), size(f.Received))
	fmt.Fprintf(&text, "  lasts      %v, and as long as loading and counting take\n", f.Lasts.Round(time.Second))
	return text.String()
}

// size returns a number of bytes in words.
func size(bytes int64) string {
	if bytes >= 1e9 {
		return fmt.Sprintf("%.1f GB", float64(bytes)/1e9)
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
}

// budgeted is a target whose run ends when so many attempts have been sent. What
// is under way then goes on, and the table is dropped: so many more are billed.
type budgeted struct {
	target.Target
	left  atomic.Int64
	spent func()
}

var _ target.Target = (*budgeted)(nil)

// bound returns the target with the budget of the flags, and the context that
// ends with it.
func (f *runFlags) bound(ctx context.Context, t target.Target) (context.Context, target.Target, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := func() { cancel(nil) }
	if f.budget <= 0 {
		return ctx, t, stop
	}
	b := &budgeted{Target: t, spent: func() { cancel(errBudget) }}
	b.left.Store(f.budget)
	return ctx, b, stop
}

// Do implements target.Target.
func (b *budgeted) Do(ctx context.Context, op *target.Operation) target.Outcome {
	b.spend()
	return b.Target.Do(ctx, op)
}

// spend takes down that an attempt is sent.
func (b *budgeted) spend() {
	if b.left.Add(-1) == 0 {
		b.spent()
	}
}
