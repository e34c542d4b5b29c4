package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"loadgen/engine/model"
	"loadgen/engine/nearest"
	"loadgen/report"
	"loadgen/report/compare/contest"
	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/catalog"
	"loadgen/scenarios"
	"loadgen/scenarios/doctor"
	"loadgen/scenarios/logs"
	"loadgen/scenarios/logs/replay"
	"loadgen/scenarios/run"
	"loadgen/scenarios/series"
)

// replayFlags are what a user typed after `loadgen replay`.
type replayFlags struct {
	formFlags
	log     logFlags
	pattern replay.Pattern
	use     []string
	rules   replay.Rules
	plan    replay.Plan
	write   string
	quiet   bool
}

func (f *replayFlags) verb(stdout, stderr io.Writer) *cobra.Command {
	c := &cobra.Command{
		Use:   "replay log... [file.yaml]",
		Short: "Repeat the operations of a log under other keys",
		Long: `Replay takes the operations of a table's log, each once despite retries, and repeats them
on the virtual clock at the times of the log: with their own keys, and with those of other
designs. It reports what would be throttled and lost, under two profiles of the model or a
measured one (--profile FILE), the cost, and the best design by the rules of a contest.
Nothing is sent.

--partition-key and --row-key are the templates of the log's keys, which give their
attributes. The designs of a scenario file form new keys from these; --suggest proposes
designs. Operations that do not match the templates keep their keys and are counted.

A query is replayed by what its filter contains of the keys: in another design it becomes
a point query, a range, a scan, or one query per bucket. Logs do not contain the keys of
transactions. A transaction without partition is omitted and counted, or assumed in the
partition of the previous single write (--keyless as-writes). --transaction-entities sets
the number of entities per transaction.

The exit code is 10 if no design holds, and 12 if too much of the log is omitted to tell.`,
		Example: `  loadgen replay logs/                            # with its own keys
  loadgen replay logs/ --partition-key "{region}_{date}" --row-key "{id}" mine.yaml
  loadgen replay logs/ --partition-key "{region}_{date}" --row-key "{id}" --suggest
  loadgen replay table.log --speed 2 --retry none --profile documented
  loadgen replay table.log --write like-it.yaml   # a scenario without its keys`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError{fmt.Errorf("%s takes the log of a table, a file or a folder, and got none", c.CommandPath())}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return f.replay(c, args, stdout, stderr) },
	}
	flags := c.Flags()
	flags.StringVar(&f.pattern.PartitionKey, "partition-key", "", "`template` by which the log's PartitionKeys were formed")
	flags.StringVar(&f.pattern.RowKey, "row-key", "", "how RowKeys were")
	flags.StringSliceVar(&f.use, "use", nil, "which `designs` of the scenario, separated by commas (default: all)")
	flags.Float64Var(&f.plan.Speed, "speed", 1, "replay this many `times` faster")
	flags.StringVar(&f.plan.Retry, "retry", "", "retry policy instead of the clients': none, documented, short (default short)")
	flags.StringVar(&f.plan.Profile, "profile", "", "model profile: a `name`, or a file of loadgen calibrate (default: documented and headroom)")
	flags.BoolVar(&f.plan.Suggest, "suggest", false, "add designs that are derived from the log")
	flags.StringVar(&f.rules.Keyless, "keyless", replay.LeftOut, "transactions and inserts without key: `leave-out` or as-writes")
	flags.IntVar(&f.plan.Seeds, "seeds", defaultReplays, "runs of each design, with different seeds, 1 to 100")
	flags.Float64Var(&f.plan.Price.PerMillion, "price", 0, "what a million billed transactions cost, in any currency")
	flags.BoolVar(&f.plan.Price.BillRefused, "bill-throttled", false, "throttled requests are billed, too")
	flags.StringArrayVar(&f.plan.Set, "set", nil, "set a value of the model: `model.x=y`, repeatable")
	flags.Uint64Var(&f.plan.Seed, "seed", 1, "root of all chance")
	flags.StringVar(&f.write, "write", "", "write a scenario like the log, without its keys, to a new `file`")
	f.log.registerReading(flags)
	f.formFlags.register(flags)
	flags.BoolVar(&f.quiet, "quiet", false, "no progress on standard error")
	return c
}

// The maximum and minimum speed of a replay, and the default number of runs of a design.
const (
	leastSpeed     = 0.001
	mostSpeed      = 1000
	defaultReplays = 2
)

