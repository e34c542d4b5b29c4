package rest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/rest"
	"loadgen/engine/rest/resttest"
)

// standard is the service behind a socket, and the standard client of Go at the
// other end of it.
type standard struct {
	*witness
	url     string
	key     *aztables.SharedKeyCredential
	options *aztables.ClientOptions
	service *aztables.ServiceClient
	// dials counts the connections.
	dials atomic.Int64
}

// newStandard serves over TLS, since the client's own signatures are for that
// alone. Between the socket and the handler comes what between makes of it; nil
// for nothing.
func newStandard(t *testing.T, between func(http.Handler) http.Handler) *standard {
	t.Helper()
	real := clock.NewReal()
	a := &standard{witness: &witness{}}
	var h http.Handler = newService(t, resttest.Options{Rest: rest.Options{Clock: real, Calendar: real, Observe: a.observe}})
	if between != nil {
		h = between(h)
	}
	ours, theirs := certified(t)
	a.url = open(t, rest.ListenOptions{TLS: ours, Handler: h}).URL() + "/" + account
	a.options = &aztables.ClientOptions{}
	a.options.Transport = &http.Client{Transport: &http.Transport{TLSClientConfig: theirs, DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		a.dials.Add(1)
		return new(net.Dialer).DialContext(ctx, network, address)
	}}}
	a.options.Retry.MaxRetries = -1
	a.key = must(aztables.NewSharedKeyCredential(account, contoso.Secret))(t)
	a.service = must(aztables.NewServiceClientWithSharedKey(a.url, a.key, a.options))(t)
	return a
}

// table makes a table and returns the client of it.
func (a *standard) table(t *testing.T, name string) *aztables.Client {
	t.Helper()
	must(a.service.CreateTable(t.Context(), name, nil))(t)
	return a.service.NewClient(name)
}

// refused returns a function that fails the test unless the client understood an error as what it is.
func refused[T any](_ T, err error) func(t *testing.T, name string, status int, code aztables.TableErrorCode) error {
	return func(t *testing.T, name string, status int, code aztables.TableErrorCode) error {
		t.Helper()
		var failed *azcore.ResponseError
		require.Truef(t, errors.As(err, &failed) && failed.StatusCode == status && failed.ErrorCode == string(code),
			"%s: error %v; want a ResponseError of %d %s", name, err, status, code)
		return failed
	}
}

func pointer[T any](v T) *T { return &v }

func encode(t *testing.T, v any) []byte {
	t.Helper()
	return must(json.Marshal(v))(t)
}

// tableNames lists all tables, so many a page.
func (a *standard) tableNames(t *testing.T, options *aztables.ListTablesOptions) (names []string, pages int) {
	t.Helper()
	for pager := a.service.NewListTablesPager(options); pager.More(); pages++ {
		page := must(pager.NextPage(t.Context()))(t)
		for _, table := range page.Tables {
			names = append(names, *table.Name)
		}
	}
	return names, pages
}

func TestStandardClientTables(t *testing.T) {
	t.Parallel()
	a := newStandard(t, nil)
	for _, name := range []string{"Races", "boats", "Archers", "rowers"} {
		assert.Equal(t, name, *must(a.service.CreateTable(t.Context(), name, nil))(t).TableName)
	}
	for _, row := range []struct {
		name    string
		options *aztables.ListTablesOptions
		want    []string
		pages   int
	}{
		{"all", nil, []string{"Archers", "boats", "Races", "rowers"}, 1},
		{"a page each", &aztables.ListTablesOptions{Top: pointer[int32](1)}, []string{"Archers", "boats", "Races", "rowers"}, 4},
		{"two a page, in full", &aztables.ListTablesOptions{Top: pointer[int32](2), Format: pointer(aztables.MetadataFormatFull)},
			[]string{"Archers", "boats", "Races", "rowers"}, 2},
		{"by a filter", &aztables.ListTablesOptions{Filter: pointer("TableName ge 'Races' and TableName lt 'c'")}, []string{"boats", "Races"}, 1},
		{"none", &aztables.ListTablesOptions{Filter: pointer("TableName eq 'Riders'")}, nil, 1},
		{"by name alone", &aztables.ListTablesOptions{Select: pointer("TableName"), Format: pointer(aztables.MetadataFormatNone)},
			[]string{"Archers", "boats", "Races", "rowers"}, 1},
	} {
		names, pages := a.tableNames(t, row.options)
		assert.Equal(t, row.want, names, row.name)
		assert.Equalf(t, row.pages, pages, "%s: pages", row.name)
	}
	refused(a.service.CreateTable(t.Context(), "RACES", nil))(t, "a table that is there", 409, aztables.TableAlreadyExists)
	refused(a.service.CreateTable(t.Context(), "a-b", nil))(t, "a name that cannot be", 400, aztables.TableErrorCode("InvalidResourceName"))
	must(a.service.DeleteTable(t.Context(), "races", nil))(t)
	refused(a.service.DeleteTable(t.Context(), "Races", nil))(t, "a table that is gone", 404, aztables.ResourceNotFound)
	refused(a.service.NewClient("Races").GetEntity(t.Context(), "a", "b", nil))(t, "an entity of a table that is gone", 404, aztables.TableNotFound)
	must(a.service.NewClient("Races").CreateTable(t.Context(), nil))(t)
}

