package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/engine/nearest"
	"loadgen/report"
	"loadgen/report/compare/contest"
	"loadgen/report/document"
	"loadgen/report/text"
	"loadgen/results"
	"loadgen/results/catalog"
	"loadgen/scenarios"
	"loadgen/scenarios/doctor"
	"loadgen/scenarios/logs"
	"loadgen/scenarios/logs/replay"
	"loadgen/scenarios/run"
	"loadgen/scenarios/series"
)

// logFlags are what a user typed after `loadgen logs`.
type logFlags struct {
	readFlags
	Set    []string `flag:"set"`
	Out    string   `flag:"out"`
	Strict bool     `flag:"strict"`
	formFlags
}

// readFlags say how the log of a table is read.
type readFlags struct {
	Table    string `flag:"table"`
	HashKeys string `flag:"hash-keys" rare:"yes"`
	columnFlags
	Quiet bool `flag:"quiet" rare:"yes"`

	estimate logs.Estimate
	// keyless says what is replayed of requests without key.
	keyless string
}

// replayFlags are what a user typed after `loadgen logs replay`.
type replayFlags struct {
	Try       []string    `flag:"try" group:"Keys" requires:"partition-key,row-key"`
	Designs   []string    `flag:"designs" split:"," group:"Keys"`
	Plan      replay.Plan `group:"Run"`
	Price     priceFlag   `group:"Run"`
	Write     string      `flag:"write" group:"Output"`
	readFlags `group:"Log"`
	formFlags
}

// logArguments are the arguments of the verbs that read a log.
const logArguments = "files or folders with the log of a table, such as requests.csv or logs/2026, or - for standard input; got %d arguments"

// newLogs returns the verb that judges the log of a table.
func newLogs(stdout, stderr io.Writer) *cobra.Command {
	f := new(logFlags)
	c := newVerb("logs", f, &cobra.Command{
		Args: takes(1, math.MaxInt, logArguments),
		RunE: func(c *cobra.Command, args []string) error {
			return f.report(c, args, newReading(stderr, f.Quiet, "lines"), stdout)
		},
	})
	c.AddCommand(new(replayFlags).verb(stdout, stderr))
	return c
}

func (f *replayFlags) verb(stdout, stderr io.Writer) *cobra.Command {
	f.Plan.Seeds = defaultReplays
	return newVerb("logs replay", f, &cobra.Command{
		Args: takes(1, math.MaxInt, logArguments),
		RunE: func(c *cobra.Command, args []string) error { return f.replay(c, args, stdout, stderr) },
	})
}

// The maximum and minimum speed of a replay, and the default number of runs of a design.
const (
	minSpeed       = 0.001
	maxSpeed       = 1000
	defaultReplays = 2
)

// validate refuses what no replay can have, and takes the profile that --profile names, or what
// its file says.
func (f *replayFlags) validate() error {
	switch p := &f.Plan; {
	case !(p.Speed >= minSpeed && p.Speed <= maxSpeed):
		return usageError{fmt.Errorf("--speed %v: expected 0.001 to 1,000", p.Speed)}
	case p.Seeds < 1 || p.Seeds > series.MaxSeeds:
		return usageError{fmt.Errorf("--count %d: expected 1 to %d", p.Seeds, series.MaxSeeds)}
	}
	err := f.Price.fill(&f.Plan.Price)
	if err != nil {
		return err
	}
	if f.Plan.Price.PerGiBMonth != 0 || f.Plan.Price.PerGBEgress != 0 {
		return usageError{errors.New("--price: stored and egress do not apply to a log")}
	}
	if faults := (contest.Options{Price: f.Plan.Price}).Validate(); len(faults) > 0 {
		return usageError{fmt.Errorf("--price: %w", faults[0])}
	}
	if p := &f.Plan; p.Profile != "" && !slices.Contains(hardAndSoft, p.Profile) {
		name := p.Profile
		if p.Profile, p.Measured, err = doctor.ChooseProfile(name); err == nil && p.Measured == nil {
			err = usageError{fmt.Errorf("--profile: %s", nearest.Unknown("profile", name, hardAndSoft))}
		}
	}
	if err == nil {
		f.Plan.Set, err = f.readFlags.set(f.Plan.Set)
	}
	return err
}

