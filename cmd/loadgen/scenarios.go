package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"loadgen/engine/nearest"
	"loadgen/report"
	"loadgen/report/document"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/run"
	"loadgen/scenarios/series"
)

// newScenarios returns the verb around scenarios and their files.
func newScenarios(stdout, stderr io.Writer) *cobra.Command {
	c := newVerb("scenarios", nil, &cobra.Command{
		RunE: helpOrUnknown, Args: cobra.ArbitraryArgs,
	})
	f := new(listFlags)
	list := newVerb("scenarios list", f, &cobra.Command{
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			all, err := scenarios.Catalogue()
			subjects := scenarios.Subjects()
			var near []string
			words := strings.TrimSpace(strings.Join(append(args, f.Search), " "))
			if words != "" {
				all, near, err = scenarios.Search(words)
				subjects = nil
			}
			if err != nil {
				return err
			}
			if len(all) == 0 {
				return usageError{fmt.Errorf("no built-in scenario matches %s; similar names: %s", words, strings.Join(near, ", "))}
			}
			return f.show(stdout, listed(all, subjects))
		},
	})
	schema := newVerb("scenarios schema", nil, &cobra.Command{
		RunE: func(*cobra.Command, []string) error {
			_, err := stdout.Write(scenarios.Schema())
			return err
		},
	})
	c.AddCommand(list, new(sourceFlags).verb(stdout, stderr), newCheck(stdout),
		schema, new(initFlags).verb(stdout), newPatterns(stdout, stderr))
	return c
}

// listFlags say which scenarios are listed.
type listFlags struct {
	formFlags
	Search string `flag:"search" group:"Scenario"`
}

// helpOrUnknown explains a verb that has verbs of its own; an argument is none of them.
func helpOrUnknown(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return c.Help()
	}
	var names []string
	for _, part := range c.Commands() {
		names = append(names, part.Name())
	}
	return usageError{fmt.Errorf("%s: %s", c.CommandPath(), nearest.Unknown("verb", args[0], names))}
}

// listed is a table of built-in scenarios for each of the subjects, or in the order in which
// they were found.
func listed(all []scenarios.Entry, subjects []string) *document.Document {
	told := &document.Document{Title: document.Counted(len(all), "scenario") + " built in", Data: all}
	add := func(id, title string, some []scenarios.Entry) {
		table := document.NewTable(id, title, "scenario|words", "what it shows, and why its anti-pattern fails|words")
		for _, one := range some {
			says := one.Says
			if one.Why != "" {
				says += " Anti-pattern: " + one.Why
			}
			table.Add(one.Name, says)
		}
		told.Add(id, title, table)
	}
	for i, subject := range subjects {
		add(fmt.Sprintf("subject-%d", i+1), subject, slices.DeleteFunc(slices.Clone(all), func(one scenarios.Entry) bool { return one.Subject != subject }))
	}
	if len(subjects) == 0 {
		add("found", "Found", all)
	}
	return told
}

// sourceFlags are what a user typed after `loadgen scenarios show`.
type sourceFlags struct {
	Effective bool        `flag:"effective"`
	Choice    choiceFlags `requires:"effective"`
}

func (f *sourceFlags) verb(stdout, stderr io.Writer) *cobra.Command {
	return newVerb("scenarios show", f, &cobra.Command{
		Args:              takesOne(),
		ValidArgsFunction: oneScenario,
		RunE: func(c *cobra.Command, args []string) error {
			if !f.Effective {
				text, err := scenarios.Source(args[0])
				if err != nil {
					return err
				}
				_, err = stdout.Write(text)
				return err
			}
			d, err := f.Choice.open(args[0], "model.partition_target=500", stderr)
			if err != nil {
				return err
			}
			s, err := f.Choice.buildScenario(c.Flags(), d, nil)
			if err != nil {
				return err
			}
			_, err = stdout.Write(s.Text())
			return err
		},
	}, "seed", "retry", "workers")
}

