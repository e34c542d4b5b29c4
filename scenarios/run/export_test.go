package run

import (
	"testing"

	"github.com/stretchr/testify/require"

	"loadgen/results/resultstest"
	"loadgen/scenarios"
)

// Tier is tier, for tests from outside of the package.
func Tier(few, all int) int { return resultstest.Cases(few, all) }

// library returns a scenario of the library.
func library(t testing.TB, name string) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Builtin(name)
	require.NoError(t, err)
	return s
}
