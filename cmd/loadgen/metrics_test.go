package main

import (
	"bytes"
	"context"
	"net"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// A port that is taken ends the run before it begins, and nothing is left behind.
func TestMetricsPortTaken(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	t.Chdir(t.TempDir())
	for _, tt := range []struct{ address, want string }{
		{taken.Addr().String(), "address already in use; expected an address of this machine with a free port"},
		{"nonsense", "expected a port, or a host and a port"},
	} {
		var out, said bytes.Buffer
		code := execute(t.Context(), append([]string{"stress", "--target", "in-process", "--metrics-listen", tt.address}, small...), strings.NewReader(""), &out, &said)
		if code != codeUsage || !strings.Contains(said.String(), tt.want) || strings.Count(said.String(), "\n") != 1 {
			t.Errorf("--metrics-listen %s: exit code %d, %q; want %d and one line with %q", tt.address, code, &said, codeUsage, tt.want)
		}
		if left, _ := os.ReadDir("."); len(left) > 0 {
			t.Errorf("it left %v behind", left)
		}
	}
}

// listening is standard error on which somebody waits for a URL.
type listening struct {
	mu   sync.Mutex
	text bytes.Buffer
	url  chan string
}

var servedAt = regexp.MustCompile(`metrics are served at (\S+)`)

func (l *listening) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.Write(text)
	if match := servedAt.FindSubmatch(text); match != nil {
		l.url <- string(match[1])
	}
	return len(text), nil
}

// Whoever has metrics served to others is told that nothing guards them.
func TestMetricsThatOthersReach(t *testing.T) {
	t.Chdir(t.TempDir())
	over, end := context.WithCancel(t.Context())
	end()
	for _, tt := range []struct {
		address, ui string
		warned      bool
	}{{"0.0.0.0:0", "none", true}, {"0.0.0.0:0", "json", false}, {"127.0.0.1:0", "none", false}} {
		var out, said bytes.Buffer
		execute(over, append([]string{"stress", "--target", "in-process", "--no-charts", "--metrics-listen", tt.address, "--ui", tt.ui}, small...), strings.NewReader(""), &out, &said)
		if warned := strings.Contains(said.String(), "nothing guards"); warned != tt.warned {
			t.Errorf("--metrics-listen %s --ui %s: %q; want a warning: %v", tt.address, tt.ui, &said, tt.warned)
		}
	}
}
