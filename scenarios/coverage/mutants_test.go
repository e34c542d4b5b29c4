package coverage_test

import (
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/scenarios"
	"loadgen/scenarios/run/runtest"
)

// mutant is an example of the library with one mechanism broken, for a check that the
// example's anti-pattern does not promise to fail: a check that nothing can make fail says
// nothing.
type mutant struct {
	example, kills string
	// breaks says what is broken, set how.
	breaks string
	set    []string
}

// mutants returns those of testdata/mutants.txt, one for each check that no anti-pattern
// promises to fail: "== EXAMPLE" begins one, "! CHECK" is what it kills, "# TEXT" says what is
// broken, and each "$ PATH=VALUE" sets something.
func mutants(t testing.TB) []mutant {
	t.Helper()
	text, err := os.ReadFile("testdata/mutants.txt")
	require.NoError(t, err)
	var all []mutant
	for line := range strings.Lines(string(text)) {
		mark, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if mark == "==" {
			all = append(all, mutant{example: rest})
			continue
		}
		m := &all[len(all)-1]
		switch mark {
		case "!":
			m.kills = rest
		case "#":
			m.breaks = rest
		case "$":
			m.set = append(m.set, rest)
		default:
			t.Fatalf("a line of the mutants is %q", line)
		}
	}
	return all
}

// mutated returns the example with its mechanism broken.
func (m *mutant) mutated(t *testing.T) *scenarios.Scenario {
	t.Helper()
	assert.Truef(t, len(m.set) != 0 && m.breaks != "", "%s: nothing breaks %s", m.example, m.kills)
	s := *library()[m.example]
	s.Expect, s.AntiPattern = []string{m.kills}, nil
	return runtest.Set(t, &s, m.set...)
}

// library returns the examples by name, which tests share and do not change.
var library = sync.OnceValue(func() map[string]*scenarios.Scenario {
	all := make(map[string]*scenarios.Scenario)
	for _, name := range scenarios.Library() {
		all[name], _ = scenarios.Builtin(name)
	}
	return all
})

// Each check of the library is promised to fail by its example's anti-pattern, or killed by
// one mutant.
func TestEachCheckHasAMutant(t *testing.T) {
	left := make(map[[2]string]int)
	for _, m := range mutants(t) {
		left[[2]string{m.example, m.kills}]++
	}
	for name, s := range library() {
		for _, check := range s.Expect {
			of := [2]string{name, check}
			switch promised := s.AntiPattern != nil && slices.Contains(s.AntiPattern.Fails, check); {
			case promised && left[of] > 0:
				t.Errorf("%s: %s is failed by the anti-pattern, and has a mutant beside it", name, check)
			case !promised && left[of] != 1:
				t.Errorf("%s: %s has %d mutants; want one, for the anti-pattern does not fail it", name, check, left[of])
			}
			delete(left, of)
		}
	}
	for of := range left {
		t.Errorf("there is a mutant of %s for %s, which is no check of it", of[0], of[1])
	}
	for _, m := range mutants(t) {
		m.mutated(t)
	}
}

// dies plays a mutant, and fails the test unless its check does.
func (m *mutant) dies(t *testing.T) {
	t.Helper()
	record := runtest.Simulate(t, m.mutated(t))
	if check := record.Summary.Checks[0]; !check.Fails() {
		t.Errorf("%s, where %s: %s came to %s (%s); want it to fail", m.example, m.breaks, m.kills, check.Observed, strings.Join(append(record.Reasons, check.Why), ", "))
	}
}
