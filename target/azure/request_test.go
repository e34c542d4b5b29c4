package azure_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/results"
	"loadgen/target"
	"loadgen/target/azure"
)

var rewrite = flag.Bool("rewrite", false, "write the golden requests anew; read the difference before it is kept")

const day = "Fri, 20 Nov 2026 11:48:19 GMT"

// requestRow is an operation, the file of its golden bytes, and the text that
// its signature is over.
type requestRow struct {
	name, file string
	op         target.Operation
	signed     string
	alter      func(*azure.Options)
}

func requestRows() []requestRow {
	const lite = day + "\n/races/races/"
	version, _ := entity.ParseTicks("2017-08-30T13:20:32.668094Z")
	query := target.Operation{Verb: entity.Query, Table: "Runners", Number: 42}
	query.Query = target.Query{Range: filter.RowsFrom("NYC 2011", "12"), Top: 2000,
		Token: target.Token{Present: true, NextPartitionKey: "1!12!TllDIDIwMTE-", NextRowKey: "a+/ b&c=é"}}
	whole := target.Operation{Verb: entity.Query, Table: "Runners", Number: 42}
	half := whole
	half.Query.Token = target.Token{Present: true, NextPartitionKey: "1!4!cA--"}
	wanted := must(target.Filtered("PartitionKey eq 'NYC 2011' and (Age gt 40 or Name eq 'O''Neill')"))
	wanted.Select, wanted.Top = []string{"Age", "Name"}, 50
	filtered := target.Operation{Verb: entity.Query, Table: "Runners", Number: 42, Query: wanted}
	point := target.Operation{Verb: entity.Query, Table: "Runners", Number: 42,
		Query: target.OnePoint(entity.Key{Partition: "NYC 2011", Row: "1"})}
	stale := single(entity.Merge, "2", entity.MatchExactly(version))
	batch := target.Operation{Verb: entity.Batch, Table: "Runners", Number: 42, Attempt: 3,
		Changes: []entity.Change{runner("1"), stale.Change, single(entity.Delete, "3", entity.MatchAny).Change}}
	hasty, hurried := get("1"), query
	hasty.Timeout, hurried.Timeout = 2*time.Second, 30*time.Second
	entityPath := "Runners(PartitionKey='NYC%202011',RowKey="
	return []requestRow{
		{"an insert", "insert", single(entity.Insert, "1", entity.Match{}), lite + "Runners", nil},
		{"an insert whose count is asked for", "insert_asked", single(entity.Insert, "1", entity.Match{}), lite + "Runners",
			func(o *azure.Options) { o.AskCounted = true }},
		{"a replace of any version", "replace", single(entity.Replace, "1", entity.MatchAny), lite + entityPath + "'1')", nil},
		{"a merge of one version", "merge", stale, lite + entityPath + "'2')", nil},
		{"an insert-or-replace has no condition", "insert_or_replace", single(entity.InsertOrReplace, "1", entity.Match{}),
			lite + entityPath + "'1')", nil},
		{"an insert-or-merge of an odd key", "insert_or_merge", single(entity.InsertOrMerge, "O'Neill+50%é", entity.Match{}),
			lite + entityPath + "'O%27%27Neill%2B50%25%C3%A9')", nil},
		{"a delete", "delete", single(entity.Delete, "1", entity.MatchAny), lite + entityPath + "'1')", nil},
		{"a get", "get", get("1"), lite + entityPath + "'1')", nil},
		{"a query with a token", "query_token", query, lite + "Runners()", nil},
		{"a get that gives the service two seconds", "get_timeout", hasty, lite + entityPath + "'1')", nil},
		{"and a query, thirty", "query_timeout", hurried, lite + "Runners()", nil},
		{"a query of the whole table", "query_whole", whole, lite + "Runners()", nil},
		{"a query whose token lacks a row", "query_half", half, lite + "Runners()", nil},
		{"a query with a filter and a projection", "query_filter", filtered, lite + "Runners()", nil},
		{"a query by both keys", "query_point", point, lite + "Runners()", nil},
		{"a transaction", "batch", batch, lite + "$batch", nil},
		{"a create-table", "create_table", target.Operation{Verb: entity.CreateTable, Table: "Runners", Number: 42}, lite + "Tables", nil},
		{"a delete-table", "delete_table", target.Operation{Verb: entity.DeleteTable, Table: "Runners", Number: 42},
			lite + "Tables('Runners')", nil},
	}
}

