package rest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/rest/resttest"
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
