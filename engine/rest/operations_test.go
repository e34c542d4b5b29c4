package rest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"loadgen/engine/entity"

	"loadgen/engine/rest/resttest"
)

const (
	batchType   = "Content-Type: multipart/mixed; boundary=batch_1"
	deleteBatch = "--batch_1\r\nContent-Type: multipart/mixed; boundary=changeset_1\r\n\r\n--changeset_1\r\n" +
		"Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n" +
		"DELETE http://127.0.0.1:10002/contoso/Races(PartitionKey='full',RowKey='1234') HTTP/1.1\r\nIf-Match: *\r\n\r\n\r\n" +
		"--changeset_1--\r\n--batch_1--\r\n"
)

// insertBatch is a transaction of inserts.
func insertBatch(partition string, rows ...string) string {
	var b strings.Builder
	b.WriteString("--batch_1\r\nContent-Type: multipart/mixed; boundary=changeset_1\r\n\r\n")
	for _, row := range rows {
		fmt.Fprintf(&b, "--changeset_1\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n"+
			"POST http://127.0.0.1:10002/contoso/Races HTTP/1.1\r\nContent-Type: application/json\r\n"+
			"Prefer: return-no-content\r\n\r\n{\"PartitionKey\":%q,\"RowKey\":%q}\r\n", partition, row)
	}
	return b.String() + "--changeset_1--\r\n--batch_1--\r\n"
}

// The presence of If-Match is all that tells an update from an upsert.
func TestConditions(t *testing.T) {
	const other = `W/"datetime'2020-01-01T00%3A00%3A00Z'"`
	for _, row := range []struct {
		name    string
		method  string
		exists  bool
		headers []string
		status  int
		code    string
	}{
		{"a replace of what is there, whatever it is", "PUT", true, []string{"If-Match: *"}, 204, ""},
		{"a replace of what is there, in its version", "PUT", true, []string{"If-Match: {etag}"}, 204, ""},
		{"a replace of what is there, in another version", "PUT", true, []string{"If-Match: " + other}, 412, "UpdateConditionNotSatisfied"},
		{"a replace of what is there, in a version of another service", "PUT", true, []string{`If-Match: W/"1"`}, 412, "UpdateConditionNotSatisfied"},
		{"a replace of what is missing, whatever it is", "PUT", false, []string{"If-Match: *"}, 404, "ResourceNotFound"},
		{"a replace of what is missing: 404 comes before 412", "PUT", false, []string{"If-Match: " + other}, 404, "ResourceNotFound"},
		{"an upsert of what is there", "PUT", true, nil, 204, ""},
		{"an upsert of what is missing", "PUT", false, nil, 204, ""},
		{"a merge of what is there", "MERGE", true, []string{"If-Match: {etag}"}, 204, ""},
		{"a merge by PATCH", "PATCH", true, []string{"If-Match: *"}, 204, ""},
		{"a merge by POST", "POST", true, []string{"If-Match: *", "X-HTTP-Method: MERGE"}, 204, ""},
		{"a merge of what is missing", "MERGE", false, []string{"If-Match: *"}, 404, "ResourceNotFound"},
		{"a merge of another version", "MERGE", true, []string{"If-Match: " + other}, 412, "UpdateConditionNotSatisfied"},
		{"an insert or merge of what is missing", "PATCH", false, nil, 204, ""},
		{"an insert or merge by POST", "POST", false, []string{"X-HTTP-Method: PATCH"}, 204, ""},
		{"a delete of what is there", "DELETE", true, []string{"If-Match: *"}, 204, ""},
		{"a delete of what is there, in its version", "DELETE", true, []string{"If-Match: {etag}"}, 204, ""},
		{"a delete of another version", "DELETE", true, []string{"If-Match: " + other}, 412, "UpdateConditionNotSatisfied"},
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
		etag := ""
		if row.exists {
			etag = s.Want(t, 201, "POST", races, `{"PartitionKey":"full","RowKey":"1234"}`).Header().Get("ETag")
		}
		headers := append([]string(nil), row.headers...)
		for i := range headers {
			headers[i] = strings.ReplaceAll(headers[i], "{etag}", etag)
		}
		body := `{"Number":7}`
		if row.method == "DELETE" {
			body = ""
		}
		w := s.Do(row.method, runner, body, headers...)
		if w.Code != row.status {
			t.Errorf("%s: %s = %d %s; want %d", row.name, row.method, w.Code, w.Body, row.status)
			continue
		}
		if row.code != "" {
			if got := resttest.CodeOf(t, w); got != row.code {
				t.Errorf("%s: %s = %s; want %s", row.name, row.method, got, row.code)
			}
			continue
		}
		deletes := row.method == "DELETE" || strings.HasSuffix(strings.Join(headers, " "), "DELETE")
		if got := w.Header().Get("ETag"); (got == "") != deletes || got == etag && got != "" {
			t.Errorf("%s: ETag = %q; want a new one, or none after a delete", row.name, got)
		}
		want := 200
		if deletes {
			want = 404
		}
		s.Want(t, want, "GET", runner, "")
	}
}

