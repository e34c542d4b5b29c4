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
	"loadgen/results"
	"loadgen/scenarios/run"
)

// The words that --target takes in place of an address.
const (
	targetEmbedded  = "embedded"
	targetInProcess = "in-process"
	targetEnv       = "env:"
	targetFile      = "file:"
)

// endpointFlags name a table service.
type endpointFlags struct {
	Target  targets `flag:"target"`
	Account string  `flag:"account" rare:"yes"`
	KeyFile string  `flag:"key-file" rare:"yes"`
}

// targetFlags say what a run is sent to.
type targetFlags struct {
	endpointFlags
	Consent bool  `flag:"yes"`
	Budget  int64 `flag:"budget"`
}

// targets are those that were named, the embedded one where none was: the first, and one for each further account.
type targets []string

var _ pflag.Value = (*targets)(nil)

// firstTarget returns the first one.
func (t *targets) firstTarget() string {
	if len(*t) == 0 {
		return targetEmbedded
	}
	return (*t)[0]
}

// String implements [pflag.Value].
func (t *targets) String() string { return strings.Join(*t, ",") }

// Type implements [pflag.Value].
func (t *targets) Type() string { return "string" }

// Set implements [pflag.Value].
func (t *targets) Set(text string) error {
	*t = append(*t, text)
	return nil
}

// fill enters into a plan what the flags aim at. No error repeats what may be a secret.
func (f *targetFlags) fill(p *run.Plan) error {
	if f.Budget < 0 {
		return usageError{fmt.Errorf("--budget %d: expected a number of transactions above 0", f.Budget)}
	}
	first := f.Target.firstTarget()
	if err := f.validate(); err != nil {
		return err
	}
	p.Budget = f.Budget
	if first == targetEmbedded || first == targetInProcess {
		p.On = map[string]run.Place{targetEmbedded: run.Embedded, targetInProcess: run.InProcess}[first]
		if f.Budget > 0 || f.Consent {
			return usageError{errors.New("--budget and --yes require a remote target: this one bills nothing")}
		}
		if len(f.Target) > 1 {
			return usageError{fmt.Errorf("--target %s has as many accounts as the scenario asks for; remove the other targets", first)}
		}
		return nil
	}
	p.On = run.Remote
	var err error
	p.Accounts, err = f.endpoints()
	return err
}

// arguments returns the flags as they are typed, for another process.
func (f *endpointFlags) arguments() []string {
	var list []string
	for _, one := range f.Target {
		list = append(list, "--target", one)
	}
	if f.Account != "" {
		list = append(list, "--account", f.Account)
	}
	if f.KeyFile != "" {
		list = append(list, "--key-file", f.KeyFile)
	}
	return list
}

// validate refuses credentials of no URL.
func (f *endpointFlags) validate() error {
	if !strings.Contains(f.Target.firstTarget(), "://") && (f.KeyFile != "" || f.Account != "") {
		return usageError{errors.New("--key-file and --account belong to a --target URL")}
	}
	return nil
}

// remote returns the only service that is named, nil for none. The engine of our own is none.
func (f *endpointFlags) remote() (*run.Endpoint, error) {
	if err := f.validate(); err != nil || len(f.Target) == 0 {
		return nil, err
	}
	if first := f.Target.firstTarget(); first == targetEmbedded || first == targetInProcess || len(f.Target) > 1 {
		return nil, usageError{fmt.Errorf("--target %s: expected one service: a URL, env:NAME or file:PATH", first)}
	}
	list, err := f.endpoints()
	if err != nil {
		return nil, err
	}
	return &list[0], nil
}

