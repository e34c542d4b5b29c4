package keys_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/entity"
	"loadgen/scenarios/keys"
)

// numbered is an attribute that was drawn, with all its numbers in their order.
type numbered struct {
	keys.Distribution
	all []int64
}

func drawNumbered(r *rand.Rand, entities int) numbered {
	low := int64(r.IntN(150))
	from := func(low, count int64) (all []int64) {
		for n := low; n < low+count; n++ {
			all = append(all, n)
		}
		return all
	}
	switch r.IntN(5) {
	case 0:
		count := 1 + int64(r.IntN(1500))
		return numbered{keys.Uniform{Low: low, High: low + count - 1}, from(low, count)}
	case 1:
		count := 1 + int64(r.IntN(300))
		return numbered{keys.Zipf{Ranked: keys.Ranked{Of: count}, Exponent: 1}, from(0, count)}
	case 2:
		var one numbered
		var texts []string
		for range 1 + r.IntN(4) {
			one.all = append(one.all, int64(r.IntN(120)))
		}
		slices.Sort(one.all)
		one.all = slices.Compact(one.all)
		for _, n := range one.all {
			texts = append(texts, strconv.FormatInt(n, 10))
		}
		one.Distribution = keys.ValueList{Values: texts}
		return one
	default:
		return numbered{keys.Sequence{Start: low}, from(low, int64(entities))}
	}
}

// Whether numbers lie in their order is told from few of them, and is so of all: of as many
// as there are, sorted as texts. What is told for a cure puts them in order, and the two
// that are named lie the wrong way round.
func TestDisorders(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 9))
	disordered, ordered := 0, 0
	for range 150 * drawn {
		entities := 1 + r.IntN(1300)
		one := drawNumbered(r, entities)
		format := []string{"{n}", "{n}", "{n:02d}", "{n:03d}"}[r.IntN(4)]
		before, behind := []string{"", "a_"}[r.IntN(2)], []string{"", "_x", "!x", "5"}[r.IntN(4)]
		options := keys.Options{Attributes: []keys.Attribute{{Name: "n", Values: one}}}
		if options.Attributes[0].Values = one.Distribution; behind == "5" && format == "{n}" {
			continue // what is a digit of a number, and what is none, nobody can tell
		}
		sorted := func(format string) bool {
			template := parsed(t, before+format+behind)
			texts := make([]string, len(one.all))
			for i, n := range one.all {
				texts[i] = template.Expand(func(string) string { return strconv.FormatInt(n, 10) })
			}
			return slices.IsSortedFunc(texts, entity.Compare)
		}
		got := options.Disorders(parsed(t, before+format+behind), uint64(entities))
		what := fmt.Sprintf("%s of %T from %d to %d", before+format+behind, one.Distribution, one.all[0], one.all[len(one.all)-1])
		if sorted(format) {
			ordered++
			assert.Lenf(t, got, 0, "%s: %+v", what, got)
			continue
		}
		disordered++
		if len(got) != 1 {
			t.Errorf("%s: %+v; want the one, since not all lie in their order", what, got)
			continue
		}
		smaller, _ := strconv.Atoi(got[0].Smaller)
		larger, _ := strconv.Atoi(got[0].Larger)
		if got[0].Placeholder != format || smaller >= larger || strings.Compare(got[0].Smaller+behind, got[0].Larger+behind) < 0 ||
			!slices.Contains(one.all, int64(smaller)) || !slices.Contains(one.all, int64(larger)) {
			t.Errorf("%s: %+v; want two of the numbers that lie the wrong way round", what, got[0])
		}
		if !sorted(got[0].Padded) || got[0].Greatest != one.all[len(one.all)-1] {
			t.Errorf("%s: padded as %s for %d they lie in no order", what, got[0].Padded, got[0].Greatest)
		}
	}
	assert.Truef(t, disordered >= 25*drawn && ordered >= 25*drawn,
		"%d cases out of order, %d in order; want a sixth of each", disordered, ordered)
}

// What has no order of numbers is asked for none: hashes, instants, letters, negative numbers.
func TestDisordersOfWhatIsNoNumber(t *testing.T) {
	o := keys.Options{Attributes: []keys.Attribute{
		{Name: "n", Values: keys.Uniform{Low: 1, High: 500}}, {Name: "city", Values: keys.ValueList{Values: []string{"Rome", "10", "9"}}},
		{Name: "old", Values: keys.ValueList{Values: []string{"007", "10"}}}, {Name: "below", Values: keys.Uniform{Low: -500, High: 500}}}}
	for _, text := range []string{"{hash(n,16)}", "{reverse(n)}", "{city}", "{old}", "{below}", "{uuid}", "constant", "{{n}}"} {
		assert.Len(t, o.Disorders(parsed(t, text), 1000), 0, text)
	}
	if got := o.Disorders(parsed(t, "{number}_{n}"), 101); len(got) != 2 || got[0].Padded != "{number:03d}" || got[1].Padded != "{n:03d}" {
		t.Errorf("{number}_{n}: %+v; want both, of three digits", got)
	}
}
