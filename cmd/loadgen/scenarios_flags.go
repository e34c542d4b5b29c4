package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"loadgen/scenarios"
)

// scenarioFlags override values of a scenario.
type scenarioFlags struct {
	seed     uint64
	retry    string
	use      string
	opposite bool
	set      []string
	sweeps   []string
}

func (f *scenarioFlags) register(flags *pflag.FlagSet) {
	flags.Uint64Var(&f.seed, "seed", 0, "root of all chance (default: the scenario's)")
	flags.StringVar(&f.retry, "retry", "", "back-off policy of refused attempts: none, documented, short (default: the scenario's)")
	registerChoice(flags, &f.use, &f.opposite, &f.set)
	flags.StringArrayVar(&f.sweeps, "sweep", nil, "run once for each of these values: `path=v1,v2,…`, may be repeated for all combinations")
}

// registerChoice adds the flags that say which of its forms a scenario takes.
func registerChoice(flags *pflag.FlagSet, use *string, opposite *bool, set *[]string) {
	flags.StringVar(use, "use", "", "the `design` to use (default: the scenario's)")
	flags.BoolVar(opposite, "opposite", false, "run what the scenario warns of, rather than what it teaches")
	flags.StringArrayVar(set, "set", nil, "give a value of the scenario another one: `path=value`, may be repeated")
}

// draft is a scenario as it was opened: no flag but --opposite has changed it yet.
type draft struct {
	scenario *scenarios.Scenario
	// folder is what paths in it count from.
	folder string
	// contrary is what the scenario does wrong on purpose, empty unless it is the
	// opposite of one.
	contrary string
	// example is for who did not know what --set takes.
	example string
	// others are the values of further flags that are called as the field they set.
	others map[string]string
}

// draft opens the scenario of a file or a name. That it is an opposite is told.
func (f *scenarioFlags) draft(name, example string, stderr io.Writer) (*draft, error) {
	s, folder, err := openScenario(name)
	if err != nil {
		return nil, err
	}
	d := &draft{scenario: s, folder: folder, example: example}
	if f.opposite {
		d.scenario, d.contrary, err = opposed(s)
	}
	if err == nil && f.opposite {
		fmt.Fprintf(stderr, "this is the opposite of %s: %s\n", s.Name, d.contrary)
	}
	return d, err
}

// opposed returns the opposite of a scenario and what that does wrong.
func opposed(s *scenarios.Scenario) (opposite *scenarios.Scenario, contrary string, err error) {
	if s.Opposite == nil {
		return nil, "", usageError{fmt.Errorf("--opposite: the scenario %s has none; expected one with an opposite, "+
			"or --set for each value that is to be another", s.Name)}
	}
	opposite, err = s.Opposed()
	if err != nil {
		return nil, "", err
	}
	return opposite, strings.Join(strings.Fields(s.Opposite.About), " "), nil
}

// read returns the scenario with every override applied, and what a search asks for.
// The files that it names are read. The draft stays as it is.
func (f *scenarioFlags) read(c *cobra.Command, d *draft, find *findFlags, swept []setting) (*scenarios.Scenario, error) {
	s, err := f.settle(c, d, swept)
	if err != nil {
		return nil, err
	}
	if err := find.search(c, s); err != nil {
		return nil, err
	}
	// Nothing may be set any more: what a file holds is no value of the scenario's.
	return s, readFiles(s, d.folder)
}

// settle returns the sound scenario that the overrides make of a draft: those of
// --set, those of flags that are called as the field that they set, and those of one
// combination of a sweep.
func (f *scenarioFlags) settle(c *cobra.Command, d *draft, swept []setting) (*scenarios.Scenario, error) {
	s, flagOf, err := f.overridden(c, d, swept)
	if err != nil {
		return nil, err
	}
	s = leaveOpposite(s)
	return s, sound(s, flagOf)
}

// overridden returns what the overrides make of a draft, which may be at fault, and the
// flags by the paths that they set.
func (f *scenarioFlags) overridden(c *cobra.Command, d *draft, swept []setting) (*scenarios.Scenario, map[string]string, error) {
	copied := *d.scenario
	s := &copied
	if err := override(s, f.set, d.example); err != nil {
		return nil, nil, err
	}
	if err := emptyFlag(c.Flags()); err != nil {
		return nil, nil, err
	}
	values := map[string]string{"seed": strconv.FormatUint(f.seed, 10), "retry": f.retry, "use": f.use}
	for flag, value := range d.others {
		values[flag] = value
	}
	flagOf := make(map[string]string)
	for _, flag := range []string{"seed", "retry", "use", "workers"} {
		if value, settable := values[flag]; settable && c.Flags().Changed(flag) {
			flagOf["--set "+flag] = "--" + flag
			if err := s.Set(flag, value); err != nil {
				return nil, nil, blame(err, flagOf)
			}
		}
	}
	for _, one := range swept {
		flagOf["--set "+one.path] = "--sweep " + one.String()
		if err := s.Set(one.path, one.value); err != nil {
			return nil, nil, blame(err, flagOf)
		}
	}
	return s, flagOf, nil
}

// leaveOpposite returns a scenario without its opposite where overrides have left
// nothing else at fault: nobody has asked for it.
func leaveOpposite(s *scenarios.Scenario) *scenarios.Scenario {
	if s.Opposite == nil || len(s.Validate()) == 0 {
		return s
	}
	without := *s
	without.Opposite = nil
	if len(without.Validate()) > 0 {
		return s
	}
	return &without
}

// readFiles reads the files that a scenario names, whose paths count from a folder.
func readFiles(s *scenarios.Scenario, folder string) error { return s.ReadFrom(folder) }
