package accesslog_test

import (
	"bytes"
	"compress/gzip"
	"embed"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/accesslog"
	"loadgen/engine/entity"
	"loadgen/results/resultstest"
)

// The lines here are made by hand from the published descriptions of the formats: no line
// of the real Table service was at hand. Of Storage Analytics that is "Storage Analytics
// log format", version 1.0, whose table of thirty fields has examples of most values; of
// resource logs and StorageTableLogs it is the schema in Azure Monitor's reference.
//
//go:embed testdata/*
var logs embed.FS

var (
	analyticsLine                = lineOf("analytics.log")
	resourceLine                 = lineOf("resource.json")
	exportedHead, exportedRow, _ = strings.Cut(lineOf("exported.csv"), "\n")
)

// lineOf returns a log of testdata without the end of its last line.
func lineOf(name string) string {
	text, err := logs.ReadFile("testdata/" + name)
	if err != nil {
		panic(err)
	}
	return strings.TrimSuffix(string(text), "\n")
}

// analyticsEntry is what analyticsLine says.
func analyticsEntry() accesslog.Entry {
	return accesslog.Entry{
		Observed: accesslog.Observed{At: entity.TicksOf(time.Date(2011, 8, 9, 21, 44, 36, 248155200, time.UTC)), Operation: "QueryEntity", Status: 200,
			EndToEnd: 25 * time.Millisecond, Server: 10 * time.Millisecond, Verb: entity.Get, Table: "Runners", PartitionKey: "2011__Full", RowKey: "O'Hara;1",
			HasPartition: true, HasRow: true, Asked: accesslog.Unknown, RequestID: "d1f4ab83-4c4c-4f8a-9f0d-0a3d3e0a8e3f", RequestBytes: 5, ResponseBytes: 1270,
			ETag: `W/"datetime'2011-08-09T21%3A44%3A36.2481552Z'"`, ClientRequestID: "360b66a6-ad4f-4c4a-84a4-0ad7cb44f7a6"},
		StatusText: "Success", Authentication: "authenticated", Requester: "races", Account: "races", Service: "table",
		URL:       "https://races.table.core.windows.net/Runners(PartitionKey='2011__Full',RowKey='O''Hara%3B1')?$select=Name&timeout=20",
		ObjectKey: "/races/Runners(PartitionKey='2011__Full',RowKey='O''Hara%3B1')",
		Address:   "192.100.0.102:4362", Version: "2009-09-19", RequestHeader: 212, ResponseHeader: 236, ContentLength: 7,
		RequestMD5: "Q2hlY2sgSW50ZWdyaXR5IQ==", ServerMD5: "Q2hlY2sgSW50ZWdyaXR5Ig==",
		LastModified: "Tuesday, 09-Aug-11 21:13:26 GMT", Conditions: `If-Match=W/"1";If-None-Match=*`, UserAgent: "WA-Storage/1.0; .NET",
		Referrer: "http://contoso.com",
	}
}

// resourceEntry is what resourceLine says.
func resourceEntry() accesslog.Entry {
	return accesslog.Entry{
		Observed: accesslog.Observed{At: entity.TicksOf(time.Date(2022, 3, 4, 5, 6, 7, 123456700, time.UTC)), Operation: "InsertEntity", Status: 503,
			EndToEnd: 12500 * time.Microsecond, Server: 3 * time.Millisecond, Verb: entity.Insert, Inserts: true, Table: "Runners", PartitionKey: "2011__Half", RowKey: "7",
			HasPartition: true, HasRow: true, Asked: accesslog.Unknown, Code: entity.ServerBusy, RequestID: "11ba48aa-901c-000f-1f17-2f2f1d000000", RequestBytes: 900,
			ResponseBytes: 300, ETag: "0x1", ClientRequestID: "c1"},
		StatusText: "ServerBusy", Authentication: "SAS", Account: "races", Service: "table",
		URL: "https://races.table.core.windows.net:443/Runners", ObjectKey: "/races/Runners(PartitionKey='2011__Half',RowKey='7')",
		Address: "192.100.0.102:4362", Version: "2019-02-02",
		RequestHeader: 212, ResponseHeader: 236, ContentLength: 900, RequestMD5: "a", ServerMD5: "b",
		LastModified: "2022/03/04 05:06:07.1234567", Conditions: "If-Match=*", UserAgent: "azsdk-net-Data.Tables/12.0", Referrer: "http://contoso.com",
		Category: "StorageWrite", ResourceID: "/subscriptions/s/resourceGroups/g/providers/Microsoft.Storage/storageAccounts/races/tableServices/default",
		Location: "westeurope", Protocol: "HTTPS", TLS: "TLS 1.2", Schema: "1.0", Metric: "ServerBusyError",
	}
}

