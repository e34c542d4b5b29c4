package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/engine/nearest"
	"loadgen/engine/rest/serve"
	"loadgen/report"
	"loadgen/report/live"
	"loadgen/report/live/page"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/capture"
	"loadgen/scenarios/doctor"
	"loadgen/scenarios/run"
)

// serveFlags are what a user typed after `loadgen serve`.
type serveFlags struct {
	serve.Options
	keyFile, faultFile string
	examine            bool
	formFlags
	out  string
	live liveFlag
}

// standardInput is the name of it among files.
const standardInput = "-"

const serveHelp = `Serve is a local Table service for the SDKs with the documented limits: 2,000 entities/s
per partition and 20,000 per account, every scanned entity counted. The first line on
standard output is its connection string. Tables are in memory and lost at the end unless
--export saves them or --data-dir stores them: then acknowledged writes survive every
crash, and after a disk error no more writes are acknowledged. --durability nosync
acknowledges earlier; a crash may then lose the last writes, but never half a transaction.
The name of a deleted table is reusable after 40 s; --set model.name_delay=0 removes the
delay.

--examine records the traffic like a run in a folder in results/runs, and reports at the
end: hot partitions, queries that scan, throttling, and what that means for the
PartitionKey. With --live a local page shows it meanwhile.

Ctrl-C, SIGTERM or SIGHUP ends it: it accepts no more connections, lets requests finish
for 5 s, then exports and reports. A second, local address answers GET /-/healthz and GET
/-/state, which is JSON.

The emulators' well-known account and key work only on loopback addresses. Any other
address needs its own account and key.

It uses HTTP, or https with --tls-cert and --tls-key. --tls-self-signed creates a
certificate until the end, for clients that require https; /-/certificate on the second
address shows it.

Signatures with the account key always work. --oidc-issuer also accepts bearer tokens of
one issuer, --insecure-tokens any token: for programs with DefaultAzureCredential.`

