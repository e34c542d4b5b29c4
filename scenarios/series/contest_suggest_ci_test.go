//go:build ci || long

package series

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results/resultstest"
	"loadgen/scenarios"
	"loadgen/scenarios/advise/suggest"
)

// drawnTable is a table of three to five attributes, of which one to three queries know one
// or two, at a rate that some keys bear and some do not, under a key that is drawn, too.
type drawnTable struct {
	text    string
	queries [][]string
}

func drawTable(seed uint64) drawnTable {
	rng := rand.New(rand.NewPCG(seed, 23))
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	of := map[string]string{"user": pick("uniform: [1, 400]", "zipf: {of: 300, exponent: 1}", "uniform: [1, 40]"),
		"site": pick("list: [north, south, east, west]", "uniform: [1, 25]", "zipf: {of: 30, exponent: 1.2}"), "kind": pick("list: [a, b]", "uniform: [1, 9]")}
	names := []string{"user", "site", "kind"}[:2+rng.IntN(2)]
	lines := []string{"  id: {sequence: 1}"}
	for _, name := range names {
		lines = append(lines, "  "+name+": {"+of[name]+"}")
	}
	known := slices.Clone(names)
	if rng.IntN(2) == 0 {
		lines = append(lines, "  at: {time: 2026-01-01T00:00:00Z, every: 1s, speed: "+pick("1", "600")+"}", `  hour: {text: "{at:hour}"}`)
		known = append(known, "hour")
	}
	if rng.IntN(2) == 0 {
		known = append(known, "id")
	}
	var properties []string
	for _, name := range known {
		properties = append(properties, fmt.Sprintf("{name: P%s, value: \"{%s}\"}", name, name))
	}
	var d drawnTable
	var queries []string
	for i := range 1 + rng.IntN(3) {
		var by []string
		for _, at := range rng.Perm(len(known))[:1+rng.IntN(2)] {
			by = append(by, known[at])
		}
		d.queries = append(d.queries, by)
		queries = append(queries, fmt.Sprintf("        - {name: q%d, verb: query, by: [%s], weight: %d}", i, strings.Join(by, ", "), 5+rng.IntN(30)))
	}
	own := "{" + pick(names...) + "}"
	if rng.IntN(2) == 0 {
		own = "{" + pick(known...) + "}"
	}
	if more := pick(names...); rng.IntN(3) == 0 && !strings.Contains(own, more) {
		own += "_{" + more + "}"
	}
	row := "{id}"
	if rng.IntN(2) == 0 {
		row = "{" + pick(names...) + "}_{id}"
	}
	d.text = fmt.Sprintf(`name: drawn
seed: %d
retry: %s
model: {partition_target: %s, account_target: %s}
attributes:
%s
entity: {properties: [%s]}
design: {partition_key: "%s", row_key: "%s"}
phases:
  - name: load
    load: {entities: %d}
  - name: work
    traffic:
      arrivals: {%s: %d}
      for: 8s
      operations:
        - {name: save, verb: insert, weight: %d}
        - {name: look, verb: get, weight: 10}
%s
expect: [%s]
`, seed, pick("none", "none", "exponential"), pick("150", "300", "600"), pick("3000", "8000"), strings.Join(lines, "\n"), strings.Join(properties, ", "), own, row,
		500+rng.IntN(1500), pick("constant", "poisson"), 100+rng.IntN(250), 10+rng.IntN(50), strings.Join(queries, "\n"), pick("throttled < 1%", "share_lost < 2%", ""))
	return d
}

// allKeys returns the designs that a rule of this kind can come to for what is asked: each of
// the sets that queries know for PartitionKey, in some buckets, the RowKey for one of them,
// with copies for those that do not know the PartitionKey, or without.
func (d *drawnTable) allKeys() (list []scenarios.Design) {
	ordered := func(set []string) bool { return set[0] == "id" || set[0] == "hour" }
	key := func(set []string, buckets int) string {
		set = slices.Clone(set)
		slices.SortFunc(set, func(a, b string) int {
			place := func(s string) int { return slices.Index([]string{"user", "site", "kind", "hour", "id"}, s) }
			return place(a) - place(b)
		})
		if ordered(set) {
			buckets = max(2, buckets)
		}
		text := "{" + strings.Join(set, "}_{") + "}"
		if buckets > 1 {
			text = fmt.Sprintf("{hash(id,%d):01d}_", buckets) + text
		}
		return text
	}
	row := func(set, by []string) string {
		text := ""
		for _, name := range by {
			if !slices.Contains(set, name) {
				text += "{" + name + "}_"
			}
		}
		return text + "{id}"
	}
	seen := make(map[string]bool)
	for _, q := range d.queries {
		sets := [][]string{q}
		for _, name := range q {
			sets = append(sets, []string{name})
		}
		for _, set := range sets {
			for _, buckets := range []int{1, 2, 5} {
				one := scenarios.Design{Name: "all", PartitionKey: key(set, buckets), RowKey: row(set, q)}
				if strings.Contains(one.RowKey, "{id}_") || seen[one.PartitionKey+one.RowKey] {
					one.RowKey = "{id}"
				}
				if seen[one.PartitionKey+one.RowKey] {
					continue
				}
				seen[one.PartitionKey+one.RowKey] = true
				list = append(list, one)
				for i, other := range d.queries {
					if !slices.ContainsFunc(set, func(name string) bool { return !slices.Contains(other, name) }) {
						continue
					}
					one.Copies = append(slices.Clone(one.Copies), scenarios.Copy{Name: fmt.Sprint("c", i), Table: fmt.Sprint("Copy", i), PartitionKey: key(other, 1), RowKey: "{id}"})
					list = append(list, one)
				}
			}
		}
	}
	return list
}

