package azure_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/target"
	"loadgen/target/azure"
)

// golden returns the text of a reply.
func golden(t testing.TB, name string) string {
	t.Helper()
	text := must(os.ReadFile(filepath.Join("testdata", "replies", name+".http")))
	if head, body, _ := strings.Cut(string(text), "\n\n"); body != "" {
		return head + "\n\n" + strings.TrimSuffix(body, "\n")
	}
	return string(text)
}

func ticks(t testing.TB, text string) entity.Ticks {
	t.Helper()
	return must(entity.ParseTicks(text))
}

// outcomeRow is an operation, the file of the reply to it, and what comes of it.
type outcomeRow struct {
	name, file string
	op         target.Operation
	want       target.Outcome
}

func outcomeRows(t *testing.T) []outcomeRow {
	trimmed := ticks(t, "2026-11-20T11:48:20.482704Z")
	version := ticks(t, "2026-11-20T11:48:20.4827041Z")
	whole := ticks(t, "2026-11-20T11:48:21Z")
	key := func(row string) entity.Key { return entity.Key{Partition: "NYC 2011", Row: row} }
	stored := entity.Pack(nil, version, runner("1").Properties)
	aged := func(row string, at entity.Ticks, age int32) target.Row {
		return target.Row{Key: key(row), Entity: entity.Pack(nil, at, []entity.Property{{Name: "Age", Value: entity.Int32(age)}})}
	}
	insert := single(entity.Insert, "1", entity.Match{})
	merge := single(entity.Merge, "1", entity.MatchAny)
	remove := single(entity.Delete, "1", entity.MatchAny)
	create := target.Operation{Verb: entity.CreateTable, Table: "Runners"}
	query := target.Operation{Verb: entity.Query, Table: "Runners"}
	batch := target.Operation{Verb: entity.Batch, Table: "Runners", Changes: []entity.Change{runner("1"), remove.Change}}
	batch.Changes[1].Key.Row = "2"
	fails := func(status int, code entity.Code, detail string, counted int64) target.Outcome {
		return target.Outcome{Status: status, Code: code, Detail: detail, Counted: counted}
	}
	unfit := func(status int, fault target.Fault, detail string, counted int64) target.Outcome {
		return target.Outcome{Status: status, Fault: fault, Detail: detail, Counted: counted}
	}
	const (
		exists  = "The specified entity already exists."
		timeout = "The operation could not be completed within the permitted time."
		moving  = "The server is currently unable to receive requests. Please retry your request."
		tooBig  = "The request body is too large and exceeds the maximum permissible limit."
		noTable = "The table specified does not exist."
	)
	conflict := fails(409, entity.EntityAlreadyExists, exists, 2)
	conflict.FailedIndex = 1
	large := fails(413, entity.RequestBodyTooLarge, tooBig, 2)
	large.FailedIndex = 1
	later := fails(429, entity.TooManyRequests, "The request rate is too large.", 0)
	later.RetryAfter = 100 * time.Millisecond
	return []outcomeRow{
		{"an insert without an echo", "insert_204", insert, target.Outcome{Status: 204, Counted: 1, Version: trimmed}},
		{"an insert with an echo that was not asked for", "insert_201", insert, target.Outcome{Status: 201, Counted: 1, Version: trimmed}},
		{"a merge at Azurite", "merge_204_azurite", merge, target.Outcome{Status: 204, Counted: 1, Version: trimmed}},
		{"a delete has no version", "delete_204", remove, target.Outcome{Status: 204, Counted: 1}},
		{"a table created counts no entity", "delete_204", create, target.Outcome{Status: 204}},
		{"an entity", "get_200", get("1"), target.Outcome{Status: 200, Counted: 1, Returned: 1, Version: version, Entity: stored}},
		{"an entity at Azurite", "get_200_azurite", get("1"), target.Outcome{Status: 200, Counted: 1, Returned: 1, Version: version, Entity: stored}},
		{"a page that more follow", "query_200_more", query, target.Outcome{Status: 200, Counted: 2, Returned: 2,
			Rows: []target.Row{aged("1", version, 55), aged("2", whole, 30)},
			Next: target.Token{Present: true, NextPartitionKey: "1!12!TllDIDIwMTE-", NextRowKey: "1!4!Mw--"}}},
		{"an empty page that ends at a partition counts one", "query_200_partition", query, target.Outcome{Status: 200, Counted: 1,
			Next: target.Token{Present: true, NextPartitionKey: "1!12!TllDIDIwMTI-"}}},
		{"a page at Azurite, whose tokens are plain base64", "query_200_azurite", query, target.Outcome{Status: 200, Counted: 1, Returned: 1,
			Rows: []target.Row{aged("1", version, 55)},
			Next: target.Token{Present: true, NextPartitionKey: "TllDIDIwMTE=", NextRowKey: "Mg=="}}},
		{"the last page", "query_200_last", query, target.Outcome{Status: 200, Counted: 1, Returned: 1, Rows: []target.Row{aged("1", version, 55)}}},
		{"a transaction", "batch_202", batch, target.Outcome{Status: 202, Counted: 2}},
		{"a transaction whose second write fails", "batch_202_exists", batch, conflict},
		{"a transaction whose failure has no index", "batch_202_no_index", batch, fails(409, entity.EntityAlreadyExists, exists, 2)},
		{"a transaction on a missing table", "batch_202_no_table", batch, fails(404, entity.TableNotFound, noTable, 0)},
		{"a transaction too large for the store", "batch_202_too_large", batch, large},
		{"a transaction too large for the wire", "too_large_413", batch, fails(413, entity.RequestBodyTooLarge, tooBig, 0)},
		{"a transaction refused in its part", "batch_202_busy", batch, fails(503, entity.ServerBusy, moving, 0)},
		{"a transaction answered in part", "batch_202_short", batch, unfit(0, target.Unreadable, "the reply to a transaction lacks some of its writes", 2)},
		{"a transaction with an error in the place of parts", "batch_202_plain", batch, fails(400, entity.InvalidInput, "One of the request inputs is not valid.", 2)},
		{"a missing entity", "get_404", get("1"), fails(404, entity.ResourceNotFound, "The specified resource does not exist.", 1)},
		{"a missing table", "table_404", get("1"), fails(404, entity.TableNotFound, noTable, 0)},
		{"an entity that exists", "exists_409", insert, fails(409, entity.EntityAlreadyExists, exists, 1)},
		{"a stale version", "condition_412", merge, fails(412, entity.ConditionNotSatisfied, "The update condition specified in the request was not satisfied.", 1)},
		{"an invalid entity", "input_400", insert, fails(400, entity.InvalidInput, "One of the request inputs is not valid.", 1)},
		{"a busy partition", "busy_503_partition", insert, fails(503, entity.ServerBusy, moving, 0)},
		{"an account over its requests", "busy_503_account", insert, fails(503, entity.ServerBusy, "Operations per second is over the account limit.", 0)},
		{"an account over its ingress", "busy_503_ingress", batch, fails(503, entity.ServerBusy, "Ingress is over the account limit.", 0)},
		{"a time-out of the service", "timed_out_500", query, fails(500, entity.OperationTimedOut, timeout, 0)},
		{"a time-out in XML", "timed_out_500_xml", insert, fails(500, entity.OperationTimedOut, "Operation could not be completed within the specified time.", 0)},
		{"an error of the service", "internal_500", insert, fails(500, entity.InternalError, "Server encountered an internal error. Please try again after some time.", 0)},
		{"a wrong key", "forbidden_403_xml", insert, fails(403, entity.AuthenticationFailed, "Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly including the signature.", 0)},
		{"too many requests at Cosmos DB", "many_429", insert, later},
		{"the header's code goes before the body's", "header_first_409", create, fails(409, entity.TableAlreadyExists, "The table specified already exists.", 0)},
		{"a web page for an error", "gateway_502", insert, fails(502, "", "Bad Gateway", 0)},
		{"a redirection is not followed", "moved_301", get("1"), fails(301, "", "Moved Permanently", 0)},
		{"a web page for an entity is a failure", "garbage_200", get("1"), unfit(200, target.Unreadable, "the reply cannot be read: ", 0)},
		{"a web page for a page of entities too", "garbage_200", query, unfit(200, target.Unreadable, "the reply cannot be read: ", 0)},
		{"a web page for a transaction too", "garbage_200", batch, unfit(0, target.Unreadable, "the reply to a transaction is not multipart/mixed", 2)},
	}
}

