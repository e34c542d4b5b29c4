package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"loadgen/scenarios"
	"loadgen/scenarios/vitals"
)

// fileFlags are what a user typed after `loadgen run`.
type fileFlags struct {
	runFlags
	scenarioFlags
}

// newRun returns the verb that runs a scenario in real time.
func newRun(stdout, stderr io.Writer) *cobra.Command {
	return new(fileFlags).verb(stdout, stderr)
}

// verb returns the verb with its flags bound to f.
func (f *fileFlags) verb(stdout, stderr io.Writer) *cobra.Command {
	c := &cobra.Command{
		Use:   "run file|name",
		Short: "Run a scenario file, or a built-in scenario, in real time",
		Long: `Run creates a table, carries out the phases of a scenario on it, says what came of
them, and drops the table. The scenario is a YAML file, or one of the built-in ones
by its name; paths in a file, such as that of a trace, count from its folder.

It runs against the embedded engine behind a socket of this machine; --target names
another table service, to which nothing is sent without --yes. The record of the
run goes to a folder of its own in results/runs.

A budget of the scenario (stop_on) that is exceeded ends the run: its report is of
what was done until then, and the exit code is 10.

` + sweepHelp + "\n\n" + findHelp + "\n\n" + driverHelp,
		ValidArgsFunction: oneScenario,
		Example: `  loadgen run my-table.yaml                       # a scenario of your own
  loadgen run my-table.yaml --use by-day          # another of its designs
  loadgen run my-table.yaml --sweep use=by-day,by-customer
  loadgen run my-table.yaml --set phases.measure.arrivals.constant=200
  loadgen run stress --retry documented           # a built-in one
  loadgen run my-table.yaml --target in-process --format json
  loadgen run my-table.yaml --target env:TABLES --yes`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError{fmt.Errorf("%s takes one scenario, a file or one of %s, and got %d",
					c.CommandPath(), strings.Join(scenarios.Library(), ", "), len(args))}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			found, err := f.draft(args[0], "phases.measure.arrivals.constant=200", stderr)
			if err != nil {
				return err
			}
			found.others = map[string]string{"workers": strconv.Itoa(f.workers)}
			f.contrary = found.contrary
			if len(f.sweeps) > 0 {
				return f.sweep(c, found, append(commandOf(c), args[0]), stdout, stderr)
			}
			scenario, err := f.read(c, found, &f.findFlags, nil)
			if err != nil {
				return err
			}
			if err := f.chooseDriver(c, scenario); err != nil {
				return err
			}
			return f.run(c.Context(), scenario, 0, append(commandOf(c), args[0]), stdout, stderr)
		},
	}
	f.scenarioFlags.register(c.Flags())
	completeUse(c, "stress")
	f.runFlags.register(c.Flags())
	f.findFlags.register(c.Flags())
	return c
}

// openScenario reads a scenario by the name of a built-in one or of a file, and
// returns the folder that paths in it count from.
func openScenario(name string) (s *scenarios.Scenario, folder string, err error) {
	return scenarios.Open(name)
}

// reason returns what is wrong with a file, without its path.
func reason(err error) error {
	var fault *fs.PathError
	if errors.As(err, &fault) {
		return fault.Err
	}
	return err
}

// spareFiles are those that a run has open beside its connections.
const spareFiles = 64

// enoughFiles refuses more workers than this process may have connections, of which
// an embedded engine has the other end, too. Each worker may leave one open to each
// account.
func (f *runFlags) enoughFiles(s *scenarios.Scenario) error {
	limit, known := vitals.OpenFiles()
	if !known {
		return nil
	}
	accounts := max(1, severalOf(s))
	err := fewerThan(s.Workers*accounts, f.aim.kind, limit)
	if err != nil && accounts > 1 {
		return usageError{fmt.Errorf("%d workers for each of %d accounts: %w", s.Workers, accounts, err)}
	}
	return err
}

func fewerThan(workers int, kind aimKind, limit uint64) error {
	ends := map[aimKind]uint64{aimEmbedded: 2, aimRemote: 1}[kind]
	need := uint64(workers) * ends
	if need == 0 || need+spareFiles <= limit {
		return nil
	}
	return usageError{fmt.Errorf("%d workers need %d open files, and this process may have %d; "+
		"expected at most %d workers, or a higher bound (ulimit -n)", workers, need+spareFiles, limit, (max(limit, spareFiles)-spareFiles)/ends)}
}
