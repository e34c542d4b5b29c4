package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"loadgen/scenarios"
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

` + findHelp + "\n\n" + driverHelp,
		Example: `  loadgen run my-table.yaml                       # a scenario of your own
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
			workers := map[string]string{"workers": strconv.Itoa(f.workers)}
			scenario, err := f.read(c, args[0], "phases.measure.arrivals.constant=200", workers, &f.findFlags)
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
	f.runFlags.register(c.Flags())
	f.findFlags.register(c.Flags())
	return c
}

// scenarioFlags override values of a scenario.
type scenarioFlags struct {
	seed  uint64
	retry string
	set   []string
}

func (f *scenarioFlags) register(flags *pflag.FlagSet) {
	flags.Uint64Var(&f.seed, "seed", 0, "root of all chance (default: the scenario's)")
	flags.StringVar(&f.retry, "retry", "", "back-off policy of refused attempts: none, documented, short (default: the scenario's)")
	flags.StringArrayVar(&f.set, "set", nil, "give a value of the scenario another one: `path=value`, may be repeated")
}

// read returns the scenario of a file or a name with every override applied: those
// of --set, those of flags that are called as the field that they set, and what a
// search asks for. An example is for who did not know what --set takes. Traces are
// read.
func (f *scenarioFlags) read(c *cobra.Command, name, example string, others map[string]string,
	find *findFlags) (*scenarios.Scenario, error) {
	s, folder, err := openScenario(name)
	if err != nil {
		return nil, err
	}
	if err := override(s, f.set, example); err != nil {
		return nil, err
	}
	if err := emptyFlag(c.Flags()); err != nil {
		return nil, err
	}
	values := map[string]string{"seed": strconv.FormatUint(f.seed, 10), "retry": f.retry}
	for flag, value := range others {
		values[flag] = value
	}
	flagOf := make(map[string]string)
	for _, flag := range []string{"seed", "retry", "workers"} {
		if value, settable := values[flag]; settable && c.Flags().Changed(flag) {
			flagOf["--set "+flag] = "--" + flag
			if err := s.Set(flag, value); err != nil {
				return nil, blame(err, flagOf)
			}
		}
	}
	if err := sound(s, flagOf); err != nil {
		return nil, err
	}
	if err := find.search(c, s); err != nil {
		return nil, err
	}
	// Nothing may be set any more: what a trace holds is no value of the scenario's.
	return s, s.ReadTraces(func(path string) (io.ReadCloser, error) {
		if !filepath.IsAbs(path) {
			path = filepath.Join(folder, filepath.FromSlash(path))
		}
		file, err := os.Open(path)
		return file, reason(err)
	})
}

// openScenario reads a scenario by the name of a built-in one or of a file, and
// returns the folder that paths in it count from.
func openScenario(name string) (s *scenarios.Scenario, folder string, err error) {
	if slices.Contains(scenarios.Library(), name) {
		s, err = scenarios.Builtin(name)
		return s, ".", err
	}
	text, err := readBounded(name)
	if errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(name, `./\`) {
		// So short a word is rather a name with a typo.
		_, err = scenarios.Builtin(name)
		return nil, "", usageError{fmt.Errorf("%w; and there is no such file", err)}
	}
	if err != nil {
		return nil, "", usageError{fmt.Errorf("the scenario %s cannot be read: %w", name, reason(err))}
	}
	s, err = scenarios.Parse(name, text)
	return s, filepath.Dir(name), err
}

// mostScenario is just more than a scenario can have, so that one that is too large
// is told so, whatever its size.
const mostScenario = 1<<20 + 1

func readBounded(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, mostScenario))
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
// an embedded engine has the other end, too.
func (f *runFlags) enoughFiles(workers int) error {
	limit, known := openFiles()
	if !known {
		return nil
	}
	return fewerThan(workers, f.aim.kind, limit)
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
