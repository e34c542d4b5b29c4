package coverage_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
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

// placing is where users and accounts are under a load of `account-ceiling`.
type placing struct {
	says     string
	settings []string
	// perSecond is the load, in entities, and accounts how many bear it.
	perSecond, accounts float64
	// way is the round trip in milliseconds.
	way float64
}

// placings returns them, from the worst to the best. A run has its clients in one region: what
// each region meets is a run of its own.
func placings() []placing {
	const alone, afar = "accounts.number=1", "model.region=other-continent"
	return []placing{
		{"one account, for users of another continent", []string{alone, afar}, 1600, 1, 150},
		{"two accounts, both on another continent", []string{afar}, 1600, 2, 150},
		{"one account, in the region of the users", []string{alone}, 1600, 1, 1},
		{"an account in each of two regions, for its half of the users", []string{alone, "phases.book.arrivals.constant=800"}, 800, 1, 1},
	}
}

// throttled is what share is throttled by the rule: all but what the accounts bear, 1,000/s and
// a quarter of a second's of it that they begin with, for 15 s.
func (p *placing) throttled() band {
	return band{max(0, 1-1000*p.accounts*(15+.25)/(p.perSecond*15)), .01}
}

// takes is how long a save takes by the rule, in milliseconds: the way there and back, and
// the 8 of a write.
func (p *placing) takes() band { return about(p.way+8, .01) }

// command is how the placing is run.
func (p *placing) command() string {
	return "loadgen simulate account-ceiling --set " + strings.Join(p.settings, " --set ")
}

// rowsNearLimit are what the page has of the placings, and of packed values.
func rowsNearLimit() (lines []string) {
	for _, p := range placings() {
		lines = append(lines, fmt.Sprintf("| %s | %.1f%% | %.0f | `%s` |\n", p.says, 100*p.throttled().value, p.takes().value, p.command()))
	}
	for _, kind := range []string{"words", "random letters"} {
		lines = append(lines, fmt.Sprintf("| %s | %.0f%% |\n", kind, 100*float64(len(packed(valueOf(kind))))/float64(len(valueOf(kind)))))
	}
	return lines
}

// valueOf is a text of 8 KiB: of words, or of letters without any order.
func valueOf(kind string) string {
	words := strings.Fields("the runner has taken part in four races over the half distance and wants a place near the start of the field")
	var text strings.Builder
	for draw := clock.NewStream(7, "text").Draw(0); text.Len() < 8<<10; {
		if kind == "words" {
			text.WriteString(words[draw.IntN(len(words))] + " ")
		} else {
			text.WriteByte(byte('a' + draw.IntN(26)))
		}
	}
	return text.String()[:8<<10]
}

// packed is a text as a client packs it, as JSON has the bytes.
func packed(text string) string {
	var list bytes.Buffer
	w := gzip.NewWriter(&list)
	// A buffer takes all that there is.
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return base64.StdEncoding.EncodeToString(list.Bytes())
}

// What is packed is read back as it was, by the bytes that gzip expects.
func TestPackedOnTheClient(t *testing.T) {
	for _, kind := range []string{"words", "random letters"} {
		w, text := newWire(t), valueOf(kind)
		w.insert("one", "empty", `"Notes@odata.type":"Edm.Binary","Notes":""`)
		w.insert("one", "plain", fmt.Sprintf(`"Notes":%q`, text))
		w.insert("one", "gzip.", fmt.Sprintf(`"Notes@odata.type":"Edm.Binary","Notes":%q`, packed(text)))
		read := func(row string) int { return w.want(200, "GET", at("one", row), "").Body.Len() }
		assert.Equalf(t, len(text), read("plain")-read("empty"), "%s: the value is bytes of the reply", kind)
		assert.Equalf(t, len(packed(text)), read("gzip.")-read("empty"), "%s: packed it is bytes of the reply", kind)
		list, err := base64.StdEncoding.DecodeString(fmt.Sprint(w.entity(at("one", "gzip."))["Notes"]))
		require.NoError(t, err)
		r, err := gzip.NewReader(bytes.NewReader(list))
		require.NoError(t, err)
		var back bytes.Buffer
		_, err = back.ReadFrom(r)
		require.NoError(t, err)
		assert.Equalf(t, text, back.String(), "%s: unpacked", kind)
	}
	// A letter of 26 has 4.7 bits, of which base64 makes 6.3: a word's letters have fewer.
	if least := math.Log2(26) / 6; float64(len(packed(valueOf("random letters")))) < least*(8<<10) {
		t.Errorf("random letters are packed into less than %.2f of their bytes, which nothing can do", least)
	}
}
