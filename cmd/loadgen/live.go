package main

import (
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"loadgen/scenarios"
	"loadgen/scenarios/run"
)

// liveFlags are those of the verbs that run load in real time.
type liveFlags struct {
	choice choiceFlags
	target targetFlags
	find   findFlags
	tell   tellFlags

	driver  string
	record  string
	table   string
	reuse   bool
	keep    bool
	verify  bool
	noProbe bool
}

// driverHelp is what the help of a verb says of its drivers.
const driverHelp = `--driver vegeta is a second opinion on the same load: vegeta's attacker and a
plain net/http client send what arrives at a rate, and everything else goes on as
before. It sends an operation as one request and tries none again (--retry none);
response times still count from when an operation was due, which vegeta's own
latencies do not.`

func (f *liveFlags) register(flags *pflag.FlagSet) {
	f.choice.register(flags)
	f.target.register(flags)
	flags.StringVar(&f.driver, "driver", run.Native, "what sends operations that arrive at a rate: native or vegeta")
	flags.StringVar(&f.record, "record", "", "also write every attempt to this `file`, as a stream of vegeta results")
	flags.StringVar(&f.table, "table", "", "name of the test table (default: a new one)")
	flags.IntVar(&f.choice.workers, "workers", 0, "greatest number of attempts under way at once (default: the scenario's)")
	flags.BoolVar(&f.reuse, "reuse", false, "take the table if it exists and this tool made it (an embedded engine begins without tables)")
	flags.BoolVar(&f.keep, "keep", false, "leave the table in place after the run (it ends with an embedded engine all the same)")
	flags.BoolVar(&f.verify, "verify-writes", false, "have each write carry an id and read it back: lost replies, lost and doubled writes (exit 10)")
	flags.BoolVar(&f.noProbe, "no-probe", false, "do not try before the run what the generator can send at most")
	f.tell.register(flags, "exit 13 where the run is invalid or the generator was its limit")
	flags.StringVar(&f.tell.metrics, "metrics-listen", "", "serve Prometheus metrics at /metrics of this `address` during the run: a port of 127.0.0.1, such as :9464, or host:port")
	f.find.register(flags)
}

// plan returns the sound plan of a scenario that the flags ask for.
func (f *liveFlags) plan(c *cobra.Command, s *scenarios.Scenario, antiPattern string, command []string, stderr io.Writer) (run.Plan, error) {
	p := run.Plan{Scenario: s, AntiPattern: antiPattern, Command: command, Driver: f.driver, RetryChosen: f.choice.retryChosen(c),
		Table: f.table, Reuse: f.reuse, Keep: f.keep, Verify: f.verify, NoProbe: f.noProbe, Attempts: f.record,
		Out: f.tell.out, Runs: runsKept(), Consent: f.target.agree(f.tell.silent(), stderr)}
	if err := f.tell.check(); err != nil {
		return p, err
	}
	var err error
	if p.Find, err = f.find.find(c.Flags(), s); err != nil {
		return p, err
	}
	if err := f.target.fill(&p); err != nil {
		return p, err
	}
	return p, named(c.Flags(), p.Validate()...)
}

// runsKept is the folder in which runs are kept where nothing else is said.
func runsKept() string { return filepath.Join("results", "runs") }

// commandOf returns the command as it can be typed again.
func commandOf(c *cobra.Command) []string {
	command := strings.Fields(c.CommandPath())
	c.Flags().Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "out", "format", "quiet", "no-charts", "sweep", "ui", "metrics-listen":
			// They change where and how it is told, not what is run; which of a sweep's
			// runs it is, --set says.
			return
		}
		if list, many := f.Value.(interface{ GetSlice() []string }); many {
			for _, value := range list.GetSlice() {
				command = append(command, "--"+f.Name, value)
			}
			return
		}
		if list, some := f.Value.(targetsValue); some {
			for _, value := range list.every() {
				command = append(command, "--"+f.Name+"="+value)
			}
			return
		}
		command = append(command, "--"+f.Name+"="+f.Value.String())
	})
	return command
}
