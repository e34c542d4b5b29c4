package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"loadgen/backoff"
	"loadgen/engine/wire"
	"loadgen/scenarios/keys"
	"loadgen/target/azure"
)

// aim is what --target names.
type aim struct {
	kind     aimKind
	endpoint azure.Endpoint
	// others are the further accounts of a remote target.
	others []azure.Endpoint
}

type aimKind uint8

const (
	// aimEmbedded is the engine behind a socket of this machine.
	aimEmbedded aimKind = iota
	// aimInProcess is the engine, called directly.
	aimInProcess
	// aimRemote is a service that somebody else runs.
	aimRemote
)

// retryCodes returns the statuses by which what is aimed at says that it is busy,
// beside those that every service has.
func (a aim) retryCodes() []int {
	if a.kind == aimRemote && slices.ContainsFunc(a.endpoints(), azure.Endpoint.Cosmos) {
		return []int{backoff.TooManyRequests}
	}
	return nil
}

// The words that --target takes beside an address.
const (
	targetEmbedded  = "embedded"
	targetInProcess = "in-process"
	targetEnv       = "env:"
	targetFile      = "file:"
)

// targetFlags are those that say what a run is sent to.
type targetFlags struct {
	where string
	// others are further ones, each for another account; given says that the first
	// was.
	others  []string
	given   bool
	account string
	keyFile string
	consent bool
	budget  int64

	aim aim
}

func (f *targetFlags) register(flags *pflag.FlagSet) {
	f.where = targetEmbedded
	flags.Var(targetsValue{f}, "target", "what to load: embedded (the engine behind a local socket), in-process,\n"+
		"a table endpoint's URL (with --key-file), env:NAME or file:PATH for a connection\n"+
		"string, which may be repeated for each account of the scenario")
	flags.StringVar(&f.account, "account", "", "account that signs for a --target URL (default: the one in the URL)")
	flags.StringVar(&f.keyFile, "key-file", "", "`file` with the account key of a --target URL, base64")
	flags.BoolVar(&f.consent, "yes", false, "send what the forecast says to a target that is not embedded")
	flags.Int64Var(&f.budget, "budget", 0, "end the run at this number of billed transactions (0: no bound)")
}

// take works out what the flags aim at. No error repeats what may be a secret.
func (f *targetFlags) take() error {
	if err := f.takeFirst(); err != nil {
		return err
	}
	return f.takeOthers()
}

// takeFirst works out what the first --target names.
func (f *targetFlags) takeFirst() error {
	if f.budget < 0 {
		return usageError{fmt.Errorf("--budget %d: expected a number of transactions above 0", f.budget)}
	}
	url := strings.Contains(f.where, "://")
	if !url && (f.keyFile != "" || f.account != "") {
		return usageError{errors.New("--key-file and --account belong to a --target URL")}
	}
	switch {
	case f.where == targetEmbedded, f.where == targetInProcess:
		f.aim.kind = aimEmbedded
		if f.where == targetInProcess {
			f.aim.kind = aimInProcess
		}
		if f.budget > 0 || f.consent {
			return usageError{errors.New("--budget and --yes belong to a target that is not embedded: this one bills nothing")}
		}
		return nil
	case url:
		endpoint, err := f.byURL()
		if err != nil {
			return usageError{fmt.Errorf("--target: %w", err)}
		}
		f.aim.endpoint = endpoint
	default:
		endpoint, err := endpointOf(f.where)
		if err != nil {
			return err
		}
		f.aim.endpoint = endpoint
	}
	f.aim.kind = aimRemote
	return nil
}

// unknownTarget says what --target takes. A text that may be a connection string
// is not repeated.
func unknownTarget(where string) error {
	if len(where) > 40 || strings.ContainsAny(where, "=;") {
		return errors.New("--target takes no connection string, since command lines are seen by others; " +
			"put it into a file or an environment variable: --target file:PATH or --target env:NAME")
	}
	if near, found := keys.Nearest(where, []string{targetEmbedded, targetInProcess}); found {
		return fmt.Errorf("--target %s: the nearest is %s", where, near)
	}
	return fmt.Errorf("--target %s: expected embedded, in-process, a URL, env:NAME or file:PATH", where)
}

func (f *targetFlags) byURL() (azure.Endpoint, error) {
	// The URL is looked at first, so that a secret in it is what is told of.
	if _, err := azure.ParseURL(f.where, f.account, nil); err != nil {
		return azure.Endpoint{}, err
	}
	if f.keyFile == "" {
		return azure.Endpoint{}, errors.New("a URL needs --key-file with the account's key")
	}
	text, err := readSecret(f.keyFile)
	if err != nil {
		return azure.Endpoint{}, fmt.Errorf("--key-file: %w", err)
	}
	secret, err := wire.NewSecret(text)
	if err != nil {
		return azure.Endpoint{}, fmt.Errorf("--key-file %s: %w", f.keyFile, err)
	}
	return azure.ParseURL(f.where, f.account, secret)
}

func byVariable(name string) (azure.Endpoint, error) {
	text, set := os.LookupEnv(name)
	if !set || text == "" {
		return azure.Endpoint{}, fmt.Errorf("the environment has no variable %q", name)
	}
	endpoint, err := azure.ParseConnectionString(text)
	if err != nil {
		return azure.Endpoint{}, fmt.Errorf("env:%s: %w", name, err)
	}
	return endpoint, nil
}

func byFile(path string) (azure.Endpoint, error) {
	text, err := readSecret(path)
	if err != nil {
		return azure.Endpoint{}, err
	}
	endpoint, err := azure.ParseConnectionString(text)
	if err != nil {
		return azure.Endpoint{}, fmt.Errorf("file:%s: %w", path, err)
	}
	return endpoint, nil
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