// What arrives at a socket is what the golden files hold, byte for byte. They
// have {host} and {signature} for what differs between runs and keys.
func TestRequestBytes(t *testing.T) {
	for _, row := range requestRows() {
		t.Run(row.file, func(t *testing.T) {
			server := serve(t, always(busy))
			o := azure.Options{Endpoint: endpointAt(t, server.url()), Clock: still{clock.NewReal()}}
			if row.alter != nil {
				row.alter(&o)
			}
			subject := open(t, o)
			// A second time, through the room that the first one left.
			for range 2 {
				assert.Equalf(t, 503, subject.Do(t.Context(), &row.op).Status, "%s: Do", row.name)
			}
			path := filepath.Join("testdata", "requests", row.file+".http")
			for n, got := range server.requests() {
				if *rewrite {
					golden := strings.ReplaceAll(string(got), server.address, "{host}")
					golden = strings.ReplaceAll(golden, races.MAC(row.signed), "{signature}")
					require.NoError(t, os.WriteFile(path, []byte(golden), 0o666))
				}
				golden := must(os.ReadFile(path))
				want := bytes.ReplaceAll(golden, []byte("{host}"), []byte(server.address))
				want = bytes.ReplaceAll(want, []byte("{signature}"), []byte(races.MAC(row.signed)))
				// The length of the transaction counts the host's name.
				if row.file == "batch" {
					got, want = withoutLength(got), withoutLength(want)
				}
				assert.Truef(t, bytes.Equal(got, want), "%s, request %d:\n%s\nwant\n%s", row.name, n, got, want)
			}
			assert.Lenf(t, server.requests(), 2, "%s: requests of 2 attempts", row.name)
		})
	}
}

// withoutLength cuts the value of Content-Length out.
func withoutLength(request []byte) []byte {
	before, after, _ := bytes.Cut(request, []byte("Content-Length: "))
	_, after, _ = bytes.Cut(after, []byte("\r\n"))
	return append(bytes.Clone(before), after...)
}

// Nothing is sent of what the wire cannot say, or says for something else.
func TestUnsendable(t *testing.T) {
	subject, server := openAt(t, always(created), azure.Options{})
	crossed := target.Operation{Verb: entity.Query, Table: "Runners"}
	crossed.Query.Range = filter.Range{From: entity.Key{Partition: "a\x00b"}, To: entity.Key{Partition: "a\x00c", Row: "\x00"}, Bounded: true}
	mixed := single(entity.Insert, "1", entity.Match{})
	mixed.Change.Verb = entity.Replace
	for _, row := range []struct {
		name, detail string
		op           target.Operation
	}{
		{"a replace without a condition would be an upsert", "needs a condition", single(entity.Replace, "1", entity.Match{})},
		{"a merge without a condition would be an upsert", "needs a condition", single(entity.Merge, "1", entity.Match{})},
		{"an upsert with a condition would be an update", "takes no condition", single(entity.InsertOrMerge, "1", entity.MatchAny)},
		{"an insert with a condition is of no form", "an insert takes no condition", single(entity.Insert, "1", entity.MatchAny)},
		{"nor is a delete without one", "a delete needs a condition", single(entity.Delete, "1", entity.Match{})},
		{"a transaction with such a write in it", "write 1 of", target.Operation{Verb: entity.Batch, Table: "Runners", Changes: []entity.Change{
			runner("1"), single(entity.Replace, "2", entity.Match{}).Change}}},
		{"a change of another verb than the operation", "fits no operation", mixed},
		{"no verb", "fits no operation", target.Operation{Table: "Runners"}},
		{"a verb beyond the last", "fits no operation", target.Operation{Verb: entity.DeleteTable + 1, Table: "Runners"}},
		{"a range that no filter says", "no $filter", crossed},
	} {
		for way, do := range ways(subject) {
			got := do.Do(t.Context(), &row.op)
			if got.Status != 0 || got.Counted != 0 || !strings.Contains(got.Detail, row.detail) || got.Class(target.Expected{}) != results.Failed {
				t.Errorf("%s by %s: Do = %+v; want status 0 and a detail with %q", row.name, way, got, row.detail)
			}
		}
	}
	assert.Len(t, server.requests(), 0, "requests that arrived")
}

