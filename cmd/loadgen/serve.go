package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"loadgen/engine/clock"
	"loadgen/engine/nearest"
	"loadgen/engine/rest/serve"
	"loadgen/report"
	"loadgen/results"
	"loadgen/scenarios/capture"
	"loadgen/scenarios/run"
)

// serveFlags are what a user typed after `loadgen serve`.
type serveFlags struct {
	serve.Options
	keyFile string
	examine bool
	formFlags
	out string
}

// standardInput is the name of it among files.
const standardInput = "-"

func (f *serveFlags) verb(stdout, stderr io.Writer) *cobra.Command {
	c := &cobra.Command{
		Use:   "serve",
		Short: "Be a table service with the documented limits, and judge who uses it",
		Long: `Serve is a table service that the SDKs take for real, with the documents' limits:
2,000 entities/s a partition and 20,000 an account, every scanned entity counted.
Its first line on standard output is the connection string of it. What it holds is
in memory, and gone when it ends unless --export saves it. The name of a table that
was deleted is free again after 40 s; --set model.name_delay=0 frees it at once.

--examine records the traffic like a run of one's own, in a folder of its own in
results/runs, and reports on it at the end: which partitions were hot, which
queries scanned how much, what was throttled, and what that means for the
PartitionKey.

Ctrl-C, SIGTERM or SIGHUP ends it: it accepts no more, lets what is under way finish
for 5 s, and then exports and reports. On a second address, of this machine only, it
answers GET /-/healthz and GET /-/state, which is JSON.

The account and the key are the emulators' well-known ones, on a loopback address
only. Any other address needs an account and a key of one's own.

It speaks plain HTTP, or https with --tls-cert and --tls-key. --tls-self-signed makes
a certificate for as long as it runs, for clients that take https alone; the second
address has it at /-/certificate, for them to trust.`,
		Example: `  loadgen serve                                   # where the emulators are, with their account
  loadgen serve --examine                         # and a verdict on Ctrl-C
  loadgen serve --import races.csv --export races.jsonl
  loadgen serve --profile off --listen 127.0.0.1:0 # no limits, any free port
  loadgen serve --tls-self-signed                 # https, for SDKs that take nothing else
  loadgen serve --set model.partition_target=500  # what if the limit were another?
  loadgen serve --listen 0.0.0.0:10002 --account races --key-file key.txt`,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := emptyFlag(c.Flags()); err != nil {
				return err
			}
			f.Input, f.Journal = c.InOrStdin(), stderr
			return f.run(c.Context(), commandOf(c), stdout)
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.Listen, "listen", serve.DefaultListen, "`address` to serve on; port 0 is any free one")
	flags.StringVar(&f.Account, "account", "", "name of the account (default: the emulators')")
	flags.StringVar(&f.keyFile, "key-file", "", "`file` with the key of --account, base64")
	flags.StringVar(&f.TLSCert, "tls-cert", "", "`file` with the certificate to speak https with, and those after it, in PEM")
	flags.StringVar(&f.TLSKey, "tls-key", "", "`file` with the key of --tls-cert, in PEM")
	flags.BoolVar(&f.TLSSelfSigned, "tls-self-signed", false, "speak https with a certificate that is made now and kept nowhere")
	flags.StringVar(&f.Profile, "profile", serve.DefaultProfile, "limits and times: "+nearest.Choice(serve.Profiles()))
	flags.StringArrayVar(&f.Set, "set", nil, "give a parameter of the model another value: `model.x=y`, may be repeated")
	flags.Uint64Var(&f.Seed, "seed", 1, "root of all chance")
	flags.BoolVar(&f.examine, "examine", false, "record the traffic as a run, and report on it at the end")
	flags.StringVar(&f.out, "out", "", "folder of the run of --examine (default: a new one in results/runs)")
	flags.StringArrayVar(&f.Imports, "import", nil, "fill tables from this `file`, may be repeated: .jsonl, .ndjson or .csv; - is "+
		"standard input as JSON lines")
	flags.StringVar(&f.Export, "export", "", "save all tables in this `file` at the end: .jsonl, .ndjson or .csv (exact, and no file for a spreadsheet)")
	flags.StringVar(&f.Admin, "admin", serve.DefaultAdmin, "loopback `address` of /-/healthz and /-/state")
	flags.BoolVar(&f.verbose, "verbose", false, "with --examine: print all there is to say of it, not one screen")
	flags.BoolVar(&f.Quiet, "quiet", false, "no lines with counts on standard error")
	return c
}

