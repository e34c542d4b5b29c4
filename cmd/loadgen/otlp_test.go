package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// What cannot be an endpoint ends the run before it begins, in one line that tells no
// secret, and nothing is left behind.
func TestOTLPThatCannotBe(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, tt := range []struct{ typed, headers, want string }{
		{"localhost:4318", "", `--otlp: "localhost:4318"; expected a URL such as http://localhost:4318, or env`},
		{"http://me:secret@localhost", "", `--otlp: "http://…@localhost"; expected a URL with neither user nor query: what gives access belongs into OTEL_EXPORTER_OTLP_HEADERS`},
		{"env", "secret", "--otlp: OTEL_EXPORTER_OTLP_HEADERS: expected name=value"},
	} {
		t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", tt.headers)
		var out, said bytes.Buffer
		code := execute(t.Context(), append([]string{"stress", "--target", "in-process", "--otlp", tt.typed}, small...), strings.NewReader(""), &out, &said)
		if code != codeUsage || !strings.Contains(said.String(), tt.want) || strings.Count(said.String(), "\n") != 1 || strings.Contains(said.String(), "secret") {
			t.Errorf("--otlp %s: exit code %d, %q; want %d and one line with %q", tt.typed, code, &said, codeUsage, tt.want)
		}
		if left, _ := os.ReadDir("."); len(left) > 0 {
			t.Errorf("it left %v behind", left)
		}
	}
}
