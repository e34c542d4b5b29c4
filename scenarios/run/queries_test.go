package run_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/keys"
	"loadgen/scenarios/run"
	"loadgen/scenarios/run/runtest"
)

// asking is a table that was drawn, and a query of it.
type asking struct {
	partition, row string
	properties     []string
	entities       int
	by             []string
	span           time.Duration
	where          string
	top, pages     int
	rows           int
	// newest has all operations be about the last entity that was loaded; otherwise they
	// are about any.
	newest bool
}

func (a *asking) String() string {
	query := fmt.Sprintf("{name: find, verb: query, by: [%s]", strings.Join(a.by, ", "))
	add := func(given bool, format string, value any) {
		if given {
			query += fmt.Sprintf(format, value)
		}
	}
	add(a.top > 0, ", top: %d", a.top)
	add(a.pages > 0, ", pages: %d", a.pages)
	add(a.rows > 0, ", rows: %d", a.rows)
	add(a.span > 0, ", span: %v", a.span)
	add(a.where != "", ", where: %q", a.where)
	add(a.newest, ", of: {latest: %d}", 1)
	return fmt.Sprintf(`name: asked
seed: 3
retry: none
model: {profile: "off"}
attributes:
  place: {list: [x, y, x_1], weights: [5, 3, 1]}
  kind: {uniform: [1, 12]}
  user: {zipf: {of: 40, exponent: 1}}
  at: {time: 2026-01-01T00:00:00Z, every: 7s}
  id: {sequence: 5}
entity: {properties: [%s]}
design: {partition_key: "%s", row_key: "%s"}
phases:
  - {name: load, load: {entities: %d}}
  - {name: ask, traffic: {arrivals: {constant: 4}, for: 2s, operations: [%s]}}
`, strings.Join(a.properties, ", "), a.partition, a.row, a.entities, query+"}")
}

// drawAsking returns a query by chance.
func drawAsking(r *rand.Rand) asking {
	a := asking{entities: 100 + int(math.Exp(r.Float64()*7.5)), newest: r.IntN(4) > 0}
	forms := map[string][]string{"place": {"{place}", "{place}", "{upper(place)}"}, "kind": {"{kind}", "{kind:03d}", "{hash(kind,4)}"},
		"user": {"{user:05d}", "{user}"}, "at": {"{at:ticks}", "{at:inverted}", "{at:hour}", "{at}"}, "id": {"{id:07d}", "{id}"}}
	names := []string{"place", "kind", "user", "at", "id"}
	r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	form := func(names []string) string {
		var parts []string
		for _, name := range names {
			parts = append(parts, forms[name][r.IntN(len(forms[name]))])
		}
		return strings.Join(parts, []string{"_", "_", "__", "-"}[r.IntN(4)])
	}
	cut := r.IntN(3)
	a.partition = append([]string{form(names[:cut])}, "{hash(id,8):02d}", "{place}")[max(0, r.IntN(8)-5)]
	row := names[cut : cut+1+r.IntN(4-cut)]
	if !slices.Contains(row, "id") {
		row = append(slices.Clone(row), "id")
	}
	a.row = form(row)
	if apart := strings.ReplaceAll(a.row, "}_{", "}{"); strings.Contains(apart, "{id:07d}") && r.IntN(4) == 0 {
		a.row = apart
	}
	types := map[string]string{"kind": "Int32", "user": "Int64", "at": "DateTime", "id": "Int32"}
	for _, name := range names {
		if r.IntN(10) < 7 {
			a.properties = append(a.properties, fmt.Sprintf("{name: P%s, type: %s, value: \"{%s}\"}", name, cmp.Or(types[name], "String"), name))
		}
	}
	for _, name := range []string{"place", "kind", "user", "id"} {
		if r.IntN(3) == 0 {
			a.by = append(a.by, name)
		}
	}
	if len(a.by) == 0 {
		a.by = []string{[]string{"place", "kind", "user", "id"}[r.IntN(4)]}
	}
	if r.IntN(6) == 0 {
		a.span = time.Duration(1+r.IntN(a.entities)) * 7 * time.Second
	}
	switch r.IntN(6) {
	case 0:
		a.rows = 1 + r.IntN(60)
	case 1, 2:
		// Each of several buckets has pages of its own.
		if !strings.Contains(a.partition, "hash(") {
			a.top, a.pages = r.IntN(2)*(1+r.IntN(90)), 1+r.IntN(3)
		}
	case 3:
		a.top = 40 + r.IntN(900)
	}
	return a
}

