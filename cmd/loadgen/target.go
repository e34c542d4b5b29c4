package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"loadgen/engine/nearest"
	"loadgen/report/document"
	"loadgen/scenarios"
	"loadgen/scenarios/run"
)

// The words that --target takes in place of an address.
const (
	targetEmbedded  = "embedded"
	targetInProcess = "in-process"
	targetEnv       = "env:"
	targetFile      = "file:"
)

// targetFlags say what a run is sent to.
type targetFlags struct {
	// where are the targets that were named, the embedded one where none was: the
	// first, and one for each further account.
	where   []string
	given   bool
	account string
	keyFile string
	consent bool
	budget  int64
}

func (f *targetFlags) register(flags *pflag.FlagSet) {
	f.where = []string{targetEmbedded}
	flags.Var(targetsValue{f}, "target", "what to load: embedded (the engine behind a local socket), in-process, "+
		"a table endpoint's URL (with --key-file or Entra ID), env:NAME or file:PATH for a connection "+
		"string, which may be repeated for each account of the scenario")
	flags.StringVar(&f.account, "account", "", "account of a --target URL (default: from the URL)")
	flags.StringVar(&f.keyFile, "key-file", "", "`file` with the account key of a --target URL, base64")
	flags.BoolVar(&f.consent, "yes", false, "send load to a target that is not embedded")
	flags.Int64Var(&f.budget, "budget", 0, "end the run at this number of billed transactions (0: unlimited)")
}

// targetsValue is the flag --target, which can be given once for each account.
type targetsValue struct{ flags *targetFlags }

var _ pflag.Value = targetsValue{}

// String implements [pflag.Value] with the first one.
func (v targetsValue) String() string {
	if v.flags == nil || len(v.flags.where) == 0 {
		return ""
	}
	return v.flags.where[0]
}

// Type implements [pflag.Value].
func (v targetsValue) Type() string { return "string" }

// Set implements [pflag.Value].
func (v targetsValue) Set(text string) error {
	if !v.flags.given {
		v.flags.given, v.flags.where = true, nil
	}
	v.flags.where = append(v.flags.where, text)
	return nil
}

// fill enters into a plan what the flags aim at. No error repeats what may be a secret.
func (f *targetFlags) fill(p *run.Plan) error {
	if f.budget < 0 {
		return usageError{fmt.Errorf("--budget %d: expected a number of transactions above 0", f.budget)}
	}
	first := f.where[0]
	if !strings.Contains(first, "://") && (f.keyFile != "" || f.account != "") {
		return usageError{errors.New("--key-file and --account belong to a --target URL")}
	}
	p.Budget = f.budget
	if first == targetEmbedded || first == targetInProcess {
		p.On = map[string]run.Place{targetEmbedded: run.Embedded, targetInProcess: run.InProcess}[first]
		if f.budget > 0 || f.consent {
			return usageError{errors.New("--budget and --yes require a remote target: this one bills nothing")}
		}
		if len(f.where) > 1 {
			return usageError{fmt.Errorf("--target %s has as many accounts as the scenario asks for; remove the other targets", first)}
		}
		return nil
	}
	p.On = run.Remote
	var err error
	p.Accounts, err = f.endpoints()
	return err
}

// endpoints returns the accounts that are named, in their order.
func (f *targetFlags) endpoints() ([]run.Endpoint, error) {
	first, err := f.endpoint(f.where[0])
	if err != nil {
		return nil, err
	}
	list := []run.Endpoint{first}
	if len(f.where) == 1 {
		return list, nil
	}
	for _, where := range f.where {
		// A connection string contains addresses, too, and must not be mistaken for one.
		if strings.Contains(where, "://") && !strings.ContainsAny(where, "=;") {
			return nil, usageError{errors.New("--target: --key-file supports one URL; expected env:NAME or file:PATH for several accounts")}
		}
	}
	for _, where := range f.where[1:] {
		one, err := f.endpoint(where)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(list, func(other run.Endpoint) bool { return other.String() == one.String() }) {
			return nil, usageError{fmt.Errorf("--target: %s is given twice; expected another account each", one)}
		}
		list = append(list, one)
	}
	return list, nil
}

