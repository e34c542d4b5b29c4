package contest

import (
	"strings"
	"testing"

	"loadgen/report/document"
	"loadgen/results/resultstest"
)

func TestRulesNameFields(t *testing.T) {
	const firstReason = "=== " + HotPartition
	answers, reasons, _ := strings.Cut(narrativeTable, firstReason)
	defined, _, _ := strings.Cut(answers, "=== claim")
	resultstest.CheckNarrative(t, answers, new(narrative), document.SentenceFuncs())
	resultstest.CheckNarrative(t, defined+firstReason+reasons, new(evidence), document.SentenceFuncs())
}
