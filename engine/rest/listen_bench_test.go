package rest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// BenchmarkRequest measures what a request costs beside what net/http does: to follow
// it, to answer it, and to wait for the next.
func BenchmarkRequest(b *testing.B) {
	sent := []byte("POST /devstoreaccount1/Races HTTP/1.1\r\nHost: 127.0.0.1:10002\r\nUser-Agent: loadgen/1 (go1.26; linux)\r\n" +
		"Accept: application/json;odata=minimalmetadata\r\nContent-Type: application/json\r\nPrefer: return-no-content\r\n" +
		"x-ms-version: 2019-02-02\r\nx-ms-date: Fri, 20 Nov 2026 11:48:19 GMT\r\nx-ms-client-request-id: 379d5b59-a2f1-4389-99fe-3a4e7a0535da\r\n" +
		"Authorization: SharedKeyLite devstoreaccount1:" + strings.Repeat("a", 44) + "\r\nContent-Length: 1024\r\n\r\n" + strings.Repeat("x", 1024))
	c := new(connection)
	ctx := context.WithValue(context.Background(), connectionKey{}, c)
	for range 3 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(context.WithValue(ctx, http.ServerContextKey, c))
		defer cancel()
	}
	r := httptest.NewRequestWithContext(ctx, "POST", "/", nil)
	w := httptest.NewRecorder()
	h := framed{http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })}
	b.ReportAllocs()
	for turn := uint64(1); b.Loop(); turn++ {
		if !c.wake() {
			b.Fatal("evicted")
		}
		c.follow(sent)
		h.ServeHTTP(w, r)
		c.idle.CompareAndSwap(busy, turn)
	}
	if w.Header().Get("Connection") != "" {
		b.Error("the connection does not last")
	}
}
