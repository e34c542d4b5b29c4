package azure_test

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/target/azure"
)

const (
	tablesServer = "Server: Windows-Azure-Table/1.0 Microsoft-HTTPAPI/2.0\n"
	onTime       = "Date: Fri, 20 Nov 2026 11:48:19 GMT\n"
	jsonReply    = "Content-Type: application/json;odata=minimalmetadata\n"
	noTables     = "\n" + `{"odata.metadata":"http://127.0.0.1/races/$metadata#Tables","value":[]}`
)

// failing is the reply of a table service to a request that it does not carry
// out.
func failing(status, date, code string) string {
	return "HTTP/1.1 " + status + "\n" + tablesServer + date + jsonReply + "\n" +
		`{"odata.error":{"code":"` + code + `","message":{"lang":"en-US","value":"It will not do."}}}`
}

func TestProbe(t *testing.T) {
	const forbidden = "403 Forbidden"
	late := "Date: Fri, 20 Nov 2026 12:04:19 GMT\n"
	early := "Date: Fri, 20 Nov 2026 11:28:19 GMT\n"
	const (
		account = "sv=2019-02-02&ss=t&srt=sco&sp=raudl&sig=c2VjcmV0"
		expired = account + "&se=2026-11-20T11:00:00Z"
		future  = account + "&st=2026-11-21"
		ofTable = "sv=2019-02-02&tn=Runners&sp=r&sig=c2VjcmV0"
	)
	for _, row := range []struct {
		name, reply, sas string
		kind             error
		hint             string
	}{
		{"a table service", "HTTP/1.1 200 OK\n" + tablesServer + onTime + jsonReply + noTables, "", nil, ""},
		{"a table service that says nothing of itself", "HTTP/1.1 200 OK\n" + jsonReply + noTables, "", nil, ""},
		{"an entity, for a table's signature", strings.Replace(golden(t, "query_200_last"), "\n\n", "\n"+onTime+"\n", 1), ofTable, nil, ""},
		{"a wrong key", failing(forbidden, onTime, "AuthenticationFailed"), "", azure.ErrAuthentication, "not that of the account races"},
		{"a disabled account", failing(forbidden, onTime, "AccountIsDisabled"), "", azure.ErrAuthentication, "403 AccountIsDisabled: It will not do."},
		{"no account of that name", failing("404 Not Found", onTime, "ResourceNotFound"), "", azure.ErrAuthentication, "no account races"},
		{"a token asked for", failing("401 Unauthorized", onTime, "InvalidAuthenticationInfo"), "", azure.ErrAuthentication, "401"},
		{"a malformed proof", failing("400 Bad Request", onTime, "InvalidAuthenticationInfo"), "", azure.ErrAuthentication, "400"},
		{"a clock 16 minutes slow", failing(forbidden, late, "AuthenticationFailed"), "", azure.ErrClock, "16m0s slow"},
		{"a clock 20 minutes fast", failing(forbidden, early, "AuthenticationFailed"), "", azure.ErrClock, "20m0s fast"},
		{"a clock off that does no harm", "HTTP/1.1 200 OK\n" + tablesServer + late + jsonReply + noTables, "", nil, ""},
		{"an expired signature", failing(forbidden, onTime, "AuthenticationFailed"), expired, azure.ErrAuthentication, "expired at 2026-11-20T11:00:00Z"},
		{"a signature of tomorrow", failing(forbidden, onTime, "AuthenticationFailed"), future, azure.ErrAuthentication, "only from 2026-11-21T00:00:00Z on"},
		{"a wrong signature", failing(forbidden, onTime, "AuthenticationFailed"), account, azure.ErrAuthentication, "not one of the account"},
		{"a signature for other services", failing(forbidden, onTime, "AuthorizationServiceMismatch"), account, azure.ErrAuthentication, "has not the rights"},
		{"a signature that does not open lists", failing(forbidden, onTime, "AuthorizationPermissionMismatch"), account, nil, ""},
		{"a signature for entities alone", failing(forbidden, onTime, "AuthorizationResourceTypeMismatch"), account, nil, ""},
		{"a table's signature whose table is missing", failing("404 Not Found", onTime, "TableNotFound"), ofTable, nil, ""},
		{"a busy service", failing("503 Busy", onTime, "ServerBusy"), "", nil, ""},
		{"a blob service", "HTTP/1.1 400 Bad Request\nServer: Windows-Azure-Blob/1.0 Microsoft-HTTPAPI/2.0\nContent-Type: application/xml\n\n<?xml version=\"1.0\"?><Error><Code>InvalidUri</Code></Error>",
			"", azure.ErrNotTables, "this is the blob service"},
		{"a queue service that refuses the key", "HTTP/1.1 403 Forbidden\nServer: Azurite-Queue/3.35.0\n\n<Error><Code>AuthenticationFailed</Code></Error>",
			"", azure.ErrNotTables, "this is the queue service"},
		{"a service that does not say which", "HTTP/1.1 400 Bad Request\nx-ms-error-code: InvalidQueryParameterValue\n\n<?xml version=\"1.0\"?><Error><Code>InvalidQueryParameterValue</Code></Error>",
			"", azure.ErrNotTables, "another service"},
		{"a web page", "HTTP/1.1 200 OK\nServer: nginx\nContent-Type: text/html\n\n<!doctype html><title>It works</title>", "", azure.ErrNotTables, "200 with a web page"},
		{"another JSON", "HTTP/1.1 200 OK\nContent-Type: application/json\n\n{\"hello\":1}", "", azure.ErrNotTables, "a body of another kind"},
		{"nothing", "HTTP/1.1 200 OK\nContent-Length: 0\n\n", "", azure.ErrNotTables, "nothing in it"},
		{"a redirection", "HTTP/1.1 302 Found\nLocation: https://example.org\nContent-Length: 0\n\n", "", azure.ErrNotTables, "302"},
		{"plain text to a port of TLS", "HTTP/1.1 400 Bad Request\nContent-Type: text/plain\n\nClient sent an HTTP request to an HTTPS server.", "", azure.ErrNotTables, "needs https"},
		{"an unknown table error", failing("415 Unsupported", onTime, "AtomFormatNotSupported"), "", azure.ErrNotTables, "415 AtomFormatNotSupported"},
	} {
		server := serve(t, func(int, []byte) (string, bool) { return framed(row.reply, false), true })
		endpoint := endpointAt(t, server.url())
		if row.sas != "" {
			endpoint = must(endpoint.WithSAS(row.sas))
		}
		subject := open(t, azure.Options{Endpoint: endpoint, Clock: still{clock.NewReal()}})
		got, err := subject.Probe(t.Context())
		assert.Truef(t, (row.kind == nil) == (err == nil) && errors.Is(err, row.kind),
			"%s: Probe = %+v, %v; want %v", row.name, got, err, row.kind)
		if err != nil && (!strings.Contains(err.Error(), row.hint) || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "c2Vj")) {
			t.Errorf("%s: Probe = %q; want one line with %q", row.name, err, row.hint)
		}
		assert.Lenf(t, server.requests(), 1, "%s: requests", row.name)
		path := "GET /races/Tables?$top=1"
		if strings.Contains(row.sas, "tn=") {
			path = "GET /races/Runners()?$top=1&sv="
		}
		if request := string(server.requests()[0]); !strings.HasPrefix(request, path) || strings.Contains(request, "Authorization:") != (row.sas == "") {
			t.Errorf("%s: asked\n%s\nwant %s, signed by one or the other", row.name, request, path)
		}
	}
}

