package queueblob_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"loadgen/target"
	"loadgen/target/queueblob"
)

// endless answers each request with a status and a body without an end, and counts what of
// it went out.
func endless(t *testing.T, status int, sent *atomic.Int64) string {
	piece := []byte(strings.Repeat("<x>", 20_000))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(status)
		for {
			n, err := w.Write(piece)
			sent.Add(int64(n))
			if err != nil {
				return
			}
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// No reply of a service is read without a bound, and what it held is given back.
func TestEndlessReplies(t *testing.T) {
	for _, status := range []int{200, 503} {
		var sent atomic.Int64
		budget := target.NewReplyBudget(target.CommonReplyBudget)
		s := queueblob.NewService(endless(t, status, &sent), "races", func() (string, string) { return plantedKey, "" })
		queues, err := queueblob.OpenQueues(s, 1, budget)
		if err != nil {
			t.Fatal(err)
		}
		blobs, err := queueblob.OpenBlobs(s, 1, budget)
		if err != nil {
			t.Fatal(err)
		}
		beside := queueblob.Services{Queues: queues, Blobs: blobs}
		for _, one := range every() {
			if status != 200 && one.Verb != target.GetBlob && one.Verb != target.ReceiveMessages {
				continue
			}
			// What the system holds of it between the two comes on top.
			before, most := sent.Load(), int64(48<<20)
			if one.Verb == target.GetBlob && status == 200 {
				most += queueblob.MostBlob
			}
			o := beside.Do(t.Context(), &target.Operation{Beside: &one})
			if more := sent.Load() - before; more > most || o.Status == 0 && o.Fault != target.ReplyTooLong && o.Fault != target.ConnectionFailed {
				t.Errorf("%v of %d without an end = %+v after %d bytes; want an outcome after at most %d", one.Verb, status, o, more, most)
			}
			if one.Verb == target.ListBlobs && o.Fault != target.ReplyTooLong {
				t.Errorf("a list without an end = %+v; want %s", o, target.ReplyTooLong)
			}
			if held := budget.Held(); held != 0 {
				t.Errorf("%v of %d: %d bytes are held afterwards", one.Verb, status, held)
			}
		}
		queues.Close()
		blobs.Close()
	}
}

// Nor is a head.
func TestEndlessHeads(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Long", strings.Repeat("x", 1<<20))
	}))
	t.Cleanup(server.Close)
	s := services(t, server.URL, plantedKey, "")
	for _, one := range every() {
		if o := s.Do(t.Context(), &target.Operation{Beside: &one}); o.Status != 0 || o.Fault != target.ConnectionFailed {
			t.Errorf("%v with a head of 1 MiB = %+v; want a connection that failed", one.Verb, o)
		}
	}
}
