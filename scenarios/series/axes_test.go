package series

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/scenarios/fields"
)

func TestSplitValues(t *testing.T) {
	for _, row := range []struct {
		sentence, list string
		want           []string
		wrong          error
	}{
		{"one value", "500", []string{"500"}, nil},
		{"values by commas", "500,1000,2000", []string{"500", "1000", "2000"}, nil},
		{"blanks around them", " a , b ", []string{"a", "b"}, nil},
		{"one list", "[500,1000]", []string{"[500,1000]"}, nil},
		{"lists by commas", "[500, 1000],[2000]", []string{"[500, 1000]", "[2000]"}, nil},
		{"lists by semicolons", "[500,1000];[2000]", []string{"[500,1000]", "[2000]"}, nil},
		{"maps", "{ramp: {from: 1, to: 2}};{constant: 5}", []string{"{ramp: {from: 1, to: 2}}", "{constant: 5}"}, nil},
		{"templates", "{event},{event}__{distance}", []string{"{event}", "{event}__{distance}"}, nil},
		{"texts with commas, by semicolons", "a,b;c", []string{"a,b", "c"}, nil},
		{"texts with both, in quotes", `"a,b;c",d`, []string{`"a,b;c"`, "d"}, nil},
		{"a bracket in quotes", `"[",b`, []string{`"["`, "b"}, nil},
		{"a quote within a list", `["a]",b],c`, []string{`["a]",b]`, "c"}, nil},
		{"a closing bracket alone is a character", "a],b", []string{"a]", "b"}, nil},
		{"nothing", "", []string{""}, nil},
		{"nothing between commas", "1,,2", []string{"1", "", "2"}, nil},
		{"a bracket that is not closed", "[500,1000", nil, errUnbalanced},
		{"one closed by another", "[500}", nil, errUnbalanced},
		{"a quote that is not closed", `a,"b`, nil, errUnbalanced},
	} {
		got, err := splitValues(row.list)
		assert.Truef(t, slices.Equal(got, row.want) && err == row.wrong,
			"%s: splitValues(%q) = %q, %v; want %q, %v", row.sentence, row.list, got, err, row.want, row.wrong)
	}
}

func TestCombinations(t *testing.T) {
	got, err := combinations([]string{"use=a,b", "seed=1,2,3"})
	var words []string
	for _, set := range got {
		words = append(words, inWords(set))
	}
	want := []string{"use=a, seed=1", "use=a, seed=2", "use=a, seed=3", "use=b, seed=1", "use=b, seed=2", "use=b, seed=3"}
	assert.Truef(t, err == nil && slices.Equal(words, want), "combinations(…) = %q, %v; want %q", words, err, want)
	// Of four axes, no run may share the settings of another.
	seen := map[string]bool{}
	all, err := combinations([]string{"a=1,2", "b=1,2", "c=1,2,3", "d=1,2"})
	for _, set := range all {
		seen[inWords(set)] = true
	}
	assert.Truef(t, err == nil && len(all) == 24 && len(seen) == 24,
		"2 by 2 by 3 by 2 values = %d combinations, of which %d differ, %v; want 24", len(all), len(seen), err)
	for _, row := range []struct {
		sentence string
		sweeps   []string
		says     string
	}{
		{"no value", []string{"seed"}, "expected path=v1,v2"},
		{"no path", []string{"=1,2"}, "expected path=v1,v2"},
		{"an empty value", []string{"seed=1,,2"}, "a value is empty"},
		{"only an empty value", []string{"seed="}, "a value is empty"},
		{"the same value twice", []string{"seed=1,2,1"}, "occurs twice"},
		{"a bracket that is not closed", []string{"phases.peak.rates=[1,2"}, "not closed"},
		{"the same path twice", []string{"seed=1", "seed=2"}, "seed is swept twice"},
		{"101 values", []string{"seed=" + numbers(101)}, "that comes to 101 runs; expected at most 100"},
		{"11 by 10 values", []string{"seed=" + numbers(11), "workers=" + numbers(10)}, "that comes to 110 runs"},
	} {
		_, err := combinations(row.sweeps)
		var fault fields.Fault
		if last := row.sweeps[len(row.sweeps)-1]; !errors.As(err, &fault) || fault.Path != "sweep" ||
			!strings.HasPrefix(fault.What, last+": ") || !strings.Contains(fault.What, row.says) {
			t.Errorf("%s: combinations(%.60q) = %v; want a fault of sweep with %q", row.sentence, row.sweeps, err, row.says)
		}
	}
	if all, err := combinations([]string{"seed=" + numbers(10), "workers=" + numbers(10)}); err != nil || len(all) != MostRuns {
		t.Errorf("10 by 10 values = %d combinations, %v; want %d", len(all), err, MostRuns)
	}
}

// numbers lists the numbers from 1 to n.
func numbers(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprint(i+1))
	}
	return strings.Join(list, ",")
}

func FuzzSplitValues(f *testing.F) {
	for _, seed := range []string{"", "a,b", "[1,2];{a: b}", `"x,y"`, "[[", ";,;"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, list string) {
		values, err := splitValues(list)
		if err != nil {
			return
		}
		require.Truef(t, len(values) != 0, "splitValues(%q) has no value; want one at least", list)
		// Parted by semicolons, or alone, each is a value again.
		again, err := splitValues(strings.Join(values, ";"))
		if len(values) > 1 && (err != nil || !slices.Equal(again, values)) {
			t.Fatalf("splitValues(%q) = %q, and those together %q, %v; want the same", list, values, again, err)
		}
	})
}
