package compare_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report"
	"loadgen/report/compare"
	"loadgen/results"
	"loadgen/results/resultstest"
)

// Whatever differs between two runs is warned of, and nothing else.
func TestWarnings(t *testing.T) {
	plain := side(t, "a", played{one: true})
	for _, row := range []struct {
		name  string
		alter func(*results.Manifest)
		says  string
	}{
		{"the same", func(*results.Manifest) {}, ""},
		{"its text", func(m *results.Manifest) { m.Scenario.Text = "name: small\nseed: 7\nretry: short\n" }, `line 3 was "retry: none" and is "retry: short"`},
		{"its text by a line more", func(m *results.Manifest) { m.Scenario.Text += "start: cold\n" }, `line 4, "start: cold", is new`},
		{"its text by a line less", func(m *results.Manifest) { m.Scenario.Text = "name: small\nseed: 7\n" }, `line 3, "retry: none", is gone`},
		{"the seed, which is in the text", func(m *results.Manifest) { m.Seed, m.Scenario.Text = 8, "name: small\nseed: 8\nretry: none\n" }, "A has 0, B has 8"},
		{"the target", func(m *results.Manifest) { m.Target = "http://127.0.0.1" }, "A has embedded, B has http://127.0.0.1"},
		{"what the target is", func(m *results.Manifest) { m.Service = "Azurite" }, "target"},
		{"accounts", func(m *results.Manifest) { m.Accounts = 3 }, "A has 1, B has 3"},
		{"the profile", func(m *results.Manifest) { m.Profile = "headroom" }, "A has documented, B has headroom"},
		{"the start", func(m *results.Manifest) { m.Start = "cold" }, "A has warm, B has cold"},
		{"the retry policy", func(m *results.Manifest) { m.Retry = "short" }, "retry"},
		{"the driver", func(m *results.Manifest) { m.Driver = "vegeta" }, "A has none, B has vegeta"},
		{"the opposite", func(m *results.Manifest) { m.AntiPattern = "x" }, "anti-pattern"},
		{"what is stored", func(m *results.Manifest) { m.Dataless = true }, "A has all, B has none"},
		{"the version", func(m *results.Manifest) { m.Tool.Version = "v2" }, "A has v1 abc, B has v2 abc"},
		{"the commit", func(m *results.Manifest) { m.Tool.Commit = "def" }, "A has v1 abc, B has v1 def"},
		{"Go", func(m *results.Manifest) { m.Tool.Go = "go1.27" }, "Go"},
		{"the system", func(m *results.Manifest) { m.Tool.System = "darwin/arm64" }, "system"},
		{"the processors", func(m *results.Manifest) { m.Environment.CPUs = 8 }, "A has 2 CPUs"},
		{"GOMAXPROCS", func(m *results.Manifest) { m.Environment.GOMAXPROCS = 1 }, "machine"},
		{"the workers", func(m *results.Manifest) { m.Environment.Workers = 9 }, "A has 8, B has 9"},
	} {
		checkWarning(t, row.name, held(t, plain, side(t, "b", played{one: true, alter: row.alter})), row.says)
	}
}

// checkWarning checks that one thing is warned of, or nothing where it says nothing.
func checkWarning(t *testing.T, name string, c *compare.Comparison, says string) {
	t.Helper()
	assert.Truef(t, len(c.Warnings) == min(1, len(says)) && strings.Contains(strings.Join(c.Warnings, "\n"), says),
		"%s: the warnings are %q; want one with %q", name, c.Warnings, says)
}

// A run that was sent late is valid, and warned of: its times are not the target's.
func TestWarningsOfLateRuns(t *testing.T) {
	for _, row := range []struct {
		sentence string
		late     time.Duration
		says     []string
	}{
		{"in time", 0, nil},
		{"as late as counts for nothing", 4 * time.Millisecond, nil},
		{"late in a phase", 50 * time.Millisecond, []string{"b/00 is client-limited: the generator was late in peak 2"}},
		{"so late that the load was another", 200 * time.Millisecond,
			[]string{"b/00 is client-limited: the generator sent 50.0% of the operations more than 100 ms late"}},
	} {
		got := held(t, side(t, "a", played{}), side(t, "b", played{late: row.late})).Warnings
		assert.Truef(t, slices.Equal(got, row.says), "%s: the warnings are %q; want %q", row.sentence, got, row.says)
	}
}