// read reads a log whole.
func read(text string) (accesslog.Format, []accesslog.Entry, error) {
	var all []accesslog.Entry
	format, err := accesslog.Read(strings.NewReader(text), accesslog.Options{File: "log"}, func(e *accesslog.Entry) error {
		all = append(all, *e)
		return nil
	})
	return format, all, err
}

func TestGoldenLines(t *testing.T) {
	cut := resourceEntry()
	cut.At = entity.TicksOf(time.Date(2022, 3, 4, 5, 6, 7, 123000000, time.UTC))
	for _, row := range []struct {
		sentence, text string
		format         accesslog.Format
		want           accesslog.Entry
	}{
		{"a line of Storage Analytics has thirty fields", analyticsLine + "\n", accesslog.Analytics, analyticsEntry()},
		{"the last line need not end", analyticsLine, accesslog.Analytics, analyticsEntry()},
		{"lines may end as in Windows, and begin with a mark of the byte order", "\ufeff" + analyticsLine + "\r\n\r\n", accesslog.Analytics, analyticsEntry()},
		{"a file may be packed", packed(analyticsLine), accesslog.Analytics, analyticsEntry()},
		{"a resource log is an object a line", resourceLine + "\n", accesslog.Resource, resourceEntry()},
		{"event hubs have several in one", `{"records":[` + resourceLine + `]}`, accesslog.Resource, resourceEntry()},
		{"the portal exports a workspace's rows as CSV", exportedHead + "\n" + exportedRow + "\n", accesslog.Exported, cut},
		{"the command line exports them as an array", "[\n" + flat(resourceLine) + "\n]\n", accesslog.Exported, resourceEntry()},
	} {
		format, got, err := read(row.text)
		assert.Truef(t, err == nil && format == row.format && len(got) == 1 && reflect.DeepEqual(got[0], row.want),
			"%s: %v, %v\n got %+v\nwant %+v", row.sentence, format, err, got, row.want)
	}
}

// flat makes a row of StorageTableLogs of a resource log.
func flat(line string) string {
	return strings.NewReplacer(`"properties":{`, "", `"tlsVersion":"TLS 1.2"},`, `"tlsVersion":"TLS 1.2",`, `"time"`, `"TimeGenerated"`,
		`"identity":{"type":"SAS","tokenHash":"x"}`, `"AuthenticationType":"SAS"`, `"uri"`, `"Uri"`, `"resourceId"`, `"_ResourceId"`).Replace(line)
}

func packed(text string) string {
	var into bytes.Buffer
	w := gzip.NewWriter(&into)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return into.String()
}

func TestTheAnswerOfAWorkspace(t *testing.T) {
	_, got, err := read(`{"tables":[{"name":"PrimaryResult","columns":[{"name":"TimeGenerated","type":"datetime"},{"name":"OperationName","type":"string"},` +
		`{"name":"Uri","type":"string"},{"name":"StatusCode","type":"string"}],` + "\n" +
		`"rows":[["2022-03-04T05:06:07Z","QueryEntities","https://races.table.core.windows.net/Runners()?$filter=PartitionKey%20eq%20'a'","200"],` +
		`["2022-03-04T05:06:08Z","DeleteEntity","https://races.table.core.windows.net/Runners(PartitionKey='a',RowKey='b')","204"]]}]}`)
	require.NoError(t, err)
	require.Len(t, got, 2)
	assert.Equal(t, "query Runners a "+got[0].Class, shown(&got[0].Observed))
	assert.NotEmpty(t, got[0].Class)
	assert.Equal(t, "delete Runners a/b", shown(&got[1].Observed))
}