func TestMergeKeepsAndReplaceDrops(t *testing.T) {
	s := withTable(t)
	s.Want(t, 204, "PUT", runner, `{"A":1,"B":"x"}`)
	s.Want(t, 204, "MERGE", runner, `{"B":2.5,"C":null}`)
	if got, want := withoutTimestamp(s.Want(t, 200, "GET", runner, "")), `{"PartitionKey":"full","RowKey":"1234","A":1,"B":2.5}`; got != want {
		t.Errorf("after a merge: GET = %s; want %s", got, want)
	}
	s.Want(t, 204, "PUT", runner, `{"PartitionKey":"full","D":true}`)
	if got, want := withoutTimestamp(s.Want(t, 200, "GET", runner, "")), `{"PartitionKey":"full","RowKey":"1234","D":true}`; got != want {
		t.Errorf("after a replace: GET = %s; want %s", got, want)
	}
	if got, want := s.Want(t, 200, "GET", runner+"?$select=D,E,RowKey", "").Body.String(), `{"RowKey":"1234","D":true,"E":null}`; got != want {
		t.Errorf("GET of a selection = %s; want %s", got, want)
	}
}

func withoutTimestamp(w *httptest.ResponseRecorder) string {
	before, rest, _ := strings.Cut(w.Body.String(), `"Timestamp":"`)
	_, after, _ := strings.Cut(rest, `",`)
	return before + after
}

// Paged or at once, with whatever filter: the rows are those that a loop over
// all of them would find.
func TestPagesAddUpToTheTable(t *testing.T) {
	s := withTable(t)
	var all []entity.Key
	for _, partition := range []string{"", "a", "ä b", "'%+&", "Z\U0001F3C3"} {
		for i := range 7 {
			row := fmt.Sprintf("%d%s", i, partition)
			if i == 0 {
				row = ""
			}
			s.insert(t, partition, row, i)
			all = append(all, entity.Key{Partition: partition, Row: row})
		}
	}
	numbers := make(map[entity.Key]int)
	for i, k := range all {
		numbers[k] = i % 7
	}
	slices.SortFunc(all, entity.Key.Compare)
	for _, row := range []struct {
		name, filter string
		keeps        func(k entity.Key, number int) bool
	}{
		{"the whole table", "", func(entity.Key, int) bool { return true }},
		{"one partition", "PartitionKey eq 'ä b'", func(k entity.Key, _ int) bool { return k.Partition == "ä b" }},
		{"the partition with the empty key", "PartitionKey eq ''", func(k entity.Key, _ int) bool { return k.Partition == "" }},
		{"a key with a quote", "PartitionKey eq '''%+&'", func(k entity.Key, _ int) bool { return k.Partition == "'%+&" }},
		{"a range of rows", "PartitionKey eq 'a' and RowKey ge '3'", func(k entity.Key, _ int) bool { return k.Partition == "a" && k.Row >= "3" }},
		{"a property", "Number gt 4", func(_ entity.Key, n int) bool { return n > 4 }},
		{"nothing", "Number lt 0", func(entity.Key, int) bool { return false }},
	} {
		want := ""
		for _, k := range all {
			if row.keeps(k, numbers[k]) {
				want += k.Partition + "|" + k.Row + "\n"
			}
		}
		for _, top := range []string{"", "1", "3", "1000"} {
			if got := s.collect(t, row.filter, top); got != want {
				t.Errorf("%s by pages of %q: %q; want %q", row.name, top, got, want)
			}
		}
	}
}

// collect follows the continuation headers to their end, and returns the keys.
func (s *service) collect(t *testing.T, filter, top string) string {
	t.Helper()
	query := "?$select=PartitionKey,RowKey&$filter=" + url.QueryEscape(filter)
	if top != "" {
		query += "&$top=" + top
	}
	keys, next := "", ""
	for range 100 {
		w := s.Want(t, 200, "GET", "/contoso/Races()"+query+next, "")
		for _, row := range decodeRows(t, w.Body.Bytes()) {
			keys += row.PartitionKey + "|" + row.RowKey + "\n"
		}
		partition, row := w.Header().Get("x-ms-continuation-NextPartitionKey"), w.Header().Get("x-ms-continuation-NextRowKey")
		if partition == "" && row == "" {
			return keys
		}
		next = "&NextPartitionKey=" + url.QueryEscape(partition) + "&NextRowKey=" + row
	}
	t.Fatalf("%s by pages of %q never ends", filter, top)
	return ""
}

