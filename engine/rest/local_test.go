package rest_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/rest"
)

// A local server answers to this machine's names, and no page of another machine.
func TestRequireLocal(t *testing.T) {
	guarded := rest.RequireLocal(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	for _, row := range []struct {
		sentence, host string
		origins        []string
		own            bool
	}{
		{"the loopback address", "127.0.0.1", nil, true},
		{"with a port", "127.0.0.1:9464", nil, true},
		{"another loopback address", "127.8.9.10:1", nil, true},
		{"that of the sixth version", "[::1]:9464", nil, true},
		{"without a port", "[::1]", nil, true},
		{"the fourth within the sixth", "[::ffff:127.0.0.1]:80", nil, true},
		{"the name", "localhost", nil, true},
		{"in whatever case, with a dot and a port", "LocalHost.:80", nil, true},
		{"a page's own name", "evil.example", nil, false},
		{"that begins as an address does", "127.0.0.1.evil.example:9464", nil, false},
		{"that ends as the name does", "evil.localhost.example", nil, false},
		{"an address of a network", "192.168.0.7:9464", nil, false},
		{"no name at all", "", nil, false},
		{"a zone", "fe80::1%lo", nil, false},
		{"what is no name", "127.0.0.1:80:80", nil, false},
		{"a name of great length", strings.Repeat("a", 60_000), nil, false},
		{"no page, but a program", "127.0.0.1:9464", nil, true},
		{"a page of this machine", "127.0.0.1:9464", []string{"http://localhost:3000"}, true},
		{"by its address", "127.0.0.1:9464", []string{"https://127.0.0.1"}, true},
		{"by that of the sixth version", "127.0.0.1:9464", []string{"http://[::1]:80"}, true},
		{"a page of the web", "127.0.0.1:9464", []string{"https://evil.example"}, false},
		{"whose name begins as an address does", "127.0.0.1:9464", []string{"http://127.0.0.1.evil.example"}, false},
		{"whose user is named as this machine", "127.0.0.1:9464", []string{"http://localhost@evil.example"}, false},
		{"a page without an origin to tell", "127.0.0.1:9464", []string{"null"}, false},
		{"one of this machine and one of the web", "127.0.0.1:9464", []string{"http://localhost", "https://evil.example"}, false},
		{"an empty one", "127.0.0.1:9464", []string{""}, false},
		{"what is no address", "127.0.0.1:9464", []string{"http://[::1"}, false},
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", "/metrics", nil)
		r.Host, r.Header["Origin"] = row.host, row.origins
		guarded.ServeHTTP(w, r)
		status := map[bool]int{false: http.StatusForbidden, true: http.StatusTeapot}[row.own]
		assert.Truef(t, w.Code == status && w.Body.Len() <= 300 && strings.Count(w.Body.String(), "\n") <= 1,
			"%s: Host %.60q, Origin %q = %d %.300q; want %d, and at most a line", row.sentence, row.host, row.origins, w.Code, w.Body, status)
	}
}

func TestReachable(t *testing.T) {
	for text, want := range map[string]bool{"127.0.0.1:1": false, "[::1]:1": false, "0.0.0.0:1": true, "[::]:1": true, "10.1.2.3:1": true} {
		assert.Equal(t, want, rest.IsReachable(must(net.ResolveTCPAddr("tcp", text))(t)), text)
	}
}
