package engine_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine"
	"loadgen/engine/entity"
)

const s = time.Second

// rule returns one that meets every attempt.
func rule(kind engine.FaultKind, from, to, by time.Duration) engine.FaultRule {
	return engine.FaultRule{Kind: kind, From: from, To: to, By: by, Share: engine.WholeShare}
}

func freeze(from, to time.Duration) engine.FaultRule    { return rule(engine.FaultFreeze, from, to, 0) }
func cut(from, to time.Duration) engine.FaultRule       { return rule(engine.FaultCut, from, to, 0) }
func delay(from, to, by time.Duration) engine.FaultRule { return rule(engine.FaultDelay, from, to, by) }
func refuse(from, to, by time.Duration) engine.FaultRule {
	return rule(engine.FaultRefuse, from, to, by)
}
func drip(from, to, by time.Duration) engine.FaultRule { return rule(engine.FaultDrip, from, to, by) }

func drop(moment engine.FaultMoment, from, to, by time.Duration) engine.FaultRule {
	one := rule(engine.FaultDrop, from, to, by)
	one.Moment = moment
	return one
}

// What is told of an attempt is what its sender learns of first.
func TestKindOfAnAttempt(t *testing.T) {
	rules := []engine.FaultRule{drop(engine.FaultAfter, 0, s, 0), cut(0, s), refuse(0, s, 0), drip(0, s, s), delay(0, s, s), freeze(0, 9*s)}
	for from, want := range []engine.FaultKind{engine.FaultDrop, engine.FaultCut, engine.FaultRefuse, engine.FaultDrip, engine.FaultDelay, engine.FaultFreeze} {
		verdict := engine.FaultPlan{Rules: rules[from:]}.Decide(0, "p", 1)
		assert.Equalf(t, want, verdict.Kind(0, verdict.Release(0)), "the rules from %v on", rules[from].Kind)
	}
	assert.Zero(t, engine.FaultVerdict{}.Kind(s, s), "without a fault")
}

// Of several refusals the first in the list answers, and one without a code is 503.
func TestWhatARefusalAnswers(t *testing.T) {
	timeout, plain := refuse(0, s, 0), refuse(0, s, 0)
	timeout.Code = entity.OperationTimedOut
	for _, row := range []struct {
		rules []engine.FaultRule
		want  entity.Code
	}{
		{[]engine.FaultRule{plain}, entity.ServerBusy},
		{[]engine.FaultRule{timeout, plain}, entity.OperationTimedOut},
		{[]engine.FaultRule{plain, timeout}, entity.ServerBusy},
		{[]engine.FaultRule{delay(0, s, s)}, ""},
	} {
		got := engine.FaultPlan{Rules: row.rules}.Decide(0, "p", 1)
		assert.Equalf(t, row.want, got.Code, "%+v", row.rules)
		assert.Equalf(t, row.want != "", got.Refused, "%+v: refused", row.rules)
	}
}

// Without rules an attempt costs next to nothing, and no memory.
func TestNoPlanTakesNoMemory(t *testing.T) {
	assert.EqualValues(t, 0, testing.AllocsPerRun(100, func() { engine.FaultPlan{}.Decide(s, "p", 1).Release(s) }),
		"an attempt without faults takes allocations")
}

