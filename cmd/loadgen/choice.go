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

// choiceFlags say which scenario is run, in which of its forms, with which values.
type choiceFlags struct {
	// folder is what the paths in the scenario count from, once it is open.
	folder      string
	seed        uint64
	retry       string
	use         string
	antiPattern bool
	set         []string
	profile     string
	workers     int
}

func (f *choiceFlags) register(flags *pflag.FlagSet) {
	f.registerForm(flags)
	f.registerSeed(flags)
	f.registerRetry(flags)
}

func (f *choiceFlags) registerForm(flags *pflag.FlagSet) {
	flags.StringVar(&f.use, "use", "", "the `design` to use (default: the scenario's)")
	flags.BoolVar(&f.antiPattern, "anti-pattern", false, "run what the scenario warns of, rather than what it teaches")
	f.registerSet(flags)
}

func (f *choiceFlags) registerSet(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.set, "set", nil, "set a value of the scenario: `path=value`, repeatable")
	flags.StringVar(&f.profile, "profile", "", "model profile: a `name`, or a file of `loadgen calibrate` (default: the scenario's)")
}

func (f *choiceFlags) registerSeed(flags *pflag.FlagSet) {
	flags.Uint64Var(&f.seed, "seed", 0, "root of all chance (default: the scenario's)")
}

func (f *choiceFlags) registerRetry(flags *pflag.FlagSet) {
	flags.StringVar(&f.retry, "retry", "", "back-off policy of throttled attempts: none, documented, short (default: the scenario's)")
}

// draft is a scenario as it was opened: no flag but --anti-pattern has changed it yet.
type draft struct {
	scenario *scenarios.Scenario
	// name is what the user called it, folder what paths in it count from.
	name, folder string
	// files are those that it refers to, read once for all that is made of it.
	files *scenarios.Files
	// antiPattern is what made the scenario do wrong on purpose, nil unless it is the
	// anti-pattern of one.
	antiPattern *scenarios.AntiPattern
	// example is for who did not know what --set takes.
	example string
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
	d := &draft{scenario: s, name: name, folder: folder, files: scenarios.FilesIn(folder), example: example}
	if !f.antiPattern {
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
	if f.profile != "" {
		if err := doctor.UseProfile(&s, f.profile); err != nil {
			return nil, err
		}
	}
	for _, one := range f.set {
		path, value, cut := strings.Cut(one, "=")
		if !cut {
			return nil, usageError{fmt.Errorf("--set %s: expected path=value, such as %s", one, d.example)}
		}
		if err := s.Set(path, value); err != nil {
			return nil, err
		}
	}
	if err := emptyFlag(flags); err != nil {
		return nil, err
	}
	if flags.Changed("workers") && f.workers == 0 { // which a scenario that does not say has
		return nil, usageError{errors.New("--workers 0: expected 1 or more; without it a run has as many as it needs")}
	}
	for _, one := range []struct {
		field string
		fill  func()
	}{
		{"seed", func() { s.Seed = f.seed }},
		{"retry", func() { s.RetryAll(f.retry) }},
		{"use", func() { s.Choose(f.use) }},
		{"workers", func() { s.Workers = f.workers }},
	} {
		if flags.Changed(one.field) {
			one.fill()
			s.Credit(one.field, "--"+one.field)
		}
	}
	return &s, nil
}

// settle returns the sound scenario that the flags make of a draft, and alter of that; it
// may be nil.
func (f *choiceFlags) settle(flags *pflag.FlagSet, d *draft, alter func(*scenarios.Scenario) error) (*scenarios.Scenario, error) {
	s, err := f.apply(flags, d)
	if err == nil && alter != nil {
		err = alter(s)
	}
	if err != nil {
		return nil, err
	}
	if s.AntiPattern != nil && len(s.Validate()) > 0 {
		// The anti-pattern was not chosen if overrides caused the only fault.
		without := *s
		without.AntiPattern = nil
		if len(without.Validate()) == 0 {
			s = &without
		}
	}
	var faults fields.Faults
	if err := fields.FaultsOf(s.Validate()); errors.As(err, &faults) {
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
	if !slices.ContainsFunc(f.set, operations) || slices.ContainsFunc(f.set, func(one string) bool { return strings.HasPrefix(one, "expect=") }) {
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
	s, err := f.settle(flags, d, alter)
	if err != nil {
		return nil, err
	}
	return s, d.files.Read(s)
}

// retryChosen reports whether the retries were chosen by --retry or --set.
func (f *choiceFlags) retryChosen(c *cobra.Command) bool {
	for _, one := range f.set {
		if strings.HasPrefix(one, "retry=") {
			return true
		}
	}
	return c.Flags().Changed("retry")
}
