package logs

import (
	"testing"

	"loadgen/report/document"
	"loadgen/results/resultstest"
)

func TestRulesNameEvidence(t *testing.T) {
	resultstest.CheckNarrative(t, narrativeTable, evidence{}, document.SentenceFuncs())
}