func TestOutcomes(t *testing.T) {
	unused := must(filepath.Glob(filepath.Join("testdata", "replies", "*.http")))
	for _, row := range outcomeRows(t) {
		unused = slices.DeleteFunc(unused, func(path string) bool { return filepath.Base(path) == row.file+".http" })
		for _, chunked := range []bool{false, true} {
			reply := framed(golden(t, row.file), chunked)
			subject, server := openAt(t, always(reply), azure.Options{})
			// Twice, so that the second reply comes into used room.
			for range 2 {
				got := subject.Do(t.Context(), &row.op)
				want := row.want
				if strings.HasSuffix(want.Detail, ": ") && strings.HasPrefix(got.Detail, want.Detail) {
					want.Detail = got.Detail
				}
				requests := server.requests()
				want.BytesOut, want.BytesIn = int64(len(requests[len(requests)-1])), int64(len(reply))
				assert.Equalf(t, want, got, "%s (chunked %v): Do =\n%+v; want\n%+v", row.name, chunked, got, want)
			}
			if n := subject.Connections(); n.Opened+n.Reused != 2 || n.FirstByte.Count != 2 {
				t.Errorf("%s (chunked %v): Connections() = %+v; want two attempts in all", row.name, chunked, n)
			}
		}
	}
	assert.Emptyf(t, unused, "%v belong to no row", unused)
}

