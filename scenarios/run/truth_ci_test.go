//go:build ci

package run_test

import "testing"

func TestRandomSituationsAgain(t *testing.T) {
	t.Parallel()
	truths(t, 500, 22)
}

func TestDrawnNaturesAgain(t *testing.T) {
	t.Parallel()
	drawnNatures(t, 600, 2)
}

func TestDrawnSearchesAgain(t *testing.T) {
	t.Parallel()
	drawnSearches(t, 100, 6)
}

func TestDrawnTracesAgain(t *testing.T) {
	t.Parallel()
	drawnTraces(t, 400, 8)
}
