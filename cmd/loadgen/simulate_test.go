package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/drive"
)

// scaled divides rates and limits by 20, and no times.
func scaled() []string {
	return []string{"--set", "phases.spread.rate=50", "--set", "model.partition_target=100", "--set", "model.range_target=100",
		"--set", "model.server_target=200", "--set", "model.account_target=1000", "--set", "model.merge_below=5"}
}

// quick has load balancing act twenty times as soon as well.
func quick() []string {
	return append(scaled(), "--set", "phases.spread.for=1m", "--set", "model.tick=1s", "--set", "model.detection=15s",
		"--set", "model.load_memory=3s", "--set", "model.detection_gap=2s", "--set", "model.offline_least=1s", "--set", "model.offline_most=1s")
}

// simulated runs `loadgen simulate` with these flags into a folder of its own.
func simulatedBy(t testing.TB, ctx context.Context, args ...string) (code int, stdout, stderr, folder string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "run")
	var out, err bytes.Buffer
	code = run(ctx, append([]string{"simulate", "--out", folder}, args...), strings.NewReader(""), &out, &err)
	return code, out.String(), err.String(), folder
}

// recordOf is simulatedBy for a run that is to come to its end.
func recordOf(t *testing.T, args ...string) *results.Record {
	t.Helper()
	code, _, stderr, folder := simulatedBy(t, context.Background(), append(args, "--quiet")...)
	if code != codeOk {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	return read(t, folder)
}

// leftOutWhenShort leaves a test to the full tests: the race detector is slow, and
// finds nothing in what one goroutine plays alone or a shorter test goes through.
func leftOutWhenShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("a long run")
	}
}

// The canonical scenario, a twentieth of it: a fluid simulation of twelve equal
// keys on one range has it serve twice as much after each five minutes of overload.
func TestCanonicalScenarioRecovers(t *testing.T) {
	leftOutWhenShort(t)
	record := recordOf(t, append(scaled(), "--one-profile")...)
	served := func(from, to int64) float64 {
		sum := int64(0)
		for _, one := range record.Intervals {
			if one.Second >= from && one.Second < to {
				sum += one.Served
			}
		}
		return float64(sum) / float64(to-from)
	}
	for _, level := range []struct {
		from, to int64
		rate     float64
	}{{2, 299, 100}, {320, 599, 200}, {620, 899, 400}, {940, 1200, 600}} {
		if got := served(level.from, level.to); got < .95*level.rate || got > 1.05*level.rate {
			t.Errorf("%d s to %d s: %.1f/s are served; want %.0f/s within 5 %%", level.from, level.to, got, level.rate)
		}
	}
	b := record.Summary.Balance
	if b == nil || b.Outcome != results.Relieved || *b.Throttled != 0 || *b.Relieved < 905 || *b.Relieved > 935 || b.Splits < 5 || b.Moves < 5 {
		t.Errorf("balance %+v; want relieved between 905 s and 935 s by five splits and moves or more", b)
	}
	for _, want := range []string{"throttled from the start", "relieves it after 15 min", "bear the load once"} {
		if !strings.Contains(record.Summary.Verdict, want) {
			t.Errorf("the verdict is %q; want it to say %q", record.Summary.Verdict, want)
		}
	}
	if record.Validity != results.Valid || record.Manifest.Time != "virtual" || record.Manifest.Start != "cold" || !record.Manifest.Dataless {
		t.Errorf("validity %s %v, %s time, %s start, dataless %t; want a valid run of a cold start without data",
			record.Validity, record.Reasons, record.Manifest.Time, record.Manifest.Start, record.Manifest.Dataless)
	}
}

// The books close with entities and without, and say the same.
func TestSimulationBooksCloseEitherWay(t *testing.T) {
	leftOutWhenShort(t)
	without, with := recordOf(t, quick()...), recordOf(t, append(quick(), "--data")...)
	for _, record := range []*results.Record{without, with} {
		all := record.Total(results.Everything)
		target := record.Target
		if all.Scheduled != all.Sent+all.Dropped || all.Attempts != all.Ok+all.Refused+all.Failed ||
			target.Requests != all.Attempts || target.Ok != all.Ok || target.Refused != all.Refused || target.Entities != all.Counted {
			t.Errorf("scheduled %d, attempts %d, ok %d, refused %d; the target counted %+v; want books that close",
				all.Scheduled, all.Attempts, all.Ok, all.Refused, target)
		}
	}
	if *without.Target != *with.Target {
		t.Errorf("without data the target counted %+v; want %+v as with data", *without.Target, *with.Target)
	}
	if with.Manifest.Dataless || !without.Manifest.Dataless {
		t.Error("the manifests do not tell the runs apart")
	}
}