func TestDecideAndRelease(t *testing.T) {
	prefixed := freeze(1*s, 2*s)
	prefixed.KeyPrefix = "race__"
	keyed := delay(1*s, 2*s, s)
	keyed.Key = "race"
	for _, row := range []struct {
		name     string
		rules    []engine.FaultRule
		sent     time.Duration
		key      string
		done     time.Duration
		lost     engine.FaultMoment
		released time.Duration
	}{
		{"no rules, no fault", nil, 1 * s, "p", 2 * s, 0, 2 * s},
		{"a reply inside a frozen window leaves at its end", []engine.FaultRule{freeze(5*s, 6*s)}, 5 * s, "p", 5100 * time.Millisecond, 0, 6 * s},
		{"the window's end is outside", []engine.FaultRule{freeze(5*s, 6*s)}, 5 * s, "p", 6 * s, 0, 6 * s},
		{"the prefix matches", []engine.FaultRule{prefixed}, 0, "race__Full", 1 * s, 0, 2 * s},
		{"the prefix does not match", []engine.FaultRule{prefixed}, 0, "race", 1 * s, 0, 1 * s},
		{"an attempt on no partition meets no prefix", []engine.FaultRule{prefixed}, 0, "", 1 * s, 0, 1 * s},
		{"lost before", []engine.FaultRule{drop(engine.FaultBefore, 1*s, 2*s, 0)}, 1 * s, "p", 1 * s, engine.FaultBefore, 1 * s},
		{"lost after", []engine.FaultRule{drop(engine.FaultAfter, 1*s, 2*s, 0)}, 1 * s, "p", 3 * s, engine.FaultAfter, 3 * s},
		{"a drop meets by the sending, not by the reply", []engine.FaultRule{drop(engine.FaultAfter, 1*s, 2*s, 0)}, 0, "p", 1 * s, 0, 1 * s},
		{"the end of a drop's window is outside", []engine.FaultRule{drop(engine.FaultAfter, 1*s, 2*s, 0)}, 2 * s, "p", 3 * s, 0, 3 * s},
		{"before goes before after", []engine.FaultRule{drop(engine.FaultAfter, 0, 2*s, 1*s), drop(engine.FaultBefore, 0, 2*s, 4*s)}, 1 * s, "p", 1 * s, engine.FaultBefore, 5 * s},
		{"whichever comes first in the plan", []engine.FaultRule{drop(engine.FaultBefore, 0, 2*s, 4*s), drop(engine.FaultAfter, 0, 2*s, 1*s)}, 1 * s, "p", 1 * s, engine.FaultBefore, 5 * s},
		{"a negative share meets nothing", []engine.FaultRule{{Kind: engine.FaultFreeze, To: 9 * s, Share: -1}}, 0, "p", 1 * s, 0, 1 * s},
		{"a silent loss is noticed later", []engine.FaultRule{drop(engine.FaultAfter, 1*s, 2*s, 30*s)}, 1 * s, "p", 3 * s, engine.FaultAfter, 33 * s},
		{"a lost reply is not frozen", []engine.FaultRule{freeze(3*s, 4*s), drop(engine.FaultAfter, 1*s, 2*s, 0)}, 1 * s, "p", 3 * s, engine.FaultAfter, 3 * s},
		{"nor delayed", []engine.FaultRule{delay(1*s, 2*s, 7*s), drop(engine.FaultAfter, 1*s, 2*s, 0)}, 1 * s, "p", 3 * s, engine.FaultAfter, 3 * s},
		{"a delayed reply leaves later", []engine.FaultRule{delay(1*s, 2*s, 7*s)}, 1 * s, "p", 3 * s, 0, 10 * s},
		{"delays add up", []engine.FaultRule{delay(1*s, 2*s, 7*s), delay(0, 9*s, 1*s)}, 1 * s, "p", 3 * s, 0, 11 * s},
		{"and over one", []engine.FaultRule{freeze(5*s, 6*s), delay(1*s, 2*s, 4*s)}, 1 * s, "p", 3 * s, 0, 7 * s},
		{"a refusal leaves at once", []engine.FaultRule{refuse(1*s, 2*s, 0)}, 1 * s, "p", 1 * s, 0, 1 * s},
		{"or takes a while", []engine.FaultRule{refuse(1*s, 2*s, s)}, 1 * s, "p", 1 * s, 0, 2 * s},
		{"and comes later by a delay", []engine.FaultRule{refuse(1*s, 2*s, s), delay(0, 9*s, 3*s)}, 1 * s, "p", 1 * s, 0, 5 * s},
		{"or is lost", []engine.FaultRule{refuse(1*s, 2*s, s), drop(engine.FaultBefore, 1*s, 2*s, 0)}, 1 * s, "p", 1 * s, engine.FaultBefore, 1 * s},
		{"a drip is as late as a delay", []engine.FaultRule{drip(1*s, 2*s, 3*s), delay(1*s, 2*s, s)}, 1 * s, "p", 3 * s, 0, 7 * s},
		{"a cut comes when the reply does", []engine.FaultRule{cut(1*s, 2*s), delay(1*s, 2*s, s)}, 1 * s, "p", 3 * s, 0, 4 * s},
		{"a key meets that key", []engine.FaultRule{keyed}, 1 * s, "race", 3 * s, 0, 4 * s},
		{"and not one that begins with it", []engine.FaultRule{keyed}, 1 * s, "race__", 3 * s, 0, 3 * s},
		{"the greatest delays saturate", []engine.FaultRule{delay(0, 9*s, math.MaxInt64), delay(0, 9*s, math.MaxInt64)}, 1 * s, "p", 3 * s, 0, math.MaxInt64},
		{"a window that ends before it begins holds nothing", []engine.FaultRule{freeze(6*s, 5*s)}, 5 * s, "p", 5500 * time.Millisecond, 0, 5500 * time.Millisecond},
		{"a share of nothing meets nothing", []engine.FaultRule{{Kind: engine.FaultFreeze, To: 9 * s}}, 0, "p", 1 * s, 0, 1 * s},
	} {
		for _, draw := range []uint64{0, 1, math.MaxUint64} {
			verdict := engine.FaultPlan{Rules: row.rules}.Decide(row.sent, row.key, draw)
			// Only what is neither refused nor lost before is carried out.
			assert.Equalf(t, !verdict.Refused && verdict.Lost != engine.FaultBefore, verdict.Arrives(), "%s: arrives", row.name)
			if got := verdict.Release(row.done); verdict.Lost != row.lost || got != row.released {
				t.Errorf("%s: Decide(%v, %q, %d) lost %v, Release(%v) = %v; want lost %v, %v",
					row.name, row.sent, row.key, draw, verdict.Lost, row.done, got, row.lost, row.released)
			}
		}
	}
}

