package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	vegeta "github.com/tsenart/vegeta/v12/lib"

	"loadgen/results"
)

// bubble runs the program live in a bubble of fake time, so that the whole
// command, goroutines, files and all, takes a fraction of its seconds. It calls
// the engine in process, since sockets keep real time. It returns the folder of
// the run beside what was said.
func bubble(t *testing.T, stop time.Duration, args ...string) (code int, stdout, stderr, folder string) {
	t.Helper()
	t.Chdir(t.TempDir())
	args = append(args, "--target", "in-process")
	var out, err bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(context.Background())
		if stop > 0 {
			timer := time.AfterFunc(stop, func() { cancel(interruption{os.Interrupt}) })
			defer timer.Stop()
		}
		code = execute(ctx, undrawn(args), strings.NewReader(""), &out, &err)
		cancel(nil)
	})
	runs, globErr := filepath.Glob("results/runs/*")
	require.Truef(t, globErr == nil && len(runs) <= 1, "results/runs holds %v, %v; want one run", runs, globErr)
	if len(runs) == 1 {
		folder = runs[0]
	}
	return code, out.String(), err.String(), folder
}

func read(t *testing.T, folder string) *results.Record {
	t.Helper()
	record, err := results.Read(results.Dir(folder))
	require.NoError(t, err)
	return record
}

// onResultStream counts the attempts of a recording as vegeta's own decoder reads them.
func onResultStream(name string) (ok, refused int64, err error) {
	file, err := os.Open(name)
	if err != nil {
		return 0, 0, err
	}
	defer file.Close()
	for next := vegeta.NewDecoder(file); ; {
		var r vegeta.Result
		switch err := next.Decode(&r); {
		case errors.Is(err, io.EOF):
			return ok, refused, nil
		case err != nil:
			return ok, refused, err
		case r.Error == "":
			ok++
		default:
			refused++
		}
	}
}

// small keeps a run of the command short.
var small = []string{"--duration", "1s", "--set", "phases.load.entities=200"}

func TestCommandWritesARun(t *testing.T) {
	code, stdout, stderr, folder := bubble(t, 0, append([]string{"stress", "--format", "json", "--record", "attempts.bin", "--no-charts=false",
		"--set", "model.partition_target=200", "--set", "phases.peak.rates=[100,150,200,250,300,400]"}, small...)...)
	require.Equalf(t, codeOk, code, "exit code %d: %s", code, stderr)
	want := []string{"events.ndjson", "intervals.ndjson", "latency.png", "latency.svg", "percentiles.png", "percentiles.svg",
		"report.html", "response.png", "response.svg", "run.json", "steps.png", "steps.svg", "throttle.png", "throttle.svg", "waits.png", "waits.svg"}
	if got := leftIn(t, folder); len(got) != len(want) {
		t.Errorf("the run's folder holds %v; want %v", got, want)
	}
	record := read(t, folder)
	printed := decode(t, []byte(stdout))
	if !reflect.DeepEqual(printed, record.Summary) {
		t.Errorf("--format json printed\n%+v\nwant the summary of run.json\n%+v", printed, record.Summary)
	}
	if printed.Validity != results.Valid || record.Cut {
		t.Errorf("validity %s %v; want valid", printed.Validity, printed.Reasons)
	}
	if got := record.Target; got == nil || got.Requests != printed.Attempts || got.Entities != printed.EntitiesCounted {
		t.Errorf("the target's counts = %+v; want %d requests and %d entities", got, printed.Attempts, printed.EntitiesCounted)
	}
	for _, line := range []string{"load: ", "count: ", "peak: 2,600 operations in 9s\n", " attempts, ", "the run is in " + folder} {
		assert.Contains(t, stderr, line, "progress off a terminal")
	}
	assert.NotContainsf(t, stderr, "\x1b", "escape sequences off a terminal: %q", stderr)
	if ok, refused, err := onResultStream("attempts.bin"); err != nil || ok != printed.OkAttempts || refused != printed.Throttled {
		t.Errorf("vegeta reads %d ok and %d refused of attempts.bin, %v; want %d and %d, every attempt", ok, refused, err, printed.OkAttempts, printed.Throttled)
	}
	var keys map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(stdout), &keys))
	// The keys are a contract for scripts.
	for _, key := range strings.Fields(`scenario target start profile seed started duration_s validity reasons client_limited
		state ok scheduled sent dropped late operations attempts ok_attempts throttled share_throttled_reported failed causes entities_counted entities_returned
		saturation_entities_per_second saturation_interval saturation_seconds throttling hottest_partition response_us service_us lag_us
		retry_waits_us phases per_operation checks verdict`) {
		if _, there := keys[key]; !there {
			t.Errorf("the summary has no %q", key)
		}
		delete(keys, key)
	}
	assert.Emptyf(t, keys, "the summary has keys that nobody knows: %v", keys)
}

func TestInterruptedCommand(t *testing.T) {
	code, stdout, stderr, folder := bubble(t, 15*time.Second, "stress", "--rate", "100", "--duration", "20s", "--set", "phases.load.entities=200")
	assert.Equalf(t, codeInterrupted, code, "exit code %d; want %d: %s", code, codeInterrupted, stderr)
	record := read(t, folder)
	if record.Validity != results.Partial || record.Duration > 15200*time.Millisecond {
		t.Errorf("a run interrupted after 15 s is %s and ended after %v; want partial, within 200 ms", record.Validity, record.Duration)
	}
	assert.Truef(t, strings.Contains(stdout, "partial") && strings.Contains(stderr, "interrupted"),
		"stdout\n%s\nstderr\n%s\nwant a report marked partial, and why", stdout, stderr)
	ends := slices.ContainsFunc(record.Events, func(e results.Event) bool { return e.What == results.StageEnds && e.Text == "drop" })
	if !ends {
		t.Errorf("the last events are %+v; want the table dropped", record.Events[max(0, len(record.Events)-3):])
	}
	sum := record.Total(results.Everything)
	if sum.Attempts != record.Target.Requests || sum.Scheduled != sum.Sent+sum.Dropped || sum.Operations != sum.Sent {
		t.Errorf("the books of an interrupted run do not close: %+v against %+v", sum, record.Target)
	}
}

func TestFullDisk(t *testing.T) {
	leftOutWhenShort(t)
	if runtime.GOOS != "linux" {
		t.Skip("there is no /dev/full")
	}
	code, _, stderr, folder := bubble(t, 0, append([]string{"stress", "--rate", "100", "--record", "/dev/full"}, small...)...)
	assert.Truef(t, code == codeInternal && strings.Contains(stderr, "no space left on device"),
		"stress on a full disk = %d %q; want %d and the reason", code, stderr, codeInternal)
	if record := read(t, folder); record.Validity != results.Partial || len(record.Intervals) == 0 {
		t.Errorf("the record is %s with %d seconds; want partial and readable", record.Validity, len(record.Intervals))
	}
}
