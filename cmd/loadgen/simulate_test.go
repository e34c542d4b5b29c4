package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"loadgen/report/document"
	"loadgen/results"
)

// leftOutWhenShort leaves a test to the full tests: the race detector is slow, and
// finds nothing in what one goroutine plays alone or a shorter test goes through.
func leftOutWhenShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("a long run")
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
	code := execute(ctx, []string{"simulate", "--out", folder}, strings.NewReader(""), &stdout, stopAfter{&stderr, cancel})
	if code != codeInterrupted || !strings.Contains(stdout.String(), "run partial") {
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
}

func FuzzParseSize(f *testing.F) {
	for _, seed := range []string{"0", "2GiB", "17B", "8388607TiB", "-1", "9999999999999999"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, prose string) {
		size, err := parseSize(prose)
		if err != nil {
			return
		}
		// What is written of a size is a size again, and not a smaller one.
		if again, err := parseSize(document.Bytes(size)); size < 0 || err != nil && size < 1<<62 || err == nil && again < size {
			t.Errorf("parseSize(%q) = %d, written %s, read %d, %v", prose, size, document.Bytes(size), again, err)
		}
	})
}
