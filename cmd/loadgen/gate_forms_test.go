package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
)

// Each form is printed by its name and written by its ending, and one does not alter the
// other nor the exit code.
func TestGateForms(t *testing.T) {
	leftOutWhenShort(t)
	t.Chdir(t.TempDir())
	for _, row := range []struct{ name, ending, begins string }{
		{"text", ".txt", gated + ": no baseline: "},
		{"json", ".json", "{\n  \"verdict\": \"no baseline\""},
		{"junit", ".XML", "<?xml version="},
		{"markdown", ".md", "### loadgen gate: no baseline\n"},
		{"github", ".github", "::warning title=" + gated + "%3A no baseline::"},
		{"benchfmt", ".bench", ""},
	} {
		code, stdout, stderr := say(t, "gate", gated, "--quiet", "--format", row.name, "--report", "gate"+row.ending, "--report", "second.md")
		if code != 12 || !strings.HasPrefix(stdout, row.begins) || (row.begins == "") != (stdout == "") || stderr != "" {
			t.Errorf("--format %s = %d, %q, %q; want 12 and %q", row.name, code, stdout, stderr, row.begins)
		}
		if written, err := os.ReadFile("gate" + row.ending); err != nil || string(written) != stdout {
			t.Errorf("--report gate%s has %q, %v; want what was printed", row.ending, written, err)
		}
		if written, err := os.ReadFile("second.md"); err != nil || !strings.HasPrefix(string(written), "### loadgen gate") {
			t.Errorf("--report second.md has %q, %v; want Markdown", written, err)
		}
	}
}

// A gate that is interrupted leaves no report of an earlier one.
func TestGateLeavesNoStaleReport(t *testing.T) {
	leftOutWhenShort(t)
	t.Chdir(t.TempDir())
	if err := os.WriteFile("gate.xml", []byte("all passed"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancelCause(context.Background())
	stop(errors.New("stopped"))
	var out bytes.Buffer
	code := run(ctx, []string{"gate", gated, "--quiet", "--report", "gate.xml"}, strings.NewReader(""), &out, &out)
	if text, err := os.ReadFile("gate.xml"); code == codeOk || err != nil || len(text) > 0 {
		t.Errorf("gate = %d, and gate.xml has %q, %v; want a failure and an empty file", code, text, err)
	}
}