// matching returns how many entities answer the query, told by their values alone.
func (a *asking) matching(t *testing.T, s *scenarios.Scenario) int {
	t.Helper()
	g, err := s.Generator()
	require.NoError(t, err)
	value := func(name string, n int) string {
		text, known := g.ValueOf(name, keys.Event{Number: uint64(n)})
		require.Truef(t, known, "there is no attribute %s", name)
		return text
	}
	last, found := a.entities-1, 0
	for n := range a.entities {
		age := time.Duration(last-n) * 7 * time.Second
		same := !slices.ContainsFunc(a.by, func(name string) bool { return value(name, n) != value(name, last) })
		if row := g.Key(uint64(n)).Row; a.where != "" {
			operator, text, _ := strings.Cut(strings.TrimPrefix(a.where, "RowKey "), " ")
			if compared := entity.Compare(row, strings.Trim(text, "'")); operator == "lt" && compared >= 0 || operator == "ge" && compared < 0 {
				same = false
			}
		}
		if same && (a.span == 0 || age <= a.span) {
			found++
		}
	}
	if a.pages > 0 {
		found = min(found, a.pages*min(1000, cmp.Or(a.top, 1000)))
	}
	if a.rows > 0 {
		found = min(found, a.rows)
	}
	return found
}

// Drawn queries return what they ask for and nothing else, whatever the keys are, and their forecasts
// of counted entities and pages are right. Queries whose answer the values do not decide are left out.
func TestRandomQueries(t *testing.T) {
	runtest.SkipIfShort(t)
	t.Parallel()
	left, number := 0, run.Tier(3, 200)
	for i := range number {
		r := rand.New(rand.NewPCG(62, uint64(i)))
		a := drawAsking(r)
		s, err := scenarios.Parse("asked.yaml", []byte(a.String()))
		var faults fields.Faults
		if errors.As(err, &faults) {
			assert.Truef(t, len(a.properties) != 5, "case %d: %v in %s", i, err, a.String())
			left++
			continue
		}
		if a.span > 0 && !tellsSpan(t, s) {
			left++
			continue
		}
		if g, _ := s.Generator(); r.IntN(4) == 0 {
			a.where = fmt.Sprintf("RowKey %s '%s'", []string{"lt", "ge"}[r.IntN(2)], g.Key(uint64(r.IntN(a.entities))).Row)
			if s, err = scenarios.Parse("asked.yaml", []byte(a.String())); err != nil {
				t.Errorf("case %d: %v in %s", i, err, a.String())
				continue
			}
		}
		c, err := campaign.NewCampaign(campaign.Options{Scenario: s, Table: "asked"})
		require.NoError(t, err)
		foreseen := c.Forecasts()[1]
		rec := runtest.Run(t, run.Plan{Scenario: s, Data: true})
		did := rec.Total(func(p *results.Phase, _ results.Kind) bool { return p.Stage == "ask" })
		want := did.Operations * int64(a.matching(t, s))
		assert.Truef(t, !a.newest || did.Returned == want, "case %d: %d returned; want %d in %s", i, did.Returned, want, a.String())
		assert.Falsef(t, off(foreseen.Requests, did.Attempts), "case %d: %d requests are foreseen in %s", i, foreseen.Requests, a.String())
		assert.Falsef(t, off(foreseen.Entities, did.Counted), "case %d: %d entities are foreseen in %s", i, foreseen.Entities, a.String())
	}
	assert.Truef(t, left <= number*3/4, "%d of %d queries cannot be told; want fewer", left, number)
}

// tellsSpan reports whether keys or a property tell when an entity came about: else the
// application picks by the service's Timestamp, and more comes back than it wants.
func tellsSpan(t *testing.T, s *scenarios.Scenario) bool {
	t.Helper()
	g, err := s.Generator()
	require.NoError(t, err)
	plan, home := s.Plan(&s.Phases[1].Traffic.Operations[0], []*keys.Generator{g})
	_, held := s.Holder(s.Time(), home)
	return held || plan.TellsSpan()
}

// off reports whether a forecast is further than 5% from what came.
func off(foreseen, came int64) bool { return math.Abs(float64(foreseen-came)) > 0.05*float64(came) }
