package results_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/results/resultstest"
)

func TestCausesOfASecond(t *testing.T) {
	many := func(ways int) (list results.Causes) {
		for i := range ways {
			list = append(list, results.Cause{Class: results.Throttled, Status: 500 + i, Code: fmt.Sprint("code ", i), Attempts: int64(200 - i)})
		}
		return list
	}
	other := func(class results.Class, attempts int64) results.Cause {
		return results.Cause{Class: class, Code: results.OtherCauses, Attempts: attempts}
	}
	beyond := func(from, to int) (sum int64) {
		for i := from; i < to; i++ {
			sum += int64(200 - i)
		}
		return sum
	}
	const throttled, failed = results.Throttled, results.Failed
	long := strings.Repeat("é", 40)
	for _, row := range []struct {
		name         string
		causes, want results.Causes
	}{
		{"none", nil, nil},
		{"most first, whichever came first",
			results.Causes{{throttled, 503, "ServerBusy", 2, false}, {failed, 500, "InternalError", 5, false}, {throttled, 503, "Else", 2, false}},
			results.Causes{{failed, 500, "InternalError", 5, false}, {throttled, 503, "Else", 2, false}, {throttled, 503, "ServerBusy", 2, false}}},
		{"one code with two statuses is two causes", results.Causes{{throttled, 503, "Busy", 1, false}, {throttled, 429, "Busy", 1, false}},
			results.Causes{{throttled, 429, "Busy", 1, false}, {throttled, 503, "Busy", 1, false}}},
		{"one answer that an operation takes twofold is two causes", results.Causes{{failed, 404, "Gone", 1, false}, {throttled, 404, "Gone", 1, false}},
			results.Causes{{throttled, 404, "Gone", 1, false}, {failed, 404, "Gone", 1, false}}},
		{"what was injected is apart", results.Causes{{throttled, 503, "Busy", 1, false}, {throttled, 503, "Busy", 2, true}},
			results.Causes{{throttled, 503, "Busy", 2, true}, {throttled, 503, "Busy", 1, false}}},
		{"no reply has the status 0", results.Causes{{failed, 0, "Timeout", 3, false}, {failed, 0, "", 1, false}}, results.Causes{{failed, 0, "Timeout", 3, false}, {failed, 0, "", 1, false}}},
		{"sixteen causes", many(16), many(16)},
		{"a seventeenth is another", many(17), append(many(16), other(throttled, 184))},
		{"the others of each class are apart", append(many(17), results.Cause{Class: failed, Status: 400, Code: "rare", Attempts: 3}),
			append(many(16), other(throttled, 184), other(failed, 3))},
		{"as many as are kept", many(128), append(many(16), other(throttled, beyond(16, 128)))},
		{"the last that is kept, named where it is the commonest", append(many(127), results.Cause{Class: failed, Status: 400, Code: "late", Attempts: 1000}),
			append(append(results.Causes{{failed, 400, "late", 1000, false}}, many(15)...), other(throttled, beyond(15, 127)))},
		{"those beyond, which are among the others whatever they had",
			append(many(128), results.Cause{Class: throttled, Status: 999, Code: "late", Attempts: 1000}, results.Cause{Class: failed, Status: 998, Code: "later", Attempts: 10}),
			append(many(16), other(throttled, beyond(16, 128)+1000), other(failed, 10))},
		{"a code of any length, cut between two characters", results.Causes{{throttled, 503, "x" + long, 1, false}, {throttled, 503, "x" + long + "y", 1, false}},
			results.Causes{{throttled, 503, "x" + long[:62], 2, false}}},
		{"a code that is no text", results.Causes{{failed, 400, "a\xffb", 1, false}}, results.Causes{{failed, 400, "a\ufffdb", 1, false}}},
	} {
		record := playRecord(t, 3*time.Second, func(r *results.Recorder) {
			r.Phase(results.Phase{Name: "step", End: 3 * time.Second})
			// What a second had is not the next one's.
			for _, at := range []time.Duration{0, 2 * time.Second} {
				for _, one := range row.causes {
					for range one.Attempts {
						a := &results.Attempt{Class: one.Class, Status: one.Status, Code: one.Code, Sent: at, Done: at}
						if one.Injected {
							a.Injected = "refuse"
						}
						r.Attempt(a)
					}
				}
				r.Attempt(&results.Attempt{Class: results.Ok, Status: 404, Code: "ResourceNotFound", Sent: at, Done: at})
				advance(t, r, at)
			}
		})
		for second, i := range record.Intervals {
			want := row.want
			if second == 1 {
				want = nil
			}
			assert.Equalf(t, []results.Causes{want, want}, []results.Causes{i.Causes, i.Kinds[0].Causes},
				"%s: second %d and its operation", row.name, second)
		}
	}
}

func TestCausesAreBounded(t *testing.T) {
	const codes = 10_000
	var causes, halves [2]results.Causes
	for i := range codes {
		causes[0].Add(results.Failed, 400, fmt.Sprint("code ", i), 1)
		causes[0].Add(results.Throttled, 503, fmt.Sprint("code ", i), 2)
		halves[i%2].Add(results.Failed, 400, fmt.Sprint("code ", i), 1)
		halves[i%2].Add(results.Throttled, 503, fmt.Sprint("code ", i), 2)
	}
	causes[1].Merge(halves[0])
	causes[1].Merge(halves[1])
	for i, c := range causes {
		assert.Truef(t, len(c) <= 130 && len(c.Told()) <= 18,
			"%d: %d causes are kept and %d told; want at most 130 and 18", i, len(c), len(c.Told()))
		for _, all := range []results.Causes{c, c.Told()} {
			assert.Truef(t, all.Of(results.Failed) == codes && all.Of(results.Throttled) == 2*codes,
				"%d: %d failed, %d throttled; want %d and %d", i, all.Of(results.Failed), all.Of(results.Throttled), codes, 2*codes)
		}
	}
}