// What the service says that it counted is believed where it was asked, and
// only there.
func TestAskedCount(t *testing.T) {
	insert := single(entity.Insert, "1", entity.Match{})
	for _, row := range []struct {
		name, header string
		ask          bool
		want         int64
	}{
		{"an answer", "X-Loadgen-Counted: 17\n", true, 17},
		{"an answer of none", "X-Loadgen-Counted: 0\n", true, 0},
		{"no answer", "", true, 1},
		{"an answer that was not asked for", "X-Loadgen-Counted: 17\n", false, 1},
		{"a negative answer", "X-Loadgen-Counted: -5\n", true, 1},
		{"an answer beyond reason", "X-Loadgen-Counted: 9999999999\n", true, 1},
	} {
		subject, server := openAt(t, always(framed("HTTP/1.1 204 No Content\n"+row.header+"Content-Length: 0\n\n", false)),
			azure.Options{AskCounted: row.ask})
		if got := subject.Do(t.Context(), &insert); got.Counted != row.want || got.Status != 204 {
			t.Errorf("%s: Do = %d, counted %d; want 204, %d", row.name, got.Status, got.Counted, row.want)
		}
		asked := strings.Contains(string(server.requests()[0]), "X-Loadgen-Ask: counted\r\n")
		assert.Equalf(t, row.ask, asked, "%s: the request asks", row.name)
	}
}

