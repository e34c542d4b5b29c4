package rest

import (
	"net"
	"testing"
)

func TestAddressOf(t *testing.T) {
	for _, tt := range []struct{ typed, want string }{
		{":9464", "127.0.0.1:9464"},
		{"9464", "127.0.0.1:9464"},
		{"0", "127.0.0.1:0"},
		{"127.0.0.1:0", "127.0.0.1:0"},
		{"[::1]:9464", "[::1]:9464"},
		{"0.0.0.0:9464", "0.0.0.0:9464"},
		{"localhost:1", "localhost:1"},
		{"", ""}, {":", ""}, {":65536", ""}, {":http", ""}, {"::1", ""}, {"localhost", ""}, {":-1", ""}, {"1:2:3", ""},
	} {
		if got, err := addressOf(tt.typed); got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%q is %q, %v; want %q", tt.typed, got, err, tt.want)
		}
	}
}

// Whatever is typed, it is throttled, or an address of which the host is not empty.
func FuzzAddressOf(f *testing.F) {
	for _, seed := range []string{":9464", "127.0.0.1:0", "[::1]:1", "9464", "a:b", "\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, typed string) {
		full, err := addressOf(typed)
		if err != nil {
			return
		}
		if host, port, err := net.SplitHostPort(full); err != nil || host == "" || port == "" {
			t.Errorf("%q is %q: host %q, port %q, %v", typed, full, host, port, err)
		}
	})
}
