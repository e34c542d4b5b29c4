package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"loadgen/engine/model"
	"loadgen/scenarios/doctor"
)

// A failed check is the exit code, unless the diagnosis was interrupted; what was found is
// printed in any case.
func TestDoctorTells(t *testing.T) {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	for _, row := range []struct {
		sentence string
		ctx      context.Context
		d        doctor.Diagnosis
		format   string
		exit     int
		says     string
	}{
		{"nothing fails", t.Context(), doctor.Diagnosis{Passed: 2, Verdict: "fine"}, "text", codeOk, "HOLDS: fine\n"},
		{"a check fails", t.Context(), doctor.Diagnosis{Failed: 1, Verdict: "broken"}, "text", codeExpectation, "DOES NOT HOLD: broken\n"},
		{"a check fails, for a script", t.Context(), doctor.Diagnosis{Failed: 1, Verdict: "broken"}, "json", codeExpectation, "\"failed\": 1,\n  \"verdict\": \"broken\"\n}\n"},
		{"a service that lets nobody in", t.Context(), doctor.Diagnosis{Failed: 1, Verdict: "broken", Unavailable: true}, "text", codeTarget, "DOES NOT HOLD: broken\n"},
		{"a check fails before it is all over", over, doctor.Diagnosis{Failed: 1, Verdict: "broken"}, "text", codeInternal, "DOES NOT HOLD: broken\n"},
	} {
		var stdout bytes.Buffer
		code := codeOk
		if err := (&doctorFlags{formFlags: formFlags{format: row.format, verbose: true}}).print(row.ctx, row.d.Document(), row.d.Unavailable, outcome{failed: row.d.Failed > 0}.end(), &stdout); err != nil {
			code, _ = explain(row.ctx, err)
		}
		if code != row.exit || !strings.Contains(stdout.String(), row.says) {
			t.Errorf("%s: tell = %d, %q; want %d and %q", row.sentence, code, &stdout, row.exit, row.says)
		}
	}
}

// A run of the verb that is over before it began says what it would have looked at, and
// leaves nothing behind.
func TestDoctorThatIsInterruptedAtOnce(t *testing.T) {
	s := newService(t, model.Off, 0)
	t.Chdir(t.TempDir())
	machine := []string{"clock", "memory", "files", "ports", "folder"}
	trials := []string{"pacing", "ceiling", "books", "stall"}
	visit := []string{"address", "proxy", "resolve", "connect", "authenticate", "round trip", "distance", "clock skew", "keep-alive", "bandwidth"}
	for _, row := range []struct {
		sentence string
		args     []string
		want     []string
	}{
		{"this machine", nil, slices.Concat(machine, trials)},
		{"and a service", []string{"--target", s.url, "--key-file", s.keyFile}, slices.Concat(machine, visit, trials)},
	} {
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(interruption{os.Interrupt})
		var stdout, stderr bytes.Buffer
		code := execute(ctx, append([]string{"doctor", "--format", "json"}, row.args...), nil, &stdout, &stderr)
		var d doctor.Diagnosis
		if err := json.Unmarshal(stdout.Bytes(), &d); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, one := range d.Checks {
			if one.Verdict == doctor.NotTried {
				names = append(names, one.Name)
			}
		}
		if code != codeInterrupted || !slices.Equal(names, row.want) || len(d.Checks) != len(row.want) {
			t.Errorf("%s: doctor = %d, %v, %s; want %d and none of %v tried", row.sentence, code, names, d.Verdict, codeInterrupted, row.want)
		}
		if left := leftIn(t, "."); len(left) != 0 {
			t.Errorf("%s: doctor left %v behind; want nothing", row.sentence, left)
		}
	}
}
