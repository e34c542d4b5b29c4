package rest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/rest"
	"loadgen/engine/rest/resttest"
	"loadgen/engine/store/durable"
)

const batchType = "Content-Type: multipart/mixed; boundary=batch_1"

var deleteBatch = batchOf("DELETE http://127.0.0.1:10002" + runner + " HTTP/1.1\r\nIf-Match: *\r\n\r\n")

// batchOf is a transaction of some requests.
func batchOf(requests ...string) string {
	var b strings.Builder
	b.WriteString("--batch_1\r\nContent-Type: multipart/mixed; boundary=changeset_1\r\n\r\n")
	for _, request := range requests {
		b.WriteString("--changeset_1\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n" + request + "\r\n")
	}
	return b.String() + "--changeset_1--\r\n--batch_1--\r\n"
}

// insertBatch is a transaction of inserts.
func insertBatch(partition string, rows ...string) string {
	var inserts []string
	for _, row := range rows {
		inserts = append(inserts, fmt.Sprintf("POST http://127.0.0.1:10002/contoso/Races HTTP/1.1\r\nContent-Type: application/json\r\n"+
			"Prefer: return-no-content\r\n\r\n{\"PartitionKey\":%q,\"RowKey\":%q}", partition, row))
	}
	return batchOf(inserts...)
}

// The presence of If-Match is all that tells an update from an upsert, whatever way the verb
// is said; see TestStandardClientWrites for what comes of each.
func TestConditions(t *testing.T) {
	for _, row := range []struct {
		name, method string
		exists       bool
		headers      []string
		status       int
		code         string
	}{
		{"a replace of what is there, in a version of another service", "PUT", true, []string{`If-Match: W/"1"`}, 412, "UpdateConditionNotSatisfied"},
		{"a merge by PATCH", "PATCH", true, []string{"If-Match: *"}, 204, ""},
		{"a merge by POST", "POST", true, []string{"If-Match: *", "X-HTTP-Method: MERGE"}, 204, ""},
		{"a merge of what is missing", "MERGE", false, []string{"If-Match: *"}, 404, "ResourceNotFound"},
		{"an insert or merge of what is missing", "PATCH", false, nil, 204, ""},
		{"an insert or merge by POST", "POST", false, []string{"X-HTTP-Method: PATCH"}, 204, ""},
		{"a delete of what is missing", "DELETE", false, []string{"If-Match: *"}, 404, "ResourceNotFound"},
		{"a delete by POST", "POST", true, []string{"If-Match: *", "X-HTTP-Method: DELETE"}, 204, ""},
		{"a strong tag", "PUT", true, []string{`If-Match: "1"`}, 400, "InvalidInput"},
		{"a tag without quotes", "PUT", true, []string{`If-Match: 1`}, 400, "InvalidInput"},
		{"two tags in one header", "PUT", true, []string{`If-Match: W/"1", W/"2"`}, 400, "InvalidInput"},
		{"two headers", "PUT", true, []string{"If-Match: *", "+: If-Match=*"}, 400, "InvalidInput"},
		{"If-None-Match on a write", "PUT", true, []string{"If-None-Match: *"}, 400, "InvalidInput"},
		{"If-None-Match together with If-Match", "MERGE", true, []string{"If-Match: *", "If-None-Match: *"}, 400, "InvalidInput"},
	} {
		s := withTable(t)
		if row.exists {
			s.insert(t, "full", "1234", 1)
		}
		w := s.Do(row.method, runner, `{"Number":7}`, row.headers...)
		assert.Equalf(t, row.status, w.Code, "%s: %s = %s", row.name, row.method, w.Body)
		assert.Equal(t, row.code, w.Header().Get("x-ms-error-code"), row.name)
		if deletes := strings.HasSuffix(strings.Join(row.headers, " "), "DELETE"); row.status == 204 {
			assert.Equalf(t, deletes, w.Header().Get("ETag") == "", "%s: no ETag", row.name)
			s.Want(t, map[bool]int{false: 200, true: 404}[deletes], "GET", runner, "")
		}
	}
}

