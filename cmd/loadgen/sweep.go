package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"loadgen/scenarios"
)

// sweepHelp is what the help of a verb that sweeps says of it.
const sweepHelp = `--sweep path=v1,v2,… runs the scenario once for each of the values, and once for each
combination where it is given several times, at most 100 in all; one table compares
them at the end. Values are parted by commas, or by semicolons where there are any;
within brackets, braces and double quotes neither parts. With --out each run has a
folder of its own in that one.`

// setting is another value for what stands at a path.
type setting struct{ path, value string }

// String returns the setting as --set takes it.
func (s setting) String() string { return s.path + "=" + s.value }

// axis is the values of one path.
type axis struct {
	path   string
	values []string
}

// mostRuns bounds how many runs a sweep comes to.
const mostRuns = 100

// combinations returns the settings of each run of a sweep, the last axis changing
// fastest. The error is one of usage.
func combinations(sweeps []string) ([][]setting, error) {
	all := [][]setting{nil}
	var seen []string
	for _, text := range sweeps {
		a, err := parseAxis(text)
		if err != nil {
			return nil, usageError{fmt.Errorf("--sweep %s: %w", text, err)}
		}
		if slices.Contains(seen, a.path) {
			return nil, usageError{fmt.Errorf("--sweep %s: %s is swept twice; expected all its values in one", text, a.path)}
		}
		seen = append(seen, a.path)
		if runs := len(all) * len(a.values); runs > mostRuns {
			return nil, usageError{fmt.Errorf("--sweep %s: that comes to %d runs; expected at most %d", text, runs, mostRuns)}
		}
		var next [][]setting
		for _, before := range all {
			for _, value := range a.values {
				next = append(next, append(slices.Clip(before), setting{a.path, value}))
			}
		}
		all = next
	}
	return all, nil
}

var (
	errAxis       = errors.New("expected path=v1,v2,…, such as model.partition_target=500,1000,2000")
	errNoValue    = errors.New("a value is empty; expected one between every two commas")
	errTwice      = errors.New("a value occurs twice; expected each once")
	errUnbalanced = errors.New("a bracket, a brace or a double quote is not closed; expected its counterpart")
)

// parseAxis reads what --sweep takes.
func parseAxis(text string) (axis, error) {
	path, list, cut := strings.Cut(text, "=")
	if !cut || path == "" {
		return axis{}, errAxis
	}
	values, err := splitValues(list)
	if err != nil {
		return axis{}, err
	}
	for i, value := range values {
		switch {
		case value == "":
			return axis{}, errNoValue
		case slices.Contains(values[:i], value):
			return axis{}, errTwice
		}
	}
	return axis{path, values}, nil
}

// splitValues parts a list of values at its semicolons, or at its commas where it
// has no semicolon: those outside of brackets, braces and double quotes.
func splitValues(list string) ([]string, error) {
	values, err := splitAt(list, ';')
	if err == nil && len(values) == 1 {
		return splitAt(list, ',')
	}
	return values, err
}

// splitAt parts a list at one separator.
func splitAt(list string, separator byte) ([]string, error) {
	var values []string
	var open []byte // what is to be closed, the last first to be
	start := 0
	for at := range len(list) {
		inside := len(open) > 0
		switch c := list[at]; {
		case inside && c == open[len(open)-1]:
			open = open[:len(open)-1]
		case inside && open[len(open)-1] == '"':
			// Quotes hold whatever there is.
		case c == '"':
			open = append(open, '"')
		case c == '[':
			open = append(open, ']')
		case c == '{':
			open = append(open, '}')
		case c == separator && !inside:
			values = append(values, strings.TrimSpace(list[start:at]))
			start = at + 1
		}
	}
	if len(open) > 0 {
		return nil, errUnbalanced
	}
	return append(values, strings.TrimSpace(list[start:])), nil
}

// trial is one run of a sweep.
type trial struct {
	set      []setting
	scenario *scenarios.Scenario
	// find is the search that replaces the scenario's own rates, if there is one.
	find findFlags
	// command repeats this run alone.
	command []string
	// out is the folder of the run, empty for a new one in the usual place.
	out string
}

// trials returns the runs that a sweep comes to. Each is found sound before the
// first of them runs: what is wrong with any is told of all of them together.
func (f *scenarioFlags) trials(c *cobra.Command, d *draft, find *findFlags, command []string) ([]trial, error) {
	if err := f.once(c); err != nil {
		return nil, err
	}
	all, err := combinations(f.sweeps)
	if err != nil {
		return nil, err
	}
	var list []trial
	var wrong wrongSweep
	for _, set := range all {
		one := trial{set: set, find: *find, command: slices.Clone(command)}
		for _, s := range set {
			one.command = append(one.command, "--set", s.String())
		}
		if one.scenario, err = f.read(c, d, &one.find, set); err != nil {
			if err := wrong.add(err); err != nil {
				return nil, err
			}
		}
		list = append(list, one)
	}
	return list, wrong.errorOrNil()
}

// once refuses a value that is given to what is swept.
func (f *scenarioFlags) once(c *cobra.Command) error {
	set := slices.Clone(f.set)
	for _, flag := range []string{"seed", "retry", "use", "workers"} {
		if c.Flags().Changed(flag) {
			set = append(set, flag+"=")
		}
	}
	for _, sweep := range f.sweeps {
		path, _, _ := strings.Cut(sweep, "=")
		for _, one := range set {
			if other, _, _ := strings.Cut(one, "="); other == path {
				return usageError{fmt.Errorf("--sweep %s: %s is given a value of its own, too; expected one of them", sweep, path)}
			}
		}
	}
	return nil
}

// wrongSweep gathers what is wrong with the scenarios of a sweep, each fault once
// however many of them have it.
type wrongSweep struct{ faults scenarios.Faults }

// add takes the faults of one; an error of another kind is given back.
func (w *wrongSweep) add(err error) error {
	var faults scenarios.Faults
	if !errors.As(err, &faults) {
		return err
	}
	for _, fault := range faults {
		if !slices.Contains(w.faults, fault) {
			w.faults = append(w.faults, fault)
		}
	}
	return nil
}

func (w *wrongSweep) errorOrNil() error {
	if len(w.faults) == 0 {
		return nil
	}
	return w.faults
}