// What makes sets unlike is warned of, too.
func TestWarningsOfSets(t *testing.T) {
	for _, row := range []struct {
		name  string
		alter func(a, b []played)
		says  string
	}{
		{"pairs with a seed each", func(a, b []played) {}, ""},
		{"sets with two seeds out of step", func(a, b []played) { b[0].seed = 9 }, "A has 0; 1; 2, B has 9; 1; 2"},
		{"two builds on either side", func(a, b []played) {
			other := func(m *results.Manifest) { m.Tool.Version = "v2" }
			a[1].alter, b[1].alter = other, other
		}, "v1 abc; v2 abc"},
		{"one side after the other", func(a, b []played) {
			for i := range b {
				b[i].started = b[i].started.Add(time.Hour)
			}
		}, "alternate"},
		{"A always first", func(a, b []played) { a[1].started, b[1].started = b[1].started, a[1].started }, "A is first"},
	} {
		a, b := sets(3, 0)
		row.alter(a, b)
		checkWarning(t, row.name, held(t, side(t, "a", a...), side(t, "b", b...)), row.says)
	}
	a, b := sets(3, 0)
	c := held(t, side(t, "a", a...), side(t, "b", b[:2]...))
	assert.Truef(t, len(c.Warnings) == 2 && strings.Contains(c.Warnings[0], "A has 3, B has 2"),
		"three runs against two: %q; want their number, and the seed that is too many", c.Warnings)
}

// A phase, or an operation, of one side is named and left out.
func TestWhatOneSideHas(t *testing.T) {
	record := played{}.shared(t)
	record.Phases = slices.Clone(record.Phases)
	record.Phases[2].Name = "hold"
	b := &compare.Set{Name: "b"}
	require.NoError(t, b.Add("b", record, nil))
	c := held(t, side(t, "a", played{}), b)
	assert.Truef(t, len(c.Warnings) == 2 && strings.Contains(c.Warnings[0], "A has peak 2, all operations") && strings.Contains(c.Warnings[1], "B has hold, all operations"),
		"the warnings are %q; want the phase that each has alone", c.Warnings)
	c = held(t, side(t, "a", played{}), side(t, "b", played{alter: func(m *results.Manifest) { m.Operations[1].Name = "query" }}))
	assert.Truef(t, len(c.Warnings) == 2 && strings.Contains(c.Warnings[0], "A has all reported phases, get") && strings.Contains(c.Warnings[1], "query"),
		"the warnings are %q; want the operation that each has alone", c.Warnings)
}

// A record that is not complete is named first, and compared as far as it has totals.
func TestCutRecords(t *testing.T) {
	for _, row := range []struct {
		name, says string
		cut        func() *results.Record
		metrics    int
	}{
		{"truncated within a line", "b is truncated within", func() *results.Record {
			r := played{}.shared(t)
			r.Cut = true
			return r
		}, 99},
		{"killed", "b has no totals", func() *results.Record { return played{killed: true}.shared(t) }, 0},
		{"interrupted", "b ended", func() *results.Record {
			r := played{}.shared(t)
			r.Validity, r.Reasons, r.Duration = results.Partial, []string{"interrupted"}, 10500*time.Millisecond
			return r
		}, 99},
	} {
		b := &compare.Set{Name: "b"}
		require.NoError(t, b.Add("b", row.cut(), nil))
		for _, c := range []*compare.Comparison{held(t, side(t, "a", played{}), b), held(t, b, side(t, "a", played{}))} {
			assert.Truef(t, strings.HasPrefix(c.Warnings[0], row.says) && len(c.Metrics) == row.metrics && c.Outcome == compare.Inconclusive,
				"%s: %s, %q, %d metrics; want %q first and %d", row.name, c.Outcome, c.Warnings, len(c.Metrics), row.says, row.metrics)
		}
	}
}