// What a target may look like and still be the same entity.
func TestWaysToAskForOneEntity(t *testing.T) {
	s := withTable(t)
	s.insert(t, "O'Brien %", "", 1)
	s.insert(t, "", "", 2)
	key := func(date, target string) string {
		return "SharedKey contoso:" + contoso.MAC("GET\n\napplication/json\n"+date+"\n/contoso"+target)
	}
	const brien = "/contoso/Races(PartitionKey='O''Brien%20%25',RowKey='')"
	for _, row := range []struct {
		name, target string
		headers      []string
		number       string
	}{
		{"quotes as they are", brien, nil, "1"},
		{"quotes escaped", "/contoso/Races(PartitionKey=%27O%27%27Brien%20%25%27,RowKey=%27%27)", nil, "1"},
		{"everything escaped", "/contoso/Races%28PartitionKey%3D%27O%27%27Brien%20%25%27%2CRowKey%3D%27%27%29", nil, "1"},
		{"both keys empty", "/contoso/Races(PartitionKey='',RowKey='')", nil, "2"},
		{"a table in another case", "/contoso/races(PartitionKey='',RowKey='')", nil, "2"},
		{"a query that is not signed", brien + "?timeout=30&unknown=1", nil, "1"},
		{"the secondary, signed with its suffix", "/contoso-secondary/Races(PartitionKey='',RowKey='')", nil, "2"},
		{"the secondary, signed without", "/contoso-secondary/Races(PartitionKey='',RowKey='')",
			[]string{"Authorization: " + contoso.Lite(date, "/contoso/Races(PartitionKey='',RowKey='')")}, "2"},
		{"SharedKey", brien, []string{"Content-Type: application/json", "Authorization: " + key(date, brien)}, "1"},
		{"signed over Date", brien, []string{"X-Ms-Date:", "Date: " + date}, "1"},
		{"x-ms-date goes before Date", brien, []string{"Date: Sat, 01 Jan 2000 00:00:00 GMT"}, "1"},
		{"a date 15 minutes ago", brien, []string{"X-Ms-Date: Fri, 20 Nov 2026 11:33:19 GMT", "Authorization: " + contoso.Lite("Fri, 20 Nov 2026 11:33:19 GMT", brien)}, "1"},
		{"host style", "/Races(PartitionKey='',RowKey='')", []string{"Host: contoso.table.core.windows.net"}, "2"},
		{"host style, the secondary", "/Races(PartitionKey='',RowKey='')", []string{"Host: contoso-secondary.table.localhost:10002"}, "2"},
		{"path style under a name with a dot", brien, []string{"Host: tables.example.org"}, "1"},
		{"path style under localhost", brien, []string{"Host: localhost:10002"}, "1"},
		{"path style under IPv6", brien, []string{"Host: [::1]:10002"}, "1"},
		{"the absolute form", "http://127.0.0.1:10002" + brien, []string{"Authorization: " + contoso.Lite(date, brien)}, "1"},
	} {
		w := s.Do("GET", row.target, "", row.headers...)
		assert.Truef(t, w.Code == http.StatusOK && strings.Contains(w.Body.String(), `"Number":`+row.number),
			"%s: GET %s = %d %s; want Number %s", row.name, row.target, w.Code, w.Body, row.number)
	}
}

// listed is a row of a page, as far as tests look at it.
type listed struct{ PartitionKey, RowKey string }

func decodeRows(t testing.TB, body []byte) []listed {
	t.Helper()
	var page struct{ Value []listed }
	require.NoErrorf(t, json.Unmarshal(body, &page), "page = %s", body)
	return page.Value
}

// The 4 MiB of a transaction are those of its entities, whatever frames them; the reply to
// a longer one is a plain one.
func TestTransactionsOfTheGreatestPayload(t *testing.T) {
	const parts, bound = 20, 4 << 20
	// with returns a transaction whose entities have so many bytes as JSON.
	with := func(payload int) string {
		var inserts []string
		for part := range parts {
			entity := fmt.Sprintf(`{"PartitionKey":"p","RowKey":"%02d","Text":%q}`, part, strings.Repeat("x", 30<<10))
			blanks := strings.Repeat(" ", (payload+part)/parts-len(entity))
			inserts = append(inserts, "POST http://127.0.0.1:10002/contoso/Races HTTP/1.1\r\nX-Long: "+strings.Repeat("l", 2<<10)+
				"\r\nContent-Type: application/json\r\nPrefer: return-no-content\r\n\r\n"+entity+blanks)
		}
		return batchOf(inserts...)
	}
	for _, row := range []struct {
		sentence, body string
		status         int
	}{
		{"a payload of 4 MiB is taken, although its frame comes on top", with(bound), 202},
		{"one byte more is not", with(bound + 1), 413},
		{"nor is a frame without end", strings.Repeat("x", bound+100*12<<10+1), 413},
	} {
		s := withTable(t)
		w := s.Want(t, row.status, "POST", "/contoso/$batch", row.body, batchType)
		stored := len(decodeRows(t, s.Want(t, 200, "GET", races, "").Body.Bytes()))
		assert.Equalf(t, map[int]int{202: parts}[row.status], stored, "%s: entities are stored", row.sentence)
		if row.status == 413 {
			assert.Equal(t, "RequestBodyTooLarge", resttest.CodeOf(t, w), row.sentence)
			assert.NotContains(t, w.Header().Get("Content-Type"), "multipart", row.sentence)
		}
	}
}