// hardAndSoft are the model's own profiles that a log is replayed by.
var hardAndSoft = []string{model.Documented, model.Headroom}

// replay replays a log.
func (f *replayFlags) replay(c *cobra.Command, args []string, stdout, stderr io.Writer) error {
	if err := f.validate(); err != nil {
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
	how, err := f.reading(newReading(stderr, f.Quiet, "lines"))
	if err != nil {
		return err
	}
	if f.Plan.Operations, err = replay.Gather(files, how, f.keyless); err != nil {
		return badLog(err)
	}
	if f.Write != "" { // a scenario that is like the log
		file, err := createFile("--write", f.Write)
		if err != nil {
			return err
		}
		_, err = file.Write(replay.Likeness(f.Plan.Operations))
		if err = errors.Join(err, file.Close()); err != nil {
			return err
		}
	}
	if !f.Quiet {
		f.Plan.Progress = func(design, profile string) { fmt.Fprintf(stderr, "replaying %s, profile %s\n", design, profile) }
	}
	told, err := replay.Replay(c.Context(), f.Plan)
	if errors.Is(err, replay.ErrKeys) {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	if err := told.Print(text.Unwrap(stdout), f.Format, f.look(stdout)); err != nil {
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
	p := f.Plan.Pattern
	for _, template := range f.Try {
		// The RowKey keeps entities distinct, as the log's keys do.
		f.Plan.Designs = append(f.Plan.Designs, replay.Design{Name: template, PartitionKey: template, RowKey: p.PartitionKey + "_" + p.RowKey})
	}
	switch {
	case file == "" && len(f.Designs) > 0:
		return nil, usageError{errors.New("--designs names designs of a scenario, and there is none; expected its file")}
	case file == "":
		return paths, nil
	case p.PartitionKey == "" || p.RowKey == "":
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
	names := nearest.NamesOf(all, func(d scenarios.Design) string { return d.Name })
	for _, name := range f.Designs {
		if !slices.Contains(names, name) {
			return nil, usageError{fmt.Errorf("--designs: %s", nearest.Unknown("design", name, names))}
		}
	}
	for _, d := range all {
		if len(f.Designs) > 0 && !slices.Contains(f.Designs, d.Name) {
			continue
		}
		if d.Name == "" {
			d.Name = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		}
		f.Plan.Designs = append(f.Plan.Designs, replay.Design{Name: d.Name, PartitionKey: d.PartitionKey, RowKey: d.RowKey})
	}
	return paths, nil
}

// logPaths are the paths of --set that concern how a log is read.
var logPaths = []string{"log.transaction_entities", "log.entity_bytes", "log.keyless"}

// set fills the rules with the settings of the log, and returns the other settings.
func (f *readFlags) set(settings []string) (others []string, err error) {
	f.keyless = replay.LeftOut
	entities, bytes := &f.estimate.Transaction, &f.estimate.Entity
	options := pflag.NewFlagSet("", pflag.ContinueOnError)
	options.Int64Var(entities, logPaths[0], 0, "")
	options.Int64Var(bytes, logPaths[1], 0, "")
	options.Var(&wordValue{&f.keyless, []string{replay.LeftOut, replay.AsWrites}}, logPaths[2], "")
	for _, one := range settings {
		if !strings.HasPrefix(one, "log.") {
			others = append(others, one)
		} else if err := setOptions("--set", options, one); err != nil {
			return nil, err
		}
	}
	switch {
	case *entities < 0 || *entities > 100:
		err = usageError{fmt.Errorf("--set: %s is %d; expected 1 to 100", logPaths[0], *entities)}
	case *bytes < 0 || *bytes > 1<<20:
		err = usageError{fmt.Errorf("--set: %s is %d; expected 1 to 1,048,576", logPaths[1], *bytes)}
	}
	return others, err
}

// reading is how the log is read.
func (f *readFlags) reading(progress func(int64)) (logs.Options, error) {
	names, err := f.names()
	if err != nil {
		return logs.Options{}, err
	}
	o := logs.Options{Table: f.Table, Names: names, TimeFormat: f.TimeFormat, Estimate: f.estimate, Progress: progress}
	if f.HashKeys == "" {
		return o, nil
	}
	salt, err := os.ReadFile(f.HashKeys)
	if err != nil {
		return o, usageError{fmt.Errorf("--hash-keys %s cannot be read: %w", f.HashKeys, catalog.Reason(err))}
	}
	if len(salt) < 16 {
		return o, usageError{fmt.Errorf("--hash-keys %s has %d bytes; expected 16 or more random bytes: shorter secrets can be guessed", f.HashKeys, len(salt))}
	}
	o.Hash = logs.Hashing(salt)
	return o, nil
}

// report says whether the traffic of a log was sound.
func (f *logFlags) report(c *cobra.Command, paths []string, progress func(int64), stdout io.Writer) error {
	others, err := f.set(f.Set)
	if err == nil && len(others) > 0 {
		err = usageError{fmt.Errorf("--set %s: %s", others[0], nearest.Unknown("path", others[0], logPaths))}
	}
	if err != nil {
		return err
	}
	if len(paths) == 1 && logs.IsRecord(paths[0]) {
		kept, err := report.Read(results.Dir(paths[0]))
		if err != nil {
			return usageError{err}
		}
		ok := logs.Mark(&kept.Document.Answer, f.Strict)
		if err := f.show(stdout, kept.Document); err != nil {
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
	plan := logs.Plan{Files: files, Reading: how, Strict: f.Strict, Out: f.Out, Version: run.Version(), Commit: run.Commit(), Command: append(commandOf(c), paths...)}
	told, err := logs.Examine(plan)
	if err != nil {
		return badLog(err)
	}
	if err := told.Print(text.Unwrap(stdout), f.Format, f.look(stdout)); err != nil {
		return err
	}
	if told.Folder != "" {
		if err := report.Illustrate(told.Folder, told.Record); err != nil {
			return err
		}
	}
	return f.end(logs.Mark(&document.Answer{State: told.Record.Summary.State}, f.Strict))
}

// end returns the exit code of a log, by whether its load was sustained.
func (f *logFlags) end(ok *bool) error {
	return outcome{failed: ok != nil && !*ok, untold: f.Strict && ok == nil}.end()
}

// badLog says what is wrong with a log.
func badLog(err error) error {
	if errors.Is(err, logs.ErrSource) {
		return usageError{err}
	}
	return err
}

// readingEvery is the time between two lines of progress.
const readingEvery = 2 * time.Second

// newReading returns a function that prints from time to time how many rows or lines were read.
func newReading(to io.Writer, quiet bool, what string) func(n int64) {
	if quiet {
		to = io.Discard
	}
	real := clock.NewReal()
	next := real.Now().Add(readingEvery)
	return func(n int64) {
		if now := real.Now(); now >= next {
			next = now.Add(readingEvery)
			fmt.Fprintf(to, "%s %s\n", document.Count(n), what)
		}
	}
}

// createFile creates the new file that a flag names.
func createFile(flag, name string) (*os.File, error) {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, os.ErrExist) {
		return nil, usageError{fmt.Errorf("%s %s: there is one already; expected a new file", flag, name)}
	}
	if err != nil {
		return nil, usageError{fmt.Errorf("%s %s: %w", flag, name, catalog.Reason(err))}
	}
	return file, nil
}
