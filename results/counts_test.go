package results_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
)

// each calls with every count of a struct, by its JSON name.
func each(of any, call func(name string, count reflect.Value)) {
	value := reflect.ValueOf(of).Elem()
	for _, field := range reflect.VisibleFields(value.Type()) {
		if one := value.FieldByIndex(field.Index); one.Kind() == reflect.Int64 {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			call(name, one)
		}
	}
}

// drawn returns counts that all differ.
func drawn() (c results.Counts) {
	n := int64(0)
	each(&c, func(_ string, count reflect.Value) { n += 7; count.SetInt(n) })
	return c
}

// No count is forgotten wherever counts are summed, nor is one that is added later: the fields are
// found by reflection here, too.
func TestEveryCountIsSummed(t *testing.T) {
	one := drawn()
	kind := results.KindStats{Counts: one, LastHalf: results.Cohort{Counts: one}}
	second := results.Interval{Counts: one, Kinds: []results.IntervalKind{{Counts: one}}}
	var sum, twice, cohort results.Counts
	twice.Add(&one)
	twice.Add(&one)
	var kinds results.KindStats
	kinds.Count(&kind)
	kinds.Count(&kind)
	cohort.Add(&kinds.LastHalf.Counts)
	seconds := results.MergeSecond([]*results.Interval{&second, &second})
	for name, got := range map[string]results.Counts{"a sum": twice, "a kind": kinds.Counts, "a cohort": cohort, "a second": seconds.Counts, "a kind in it": seconds.Kinds[0].Counts} {
		each(&got, func(count string, v reflect.Value) {
			each(&one, func(other string, w reflect.Value) {
				if count == other {
					assert.Equal(t, 2*w.Int(), v.Int(), "%s of %s", count, name)
				}
			})
		})
	}
	sum.Add(&twice)
	sum.Sub(&one)
	assert.True(t, sum.Equal(&one))
	assert.False(t, sum.Equal(&twice))
	each(&sum, func(name string, v reflect.Value) {
		whole := v.Int()
		v.SetInt(-1)
		assert.False(t, sum.Within(1000), "%s below 0", name)
		v.SetInt(1001)
		assert.False(t, sum.Within(1000), "%s over the bound", name)
		v.SetInt(whole)
	})
	assert.True(t, sum.Within(1000))
}

// The JSON form of a struct that embeds counts: the named fields in their order, and a new count.
func TestLayoutOfCounts(t *testing.T) {
	type grown struct {
		results.Counts
		Name    string         `json:"name"`
		Labels  map[string]int `json:"labels,omitempty"`
		Planted int64          `json:"planted"`
	}
	layout := results.LayoutOf[grown]("name throttled=refused ok labels")
	for _, tt := range []struct {
		name string
		of   grown
		want string
	}{
		{"named fields also where they are zero", grown{Name: "a"}, `{"name":"a","refused":0,"ok":0}`},
		{"under another name", grown{Counts: results.Counts{Throttled: 3}}, `{"name":"","refused":3,"ok":0}`},
		{"omitempty", grown{Labels: map[string]int{}}, `{"name":"","refused":0,"ok":0}`},
		{"a count that is not named", grown{Counts: results.Counts{Sent: 3}}, `{"name":"","refused":0,"ok":0}`},
		{"a new count", grown{Planted: 9}, `{"name":"","refused":0,"ok":0,"planted":9}`},
	} {
		text, err := layout.Encode(tt.of)
		require.NoError(t, err)
		assert.Equal(t, tt.want, string(text), tt.name)
	}
	assert.Panics(t, func() { results.LayoutOf[grown]("nmae") }, "a field that it does not have")
}

// What is written is read again, but for what a struct leaves out.
func TestCountsAreReadAgain(t *testing.T) {
	one := drawn()
	for _, tt := range []struct {
		name     string
		of, read any
		counts   func(any) *results.Counts
		want     int
	}{
		{"a kind", &results.KindStats{Counts: one, Response: results.NewHistogram(), Lost: results.NewHistogram()}, new(results.KindStats),
			func(v any) *results.Counts { return &v.(*results.KindStats).Counts }, 24},
		{"a second", &results.Interval{Counts: one}, new(results.Interval), func(v any) *results.Counts { return &v.(*results.Interval).Counts }, 16},
		{"a kind in it", &results.IntervalKind{Counts: one}, new(results.IntervalKind), func(v any) *results.Counts { return &v.(*results.IntervalKind).Counts }, 5},
		{"a cohort", &results.Cohort{Counts: one}, new(results.Cohort), func(v any) *results.Counts { return &v.(*results.Cohort).Counts }, 6},
		{"a member", &results.FleetMember{Counts: one}, new(results.FleetMember), func(v any) *results.Counts { return &v.(*results.FleetMember).Counts }, 5},
	} {
		text, err := json.Marshal(tt.of)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, tt.read))
		had := map[int64]bool{}
		each(&one, func(_ string, v reflect.Value) { had[v.Int()] = true })
		found := 0
		each(tt.counts(tt.read), func(name string, v reflect.Value) {
			if v.Int() != 0 {
				found++
				assert.True(t, had[v.Int()], "%s of %s is %d", name, tt.name, v.Int())
			}
		})
		assert.Equal(t, tt.want, found, "counts of %s", tt.name)
	}
}
