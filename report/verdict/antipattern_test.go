package verdict_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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
	const each = "entities counted for each done"
	for _, row := range []struct {
		sentence         string
		name             string
		pattern, instead []func(*results.Record)
		want             []verdict.Comparison
	}{
		{"a figure that differs", each, some(counted(1)), some(counted(50)), []verdict.Comparison{{"get", each, "1", "50", figure.Derived}}},
		{"the least and the greatest of several runs", each, some(counted(1), counted(3), counted(2)), some(counted(50), counted(40)),
			[]verdict.Comparison{{"get", each, "1 – 3", "40 – 50", figure.Derived}}},
		{"half of them without success", "requests for each done", some(nil), some(halved), []verdict.Comparison{{"get", "requests for each done", "1", "2", figure.Derived}}},
		{"the same on both sides", each, some(counted(7)), some(counted(7)), nil},
		{"ranges that overlap", each, some(counted(7), counted(20)), some(counted(19), counted(90)), nil},
		{"by a fiftieth", each, some(counted(100)), some(counted(102)), nil},
		{"by more than a twentieth", each, some(counted(94)), some(counted(100)), []verdict.Comparison{{"get", each, "94", "100", figure.Derived}}},
		{"the other way round", each, some(counted(100)), some(counted(94)), []verdict.Comparison{{"get", each, "100", "94", figure.Derived}}},
		{"where something is throttled, counts rest on the model", each, some(counted(1)), some(throttled), []verdict.Comparison{{"get", each, "1", "50", figure.Modelled}}},
		{"faults", "not so: " + rule, some(faulty(0)), some(faulty(1200)), []verdict.Comparison{{"", "not so: " + rule, "0", "1,200", figure.Modelled}}},
		{"a rule that one side alone is held to", "not so: " + rule, some(nil), some(faulty(3)), []verdict.Comparison{{"", "not so: " + rule, "–", "3", figure.Modelled}}},
		{"one that nobody breaks", "not so: " + rule, some(nil), some(faulty(0)), nil},
		{"what the workflows of one side alone count", "counted as both", some(nil), some(tallied(9)), nil},
		{"times", "response p50", some(slow(1)), some(slow(2)), []verdict.Comparison{{"get", "response p50", "4.00 ms", "8.00 ms", figure.Modelled}}},
		{"times that one run of a side does not tell", "response p50", some(slow(1), slow(0)), some(slow(2), slow(2)), nil},
		{"what a workflow counts", "counted as both", some(tallied(0)), some(tallied(9)), []verdict.Comparison{{"get", "counted as both", "0", "9", figure.Modelled}}},
	} {
		sides := [2][][]verdict.Figure{}
		for side, changes := range [][]func(*results.Record){row.pattern, row.instead} {
			for _, change := range changes {
				sides[side] = append(sides[side], figuresOf(t, 100, change))
			}
		}
		if diff := cmp.Diff(row.want, only(verdict.Comparisons(sides[0], sides[1]), row.name)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.sentence, diff)
		}
	}
}

// some are the runs of one side, by how their records are altered.
func some(changes ...func(*results.Record)) []func(*results.Record) { return changes }

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
	if one != nil {
		t.Errorf("one operation of one name: %v; want nothing of requests in all", one)
	}
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
