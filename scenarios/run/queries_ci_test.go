//go:build ci

package run_test

import "testing"

func TestRandomQueriesAgain(t *testing.T) {
	t.Parallel()
	answers(t, 200, 62)
}
