package resttest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/rest/serve"
)

// Buffer is a buffer that is safe for concurrent use.
type Buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements [io.Writer].
func (b *Buffer) Write(text []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(text)
}

// String returns the text written so far.
func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// OpenService is a service of package serve that is open, with a client.
type OpenService struct {
	*serve.Service
	*Client
	Journal *Buffer
	t       testing.TB
}

// Open opens a service, by default on a free port, and starts to serve. The client uses the
// options' key.
func Open(t testing.TB, o serve.Options) *OpenService {
	t.Helper()
	s := &OpenService{t: t, Journal: new(Buffer)}
	o.Listen, o.Journal = cmp.Or(o.Listen, "127.0.0.1:0"), s.Journal
	var err error
	s.Service, err = serve.Open(t.Context(), o)
	require.NoError(t, err, "Open")
	t.Cleanup(func() { assert.NoError(t, s.Service.Close(), "Close") })
	s.Begin()
	s.Client = Dial(t, strings.Replace(s.ConnectionString(), "<the key of "+o.KeyName+">", o.Key, 1))
	return s
}

// Close closes the service.
func (s *OpenService) Close() error { return s.Service.Close() }

// Get sends a request without a signature.
func Get(t testing.TB, method, url string) (status int, text string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	require.NoError(t, err)
	reply, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer reply.Body.Close()
	body, err := io.ReadAll(reply.Body)
	require.NoError(t, err)
	return reply.StatusCode, string(body)
}

// ReadState reads a service's state from its admin address.
func ReadState(t testing.TB, adminURL string) (now serve.State) {
	t.Helper()
	status, text := Get(t, "GET", adminURL+serve.StatePath)
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	require.NoErrorf(t, decoder.Decode(&now), "GET %s = %d %q", serve.StatePath, status, text)
	require.Equal(t, http.StatusOK, status, serve.StatePath)
	return now
}

// Until waits up to ten seconds for a condition that another goroutine or process causes.
func Until(t testing.TB, what string, there func() bool) {
	t.Helper()
	for last := time.Now().Add(10 * time.Second); !there(); time.Sleep(time.Millisecond) {
		require.Falsef(t, time.Now().After(last), "timed out waiting for %s", what)
	}
}
