package main

import (
	"bytes"
	"net"
	"os"
	"strings"
	"testing"
)

// An address that a live page cannot have ends the run before it begins, with one line, and
// nothing is left behind.
func TestLivePageNowhere(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	t.Chdir(t.TempDir())
	for _, row := range []struct{ verb, address, want string }{
		{"stress", taken.Addr().String(), "address already in use"},
		{"stress", "0.0.0.0:0", "expected an address that no other machine reaches"},
		{"stress", "nonsense", "expected a port, or a host and a port"},
		{"simulate", taken.Addr().String(), "address already in use"},
	} {
		arguments := []string{row.verb, "--live=" + row.address}
		if row.verb == "stress" {
			arguments = append(arguments, append([]string{"--target", "in-process"}, small...)...)
		}
		var out, said bytes.Buffer
		code := execute(t.Context(), arguments, strings.NewReader(""), &out, &said)
		if code != codeUsage || !strings.Contains(said.String(), "--live="+row.address+": ") || !strings.Contains(said.String(), row.want) || strings.Count(said.String(), "\n") != 1 {
			t.Errorf("%s --live=%s: exit code %d, %q; want %d and one line with %q", row.verb, row.address, code, &said, codeUsage, row.want)
		}
		if left, _ := os.ReadDir("."); len(left) > 0 {
			t.Errorf("it left %v behind", left)
		}
	}
}
