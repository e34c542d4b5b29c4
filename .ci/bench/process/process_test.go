package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"loadgen/engine/clock"
)

// TestMain has the binary of the tests be a child: one that works until its input ends, or is
// ready never.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "works" {
		fmt.Println("a line before")
		fmt.Println("ready")
		go func() {
			for n := 0; ; n++ {
			}
		}()
		b := make([]byte, 1)
		_, _ = os.Stdin.Read(b)
		return
	}
	if len(os.Args) > 1 && os.Args[1] == "fails" {
		fmt.Fprintln(os.Stderr, "no room\nat all")
		os.Exit(3)
	}
	os.Exit(m.Run())
}

func self(t *testing.T) string {
	t.Helper()
	name, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func ready(line string) bool { return line == "ready" }

// The CPU of a child grows while it works, and not beyond what there is; its memory is told; it
// ends when asked to.
func TestChild(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("this system does not tell")
	}
	c, line, err := Start(t.Context(), clock.NewReal(), ready, self(t), "works")
	if err != nil || line != "ready" {
		t.Fatalf("Start = %q, %v; want ready", line, err)
	}
	first, err := c.CPU()
	if err != nil {
		t.Fatal(err)
	}
	deadline, release := clock.WithTimeout(t.Context(), clock.NewReal(), time.Minute, errReady)
	defer release()
	for later := first; later < first+20*time.Millisecond; {
		if later, err = c.CPU(); err != nil || deadline.Err() != nil {
			t.Fatalf("CPU = %v, %v after a minute; want it to grow from %v", later, err, first)
		}
	}
	if bytes, err := c.Memory(); err != nil || bytes < 100_000 || bytes > 1<<32 {
		t.Errorf("Memory = %d, %v; want some megabytes", bytes, err)
	}
	if err := c.End(); err != nil {
		t.Errorf("End = %v; want nil", err)
	}
	if _, err := c.CPU(); err == nil {
		t.Error("the CPU of a child that has ended is told")
	}
}

// A child that ends before it is ready says why, in one line; so does one that is not there, and
// one that nobody waits for any more.
func TestChildThatDoesNotStart(t *testing.T) {
	if _, _, err := Start(t.Context(), clock.NewReal(), ready, self(t), "fails"); !errors.Is(err, ErrStart) || !strings.Contains(err.Error(), "no room at all") {
		t.Errorf("Start = %v; want what it said, on a line", err)
	}
	if _, _, err := Start(t.Context(), clock.NewReal(), ready, self(t)+"-missing"); !errors.Is(err, ErrStart) {
		t.Errorf("Start = %v; want %v", err, ErrStart)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Start(ctx, clock.NewReal(), func(string) bool { return false }, self(t), "works"); !errors.Is(err, context.Canceled) {
		t.Errorf("Start = %v; want the context's error", err)
	}
}

// What a program has used that ended is told, whatever its code.
func TestRun(t *testing.T) {
	used, err := Run(t.Context(), clock.NewReal(), self(t), "fails")
	if err != nil || used.CPU <= 0 {
		t.Errorf("Run = %+v, %v; want CPU", used, err)
	}
	if _, err := Run(t.Context(), clock.NewReal(), self(t)+"-missing"); !errors.Is(err, ErrStart) {
		t.Errorf("Run = %v; want %v", err, ErrStart)
	}
}

// ps writes times in four ways; all else is refused.
func FuzzParseTime(f *testing.F) {
	for _, row := range []struct {
		text string
		want time.Duration
	}{
		{"0:00.03", 30 * time.Millisecond}, {"12:34.50", 12*time.Minute + 34500*time.Millisecond},
		{"01:02:03", time.Hour + 2*time.Minute + 3*time.Second}, {"2-01:00:00", 49 * time.Hour},
	} {
		if got, err := parseTime(row.text); err != nil || got != row.want {
			f.Errorf("parseTime(%q) = %v, %v; want %v", row.text, got, err, row.want)
		}
		f.Add(row.text)
	}
	for _, text := range []string{"", "1", ":", "a:b", "1:2:3:4", "-1:00", "0:NaN", "1-", "0:1e300"} {
		if got, err := parseTime(text); err == nil {
			f.Errorf("parseTime(%q) = %v; want an error", text, got)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got, err := parseTime(text); err == nil && got < 0 {
			t.Errorf("parseTime(%q) = %v; want none below 0", text, got)
		}
	})
}
