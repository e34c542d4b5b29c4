// Command bench compares the CPU use of loadgen with that of programs that do the same. It measures
// them in turns, and prints ratios with their intervals.
//
//	go build -o /tmp/loadgen ./cmd/loadgen
//	go -C .ci/bench run . -program /tmp/loadgen server driver
//
// It exits with 2 for flags that are wrong, 11 if something is worse than in the report of -against,
// and 12 if the system does not report what a process uses.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"loadgen/engine/clock"
	"loadgen/report"
	"loadgen/report/text"
	"loadgen/results"
	"loadgenbench/bench"
)

// The exit codes, which are those of loadgen.
const (
	codeFailed       = 1
	codeUsage        = 2
	codeRegression   = 11
	codeInconclusive = 12
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// options are the flags.
type options struct {
	bench.Options
	against, out, format string
	verbose, quiet, bare bool
}

// parse returns the flags, and the report that they are compared with, nil for none.
func parse(args []string, stderr io.Writer) (*options, *bench.Report, error) {
	o := new(options)
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintf(stderr, "usage: bench [flags] [group …]\n\ngroups: %s; all but the last by default\n\n", strings.Join(bench.Groups(), ", "))
		flags.PrintDefaults()
	}
	flags.StringVar(&o.Program, "program", "", "`path` of the loadgen binary to measure")
	flags.IntVar(&o.Rounds, "rounds", 0, "number of rounds: at least 6 for intervals, 10 to compare reports (default 6, with -quick 3)")
	flags.BoolVar(&o.Quick, "quick", false, "measure fewer and shorter cells")
	flags.BoolVar(&o.Peers, "peers", false, "also measure Azurite, if it is installed")
	flags.BoolVar(&o.Large, "large", false, "with engine: also measure ten million entities (4 GiB)")
	flags.StringVar(&o.against, "against", "", "compare ratios and allocations with this report, a JSON `file`")
	flags.StringVar(&o.out, "out", "", "`folder` for the JSON report")
	flags.StringVar(&o.format, "format", report.FormText, "output format: "+strings.Join(report.PrintForms(), ", "))
	flags.BoolVar(&o.verbose, "verbose", false, "print all figures")
	flags.BoolVar(&o.quiet, "quiet", false, "print no progress")
	flags.BoolVar(&o.bare, "bare", false, "run the bare net/http handler until standard input ends")
	if err := flags.Parse(args); err != nil {
		return nil, nil, err
	}
	o.Groups = flags.Args()
	faults := o.Validate()
	if o.Program == "" && !o.bare {
		faults = append(faults, errors.New("-program: expected the path of a loadgen binary"))
	}
	baseline, err := read(o.against)
	if err != nil {
		faults = append(faults, fmt.Errorf("-against: %w", err))
	}
	return o, baseline, errors.Join(faults...)
}

// read returns the report in a file, nil for no file.
func read(name string) (*bench.Report, error) {
	if name == "" {
		return nil, nil
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return bench.Read(file)
}

// run measures what the arguments ask for, and returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	o, baseline, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintln(stderr, "bench:", err)
		return codeUsage
	case o.bare:
		err = bench.ServeBare(ctx, stdin, stdout)
	default:
		var regressed bool
		if regressed, err = o.measure(ctx, baseline, stdout, stderr); regressed && err == nil {
			return codeRegression
		}
	}
	switch {
	case err == nil:
		return 0
	case errors.Is(err, bench.ErrUntold):
		fmt.Fprintln(stderr, "bench:", err)
		return codeInconclusive
	default:
		fmt.Fprintln(stderr, "bench:", err)
		return codeFailed
	}
}

// measure measures and prints a report. A canceled context ends it early: the report then has what
// was measured so far.
func (o *options) measure(ctx context.Context, baseline *bench.Report, stdout, stderr io.Writer) (regressed bool, err error) {
	if o.Bare, err = os.Executable(); err != nil {
		return false, err
	}
	o.Clock = clock.NewReal()
	if !o.quiet {
		o.Tell = func(what string) { fmt.Fprintln(stderr, what) }
	}
	measured, ended := bench.Measure(ctx, o.Options)
	if measured == nil || ended != nil && !errors.Is(ended, context.Canceled) {
		return false, ended
	}
	if baseline != nil {
		measured.CompareTo(baseline)
	}
	if o.out != "" {
		folder, err := results.UseDir(o.out)
		if err == nil {
			err = measured.Keep(folder)
		}
		if err != nil {
			return false, err
		}
	}
	if err := report.Print(stdout, measured.Document(), o.format, text.Look{Verbose: o.verbose}); err != nil {
		return false, err
	}
	return measured.Regressed(), ended
}