func (f *targetFlags) endpoint(where string) (endpoint run.Endpoint, err error) {
	switch {
	case strings.HasPrefix(where, targetEnv), strings.HasPrefix(where, targetFile):
		path, file := strings.CutPrefix(where, targetFile)
		name := strings.TrimPrefix(where, targetEnv)
		text := os.Getenv(name)
		if file {
			text, err = readSecret(path)
		} else if text == "" {
			err = fmt.Errorf("the environment has no variable %q", name)
		}
		if err == nil {
			if endpoint, err = run.ParseConnectionString(text); err != nil {
				err = fmt.Errorf("%s: %w", where, err)
			}
		}
	case where == targetEmbedded || where == targetInProcess:
		return endpoint, usageError{fmt.Errorf("--target %s has as many accounts as the scenario asks for; expected it alone", where)}
	case strings.Contains(where, "://") && where == f.where[0]:
		endpoint, err = f.byURL(where)
	case len(where) > 40 || strings.ContainsAny(where, "=;"):
		// It may be a connection string, which is not repeated.
		return endpoint, usageError{errors.New("--target takes no connection string, since command lines are seen by others; " +
			"put it into a file or an environment variable: --target file:PATH or --target env:NAME")}
	default:
		if near, found := nearest.Name(where, []string{targetEmbedded, targetInProcess}); found {
			return endpoint, usageError{fmt.Errorf("--target %s: the nearest is %s", where, near)}
		}
		return endpoint, usageError{fmt.Errorf("--target %s: expected embedded, in-process, a URL, env:NAME or file:PATH", where)}
	}
	if err != nil {
		return endpoint, usageError{fmt.Errorf("--target: %w", err)}
	}
	return endpoint, nil
}

func (f *targetFlags) byURL(where string) (run.Endpoint, error) {
	// The URL is checked first, so that a secret in it is reported.
	endpoint, err := run.ParseURL(where, f.account, nil)
	if err != nil {
		return run.Endpoint{}, err
	}
	if f.keyFile == "" {
		if endpoint, err = endpoint.WithIdentity(); err != nil {
			err = fmt.Errorf("%w; or give the account's key with --key-file", err)
		}
		return endpoint, err
	}
	text, err := readSecret(f.keyFile)
	if err != nil {
		return run.Endpoint{}, fmt.Errorf("--key-file: %w", err)
	}
	secret, err := run.NewSecret(text)
	if err != nil {
		return run.Endpoint{}, fmt.Errorf("--key-file %s: %w", f.keyFile, err)
	}
	return run.ParseURL(where, f.account, secret)
}

// mostSecret bounds the file that a secret is read from.
const mostSecret = 64 << 10

// readSecret returns what a small file holds, without the blanks around it.
func readSecret(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, mostSecret+1))
	if err != nil {
		return "", err
	}
	if len(text) > mostSecret {
		return "", fmt.Errorf("%s has more than %d KiB: no secret is as long", path, mostSecret>>10)
	}
	return strings.TrimSpace(string(text)), nil
}

// agree shows what a run will ask of a target that is not embedded, and refuses to go on
// without consent. With consent a silent run shows nothing.
func (f *targetFlags) agree(silent bool, stderr io.Writer) func(run.Ask) error {
	return func(ask run.Ask) error {
		if !silent || !f.consent {
			var text strings.Builder
			fmt.Fprintf(&text, "forecast for %s, table %s\n", ask.Where, ask.Table)
			fmt.Fprintf(&text, "  requests   %s, each a billed transaction; %s if all retries at the peak are throttled\n",
				document.Count(ask.Requests), document.Count(ask.AtMost))
			if ask.Beside != "" {
				fmt.Fprintf(&text, "  other      about %s of these go to %s; the run deletes what it creates there; the check for leftovers is extra\n",
					document.Count(ask.Forecast.Beside), ask.Beside)
			}
			fmt.Fprintf(&text, "  entities   %s counted by the documents' rule\n", document.Count(ask.Entities))
			fmt.Fprintf(&text, "  bytes      about %s sent and %s received, without retries\n", document.Bytes(ask.Sent), document.Bytes(ask.Received))
			fmt.Fprintf(&text, "  lasts      %v, and as long as loading and counting take\n", ask.Lasts.Round(time.Second))
			fmt.Fprint(stderr, text.String())
		}
		if !f.consent {
			return usageError{errors.New("nothing was sent: add --yes to send it, and --budget N to bound what is billed")}
		}
		return nil
	}
}

// liveFlags are those of the verbs that run load in real time.
type liveFlags struct {
	choice choiceFlags
	target targetFlags
	find   findFlags
	tell   tellFlags
	fleet  fleetFlags

	driver  string
	client  string
	record  string
	table   string
	reuse   bool
	keep    bool
	verify  bool
	noProbe bool
}

