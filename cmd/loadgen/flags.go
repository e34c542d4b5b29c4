package main

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"loadgen/scenarios"
	"loadgen/scenarios/keys"
)

var (
	unknownFlag = regexp.MustCompile(`^unknown flag: --([^\s=]+)`)
	badValue    = regexp.MustCompile(`(?s)^invalid argument (".*") for "(?:-\w, )?(--[\w-]+)" flag`)
)

// flagFault tells what is wrong with the flags of a command in one line, with
// the nearest flag that exists or the value that was expected.
func flagFault(c *cobra.Command, err error) error {
	if match := unknownFlag.FindStringSubmatch(err.Error()); match != nil {
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		hint := fmt.Sprintf("`%s --help` lists the flags", c.CommandPath())
		if near, found := keys.Nearest(match[1], names); found {
			hint = "the nearest is --" + near
		}
		return usageError{fmt.Errorf("there is no flag --%s; %s", match[1], hint)}
	}
	if match := badValue.FindStringSubmatch(err.Error()); match != nil {
		expected := "another value"
		if f := c.Flags().Lookup(strings.TrimPrefix(match[2], "--")); f != nil {
			expected = expectedOf(f.Value.Type())
			if one, knows := f.Value.(interface{ expected(string) string }); knows {
				typed, _ := strconv.Unquote(match[1])
				expected = one.expected(typed)
			}
		}
		return usageError{fmt.Errorf("%s %s: expected %s", match[2], match[1], expected)}
	}
	return usageError{fmt.Errorf("%w; `%s --help` lists the flags", err, c.CommandPath())}
}

// expectedOf describes the values of a flag's type.
func expectedOf(kind string) string {
	switch kind {
	case "float64":
		return "a number such as 1500"
	case "duration":
		return "a duration with its unit, such as 4s"
	case "uint64":
		return "a whole number of 0 or more"
	case "int":
		return "a whole number"
	case "bool":
		return "true or false"
	default:
		return "a text"
	}
}

// emptyFlag returns the first flag that was given an empty text.
func emptyFlag(flags *pflag.FlagSet) error {
	var fault error
	flags.Visit(func(f *pflag.Flag) {
		if fault == nil && f.Value.Type() == "string" && f.Value.String() == "" {
			fault = usageError{fmt.Errorf("--%s: expected a value", f.Name)}
		}
	})
	return fault
}

// named names the flags of a command in what is wrong with the fields that they fill, all
// on one line: each fault says which flag it is of, and with what value. What is wrong with
// one item of a list says that item itself.
func named(flags *pflag.FlagSet, faults ...error) error {
	var lines []string
	for _, err := range faults {
		var fault scenarios.Fault
		if errors.As(err, &fault) && fault.File == "" {
			name, _, item := strings.Cut(fault.Path, ".")
			if f := flags.Lookup(name); f != nil {
				fault.File = "--" + f.Name
				if f.Value.Type() != "bool" && !item {
					fault.File += " " + strings.Trim(f.Value.String(), "[]")
				}
			}
			err = fault
		}
		lines = append(lines, err.Error())
	}
	if len(lines) == 0 {
		return nil
	}
	return usageError{errors.New(strings.Join(lines, "; "))}
}

// override gives values of a scenario others, each by path=value; an example is
// for who did not know.
func override(s *scenarios.Scenario, set []string, example string) error {
	for _, one := range set {
		path, value, cut := strings.Cut(one, "=")
		if !cut {
			return usageError{fmt.Errorf("--set %s: expected path=value, such as %s", one, example)}
		}
		if err := s.Set(path, value); err != nil {
			return err
		}
	}
	return nil
}

// sound returns all that is wrong with a scenario, by the flags that set it.
func sound(s *scenarios.Scenario, flagOf map[string]string) error {
	var all scenarios.Faults
	for _, err := range s.Validate() {
		var fault scenarios.Fault
		if !errors.As(err, &fault) {
			return usageError{err}
		}
		all = append(all, fault)
	}
	if len(all) == 0 {
		return nil
	}
	return blame(all, flagOf)
}

// blame names the flags that set values in place of the paths that they set.
func blame(err error, flagOf map[string]string) error {
	var faults scenarios.Faults
	if !errors.As(err, &faults) {
		return usageError{err}
	}
	for i := range faults {
		if flag, known := flagOf[faults[i].File]; known {
			faults[i].File = flag
		}
	}
	return faults
}