func TestValidateNamesEveryFault(t *testing.T) {
	good := freeze(0, s)
	for _, row := range []struct {
		name  string
		rules []engine.FaultRule
		want  []string
	}{
		{"no rules are valid", nil, nil},
		{"one of each is valid", []engine.FaultRule{good, delay(0, s, s), drop(engine.FaultBefore, 0, s, 0), drop(engine.FaultAfter, 0, s, 30*s), refuse(0, s, 0)}, nil},
		{"the zero rule lacks everything", []engine.FaultRule{{}}, []string{"rules[0].kind", "rules[0].to", "rules[0].share"}},
		{"an unknown kind", []engine.FaultRule{good, {Kind: 9, To: s, Share: 1}}, []string{"rules[1].kind"}},
		{"a window before the run", []engine.FaultRule{freeze(-s, s)}, []string{"rules[0].from"}},
		{"an empty window", []engine.FaultRule{freeze(s, s)}, []string{"rules[0].to"}},
		{"more than the whole", []engine.FaultRule{{Kind: engine.FaultFreeze, To: s, Share: engine.WholeShare + 1}}, []string{"rules[0].share"}},
		{"a drop of no moment", []engine.FaultRule{drop(0, 0, s, 0)}, []string{"rules[0].moment"}},
		{"a freeze with a moment", []engine.FaultRule{{Kind: engine.FaultFreeze, To: s, Share: 1, Moment: engine.FaultAfter}}, []string{"rules[0].moment"}},
		{"a delay of nothing", []engine.FaultRule{delay(0, s, 0)}, []string{"rules[0].by"}},
		{"a reply before its time", []engine.FaultRule{delay(0, s, -s)}, []string{"rules[0].by"}},
		{"a freeze with a delay", []engine.FaultRule{{Kind: engine.FaultFreeze, To: s, Share: 1, By: s}}, []string{"rules[0].by"}},
		{"a drip of nothing", []engine.FaultRule{drip(0, s, 0)}, []string{"rules[0].by"}},
		{"a cut that waits", []engine.FaultRule{{Kind: engine.FaultCut, To: s, Share: 1, By: s}}, []string{"rules[0].by"}},
		{"a code that is no fault", []engine.FaultRule{{Kind: engine.FaultRefuse, To: s, Share: 1, Code: entity.EntityAlreadyExists}}, []string{"rules[0].code"}},
		{"a delay with a code", []engine.FaultRule{{Kind: engine.FaultDelay, To: s, Share: 1, By: s, Code: entity.ServerBusy}}, []string{"rules[0].code"}},
		{"a key beside a prefix", []engine.FaultRule{{Kind: engine.FaultCut, To: s, Share: 1, Key: "a", KeyPrefix: "a"}}, []string{"rules[0].key"}},
		{"too many rules are named once", slices.Repeat([]engine.FaultRule{good}, 101), []string{"rules has 101"}},
	} {
		faults := engine.FaultPlan{Rules: row.rules}.Validate()
		require.Lenf(t, faults, len(row.want), "%s: faults", row.name)
		for i, want := range row.want {
			assert.ErrorIs(t, faults[i], engine.ErrInvalidFault, row.name)
			assert.ErrorContains(t, faults[i], want, row.name)
		}
	}
}

