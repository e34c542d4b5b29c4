package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"loadgen/scenarios"
	"loadgen/scenarios/doctor"
	"loadgen/scenarios/fields"
)

// choiceFlags select a scenario, its design and form, and replace its values.
type choiceFlags struct {
	// folder is the base of relative paths in the scenario, set when it is opened.
	folder string

	Use         string   `flag:"use"`
	Set         []string `flag:"set"`
	AntiPattern bool     `flag:"anti-pattern" rare:"yes"`
	Profile     string   `flag:"profile" rare:"yes"`
	Seed        uint64   `flag:"seed" rare:"yes"`
	Retry       string   `flag:"retry" rare:"yes"`
	Workers     int      `flag:"workers" rare:"yes"`
}

// draft is an opened scenario. Of the flags only --anti-pattern was applied.
type draft struct {
	scenario *scenarios.Scenario
	// name is the user's name for it, folder the base of its relative paths.
	name, folder string
	// files are those that it refers to; each is read once.
	files *scenarios.Files
	// antiPattern is the applied anti-pattern, nil without --anti-pattern.
	antiPattern *scenarios.AntiPattern
	// example is shown in errors about --set.
	example string
	// checked reports that the opened scenario has no faults; false for an anti-pattern.
	checked bool
}

// open opens the scenario of a file or a name, and reports that it is an anti-pattern. If another design is chosen,
// only faults of that one matter.
func (f *choiceFlags) open(name, example string, stderr io.Writer) (*draft, error) {
	s, folder, err := scenarios.Open(name)
	var faults fields.Faults
	if errors.As(err, &faults) && !faults.Concern("anti_pattern") {
		s, folder, err = scenarios.OpenContested(name)
	}
	if err != nil {
		return nil, err
	}
	f.folder = folder
	d := &draft{scenario: s, name: name, folder: folder, files: scenarios.FilesIn(folder), example: example, checked: len(faults) == 0 && !f.AntiPattern}
	if !f.AntiPattern {
		return d, nil
	}
	if s.AntiPattern == nil {
		return nil, usageError{fmt.Errorf("--anti-pattern: the scenario %s has none; expected one with an anti-pattern, "+
			"or --set for each value that is to be another", s.Name)}
	}
	if d.scenario, err = s.Opposed(); err != nil {
		return nil, err
	}
	d.antiPattern = s.AntiPattern
	fmt.Fprintf(stderr, "this is the anti-pattern of %s: %s\n", s.Name, strings.Join(strings.Fields(s.AntiPattern.About), " "))
	return d, nil
}

// apply returns what the flags make of a draft, which may be at fault: those of --set,
// and those that are called as the field that they fill. The draft stays as it is.
func (f *choiceFlags) apply(flags *pflag.FlagSet, d *draft) (*scenarios.Scenario, error) {
	s := *d.scenario
	if f.Profile != "" {
		if err := doctor.UseProfile(&s, f.Profile); err != nil {
			return nil, err
		}
	}
	for _, one := range f.Set {
		if !strings.Contains(one, "=") {
			return nil, usageError{fmt.Errorf("--set %s: expected path=value, such as %s", one, d.example)}
		}
	}
	if err := s.SetAll(scenarios.Settings(f.Set...)); err != nil {
		return nil, err
	}
	if flags.Changed("workers") && f.Workers == 0 { // which a scenario that does not say has
		return nil, usageError{errors.New("--workers 0: expected 1 or more; without it a run has as many as it needs")}
	}
	for _, one := range []struct {
		field string
		fill  func()
	}{
		{"seed", func() { s.Seed = f.Seed }},
		{"retry", func() { s.RetryAll(f.Retry) }},
		{"use", func() { s.Choose(f.Use) }},
		{"workers", func() { s.Workers = f.Workers }},
	} {
		if flags.Changed(one.field) {
			one.fill()
			s.Credit(one.field, "--"+one.field)
		}
	}
	return &s, nil
}

// changes reports whether flags give the scenario other values.
func (f *choiceFlags) changes(flags *pflag.FlagSet) bool {
	return f.Profile != "" || len(f.Set) > 0 || slices.ContainsFunc([]string{"seed", "retry", "use", "workers"}, flags.Changed)
}

// buildScenario returns the sound scenario that the flags make of a draft, and alter of that; it
// may be nil.
func (f *choiceFlags) buildScenario(flags *pflag.FlagSet, d *draft, alter func(*scenarios.Scenario) error) (*scenarios.Scenario, error) {
	s, err := f.apply(flags, d)
	if err == nil && alter != nil {
		err = alter(s)
	}
	if err != nil || d.checked && alter == nil && !f.changes(flags) {
		return s, err
	}
	wrong := s.Validate()
	if s.AntiPattern != nil && len(wrong) > 0 {
		// The anti-pattern was not chosen if overrides caused the only fault.
		without := *s
		without.AntiPattern = nil
		if len(without.Validate()) == 0 {
			s, wrong = &without, nil
		}
	}
	var faults fields.Faults
	if err := fields.FaultsOf(wrong); errors.As(err, &faults) {
		return s, f.replaced(faults)
	}
	if d.antiPattern == nil {
		return s, nil
	}
	for _, one := range d.antiPattern.Fails {
		if !slices.Contains(s.Expect, one) {
			return s, usageError{fmt.Errorf("--anti-pattern: its promise that %s fails is not a check of %s; expected it in expect", one, s.Name)}
		}
	}
	return s, nil
}

// replaced adds a remedy to faults of checks whose operations --set has replaced.
func (f *choiceFlags) replaced(faults fields.Faults) fields.Faults {
	operations := func(one string) bool {
		path, _, _ := strings.Cut(one, "=")
		return strings.HasSuffix(path, ".operations") || strings.HasSuffix(path, ".name")
	}
	if !slices.ContainsFunc(f.Set, operations) || slices.ContainsFunc(f.Set, func(one string) bool { return strings.HasPrefix(one, "expect=") }) {
		return faults
	}
	faults = slices.Clone(faults)
	for i := range faults {
		if faults[i].Path == "expect" || strings.HasPrefix(faults[i].Path, "expect.") {
			faults[i].What += "; --set expect=[] checks nothing, or give the operations the names that are checked"
		}
	}
	return faults
}

// read is settle, and reads the files that the scenario names: nothing may be set any
// more, for what a file holds is no value of the scenario's.
func (f *choiceFlags) read(flags *pflag.FlagSet, d *draft, alter func(*scenarios.Scenario) error) (*scenarios.Scenario, error) {
	s, err := f.buildScenario(flags, d, alter)
	if err != nil {
		return nil, err
	}
	return s, d.files.Read(s)
}

// retryChosen reports whether the retries were chosen by --retry or --set.
func (f *choiceFlags) retryChosen(c *cobra.Command) bool {
	return c.Flags().Changed("retry") || slices.ContainsFunc(f.Set, func(one string) bool { return strings.HasPrefix(one, "retry=") })
}
