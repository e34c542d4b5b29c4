package scenarios_test

import (
	"errors"
	"slices"
	"strings"
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

func TestLibrary(t *testing.T) {
	names := scenarios.Library()
	require.Truef(t, slices.Contains(names, "stress") && slices.IsSorted(names),
		"Library() = %q; want the stress test among sorted names", names)
	catalogue, err := scenarios.Catalogue()
	require.Truef(t, err == nil && len(catalogue) == len(names),
		"Catalogue() = %d entries, %v; want %d", len(catalogue), err, len(names))
	slices.SortFunc(catalogue, func(a, b scenarios.Entry) int { return strings.Compare(a.Name, b.Name) })
	for i, name := range names {
		t.Run(name, func(t *testing.T) {
			s := builtin(t, name)
			if s.Name != name || s.About == "" {
				t.Errorf("Builtin(%q) is named %q and says %q; want its own name and something", name, s.Name, s.About)
			}
			again, err := scenarios.Parse("again.yaml", s.Text())
			if err != nil || string(again.Text()) != string(s.Text()) {
				t.Errorf("Parse(Text()) = %v and\n%s\nwant the same text:\n%s", err, again.Text(), s.Text())
			}
			source, err := scenarios.Source(name)
			assert.Truef(t, err == nil && strings.Contains(string(source), "# "),
				"Source(%q) = %.40q, %v; want the file with its comments", name, source, err)
			one := catalogue[i]
			if one.Name != name || one.Designs == nil || !slices.Equal(one.Designs, s.Alternatives()) || (one.AntiPattern == nil) != (s.AntiPattern == nil) ||
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
	if got := s.Loaded(len(s.Phases)); got != 20_000 || s.Phases[0].Load.Transaction != 100 {
		t.Errorf("the stress test loads %d entities by %d; want 20000 by 100", got, s.Phases[0].Load.Transaction)
	}
	peak, steps := s.Phases[2].Traffic, s.Phases[2].Traffic.Arrivals.Steps
	if want := []float64{500, 1000, 1500, 2000, 2500, 3000, 4000}; !slices.Equal(steps.Rates, want) || !steps.Hold || peak.Keys[0] != hot {
		t.Errorf("the peak offers %v to %q, hold %t; want %v to %q, held", steps.Rates, peak.Keys[0], steps.Hold, want, hot)
	}
	weights := map[entity.Verb]int{}
	for _, o := range peak.Operations {
		weights[o.Verb] = o.Weight
	}
	assert.Truef(t, weights[entity.Get] == 70 && weights[entity.Insert] == 20 && weights[entity.Merge] == 10 && len(weights) == 3,
		"the peak's weights are %v; want 70 %% GET, 20 %% insert, 10 %% merge", weights)
	if s.Retry != "short" || s.Start != scenarios.StartWarm || s.Model.Profile != "documented" || len(s.Model.Overrides) > 0 {
		t.Errorf("the stress test has retry %q, start %q, model %v; want short, warm, documented as it is", s.Retry, s.Start, s.Model)
	}
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
	parts := strings.Split(g.Key(1233).Row, "__")
	if len(parts) != 4 || parts[0] != "1234" {
		t.Errorf("runner 1234 has the RowKey %q; want bib__name__sex__age", g.Key(1233).Row)
	}
	part, err := peak.Operations[2].Part(g)
	require.NoError(t, err)
	for n := range uint64(200) {
		change := entity.Change{Verb: entity.Insert, Key: g.Key(n), Properties: g.Properties(n)}
		if code, detail := change.Validate(); code != entity.OK {
			t.Fatalf("entity %d is not legal: %s: %s", n, code, detail)
		}
		if size := entity.Size(change.Key, change.Properties); size != 1024 && size != 1023 {
			t.Errorf("entity %d has %d bytes; want 1024 or one less", n, size)
		}
		if len(change.Properties) != 10 || len(part.Properties(n)) != 2 {
			t.Errorf("entity %d has %d properties and its merge %d; want all 10 and 2", n, len(change.Properties), len(part.Properties(n)))
		}
	}
}
