package coverage_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"loadgen/engine"
	"loadgen/engine/model"
	"loadgen/engine/rest"
	"loadgen/engine/rest/resttest"
)

// account is that of the services here.
var account = resttest.Contoso.Account

// epoch is when every service here begins.
func epoch() time.Time { return resttest.Epoch.Date(0) }

// tableWire is the table service as its clients see it: requests and replies of HTTP, one after
// another, with the embedded engine behind them.
type tableWire struct {
	testing.TB
	*resttest.Service
}

// newWire returns a service of a model, off where it has no settings, with a table Races.
func newWire(t testing.TB, settings ...string) *tableWire {
	t.Helper()
	o := resttest.Options{Settings: settings, Engine: engine.Options{Seed: 1}, Rest: rest.Options{Seed: 1}}
	if len(settings) > 0 {
		o.Profile = model.Documented
	}
	w := &tableWire{t, resttest.New(t, o)}
	w.want(201, "POST", "/Tables", `{"TableName":"Races"}`)
	return w
}

// passes moves the clock.
func (w *tableWire) passes(d time.Duration) { w.Clock.Set(w.Clock.Now().Offset() + d) }

// send sends a request to a path below the account, with headers as "NAME: VALUE", signed by
// the account's key where the path brings no signature of its own.
func (w *tableWire) send(method, path, body string, headers ...string) *httptest.ResponseRecorder {
	target := "/" + account + path
	date := epoch().Add(w.Clock.Now().Offset()).Format(http.TimeFormat)
	own := []string{"X-Ms-Date: " + date, "Authorization: " + resttest.Contoso.Lite(date, target)}
	if strings.Contains(path, "sig=") {
		own = []string{"X-Ms-Date: " + date, "Authorization:"}
	}
	return w.Do(method, target, body, append(own, headers...)...)
}

// want is send, and fails the test where the status is another one.
func (w *tableWire) want(status int, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	w.Helper()
	reply := w.send(method, path, body, headers...)
	require.Truef(w, reply.Code == status, "%s %.200s = %d %.300s; want %d", method, path, reply.Code, reply.Body, status)
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
	require.NoError(t, json.Unmarshal(reply.Body.Bytes(), &read))
	return read
}

// query reads a page of Races: its entities, how to ask for the next one, empty on the last,
// and how many entities it counted.
func (w *tableWire) query(options url.Values) (entities []map[string]any, next url.Values, counted int64) {
	w.Helper()
	before := w.Engine.Counts().Entities
	reply := w.want(200, "GET", "/Races()?"+strings.ReplaceAll(options.Encode(), "+", "%20"), "")
	for _, one := range decoded(w, reply)["value"].([]any) {
		entities = append(entities, one.(map[string]any))
	}
	if partition := reply.Header().Get("x-ms-continuation-NextPartitionKey"); partition != "" {
		next = maps.Clone(options)
		next.Set("NextPartitionKey", partition)
		next.Set("NextRowKey", reply.Header().Get("x-ms-continuation-NextRowKey"))
	}
	return entities, next, w.Engine.Counts().Entities - before
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