// What is written is read as it was.
func TestWrittenLinesAreRead(t *testing.T) {
	bare := accesslog.Entry{Observed: accesslog.Observed{At: 630822816000000000, Operation: "EntityGroupTransaction", EndToEnd: -1, Server: -1, RequestBytes: -1,
		ResponseBytes: -1, Verb: entity.Batch, Asked: -1}, Account: "a", Service: "table", Index: -1, RequestHeader: -1, ResponseHeader: -1, ContentLength: -1,
		UserAgent: "a;\"b\n&c"}
	for _, e := range []accesslog.Entry{analyticsEntry(), resourceEntry(), bare} {
		text := accesslog.AppendResource(nil, &e)
		if _, got, err := read(string(text)); err != nil || len(got) != 1 || !reflect.DeepEqual(got[0], blank(e, true)) {
			t.Errorf("resource log: %v\n got %+v\nwant %+v", err, got, e)
		}
		if _, got, err := read(string(accesslog.AppendAnalytics(nil, &e))); err != nil || len(got) != 1 || !reflect.DeepEqual(got[0], blank(e, false)) {
			t.Errorf("Storage Analytics: %v\n got %+v\nwant %+v", err, got, e)
		}
	}
}

// blank empties what a format has no room for.
func blank(e accesslog.Entry, resource bool) accesslog.Entry {
	if resource {
		e.Requester = ""
		return e
	}
	e.Category, e.ResourceID, e.Location, e.Protocol, e.TLS, e.Schema, e.Metric = "", "", "", "", "", "", ""
	if e.EndToEnd > 0 {
		e.EndToEnd = e.EndToEnd.Truncate(time.Millisecond)
	}
	return e
}

func TestWhereKeysAre(t *testing.T) {
	for _, row := range resultstest.Rows(t, "testdata/keys.txt", 5) {
		e := accesslog.Entry{Observed: accesslog.Observed{At: 630822816000000000, Operation: row[1]}, URL: row[2], ObjectKey: row[3], Account: "a"}
		_, got, err := read(string(accesslog.AppendAnalytics(nil, &e)))
		require.Truef(t, err == nil && len(got) == 1, "%s: %v", row[0], err)
		assert.Equal(t, row[4], shown(&got[0].Observed), row[0])
	}
}

func shown(a *accesslog.Observed) string {
	said := strings.TrimSpace(a.Verb.String() + " " + a.Table)
	if a.HasPartition {
		said += " " + a.PartitionKey
	}
	if a.HasRow {
		said += "/" + a.RowKey
	}
	if a.Class != "" {
		said += " " + a.Class
	}
	if a.Top > 0 {
		said += " top 5"
	}
	return said
}

func TestOutcomes(t *testing.T) {
	for _, row := range []struct {
		sentence, status, metric string
		http                     int
		want                     accesslog.Outcome
		billed                   bool
	}{
		{"a success is one", "Success", "", 204, accesslog.Ok, true},
		{"what is not there is an answer", "ClientOtherError", "", 404, accesslog.Ok, true},
		{"server busy is throttled, and by the page on status messages not billed", "ThrottlingError", "", 503, accesslog.Throttled, false},
		{"a 500 that timed out is throttled, and not billed", "ServerTimeoutError", "", 500, accesslog.Throttled, false},
		{"so is one of a shared access signature", "SASServerTimeoutError", "", 500, accesslog.Throttled, false},
		{"so is one by its code", "OperationTimedOut", "", 500, accesslog.Throttled, false},
		{"a client that waits too briefly is not throttled, and billed", "ClientTimeoutError", "", 500, accesslog.Failed, true},
		{"with a shared access signature likewise", "SASClientTimeoutError", "", 500, accesslog.Failed, true},
		{"without any likewise", "AnonymousClientTimeoutError", "", 500, accesslog.Failed, true},
		{"another 500 failed, and is not billed", "ServerOtherError", "", 500, accesslog.Failed, false},
		{"too many requests", "TooManyRequests", "", 429, accesslog.Throttled, false},
		{"a request that was broken off failed", "NetworkError", "", 0, accesslog.Failed, true},
		{"a 403 failed", "AuthorizationError", "", 403, accesslog.Failed, true},
		{"a client timeout by the metric of a resource log", "OperationTimedOut", "ClientTimeoutError", 500, accesslog.Failed, true},
	} {
		line := accesslog.Entry{Observed: accesslog.Observed{At: 630822816000000000, Status: row.http}, StatusText: row.status, Metric: row.metric}
		_, read, err := read(string(accesslog.AppendResource(nil, &line)))
		require.NoError(t, err)
		if e := &read[0]; e.Outcome() != row.want || e.Billed() != row.billed {
			t.Errorf("%s: %v, billed %v; want %v, %v", row.sentence, e.Outcome(), e.Billed(), row.want, row.billed)
		}
	}
}

