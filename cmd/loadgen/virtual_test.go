package main

import (
	"encoding/json"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/scenarios/run"
)

// planned returns the plan that `loadgen stress` makes of these flags.
func planned(t testing.TB, args ...string) (run.Plan, error) {
	t.Helper()
	var f stressFlags
	c := f.verb(io.Discard, io.Discard)
	require.NoError(t, c.ParseFlags(args))
	draw, plan, err := f.open(c, io.Discard)
	require.NoError(t, err)
	s, err := draw(nil)
	if err != nil {
		return run.Plan{}, err
	}
	return plan(s, commandOf(c))
}

func decode(t testing.TB, text []byte) *results.Summary {
	t.Helper()
	var s results.Summary
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return &s
}
