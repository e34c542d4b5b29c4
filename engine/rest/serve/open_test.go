package serve_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/rest/resttest"
	"loadgen/engine/rest/serve"
)

// The emulators' account and its key, and one of one's own.
const (
	emulators = "devstoreaccount1"
	own       = "cGxhbnRlZHNlY3JldHBsYW50ZWRzZWNyZXRwbGFudGVk"
)

var known = resttest.Emulator.Secret

// openService is a service that is open, and a client of it.
type openService struct {
	*resttest.OpenService
	t *testing.T
}

func open(t *testing.T, o serve.Options) *openService {
	t.Helper()
	return &openService{resttest.Open(t, o), t}
}

// get asks the second address for a path.
func (s *openService) get(path string) (int, string) {
	s.t.Helper()
	return resttest.Get(s.t, "GET", s.AdminURL()+path)
}

func (s *openService) state() serve.State {
	s.t.Helper()
	return resttest.ReadState(s.t, s.AdminURL())
}

// host is the address that the tables are served on.
func (s *openService) host() string {
	return strings.TrimSuffix(s.URL()[len("http://"):], "/"+emulators)
}

// wantJournal fails the test unless the journal has the words.
func (s *openService) wantJournal(words ...string) {
	s.t.Helper()
	for _, want := range words {
		assert.Truef(s.t, strings.Contains(s.Journal.String(), want),
			"the journal = %q; want %q in it", s.Journal, want)
	}
}

// stop ends the service with its archive.
func (s *openService) stop() {
	s.t.Helper()
	require.NoError(s.t, errors.Join(s.Drain(), s.Save()), "Drain and Save")
}

// makeTable is the body of the request of begin.
const makeTable = `{"TableName":"Races"}`

// begin sends all of a request but its body, and returns once the service has it.
func (s *openService) begin() *resttest.Conn {
	s.t.Helper()
	c := resttest.DialConn(s.t, s.host())
	c.Send(resttest.Emulator.Head(time.Now().UTC().Format(http.TimeFormat), "POST", "/"+emulators+"/Tables",
		"Content-Type: application/json", fmt.Sprint("Content-Length: ", len(makeTable))))
	resttest.Until(s.t, "a request under way", func() bool { return s.state().UnderWay == 1 })
	return c
}

// end sends what is left of the request of begin, and returns the status of the reply, 0
// where there is none.
func end(c *resttest.Conn) int {
	_, _ = c.Write([]byte(makeTable)) // its error is that nobody is there any more
	reply, _, err := c.Reply()
	if err != nil {
		return 0
	}
	return reply.StatusCode
}

// leftIn lists the files of a folder.
func leftIn(t *testing.T, folder string) []string {
	t.Helper()
	return must(filepath.Glob(filepath.Join(folder, "*")))(t)
}

// put writes files into the present folder.
func put(t *testing.T, files map[string]string) {
	t.Helper()
	for name, text := range files {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
}

// wantFault fails the test unless opening fails with one line that has these words. With a
// field it has to be a fault of that.
func wantFault(t *testing.T, what string, o serve.Options, field string, words ...string) error {
	t.Helper()
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	_, err := serve.Open(t.Context(), o)
	require.Errorf(t, err, "%s: Open", what)
	var fault serve.Fault
	assert.Truef(t, (field == "" || (errors.As(err, &fault) && fault.Field == field)) && !strings.Contains(err.Error(), "\n"),
		"%s: Open = %v; want one line, a fault of %s", what, err, field)
	for _, want := range words {
		assert.Containsf(t, err.Error(), want, "%s: Open = %v", what, err)
	}
	return err
}

// must returns the value of a call that must not fail.
func must[T any](value T, err error) func(testing.TB) T { return resttest.Must(value, err) }
