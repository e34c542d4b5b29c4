package rest_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"loadgen/engine/rest"
)

func TestLocalAnswersToItsOwnNamesAlone(t *testing.T) {
	guarded := rest.RequireLocal(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	for _, row := range []struct {
		sentence, host string
		own            bool
	}{
		{"the loopback address", "127.0.0.1", true},
		{"with a port", "127.0.0.1:9464", true},
		{"another loopback address", "127.8.9.10:1", true},
		{"that of the sixth version", "[::1]:9464", true},
		{"without a port", "[::1]", true},
		{"the fourth within the sixth", "[::ffff:127.0.0.1]:80", true},
		{"the name", "localhost", true},
		{"in whatever case, with a dot and a port", "LocalHost.:80", true},
		{"a page's own name", "evil.example", false},
		{"that begins as an address does", "127.0.0.1.evil.example:9464", false},
		{"that ends as the name does", "evil.localhost.example", false},
		{"an address of a network", "192.168.0.7:9464", false},
		{"no name at all", "", false},
		{"a zone", "fe80::1%lo", false},
		{"what is no name", "127.0.0.1:80:80", false},
		{"a name of great length", strings.Repeat("a", 60_000), false},
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", "/metrics", nil)
		r.Host = row.host
		guarded.ServeHTTP(w, r)
		status := http.StatusForbidden
		if row.own {
			status = http.StatusTeapot
		}
		if w.Code != status || w.Body.Len() > 300 || strings.Count(w.Body.String(), "\n") > 1 {
			t.Errorf("%s: Host %.60q = %d %.300q; want %d, and at most a line", row.sentence, row.host, w.Code, w.Body, status)
		}
	}
}

func TestLocalAnswersNoPageOfAnotherMachine(t *testing.T) {
	guarded := rest.RequireLocal(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	for _, row := range []struct {
		sentence string
		origins  []string
		own      bool
	}{
		{"no page, but a program", nil, true},
		{"a page of this machine", []string{"http://localhost:3000"}, true},
		{"by its address", []string{"https://127.0.0.1"}, true},
		{"by that of the sixth version", []string{"http://[::1]:80"}, true},
		{"a page of the web", []string{"https://evil.example"}, false},
		{"whose name begins as an address does", []string{"http://127.0.0.1.evil.example"}, false},
		{"whose user is named as this machine", []string{"http://localhost@evil.example"}, false},
		{"a page without an origin to tell", []string{"null"}, false},
		{"one of this machine and one of the web", []string{"http://localhost", "https://evil.example"}, false},
		{"an empty one", []string{""}, false},
		{"what is no address", []string{"http://[::1"}, false},
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", "/metrics", nil)
		r.Host, r.Header["Origin"] = "127.0.0.1:9464", row.origins
		guarded.ServeHTTP(w, r)
		status := http.StatusForbidden
		if row.own {
			status = http.StatusTeapot
		}
		if w.Code != status || strings.Count(w.Body.String(), "\n") > 1 {
			t.Errorf("%s: Origin %q = %d %q; want %d, and at most a line", row.sentence, row.origins, w.Code, w.Body, status)
		}
	}
}

func TestReachable(t *testing.T) {
	for _, row := range []struct {
		address string
		want    bool
	}{{"127.0.0.1:1", false}, {"[::1]:1", false}, {"0.0.0.0:1", true}, {"[::]:1", true}, {"10.1.2.3:1", true}} {
		address, err := net.ResolveTCPAddr("tcp", row.address)
		if err != nil {
			t.Fatal(err)
		}
		if got := rest.IsReachable(address); got != row.want {
			t.Errorf("Reachable(%s) = %v; want %v", row.address, got, row.want)
		}
	}
}
