//go:build ci

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/model"
	"loadgen/results"
)

// troubled is a service whose reads of one entity come to nothing, and how many did.
type troubled struct {
	*service
	reads, spoilt atomic.Int64
}

// newTroubled serves an account behind a server that answers one in so many reads of an
// entity itself.
func newTroubled(t *testing.T, oneIn int64, answer func(w http.ResponseWriter)) *troubled {
	s := &troubled{service: newService(t, model.Off, 0)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || !strings.Contains(r.URL.Path, "(PartitionKey=") || s.reads.Add(1)%oneIn != 0 {
			s.handler.ServeHTTP(w, r)
			return
		}
		s.spoilt.Add(1)
		answer(w)
	}))
	t.Cleanup(server.Close)
	s.url = server.URL + "/races"
	return s
}

// Whatever a service does to the reads of a run, the record, the summary and the report
// name it, with as many attempts as the service spoilt.
func TestRunsNameTheCausesOfTheirFailures(t *testing.T) {
	t.Parallel()
	with := func(status int, code string) func(w http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			if code != "" {
				w.Header().Set("x-ms-error-code", code)
			}
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(status)
		}
	}
	hangUp := func(begun string) func(w http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				panic(err)
			}
			io.WriteString(conn, begun)
			conn.Close()
		}
	}
	another := func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"PartitionKey":"somebody","RowKey":"else","Age":5}`)
	}
	for _, row := range []struct {
		name   string
		oneIn  int64
		answer func(w http.ResponseWriter)
		want   results.Cause
		says   string
	}{
		{"redirections", 1, with(302, ""), results.Cause{Status: 302}, "302"},
		{"refused input", 1, with(400, "InvalidInput"), results.Cause{Status: 400, Code: "InvalidInput"}, "400 InvalidInput"},
		{"not there", 1, with(501, "NotImplemented"), results.Cause{Status: 501, Code: "NotImplemented"}, "501 NotImplemented"},
		{"broken", 1, with(500, "InternalError"), results.Cause{Status: 500, Code: "InternalError"}, "500 InternalError"},
		{"refused input now and then", 20, with(400, "InvalidInput"), results.Cause{Status: 400, Code: "InvalidInput"}, "400 InvalidInput"},
		{"hung up", 1, hangUp(""), results.Cause{Code: "ConnectionClosed"}, "ConnectionClosed"},
		{"cut off", 1, hangUp("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{"), results.Cause{Code: "ReplyCutOff"}, "ReplyCutOff"},
		{"another entity", 1, another, results.Cause{Status: 200, Code: "WrongEntity"}, "200 WrongEntity"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := newTroubled(t, row.oneIn, row.answer)
			var stdout, stderr bytes.Buffer
			args := s.args("--yes", "--quiet", "--format", "json", "--rate", "300", "--retry", "short")
			execute(context.Background(), args, strings.NewReader(""), &stdout, &stderr)
			row.want.Class, row.want.Attempts = results.Failed, s.spoilt.Load()
			want := results.Causes{row.want}
			require.Truef(t, row.want.Attempts != 0, "the service spoilt nothing: %s%s", &stdout, &stderr)

			record := read(t, s.out)
			if sum := record.Total(results.Everything); !cmp.Equal(sum.Causes, want) || sum.Failed != row.want.Attempts {
				t.Errorf("the record has %d failed, causes %+v; want %+v", sum.Failed, sum.Causes, want)
			}
			var seconds results.Causes
			for i := range record.Intervals {
				seconds.Merge(record.Intervals[i].Causes)
			}
			assert.Truef(t, cmp.Equal(seconds, want), "its seconds have the causes %+v; want %+v", seconds, want)
			var summary results.Summary
			if err := json.Unmarshal(stdout.Bytes(), &summary); err != nil {
				t.Fatalf("%v in\n%s%s", err, &stdout, &stderr)
			}
			assert.Truef(t, cmp.Equal(summary.Causes, want) && cmp.Equal(summary.PerOperation["get"].Causes, want),
				"the summary has %+v, its reads %+v; want %+v", summary.Causes, summary.PerOperation["get"].Causes, want)
			reported := record.Total(results.Reported)
			named := fmt.Sprintf("of the attempts failed (%s)", row.says)
			assert.Containsf(t, summary.Verdict, named, "the verdict of %d failed of %d", reported.Failed, reported.Attempts)

			stdout.Reset()
			execute(context.Background(), []string{"report", s.out}, strings.NewReader(""), &stdout, &stderr)
			text := stdout.String()
			line := strings.Fields(strings.ReplaceAll(text, ",", ""))
			for _, word := range append(strings.Fields(row.says), "get", "failed", fmt.Sprint(row.want.Attempts)) {
				assert.Truef(t, slices.Contains(line, word), "the first screen does not say %q:\n%s", word, text)
			}
		})
	}
}