// A class that no reader knows, and one that is no class, are no causes.
func TestForeignCauses(t *testing.T) {
	for _, text := range []string{`[{"class":"refused","status":503,"code":"","attempts":1}]`, `[{"class":7,"status":503,"code":"","attempts":1}]`} {
		var causes results.Causes
		assert.Errorf(t, json.Unmarshal([]byte(text), &causes), "%s was read as %v; want an error", text, causes)
	}
	var class results.Class
	assert.ErrorIs(t, class.UnmarshalText([]byte("refused")), results.ErrCorrupt, "UnmarshalText")
}

func FuzzCauses(f *testing.F) {
	f.Add(503, "ServerBusy", true)
	f.Add(0, "", false)
	f.Add(0, "other", false)
	f.Add(-1, strings.Repeat("é", 33), true)
	f.Add(400, strings.Repeat("x", 63)+"é", false)
	f.Add(400, "\xf0\x9f"+strings.Repeat("\x80", 90), false)
	f.Fuzz(func(t *testing.T, status int, code string, busy bool) {
		class := results.Failed
		if busy {
			class = results.Throttled
		}
		var causes results.Causes
		causes.Add(class, status, code, 2)
		causes.Add(class, status, code, 1)
		if len(causes) != 1 || causes[0].Attempts != 3 || causes[0].Class != class || causes[0].Status != status {
			t.Fatalf("%d %q twice = %v; want one cause of 3", status, code, causes)
		}
		kept := causes[0].Code
		require.Truef(t, len(kept) <= 64 && utf8.ValidString(kept),
			"%q is kept as %q; want at most 64 bytes of text", code, kept)
		if utf8.ValidString(code) && (!strings.HasPrefix(code, kept) || len(code) > len(kept) && len(kept) < 61) {
			t.Fatalf("%q is kept as %q; want its beginning, as much as fits", code, kept)
		}
		text, err := json.Marshal(causes)
		require.NoError(t, err)
		var again results.Causes
		require.NoError(t, json.Unmarshal(text, &again))
		require.Empty(t, cmp.Diff(causes, again), "read back it differs (-was +is)")
	})
}

func TestRandomCausesAreCountedAsByHand(t *testing.T) {
	for seed := range uint64(resultstest.Cases(8, 30)) {
		rng := rand.New(rand.NewPCG(seed, 21))
		ways := 1 + rng.IntN(100)
		stream := make([]results.Attempt, 200+rng.IntN(2000))
		half := func(i int) int { return 2 * i / len(stream) }
		for i := range stream {
			way := int(float64(ways) * rng.Float64() * rng.Float64())
			at := time.Duration(half(i)) * time.Second
			stream[i] = results.Attempt{Phase: half(i), Kind: rng.IntN(2), Class: results.Class(1 + way%3), Status: 200 + way*7%400,
				Code: fmt.Sprint("code", way%50), Sent: at, Done: at}
		}
		record := playRecord(t, 2*time.Second, func(r *results.Recorder) {
			r.Phase(results.Phase{Name: "a", End: time.Second})
			r.Phase(results.Phase{Name: "b", Begin: time.Second, End: 2 * time.Second})
			for i := range stream {
				r.Attempt(&stream[i])
			}
		})
		for second := range record.Intervals {
			want := byHand(stream, func(a *results.Attempt) bool { return a.Phase == second })
			assert.Emptyf(t, cmp.Diff(want, record.Intervals[second].Causes),
				"seed %d: second %d differs (-tally +record)", seed, second)
			for kind := range record.Manifest.Operations {
				want := byHand(stream, func(a *results.Attempt) bool { return a.Phase == second && a.Kind == kind })
				got := []results.Causes{record.Intervals[second].Kinds[kind].Causes, record.Phases[second].Kinds[kind].Causes}
				if diff := cmp.Diff([]results.Causes{want, want}, got); diff != "" {
					t.Errorf("seed %d: operation %d of second and phase %d differs (-tally +record):\n%s", seed, kind, second, diff)
				}
			}
		}
		sum := record.Total(results.Everything)
		assert.Truef(t, sum.Causes.Of(results.Throttled) == sum.Throttled && sum.Causes.Of(results.Failed) == sum.Failed,
			"seed %d: the causes are of %d throttled and %d failed; want %d and %d", seed, sum.Causes.Of(results.Throttled), sum.Causes.Of(results.Failed), sum.Throttled, sum.Failed)
	}
}

// byHand returns what is told of the causes of a stream: the commonest, each with its exact
// count, and the rest of each class.
func byHand(stream []results.Attempt, of func(*results.Attempt) bool) results.Causes {
	var list results.Causes
	for i := range stream {
		if of(&stream[i]) && stream[i].Class != results.Ok {
			list = causedOnce(list, &stream[i])
		}
	}
	var rest results.Causes
	if len(list) > results.MostCauses {
		list, rest = list[:results.MostCauses:results.MostCauses], list[results.MostCauses:]
	}
	for class := results.Throttled; class <= results.Failed; class++ {
		if n := rest.Of(class); n > 0 {
			list = append(list, results.Cause{Class: class, Code: results.OtherCauses, Attempts: n})
		}
	}
	return list
}
