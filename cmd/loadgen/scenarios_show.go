package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"loadgen/scenarios"
)

// sourceFlags are what a user typed after `loadgen scenarios show`.
type sourceFlags struct {
	effective bool
	use       string
	opposite  bool
	set       []string
}

func (f *sourceFlags) verb(stdout, stderr io.Writer) *cobra.Command {
	c := &cobra.Command{
		Use:   "show file|name",
		Short: "Print a scenario as it is written, or as it takes effect",
		Long: `Show prints a scenario as its author wrote it, comments included: a built-in one is a
good beginning for one of your own. With --effective it prints what a run would take:
every field with its value, defaults and overrides included, in one canonical form.`,
		Example: `  loadgen scenarios show stress > my-table.yaml
  loadgen scenarios show stress --effective --set model.partition_target=500`,
		Args:              takesOne,
		ValidArgsFunction: oneScenario,
		RunE:              func(c *cobra.Command, args []string) error { return f.show(c, args[0], stdout, stderr) },
	}
	c.Flags().BoolVar(&f.effective, "effective", false, "print what takes effect, with every default and override")
	registerChoice(c.Flags(), &f.use, &f.opposite, &f.set)
	completeUse(c, canonical)
	return c
}

func (f *sourceFlags) show(c *cobra.Command, name string, stdout, stderr io.Writer) error {
	if !f.effective {
		for _, flag := range []string{"set", "use", "opposite"} {
			if c.Flags().Changed(flag) {
				return usageError{fmt.Errorf("--%s changes what takes effect; expected --effective beside it", flag)}
			}
		}
		text, err := sourceOf(name)
		if err != nil {
			return err
		}
		_, err = stdout.Write(text)
		return err
	}
	as := scenarioFlags{use: f.use, opposite: f.opposite, set: f.set}
	d, err := as.draft(name, "model.partition_target=500", stderr)
	if err != nil {
		return err
	}
	s, err := as.settle(c, d, nil)
	if err != nil {
		return err
	}
	_, err = stdout.Write(s.Text())
	return err
}

// sourceOf returns the text of a built-in scenario or of a file, whatever it holds.
func sourceOf(name string) ([]byte, error) {
	if slices.Contains(scenarios.Library(), name) {
		return scenarios.Source(name)
	}
	text, err := readBounded(name)
	if err != nil {
		return nil, unreadable(name, err)
	}
	if len(text) >= mostScenario {
		return nil, usageError{fmt.Errorf("%s is too large for a scenario; expected at most %s", name, sizeOf(mostScenario-1))}
	}
	return text, nil
}

// unreadable tells why the file of a scenario cannot be read.
func unreadable(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(name, `./\`) {
		// So short a word is rather a name with a typo.
		_, err = scenarios.Builtin(name)
		return usageError{fmt.Errorf("%w; and there is no such file", err)}
	}
	return usageError{fmt.Errorf("the scenario %s cannot be read: %w", name, reason(err))}
}
