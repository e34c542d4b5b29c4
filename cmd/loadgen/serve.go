package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"loadgen/engine/model"
	"loadgen/scenarios/keys"
)

// serveFlags are what a user typed after `loadgen serve`.
type serveFlags struct {
	listen  string
	account string
	keyFile string
	profile string
	set     []string
	seed    uint64
	examine bool
	out     string
	imports []string
	export  string
	admin   string
	quiet   bool

	// grace is how long what is under way may take once no more is accepted.
	grace time.Duration
}

// defaultGrace is short of what process managers wait until they kill.
const defaultGrace = 5 * time.Second

// newServe returns the verb that opens a table service to others.
func newServe(stdout, stderr io.Writer) *cobra.Command {
	return (&serveFlags{grace: defaultGrace}).verb(stdout, stderr)
}

// verb returns the verb with its flags bound to f.
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
queries scanned how much, what was refused, and what that means for the
PartitionKey.

Ctrl-C or SIGTERM ends it: it accepts no more, lets what is under way finish for
5 s, and then exports and reports. On a second address, of this machine only, it
answers GET /-/healthz and GET /-/state, which is JSON.

The account and the key are the emulators' well-known ones, on a loopback address
only. Any other address needs an account and a key of one's own. It speaks plain
HTTP: beyond networks that are trusted it needs a proxy for TLS before it.`,
		Example: `  loadgen serve                                   # where the emulators are, with their account
  loadgen serve --examine                         # and a verdict on Ctrl-C
  loadgen serve --import races.csv --export races.jsonl
  loadgen serve --profile off --listen 127.0.0.1:0 # no limits, any free port
  loadgen serve --set model.partition_target=500  # what if the limit were another?
  loadgen serve --listen 0.0.0.0:10002 --account races --key-file key.txt`,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := emptyFlag(c.Flags()); err != nil {
				return err
			}
			return f.run(c.Context(), commandOf(c), c.InOrStdin(), stdout, stderr)
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.listen, "listen", "127.0.0.1:10002", "`address` to serve on; port 0 is any free one")
	flags.StringVar(&f.account, "account", "", "name of the account (default: the emulators')")
	flags.StringVar(&f.keyFile, "key-file", "", "`file` with the key of --account, base64")
	flags.StringVar(&f.profile, "profile", model.Documented, "limits and times: "+keys.Choice(model.Profiles()))
	flags.StringArrayVar(&f.set, "set", nil, "give a parameter of the model another value: `model.x=y`, may be repeated")
	flags.Uint64Var(&f.seed, "seed", 1, "root of all chance")
	flags.BoolVar(&f.examine, "examine", false, "record the traffic as a run, and report on it at the end")
	flags.StringVar(&f.out, "out", "", "folder of the run of --examine (default: a new one in results/runs)")
	flags.StringArrayVar(&f.imports, "import", nil, "fill tables from this `file`, may be repeated: .jsonl, .ndjson or .csv; - is\n"+
		"standard input as JSON lines")
	flags.StringVar(&f.export, "export", "", "save all tables in this `file` at the end: .jsonl, .ndjson or .csv")
	flags.StringVar(&f.admin, "admin", "127.0.0.1:0", "loopback `address` of /-/healthz and /-/state")
	flags.BoolVar(&f.quiet, "quiet", false, "no lines with counts on standard error")
	return c
}

// run serves until the context is done.
func (f *serveFlags) run(ctx context.Context, command []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if f.out != "" && !f.examine {
		return usageError{errors.New("--out is the folder of a run, and there is one with --examine alone")}
	}
	s, err := f.prepare(ctx, stdin, stderr)
	if err != nil {
		return err
	}
	defer s.export.discard()
	if err := s.open(command); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(stdout, s.door.connectionString(s.server.Address())); err != nil {
		return errors.Join(err, s.shut())
	}
	s.announce()
	s.begin()
	<-ctx.Done()
	ended := s.drain()
	saved := s.save()
	return errors.Join(s.examination.conclude(s, ended, stdout), saved)
}

// model returns the partition model that the flags ask for.
func (f *serveFlags) model() (*model.Model, error) {
	m, err := model.New(f.profile)
	if err != nil {
		return nil, usageError{errors.New("--profile: " + keys.Unknown("profile", f.profile, model.Profiles()))}
	}
	for _, one := range f.set {
		path, value, cut := strings.Cut(one, "=")
		if !cut {
			return nil, usageError{fmt.Errorf("--set %s: expected model.PARAMETER=value, such as model.partition_target=500", one)}
		}
		var known []string
		for _, name := range model.Names() {
			known = append(known, modelPrefix+name)
		}
		err := m.Set(strings.TrimPrefix(path, modelPrefix), value)
		if errors.Is(err, model.ErrUnknown) || !strings.HasPrefix(path, modelPrefix) {
			return nil, usageError{errors.New("--set: " + keys.Unknown("parameter", path, known))}
		}
		if err != nil {
			return nil, usageError{fmt.Errorf("--set %s: %w", one, err)}
		}
	}
	if faults := m.Validate(); len(faults) > 0 {
		return nil, usageError{errors.Join(faults...)}
	}
	return m, nil
}

// modelPrefix begins the path of a parameter of the model, as in a scenario.
const modelPrefix = "model."