// Own logs name operations as this tool, the service, HTTP and the SDKs do, in any case.
func TestNamesOfOperations(t *testing.T) {
	for verb, names := range map[entity.Verb]string{
		entity.Insert: "insert INSERT InsertEntity insertentity POST post create create_entity createEntity AddEntityAsync", entity.Replace: "replace UpdateEntity update",
		entity.Merge: "merge MERGE MergeEntity PATCH", entity.InsertOrReplace: "insert-or-replace InsertOrReplaceEntity PUT Upsert upsert_entity UpsertEntityAsync",
		entity.InsertOrMerge: "insert_or_merge InsertOrMerge InsertOrMergeEntity", entity.Delete: "DELETE delete_entity DeleteEntity",
		entity.Get: "get GET QueryEntity get_entity GetEntityAsync Retrieve", entity.Query: "query QueryEntities query_entities ListEntities scan",
		entity.Batch: "batch EntityGroupTransaction transaction submit_transaction ExecuteBatch", entity.CreateTable: "create-table CreateTable create_table",
	} {
		for name := range strings.FieldsSeq(names) {
			_, got, err := read("time,operation,PartitionKey,RowKey\n2022-03-04T05:06:08Z," + name + ",p,r\n")
			require.NoError(t, err, name)
			assert.Equal(t, verb, got[0].Verb, name)
		}
	}
	_, got, err := read("time,operation,PartitionKey\n2022-03-04T05:06:08Z,GET,p\n")
	assert.True(t, err == nil && got[0].Verb == entity.Query, "the GET of no entity is a query")
}

func TestPlainCSV(t *testing.T) {
	_, got, err := read("time,operation,table,PartitionKey,RowKey,status,code,duration_ms,server_ms,entities,request_bytes,response_bytes,client_request_id,filter\n" +
		"2022-03-04T06:06:07+01:00,batch,T,p,,202,,12.5,3,20,900,300,c1,\n" +
		"2022-03-04T05:06:08Z,query,T,,,,,,,,,,,PartitionKey eq 'q'\n")
	first := accesslog.Entry{Observed: accesslog.Observed{At: entity.TicksOf(time.Date(2022, 3, 4, 5, 6, 7, 0, time.UTC)), Operation: "EntityGroupTransaction", Status: 202,
		EndToEnd: 12500 * time.Microsecond, Server: 3 * time.Millisecond, RequestBytes: 900, ResponseBytes: 300, ClientRequestID: "c1", Verb: entity.Batch, Table: "T",
		PartitionKey: "p", HasPartition: true, Asked: 20}, Service: "table", Index: -1, RequestHeader: -1, ResponseHeader: -1, ContentLength: -1}
	assert.Truef(t, err == nil && len(got) == 2 && reflect.DeepEqual(got[0], first) && got[1].HasPartition && got[1].PartitionKey == "q",
		"read %+v, %v; want %+v", got, err, first)
}

