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

	"github.com/stretchr/testify/assert"
)

// leftOutWhenShort leaves a test to the full tests: the race detector is slow, and
// finds nothing in what one goroutine plays alone or a shorter test goes through.
func leftOutWhenShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("a long run")
	}
}

// stopAfter ends a run as Ctrl-C would, once a text was written to it.
type stopAfter struct {
	io.Writer
	text string
	stop context.CancelCauseFunc
}

func (s stopAfter) Write(text []byte) (int, error) {
	if bytes.Contains(text, []byte(s.text)) {
		s.stop(interruption{os.Interrupt})
	}
	return s.Writer.Write(text)
}

func TestInterruptedSimulation(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	folder := filepath.Join(t.TempDir(), "run")
	var stdout, stderr bytes.Buffer
	// The first word of progress is that the load begins.
	code := execute(ctx, []string{"simulate", "--out", folder}, strings.NewReader(""), &stdout, stopAfter{&stderr, "", cancel})
	if code != codeInterrupted || !strings.Contains(stdout.String(), "run partial") {
		t.Errorf("exit code %d, %s; want %d and a partial report", code, stdout.String(), codeInterrupted)
	}
	record := read(t, folder)
	if all := record.Total(results.Everything); record.Validity != results.Partial || all.Attempts != record.Target.Requests || record.Rival != nil {
		t.Errorf("validity %s, %d attempts, the target counted %d; want a partial record that closes", record.Validity, all.Attempts, record.Target.Requests)
	}
}

// A sweep that is interrupted tells of the runs that it made, the last one in part.
func TestInterruptedSweepTellsWhatWasDone(t *testing.T) {
	choiceIn(t)
	ctx, cancel := context.WithCancelCause(context.Background())
	var out, said bytes.Buffer
	code := execute(ctx, []string{"simulate", "choice.yaml", "--one-profile", "--sweep", "seed=1,2,3"}, strings.NewReader(""), &out,
		stopAfter{&said, "2 of 3: seed=2", cancel})
	if code != codeInterrupted || !strings.Contains(out.String(), "2 of 3 runs were made") || !strings.Contains(out.String(), "\n ✓ 1 ") || !strings.Contains(out.String(), "\n ? 2 ") ||
		!strings.Contains(said.String(), "loadgen: interrupted") {
		t.Errorf("exit code %d, %q on stderr, and\n%s\nwant %d, two rows, and that there are no more", code, &said, &out, codeInterrupted)
	}
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]int64{"17": 17, "17B": 17, "2GiB": 2 << 30, "8388607TiB": 8388607 << 40, "0": 0} {
		got, err := parseSize(text)
		assert.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "GiB", "-1", "1.5GiB", "2GB", "8388608TiB"} {
		_, err := parseSize(text)
		assert.Error(t, err, text)
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
