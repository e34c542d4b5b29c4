package drive

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"loadgen/results"
)

// ResultStream writes every attempt as a vegeta.Result, in vegeta's own gob encoding,
// so that vegeta's report, plot and encode commands work on a run. Results come
// in the order in which they ended, numbered in that in which they were sent, as
// vegeta's own are. Latency is
// the attempt's service time, as vegeta means it; the header [ResultStreamHeader] holds
// what the response time of the operation can be computed from. Vegeta judges
// success by the code alone, so that a 404 which its operation expects is one of
// vegeta's failures, though without an error. It is safe for concurrent use. A
// goroutine of its own does the writing; [ResultStream.Close] ends it.
type ResultStream struct {
	attack  string
	started time.Time
	kinds   []results.Kind
	results chan vegeta.Result
	written chan struct{}

	// mu guards what follows, and the closing of results.
	mu      sync.Mutex
	closed  bool
	failure error
}

var _ Observer = (*ResultStream)(nil)

// ResultStreamHeader is the one header of a recorded attempt: the encoding writes the
// entries of a map in random order, and equal runs are to give equal bytes. Its
// value is written as the query of a URL is, with the fields that follow.
const (
	ResultStreamHeader = "X-Loadgen"
	// ResultStreamOperation is the operation's number, ResultStreamAttempt counts its attempts
	// from 0.
	ResultStreamOperation = "operation"
	ResultStreamAttempt   = "attempt"
	// ResultStreamIntended is when the operation was due, in nanoseconds since the
	// run's instant zero.
	ResultStreamIntended = "intended_ns"
	// ResultStreamCode is the service's name for the outcome, left out where it gave
	// none.
	ResultStreamCode = "code"
)

// resultStreamLength is how many attempts may wait to be written. A writer that cannot
// keep up holds back the workers: nothing is dropped, and their lag shows it.
const resultStreamLength = 1 << 14

// NewResultStream returns a result stream that writes to w. The attack is the scenario's name,
// started the wall time of the run's instant zero, kinds those of the manifest.
func NewResultStream(w io.Writer, attack string, started time.Time, kinds []results.Kind) *ResultStream {
	t := &ResultStream{attack: attack, started: started, kinds: kinds,
		results: make(chan vegeta.Result, resultStreamLength), written: make(chan struct{})}
	go func() {
		out := bufio.NewWriterSize(w, 1<<16)
		defer close(t.written)
		encode := vegeta.NewEncoder(out)
		var failure error
		for r := range t.results {
			if failure == nil {
				failure = encode(&r)
			}
		}
		if err := out.Flush(); failure == nil {
			failure = err
		}
		if failure != nil {
			t.mu.Lock()
			t.failure = fmt.Errorf("drive: writing the attempts: %w", failure)
			t.mu.Unlock()
		}
	}()
	return t
}

// Attempt implements [Observer].
func (t *ResultStream) Attempt(a *results.Attempt) {
	fields := make([]byte, 0, 96)
	fields = strconv.AppendUint(append(fields, ResultStreamOperation+"="...), a.Number, 10)
	fields = strconv.AppendInt(append(fields, "&"+ResultStreamAttempt+"="...), int64(a.Try), 10)
	fields = strconv.AppendInt(append(fields, "&"+ResultStreamIntended+"="...), int64(a.Intended), 10)
	if a.Code != "" {
		fields = append(append(fields, "&"+ResultStreamCode+"="...), url.QueryEscape(a.Code)...)
	}
	kind := t.kinds[a.Kind]
	r := vegeta.Result{
		Attack: t.attack, Seq: a.Sequence, Code: uint16(a.Status),
		Timestamp: t.started.Add(a.Sent), Latency: a.Done - a.Sent,
		BytesOut: uint64(a.BytesOut), BytesIn: uint64(a.BytesIn),
		Method: kind.Group, URL: "loadgen:" + kind.Name,
		Headers: http.Header{ResultStreamHeader: {string(fields)}},
	}
	if a.Class != results.Ok {
		r.Error = strings.TrimRight(a.Class.String()+" "+strconv.Itoa(a.Status)+" "+a.Code, " ")
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		panic("drive: an attempt was recorded on a closed tape")
	}
	t.results <- r
}

// Completed implements [Observer]; the result stream holds attempts only.
func (t *ResultStream) Completed(*results.Completed) {}

// Close writes what is left and returns the first error of any write. Nothing
// may be recorded after it.
func (t *ResultStream) Close() error {
	t.mu.Lock()
	if !t.closed {
		t.closed = true
		close(t.results)
	}
	t.mu.Unlock()
	<-t.written
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.failure
}