// What is wrong is said in one line, with the file and its line.
func TestBadLogs(t *testing.T) {
	for _, row := range []struct {
		sentence, text string
		// want is the line of the fault, and a word of it.
		want string
	}{
		{"another service", analyticsLine + "\n" + strings.Replace(analyticsLine, ";table;", ";blob;", 1), `2 "blob"`},
		{"another version", "2.0" + analyticsLine[3:], `1 "2.0"`},
		{"mixed versions", analyticsLine + "\n2.0" + analyticsLine[3:], `2 "2.0"`},
		{"a line that is cut off", analyticsLine + "\n" + analyticsLine[:150], "2 12 of 30"},
		{"a line with more", analyticsLine + ";x", "1 31 fields"},
		{"no time zone", strings.Replace(analyticsLine, "2481552Z", "2481552", 1), `1 "2011-08-09T21:44:36.2481552"`},
		{"a status that is none", strings.Replace(analyticsLine, ";200;", ";2000;", 1), `1 "2000"`},
		{"packed text that is cut off", packed(strings.Repeat(analyticsLine+"\n", 3))[:200], "1 gzip"},
		{"the resource log of blobs", strings.NewReplacer("tableServices", "blobServices", `"serviceType":"table",`, "").Replace(resourceLine), `1 "blobServices/default"`},
		{"a resource log that is cut off", resourceLine + "\n" + resourceLine[:300], "2 object"},
		{"a workspace's rows of blobs", strings.NewReplacer("StorageTableLogs", "StorageBlobLogs", ",table,", ",,", "tableServices", "x").Replace(exportedHead + "\n" + exportedRow), `2 "StorageBlobLogs"`},
		{"a portal's local time", strings.Replace(exportedHead, "[UTC]", "[Local Time]", 1) + "\n" + exportedRow, `1 "Local Time"`},
		{"an array that is cut off", "[" + flat(resourceLine) + ",\n", "2 JSON"},
		{"CSV of something else", "a,b\n1,2\n", "1 no column time"},
		{"a verb that is none", "time,operation,PartitionKey\n2022-03-04T05:06:08Z,isnert,p\n", `2 "insert"`},
		{"a column by another name", "time,operation,Partition Key\n2022-03-04T05:06:08Z,insert,p\n", `1 "Partition Key"`},
		{"columns of lower case", "Time,operation,PartitionKey\n2022-03-04T05:06:08Z,insert,p\n", `1 "Time"`},
		{"another packing", "PK\x03\x04\x14\x00", "1 zip"},
		{"rows before their columns", `{"tables":[{"rows":[["a"]],"columns":[]}]}` + "\n", "1 columns"},
		{"a row that is too short", `{"tables":[{"columns":[{"name":"TimeGenerated"},{"name":"Uri"}],` + "\n" + `"rows":[["2022-03-04T05:06:07Z"]]}]}`, "2 row 1"},
		{"a number where a record is due", "[" + flat(resourceLine) + ",\n7]", "2 row 2"},
		{"an array that is no JSON behind its first row", "[\n" + flat(resourceLine) + ",\n{\"a\" 7}]", "3 JSON"},
		{"a line that is no JSON", resourceLine + "\n" + `{"time":x}`, "2 byte 8"},
		{"the second record of an event of another service", `{"records":[` + resourceLine + "," + strings.ReplaceAll(resourceLine, `"serviceType":"table"`, `"serviceType":"blob"`) + `]}`, `1 "blob"`},
		{"nothing", "\n \n", "1 empty"},
	} {
		_, _, err := read(row.text)
		place, word, _ := strings.Cut(row.want, " ")
		if !errors.Is(err, accesslog.ErrLog) || !strings.HasPrefix(err.Error(), "log:"+place+": ") ||
			!strings.Contains(err.Error(), word) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v; want a fault of line %s with %q", row.sentence, err, place, word)
		}
	}
}

// One line in a hundred may be of another service, cut off, or no JSON: it is skipped and noted. More are refused.
func TestFewBadLinesAreSkipped(t *testing.T) {
	blob := strings.ReplaceAll(resourceLine, `"serviceType":"table"`, `"serviceType":"blob"`)
	for _, row := range []struct{ sentence, good, bad, before, between, after, word string }{
		{"of Storage Analytics", analyticsLine, strings.Replace(analyticsLine, ";table;", ";blob;", 1), "", "\n", "", `"blob"`},
		{"cut off", analyticsLine, analyticsLine[:150], "", "\n", "", "12 of 30"},
		{"of resource logs", resourceLine, blob, "", "\n", "", `"blob"`},
		{"cut off within JSON", resourceLine, resourceLine[:300], "", "\n", "", "object"},
		{"no object", resourceLine, "7", "", "\n", "", "number"},
		{"among the records of one line", resourceLine, blob, `{"records":[`, ",", "]}\n", `"blob"`},
		{"in an array", flat(resourceLine), flat(blob), "[\n", ",\n", "]\n", `"blob"`},
	} {
		for bad := 1; bad <= 2; bad++ {
			lines := slices.Repeat([]string{row.good}, 199-bad)
			lines = slices.Insert(lines, 50, slices.Repeat([]string{row.bad}, bad)...)
			var notes []string
			n := 0
			_, err := accesslog.Read(strings.NewReader(row.before+strings.Join(lines, row.between)+row.after),
				accesslog.Options{File: "log", Note: func(note string) { notes = append(notes, note) }}, func(*accesslog.Entry) error { n++; return nil })
			assert.Equalf(t, 199-bad, n, "%s: visited", row.sentence)
			require.Lenf(t, notes, 1, "%s: notes", row.sentence)
			assert.Containsf(t, notes[0], fmt.Sprintf("%d of 199 rows skipped: log:", bad), row.sentence)
			assert.Containsf(t, notes[0], row.word, row.sentence)
			assert.Equalf(t, bad > 1, errors.Is(err, accesslog.ErrLog), "%s: %v", row.sentence, err)
		}
	}
}