// endpoints returns the accounts that are named, in their order.
func (f *endpointFlags) endpoints() ([]run.Endpoint, error) {
	first, err := f.endpoint(f.Target.firstTarget())
	if err != nil {
		return nil, err
	}
	list := []run.Endpoint{first}
	if len(f.Target) == 1 {
		return list, nil
	}
	for _, where := range f.Target {
		// A connection string contains addresses, too, and must not be mistaken for one.
		if strings.Contains(where, "://") && !strings.ContainsAny(where, "=;") {
			return nil, usageError{errors.New("--target: --key-file supports one URL; expected env:NAME or file:PATH for several accounts")}
		}
	}
	for _, where := range f.Target[1:] {
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

func (f *endpointFlags) endpoint(where string) (endpoint run.Endpoint, err error) {
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
	case strings.Contains(where, "://") && where == f.Target.firstTarget():
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

func (f *endpointFlags) byURL(where string) (run.Endpoint, error) {
	// The URL is checked first, so that a secret in it is reported.
	endpoint, err := run.ParseURL(where, f.Account, nil)
	if err != nil {
		return run.Endpoint{}, err
	}
	if f.KeyFile == "" {
		if endpoint, err = endpoint.WithIdentity(); err != nil {
			err = fmt.Errorf("%w; or give the account's key with --key-file", err)
		}
		return endpoint, err
	}
	text, err := readSecret(f.KeyFile)
	if err != nil {
		return run.Endpoint{}, fmt.Errorf("--key-file: %w", err)
	}
	secret, err := run.NewSecret(text)
	if err != nil {
		return run.Endpoint{}, fmt.Errorf("--key-file %s: %w", f.KeyFile, err)
	}
	return run.ParseURL(where, f.Account, secret)
}

// maxSecretBytes bounds the file that a secret is read from.
const maxSecretBytes = 64 << 10

// readSecret returns what a small file holds, without the blanks around it.
func readSecret(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxSecretBytes+1))
	if err != nil {
		return "", err
	}
	if len(text) > maxSecretBytes {
		return "", fmt.Errorf("%s has more than %d KiB: no secret is as long", path, maxSecretBytes>>10)
	}
	return strings.TrimSpace(string(text)), nil
}

// agree shows what a run will ask of a target that is not embedded, and refuses to go on
// without consent. With consent a silent run shows nothing.
func agree(consent, silent bool, price results.Price, stderr io.Writer) func(run.Ask) error {
	return func(ask run.Ask) error {
		if !silent || !consent {
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
			if cost := price.Forecast(ask.Requests, ask.Received); cost != nil {
				fmt.Fprintf(&text, "  cost       about %s: %s for requests, %s for egress\n", document.Money(cost.Total), document.Money(cost.Transactions), document.Money(cost.Egress))
			}
			fmt.Fprintf(&text, "  lasts      %v, and as long as loading and counting take\n", ask.Lasts.Round(time.Second))
			fmt.Fprint(stderr, text.String())
		}
		if !consent {
			return usageError{errors.New("nothing was sent: add --yes to send it, and --budget N to bound what is billed")}
		}
		return nil
	}
}

// runsKept is the folder in which runs are kept where no flag says another.
func runsKept() string {
	return cmp.Or(os.Getenv(runsVariable), filepath.Join("results", "runs"))
}

// unrecordedFlags change where and how a run is reported, not the run; --set identifies the run of a sweep.
const unrecordedFlags = "out format quiet no-charts sweep ui metrics-listen metrics-keys otlp hlog csv live-page"

// commandOf returns the command as it can be typed again, without flags that do not matter to the run and those in except.
func commandOf(c *cobra.Command, except ...string) []string {
	var typed []*pflag.Flag
	c.Flags().Visit(func(f *pflag.Flag) { typed = append(typed, f) })
	slices.SortFunc(typed, func(a, b *pflag.Flag) int { return strings.Compare(a.Name, b.Name) })
	command := strings.Fields(c.CommandPath())
	except = append(except, strings.Fields(unrecordedFlags)...)
	for _, f := range typed {
		if slices.Contains(except, f.Name) {
			continue
		}
		values, several := []string{f.Value.String()}, false
		switch list := f.Value.(type) {
		case *targets:
			values = *list
		case pflag.SliceValue:
			values, several = list.GetSlice(), true
		}
		for _, value := range values {
			if several {
				command = append(command, "--"+f.Name, value)
			} else {
				command = append(command, "--"+f.Name+"="+value)
			}
		}
	}
	return command
}