// Access policies, properties and the names of deleted tables outlast the service.
func TestSettingsLast(t *testing.T) {
	files := vfs.NewMem()
	start := func(later time.Duration) (*service, func()) {
		store := must(durable.Open(durable.Options{Folder: "data", Account: account, FS: files}))(t)
		o := documented()
		o.Engine.Stores = map[string]engine.Store{account: store}
		o.Rest.Calendar = clock.Epoch(time.Time(resttest.Epoch).Add(later))
		s := newService(t, o)
		return s, func() {
			assert.NoError(t, store.Close())
		}
	}
	const acl = races + "?comp=acl"
	s, end := start(0)
	s.Want(t, 201, "POST", "/contoso/Tables", `{"TableName":"Races"}`)
	s.Want(t, 201, "POST", "/contoso/Tables", `{"TableName":"Gone"}`)
	s.Want(t, 204, "PUT", acl, policies(policy("b", "<Permission>r</Permission>"), "<Id>a</Id>"))
	s.Want(t, 202, "PUT", properties, "<StorageServiceProperties><Logging><Version>1.0</Version><Delete>true</Delete><Read>false</Read>"+
		"<Write>true</Write><RetentionPolicy><Enabled>true</Enabled><Days>7</Days></RetentionPolicy></Logging></StorageServiceProperties>")
	kept := [2]string{s.Want(t, 200, "GET", acl, "").Body.String(), s.Want(t, 200, "GET", properties, "").Body.String()}
	s.Want(t, 204, "DELETE", "/contoso/Tables('Gone')", "")
	end()

	s, end = start(30 * time.Second)
	for i, part := range []string{"<Id>b</Id>", "<Days>7</Days>"} {
		got := s.Want(t, 200, "GET", []string{acl, properties}[i], "").Body.String()
		assert.Equal(t, kept[i], got, "after the next start")
		assert.Contains(t, got, part)
	}
	again := s.Want(t, 409, "POST", "/contoso/Tables", `{"TableName":"gone"}`)
	assert.Equal(t, "TableBeingDeleted", resttest.CodeOf(t, again), "a name that is kept back")
	// 40 s after it was deleted the name is free.
	s.Clock.Set(11 * time.Second)
	s.Want(t, 201, "POST", "/contoso/Tables", `{"TableName":"gone"}`)
	s.Want(t, 204, "DELETE", "/contoso/Tables('Races')", "")
	end()
}

// Many at once, with keys and bodies of many lengths: no reply shows anything of
// another request, although all of them share the same room.
func TestConcurrentRequestsDoNotMix(t *testing.T) {
	s := withTable(t, documented("partition_target=0", "account_target=0"))
	const workers, rounds = 16, 40
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() {
			for i := range rounds {
				partition := strings.Repeat(string(rune('a'+worker)), 1+(worker*7+i*13)%200)
				key := fmt.Sprintf("/contoso/Races(PartitionKey='%s',RowKey='%d')", partition, i)
				body := fmt.Sprintf(`{"PartitionKey":%q,"RowKey":"%d","Owner":"%s"}`, partition, i, strings.Repeat(partition, 3))
				w := s.Do("POST", races, body)
				if i%2 == 1 {
					w = s.Do("POST", "/contoso/$batch", insertBatch(partition, fmt.Sprint(i)), batchType)
				}
				assert.Truef(t, w.Code == 201 || w.Code == 202,
					"insert of %s = %d %s; want 201 or 202", key, w.Code, w.Body)
				w = s.Do("GET", key, "")
				assert.Containsf(t, w.Body.String(), fmt.Sprintf(`{"PartitionKey":%q,"RowKey":"%d",`, partition, i), "GET %s", key)
				w = s.Do("GET", races+"?$filter=PartitionKey%20eq%20'"+partition+"'", "")
				for _, row := range decodeRows(t, w.Body.Bytes()) {
					assert.Equal(t, partition, row.PartitionKey, "query of")
				}
			}
		})
	}
	group.Wait()
	c := s.Counts()
	assert.Truef(t, c.Requests == c.Ok+c.Failed && c.Throttled == 0, "Counts() = %+v; want closed books, and nothing refused", c)
}

// What the engine remembers of a request that is over is a copy: names of tables
// and partitions keep their meaning when their room is used again.
func TestNamesOutliveTheirRequest(t *testing.T) {
	s := newService(t, documented("partition_target=10", "partition_burst=100ms"))
	for i := range 50 {
		s.Want(t, 201, "POST", "/contoso/Tables", fmt.Sprintf(`{"TableName":"Table%02d"}`, i))
	}
	names := s.Engine.TableNames(account)
	for i, name := range names {
		require.Equalf(t, fmt.Sprintf("Table%02d", i), name, "table %d", i)
	}
	// Each partition may take one entity: the second of each is refused, in
	// whatever order they come.
	for _, status := range []int{204, 503} {
		for i := range 50 {
			body := fmt.Sprintf(`{"PartitionKey":"partition%02d","RowKey":"%d"}`, i, status)
			s.Clock.Set(0)
			s.Want(t, status, "POST", "/contoso/Table00", body, "Prefer: return-no-content")
		}
	}
}

// Close with a context that is over cuts off the request under way, and waits for its handler.
func TestServerCutsOffWhoTakesTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handled := false
		s, pipes := openPipes(t, rest.ListenOptions{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
			time.Sleep(time.Second) // in the bubble's time
			handled = true
		})})
		c := resttest.NewConn(t, pipes.Dial())
		c.Send(get("/slow"))
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		assert.Error(t, s.Close(ctx), "Close")
		assert.True(t, handled, "Close returned before the handler did")
		_, _, err := c.Reply()
		assert.Error(t, err, "the reply to the request that was cut off")
	})
}
