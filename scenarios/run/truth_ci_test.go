//go:build ci

package run_test

import "testing"

func TestRandomSituationsAgain(t *testing.T) {
	t.Parallel()
	truths(t, 500, 22)
}
