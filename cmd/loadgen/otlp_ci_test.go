//go:build ci

package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/rest/resttest"
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
		{[]string{"--otlp", "env"}, []string{"--otlp " + server.URL + ": metrics: ", "401 Unauthorized", "no access for …", "the run continues", "exports failed"}},
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

// A live run is scraped while it goes on, and no longer when it is over.
func TestMetricsOfARun(t *testing.T) {
	t.Parallel()
	folder, said, out := filepath.Join(t.TempDir(), "run"), new(resttest.Buffer), new(bytes.Buffer)
	ended := make(chan int, 1)
	go func() {
		ended <- execute(t.Context(), []string{"stress", "--no-charts", "--metrics-listen", ":0", "--no-probe", "--rate", "200", "--duration", "1s",
			"--set", "phases.load.entities=100", "--format", "json", "--out", folder}, strings.NewReader(""), out, said)
	}()
	var url string
	resttest.Until(t, "metrics", func() bool {
		match := regexp.MustCompile(`metrics are served at (\S+)\n`).FindStringSubmatch(said.String())
		if match != nil {
			url = match[1]
		}
		return match != nil
	})
	assert.Truef(t, strings.HasPrefix(url, "http://127.0.0.1:"), "metrics are at %s; want them on 127.0.0.1", url)
	peak := regexp.MustCompile(`loadgen_request_duration_seconds_count\{op="get",phase="peak 200/s( \(hold\))?",status_class="2xx"\} \d+`)
	var text string
	scraped := assert.Eventually(t, func() bool {
		reply, err := http.Get(url)
		if err != nil {
			return false
		}
		defer reply.Body.Close()
		body, _ := io.ReadAll(reply.Body)
		text = string(body)
		return peak.MatchString(text)
	}, 20*time.Second, 20*time.Millisecond, "a scrape has the peak")
	if !scraped {
		t.Log(text)
	}
	// A page whose own name leads here reads nothing.
	stranger, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	stranger.Host = "page.example"
	if reply, err := http.DefaultClient.Do(stranger); err == nil {
		reply.Body.Close()
		assert.Equal(t, http.StatusForbidden, reply.StatusCode, "asked as page.example")
	}
	assert.NotContainsf(t, text, "Marathon", "a scrape tells a PartitionKey:\n%s", text)
	if code := <-ended; code != codeOk {
		t.Errorf("exit code %d: %s", code, said)
	}
	if reply, err := http.Get(url); err == nil {
		reply.Body.Close()
		t.Error("metrics are served when the run is over")
	}
	summary := decode(t, out.Bytes())
	if read(t, folder).Validity != summary.Validity {
		t.Errorf("the summary says %s", summary.Validity)
	}
}