// driverHelp is what the help of a verb says of its drivers.
const driverHelp = `--driver vegeta repeats the measurement with vegeta's attacker and a plain net/http
client; everything else stays the same. Operations are single requests without retries
(--retry none). Response times still begin when an operation is due, unlike vegeta's
latencies.`

func (f *liveFlags) register(flags *pflag.FlagSet) {
	f.choice.register(flags)
	f.target.register(flags)
	flags.StringVar(&f.driver, "driver", run.Native, "what sends operations that arrive at a rate: native or vegeta")
	flags.StringVar(&f.client, "client", "", "client: native (least CPU; default for loadgen serve) or net/http (proxies, HTTP/2; default otherwise)")
	flags.StringVar(&f.record, "record", "", "also write every attempt to this `file` as vegeta results")
	flags.StringVar(&f.table, "table", "", "name of the test table (default: a new one)")
	flags.IntVar(&f.choice.workers, "workers", 0, "greatest number of attempts under way at once (default: the scenario's)")
	flags.BoolVar(&f.reuse, "reuse", false, "use an existing table that loadgen created")
	flags.BoolVar(&f.keep, "keep", false, "keep the table after the run")
	flags.BoolVar(&f.verify, "verify-writes", false, "verify that no acknowledged write is lost or doubled (exit 10)")
	flags.BoolVar(&f.noProbe, "no-probe", false, "skip the test of the generator's maximum rate")
	f.tell.register(flags, "exit 13 if the generator was the limit, or there is no answer")
	flags.StringVar(&f.tell.metrics, "metrics-listen", "", "serve Prometheus metrics at /metrics of this `address`, such as :9464 (127.0.0.1) or host:port")
	flags.StringVar(&f.tell.otlp, "otlp", "", "send metrics and slow traces to this OpenTelemetry `URL`, such as http://localhost:4318; env: OTEL_EXPORTER_OTLP_ENDPOINT")
	flags.BoolVar(&f.tell.metricsKeys, "metrics-keys", false, "include the hottest PartitionKeys in metrics and traces")
	f.find.register(flags)
	f.fleet.register(flags)
}

// plan returns the sound plan of a scenario that the flags ask for.
func (f *liveFlags) plan(c *cobra.Command, s *scenarios.Scenario, antiPattern *scenarios.AntiPattern, command []string, stderr io.Writer) (run.Plan, error) {
	p := run.Plan{Scenario: s, AntiPattern: antiPattern, Command: command, Driver: f.driver, Client: f.client, RetryChosen: f.choice.retryChosen(c),
		Table: f.table, Reuse: f.reuse, Keep: f.keep, Verify: f.verify, NoProbe: f.noProbe, Attempts: f.record,
		HistogramLog: f.tell.hlog, SecondsTable: f.tell.csv, Out: f.tell.out, Runs: runsKept(), Consent: f.target.agree(f.tell.silent(), stderr)}
	var err error
	if p.Find, err = f.find.find(c.Flags(), s); err != nil {
		return p, err
	}
	if err := f.target.fill(&p); err != nil {
		return p, err
	}
	if err := f.fleet.fill(c.Flags(), &p, &f.target, f.choice.folder, f.tell.silent(), stderr); err != nil {
		return p, err
	}
	return p, named(c.Flags(), p.Validate()...)
}

// runsKept is the folder in which runs are kept where no flag says another.
func runsKept() string {
	return cmp.Or(os.Getenv(runsVariable), filepath.Join("results", "runs"))
}

// commandOf returns the command as it can be typed again.
func commandOf(c *cobra.Command) []string {
	command := strings.Fields(c.CommandPath())
	c.Flags().Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "out", "format", "quiet", "no-charts", "sweep", "ui", "metrics-listen", "metrics-keys", "otlp", "hlog", "csv", "count":
			// They change where and how the run is reported, not the run; --set identifies the run of a sweep.
			return
		}
		if _, shown := f.Value.(*liveFlag); shown {
			return
		}
		if list, many := f.Value.(interface{ GetSlice() []string }); many {
			for _, value := range list.GetSlice() {
				command = append(command, "--"+f.Name, value)
			}
			return
		}
		if list, some := f.Value.(targetsValue); some {
			for _, value := range list.flags.where {
				command = append(command, "--"+f.Name+"="+value)
			}
			return
		}
		command = append(command, "--"+f.Name+"="+f.Value.String())
	})
	return command
}
