package process

import (
	"testing"
	"time"
)

// The first line of /proc/stat is read by its columns; one that is not so is not told.
func TestBusyOf(t *testing.T) {
	got, told := busyOf([]byte("cpu  100 20 30 4000 500 6 7 8 900 10\ncpu0 1 2 3 4 5 6 7 8 9 10\n"))
	if want := 1710 * time.Millisecond; !told || got != want {
		t.Errorf("busyOf = %v, %v; want %v: users, nice, system, irq, softirq, steal", got, told, want)
	}
	for _, text := range []string{"", "cpu 1 2", "cpux 1 2 3 4 5 6 7 8 9", "cpu  1 2 3 4 5 6 7 -8 9"} {
		if got, told := busyOf([]byte(text)); told {
			t.Errorf("busyOf(%q) = %v; want nothing told", text, got)
		}
	}
}
