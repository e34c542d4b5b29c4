package chart_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/report/chart"
	"loadgen/results"
)

func happened(second float64, what string) results.Event {
	return results.Event{At: int64(second * float64(time.Second)), What: what, Decision: &results.Decision{}}
}

func TestTurns(t *testing.T) {
	record := &results.Record{Events: []results.Event{
		{At: 0, What: results.StageBegins},
		happened(10, results.RangeSplit), happened(10, results.RangeMoved), happened(12, results.RangeSplit),
		happened(30, results.RangeKept), happened(40, results.RangesMerged), happened(70, results.SizeSplit),
		{At: int64(50 * time.Second), What: results.RangeSplit},
	}}
	for _, tt := range []struct {
		name            string
		from, to, apart float64
		want            []chart.Turn
		words           []string
	}{
		{"each by itself", 0, 100, 1, []chart.Turn{{At: 10, Splits: 1, Moves: 1}, {At: 12, Splits: 1}, {At: 40, Merges: 1}, {At: 70, Splits: 1}},
			[]string{"split, move", "split", "merge", "split"}},
		{"neighbours together", 0, 100, 5, []chart.Turn{{At: 10, Splits: 2, Moves: 1}, {At: 40, Merges: 1}, {At: 70, Splits: 1}},
			[]string{"2 splits, move", "merge", "split"}},
		{"within bounds", 11, 40, 0, []chart.Turn{{At: 12, Splits: 1}, {At: 40, Merges: 1}}, []string{"split", "merge"}},
		{"none", 80, 90, 1, nil, nil},
	} {
		got := chart.Turns(record, tt.from, tt.to, tt.apart)
		var words []string
		for _, turn := range got {
			words = append(words, turn.String())
		}
		assert.Truef(t, reflect.DeepEqual(got, tt.want) && reflect.DeepEqual(words, tt.words),
			"%s: Turns = %+v %q; want %+v %q", tt.name, got, words, tt.want, tt.words)
	}
}
