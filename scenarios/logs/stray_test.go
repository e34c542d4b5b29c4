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
	for _, row := range resultstest.Rows(t, "testdata/strays.txt", 4) {
		t.Run(row[0], func(t *testing.T) {
			var passed, left []string
			at, said := entity.Ticks(0), map[entity.Ticks]string{}
			s := strayFilter{pass: func(o *accesslog.Observed) error { passed = append(passed, said[o.At]); return nil },
				drop: func(at entity.Ticks) { left = append(left, said[at]) }}
			const hour = strayDistance / 24
			for word := range strings.FieldsSeq(strings.ReplaceAll(row[1], "MANY", many)) {
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
			assert.Equal(t, strings.ReplaceAll(row[2], "MANY", many), strings.Join(passed, " "), "passed on")
			assert.Equal(t, row[3], strings.Join(left, " "), "left out")
		})
	}
}

func TestRulesNameEvidence(t *testing.T) {
	resultstest.CheckNarrative(t, narrativeTable, evidence{}, document.SentenceFuncs())
}
