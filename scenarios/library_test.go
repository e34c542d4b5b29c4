package scenarios_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/scenarios"
)

// builtins are the built-in scenarios that were read, which tests share and do not change.
var builtins = map[string]*scenarios.Scenario{}

func builtin(t testing.TB, name string) *scenarios.Scenario {
	t.Helper()
	if builtins[name] == nil {
		s, err := scenarios.Builtin(name)
		require.NoErrorf(t, err, "Builtin(%q)", name)
		builtins[name] = s
	}
	return builtins[name]
}

// catalogue is read once for all tests.
var catalogue = sync.OnceValues(scenarios.Catalogue)

func TestLibrary(t *testing.T) {
	names := scenarios.Library()
	require.Truef(t, slices.Contains(names, "stress") && slices.IsSorted(names),
		"Library() = %q; want the stress test among sorted names", names)
	entries, err := catalogue()
	require.NoError(t, err)
	byName := map[string]scenarios.Entry{}
	for _, one := range entries {
		byName[one.Name] = one
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			s := builtin(t, name)
			assert.Equal(t, name, s.Name)
			assert.NotEmpty(t, s.About)
			again, err := scenarios.Parse("again.yaml", s.Text())
			require.NoError(t, err, "Parse(Text())")
			assert.Equal(t, string(s.Text()), string(again.Text()), "Parse(Text())")
			source, err := scenarios.Source(name)
			require.NoError(t, err)
			assert.Contains(t, string(source), "# ", "the file has its comments")
			one := byName[name]
			if one.Designs == nil || !slices.Equal(one.Designs, s.Alternatives()) || (one.AntiPattern == nil) != (s.AntiPattern == nil) ||
				(one.Pattern == nil) != (s.Pattern == nil) || s.Pattern != nil && *one.Pattern != *s.Pattern {
				t.Errorf("Catalogue() has %+v; want what the scenario holds", one)
			}
			assert.Truef(t, strings.HasPrefix(strings.Join(strings.Fields(one.About), " "), one.Says) && len(one.Says) >= 10,
				"the catalogue says %q, and is about %q; want its first sentence", one.Says, one.About)
		})
	}
}

func TestSaysIsTheFirstSentence(t *testing.T) {
	for _, row := range []struct{ sentence, text, want string }{
		{"one sentence", "A table.", "A table."},
		{"two of them", "A table. Another one.", "A table."},
		{"broken into lines", "A\n  table. Another one.", "A table."},
		{"a point within a number", "At 0.5 ms it holds. No more.", "At 0.5 ms it holds."},
		{"a question", "Does it hold? Yes.", "Does it hold?"},
		{"no full stop", "a table", "a table"},
		{"nothing", "", ""},
	} {
		assert.Equalf(t, row.want, (&scenarios.Scenario{About: row.text}).FirstSentence(), "%s: Says of %q", row.sentence, row.text)
	}
}
