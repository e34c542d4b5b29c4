package main

import (
	"errors"
	"fmt"
	"io"
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
	c := &cobra.Command{
		Use:   "scenarios",
		Short: "List, show and check scenarios, or start one for your own table",
		Long: `A scenario defines the entities of a table, how their keys are formed, and the load. Each
built-in scenario shows one subject. Init writes a file for your own, which check,
explain, simulate and run accept.`,
		Example: `  loadgen scenarios list                   # built-in scenarios
  loadgen scenarios show stress            # the text of one
  loadgen scenarios init my-table.yaml     # start with your own table
  loadgen scenarios check my-table.yaml    # validate a file`,
		RunE: helpOrUnknown, Args: cobra.ArbitraryArgs,
	}
	f := new(listFlags)
	list := &cobra.Command{
		Use:   "list [WORD...]",
		Short: "List or search the built-in scenarios",
		Long: `List prints each built-in scenario with the first sentence of its description and why its
anti-pattern fails, in the order of the documents' subjects. Run, simulate, explain and
show accept these names.

--search, or words as arguments, finds words in any form, titles of the documents' patterns
and sections, and synonyms (SAS, EGT, CORS). Matches in names come first, then in
subjects, then in descriptions.`,
		Example: `  loadgen scenarios list
  loadgen scenarios list --search ETag
  loadgen scenarios list --search "log tail pattern"
  loadgen scenarios list --format json`,
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
	}
	f.formFlags.bindAll(list.Flags(), f)
	schema := &cobra.Command{
		Use:   "schema",
		Short: "Print the format of scenario files as a JSON Schema",
		Long: `Schema prints the scenario format as a JSON Schema (draft 2020-12), for completion and
validation in editors. ` + "`loadgen scenarios init`" + `
writes it beside the file already.`,
		Example: "  loadgen scenarios schema > " + scenarios.SchemaFile,
		RunE: func(*cobra.Command, []string) error {
			_, err := stdout.Write(scenarios.Schema())
			return err
		},
	}
	refuseArguments(schema)
	c.AddCommand(list, new(sourceFlags).verb(stdout, stderr), newCheck(stdout),
		schema, new(initFlags).verb(stdout), newPatterns(stdout, stderr))
	return c
}

// listFlags say which scenarios are listed.
type listFlags struct {
	formFlags
	Search string `flag:"search" group:"Scenario" help:"only scenarios that match these *words*"`
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
	Effective bool        `flag:"effective" help:"print what takes effect, with every default and override"`
	Choice    choiceFlags `requires:"effective"`
}

func (f *sourceFlags) verb(stdout, stderr io.Writer) *cobra.Command {
	c := &cobra.Command{
		Use:   "show file|name",
		Short: "Print a scenario as it is written, or as it takes effect",
		Long: `Show prints the text of a scenario with its comments: a built-in one is a good start for
your own. With --effective it prints the values of a run: every field, with defaults and
overrides, in one canonical form.`,
		Example: `  loadgen scenarios show stress > my-table.yaml
  loadgen scenarios show stress --effective --set model.partition_target=500`,
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
			s, err := f.Choice.settle(c.Flags(), d, nil)
			if err != nil {
				return err
			}
			_, err = stdout.Write(s.Text())
			return err
		},
	}
	bind(c.Flags(), f, "seed", "retry", "workers")
	completeUse(c, canonical)
	return c
}

const checkHelp = `Check validates scenario files, and the files they refer to, without running anything. It
prints a line for each fault on standard output:

  file:line:column: what is wrong; what was expected

For a valid file it prints a line with a summary. Arguments are files, folders of .yaml
files, - for standard input, and names of built-in scenarios. The exit code is 2 if there
are faults.`

// newCheck returns the verb that lists all faults of scenario files.
func newCheck(stdout io.Writer) *cobra.Command {
	return &cobra.Command{
		Use:   "check file…",
		Short: "Tell all that is wrong with scenario files",
		Long:  checkHelp,
		Example: `  loadgen scenarios check my-table.yaml
  loadgen scenarios check tables/ other.yaml
  loadgen scenarios check - < my-table.yaml`,
		ValidArgsFunction: someScenarios,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError{fmt.Errorf("%s takes files, folders or -, and got none", c.CommandPath())}
			}
			return nil
		},
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
					if err := told(checkOne(file, c.InOrStdin())); err != nil {
						return err
					}
				}
			}
			if code != codeOk {
				return verdictError{code: code}
			}
			return nil
		},
	}
}

// stdinName is what messages call standard input.
const stdinName = "stdin"

// checkOne returns the result for one file, a line for each fault.
func checkOne(name string, stdin io.Reader) (said string, isSound bool) {
	var s *scenarios.Scenario
	var err error
	if name == standardInput {
		name = stdinName
		if s, err = scenarios.Read(name, stdin); err == nil {
			err = s.ReadFrom(".")
		}
	} else {
		s, _, err = scenarios.OpenWhole(name)
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

// initFlags are what a user typed after `loadgen scenarios init`.
type initFlags struct {
	Force bool `flag:"force" help:"overwrite existing files"`
}

const initHelp = `Init writes a scenario to begin with, ` + scenarios.StarterName + `.yaml unless another file is named. The
file's name is that of the scenario. It is valid: check, explain, simulate and run accept it, and comments in each section say what
to change for your own table. The JSON Schema next to it lets editors complete and
validate it.

No file is overwritten without --force.`

func (f *initFlags) verb(stdout io.Writer) *cobra.Command {
	c := &cobra.Command{
		Use:   "init [file]",
		Short: "Write the beginning of a scenario for your own table",
		Long:  initHelp,
		Example: `  loadgen scenarios init
  loadgen scenarios init tables/orders.yaml`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError{fmt.Errorf("%s takes one file, and %q is another", c.CommandPath(), args[1])}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			file := scenarios.StarterName + ".yaml"
			if len(args) == 1 {
				file = args[0]
			}
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
	}
	bind(c.Flags(), f)
	return c
}

// newPatterns returns the verb that runs every pattern and its anti-pattern.
func newPatterns(stdout, stderr io.Writer) *cobra.Command {
	c := &cobra.Command{
		Use:   "patterns [name...]",
		Short: "Run the documents' design patterns and their anti-patterns",
		Long: `Patterns runs each built-in scenario of a documented design pattern, and its anti-pattern,
on the virtual clock with three seeds each, and prints in Markdown the checks and the
figures that differ, as in docs/development/patterns.md. Names select scenarios.`,
		Example: `  loadgen scenarios patterns                  # all of them
  loadgen scenarios patterns bank-transfer    # one`,
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
	}
	return c
}