func TestStandardClientService(t *testing.T) {
	t.Parallel()
	a := newStandard(t, nil)
	before := must(a.service.GetProperties(t.Context(), nil))(t)
	assert.Truef(t, len(before.Cors) == 0 && !*before.Logging.Read && !*before.HourMetrics.Enabled, "GetProperties = %+v; want everything off", before)
	keep := &aztables.RetentionPolicy{Enabled: pointer(true), Days: pointer[int32](5)}
	want := aztables.ServiceProperties{
		Logging:     &aztables.Logging{Version: pointer("1.0"), Read: pointer(true), Write: pointer(false), Delete: pointer(true), RetentionPolicy: keep},
		HourMetrics: &aztables.Metrics{Version: pointer("1.0"), Enabled: pointer(true), IncludeAPIs: pointer(true), RetentionPolicy: keep},
		MinuteMetrics: &aztables.Metrics{Version: pointer("1.0"), Enabled: pointer(false),
			RetentionPolicy: &aztables.RetentionPolicy{Enabled: pointer(false)}},
		Cors: []*aztables.CorsRule{{AllowedOrigins: pointer("http://a"), AllowedMethods: pointer("GET,PUT"), AllowedHeaders: pointer("x-ms-*"),
			ExposedHeaders: pointer(""), MaxAgeInSeconds: pointer[int32](60)}},
	}
	must(a.service.SetProperties(t.Context(), want, nil))(t)
	// What is nil keeps its value.
	must(a.service.SetProperties(t.Context(), aztables.ServiceProperties{Logging: want.Logging}, nil))(t)
	got := must(a.service.GetProperties(t.Context(), nil))(t)
	assert.JSONEq(t, string(encode(t, want)), string(encode(t, got.ServiceProperties)))
	want.Cors = append(want.Cors, want.Cors[0], want.Cors[0], want.Cors[0], want.Cors[0], want.Cors[0])
	refused(a.service.SetProperties(t.Context(), want, nil))(t, "six rules", 400, aztables.InvalidXmlDocument)

	refused(a.service.GetStatistics(t.Context(), nil))(t, "statistics of the primary", 400, "InvalidQueryParameterValue")
	secondary := must(aztables.NewServiceClientWithSharedKey(a.url+"-secondary", a.key, a.options))(t)
	replication := must(secondary.GetStatistics(t.Context(), nil))(t).GeoReplication
	assert.Equal(t, aztables.GeoReplicationStatusLive, *replication.Status)
	assert.Less(t, time.Since(*replication.LastSyncTime), time.Hour)
}

// An attempt whose reply is lost was carried out all the same; the client tries
// again, and finds what it has done itself.
func TestStandardClientMeetsItsOwnAttempt(t *testing.T) {
	t.Parallel()
	lost := make(chan struct{}, 1)
	a := newStandard(t, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			select {
			case <-lost:
				h.ServeHTTP(httptest.NewRecorder(), r)
				panic(http.ErrAbortHandler)
			default:
				h.ServeHTTP(w, r)
			}
		})
	})
	a.options.Retry.MaxRetries = 3
	a.options.Retry.RetryDelay = time.Millisecond
	service := must(aztables.NewServiceClientWithSharedKey(a.url, a.key, a.options))(t)
	a.table(t, "Races")
	table := service.NewClient("Races")
	body := []byte(`{"PartitionKey":"full","RowKey":"1","Number":1}`)
	ctx := t.Context()
	added := func() error { _, err := table.AddEntity(ctx, body, nil); return err }
	upserted := func() error { _, err := table.UpsertEntity(ctx, body, nil); return err }
	deleted := func() error { _, err := table.DeleteEntity(ctx, "full", "1", nil); return err }
	read := func() error { _, err := table.GetEntity(ctx, "full", "1", nil); return err }
	for _, row := range []struct {
		name   string
		do     func() error
		status int
		code   aztables.TableErrorCode
	}{
		{"an insert is in its own way", added, 409, aztables.EntityAlreadyExists},
		{"a get may be repeated", read, 0, ""},
		{"an upsert may be repeated", upserted, 0, ""},
		{"a delete finds nothing left", deleted, 404, aztables.ResourceNotFound},
	} {
		a.take()
		lost <- struct{}{}
		if err := row.do(); row.status != 0 {
			refused(0, err)(t, row.name, row.status, row.code)
		} else {
			assert.NoError(t, err, row.name)
		}
		seen := a.take()
		assert.Truef(t, len(seen) == 2 && seen[0].Code == entity.OK, "%s: seen %+v; want two attempts, the first of them carried out", row.name, seen)
	}
}

// The standard client keeps its connection, whatever it asks and whatever comes of it.
func TestStandardClientKeepsItsConnection(t *testing.T) {
	t.Parallel()
	a := newStandard(t, nil)
	table := a.table(t, "Races")
	for i := range 10 {
		row := fmt.Sprint(i)
		add := encode(t, map[string]any{"PartitionKey": "p", "RowKey": row, "Text": strings.Repeat("x", i*3000)})
		must(table.AddEntity(t.Context(), add, nil))(t)
		refused(table.AddEntity(t.Context(), add, nil))(t, "a second insert", 409, aztables.EntityAlreadyExists)
		must(table.GetEntity(t.Context(), "p", row, nil))(t)
		actions := []aztables.TransactionAction{{ActionType: aztables.TransactionTypeInsertMerge, Entity: add}}
		must(table.SubmitTransaction(t.Context(), actions, nil))(t)
	}
	assert.EqualValues(t, 1, a.dials.Load(), "connections")
}
