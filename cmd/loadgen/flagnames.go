package main

import (
	"fmt"
	"regexp"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"loadgen/engine/nearest"
)

// renamedFlags are flags that were called otherwise. None has an alias.
var renamedFlags = [...]struct{ was, is string }{
	{"opposite", "anti-pattern"},
	{"up-to", "max-rate"},
	{"output", "out"},
	{"max-refused", "max-throttled"},
	{"bill-refused", "bill-throttled"},
}

// peersFlags are what other load generators call things, and what is used for them here.
// The first of the flags that a verb has is named; otherwise is for one that has none.
var peersFlags = [...]struct {
	theirs []string
	flags  []string
	// says is why another word is used, and otherwise what is typed without any of the flags.
	says, otherwise string
}{
	{[]string{"vus", "users", "u", "spawn-rate", "concurrency", "connections", "c", "threads", "t", "concurrent"}, []string{"rate"},
		"load is offered at a rate, whatever is under way", "--set phases.NAME.arrivals.constant=OPERATIONS_PER_SECOND; `clients` in a phase are so many that think before they ask again"},
	{[]string{"rps", "qps", "q", "R", "throughput", "arrival-rate"}, []string{"rate"},
		"rates are in operations/s", "--set phases.NAME.arrivals.constant=OPERATIONS_PER_SECOND"},
	{[]string{"d", "time", "run-time", "length", "for"}, []string{"duration"},
		"each step has a length", "--set phases.NAME.for=LENGTH"},
	{[]string{"n", "iterations", "requests", "num-requests", "count", "cycles"}, []string{"duration"},
		"a run ends by time, not by number", "--set phases.NAME.for=LENGTH"},
	{[]string{"url", "host", "endpoint", "H", "connection-string"}, []string{"target"},
		"a table service is named by its address, env:NAME or file:PATH", "a verb that has --target, such as stress"},
	{[]string{"json", "output-format"}, []string{"format"}, "forms have names, such as json", "a verb that has --format"},
	{[]string{"threshold", "thresholds", "slo"}, []string{"peak"},
		"a rate is asked for with --peak, anything else with expect in the scenario", "--set expect=CHECKS"},
	{[]string{"parallel", "max-workers", "pool"}, []string{"workers"}, "what sends is a worker", "a verb that has --workers"},
	{[]string{"script", "file", "f", "config", "scenario-file"}, nil, "", "the file as the argument: loadgen run FILE"},
}

var (
	unknownFlag   = regexp.MustCompile(`^unknown flag: --([^\s=]+)`)
	unknownLetter = regexp.MustCompile(`^unknown shorthand flag: '(.)' in (-\S+)`)
)

// strayFlag says of a flag that a command does not have what it is called now, what is used
// here for what peers call so, or which is the nearest; nil where the error is another one.
func strayFlag(c *cobra.Command, err error) error {
	name, typed := "", ""
	if match := unknownFlag.FindStringSubmatch(err.Error()); match != nil {
		name, typed = match[1], "--"+match[1]
	} else if match := unknownLetter.FindStringSubmatch(err.Error()); match != nil {
		name, typed = match[1], "-"+match[1]
	}
	if name == "" {
		return nil
	}
	for _, one := range renamedFlags {
		if one.was == name && c.Flags().Lookup(one.is) != nil {
			return usageError{fmt.Errorf("%s is called --%s now; expected that name", typed, one.is)}
		}
	}
	return usageError{fmt.Errorf("there is no flag %s; %s", typed, hintOf(c, name))}
}

// hintOf says what to type in place of a flag that a command does not have.
func hintOf(c *cobra.Command, name string) string {
	for _, one := range peersFlags {
		for _, theirs := range one.theirs {
			if theirs != name {
				continue
			}
			for _, flag := range one.flags {
				if c.Flags().Lookup(flag) != nil {
					return fmt.Sprintf("%s: --%s", one.says, flag)
				}
			}
			return "use " + one.otherwise
		}
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near, found := nearest.Name(name, names); found && len(name) > 1 {
		return "the nearest is --" + near
	}
	return fmt.Sprintf("`loadgen help%s` lists the flags", c.CommandPath()[len("loadgen"):])
}