// run serves until the context is done.
func (f *serveFlags) run(ctx context.Context, command []string, stdout io.Writer) error {
	if f.out != "" && !f.examine {
		return usageError{errors.New("--out is the folder of a run, and there is one with --examine alone")}
	}
	if err := f.readKey(); err != nil {
		return usageError{err}
	}
	f.Clock = clock.NewReal()
	var examination capture.Examination
	if f.examine {
		f.Observe, f.Tick = examination.Saw, examination.Advance
	}
	s, err := serve.Open(ctx, f.Options)
	if fault := new(serve.Fault); errors.As(err, fault) {
		return usageError{f.blame(*fault)}
	}
	if err != nil {
		return err
	}
	defer s.Close() // of what was served to its end nothing is left to go wrong
	if f.examine {
		plan := capture.Plan{Out: f.out, Version: run.Version(), Commit: run.Commit(), Command: command,
			Model: s.Model(), Seed: f.Seed, Started: f.Clock.Started()}
		if err := examination.Open(plan); err != nil {
			return fmt.Errorf("%w: %w", run.ErrFolder, err)
		}
	}
	if _, err := fmt.Fprintln(stdout, s.ConnectionString()); err != nil {
		return err
	}
	s.Begin()
	<-ctx.Done()
	ended, saved := s.Drain(), s.Save()
	if fault := new(serve.Fault); errors.As(saved, fault) {
		saved = f.blame(*fault)
	}
	if f.examine {
		ended = f.report(stdout, &examination, results.TargetCounts(s.Counts()), ended)
	}
	return errors.Join(ended, saved)
}

// readKey reads the key of the account, where there is one of one's own.
func (f *serveFlags) readKey() (err error) {
	if (f.Account == "") != (f.keyFile == "") {
		return errors.New("--account and --key-file: expected both or neither")
	}
	if f.keyFile != "" {
		f.KeyName = f.keyFile
		if f.Key, err = readSecret(f.keyFile); err != nil {
			return fmt.Errorf("--key-file: %w", err)
		}
	}
	return nil
}

// blame says a fault of the options by the flag that it came from.
func (f *serveFlags) blame(fault serve.Fault) error {
	flag := "--" + fault.Field
	switch {
	case fault.Field == "listen" && errors.Is(fault, serve.ErrKnownKey):
		return fmt.Errorf("--listen %s: an address that others reach needs --account and --key-file; "+
			"the emulators' key is for 127.0.0.1 and ::1 alone", fault.Value)
	case fault.Field == "profile":
		return errors.New(flag + ": " + nearest.Unknown("profile", fault.Value, fault.Known))
	case fault.Known != nil:
		return errors.New(flag + ": " + nearest.Unknown("parameter", fault.Value, fault.Known))
	case fault.Field == "key":
		flag = "--key-file"
	}
	if fault.Value != "" {
		flag += " " + fault.Value
	}
	return fmt.Errorf("%s: %w", flag, fault.Err)
}

// report prints what came of the traffic of a service that ended so, once that is
// judged and drawn.
func (f *serveFlags) report(stdout io.Writer, of *capture.Examination, counts results.TargetCounts, ended error) error {
	record, ended := of.Conclude(f.Clock.Now(), ended, counts)
	if record == nil {
		return ended
	}
	drawn := report.Illustrate(of.Folder, record)
	fmt.Fprintf(f.Journal, "the run is in %s\n", of.Folder)
	if _, err := fmt.Fprintln(stdout); err != nil {
		return errors.Join(ended, drawn, err)
	}
	return errors.Join(ended, drawn, report.Screen(stdout, report.Keep(record).Document, f.look(stdout)))
}
