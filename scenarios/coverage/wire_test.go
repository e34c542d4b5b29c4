package coverage_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/engine/rest"
	"loadgen/engine/wire"
)

const (
	account = "contoso"
	// secret is the account's key, in base64.
	secret = "dGhlIGtleSBvZiB0aGUgYWNjb3VudCBjb250b3Nv"
)

// epoch is when every service here begins.
func epoch() time.Time { return time.Date(2026, 11, 20, 11, 48, 19, 0, time.UTC) }

// leap is a clock that nobody waits for: a Sleep moves it to where it is to end.
type leap struct{ at atomic.Int64 }

func (c *leap) Now() clock.Instant { return clock.Instant(c.at.Load()) }

func (c *leap) Sleep(ctx context.Context, until clock.Instant) error {
	c.at.Store(max(c.at.Load(), int64(until)))
	return ctx.Err()
}

func (c *leap) Alarm(clock.Instant) clock.Alarm { panic("nobody waits for an alarm here") }

// tableWire is the table service as its clients see it: requests and replies of HTTP, one after
// another, with the embedded engine behind them.
type tableWire struct {
	testing.TB
	*rest.Handler
	clock  *leap
	engine *engine.Engine
}

// newWire returns a service of a model, off where it has no settings, with a table Races.
func newWire(t testing.TB, settings ...string) *tableWire {
	t.Helper()
	profile := model.Off
	if len(settings) > 0 {
		profile = model.Documented
	}
	m, err := model.New(profile)
	if err != nil {
		t.Fatal(err)
	}
	for _, setting := range settings {
		name, value, _ := strings.Cut(setting, "=")
		if err := m.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	key, err := wire.NewSecret(secret)
	if err != nil {
		t.Fatal(err)
	}
	w := &tableWire{TB: t, clock: &leap{}}
	w.engine = engine.New(engine.Options{Model: m, Accounts: []string{account}, Calendar: clock.Epoch(epoch()), Seed: 1})
	w.Handler, err = rest.New(rest.Options{Engine: w.engine, Clock: w.clock, Calendar: clock.Epoch(epoch()), Seed: 1,
		Accounts: []rest.Account{{Name: account, Secret: key}}})
	if err != nil {
		t.Fatal(err)
	}
	w.want(201, "POST", "/Tables", `{"TableName":"Races"}`)
	return w
}

// mac is the signature of a text by the account's key.
func mac(text string) string {
	key, err := base64.StdEncoding.DecodeString(secret)
	if err != nil {
		panic(err)
	}
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return base64.StdEncoding.EncodeToString(h.Sum(nil))
}

// send sends a request to a path below the account, with headers as "NAME: VALUE", signed by
// the account's key where the path brings no signature of its own.
func (w *tableWire) send(method, path, body string, headers ...string) *httptest.ResponseRecorder {
	target := "/" + account + path
	r := httptest.NewRequest(http.MethodGet, "/", strings.NewReader(body))
	r.Method, r.RequestURI, r.Host = method, target, "127.0.0.1:10002"
	if body == "" {
		r.Body = http.NoBody
	}
	r.Header.Set("Content-Length", fmt.Sprint(len(body)))
	r.Header.Set("Accept", "application/json;odata=nometadata")
	date := epoch().Add(w.clock.Now().Offset()).Format(http.TimeFormat)
	r.Header.Set("X-Ms-Date", date)
	if bare, query, _ := strings.Cut(target, "?"); !strings.Contains(path, "sig=") {
		if strings.HasPrefix(query, "comp=") {
			bare = target
		}
		r.Header.Set("Authorization", "SharedKeyLite "+account+":"+mac(date+"\n/"+account+bare))
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Set(name, value)
	}
	reply := httptest.NewRecorder()
	w.ServeHTTP(reply, r)
	return reply
}

// want is send, and fails the test where the status is another one.
func (w *tableWire) want(status int, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	w.Helper()
	reply := w.send(method, path, body, headers...)
	if reply.Code != status {
		w.Fatalf("%s %.200s = %d %.300s; want %d", method, path, reply.Code, reply.Body, status)
	}
	return reply
}

// at is the path of an entity of Races.
func at(partition, row string) string {
	return fmt.Sprintf("/Races(PartitionKey='%s',RowKey='%s')", url.PathEscape(partition), url.PathEscape(row))
}

// insert adds an entity with properties such as `"Age":55`.
func (w *tableWire) insert(partition, row, properties string) {
	w.Helper()
	w.want(204, "POST", "/Races", body(partition, row, properties), "Prefer: return-no-content")
}

// body is that of an entity.
func body(partition, row, properties string) string {
	if properties != "" {
		properties = "," + properties
	}
	return fmt.Sprintf(`{"PartitionKey":%q,"RowKey":%q%s}`, partition, row, properties)
}

// entity reads an entity as what JSON has of it.
func (w *tableWire) entity(path string) map[string]any {
	w.Helper()
	return decoded(w, w.want(200, "GET", path, ""))
}

func decoded(t testing.TB, reply *httptest.ResponseRecorder) map[string]any {
	t.Helper()
	var read map[string]any
	if err := json.Unmarshal(reply.Body.Bytes(), &read); err != nil {
		t.Fatal(err)
	}
	return read
}

func encoded(t testing.TB, read map[string]any) string {
	t.Helper()
	text, err := json.Marshal(read)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// query reads a page of Races: its entities, how to ask for the next one, empty on the last,
// and how many entities it counted.
func (w *tableWire) query(options url.Values) (entities []map[string]any, next url.Values, counted int64) {
	w.Helper()
	before := w.engine.Counts().Entities
	reply := w.want(200, "GET", "/Races()?"+strings.ReplaceAll(options.Encode(), "+", "%20"), "")
	for _, one := range decoded(w, reply)["value"].([]any) {
		entities = append(entities, one.(map[string]any))
	}
	if partition := reply.Header().Get("x-ms-continuation-NextPartitionKey"); partition != "" {
		next = url.Values{}
		for name, values := range options {
			next[name] = values
		}
		next.Set("NextPartitionKey", partition)
		next.Set("NextRowKey", reply.Header().Get("x-ms-continuation-NextRowKey"))
	}
	return entities, next, w.engine.Counts().Entities - before
}

// pages reads all pages of a query.
func (w *tableWire) pages(options url.Values) (entities []map[string]any, pages int, counted int64) {
	w.Helper()
	for next := options; next != nil; pages++ {
		var page []map[string]any
		var more int64
		page, next, more = w.query(next)
		entities, counted = append(entities, page...), counted+more
	}
	return entities, pages, counted
}

// filtered is a query by $filter.
func filtered(format string, values ...any) url.Values {
	return url.Values{"$filter": {fmt.Sprintf(format, values...)}}
}
