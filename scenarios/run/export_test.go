package run

import (
	"testing"

	"loadgen/scenarios"
)

// Tier is tier, for tests from outside of the package.
func Tier(few, all int) int { return tier(few, all) }

// library returns a scenario of the library.
func library(t testing.TB, name string) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
