package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"loadgen/scenarios"
)

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
		s, _, err := scenarios.Open(args[0])
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
