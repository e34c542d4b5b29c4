package scenarios_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/scenarios"
	"loadgen/scenarios/keys"
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

func TestBuiltinOfAnUnknownName(t *testing.T) {
	for _, tt := range []struct{ name, asked, nearest string }{
		{"a typo", "strss", `"stress"`},
		{"a path is no name", "../library/stress", ""},
	} {
		s, err := scenarios.Builtin(tt.asked)
		assert.Truef(t, s == nil && errors.Is(err, scenarios.ErrUnknown) && strings.Contains(err.Error(), tt.nearest),
			"%s: Builtin(%q) = %v, %v; want ErrUnknown and %s", tt.name, tt.asked, s, err, tt.nearest)
		if text, err := scenarios.Source(tt.asked); text != nil || err == nil {
			t.Errorf("%s: Source(%q) = %q, %v; want an error", tt.name, tt.asked, text, err)
		}
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
		assert.Equalf(t, row.want, (&scenarios.Scenario{About: row.text}).Says(), "%s: Says of %q", row.sentence, row.text)
	}
}

// TestTheStressTestIsTheDocumentedOne holds the built-in stress test against
// what it has to be.
func TestTheStressTestIsTheDocumentedOne(t *testing.T) {
	s := builtin(t, "stress")
	const hot = "2011 New York City Marathon__Full"
	assert.EqualValues(t, 20_000, s.Loaded(len(s.Phases)), "entities of the load")
	assert.Equal(t, 100, s.Phases[0].Load.Transaction, "entities of a transaction of the load")
	peak, steps := s.Phases[2].Traffic, s.Phases[2].Traffic.Arrivals.Steps
	assert.Equal(t, []float64{500, 1000, 1500, 2000, 2500, 3000, 4000}, steps.Rates, "the peak's rates")
	assert.True(t, steps.Hold && peak.Keys[0] == hot, "the peak is held on the hot partition")
	weights := map[entity.Verb]int{}
	for _, o := range peak.Operations {
		weights[o.Verb] = o.Weight
	}
	assert.Equal(t, map[entity.Verb]int{entity.Get: 70, entity.Insert: 20, entity.Merge: 10}, weights, "the peak's weights")
	assert.True(t, s.Retry == "short" && s.Start == scenarios.StartWarm, "retries are short, and the start is warm")
	assert.True(t, s.Model.Profile == "documented" && len(s.Model.Overrides) == 0, "the model is as documented")
	assert.LessOrEqual(t, time.Duration(len(steps.Rates)+1)*steps.Each, 35*time.Second, "the steps last")

	g, err := s.Generator()
	require.NoError(t, err)
	shares := keys.Skew(g, 20_000)
	assert.Len(t, shares, 12, "the load has partitions")
	n := 0
	for i := range uint64(20_000) {
		if g.PartitionKey(i) == hot {
			n++
		}
	}
	assert.Truef(t, n >= 1850 && n <= 2150, "%q holds %d of 20000 entities; want about 2000", hot, n)
	assert.Regexp(t, `^1234__.+__.+__.+$`, g.Key(1233).Row, "the RowKey of runner 1234")
	part, err := peak.Operations[2].Part(g)
	require.NoError(t, err)
	for n := range uint64(200) {
		change := entity.Change{Verb: entity.Insert, Key: g.Key(n), Properties: g.Properties(n)}
		code, detail := change.Validate()
		require.Equalf(t, entity.OK, code, "entity %d is not legal: %s", n, detail)
		assert.Containsf(t, []int{1023, 1024}, entity.Size(change.Key, change.Properties), "bytes of entity %d", n)
		assert.Lenf(t, change.Properties, 10, "properties of entity %d", n)
		assert.Lenf(t, part.Properties(n), 2, "properties of the merge of entity %d", n)
	}
}