// judged plays a design in full, by seeds that no trial had; false where it cannot serve.
func judged(t testing.TB, base *scenarios.Scenario, d *scenarios.Design) (suggest.Tried, bool) {
	t.Helper()
	sum := suggest.Tried{}
	const seeds = 2
	for i := range uint64(seeds) {
		s := *base
		s.Design, s.Designs, s.Use, s.Seed = *d, nil, "", base.Seed*1000+77+i
		if len(s.Validate()) > 0 {
			return sum, false
		}
		one, err := (&contestRun{}).trial(context.Background(), base)(&s)
		require.NoError(t, err)
		sum.Failed += one.Failed
		sum.Lost, sum.Throttled = sum.Lost+one.Lost/seeds, sum.Throttled+one.Throttled/seeds
		sum.Requests, sum.Counted = sum.Requests+one.Requests/seeds, sum.Counted+one.Counted/seeds
	}
	return sum, true
}

// exceeds reports whether one design is worse than another by more than a part: by the checks
// that fail, by what is lost, or by what an operation takes.
func exceeds(a, b suggest.Tried, part float64) bool {
	switch {
	case a.Failed != b.Failed:
		return a.Failed > b.Failed
	case a.Lost > b.Lost+part || b.Lost > a.Lost+part:
		return a.Lost > b.Lost
	default:
		return a.Requests+a.Counted > (1+part)*(b.Requests+b.Counted)
	}
}

// What is proposed first, or kept, is by full simulations of other seeds never worse than the
// user's own, and where some key of those there are is better by a fifth it mostly is as good.
func TestSuggestionsOverDrawnTables(t *testing.T) {
	if testing.Short() {
		t.Skip("plays hundreds of designs")
	}
	wanted := resultstest.Cases(0, 10, 30)
	drawn, better, found, kept := 0, 0, 0, 0
	for seed := uint64(1); drawn < wanted && seed < uint64(4*wanted+20); seed++ {
		table := drawTable(seed)
		s, err := scenarios.Parse("drawn.yaml", []byte(table.text))
		if err != nil {
			continue // its key cannot serve
		}
		p, err := suggest.Designs(s, (&contestRun{}).trial(context.Background(), s))
		if errors.Is(err, suggest.ErrUnsuited) {
			continue
		}
		require.NoErrorf(t, err, "seed %d: %v\n%s", seed, err, table.text)
		drawn++
		own := s.Design
		first := own
		if p.Keep == "" {
			first = p.Candidates[0].Design
		} else {
			kept++
		}
		of, serves := judged(t, s, &first)
		yours, _ := judged(t, s, &own)
		assert.Truef(t, serves && !exceeds(of, yours, 0.05),
			"seed %d: %s / %s comes to %+v, and the user's own %s / %s to %+v; want it no worse by 5%%\n%s", seed, first.PartitionKey, first.RowKey, of, own.PartitionKey, own.RowKey, yours, table.text)
		var best *scenarios.Design
		top := yours
		all := table.allKeys()
		for i := range all {
			if one, can := judged(t, s, &all[i]); can && exceeds(top, one, 0.01) {
				best, top = &all[i], one
			}
		}
		if best == nil || !exceeds(yours, top, 0.2) {
			continue
		}
		if better++; !exceeds(of, top, 0.2) {
			found++
		} else {
			t.Logf("seed %d: %s / %s comes to %+v, and %s / %s with %d copies to %+v\n%s", seed, first.PartitionKey, first.RowKey, of, best.PartitionKey, best.RowKey, len(best.Copies), top, table.text)
		}
	}
	t.Logf("%d tables: %d where the user's own is kept; a better key in %d, as good a one first in %d", drawn, kept, better, found)
	assert.Truef(t, drawn >= wanted && 3*found >= 2*better,
		"%d tables, a better key in %d, first in %d; want %d, and two of three", drawn, better, found, wanted)
}
