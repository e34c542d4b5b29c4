package verdict

import (
	"testing"

	"loadgen/report/document"
	"loadgen/results/resultstest"
)

func TestRulesNameEvidence(t *testing.T) {
	resultstest.CheckNarrative(t, narrativeTable, new(evidence), document.SentenceFuncs())
}