func TestProbeDescribes(t *testing.T) {
	const later = "Date: Fri, 20 Nov 2026 11:48:29 GMT\n"
	reply := "HTTP/1.1 200 OK\n" + tablesServer + later + "x-ms-version: 2019-02-02\n" + jsonReply
	subject, _ := openAt(t, always(framed(reply+noTables, true)), azure.Options{Clock: still{clock.NewReal()}})
	want := azure.Service{Server: "Windows-Azure-Table/1.0 Microsoft-HTTPAPI/2.0", Version: "2019-02-02", Ahead: 10 * time.Second}
	got, err := subject.Probe(t.Context())
	assert.Truef(t, err == nil && got == want, "Probe = %+v, %v; want %+v", got, err, want)
}

func TestProbeGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clk := clock.NewReal()
		subject := open(t, azure.Options{Clock: clk, Timeout: time.Minute})
		stuck := make(chan struct{})
		n := &network{answer: func(*http.Request) (string, bool) { <-stuck; return "", false }}
		n.join(subject)
		_, err := subject.Probe(t.Context())
		if !errors.Is(err, azure.ErrUnreachable) || !strings.Contains(err.Error(), "no reply within 4s") || clk.Now() != clock.Instant(4*time.Second) {
			t.Errorf("Probe = %v at %v; want ErrUnreachable after 4s", err, clk.Now().Offset())
		}
		close(stuck)
		n.handlers.Wait()
	})
}

