package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"loadgen/scenarios"
	"loadgen/scenarios/keys"
)

// newScenarios returns the verb around scenarios and their files.
func newScenarios(stdout, stderr io.Writer) *cobra.Command {
	c := &cobra.Command{
		Use:   "scenarios",
		Short: "List, show and check scenarios, or begin one for your own table",
		Long: `A scenario says what a table holds, how its keys are formed from facts about its
entities, and what is done to it. Those that are built in show one lesson each; init
writes the beginning of your own, which check, explain, simulate and run take by the
name of its file.`,
		Example: `  loadgen scenarios list                   # what is built in
  loadgen scenarios show stress            # how one of them is written
  loadgen scenarios init my-table.yaml     # begin with your own table
  loadgen scenarios check my-table.yaml    # all that is wrong with a file`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownPart(c, args[0])
			}
			return c.Help()
		},
		Args: cobra.ArbitraryArgs,
	}
	c.AddCommand(new(listFlags).verb(stdout), new(sourceFlags).verb(stdout, stderr), newCheck(stdout),
		newSchema(stdout), new(initFlags).verb(stdout), newPatterns(stdout, stderr))
	return c
}

// unknownPart tells that a verb has no part of that name, and which is nearest.
func unknownPart(c *cobra.Command, name string) error {
	var names []string
	for _, part := range c.Commands() {
		names = append(names, part.Name())
	}
	return usageError{fmt.Errorf("%s: %s", c.CommandPath(), keys.Unknown("verb", name, names))}
}

// newSchema returns the verb that prints the schema of scenario files.
func newSchema(stdout io.Writer) *cobra.Command {
	c := &cobra.Command{
		Use:   "schema",
		Short: "Print the format of scenario files as a JSON Schema",
		Long: `Schema prints the format of scenario files as a JSON Schema (draft 2020-12), by which
editors complete names and underline faults while one types. ` + "`loadgen scenarios init`" + `
writes it beside the file already.`,
		Example: "  loadgen scenarios schema > " + scenarios.SchemaFile,
		RunE: func(*cobra.Command, []string) error {
			_, err := stdout.Write(scenarios.Schema())
			return err
		},
	}
	refuseArguments(c)
	return c
}

// oneScenario completes the argument of a verb that takes a scenario: the names of
// the built-in ones, and files.
func oneScenario(_ *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return namesLike(toComplete), cobra.ShellCompDirectiveDefault
}

// someScenarios completes those of a verb that takes several.
func someScenarios(_ *cobra.Command, _ []string, toComplete string) ([]string, cobra.ShellCompDirective) {
	return namesLike(toComplete), cobra.ShellCompDirectiveDefault
}

// namesLike returns the built-in scenarios whose names begin so.
func namesLike(beginning string) []string {
	var names []string
	for _, name := range scenarios.Library() {
		if strings.HasPrefix(name, beginning) {
			names = append(names, name)
		}
	}
	return names
}

// designsOf completes --use by the designs of the scenario that was named before it,
// or of another where none is.
func designsOf(unless string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			args = []string{unless}
		}
		s, _, err := openScenario(args[0])
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return s.Alternatives(), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeUse has a verb's --use completed. That the flag is there is the caller's
// to see to.
func completeUse(c *cobra.Command, unless string) {
	if err := c.RegisterFlagCompletionFunc("use", designsOf(unless)); err != nil {
		panic("loadgen: " + err.Error())
	}
}

// takesOne refuses any number of arguments but one.
func takesOne(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usageError{fmt.Errorf("%s takes one scenario, a file or one of `loadgen scenarios list`, and got %d", c.CommandPath(), len(args))}
	}
	return nil
}