// A service compares entity tags as texts: what it is sent has to be written as
// it writes them.
func TestETagStyles(t *testing.T) {
	tagged := func(fraction string) string {
		return "HTTP/1.1 204 No Content\nContent-Length: 0\nETag: W/\"datetime'2026-11-20T11%3A48%3A20" + fraction + "Z'\"\n\n"
	}
	page := func(fraction string) string {
		return "HTTP/1.1 200 OK\nContent-Type: application/json\n\n" +
			`{"value":[{"odata.etag":"W/\"datetime'2026-11-20T11%3A48%3A19.4827041Z'\"","PartitionKey":"p","RowKey":"0","Timestamp":"2026-11-20T11:48:19.4827041Z"},` +
			`{"odata.etag":"W/\"datetime'2026-11-20T11%3A48%3A20` + fraction + `Z'\"","PartitionKey":"p","RowKey":"1","Timestamp":"2026-11-20T11:48:20` + fraction + `Z"}]}`
	}
	merge := single(entity.Merge, "1", entity.MatchAny)
	query := target.Operation{Verb: entity.Query, Table: "Runners"}
	for _, row := range []struct {
		name    string
		first   target.Operation
		reply   string
		version string
		want    string
	}{
		{"nothing has been seen", merge, tagged(""), "11:48:20.4827", "20.4827Z"},
		{"no style shows in a tag that ends with another digit", merge, tagged(".4827041"), "11:48:20.4827", "20.4827Z"},
		{"the real service trims zeros", merge, tagged(".4827"), "11:48:20.4827", "20.4827Z"},
		{"Azurite prints seven digits", merge, tagged(".4827000"), "11:48:20.4827", "20.4827000Z"},
		{"Azurite prints them of a whole second", merge, tagged(".0000000"), "11:48:20", "20.0000000Z"},
		{"seven that end with another digit are the same in both", merge, tagged(".4827000"), "11:48:20.4827041", "20.4827041Z"},
		{"a page of Azurite shows it too", query, page(".4827000"), "11:48:20.4827", "20.4827000Z"},
		{"a page of the real service shows the other", query, page(".4827"), "11:48:20.4827", "20.4827Z"},
		{"a page whose tags do not tell", query, page(".4827001"), "11:48:20.4827", "20.4827Z"},
		{"a tag that is none", merge, strings.Replace(tagged(""), "W/", "", 1), "11:48:20.4827", "20.4827Z"},
	} {
		subject, server := openAt(t, always(framed(row.reply, false)), azure.Options{})
		assert.NotZerof(t, subject.Do(t.Context(), &row.first).Status, "%s: status", row.name)
		conditional := single(entity.Merge, "1", entity.MatchExactly(ticks(t, "2026-11-20T"+row.version+"Z")))
		batch := target.Operation{Verb: entity.Batch, Table: "Runners", Changes: []entity.Change{conditional.Change}}
		for n, op := range []*target.Operation{&conditional, &batch} {
			subject.Do(t.Context(), op)
			want := "If-Match: W/\"datetime'2026-11-20T11%3A48%3A" + row.want + "'\"\r\n"
			assert.Containsf(t, string(server.requests()[n+1]), want, "%s: %v", row.name, op.Verb)
		}
	}
}

// A service that trims at first and pads later is taken for what it did later:
// two services behind one name, or one that was replaced.
func TestETagStyleChanges(t *testing.T) {
	replies := []string{".4827", ".4827000", ".4827", ""}
	wants := []string{"20.4827Z", "20.4827Z", "20.4827000Z", "20.4827000Z"}
	subject, server := openAt(t, func(number int, _ []byte) (string, bool) {
		return framed("HTTP/1.1 204 No Content\nContent-Length: 0\nETag: W/\"datetime'2026-11-20T11%3A48%3A20"+replies[number]+"Z'\"\n\n", false), false
	}, azure.Options{})
	op := single(entity.Merge, "1", entity.MatchExactly(ticks(t, "2026-11-20T11:48:20.4827Z")))
	for n, want := range wants {
		got := subject.Do(t.Context(), &op)
		assert.Containsf(t, string(server.requests()[n]), want, "request %d", n)
		assert.Truef(t, n >= 3 || got.Version == ticks(t, "2026-11-20T11:48:20.4827Z"),
			"Do %d = version %v; want the one of the tag", n, got.Version)
	}
}

// wall is a calendar that is turned while the clock beside it stands.
type wall struct{ turned atomic.Int64 }

func (w *wall) Date(i clock.Instant) time.Time {
	return epoch.Add(i.Offset() + time.Duration(w.turned.Load()))
}

// A request carries the second in which it is sent, and of the calendar's date what that is
// then: after 20 minutes of sleep a service takes no request of the date from before.
func TestDates(t *testing.T) {
	moved, w := &moving{}, new(wall)
	subject, server := openAt(t, always(created), azure.Options{Clock: moved, Calendar: w})
	op := single(entity.Insert, "1", entity.Match{})
	for n, row := range []struct {
		name       string
		at, turned time.Duration
		shown      string
	}{
		{"at first", 0, 0, "11:48:19"},
		{"within the second", 999 * time.Millisecond, 0, "11:48:19"},
		{"in the next", time.Second, 0, "11:48:20"},
		{"after a sleep", time.Second, 20 * time.Minute, "12:08:20"},
		{"set back", time.Second, time.Second, "11:48:21"},
		{"an hour later", time.Hour, 0, "12:48:19"},
		{"the next day", 24 * time.Hour, 0, "Sat, 21 Nov 2026 11:48:19 GMT"},
	} {
		moved.at.Store(int64(row.at))
		w.turned.Store(int64(row.turned))
		subject.Do(t.Context(), &op)
		_, date, _ := strings.Cut(string(server.requests()[n]), "x-ms-date: ")
		date, _, _ = strings.Cut(date, "\r\n")
		assert.Contains(t, date, row.shown, row.name)
	}
}
