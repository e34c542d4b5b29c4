package resttest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Key is an account with its key, in base64.
type Key struct{ Account, Secret string }

// Contoso is the default account of [New] and [Listen], Emulator the well-known account of emulators.
var (
	Contoso  = Key{"contoso", "dGhlIGtleSBvZiB0aGUgYWNjb3VudCBjb250b3Nv"}
	Emulator = Key{"devstoreaccount1", "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="}
)

// MAC returns the HMAC-SHA256 of a text in base64, computed without package wire.
func (k Key) MAC(text string) string {
	key, err := base64.StdEncoding.DecodeString(k.Secret)
	if err != nil {
		panic(err)
	}
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return base64.StdEncoding.EncodeToString(h.Sum(nil))
}

// Lite returns the SharedKeyLite Authorization header of a request.
func (k Key) Lite(date, target string) string {
	path, query, _ := strings.Cut(target, "?")
	for pair := range strings.SplitSeq(query, "&") {
		if strings.HasPrefix(pair, "comp=") {
			path += "?" + pair
		}
	}
	return "SharedKeyLite " + k.Account + ":" + k.MAC(date+"\n/"+k.Account+path)
}

// Head returns the bytes of a signed request up to its body. Headers have the form NAME: VALUE.
func (k Key) Head(date, method, target string, headers ...string) string {
	headers = append([]string{method + " " + target + " HTTP/1.1", "Host: 127.0.0.1", "X-Ms-Date: " + date,
		"Authorization: " + k.Lite(date, target), "Accept: application/json;odata=minimalmetadata"}, headers...)
	return strings.Join(headers, "\r\n") + "\r\n\r\n"
}

// NewRequest returns a request signed by [Contoso] at [Date]. Headers have the form NAME: VALUE;
// an empty value removes a default header, Host and From set the request's host and remote
// address, and +: NAME=VALUE adds another value to a header.
func NewRequest(method, target, body string, headers ...string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/", strings.NewReader(body))
	r.Method, r.RequestURI, r.Host = method, target, "127.0.0.1:10002"
	if body == "" {
		r.Body = http.NoBody
	}
	r.Header.Set("Content-Length", fmt.Sprint(len(body)))
	r.Header.Set("Accept", "application/json;odata=nometadata")
	r.Header.Set("X-Ms-Date", Date)
	r.Header.Set("Authorization", Contoso.Lite(Date, target))
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ":")
		value = strings.TrimSpace(value)
		switch {
		case name == "Host":
			r.Host = value
		case name == "From":
			r.RemoteAddr = value
		case value == "":
			r.Header.Del(name)
		case name == "+":
			name, value, _ = strings.Cut(value, "=")
			r.Header.Add(name, value)
		default:
			r.Header.Set(name, value)
		}
	}
	return r
}

// Do calls the handler with a request of [NewRequest].
func (s *Service) Do(method, target, body string, headers ...string) *httptest.ResponseRecorder {
	return s.Send(NewRequest(method, target, body, headers...))
}

// Send calls the handler with a request.
func (s *Service) Send(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// Want is like Do but fails the test unless the reply has the status.
func (s *Service) Want(t testing.TB, status int, method, target, body string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	w := s.Do(method, target, body, headers...)
	require.Truef(t, w.Code == status, "%s %.200s = %d %.300s; want %d", method, target, w.Code, w.Body, status)
	return w
}

// CodeOf returns the error code of a reply. It fails the test unless the reply has the
// documented form: the same code in header and body, one line of JSON, a Content-Length.
func CodeOf(t testing.TB, w *httptest.ResponseRecorder) string {
	t.Helper()
	text, header := w.Body.String(), w.Header().Get("x-ms-error-code")
	if strings.HasPrefix(text, "\ufeff<?xml") {
		_, rest, _ := strings.Cut(text, "<m:code>")
		code, _, _ := strings.Cut(rest, "</m:code>")
		assert.Truef(t, header == code && code != "", "x-ms-error-code = %q; want %q, the body's", header, code)
		return header
	}
	var body struct {
		Error struct {
			Code    string
			Message struct{ Lang, Value string }
		} `json:"odata.error"`
	}
	err := json.Unmarshal(w.Body.Bytes(), &body)
	require.Truef(t, err == nil && !strings.Contains(text, "\n"), "error body = %q; want JSON on one line", text)
	assert.Truef(t, header == body.Error.Code && header != "", "x-ms-error-code = %q; want %q, the body's", header, body.Error.Code)
	assert.Equal(t, fmt.Sprint(len(text)), w.Header().Get("Content-Length"), "Content-Length")
	lines := "\nRequestId:" + w.Header().Get("x-ms-request-id") + "\nTime:20"
	assert.Contains(t, body.Error.Message.Value, lines, "message")
	return header
}