// An error of whoever is visited is no fault of a line.
func TestAVisitCanStop(t *testing.T) {
	enough := errors.New("enough")
	for _, text := range []string{analyticsLine, resourceLine, "[" + flat(resourceLine) + "]", exportedHead + "\n" + exportedRow} {
		if _, err := accesslog.Read(strings.NewReader(text), accesslog.Options{File: "log"}, func(*accesslog.Entry) error { return enough }); err != enough {
			t.Errorf("%.20s: %v; want %v", text, err, enough)
		}
	}
}

// A record has nothing of the one before it, whatever it leaves out, and in whatever order
// its names come.
func TestRecordsInheritNothing(t *testing.T) {
	turned := `{"uri":"https://races.table.core.windows.net/Runners","operationName":"QueryEntities","statusCode":"200","time":"2022-03-04T05:06:09Z","properties":{"accountName":"races"}}`
	_, got, err := read(resourceLine + "\n" + turned + "\n" + resourceLine + "\n")
	require.Truef(t, err == nil && len(got) == 3, "%d entries, %v; want 3", len(got), err)
	bare := accesslog.Entry{Observed: accesslog.Observed{At: entity.TicksOf(time.Date(2022, 3, 4, 5, 6, 9, 0, time.UTC)), Operation: "QueryEntities", Status: 200, EndToEnd: -1,
		Server: -1, RequestBytes: -1, ResponseBytes: -1, Verb: entity.Query, Table: "Runners", Class: got[1].Class, Exact: got[1].Exact, Asked: -1},
		Account: "races", Service: "table", URL: "https://races.table.core.windows.net/Runners", Index: -1, RequestHeader: -1, ResponseHeader: -1, ContentLength: -1}
	if !reflect.DeepEqual(got[1], bare) || !reflect.DeepEqual(got[0], resourceEntry()) || !reflect.DeepEqual(got[2], resourceEntry()) {
		t.Errorf("read %+v; want %+v between two of %+v", got, bare, resourceEntry())
	}
}

// fuzzRead holds a reader to what is so of any text: no panic, faults in one line, and
// what was read is read alike once it was written.
func fuzzRead(f *testing.F, seeds ...string) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, all, err := read(text)
		if err != nil && strings.TrimSpace(err.Error()) == "" {
			t.Errorf("a fault without words: %q", err)
		}
		for _, e := range all {
			line := string(accesslog.AppendAnalytics(nil, &e))
			_, again, err := read(line)
			if err != nil || len(again) != 1 || again[0].At != e.At || again[0].Status != e.Status {
				t.Fatalf("%q is read as %+v, %v", line, again, err)
			}
			_, twice, err := read(string(accesslog.AppendAnalytics(nil, &again[0])))
			if err != nil || !reflect.DeepEqual(again, twice) {
				t.Fatalf("%+v is read again as %+v, %v", again, twice, err)
			}
		}
	})
}

func FuzzAnalytics(f *testing.F) {
	fuzzRead(f, analyticsLine, analyticsLine+"\n"+analyticsLine[:100], strings.Replace(analyticsLine, ";table;", ";blob;", 1), "1.0;"+strings.Repeat(";", 28))
}

func FuzzResource(f *testing.F) {
	fuzzRead(f, resourceLine, `{"records":[`+resourceLine+`]}`, `{"records":[{}]}`)
}

func FuzzExported(f *testing.F) {
	fuzzRead(f, exportedHead+"\n"+exportedRow, "["+flat(resourceLine)+"]", `{"tables":[{"columns":[{"name":"TimeGenerated"}],"rows":[["2022-03-04T05:06:07Z"]]}]}`)
}

func FuzzPlain(f *testing.F) {
	fuzzRead(f, "time,operation,PartitionKey,RowKey\n2022-03-04T05:06:08Z,insert,p,r\n", "time;operation;PartitionKey\n2022-03-04T05:06:08Z;query;p\n")
}