func TestTablesAreListed(t *testing.T) {
	s := newService(t, resttest.Options{})
	for _, name := range []string{"cars", "Boats", "Bikes", "Apples"} {
		s.Want(t, 204, "POST", "/contoso/Tables", `{"TableName":"`+name+`"}`, "Prefer: return-no-content")
	}
	for _, row := range []struct{ name, query, want, next string }{
		{"all of them, in order", "", "Apples Bikes Boats cars", ""},
		{"with a prefix", "?$filter=" + url.QueryEscape("TableName ge 'B' and TableName lt 'C'"), "Bikes Boats", ""},
		{"by pages", "?$top=3", "Apples Bikes Boats", "1!8!Y2Fycw--"},
		{"the rest of them", "?$top=3&NextTableName=1!8!Y2Fycw--", "cars", ""},
		{"from a table that is gone by now", "?NextTableName=1!8!Qnppcw--", "cars", ""},
	} {
		w := s.Want(t, 200, "GET", "/contoso/Tables"+row.query, "")
		got := strings.NewReplacer(`{"value":[`, "", `{"TableName":"`, "", `"}`, "", ",", " ", "]}", "").Replace(w.Body.String())
		if next := w.Header().Get("x-ms-continuation-NextTableName"); got != row.want || next != row.next {
			t.Errorf("%s: GET Tables%s = %s, next %q; want %s, %q", row.name, row.query, got, next, row.want, row.next)
		}
	}
	if got := s.Want(t, 200, "GET", "/contoso/Tables('CARS')", "").Body.String(); got != `{"TableName":"cars"}` {
		t.Errorf("GET Tables('CARS') = %s; want the name as it was created", got)
	}
	s.Want(t, 204, "DELETE", "/contoso/Tables('CARS')", "")
	s.Want(t, 404, "GET", "/contoso/Tables('cars')", "")
}

