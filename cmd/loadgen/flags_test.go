package main

import (
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
)

// verbsOf returns every command below one, and that itself.
func verbsOf(c *cobra.Command) []*cobra.Command {
	list := []*cobra.Command{c}
	for _, part := range c.Commands() {
		list = append(list, verbsOf(part)...)
	}
	return list
}

// A name of before is a fault that has the name of now, wherever that is one, and no alias.
func TestRenamedFlags(t *testing.T) {
	for _, one := range renamedFlags {
		found := 0
		for _, c := range verbsOf(newRoot(io.Discard, io.Discard)) {
			if c.Flags().Lookup(one.was) != nil {
				t.Errorf("%s has --%s; want it gone", c.CommandPath(), one.was)
			}
			if c.Flags().Lookup(one.is) == nil {
				continue
			}
			found++
			args := append(strings.Fields(c.CommandPath())[1:], "--"+one.was, "x")
			want := "loadgen: --" + one.was + " is called --" + one.is + " now; expected that name\n"
			if code, stdout, stderr := say(t, args...); code != codeUsage || stdout != "" || stderr != want {
				t.Errorf("%v = %d %q %q; want %d and %q", args, code, stdout, stderr, codeUsage, want)
			}
		}
		assert.Truef(t, found != 0, "no verb has --%s, which --%s is called now", one.is, one.was)
	}
}

// What peers call a thing leads to what it is called here: to a flag that the verb has, or to
// what can be typed without one.
func TestPeersFlags(t *testing.T) {
	for _, one := range peersFlags {
		for _, theirs := range one.theirs {
			typed := "--" + theirs
			if len(theirs) == 1 {
				typed = "-" + theirs
			}
			for _, verb := range [][]string{{"stress"}, {"run", "day-key"}} {
				code, stdout, stderr := say(t, append(verb, typed, "10")...)
				hint := strings.TrimPrefix(stderr, "loadgen: there is no flag "+typed+"; ")
				assert.Truef(t, code == codeUsage && stdout == "" && hint != stderr && strings.Count(stderr, "\n") == 1,
					"%v %s = %d %q %q; want %d and one line with a hint", verb, typed, code, stdout, stderr, codeUsage)
				if !strings.Contains(hint, "use "+one.otherwise) && !strings.Contains(hint, one.says+": --") {
					t.Errorf("%v %s says %q; want a hint of its row", verb, typed, hint)
				}
			}
		}
		if set, is := strings.CutPrefix(one.otherwise, "--set "); is {
			set, _, _ = strings.Cut(strings.NewReplacer("NAME", "report", "OPERATIONS_PER_SECOND", "5", "LENGTH", "9s",
				"CHECKS", "[throttled < 1%]").Replace(set), ";")
			if code, _, stderr := say(t, "scenarios", "show", "day-key", "--effective", "--set", set); code != codeOk {
				t.Errorf("the hint --set %s = %d %q; want it to be taken", set, code, stderr)
			}
		}
	}
}
