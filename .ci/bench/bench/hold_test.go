package bench

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// measured is a report of one ratio, whose rounds are given, and of one figure's allocations.
func measured(ratios []float64, allocations float64) *Report {
	r := &Report{Schema: Schema, Groups: []string{GroupServer}}
	ones := make([]float64, len(ratios))
	for i := range ones {
		ones[i] = 1
	}
	r.add(Figure{Cell: Cell{GroupServer, whatInsert, busiest, ofServe}, Unit: cpuUnit, Allocations: &allocations}, ratios)
	r.add(Figure{Cell: Cell{GroupServer, whatInsert, busiest, ofBare}, Unit: cpuUnit}, ones)
	r.compare()
	r.judge()
	return r
}

// rounds are ten ratios about a true one, that vary by so much.
func rounds(truth, spread float64, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 27))
	list := make([]float64, 10)
	for i := range list {
		list[i] = truth * math.Exp(spread*rng.NormFloat64())
	}
	return list
}

// What is worse than it was by more than its bound is a regression; less is none, nor is what the
// rounds cannot tell.
func TestHold(t *testing.T) {
	for _, row := range []struct {
		sentence            string
		was                 []float64
		wasAllocations      float64
		is                  []float64
		isAllocations       float64
		regressed, doubtful bool
	}{
		{"the same is none", rounds(1.3, .03, 1), 4, rounds(1.3, .03, 2), 4, false, false},
		{"a tenth more is none", rounds(1.3, .03, 1), 4, rounds(1.43, .03, 2), 4, false, false},
		{"a fifth more is one", rounds(1.3, .03, 1), 4, rounds(1.56, .03, 2), 4, true, false},
		{"less is none", rounds(1.3, .03, 1), 4, rounds(1, .03, 2), 3, false, false},
		{"an allocation more is one", rounds(1.3, .03, 1), 4, rounds(1.3, .03, 2), 5, true, false},
		{"half an allocation more of three hundred is none", rounds(1.3, .03, 1), 313, rounds(1.3, .03, 2), 314, false, false},
		{"a fiftieth more of three hundred is one", rounds(1.3, .03, 1), 313, rounds(1.3, .03, 2), 320, true, false},
		{"what varies by more than it rises cannot be told", rounds(1.3, .03, 1), 4, []float64{.9, 2.6, 1, 2.2, 1.6, 1.1, 2, 1.2, 1.9, 1.7}, 4, false, true},
		{"what could not be told then is none", []float64{.9, 2.6, 1, 2.2, 1.6, 1.1, 2, 1.2, 1.9, 1.7}, 4, rounds(2, .03, 2), 4, false, true},
		{"too few rounds cannot be told", rounds(1.3, .03, 1), 4, []float64{2, 2}, 4, false, true},
	} {
		r := measured(row.is, row.isAllocations)
		r.CompareTo(measured(row.was, row.wasAllocations))
		doubtful := slices.ContainsFunc(r.Held, func(h Held) bool { return h.Doubtful })
		if len(r.Held) != 2 || r.Regressed() != row.regressed || doubtful != row.doubtful {
			t.Errorf("%s: held %+v; want regressed %v, doubtful %v", row.sentence, r.Held, row.regressed, row.doubtful)
		}
	}
}

// Of 400 comparisons of what is the same, each of nine ratios that vary by a tenth, few are
// called worse; of as many that are a third worse, most are.
func TestHoldIsRarelyWrong(t *testing.T) {
	wrong, found := 0, 0
	const trials = 400
	for seed := range uint64(trials) {
		was := measured(rounds(1.3, .1, 3*seed), 4)
		same, worse := measured(rounds(1.3, .1, 3*seed+1), 4), measured(rounds(1.3*4/3, .1, 3*seed+2), 4)
		same.CompareTo(was)
		worse.CompareTo(was)
		if same.Regressed() {
			wrong++
		}
		if worse.Regressed() {
			found++
		}
	}
	if wrong > 6 || found < trials*9/10 {
		t.Errorf("of %d: %d the same called worse, %d worse found; want 6 at most, and nine in ten", trials, wrong, found)
	}
}