// The rule by which counts are derived, for every status that a service sends
// and every kind of operation.
func TestDerivedCounts(t *testing.T) {
	get, insert := get("1"), single(entity.Insert, "1", entity.Match{})
	query := target.Operation{Verb: entity.Query, Table: "Runners"}
	create := target.Operation{Verb: entity.CreateTable, Table: "Runners"}
	batch := func(writes int) target.Operation {
		op := target.Operation{Verb: entity.Batch, Table: "Runners"}
		for i := range writes {
			op.Changes = append(op.Changes, runner(strconv.Itoa(i)))
		}
		return op
	}
	three := batch(3)
	for _, status := range []int{301, 400, 401, 403, 404, 405, 408, 409, 411, 412, 413, 415, 429, 500, 501, 502, 503, 504} {
		for _, code := range []entity.Code{"", "InvalidInput", entity.TableNotFound, entity.DuplicateProperties} {
			subject, _ := openAt(t, always(fmt.Sprintf("HTTP/1.1 %d X\r\nx-ms-error-code: %s\r\nContent-Length: 0\r\n\r\n",
				status, code)), azure.Options{})
			for _, op := range []*target.Operation{&get, &insert, &query, &three, &create} {
				writes := op == &insert || op == &three
				reached := status == 404 || status == 409 || status == 412 || status == 400 && writes
				want := int64(0)
				if reached && op != &create && (code == "" || code == "InvalidInput") {
					want = max(1, int64(len(op.Changes)))
				}
				got := subject.Do(t.Context(), op)
				assert.Truef(t, got.Status == status && got.Code == code && got.Counted == want, "%v answered %d %s = %d %s, counted %d; want %d",
					op.Verb, status, code, got.Status, got.Code, got.Counted, want)
			}
		}
	}
	subject, _ := openAt(t, always("HTTP/1.1 400 X\r\nContent-Length: 0\r\n\r\n"), azure.Options{})
	for writes, want := range map[int]int64{0: 0, 1: 1, 100: 100, 101: 0} {
		op := batch(writes)
		assert.Equalf(t, want, subject.Do(t.Context(), &op).Counted, "a transaction of %d writes, answered 400, counted", writes)
	}
}

// The clock of these attempts stands at the epoch, 11:48:19.
func TestRetryAfter(t *testing.T) {
	for _, row := range []struct {
		name, headers string
		want          time.Duration
	}{
		{"nothing is asked", "", 0},
		{"seconds", "Retry-After: 7\n", 7 * time.Second},
		{"seconds, the name in another case", "retry-after: 7\n", 7 * time.Second},
		{"more than an hour is an hour", "Retry-After: 3601\n", time.Hour},
		{"more than any number is an hour", "Retry-After: 99999999999999999999\n", time.Hour},
		{"a number that overflows a duration", "Retry-After: 18446744073709551615\n", time.Hour},
		{"a negative number is none", "Retry-After: -1\n", 0},
		{"words are none", "Retry-After: soon\n", 0},
		{"milliseconds", "x-ms-retry-after-ms: 1500\n", 1500 * time.Millisecond},
		{"too many milliseconds", "x-ms-retry-after-ms: 18446744073709551615\n", time.Hour},
		{"the finer goes first", "Retry-After: 7\nx-ms-retry-after-ms: 12\n", 12 * time.Millisecond},
		{"unless it is none", "Retry-After: 7\nx-ms-retry-after-ms: 1e3\n", 7 * time.Second},
		{"a date, by this machine's clock", "Retry-After: Fri, 20 Nov 2026 11:48:29 GMT\n", 10 * time.Second},
		{"a date, by the service's clock", "Date: Fri, 20 Nov 2026 11:40:00 GMT\nRetry-After: Fri, 20 Nov 2026 11:41:00 GMT\n", time.Minute},
		{"a date beside one that cannot be read", "Date: x\nRetry-After: Fri, 20 Nov 2026 11:48:29 GMT\n", 10 * time.Second},
		{"a date as RFC 850 had it", "Retry-After: Friday, 20-Nov-26 11:48:29 GMT\n", 10 * time.Second},
		{"a date gone by", "Retry-After: Fri, 20 Nov 2026 11:48:09 GMT\n", 0},
		{"a date long gone by", "Retry-After: Fri, 20 Nov 0001 11:48:29 GMT\n", 0},
	} {
		subject, _ := openAt(t, always(framed("HTTP/1.1 503 Busy\n"+row.headers+"Content-Length: 0\n\n", false)),
			azure.Options{Clock: still{clock.NewReal()}})
		if got := do(t, subject, single(entity.Insert, "1", entity.Match{})); got.Status != 503 ||
			got.RetryAfter != row.want {
			t.Errorf("%s: Do(%q) = %d, to be retried after %v; want 503, %v", row.name, row.headers, got.Status, got.RetryAfter, row.want)
		}
	}
}