// Of many runs that are not sound, some are named and the others counted.
func TestManyUnsoundRuns(t *testing.T) {
	b := &compare.Set{Name: "b"}
	small := played{seconds: 3, perSecond: 2, killed: true}.shared(t)
	for i := range 13 {
		require.NoError(t, b.Add(fmt.Sprintf("b/%02d", i), small, nil))
	}
	c := held(t, side(t, "a", played{}), b)
	assert.Truef(t, len(c.Warnings) >= 22 && c.Warnings[10] == "and 3 more runs of b" && strings.HasPrefix(c.Warnings[11], "b/00 is partial: "),
		"the warnings are %q; want ten runs that were cut off, ten that are partial, and three more of each", c.Warnings)
}

func TestRunsThatCannotBeCompared(t *testing.T) {
	empty := played{}.shared(t)
	empty.Phases, empty.Intervals, empty.Duration = nil, nil, 0
	a := side(t, "a", played{})
	if err := a.Add("a/2", empty, nil); !errors.Is(err, compare.ErrEmpty) || !strings.Contains(err.Error(), "a/2") {
		t.Errorf("a run of no length: %v; want ErrEmpty", err)
	}
	b := new(compare.Set)
	_, err := compare.Compare(a, b, nil)
	assert.ErrorIs(t, err, compare.ErrEmpty, "a side without runs")
	full, small := new(compare.Set), played{seconds: 3, perSecond: 2, killed: true}.shared(t)
	for i := range 1000 {
		require.NoError(t, full.Add(fmt.Sprint(i), small, nil))
	}
	assert.Error(t, full.Add("one more", small, nil), "a run too many")
}

func TestGolden(t *testing.T) {
	a, b := sets(8, .1)
	b[0].alter = func(m *results.Manifest) { m.Tool.Version = "v2" }
	for name, c := range map[string]*compare.Comparison{
		"sets":    held(t, side(t, "before", a...), side(t, "after", b...)),
		"single":  held(t, side(t, "one", played{seed: 1, seconds: 20, throttled: 50}), side(t, "other", played{seed: 2, seconds: 20, slower: 1.3, throttled: 20})),
		"virtual": held(t, side(t, "one", played{virtual: true}), side(t, "other", played{virtual: true, throttled: 100})),
	} {
		resultstest.CheckGolden(t, "testdata/"+name+".txt", shown(t, c, report.FormText, false))
	}
}

func TestLineThatDiffers(t *testing.T) {
	for _, row := range []struct{ was, is, want string }{
		{"a\nb", "a\nc", `line 2 was "b" and is "c"`},
		{"a", "a\nb", `line 2, "b", is new`},
		{"a\nb", "a", `line 2, "b", is gone`},
		{"", "a", `line 1 was "" and is "a"`},
		{"a\n", "a\nb\n", `line 2, "b", is new`},
		{"a", "a\n", ""},
		{"\x1b", "  \xff  ", `line 1 was "\x1b" and is "\xff"`},
	} {
		assert.Equalf(t, row.want, compare.FirstDifference(row.was, row.is), "of %q and %q", row.was, row.is)
	}
}

// What a service says of its limits is no condition: a lower limit is a result.
func TestLimitsOfAServiceAreNoCondition(t *testing.T) {
	of := func(service string) []compare.Condition {
		return compare.Conditions(&results.Record{Manifest: results.Manifest{Target: "http://127.0.0.1:1/x", Service: service}})
	}
	assert.Equal(t, of("loadgen/1 (partition_target=700)"), of("loadgen/1 (partition_target=600)"))
	assert.NotEqual(t, of("loadgen/1 (partition_target=700)"), of("Azurite"))
}
