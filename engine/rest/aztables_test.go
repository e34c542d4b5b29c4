package rest_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/engine/rest"
	"loadgen/engine/rest/resttest"
)

// standard is the service behind a socket, and the standard client of Go at the
// other end of it.
type standard struct {
	url     string
	key     *aztables.SharedKeyCredential
	options *aztables.ClientOptions
	service *aztables.ServiceClient
	// connections counts those of the client.
	connections atomic.Int64
}

// newStandard serves over TLS, since the client's own signatures are for that alone.
func newStandard(t *testing.T) *standard {
	t.Helper()
	real := clock.NewReal()
	a := &standard{}
	h := newService(t, resttest.Options{Rest: rest.Options{Clock: real, Calendar: real}})
	ours, theirs := certified(t)
	a.url = open(t, rest.ListenOptions{TLS: ours, Handler: h}).URL() + "/" + account
	a.options = &aztables.ClientOptions{}
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		a.connections.Add(1)
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	a.options.Transport = &http.Client{Transport: &http.Transport{TLSClientConfig: theirs, DialContext: dial}}
	a.options.Retry.MaxRetries = -1
	var err error
	a.key, err = aztables.NewSharedKeyCredential(account, contoso.Secret)
	require.NoError(t, err)
	a.service, err = aztables.NewServiceClientWithSharedKey(a.url, a.key, a.options)
	require.NoError(t, err)
	return a
}

// table makes a table and returns the client of it.
func (a *standard) table(t *testing.T, name string) *aztables.Client {
	t.Helper()
	_, err := a.service.CreateTable(t.Context(), name, nil)
	require.NoError(t, err)
	return a.service.NewClient(name)
}

// wantError fails the test unless the client understood an error as what it is.
func wantError(t *testing.T, name string, err error, status int, code aztables.TableErrorCode) *azcore.ResponseError {
	t.Helper()
	var failed *azcore.ResponseError
	require.Truef(t, errors.As(err, &failed) && failed.StatusCode == status && failed.ErrorCode == string(code),
		"%s: error %v; want a ResponseError of %d %s", name, err, status, code)
	return failed
}

func pointer[T any](v T) *T { return &v }

func encode(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return text
}

func TestStandardClientService(t *testing.T) {
	t.Parallel()
	a := newStandard(t)
	before, err := a.service.GetProperties(t.Context(), nil)
	require.Truef(t, err == nil && len(before.Cors) == 0 && !*before.Logging.Read && !*before.HourMetrics.Enabled,
		"GetProperties = %+v, %v; want everything off", before, err)
	keep := &aztables.RetentionPolicy{Enabled: pointer(true), Days: pointer[int32](5)}
	want := aztables.ServiceProperties{
		Logging:     &aztables.Logging{Version: pointer("1.0"), Read: pointer(true), Write: pointer(false), Delete: pointer(true), RetentionPolicy: keep},
		HourMetrics: &aztables.Metrics{Version: pointer("1.0"), Enabled: pointer(true), IncludeAPIs: pointer(true), RetentionPolicy: keep},
		MinuteMetrics: &aztables.Metrics{Version: pointer("1.0"), Enabled: pointer(false),
			RetentionPolicy: &aztables.RetentionPolicy{Enabled: pointer(false)}},
		Cors: []*aztables.CorsRule{{AllowedOrigins: pointer("http://a"), AllowedMethods: pointer("GET,PUT"), AllowedHeaders: pointer("x-ms-*"),
			ExposedHeaders: pointer(""), MaxAgeInSeconds: pointer[int32](60)}},
	}
	_, err = a.service.SetProperties(t.Context(), want, nil)
	require.NoError(t, err)
	// What is nil keeps its value.
	_, err = a.service.SetProperties(t.Context(), aztables.ServiceProperties{Logging: want.Logging}, nil)
	require.NoError(t, err)
	got, err := a.service.GetProperties(t.Context(), nil)
	assert.Truef(t, err == nil && string(encode(t, got.ServiceProperties)) == string(encode(t, want)),
		"GetProperties = %s, %v; want %s", encode(t, got.ServiceProperties), err, encode(t, want))
	want.Cors = append(want.Cors, want.Cors[0], want.Cors[0], want.Cors[0], want.Cors[0], want.Cors[0])
	_, err = a.service.SetProperties(t.Context(), want, nil)
	wantError(t, "six rules", err, 400, aztables.InvalidXmlDocument)

	_, err = a.service.GetStatistics(t.Context(), nil)
	wantError(t, "statistics of the primary", err, 400, "InvalidQueryParameterValue")
	secondary, err := aztables.NewServiceClientWithSharedKey(a.url+"-secondary", a.key, a.options)
	require.NoError(t, err)
	statistics, err := secondary.GetStatistics(t.Context(), nil)
	if err != nil || *statistics.GeoReplication.Status != aztables.GeoReplicationStatusLive || time.Since(*statistics.GeoReplication.LastSyncTime) > time.Hour {
		t.Errorf("GetStatistics = %+v, %v; want live and new", statistics, err)
	}
}