// sound refuses what no replay can have, and takes the profile that --profile names, or what
// its file says.
func (f *replayFlags) sound() error {
	keyless := []string{replay.LeftOut, replay.AsWrites}
	switch p := &f.plan; {
	case !(p.Speed >= leastSpeed && p.Speed <= mostSpeed):
		return usageError{fmt.Errorf("--speed %v: expected 0.001 to 1,000", p.Speed)}
	case !slices.Contains(keyless, f.rules.Keyless):
		return usageError{fmt.Errorf("--keyless: %s", nearest.Unknown("rule", f.rules.Keyless, keyless))}
	case p.Seeds < 1 || p.Seeds > series.MostSeeds:
		return usageError{fmt.Errorf("--seeds %d: expected 1 to %d", p.Seeds, series.MostSeeds)}
	case p.Suggest && (f.pattern.PartitionKey == "" || f.pattern.RowKey == ""):
		return usageError{errors.New("--suggest needs attributes; expected the templates of the log's keys: --partition-key and --row-key")}
	}
	if faults := (contest.Options{Price: f.plan.Price}).Validate(); len(faults) > 0 {
		return usageError{fmt.Errorf("--price: %w", faults[0])}
	}
	var err error
	if p := &f.plan; p.Profile != "" && !slices.Contains(hardAndSoft, p.Profile) {
		name := p.Profile
		if p.Profile, p.Measured, err = doctor.ChooseProfile(name); err == nil && p.Measured == nil {
			err = usageError{fmt.Errorf("--profile: %s", nearest.Unknown("profile", name, hardAndSoft))}
		}
	}
	return errors.Join(err, f.log.sound())
}

// hardAndSoft are the model's own profiles that a log is replayed by.
var hardAndSoft = []string{model.Documented, model.Headroom}