// Ratios of 10 rounds hold the truth as often as they say: 95 of 100 times.
func TestIntervalHoldsTheTruth(t *testing.T) {
	missed := 0
	const trials = 1000
	for seed := range uint64(trials) {
		truth := 1 + float64(seed%7)/3
		one, other := rounds(2*truth, .1, 2*seed), rounds(2, .1, 2*seed+1)
		median, list, interval := ratioOf(one, other)
		if interval == nil || len(list) != len(one) || median < interval[0] || median > interval[1] {
			t.Fatalf("ratioOf = %v, %v; want an interval about the median", median, interval)
		}
		if truth < interval[0] || truth > interval[1] {
			missed++
		}
	}
	// Of 1,000 at 5%, 50 ± 4 × 7 but once in 10,000 times.
	if missed > 78 {
		t.Errorf("%d of %d intervals miss the truth; want 50", missed, trials)
	}
}

// Every aim is of a figure that some group measures, and has words that say what bounds it.
func TestAims(t *testing.T) {
	seen := map[string]bool{}
	for _, a := range Aims() {
		group, _, _ := strings.Cut(a.Of, "/")
		if !slices.Contains(Groups(), group) || a.Says == "" || a.is == "" || !(a.Bound > 0) || seen[a.Says] {
			t.Errorf("%+v; want a group, words once, a bound and what bounds it", a)
		}
		seen[a.Says] = true
		if len([]rune(a.Says)) > 36 {
			t.Errorf("%q is %d letters; want 36 at most, for a screen", a.Says, len([]rune(a.Says)))
		}
	}
}

// An aim is met on its own side of its bound, in its unit.
func TestJudged(t *testing.T) {
	r := new(Report)
	r.add(Figure{Cell: Cell{GroupServer, whatBatch, busiest, ofServe}, Unit: cpuUnit}, []float64{250})
	r.add(Figure{Cell: Cell{GroupSimulator, whatAttempt, simulations[0].at, ofSimulator}, Unit: cpuUnit}, []float64{.8})
	r.judge()
	for _, j := range r.Aims {
		switch j.Says {
		case "transaction of 100: an entity":
			if *j.Value != 2.5 || !*j.Met {
				t.Errorf("%+v; want 2.5 µs, which meets 3", j)
			}
		case "simulated attempts a CPU second":
			if *j.Value != 1.25 || *j.Met {
				t.Errorf("%+v; want 1.25 M, which misses 1.5", j)
			}
		default:
			if j.Value != nil || j.Met != nil {
				t.Errorf("%+v; want nothing told", j)
			}
		}
	}
}

// A text that is no report is refused in one line, whatever it is.
func FuzzRead(f *testing.F) {
	text, err := json.Marshal(measured(rounds(1.3, .1, 1), 4))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	f.Add(`{"schema": 2}`)
	f.Add(`{"schema": 1, "figures": [{"by_round": [], "median": -1}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		r, err := Read(strings.NewReader(text))
		if err != nil {
			if strings.Contains(err.Error(), "\n") || r != nil {
				t.Errorf("Read = %v, %q", r, err)
			}
			return
		}
		other := measured(rounds(1.3, .1, 1), 4)
		other.CompareTo(r)
		if d := other.Document(); d.Answer.Claim == "" {
			t.Error("an answer without words")
		}
	})
}

// A name tells a figure from all others.
func TestNamesAreUnique(t *testing.T) {
	o := Options{}.filled()
	seen := map[string]bool{}
	for _, c := range o.serverCells([]*server{{name: ofServe}, {name: ofBare}, {name: ofAzurite}}) {
		if seen[c.Name()] {
			t.Errorf("%s is measured twice", c.Name())
		}
		seen[c.Name()] = true
	}
	for _, s := range simulations {
		name := fmt.Sprint(s.at, s.data)
		if seen[name] {
			t.Errorf("%s is simulated twice", name)
		}
		seen[name] = true
	}
}
