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

func TestBadInputOfDoctor(t *testing.T) {
	for _, row := range []struct {
		sentence string
		args     []string
		says     string
	}{
		{"a format that does not exist", []string{"--format", "yaml"}, `--format "yaml"`},
		{"no workers", []string{"--workers", "0"}, "--workers 0"},
		{"workers beyond all bounds", []string{"--workers", "100001"}, "1 to 100,000"},
		{"a flag that is nearly one", []string{"--worker", "5"}, "nearest is --workers"},
		{"an argument", []string{"now"}, `"now"`},
		{"an empty folder name", []string{"--out="}, "--out"},
		{"a target that is here anyway", []string{"--target", "embedded"}, "--target embedded"},
		{"a target without an address", []string{"--target", "in-process"}, "--target in-process"},
		{"a target that does not exist", []string{"--target", "azure"}, "--target azure"},
		{"a scenario without a target", []string{"stress"}, "expected --target"},
		{"a scenario that does not exist", []string{"strss", "--target", "env:LOADGEN_NOT_SET"}, "LOADGEN_NOT_SET"},
		{"two scenarios", []string{"stress", "day-key", "--target", "env:LOADGEN_NOT_SET"}, "day-key"},
		{"a clean with a scenario", []string{"stress", "--clean", "--target", "http://127.0.0.1:1/races"}, "--clean is of no scenario"},
		{"the address of blobs", []string{"--target", "https://races.blob.core.windows.net"}, "this is the address of the blob service"},
		{"a key without a target", []string{"--key-file", "key"}, "--key-file"},
		{"a URL without a key", []string{"--target", "http://127.0.0.1:1/races"}, "--key-file"},
		{"a connection string on the command line", []string{"--target", "AccountName=races;AccountKey=" + planted}, "takes no connection string"},
		{"a clean of nothing", []string{"--clean"}, "--clean needs --target"},
		{"a clean of what ends by itself", []string{"--clean", "--target", "embedded"}, "its tables end with it"},
		{"consent to nothing", []string{"--yes"}, "--yes belongs to --clean"},
		{"an age of nothing", []string{"--older-than", "1h"}, "--older-than belongs to --clean"},
		{"an age below none", []string{"--clean", "--target", "http://127.0.0.1:1/races", "--older-than", "-1s"}, "--older-than -1s: expected 0s or more"},
		{"a clean of another's table", []string{"--clean", "--target", "http://127.0.0.1:1/races", "--table", "races"}, `"races" is none of this tool's`},
		{"a table of nothing", []string{"--table", "loadgena"}, "--table belongs to --clean"},
		{"a clean with a choice of the checks", []string{"--clean", "--target", "http://127.0.0.1:1/races", "--workers", "5"}, "--workers is of the checks"},
		{"a clean of a URL without a key", []string{"--clean", "--target", "http://127.0.0.1:1/races"}, "--key-file"},
		{"a variable that is not set", []string{"--target", "env:LOADGEN_NOT_SET"}, "LOADGEN_NOT_SET"},
	} {
		t.Chdir(t.TempDir())
		code, stdout, stderr := say(t, append([]string{"doctor"}, row.args...)...)
		if code != codeUsage || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, row.says) || strings.Contains(stderr, planted) {
			t.Errorf("%s: doctor = %d, stdout %q, stderr %q; want %d and one line with %q", row.sentence, code, stdout, stderr, codeUsage, row.says)
		}
		if left := leftIn(t, "."); len(left) != 0 {
			t.Errorf("%s: left %v behind; want nothing", row.sentence, left)
		}
	}
}

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
