package keys_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"loadgen/engine/filter"
)

func TestFannedPlans(t *testing.T) {
	for _, tt := range []struct {
		name, keys string
		know       string
		span       time.Duration
		class      filter.Class
		queries    int
		// by is the part of a key that keeps the plan from being better.
		by string
	}{
		{"a bucket and then a day: each bucket's part of the day",
			"{hash(user,16):02d}_{day}|{at}_{uuid}", "day", 0, filter.ClassPartitionScan, 16, "{at} 16"},
		{"a bucket alone, and the RowKey: a point of each", "{hash(user,4)}|{bib}", "bib", 0, filter.ClassRowRange, 4, "4"},
		{"two buckets: each with each", "{hash(user,4)}_{hash(name,3)}|{bib}_{age}", "bib", 0, filter.ClassRowRange, 12, "{age} 12"},
		{"a bucket of what the reader knows is none",
			"{hash(user,4)}_{day}|{bib}", "user day", 0, filter.ClassPartitionScan, 1, "{bib}"},
		{"a bucket behind a day, of which all is wanted: one query reads no more",
			"{day}_{hash(user,16):02d}|{at}_{uuid}", "day", 0, filter.ClassPartitionRangeScan, 1, ""},
		{"a bucket behind a day, of which a part is wanted",
			"{day}_{hash(user,16):02d}|{name}_{uuid}", "day name", 0, filter.ClassRowRange, 16, "{uuid} 16"},
		{"a span that begins with a bucket",
			"{hash(user,16):02d}_{day}|{at}_{uuid}", "", time.Minute, filter.ClassPartitionRangeScan, 16, "{at:day} 16"},
		{"what comes after the bucket is not known either", "{hash(user,16)}_{name}|{bib}", "bib", 0, filter.ClassTableScan, 1, ""},
		{"a hundred buckets", "{hash(user,100)}|{bib}", "bib", 0, filter.ClassRowRange, 100, "100"},
		{"more than anybody asks", "{hash(user,101)}|{bib}", "bib", 0, filter.ClassTableScan, 1, ""},
		{"more than anybody asks, in all", "{hash(user,11)}{hash(name,10)}|{bib}", "bib", 0, filter.ClassTableScan, 1, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			partition, row, _ := strings.Cut(tt.keys, "|")
			g := designed(t, partition, row)
			plan := g.FannedPlan(strings.Fields(tt.know), tt.span)
			if plan.Class != tt.class || plan.Queries() != tt.queries || tt.by != "" && !namesParts(plan.Why, tt.by) {
				t.Errorf("FannedPlan(%q, %s) = %s in %d: %s; want %s in %d by %s",
					tt.know, tt.span, plan.Class, plan.Queries(), plan.Why, tt.class, tt.queries, tt.by)
			}
			if alone := g.Plan(strings.Fields(tt.know), tt.span).Why; tt.by == "" && plan.Why != alone {
				t.Errorf("FannedPlan(%q, %s) says %s; want what one query is no better for, %s", tt.know, tt.span, plan.Why, alone)
			}
		})
	}
}

// Whoever asks each bucket by itself gets all that one query over all of them would
// find, each entity once, and reads no more; sometimes far less.
func TestFannedRangesHoldWhatIsAskedFor(t *testing.T) {
	const entities, designs = 4_000, 20 * drawn
	pieces := []string{"{hash(user,4)}", "{hash(user,7):02d}_", "{day}", "{at:hour}_", "{event}", "{name}_", "{hash(bib,2)}"}
	attributes := []string{"event", "bib", "name", "age", "day"}
	fanned, less := 0, 0
	for seed := range uint64(designs) {
		rng := rand.New(rand.NewPCG(seed, 3))
		put := func() (s string) {
			for range 1 + rng.IntN(3) {
				s += pieces[rng.IntN(len(pieces))]
			}
			return s
		}
		g := designed(t, "{hash(bib,5)}"[:13*rng.IntN(2)]+put(), put()+"{bib}")
		var know []string
		for _, i := range rng.Perm(len(attributes))[:1+rng.IntN(3)] {
			know = append(know, attributes[i])
		}
		span := time.Duration(rng.IntN(2)) * time.Duration(rng.Int64N(int64(3*time.Hour)))
		plan := g.FannedPlan(know, span)
		if plan.Queries() == 1 {
			continue
		}
		fanned++
		asked := eventOf(rng.Uint64N(entities))
		ranges, whole := plan.Ranges(asked), plan.Range(asked)
		what := fmt.Sprintf("seed %d: %q and %q for a reader of %q and %s", seed, g.PartitionKeyOf(asked), g.KeyOf(asked).Row, know, span)
		if len(ranges) > plan.Queries() {
			t.Errorf("%s: %d ranges; want at most %d", what, len(ranges), plan.Queries())
		}
		read, readAtOnce := 0, 0
		for n := range uint64(entities) {
			e := eventOf(n)
			key := g.KeyOf(e)
			lies := 0
			for _, r := range ranges {
				if r.Contains(key) {
					lies++
				}
			}
			if lies > 1 || lies == 0 && shares(g, know, span, asked, e) || lies == 1 && !whole.Contains(key) {
				t.Fatalf("%s: %v lies in %d of the ranges %+v; want it in one if it is asked for, and then in %+v", what, key, lies, ranges, whole)
			}
			read += lies
			if whole.Contains(key) {
				readAtOnce++
			}
		}
		if read*2 < readAtOnce {
			less++
		}
	}
	if fanned < 10*drawn/4 || less < fanned/3 {
		t.Errorf("%d of %d readers asked each bucket, %d of them read less than half of what one query would; want more", fanned, designs, less)
	}
}

// A plan of one query has one range, and it is that of the plan.
func TestRangesOfOneQuery(t *testing.T) {
	plan := designed(t, "{event}", "{bib}").FannedPlan([]string{"event"}, 0)
	e := eventOf(3)
	if got := plan.Ranges(e); !slices.Equal(got, []filter.Range{plan.Range(e)}) {
		t.Errorf("Ranges() = %+v; want %+v", got, plan.Range(e))
	}
}