func TestLimits(t *testing.T) {
	for _, row := range []struct {
		sentence string
		status   int
		code     entity.Code
		message  string
		want     azure.ServiceLimit
	}{
		{"the account's requests", 503, "ServerBusy", "Operations per second is over the account limit.\nRequestId:1", azure.LimitAccount},
		{"what the account takes in", 503, "ServerBusy", "Ingress is over the account limit.", azure.LimitIngress},
		{"what the account gives out", 503, "ServerBusy", "Egress is over the account limit.", azure.LimitEgress},
		{"a partition server", 503, "ServerBusy", "The server is currently unable to receive requests. Please retry your request.", azure.LimitPartition},
		{"a partition server, by its other sentence", 503, "ServerBusy", "The server is busy.", azure.LimitPartition},
		{"an operation that was not finished", 500, "OperationTimedOut", "Operation could not be completed within the specified time.", azure.LimitTime},
		{"a gateway that waited", 504, "", "", azure.LimitTime},
		{"request units of Cosmos DB", 429, "TooManyRequests", "Request rate is large.", azure.LimitRequestUnits},
		{"a fault of the service", 500, "InternalError", "The server encountered an internal error.", azure.LimitInternal},
		{"a refusal that says nothing", 503, "", "", azure.LimitUnknown},
	} {
		assert.Equalf(t, row.want, azure.ServiceLimitOf(row.status, row.code, row.message), "%s: ServiceLimitOf", row.sentence)
	}
}

// Of attempts that are drawn, from many goroutines, all refusals are counted, and the ten
// slowest are the ten slowest: sorting all of them says which.
func TestABookKeepsTheSlowestAndCountsAll(t *testing.T) {
	const workers, each = 8, 500
	var book azure.RefusalLog
	var under sync.WaitGroup
	drawn := make([]azure.NotedRequest, workers*each)
	for w := range workers {
		chance := rand.New(rand.NewPCG(31, uint64(w)))
		under.Go(func() {
			for n := range each {
				one := &drawn[w*each+n]
				one.At, one.ID = clock.Instant(n), fmt.Sprint(w, n)
				one.Took = time.Duration(chance.Int64N(int64(time.Second)))
				one.Status = []int{200, 204, 404, 503, 500, 429}[chance.IntN(6)]
				if book.Notable(one.Status, one.Took) {
					book.Take(*one, "")
				}
			}
		})
	}
	under.Wait()
	said := book.Said()
	slices.SortFunc(drawn, func(a, b azure.NotedRequest) int { return cmp.Compare(b.Took, a.Took) })
	require.Len(t, said.Slowest, 10, "slow requests that are kept")
	for i, one := range said.Slowest {
		assert.Equalf(t, drawn[i].Took, one.Took, "the slowest number %d took", i)
	}
	refused := map[int]int64{}
	for _, one := range drawn {
		refused[one.Status]++
	}
	for _, one := range said.Refusals {
		assert.Truef(t, azure.IsRefusal(one.Status) && one.Count == refused[one.Status] && len(one.First) == 4,
			"%d: %d are counted, %d kept; want %d, and 4", one.Status, one.Count, len(one.First), refused[one.Status])
	}
	assert.Truef(t, len(said.Refusals) == 3 && said.Dropped == 0,
		"%d kinds, %d dropped; want 3 and none", len(said.Refusals), said.Dropped)
}

// What a service may make up does not grow without bound, and what is left out is counted.
func TestABookIsBounded(t *testing.T) {
	var book azure.RefusalLog
	for n := range 1000 {
		book.Take(azure.NotedRequest{Status: 503, Code: entity.Code(fmt.Sprint("Code", n))}, "")
	}
	said := book.Said()
	var counted int64
	for _, one := range said.Refusals {
		counted += one.Count
	}
	assert.Truef(t, len(said.Refusals) <= 24 && counted+said.Dropped == 1000,
		"%d kinds of %d, %d dropped; want 24 at most, of 1000 in all", len(said.Refusals), counted, said.Dropped)
}
