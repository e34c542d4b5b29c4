package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// expectant writes a scenario that claims something of itself.
func expectant(t *testing.T, claims ...string) {
	t.Helper()
	t.Chdir(t.TempDir())
	text := ownTable + "expect:\n"
	for _, claim := range claims {
		text += "  - '" + claim + "'\n"
	}
	if err := os.WriteFile("own.yaml", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// tenClaims are true of a run of the scenario, but for the last.
func tenClaims() []string {
	return []string{"throttled < 1%", "share_lost(measure) < 0.1%", "operations(measure) == 200", "tries(get) <= 1.05",
		"counted(get) / returned(get) <= 1", `offered("Rome") < 1`, "offered(hottest) < 200", "partitions == 2",
		"p50(get) < 1s", "offered >= 2000"}
}

func TestClaimsDecideTheExitCode(t *testing.T) {
	for _, row := range []struct {
		sentence string
		claims   []string
		flags    []string
		code     int
		says     string
	}{
		{"all of them are true", tenClaims()[:9], nil, codeOk, "holds throttled < 1% 0 %"},
		{"one of ten is not", tenClaims(), nil, codeExpectation, "FAILS offered >= 2000 1"},
		{"one cannot be told", []string{"lost_writes == 0"}, nil, codeInconclusive, "cannot tell lost_writes == 0 not measured"},
		{"it can once somebody looks", []string{"lost_writes == 0"}, []string{"--verify-writes"}, codeOk, "holds lost_writes == 0 0"},
		{"a claim from the command line", nil, []string{"--set", "expect=[throttled > 50%]"}, codeExpectation, "FAILS throttled > 50% 0 %"},
		{"of a run that is stopped nothing is said", []string{"throttled > 1%"}, []string{"--retry", "none",
			"--set", "phases.measure.arrivals.constant=2000", "--set", "phases.measure.for=1m", "--set", "phases.measure.stop_on=[throttled > 10%]"},
			codeExpectation, "cannot tell throttled > 1% not measured: the run is partial"},
	} {
		expectant(t, row.claims...)
		if row.claims == nil {
			if err := os.WriteFile("own.yaml", []byte(ownTable), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		code, stdout, stderr := say(t, append([]string{"simulate", "--verbose", "--quiet", "--one-profile", "own.yaml"}, row.flags...)...)
		if code != row.code || !strings.Contains(strings.Join(strings.Fields(stdout), " "), row.says) {
			t.Errorf("%s: exit code %d, %q on stderr, and on stdout\n%s\nwant %d and %q", row.sentence, code, stderr, stdout, row.code, row.says)
		}
	}
}

// The claims of a live run are those of the simulated one, in the same order, and
// what is counted is observed the same.
func TestClaimsOfALiveRunAreThoseOfASimulatedOne(t *testing.T) {
	observed := func(folder string) (lines []string) {
		for _, e := range read(t, folder).Summary.Checks {
			line := fmt.Sprintf("%s %t", e.Expr, e.Holds())
			if !strings.HasPrefix(e.Expr, "p50") {
				line += " " + e.Observed
			}
			lines = append(lines, line)
		}
		return lines
	}
	expectant(t, tenClaims()...)
	text, err := os.ReadFile("own.yaml")
	if err != nil {
		t.Fatal(err)
	}
	code, _, stderr := say(t, "simulate", "--quiet", "--one-profile", "--out", "virtual", "own.yaml")
	if code != codeExpectation {
		t.Fatalf("simulate = %d: %s; want %d", code, stderr, codeExpectation)
	}
	want := observed("virtual")
	file := t.TempDir() + "/own.yaml"
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, stderr, folder := bubble(t, 0, "run", file, "--quiet", "--no-probe")
	if code != codeExpectation || folder == "" {
		t.Fatalf("run = %d: %s; want %d", code, stderr, codeExpectation)
	}
	got := observed(folder)
	if strings.Join(got, "\n") != strings.Join(want, "\n") || len(got) != 10 {
		t.Errorf("live:\n%s\nvirtual:\n%s\nwant the same ten", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestABrokenClaimStartsNoRun(t *testing.T) {
	expectant(t, "throttled < 1%", "p99(gte) < 20ms")
	before := len(leftIn(t, "."))
	code, stdout, stderr := say(t, "simulate", "own.yaml")
	if want := `own.yaml:20:10: unknown operation or phase "gte"; did you mean "get"?`; code != codeUsage || stdout != "" || !strings.Contains(stderr, want) {
		t.Errorf("exit code %d, %q on stdout and %q on stderr; want %d and %q", code, stdout, stderr, codeUsage, want)
	}
	if len(leftIn(t, ".")) != before {
		t.Error("something was left behind; want nothing")
	}
}