func (f *serveFlags) verb(stdout, stderr io.Writer) *cobra.Command {
	c := &cobra.Command{
		Use:   "serve",
		Short: "Run a local Table service with the documented limits and report on its clients",
		Long:  serveHelp,
		Example: `  loadgen serve                                   # the emulators' address and account
  loadgen serve --examine                         # with a verdict on Ctrl-C
  loadgen serve --examine --live                  # with a live page
  loadgen serve --start cold --examine            # a new table, before load balancing splits it
  loadgen serve --log table.log                   # for explain --log and replay
  loadgen serve --import races.csv --export races.jsonl
  loadgen serve --data-dir tables                 # keep tables on disk
  loadgen serve --profile off --listen 127.0.0.1:0 # no limits, any free port
  loadgen serve --tls-self-signed                 # https, for SDKs that require it
  loadgen serve --tls-self-signed --insecure-tokens # for programs with DefaultAzureCredential
  loadgen serve --set model.partition_target=500  # another limit
  loadgen serve --faults faults.yaml --set faults.0.share=2%
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
	flags.StringVar(&f.TLSCert, "tls-cert", "", "`file` with the certificate chain for https, in PEM")
	flags.StringVar(&f.TLSKey, "tls-key", "", "`file` with the key of --tls-cert, in PEM")
	flags.BoolVar(&f.TLSSelfSigned, "tls-self-signed", false, "serve https with a temporary certificate")
	flags.StringVar(&f.OIDCIssuer, "oidc-issuer", "", "accept bearer tokens of this issuer: a `URL`, such as https://sts.windows.net/TENANT/")
	flags.BoolVar(&f.InsecureTokens, "insecure-tokens", false, "accept any bearer token: on a loopback address only")
	flags.StringVar(&f.Start, "start", model.Warm, "start of a new table: `warm` (spread over servers) or cold (one range)")
	flags.StringVar(&f.Profile, "profile", serve.DefaultProfile, "limits and times: "+nearest.Choice(serve.Profiles())+", or a `file` of `loadgen calibrate`")
	flags.StringVar(&f.faultFile, "faults", "", "`file` with injected faults, under the key faults as in a scenario")
	flags.StringArrayVar(&f.Set, "set", nil, "set a value of the model or of --faults: `model.x=y`, repeatable")
	flags.Uint64Var(&f.Seed, "seed", 1, "root of all chance")
	flags.StringArrayVar(&f.Imports, "import", nil, "fill tables from this `file`, may be repeated: .jsonl, .ndjson or .csv; - is "+
		"standard input as JSON lines")
	flags.StringVar(&f.Export, "export", "", "save all tables to this `file` at the end: .jsonl, .ndjson or .csv")
	flags.DurationVar(&f.ExportEvery, "export-every", 0, "write the --export file at this interval, too: a `duration`, 1s or more")
	flags.StringVar(&f.DataDir, "data-dir", "", "store the tables in this `folder`; created if missing")
	flags.StringVar(&f.Durability, "durability", "", "with --data-dir: acknowledge writes after (`sync`, default) or before (nosync) they are on disk")
	flags.BoolVar(&f.examine, "examine", false, "record the traffic as a run and report on it")
	flags.StringVar(&f.out, "out", "", "with --examine: folder of the run (default: new in results/runs)")
	f.live.register(flags, "live")
	flags.BoolVar(&f.verbose, "verbose", false, "with --examine: print the whole report")
	flags.StringVar(&f.Log, "log", "", "new `file` for an access log in the service's format")
	flags.StringVar(&f.LogFormat, "log-format", serve.LogFormats()[0], "of --log: "+nearest.Choice(serve.LogFormats()))
	flags.StringVar(&f.Admin, "admin", serve.DefaultAdmin, "loopback `address` of /-/healthz and /-/state")
	flags.BoolVar(&f.Quiet, "quiet", false, "no lines with counts on standard error")
	return c
}

// run serves until the context is done.
func (f *serveFlags) run(ctx context.Context, command []string, stdout io.Writer) error {
	told, err := f.prepare()
	if err != nil {
		return err
	}
	f.Clock = clock.NewReal()
	var examination capture.Examination
	var watch *page.Watch // nil without a page
	shown, err := f.live.open(stopOf(ctx))
	if err != nil {
		return err
	}
	defer shown.Close()
	if f.examine {
		f.Observe, f.Tick = examination.Saw, examination.Advance
		f.Balanced = func(list []serve.Event) {
			decided := run.Decisions(list)
			examination.Balanced(decided)
			for _, one := range decided {
				watch.Event(one)
			}
		}
	}
	s, err := serve.Open(ctx, f.Options)
	if errors.As(err, new(serve.Fault)) {
		return usageError{f.blame(err)}
	}
	if err != nil {
		return err
	}
	defer s.Close() // of what was served to its end nothing is left to go wrong
	if f.examine {
		plan := capture.Plan{Out: f.out, Version: run.Version(), Commit: run.Commit(), Command: command,
			Model: s.Model(), Seed: f.Seed, Started: f.Clock.Started(), Start: f.Start, Faults: told}
		if err := examination.Open(plan); err != nil {
			return fmt.Errorf("%w: %w", run.ErrFolder, err)
		}
	}
	if shown != nil {
		stats := live.New()
		stats.Read(examination.Recorder())
		watch = shown.Begin(page.Run{Scenario: "serve", Stats: stats, Now: func() time.Duration { return f.Clock.Now().Offset() }, Queries: examination.Costliest})
		examination.Touched(watch.Touched)
	}
	if _, err := fmt.Fprintln(stdout, s.ConnectionString()); err != nil {
		return err
	}
	if shown != nil {
		fmt.Fprintf(f.Journal, "live page: %s\n", shown.URL())
	}
	s.Begin()
	select {
	case <-ctx.Done():
	case <-s.Failed():
	}
	ended, saved := s.Drain(), f.blame(s.Save())
	watch.End()
	if f.examine {
		ended = f.report(stdout, &examination, results.TargetCounts(s.Counts()), shown, ended)
	}
	return errors.Join(s.Close(), ended, saved)
}

// prepare reads the files of the flags, and describes the injected faults.
func (f *serveFlags) prepare() (told []string, err error) {
	switch {
	case !f.examine && f.out != "":
		return nil, usageError{errors.New("--out requires --examine")}
	case !f.examine && f.live.asked:
		return nil, usageError{errors.New("--live shows the traffic that --examine records; expected --examine with it")}
	case (f.Account == "") != (f.keyFile == ""):
		return nil, usageError{errors.New("--account and --key-file: expected both or neither")}
	case f.keyFile != "":
		f.KeyName = f.keyFile
		if f.Key, err = readSecret(f.keyFile); err != nil {
			return nil, usageError{fmt.Errorf("--key-file: %w", err)}
		}
	}
	if f.Faults, f.Set, told, err = scenarios.ServiceFaults(f.faultFile, f.Set); err != nil {
		return nil, usageError{err}
	}
	if slices.Contains(serve.Profiles(), f.Profile) {
		return told, nil
	}
	base, measured, err := doctor.ChooseProfile(f.Profile)
	if err != nil {
		return nil, err
	}
	f.Profile = base
	// What is set goes before what was measured.
	f.Set = append(nearest.Of(measured.Values, func(one scenarios.Override) string { return "model." + one.Name + "=" + one.Text }), f.Set...)
	if !f.Quiet {
		fmt.Fprintf(f.Journal, "limits of profile %s\n", measured)
	}
	return told, nil
}

// blame says a fault of the options by the flag that it came from; any other error stays as it is.
func (f *serveFlags) blame(err error) error {
	var fault serve.Fault
	if !errors.As(err, &fault) {
		return err
	}
	flag := "--" + fault.Field
	switch {
	case fault.Field == "listen" && errors.Is(fault, serve.ErrKnownKey):
		return fmt.Errorf("--listen %s: an address that others reach needs --account and --key-file; "+
			"the emulators' key is for 127.0.0.1 and ::1 alone", fault.Value)
	case fault.Field == "durability" && fault.Known != nil:
		return errors.New(flag + ": " + nearest.Unknown("durability", fault.Value, fault.Known))
	case fault.Field == "log-format" && fault.Known != nil:
		return errors.New(flag + ": " + nearest.Unknown("format", fault.Value, fault.Known))
	case fault.Field == "start":
		return errors.New(flag + ": " + nearest.Unknown("start", fault.Value, fault.Known))
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

// report judges the traffic of a service that has ended, draws its charts and prints the result.
func (f *serveFlags) report(stdout io.Writer, of *capture.Examination, counts results.TargetCounts, shown *page.Server, ended error) error {
	record, ended := of.Conclude(f.Clock.Now(), ended, &counts)
	if record == nil {
		return ended
	}
	drawn := errors.Join(report.Illustrate(of.Folder, record), standsBy(shown, record))
	fmt.Fprintf(f.Journal, "the run is in %s\n", of.Folder)
	if _, err := fmt.Fprintln(stdout); err != nil {
		return errors.Join(ended, drawn, err)
	}
	return errors.Join(ended, drawn, report.Screen(stdout, report.Keep(record).Document, f.look(stdout)))
}
