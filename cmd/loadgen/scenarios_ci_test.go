//go:build ci

package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/results"
)

// What init writes is explained and runs at once: as it stands it holds, and its
// anti-pattern does not.
func TestStarterRunsAsItStands(t *testing.T) {
	leftOutWhenShort(t)
	t.Chdir(t.TempDir())
	if code, _, stderr := say(t, "scenarios", "init"); code != codeOk {
		t.Fatalf("init = %d %q; want files", code, stderr)
	}
	for _, row := range []struct {
		sentence string
		args     []string
		foretold int
	}{
		{"as it stands", nil, codeOk},
		{"its anti-pattern, for a moment", []string{"--anti-pattern", "--set", "phases.day.for=2s"}, codeExpectation},
	} {
		args := append([]string{"simulate", "my-table.yaml", "--quiet", "--one-profile", "--out", row.sentence}, row.args...)
		code, stdout, stderr := say(t, args...)
		assert.Equalf(t, codeOk, code, "%s: exit code %d, %q, and\n%s\nwant %d", row.sentence, code, stderr, stdout, codeOk)
		if code, stdout, stderr := say(t, append([]string{"explain", "my-table.yaml", "--quiet"}, row.args...)...); code != row.foretold {
			t.Errorf("%s: explain = %d, %q, and\n%s\nwant %d", row.sentence, code, stderr, stdout, row.foretold)
		}
		if record := read(t, row.sentence); record.Validity != results.Valid || len(record.Summary.Checks) < 5 {
			t.Errorf("%s: validity %s %v, %d expectations; want a valid run of five or more", row.sentence, record.Validity, record.Reasons,
				len(record.Summary.Checks))
		}
	}
}
