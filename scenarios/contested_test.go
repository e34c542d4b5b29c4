package scenarios_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/scenarios"
	"loadgen/scenarios/fields"
)

// contestedWith is a scenario of three designs, of which one alone serves every operation.
func contestedWith(t testing.TB, use, copies string) []byte {
	return []byte(edited(t, "contested.yaml", "use: page", "use: "+use, `_{id}"}`, `_{id}"`+copies+"}"))
}

// What one design alone cannot do is an obstacle of it and no fault of the scenario,
// whichever design is in use.
func TestObstacles(t *testing.T) {
	for _, use := range []string{"page", "id", "hour"} {
		s, err := scenarios.ParseContested("c.yaml", contestedWith(t, use, ""))
		require.NoErrorf(t, err, "use %s: %v; want a scenario that can be contested", use, err)
		for _, row := range []struct {
			sentence, design string
			want             []string
		}{
			{"nothing is in the way", "page", nil},
			{"a transaction across partitions", "id", []string{"save {id}"}},
			{"a point whose key is not known", "hour", []string{"open {at:hour}"}},
		} {
			got := s.Obstacles(row.design)
			require.Lenf(t, got, len(row.want), "use %s, %s", use, row.sentence)
			for i, want := range row.want {
				operation, part, _ := strings.Cut(want, " ")
				assert.Equalf(t, operation, got[i].Operation, "use %s, %s", use, row.sentence)
				assert.Containsf(t, got[i].Why, part, "use %s, %s", use, row.sentence)
			}
		}
		assert.Equal(t, use, s.Use, "the scenario uses")
	}
}

// A copy under the keys that the reader knows makes the point one.
func TestACopyServesAPoint(t *testing.T) {
	s, err := scenarios.ParseContested("c.yaml", contestedWith(t, "hour", `, copies: [{name: number, partition_key: "n{id}", row_key: "{page}"}]`))
	require.NoError(t, err)
	// What is left is that the copies of a transaction lie apart, which is no fault.
	assert.Len(t, s.Obstacles("hour"), 0, "Obstacles(hour)")
}

// Faults that concern no operation name the phase, or the part of the scenario.
func TestWhatAnObstacleConcerns(t *testing.T) {
	s, err := scenarios.ParseContested("c.yaml", contestedWith(t, "page", ""))
	require.NoError(t, err)
	for path, want := range map[string]string{
		"phases.1.traffic.operations.1.together": "save", "phases.1.traffic.operations.7": "measure", "phases.1.traffic": "measure",
		"phases.0.load.entities": "load", "phases.9.load": "phases", "accounts.by": "accounts", "": "",
	} {
		assert.Equalf(t, want, s.ObstaclesOf(fields.Faults{{Path: path, What: "x"}})[0].Operation, "a fault at %q is of", path)
	}
}

// Under one design the anti-pattern of another is no business of anybody's.
func TestUnderADesignThereIsNoAntiPattern(t *testing.T) {
	s := builtin(t, "day-key")
	for _, design := range []string{"", "hour"} {
		other, err := s.Under(design)
		assert.Truef(t, err == nil && other.AntiPattern == nil && s.AntiPattern != nil,
			"Under(%q) has the anti-pattern %v, %v; want none, and the scenario as it was", design, other.AntiPattern, err)
		assert.Falsef(t, design != "" && (other.Use != design || other.Design.Name != design),
			"Under(%q) uses %q", design, other.Use)
	}
	if _, err := s.Under("hours"); err != nil && !strings.Contains(err.Error(), "hours") {
		t.Errorf("Under(hours): %v", err)
	}
}
