package rest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"loadgen/engine/clock"
)

// The bounds of requests for an issuer's documents: the time between two requests for one of them, the time after a
// failure while there is no copy, and the size.
const (
	issuerRefresh  = time.Minute
	issuerRetry    = time.Second
	maxIssuerBytes = 1 << 20
)

// issuerDocuments is a transport that answers requests for the documents of an issuer from a copy, which it refreshes at
// most once in [issuerRefresh]: a token with an unknown key id makes the verifier ask for the keys again, and anybody can
// send such tokens. It is safe for concurrent use, and sends one request at a time.
type issuerDocuments struct {
	clock clock.Clock

	mu     sync.Mutex
	copies map[string]*issuerCopy
}

// issuerCopy is the last reply for a document, and the time of the last request.
type issuerCopy struct {
	reply *http.Response
	body  []byte
	err   error
	asked clock.Instant
}

// RoundTrip implements [http.RoundTripper].
func (d *issuerDocuments) RoundTrip(r *http.Request) (*http.Response, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	address := r.URL.String()
	kept, now := d.copies[address], d.clock.Now()
	if kept == nil || now.Sub(kept.asked) >= issuerRefresh || kept.err != nil && now.Sub(kept.asked) >= issuerRetry {
		fresh := fetchDocument(r)
		fresh.asked = now
		if kept != nil && kept.err == nil && fresh.err != nil {
			kept.asked = now // the older copy is still good
		} else {
			kept = &fresh
		}
		d.copies[address] = kept
	}
	if kept.err != nil {
		return nil, kept.err
	}
	reply := *kept.reply
	reply.Request, reply.Body = r, io.NopCloser(bytes.NewReader(kept.body))
	return &reply, nil
}

// fetchDocument sends the request and reads its reply.
func fetchDocument(r *http.Request) (c issuerCopy) {
	if c.reply, c.err = http.DefaultTransport.RoundTrip(r); c.err != nil {
		return c
	}
	defer c.reply.Body.Close()
	if c.body, c.err = io.ReadAll(io.LimitReader(c.reply.Body, maxIssuerBytes)); c.err == nil && c.reply.StatusCode != http.StatusOK {
		c.err = fmt.Errorf("status %d", c.reply.StatusCode)
	}
	return c
}
