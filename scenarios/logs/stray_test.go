package logs

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/accesslog"
	"loadgen/engine/entity"
	"loadgen/report/document"
	"loadgen/results/resultstest"
)

// Lines by the hours of their times, and those that are passed on and left out.
func TestStrays(t *testing.T) {
	many := strings.TrimSpace(strings.Repeat("+30 ", maxWaiting+5))
	for _, tt := range []struct{ name, hours, passed, left string }{
		{"none", "", "", ""},
		{"one alone", "5", "5", ""},
		{"two far apart", "0 720", "0 720", ""},
		{"a year that is wrong at the end", "0 1 2 8784", "0 1 2", "8784"},
		{"and at the beginning", "0 8784 8785", "8784 8785", "0"},
		{"and in the middle", "0 1 100 200 201", "0 1 200 201", "100"},
		{"a day to the hour is far", "0 1 25", "0 1", "25"},
		{"less is not", "0 1 24", "0 1 24", ""},
		{"two of another day are not alone", "0 1 100 101", "0 1 100 101", ""},
		{"a late one counts", "0 5 3 6", "0 5 3 6", ""},
		{"a late one makes no other stray", "1000 5 1001 2000 2001", "1000 5 1001 2000 2001", ""},
		{"several before the first that is not", "0 100 200 300 301", "300 301", "0 100 200"},
		{"few requests a day", many, many, ""},
		{"and more on some days", many + " +1 +30", many + " +1 +30", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var passed, left []string
			at, said := entity.Ticks(0), map[entity.Ticks]string{}
			s := strayFilter{pass: func(o *accesslog.Observed) error { passed = append(passed, said[o.At]); return nil },
				drop: func(at entity.Ticks) { left = append(left, said[at]) }}
			const hour = strayDistance / 24
			for word := range strings.FieldsSeq(tt.hours) {
				var n entity.Ticks
				_, err := fmt.Sscan(word, &n)
				require.NoError(t, err)
				if at += n * hour; word[0] != '+' {
					at = n * hour
				}
				said[at] = word
				require.NoError(t, s.add(&accesslog.Observed{At: at}))
			}
			require.NoError(t, s.close())
			assert.Equal(t, tt.passed, strings.Join(passed, " "), "passed on")
			assert.Equal(t, tt.left, strings.Join(left, " "), "left out")
		})
	}
}

func TestRulesNameEvidence(t *testing.T) {
	resultstest.CheckNarrative(t, narrativeTable, evidence{}, document.SentenceFuncs())
}
