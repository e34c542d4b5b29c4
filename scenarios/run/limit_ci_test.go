//go:build ci

package run_test

import "testing"

// Limits below and above the first rates move every figure, too.
func TestEveryFigureMovesWithOtherModels(t *testing.T) {
	for _, limit := range []float64{500, 3000} {
		figuresMove(t, limit)
	}
}
