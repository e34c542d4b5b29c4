//go:build ci

package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
)

// An endpoint that refuses costs a run nothing but two lines, and what the environment
// holds of it goes nowhere else; without the flag nothing is sent, whatever that says.
func TestOTLPThatRefuses(t *testing.T) {
	t.Setenv("LOADGEN_METRICS_LISTEN", "")
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		http.Error(w, "no access for "+r.Header.Get("Api-Key"), http.StatusUnauthorized)
	}))
	defer server.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "api-key=hunter2")
	for _, tt := range []struct {
		flags []string
		want  []string
	}{
		{nil, nil},
		{[]string{"--otlp", "env"}, []string{"--otlp " + server.URL + ": metrics: ", "401 Unauthorized", "no access for …", "the run goes on", "exports failed"}},
	} {
		folder := filepath.Join(t.TempDir(), "run")
		var out, said bytes.Buffer
		code := execute(t.Context(), append([]string{"stress", "--target", "in-process", "--no-charts", "--no-probe", "--quiet", "--rate", "50", "--duration", "1s",
			"--set", "phases.load.entities=100", "--format", "json", "--out", folder}, tt.flags...), strings.NewReader(""), &out, &said)
		assert.Equalf(t, codeOk, code, "%v: exit code %d: %s", tt.flags, code, &said)
		for _, part := range tt.want {
			assert.Containsf(t, said.String(), part, "%v: it says %q", tt.flags, &said)
		}
		if lines := strings.Count(said.String(), "\n"); lines != 2 && tt.want != nil || tt.want == nil && (lines > 0 || asked.Load() > 0) {
			t.Errorf("%v: it says %d lines, %q, and %d were asked", tt.flags, lines, &said, asked.Load())
		}
		for _, name := range []string{"run.json", "events.ndjson"} {
			text, err := os.ReadFile(filepath.Join(folder, name))
			assert.Truef(t, err == nil && !bytes.Contains(text, []byte("hunter2")) && !bytes.Contains(text, []byte(server.URL)),
				"%v: %s has the endpoint or its key: %v", tt.flags, name, err)
		}
		assert.NotContainsf(t, said.String()+out.String(), "hunter2", "%v: it tells the key", tt.flags)
	}
	assert.True(t, asked.Load() != 0, "nothing was sent")
}
