package verdict_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"

	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/figure"
)

// figuresOf plays a run of so many reads at a rate that is served whole, has its
// record altered, and returns what it is told apart by.
func figuresOf(t *testing.T, rate int, change func(*results.Record)) []verdict.Figure {
	t.Helper()
	record := (&run{manifest: manifest(), serves: 2000, rates: []int{rate}, seconds: 2}).record(t)
	if change != nil {
		change(record)
	}
	return verdict.Figures(record, verdict.Judge(record))
}

// only returns the contrasts with a figure of that name.
func only(list []verdict.Comparison, name string) []verdict.Comparison {
	var found []verdict.Comparison
	for _, one := range list {
		if one.Name == name {
			found = append(found, one)
		}
	}
	return found
}

func TestComparisonsTellWhatDiffers(t *testing.T) {
	const rule = "the legs of each transfer sum to zero"
	// counted has the reads of a run count so many entities each.
	counted := func(each int64) func(*results.Record) {
		return func(r *results.Record) {
			for p := range r.Phases {
				if r.Phases[p].Reported {
					r.Phases[p].Kinds[1].Counted = each * r.Phases[p].Kinds[1].Succeeded
				}
			}
		}
	}
	throttled := func(r *results.Record) {
		counted(50)(r)
		for p := range r.Phases {
			r.Phases[p].Kinds[1].Throttled++
		}
	}
	halved := func(r *results.Record) {
		for p := range r.Phases {
			r.Phases[p].Kinds[1].Succeeded /= 2
		}
	}
	// slow has the times of the reads be so many times as long, none for 0.
	slow := func(factor int64) func(*results.Record) {
		return func(r *results.Record) {
			for p := range r.Phases {
				h := results.NewHistogram()
				for range factor * r.Phases[p].Kinds[1].Succeeded {
					h.Record(time.Duration(factor) * 4 * time.Millisecond)
				}
				r.Phases[p].Kinds[1].Response = h
			}
		}
	}
	faulty := func(faults int64) func(*results.Record) {
		return func(r *results.Record) { r.Invariants = []results.Invariant{{Name: rule, Looked: 100, Faults: faults}} }
	}
	tallied := func(count int64) func(*results.Record) {
		return func(r *results.Record) {
			r.Counters = results.NewCounters(map[results.CounterName]int64{{Operation: "get", Name: "both"}: count})
		}
	}
	const each, broken, both = "entities counted for each done", "not so: " + rule, "counted as both"
	type (
		changes = []func(*results.Record)
		one     = verdict.Comparison
	)
	for _, row := range []struct {
		sentence, name   string
		pattern, instead changes
		// want is the one comparison of that name, of which its name is left out.
		want one
	}{
		{"a figure that differs", each, changes{counted(1)}, changes{counted(50)}, one{"get", "", "1", "50", figure.Derived}},
		{"the least and the greatest of several runs", each, changes{counted(1), counted(3), counted(2)}, changes{counted(50), counted(40)},
			one{"get", "", "1 – 3", "40 – 50", figure.Derived}},
		{"half of them without success", "requests for each done", changes{nil}, changes{halved}, one{"get", "", "1", "2", figure.Derived}},
		{"the same on both sides", each, changes{counted(7)}, changes{counted(7)}, one{}},
		{"ranges that overlap", each, changes{counted(7), counted(20)}, changes{counted(19), counted(90)}, one{}},
		{"by a fiftieth", each, changes{counted(100)}, changes{counted(102)}, one{}},
		{"by more than a twentieth", each, changes{counted(94)}, changes{counted(100)}, one{"get", "", "94", "100", figure.Derived}},
		{"the other way round", each, changes{counted(100)}, changes{counted(94)}, one{"get", "", "100", "94", figure.Derived}},
		{"where something is throttled, counts rest on the model", each, changes{counted(1)}, changes{throttled}, one{"get", "", "1", "50", figure.Modelled}},
		{"faults", broken, changes{faulty(0)}, changes{faulty(1200)}, one{"", "", "0", "1,200", figure.Modelled}},
		{"a rule that one side alone is held to", broken, changes{nil}, changes{faulty(3)}, one{"", "", "–", "3", figure.Modelled}},
		{"one that nobody breaks", broken, changes{nil}, changes{faulty(0)}, one{}},
		{"what the workflows of one side alone count", both, changes{nil}, changes{tallied(9)}, one{}},
		{"times", "response p50", changes{slow(1)}, changes{slow(2)}, one{"get", "", "4.00 ms", "8.00 ms", figure.Modelled}},
		{"times that one run of a side does not tell", "response p50", changes{slow(1), slow(0)}, changes{slow(2), slow(2)}, one{}},
		{"what a workflow counts", both, changes{tallied(0)}, changes{tallied(9)}, one{"get", "", "0", "9", figure.Modelled}},
	} {
		sides := [2][][]verdict.Figure{}
		for side, changes := range []changes{row.pattern, row.instead} {
			for _, change := range changes {
				sides[side] = append(sides[side], figuresOf(t, 100, change))
			}
		}
		var want []verdict.Comparison
		if row.want.Origin != "" {
			row.want.Name = row.name
			want = []verdict.Comparison{row.want}
		}
		assert.Equal(t, want, only(verdict.Comparisons(sides[0], sides[1]), row.name), row.sentence)
	}
}

// What the whole load took is said where the operations of the two sides are not one
// and the same, and no heat is spoken of where there is none.
func TestComparisonsOfTheWholeLoad(t *testing.T) {
	renamed := func(r *results.Record) { r.Manifest.Operations[1].Name = "scan" }
	single := func(r *results.Record) {
		// Of the kinds that the run sends only the reads remain.
		for p := range r.Phases {
			for k := range r.Phases[p].Kinds {
				if k != 1 {
					r.Phases[p].Kinds[k] = results.KindStats{}
				}
			}
		}
	}
	both := func(r *results.Record) { single(r); renamed(r) }
	one := only(verdict.Comparisons([][]verdict.Figure{figuresOf(t, 100, single)}, [][]verdict.Figure{figuresOf(t, 200, single)}), "requests in all")
	assert.Truef(t, one == nil, "one operation of one name: %v; want nothing of requests in all", one)
	two := verdict.Comparisons([][]verdict.Figure{figuresOf(t, 100, single)}, [][]verdict.Figure{figuresOf(t, 200, both)})
	if diff := cmp.Diff([]verdict.Comparison{{"", "requests in all", "150", "300", figure.Derived}}, only(two, "requests in all")); diff != "" {
		t.Errorf("two names (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]verdict.Comparison{{"get", "requests for each done", "1", "–", figure.Derived}, {"scan", "requests for each done", "–", "1", figure.Derived}},
		only(two, "requests for each done")); diff != "" {
		t.Errorf("an operation of one side alone (-want +got):\n%s", diff)
	}
	const heat = "entities/s of the hottest partition"
	if cold := only(verdict.Comparisons([][]verdict.Figure{figuresOf(t, 4, nil)}, [][]verdict.Figure{figuresOf(t, 8, nil)}), heat); cold != nil {
		t.Errorf("partitions of 4 and 8 entities/s: %v; want nothing of heat", cold)
	}
	if hot := only(verdict.Comparisons([][]verdict.Figure{figuresOf(t, 100, nil)}, [][]verdict.Figure{figuresOf(t, 200, nil)}), heat); len(hot) != 1 {
		t.Errorf("partitions of 100 and 200 entities/s: %v; want a line", hot)
	}
}