// What a target may look like and still be the same entity.
func TestWaysToAskForOneEntity(t *testing.T) {
	s := withTable(t)
	s.insert(t, "O'Brien %", "", 1)
	s.insert(t, "", "", 2)
	key := func(date, target string) string {
		return "SharedKey contoso:" + resttest.Contoso.MAC("GET\n\napplication/json\n"+date+"\n/contoso"+target)
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
			[]string{"Authorization: " + resttest.Contoso.Lite(date, "/contoso/Races(PartitionKey='',RowKey='')")}, "2"},
		{"SharedKey", brien, []string{"Content-Type: application/json", "Authorization: " + key(date, brien)}, "1"},
		{"signed over Date", brien, []string{"X-Ms-Date:", "Date: " + date}, "1"},
		{"x-ms-date goes before Date", brien, []string{"Date: Sat, 01 Jan 2000 00:00:00 GMT"}, "1"},
		{"a date 15 minutes ago", brien, []string{"X-Ms-Date: Fri, 20 Nov 2026 11:33:19 GMT", "Authorization: " + resttest.Contoso.Lite("Fri, 20 Nov 2026 11:33:19 GMT", brien)}, "1"},
		{"host style", "/Races(PartitionKey='',RowKey='')", []string{"Host: contoso.table.core.windows.net"}, "2"},
		{"host style, the secondary", "/Races(PartitionKey='',RowKey='')", []string{"Host: contoso-secondary.table.localhost:10002"}, "2"},
		{"path style under a name with a dot", brien, []string{"Host: tables.example.org"}, "1"},
		{"path style under localhost", brien, []string{"Host: localhost:10002"}, "1"},
		{"path style under IPv6", brien, []string{"Host: [::1]:10002"}, "1"},
		{"the absolute form", "http://127.0.0.1:10002" + brien, []string{"Authorization: " + resttest.Contoso.Lite(date, brien)}, "1"},
	} {
		w := s.Do("GET", row.target, "", row.headers...)
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"Number":`+row.number) {
			t.Errorf("%s: GET %s = %d %s; want Number %s", row.name, row.target, w.Code, w.Body, row.number)
		}
	}
}

// listed is a row of a page, as far as tests look at it.
type listed struct{ PartitionKey, RowKey string }

func decodeRows(t testing.TB, body []byte) []listed {
	t.Helper()
	var page struct{ Value []listed }
	if err := json.Unmarshal(body, &page); err != nil {
		t.Fatalf("page = %s: %v", body, err)
	}
	return page.Value
}

// A transaction that fails says which of its changes was at fault, and none of
// them is made.
func TestTransactionsSayWhichChangeFailed(t *testing.T) {
	rows := make([]string, 101)
	for i := range rows {
		rows[i] = fmt.Sprint(i)
	}
	three := insertBatch("full", "1", "2", "3")
	for _, row := range []struct{ name, body, code, index string }{
		{"an entity that is there", insertBatch("full", "1", "1234"), "EntityAlreadyExists", "1"},
		{"a body that is no JSON", strings.Replace(three, `{"PartitionKey":"full","RowKey":"3"}`, "{", 1), "InvalidInput", "2"},
		{"a row twice", insertBatch("full", "1", "2", "1"), "InvalidDuplicateRow", "2"},
		{"another partition", strings.Replace(three, `{"PartitionKey":"full","RowKey":"2"}`, `{"PartitionKey":"half","RowKey":"2"}`, 1),
			"CommandsInBatchActOnDifferentPartitions", "1"},
		{"another table", strings.Replace(three, "contoso/Races", "contoso/Rowers", 1), "InvalidInput", "1"},
		{"a key that cannot be", insertBatch("full", "1", "2/3"), "OutOfRangeInput", "1"},
		{"a hundred and one", insertBatch("full", rows...), "InvalidInput", "99"},
		{"no end", strings.TrimSuffix(three, "--changeset_1--\r\n--batch_1--\r\n"), "InvalidInput", "0"},
		{"nothing", "", "InvalidInput", "0"},
	} {
		s := withTable(t)
		s.insert(t, "full", "1234", 1)
		w := s.Want(t, 202, "POST", "/contoso/$batch", row.body, batchType)
		want := fmt.Sprintf(`{"odata.error":{"code":%q,"message":{"lang":"en-US","value":"%s:`, row.code, row.index)
		if !strings.Contains(w.Body.String(), want) || strings.Count(w.Body.String(), "HTTP/1.1 ") != 1 {
			t.Errorf("%s: POST = %s; want one part with %s", row.name, w.Body, want)
		}
		if got := w.Header().Get("x-ms-error-code"); got != row.code {
			t.Errorf("%s: x-ms-error-code = %q; want %s", row.name, got, row.code)
		}
		if got := len(decodeRows(t, s.Want(t, 200, "GET", races, "").Body.Bytes())); got != 1 {
			t.Errorf("%s: the table has %d entities; want the one that was there", row.name, got)
		}
	}
}

// The 4 MiB of a transaction are those of its entities, whatever frames them; the reply to
// a longer one is a plain one.
func TestTransactionsOfTheGreatestPayload(t *testing.T) {
	const parts, bound = 20, 4 << 20
	// with returns a transaction whose entities have so many bytes as JSON.
	with := func(payload int) string {
		var b strings.Builder
		b.WriteString("--batch_1\r\nContent-Type: multipart/mixed; boundary=changeset_1\r\n\r\n")
		for part := range parts {
			length := payload / parts
			if part == 0 {
				length += payload % parts
			}
			entity := fmt.Sprintf(`{"PartitionKey":"p","RowKey":"%02d","Text":%q}`, part, strings.Repeat("x", 30<<10))
			fmt.Fprintf(&b, "--changeset_1\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n"+
				"POST http://127.0.0.1:10002/contoso/Races HTTP/1.1\r\nX-Long: %s\r\nContent-Type: application/json\r\n"+
				"Prefer: return-no-content\r\n\r\n%s%s\r\n", strings.Repeat("l", 2<<10), entity, strings.Repeat(" ", length-len(entity)))
		}
		return b.String() + "--changeset_1--\r\n--batch_1--\r\n"
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
		switch {
		case row.status == 202 && stored != parts:
			t.Errorf("%s: %d entities are stored, %s; want %d", row.sentence, stored, w.Body, parts)
		case row.status == 413 && (stored != 0 || resttest.CodeOf(t, w) != "RequestBodyTooLarge" || strings.Contains(w.Header().Get("Content-Type"), "multipart")):
			t.Errorf("%s: %d entities are stored, %s; want none, and a plain reply", row.sentence, stored, w.Body)
		}
	}
}

// A new table of a deleted one's name is refused for as long as the model says; all else
// that is asked of it finds no table.
func TestDeletedTableKeepsItsName(t *testing.T) {
	s := newService(t, resttest.Options{Settings: []string{"name_delay=40s"}})
	const made = `{"TableName":"Races"}`
	s.Want(t, 201, "POST", "/contoso/Tables", made)
	s.Want(t, 204, "DELETE", "/contoso/Tables('Races')", "")
	reply := s.Want(t, 409, "POST", "/contoso/Tables", made)
	if got := reply.Header().Get("X-Ms-Error-Code"); got != "TableBeingDeleted" || !strings.Contains(reply.Body.String(), "is being deleted") {
		t.Errorf("a table of a deleted one's name: %q, %s; want TableBeingDeleted", got, reply.Body)
	}
	s.Want(t, 404, "DELETE", "/contoso/Tables('Races')", "")
	s.Want(t, 404, "GET", "/contoso/Races()", "")
	s.Clock.Set(s.Clock.Now().Offset() + 40*time.Second)
	s.Want(t, 201, "POST", "/contoso/Tables", made)
}
