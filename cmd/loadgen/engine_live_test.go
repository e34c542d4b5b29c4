//go:build live

package main

import (
	"strings"
	"testing"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/wire/signing"
	"loadgen/scenarios"
)

// account is that of an engine which a bare client is held against.
const account = "loadgen"

// bareEngine returns an engine like that of a run, and a key for its account.
func bareEngine(t *testing.T, s *scenarios.Scenario, clk clock.Real) (*engine.Engine, *signing.Secret) {
	t.Helper()
	m, err := s.PartitionModel()
	if err != nil {
		t.Fatal(err)
	}
	secret, err := signing.NewSecret(strings.Repeat("bG9hZGdlbi1saXZl", 5))
	if err != nil {
		t.Fatal(err)
	}
	return engine.New(engine.Options{Model: m, Accounts: []string{account}, Calendar: clk, Seed: s.Seed}), secret
}