// A key that is asked for more than a partition has is never relieved, and the
// verdict says why; one that headroom bears flips.
func TestHotKeyIsNeverRelieved(t *testing.T) {
	leftOutWhenShort(t)
	record := recordOf(t, append(quick(), "--set", "phases.spread.partitions=[Tokyo]", "--set", "phases.spread.rate=150",
		"--set", "model.range_target=0")...)
	b := record.Summary.Balance
	if b.Outcome != results.Throttled || b.Splits != 0 || len(b.StillRefused) != 1 || b.StillRefused[0] != "Tokyo" {
		t.Errorf("balance %+v; want Tokyo throttled to the end without a split", b)
	}
	for _, want := range []string{"never divided", `"Tokyo"`, "flips with the model", "headroom"} {
		if !strings.Contains(record.Summary.Verdict, want) {
			t.Errorf("the verdict is %q; want it to say %q", record.Summary.Verdict, want)
		}
	}
	if b.Survives == nil || *b.Survives {
		t.Errorf("survives %v; want false: headroom bears 150/s of a target of 100/s", b.Survives)
	}
	alone := recordOf(t, append(quick(), "--one-profile")...)
	if alone.Rival != nil || alone.Summary.Balance.Survives != nil {
		t.Error("--one-profile was held against another")
	}
}

// A warm start shows what the same load comes to on spread ranges.
func TestWarmStartIsBorne(t *testing.T) {
	record := recordOf(t, append(quick(), "--set", "start=warm")...)
	if b := record.Summary.Balance; b.Outcome != results.Held || b.Splits+b.Moves != 0 || b.Survives == nil || !*b.Survives {
		t.Errorf("balance %+v; want a load that is borne from the start under both profiles", b)
	}
}

// Other scenarios run as they are, with the entities that they read.
func TestSimulateStress(t *testing.T) {
	leftOutWhenShort(t)
	code, stdout, stderr, folder := simulatedBy(t, context.Background(), "--quiet", "--format", "json",
		"--set", "phases.peak.each=2s", "--set", "phases.load.entities=2000", "stress")
	if code != codeOk {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	summary, record := decode(t, []byte(stdout)), read(t, folder)
	if summary.Saturation == nil || *summary.Saturation < 1900 || *summary.Saturation > 2100 || record.Manifest.Dataless {
		t.Errorf("saturation %v, dataless %t; want 2,000/s with data", summary.Saturation, record.Manifest.Dataless)
	}
	if summary.Balance != nil || !strings.Contains(summary.Verdict, "flips with the model: under profile headroom the same load") {
		t.Errorf("the verdict is %q; want it held against headroom", summary.Verdict)
	}
}

func TestSimulateUsage(t *testing.T) {
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"an unknown scenario", []string{"simulte"}, `did you mean "simulate"?`},
		{"two scenarios", []string{"stress", "simulate"}, `takes one scenario, and "simulate" is another`},
		{"a format that does not exist", []string{"--format", "xml"}, "expected text or json"},
		{"a size that is none", []string{"--memory-limit", "lots"}, "--memory-limit lots: expected a size such as 512MiB"},
		{"a size of nothing", []string{"--memory-limit", "0"}, "--memory-limit 0: expected a size"},
		{"too much memory", []string{"--memory-limit", "8MiB"}, "the scenario would take about"},
		{"too much to store", []string{"--data", "--set", "phases.spread.entities=1000000"}, "of stored entities"},
		{"a model that cannot be", []string{"--set", "model.detection=1s"}, "detection is 1s; it must be at least tick"},
		{"a set without a value", []string{"--set", "seed"}, "expected path=value"},
		{"a policy that does not exist", []string{"--retry", "shrt"}, `--retry: unknown retry policy "shrt"; did you mean "short"?`},
		{"a seed that is none", []string{"--seed", "-1"}, "expected a whole number"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, stdout, stderr, folder := simulatedBy(t, context.Background(), tt.args...)
			if code != codeUsage || stdout != "" || !strings.Contains(stderr, tt.want) {
				t.Errorf("simulate %q = %d, %q, %q; want %d and %q", tt.args, code, stdout, stderr, codeUsage, tt.want)
			}
			if _, err := os.Stat(folder); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("a folder was made: %v", err)
			}
		})
	}
}