// The share of attempts met is the share asked for; two rules meet independently, and so does
// one rule with a seed of its own; and an attempt that a small share meets, a larger one in the
// same place meets too.
func TestShares(t *testing.T) {
	const draws, seed = 200_000, 6
	first, second := delay(0, s, 1), delay(0, s, 2)
	first.Share, second.Share = 250_000, 100_000
	wider, seeded := first, first
	wider.Share, seeded.Seed, seeded.By = 300_000, 7, 2
	by := func(draw uint64, rules ...engine.FaultRule) time.Duration {
		return engine.FaultPlan{Rules: rules}.Decide(0, "p", draw).By
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	var met, alike [4]int
	for range draws {
		draw := rng.Uint64()
		one := by(draw, first)
		met[by(draw, first, second)]++
		alike[one+by(draw, seeded)]++
		if one == 1 && by(draw, wider) == 0 {
			t.Fatalf("draw %d meets a share of 250,000 and not one of 300,000", draw)
		}
	}
	for _, row := range []struct {
		name string
		got  int
		want float64
	}{
		{"neither", met[0], 0.75 * 0.9},
		{"the first alone", met[1], 0.25 * 0.9},
		{"the second alone", met[2], 0.75 * 0.1},
		{"both", met[3], 0.25 * 0.1},
		{"neither of a rule and its seeded twin", alike[0], 0.75 * 0.75},
		{"the rule alone", alike[1], 0.25 * 0.75},
		{"its twin alone", alike[2], 0.75 * 0.25},
		{"the rule and its twin", alike[3], 0.25 * 0.25},
	} {
		expected := draws * row.want
		assert.InDeltaf(t, expected, row.got, 4.5*math.Sqrt(expected*(1-row.want)), "seed %d: %s", seed, row.name)
	}
}

// meets tells from outside whether the rule at a place meets an attempt: it is
// put alone at its own place and given a window that holds.
func meets(rules []engine.FaultRule, place int, key string, draw uint64) bool {
	alone := make([]engine.FaultRule, place+1)
	alone[place] = rules[place]
	alone[place].From, alone[place].To = 0, s
	return engine.FaultPlan{Rules: alone}.Decide(0, key, draw).Release(0) != 0
}

// earliest is Release another way: the earliest instant among the delayed reply
// and the ends of all windows that lies in no window.
func earliest(rules []engine.FaultRule, key string, draw uint64, start time.Duration) time.Duration {
	var windows []engine.FaultRule
	for place, rule := range rules {
		if rule.Kind == engine.FaultFreeze && meets(rules, place, key, draw) {
			windows = append(windows, rule)
		}
	}
	best := time.Duration(math.MaxInt64)
	for _, candidate := range append(windows, engine.FaultRule{To: start}) {
		free := candidate.To >= start
		for _, window := range windows {
			free = free && (candidate.To < window.From || candidate.To >= window.To)
		}
		if free {
			best = min(best, candidate.To)
		}
	}
	return best
}

func TestReleaseAgainstASearchOfTheEnds(t *testing.T) {
	keys := []string{"", "a", "ab", "b"}
	moved := 0
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		rules := make([]engine.FaultRule, rng.IntN(8))
		for i := range rules {
			from := time.Duration(rng.IntN(30))
			rules[i] = freeze(from, from+1+time.Duration(rng.IntN(12)))
			rules[i].Share = 1 + rng.IntN(engine.WholeShare)
			rules[i].KeyPrefix = keys[rng.IntN(len(keys))]
		}
		key, draw, done := keys[rng.IntN(len(keys))], rng.Uint64(), time.Duration(rng.IntN(40))
		got := engine.FaultPlan{Rules: rules}.Decide(0, key, draw).Release(done)
		if want := earliest(rules, key, draw, done); got != want {
			t.Fatalf("seed %d: Release(%d) under %+v = %d; want %d", seed, done, rules, got, want)
		}
		if got != done {
			moved++
		}
	}
	assert.Truef(t, moved >= 300, "only %d of 3000 random plans moved a reply; the test shows too little", moved)
}