// newCheck returns the verb that lists all faults of scenario files.
func newCheck(stdout io.Writer) *cobra.Command {
	f := new(validityFlags)
	return newVerb("scenarios check", f, &cobra.Command{
		ValidArgsFunction: someScenarios,
		Args:              takes(1, math.MaxInt, "files, folders or -, and got %d"),
		RunE: func(c *cobra.Command, args []string) error {
			code := codeOk
			told := func(line string, sound bool) error {
				if !sound {
					code = codeUsage
				}
				_, err := fmt.Fprintln(stdout, line)
				return err
			}
			for _, name := range args {
				files := []string{standardInput}
				if name != standardInput {
					var err error
					if files, err = scenarios.FilesOf(name); err != nil {
						files, err = nil, told(results.OneLine(err), false)
					}
					if err != nil {
						return err
					}
				}
				for _, file := range files {
					if err := told(f.check(file, c.InOrStdin())); err != nil {
						return err
					}
				}
			}
			return endsWith(code)
		},
	})
}

// stdinName is what messages call standard input.
const stdinName = "stdin"

// validityFlags are what a user typed after `loadgen scenarios check`.
type validityFlags struct {
	AntiPattern bool `flag:"anti-pattern"`
}

// check returns the result for one file, or for its anti-pattern, a line for each fault.
func (f *validityFlags) check(name string, stdin io.Reader) (said string, isSound bool) {
	s, folder, err := f.open(name, stdin)
	if name == standardInput {
		name = stdinName
	}
	if err == nil {
		err = s.ReadFrom(folder)
	}
	var faults fields.Faults
	switch {
	case errors.As(err, &faults):
		return faults.Error(), false
	case err != nil:
		return results.OneLine(err), false
	default:
		return name + ": sound: " + s.Contents(), true
	}
}

// open returns a valid scenario, or its valid anti-pattern, and what paths in it are relative to.
func (f *validityFlags) open(name string, stdin io.Reader) (s *scenarios.Scenario, folder string, err error) {
	if name == standardInput {
		folder = "."
		s, err = scenarios.Read(stdinName, stdin)
	} else {
		s, folder, err = scenarios.Open(name)
	}
	if err != nil || !f.AntiPattern {
		return s, folder, err
	}
	if s.AntiPattern == nil {
		return nil, "", usageError{fmt.Errorf("%s: the scenario has no anti-pattern", name)}
	}
	if s, err = s.Opposed(); err != nil {
		return nil, "", err
	}
	s.AntiPattern = nil
	return s, folder, fields.FaultsOf(s.Validate())
}

// initFlags are what a user typed after `loadgen scenarios init`.
type initFlags struct {
	Force bool `flag:"force"`
}

func (f *initFlags) verb(stdout io.Writer) *cobra.Command {
	return newVerb("scenarios init", f, &cobra.Command{
		Args: takes(0, 1, "one file, and got %d"),
		RunE: func(c *cobra.Command, args []string) error {
			file := append(args, scenarios.StarterName+".yaml")[0]
			var faults fields.Faults
			if errors.As(scenarios.Begin(file, f.Force), &faults) {
				for i, fault := range faults {
					if fault.Path == "overwrite" {
						faults[i] = fields.Fault{What: fault.What + ", or --force to overwrite it"}
					}
				}
				return usageError{errors.Join(faults.Unwrap()...)}
			}
			_, err := fmt.Fprintf(stdout, `%s is a scenario to start from; %s is its schema for editors. Next:

  loadgen scenarios check %s    # is the file valid?
  loadgen explain %s            # what will it do?
  loadgen simulate %s           # run it on the virtual clock
  loadgen run %s                # run it in real time
`, file, scenarios.SchemaFile, file, file, file, file)
			return err
		},
	})
}

// newPatterns returns the verb that runs every pattern and its anti-pattern.
func newPatterns(stdout, stderr io.Writer) *cobra.Command {
	return newVerb("scenarios patterns", nil, &cobra.Command{
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: someScenarios,
		RunE: func(c *cobra.Command, args []string) error {
			names, rows, err := series.PatternsOf(args)
			if err != nil {
				return err
			}
			told, done := isTerminal(stderr), new(atomic.Int64)
			list, err := series.Patterns(c.Context(), names, func() {
				if told {
					fmt.Fprintf(stderr, "\r%d of %d patterns", done.Add(1), len(names))
				}
			})
			if told {
				used, _ := run.CPU()
				fmt.Fprintf(stderr, ", %s of processor time\n", used.Round(100*time.Millisecond))
			}
			if err != nil {
				return err
			}
			return report.Patterns(stdout, rows, list)
		},
	})
}