// replay replays a log.
func (f *replayFlags) replay(c *cobra.Command, args []string, stdout, stderr io.Writer) error {
	if err := errors.Join(emptyFlag(c.Flags()), f.sound()); err != nil {
		return err
	}
	paths, err := f.designs(args)
	if err != nil {
		return err
	}
	files, err := logs.Open(paths, c.InOrStdin())
	if err != nil {
		return usageError{err}
	}
	how, err := f.log.reading(newReading(stderr, f.quiet, "lines"))
	if err != nil {
		return err
	}
	f.rules.Estimate = f.log.estimate
	if f.plan.Operations, err = f.rules.Gather(files, how); err != nil {
		return badLog(err)
	}
	if f.write != "" { // a scenario that is like the log
		file, err := os.OpenFile(f.write, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, os.ErrExist) {
			return usageError{fmt.Errorf("--write %s: there is one already; expected a new file", f.write)}
		}
		if err != nil {
			return usageError{fmt.Errorf("--write %s: %w", f.write, catalog.Reason(err))}
		}
		_, err = file.Write(replay.Likeness(f.plan.Operations))
		if err = errors.Join(err, file.Close()); err != nil {
			return err
		}
	}
	if f.plan.Pattern = f.pattern; !f.quiet {
		f.plan.Progress = func(design, profile string) { fmt.Fprintf(stderr, "replaying %s, profile %s\n", design, profile) }
	}
	told, err := replay.Replay(c.Context(), f.plan)
	if errors.Is(err, replay.ErrKeys) {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	if err := told.Print(stdout, f.format, f.look(stdout)); err != nil {
		return err
	}
	return outcome{failed: told.State == results.DoesNotHold, untold: told.State == results.CannotTell}.end()
}

// designs takes the scenario from among the arguments, and the designs of it; the others
// are logs.
func (f *replayFlags) designs(args []string) (paths []string, err error) {
	file := ""
	for _, one := range args {
		switch ext := filepath.Ext(one); {
		case ext != ".yaml" && ext != ".yml":
			paths = append(paths, one)
		case file != "":
			return nil, usageError{fmt.Errorf("%s and %s are scenarios; expected one at most", file, one)}
		default:
			file = one
		}
	}
	switch {
	case file == "" && len(f.use) > 0:
		return nil, usageError{errors.New("--use names designs of a scenario, and there is none; expected its file")}
	case file == "":
		return paths, nil
	case f.pattern.PartitionKey == "" || f.pattern.RowKey == "":
		return nil, usageError{fmt.Errorf("the designs of %s need attributes; expected the templates of the log's keys: --partition-key and --row-key", file)}
	}
	s, _, err := scenarios.OpenContested(file)
	if err != nil {
		return nil, err
	}
	all := s.Designs
	if len(all) == 0 {
		all = []scenarios.Design{s.Design}
	}
	names := nearest.Of(all, func(d scenarios.Design) string { return d.Name })
	for _, name := range f.use {
		if !slices.Contains(names, name) {
			return nil, usageError{fmt.Errorf("--use: %s", nearest.Unknown("design", name, names))}
		}
	}
	for _, d := range all {
		if len(f.use) > 0 && !slices.Contains(f.use, d.Name) {
			continue
		}
		if d.Name == "" {
			d.Name = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		}
		f.plan.Designs = append(f.plan.Designs, replay.Design{Name: d.Name, PartitionKey: d.PartitionKey, RowKey: d.RowKey})
	}
	return paths, nil
}

// logFlags are what a user typed about the log of a table.
type logFlags struct {
	paths    []string
	table    string
	salt     string
	out      string
	strict   bool
	estimate logs.Estimate
}

// registerReading adds the flags by which a log is read.
func (f *logFlags) registerReading(flags *pflag.FlagSet) {
	flags.StringVar(&f.table, "table", "", "of the log: this `table` alone")
	flags.StringVar(&f.salt, "hash-keys", "", "hash the keys of the log with the secret in this `file`")
	flags.Int64Var(&f.estimate.Transaction, "transaction-entities", 0, "`entities` of each transaction in the log (default: estimated)")
	flags.Int64Var(&f.estimate.Entity, "entity-bytes", 0, "`bytes` of an entity in a reply (default: estimated)")
}

// sound refuses numbers that cannot be.
func (f *logFlags) sound() error {
	if n := f.estimate.Transaction; n < 0 || n > 100 {
		return usageError{fmt.Errorf("--transaction-entities %d: expected 1 to 100", n)}
	}
	if n := f.estimate.Entity; n < 0 || n > 1<<20 {
		return usageError{fmt.Errorf("--entity-bytes %d: expected 1 to 1,048,576", n)}
	}
	return nil
}

// reading is how the log is read.
func (f *logFlags) reading(progress func(int64)) (logs.Options, error) {
	o := logs.Options{Table: f.table, Progress: progress}
	if f.salt == "" {
		return o, nil
	}
	salt, err := os.ReadFile(f.salt)
	if err != nil {
		return o, usageError{fmt.Errorf("--hash-keys %s cannot be read: %w", f.salt, catalog.Reason(err))}
	}
	if len(salt) < 16 {
		return o, usageError{fmt.Errorf("--hash-keys %s has %d bytes; expected 16 or more random bytes: shorter secrets can be guessed", f.salt, len(salt))}
	}
	o.Hash = logs.Hashing(salt)
	return o, nil
}

// explain says what a log says.
func (f *logFlags) explain(c *cobra.Command, more []string, form *formFlags, progress func(int64), stdout io.Writer) (err error) {
	if err := emptyFlag(c.Flags()); err != nil {
		return err
	}
	paths := append(f.paths, more...)
	if len(paths) == 1 && logs.IsRecord(paths[0]) {
		kept, err := report.Read(results.Dir(paths[0]))
		if err != nil {
			return usageError{err}
		}
		ok := logs.Mark(&kept.Document.Answer, f.strict)
		if err := form.show(stdout, kept.Document); err != nil {
			return err
		}
		return f.end(ok)
	}
	files, err := logs.Open(paths, c.InOrStdin())
	if err != nil {
		return usageError{err}
	}
	how, err := f.reading(progress)
	if err != nil {
		return err
	}
	plan := logs.Plan{Files: files, Reading: how, Estimate: f.estimate, Strict: f.strict, Out: f.out, Version: run.Version(), Commit: run.Commit(), Command: commandOf(c)}
	told, err := logs.Tell(plan)
	if err != nil {
		return badLog(err)
	}
	if err := told.Print(stdout, form.format, form.look(stdout)); err != nil {
		return err
	}
	if told.Folder != "" {
		if err := report.Illustrate(told.Folder, told.Record); err != nil {
			return err
		}
	}
	return f.end(logs.Mark(&document.Answer{State: told.Record.Summary.State}, f.strict))
}

// end returns the exit code of a log, by whether its load was sustained.
func (f *logFlags) end(ok *bool) error {
	return outcome{failed: ok != nil && !*ok, untold: f.strict && ok == nil}.end()
}

// badLog says what is wrong with a log.
func badLog(err error) error {
	if errors.Is(err, logs.ErrSource) {
		return usageError{err}
	}
	return err
}
