package rest_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/model"
	"loadgen/engine/rest"
	"loadgen/engine/wire"
)

const (
	account = "contoso"
	// secret is the account's key, in base64.
	secret = "dGhlIGtleSBvZiB0aGUgYWNjb3VudCBjb250b3Nv"
	// date is when every run of a test begins.
	date = "Fri, 20 Nov 2026 11:48:19 GMT"
)

func epoch() entity.Ticks {
	return entity.TicksOf(time.Date(2026, 11, 20, 11, 48, 19, 0, time.UTC))
}

// leap is a clock that nobody waits for: a Sleep moves it to where it is to end.
type leap struct{ at atomic.Int64 }

func (c *leap) Now() clock.Instant { return clock.Instant(c.at.Load()) }

func (c *leap) Sleep(ctx context.Context, until clock.Instant) error {
	for {
		at := c.at.Load()
		if at >= int64(until) || c.at.CompareAndSwap(at, int64(until)) {
			return ctx.Err()
		}
	}
}

func (c *leap) Alarm(clock.Instant) clock.Alarm { panic("nobody waits for an alarm here") }

// service is a handler with an engine of its own behind it.
type service struct {
	*rest.Handler
	clock  *leap
	engine *engine.Engine
}

// newService returns a service of a model's profile, changed so: NAME=VALUE.
func newService(t testing.TB, plan *engine.FaultPlan, profile string, settings ...string) *service {
	t.Helper()
	return newServiceWith(t, func(o *rest.Options) { o.Faults = plan }, profile, settings...)
}

// newServiceWith is newService with options that alter has altered.
func newServiceWith(t testing.TB, alter func(*rest.Options), profile string, settings ...string) *service {
	t.Helper()
	m, err := model.New(profile)
	for _, setting := range settings {
		name, value, _ := strings.Cut(setting, "=")
		err = errors.Join(err, m.Set(name, value))
	}
	if err != nil {
		t.Fatal(err)
	}
	key, err := wire.NewSecret(secret)
	if err != nil {
		t.Fatal(err)
	}
	s := &service{clock: &leap{}}
	s.engine = engine.New(engine.Options{Model: m, Accounts: []string{account}, Calendar: clock.Epoch(epoch().Time()), Seed: 1})
	options := rest.Options{Name: "loadgen", Engine: s.engine, Clock: s.clock, Calendar: clock.Epoch(epoch().Time()), Seed: 1,
		Accounts: []rest.Account{{Name: account, Secret: key}}}
	alter(&options)
	s.Handler, err = rest.New(options)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// withTable returns an unlimited service with a table in it.
func withTable(t testing.TB) *service {
	t.Helper()
	s := newService(t, nil, model.Off)
	s.want(t, 201, "POST", "/contoso/Tables", `{"TableName":"Races"}`)
	return s
}

// mac is the signature of a text, by the textbook and not by what is tested.
func mac(text string) string {
	key, err := base64.StdEncoding.DecodeString(secret)
	if err != nil {
		panic(err)
	}
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return base64.StdEncoding.EncodeToString(h.Sum(nil))
}

// lite is the Authorization of a request by SharedKeyLite.
func lite(date, target string) string {
	path, query, _ := strings.Cut(target, "?")
	for pair := range strings.SplitSeq(query, "&") {
		if strings.HasPrefix(pair, "comp=") {
			path += "?" + pair
		}
	}
	return "SharedKeyLite " + account + ":" + mac(date+"\n/"+account+path)
}

// newRequest returns a signed request. Its headers are NAME: VALUE; one without
// a value is left out where it would be there otherwise.
func newRequest(method, target, body string, headers ...string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/", strings.NewReader(body))
	r.Method, r.RequestURI, r.Host = method, target, "127.0.0.1:10002"
	if body == "" {
		r.Body = http.NoBody
	}
	r.Header.Set("Content-Length", fmt.Sprint(len(body)))
	r.Header.Set("Accept", "application/json;odata=nometadata")
	r.Header.Set("X-Ms-Date", date)
	r.Header.Set("Authorization", lite(date, target))
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ":")
		if value = strings.TrimSpace(value); name == "Host" {
			r.Host = value
		} else if name == "From" {
			r.RemoteAddr = value
		} else if value == "" {
			r.Header.Del(name)
		} else if name == "+" {
			name, value, _ = strings.Cut(value, "=")
			r.Header.Add(name, value)
		} else {
			r.Header.Set(name, value)
		}
	}
	return r
}

func (s *service) do(method, target, body string, headers ...string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, newRequest(method, target, body, headers...))
	return w
}

// want fails the test unless the reply has the status; it returns the reply.
func (s *service) want(t testing.TB, status int, method, target, body string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	w := s.do(method, target, body, headers...)
	if w.Code != status {
		t.Fatalf("%s %s = %d %s; want %d", method, target, w.Code, w.Body, status)
	}
	return w
}

// insert adds an entity of one property.
func (s *service) insert(t testing.TB, partition, row string, number int) {
	t.Helper()
	body := fmt.Sprintf(`{"PartitionKey":%q,"RowKey":%q,"Number":%d}`, partition, row, number)
	s.want(t, 204, "POST", "/contoso/Races", body, "Prefer: return-no-content")
}

// codeOf reads the code of an error body, and fails the test unless the reply is
// one: the same code in header and body, one line, and a length.
func codeOf(t testing.TB, w *httptest.ResponseRecorder) string {
	t.Helper()
	text := w.Body.String()
	if strings.HasPrefix(text, "\ufeff<?xml") {
		_, rest, _ := strings.Cut(text, "<m:code>")
		code, _, _ := strings.Cut(rest, "</m:code>")
		if got := w.Header().Get("x-ms-error-code"); got != code || code == "" {
			t.Errorf("x-ms-error-code = %q; want %q, the body's", got, code)
		}
		return code
	}
	var body struct {
		Error struct {
			Code    string
			Message struct{ Lang, Value string }
		} `json:"odata.error"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || strings.Contains(text, "\n") {
		t.Fatalf("error body = %q; want JSON on one line", text)
	}
	if got := w.Header().Get("x-ms-error-code"); got != body.Error.Code || got == "" {
		t.Errorf("x-ms-error-code = %q; want %q, the body's", got, body.Error.Code)
	}
	if got := w.Header().Get("Content-Length"); got != fmt.Sprint(len(text)) {
		t.Errorf("Content-Length = %q; want %d", got, len(text))
	}
	if value := body.Error.Message.Value; !strings.Contains(value, "\nRequestId:"+w.Header().Get("x-ms-request-id")+"\nTime:2026-") {
		t.Errorf("message = %q; want the request's identifier and the time in it", value)
	}
	return body.Error.Code
}