// stopAfter ends a run as Ctrl-C would, once so much was written to it.
type stopAfter struct {
	io.Writer
	stop context.CancelCauseFunc
}

func (s stopAfter) Write(text []byte) (int, error) {
	s.stop(interruption{os.Interrupt})
	return s.Writer.Write(text)
}

func TestInterruptedSimulation(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	folder := filepath.Join(t.TempDir(), "run")
	var stdout, stderr bytes.Buffer
	// The first word of progress is that the load begins.
	code := run(ctx, []string{"simulate", "--out", folder}, strings.NewReader(""), &stdout, stopAfter{&stderr, cancel})
	if code != codeInterrupted || !strings.Contains(stdout.String(), "Validity: partial") {
		t.Errorf("exit code %d, %s; want %d and a partial report", code, stdout.String(), codeInterrupted)
	}
	record := read(t, folder)
	if all := record.Total(results.Everything); record.Validity != results.Partial || all.Attempts != record.Target.Requests || record.Rival != nil {
		t.Errorf("validity %s, %d attempts, the target counted %d; want a partial record that closes", record.Validity, all.Attempts, record.Target.Requests)
	}
}

func TestSizes(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       int64
		ok         bool
	}{
		{"bytes without a unit", "17", 17, true},
		{"bytes", "17B", 17, true},
		{"a unit", "2GiB", 2 << 30, true},
		{"the largest unit", "8388607TiB", 8388607 << 40, true},
		{"an overflow", "8388608TiB", 0, false},
		{"nothing", "0", 0, true},
		{"a negative size", "-1", 0, false},
		{"a fraction", "1.5GiB", 0, false},
		{"another unit", "2GB", 0, false},
		{"no number", "GiB", 0, false},
		{"no text", "", 0, false},
	} {
		if got, err := parseSize(tt.text); got != tt.want || (err == nil) != tt.ok {
			t.Errorf("%s: parseSize(%q) = %d, %v; want %d, fault %t", tt.name, tt.text, got, err, tt.want, !tt.ok)
		}
	}
	for bytes, want := range map[int64]string{0: "0B", 2047: "2047B", 2048: "2KiB", 2049: "3KiB", 5 << 30: "5GiB", 1 << 62: "4194304TiB"} {
		if got := sizeOf(bytes); got != want {
			t.Errorf("sizeOf(%d) = %s; want %s", bytes, got, want)
		}
	}
}

func FuzzParseSize(f *testing.F) {
	for _, seed := range []string{"0", "2GiB", "17B", "8388607TiB", "-1", "9999999999999999"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		size, err := parseSize(text)
		if err != nil {
			return
		}
		// What is written of a size is a size again, and not a smaller one.
		if again, err := parseSize(sizeOf(size)); size < 0 || err != nil && size < 1<<62 || err == nil && again < size {
			t.Errorf("parseSize(%q) = %d, written %s, read %d, %v", text, size, sizeOf(size), again, err)
		}
	})
}

// BenchmarkSimulate measures attempts through session, admission and recording on
// one core: a minute of the canonical scenario on a cold table.
func BenchmarkSimulate(b *testing.B) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, data := range []bool{false, true} {
		b.Run(fmt.Sprintf("data=%t", data), func(b *testing.B) {
			b.ReportAllocs()
			attempts := 0.0
			for range b.N {
				attempts += float64(simulatedMinutes(b, data, "1m"))
			}
			b.ReportMetric(attempts/b.Elapsed().Seconds(), "attempts/s")
		})
	}
}

// BenchmarkCanonical is all twenty minutes of it.
func BenchmarkCanonical(b *testing.B) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for range b.N {
		if got := simulatedMinutes(b, false, "20m"); got < 14_400_000 {
			b.Fatalf("%d attempts; want 14.4 million", got)
		}
	}
}

func simulatedMinutes(b *testing.B, data bool, length string) int64 {
	s, err := scenarios.Builtin(canonical)
	if err == nil {
		err = s.Set("phases.spread.for", length)
	}
	if err != nil {
		b.Fatal(err)
	}
	sim, err := newSimulation(s, data, time.Unix(0, 0), nil, drive.Options{})
	if err != nil {
		b.Fatal(err)
	}
	recorder, err := results.NewRecorder(new(results.Memory), sim.manifest)
	if err != nil {
		b.Fatal(err)
	}
	end, err := sim.run(context.Background(), recorder)
	if err == nil {
		err = sim.finish(recorder, end, nil)
	}
	if err != nil {
		b.Fatal(err)
	}
	return sim.engine.Counts().Requests
}
