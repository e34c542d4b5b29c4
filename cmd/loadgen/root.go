package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"loadgen/scenarios"
	"loadgen/scenarios/run"
)

// newRoot returns the program. If the arguments begin with a verb, only that one is built.
func newRoot(stdout, stderr io.Writer, args ...string) *cobra.Command {
	root := newVerb("loadgen", nil, &cobra.Command{
		Version:       run.Version(),
		SilenceErrors: true, SilenceUsage: true,
		Args: knownVerb,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
		// What is typed comes first, then the environment, then the scenario.
		PersistentPreRunE: func(c *cobra.Command, _ []string) error {
			if err := fromEnvironment(c); err != nil {
				return err
			}
			return checkFlags(c)
		},
	})
	root.SuggestionsMinimumDistance = 2
	root.SetFlagErrorFunc(flagFault)
	all := false
	help := newVerb("help", nil, &cobra.Command{
		Args: func(_ *cobra.Command, args []string) error { return knownVerb(root, args) },
		RunE: func(_ *cobra.Command, args []string) error {
			verb, _, err := root.Find(args)
			if err != nil {
				return usageError{err}
			}
			return writeHelp(stdout, verb, all)
		},
	})
	help.Flags().BoolVar(&all, "all", false, describeFlag("all"))
	root.SetHelpCommand(help)
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { _ = writeHelp(stdout, c, false) })
	verbs := map[string]func() *cobra.Command{
		"stress":    func() *cobra.Command { return new(runFlags).stressVerb(stdout, stderr) },
		"run":       func() *cobra.Command { return new(runFlags).runVerb(stdout, stderr) },
		"simulate":  func() *cobra.Command { return new(runFlags).simulateVerb(stdout, stderr) },
		"explain":   func() *cobra.Command { return new(explainFlags).verb(stdout, stderr) },
		"keys":      func() *cobra.Command { return newKeys(stdout, stderr) },
		"logs":      func() *cobra.Command { return newLogs(stdout, stderr) },
		"contest":   func() *cobra.Command { return new(designsFlags).verb(stdout, stderr) },
		"scenarios": func() *cobra.Command { return newScenarios(stdout, stderr) },
		"backoff":   func() *cobra.Command { return newBackoff(stdout, stderr) },
		"serve":     func() *cobra.Command { return new(serveFlags).verb(stdout, stderr) },
		"report":    func() *cobra.Command { return newReport(stdout, stderr) },
		"runs":      func() *cobra.Command { return newRuns(stdout, stderr) },
		"compare":   func() *cobra.Command { return newCompare(stdout) },
		"gate":      func() *cobra.Command { return newGate(stdout, stderr) },
		"calibrate": func() *cobra.Command { return new(calibrateFlags).verb(stdout, stderr) },
		"doctor":    func() *cobra.Command { return newDoctor(stdout, stderr) },
		"version":   func() *cobra.Command { return newVersion(stdout) },
	}
	if len(args) > 0 && verbs[args[0]] != nil {
		root.AddCommand(verbs[args[0]]())
	} else {
		for _, verb := range verbs {
			root.AddCommand(verb())
		}
		root.AddCommand(newDocs())
		root.AddCommand(topics(stdout)...)
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	return root
}

// topics returns the pages of help that belong to no verb.
func topics(stdout io.Writer) (all []*cobra.Command) {
	for name := range strings.FieldsSeq(topicNames) {
		c := newVerb(name, nil, new(cobra.Command))
		if name == "model" {
			c.Long = modelHelp()
		}
		c.RunE = func(*cobra.Command, []string) error { return writeHelp(stdout, c, false) }
		all = append(all, c)
	}
	return all
}

// knownVerb refuses a verb that does not exist and names the nearest.
func knownVerb(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if found, _, err := root.Find(args[:1]); err == nil && found != root {
		return nil
	}
	hint := "`loadgen --help` lists the verbs"
	if args[0] == "replay" {
		hint = "it is called `loadgen logs replay` now"
	}
	if near := root.SuggestionsFor(args[0]); len(near) > 0 {
		hint = fmt.Sprintf("the nearest is %q", near[0])
	}
	return usageError{fmt.Errorf("there is no verb %q; %s", args[0], hint)}
}

// refuseArguments refuses any argument.
func refuseArguments(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError{fmt.Errorf("%s takes no argument, and %q is one", c.CommandPath(), args[0])}
	}
	return nil
}

// oneScenario completes the argument of a verb that takes a scenario: the names of
// the built-in ones, and files.
func oneScenario(c *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return someScenarios(c, args, toComplete)
}

// someScenarios completes those of a verb that takes several.
func someScenarios(_ *cobra.Command, _ []string, toComplete string) ([]string, cobra.ShellCompDirective) {
	other := func(name string) bool { return !strings.HasPrefix(name, toComplete) }
	return slices.DeleteFunc(scenarios.Library(), other), cobra.ShellCompDirectiveDefault
}

// completeUse completes --use of a verb by the designs of the scenario that was named before it.
func completeUse(c *cobra.Command) {
	err := c.RegisterFlagCompletionFunc("use", func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		s, _, err := scenarios.Open(append(args, canonical)[0])
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return s.Alternatives(), cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic("loadgen: " + err.Error())
	}
}

// takes refuses any number of arguments but from least to most, in words that say what is
// taken and have a %d for how many there are.
func takes(least, most int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return usageError{fmt.Errorf("%s takes "+what, c.CommandPath(), len(args))}
		}
		return nil
	}
}

// takesOne refuses anything but one scenario.
func takesOne() cobra.PositionalArgs {
	return takes(1, 1, "one scenario, such as stress, day-key or my-table.yaml, and got %d; see `loadgen scenarios list`")
}
