package azure_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/target"
	"loadgen/target/azure"
)

// byNetHTTP is a target that sends and reads as a driver with an HTTP client does.
type byNetHTTP struct{ *azure.NetHTTP }

// Do implements target.Target.
func (b byNetHTTP) Do(ctx context.Context, op *target.Operation) target.Outcome {
	response, err := b.RoundTrip(ctx, op)
	if err != nil {
		return unanswered(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return unanswered(err)
	}
	outcome := b.Outcome(op, response.StatusCode, response.Header, body)
	clear(body)
	clear(response.Header)
	return outcome
}

// unanswered returns what an error tells of an attempt, all of it.
func unanswered(err error) target.Outcome {
	none := new(target.Unanswered)
	if !errors.As(err, &none) {
		return target.Outcome{Detail: "not told by a target.Unanswered: " + err.Error()}
	}
	return target.Outcome{Fault: none.Fault, Detail: err.Error()}
}

// netHTTP returns a target's other way, closed when the test ends.
func netHTTP(t testing.TB, subject *azure.Target) byNetHTTP {
	n := subject.NetHTTP()
	t.Cleanup(n.Close)
	return byNetHTTP{n}
}

// ways are both to a target's service.
func ways(t testing.TB, subject *azure.Target) map[string]target.Target {
	return map[string]target.Target{"Do": subject, "net/http": netHTTP(t, subject)}
}

// sent is a request as a service has it.
type sent struct {
	Method, URI, Host, Body string
	Header                  http.Header
	Length                  int64
}

// Both ways send the same request, byte for byte but for the order of headers.
func TestNetHTTPSendsWhatDoSends(t *testing.T) {
	strange := single(entity.Merge, "a'b c/#?%2F+ü&=", entity.MatchAny)
	query := target.Operation{Verb: entity.Query, Table: "Runners", Query: target.OnePartition("NYC's 100% & more")}
	query.Query.Token = target.Token{Present: true, NextPartitionKey: "1!8!TllD", NextRowKey: "1!4!MQ--"}
	requests := make(chan sent, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		requests <- sent{r.Method, r.RequestURI, r.Host, string(body), r.Header, r.ContentLength}
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	t.Cleanup(server.Close)
	endpoint := endpointAt(t, server.URL+"/races")
	shared := must(endpoint.WithSAS("sv=2019-02-02&sig=" + "c2VjcmV0%2Bc2VjcmV0"))
	for _, endpoint := range []azure.Endpoint{endpoint, shared} {
		subject := open(t, azure.Options{Endpoint: endpoint, AskCounted: true, Clock: still{clock.NewReal()}})
		other := netHTTP(t, subject)
		for _, op := range append(every(), large(0), strange, query) {
			a := subject.Do(t.Context(), &op)
			want := <-requests
			b := other.Do(t.Context(), &op)
			got := <-requests
			// What another client puts on the wire it does not tell.
			if b.BytesOut, b.BytesIn = a.BytesOut, a.BytesIn; a.BytesOut < int64(len(want.Body)) {
				t.Errorf("%v: Do says that the request has %d bytes; want more than those of its body, %d", op.Verb, a.BytesOut, len(want.Body))
			}
			assert.Truef(t, reflect.DeepEqual(got, want) && reflect.DeepEqual(a, b),
				"%v over net/http sent\n%+v\nfor %+v; want as Do does\n%+v\nfor %+v", op.Verb, got, b, want, a)
		}
	}
}

// An attempt by net/http at a service that says nothing ends when its time is over.
func TestNetHTTPEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clk := clock.NewReal()
		subject := open(t, azure.Options{Clock: clk})
		service := &network{answer: func(*http.Request) (string, bool) { return "", true }}
		service.join(subject)
		got := do(t, netHTTP(t, subject), get("1"))
		assert.Truef(t, got.Status == 0 && got.Fault == target.TimedOut && clk.Now().Offset() == 5*time.Second,
			"%+v after %v; want %s after 5s", got, clk.Now().Offset(), target.TimedOut)
	})
}
