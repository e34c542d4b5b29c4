package wire_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

func raceReply() *wire.BatchReply {
	return &wire.BatchReply{ID: "41ab", Rendering: wire.Rendering{Base: batchBase, Table: "Races"}}
}

func raceFailure(code entity.Code, message string) *wire.Failure {
	return &wire.Failure{Code: code, Message: message, RequestID: "5e1f0c6a-0002-0034-5c03-6739af000000",
		Time: ticks("2026-11-20T11:56:19.94416Z")}
}

func parsed(t testing.TB, boundary, text string) *wire.BatchRequest {
	t.Helper()
	var b wire.BatchRequest
	code, i, detail := b.Parse(boundary, text)
	require.Truef(t, code == entity.OK, "Parse = %q, %d, %q; want a request", code, i, detail)
	return &b
}

func TestBatchReplies(t *testing.T) {
	at := ticks("2026-11-20T11:56:19.9441618Z")
	whole := ticks("2026-11-20T11:56:19Z")
	reply := raceReply()
	assert.Equal(t, "multipart/mixed; boundary=batchresponse_41ab", reply.ContentType(), "ContentType()")
	request := parsed(t, "batch_7d9c", golden(t, "batch_request.txt"))
	insert := func(head, row, bib string) string {
		return operationText("POST /races/Races HTTP/1.1"+head, `{"PartitionKey":"`+racePartition+`","RowKey":"`+row+`",`+bib+`}`)
	}
	echoing := parsed(t, "batch_1", changeSetText(
		insert("", "0007", `"Bib":7,"Chip@odata.type":"Edm.Int64","Chip":"5432873627392"`),
		insert("\r\nContent-ID: eight\r\nAccept: application/json;odata=nometadata", "0008", `"Bib":8`)))
	stored := []entity.Packed{
		entity.Pack(nil, whole, echoing.Changes[0].Properties), entity.Pack(nil, whole+5_000_000, echoing.Changes[1].Properties),
	}
	selecting := raceReply()
	selecting.Rendering.Select = []string{"Nothing"}
	seven := entity.Pack(nil, at, []entity.Property{{Name: "Bib", Value: entity.Int32(7)}})
	for _, row := range []struct {
		name, file string
		got        []byte
	}{
		{"one change of each kind", "batch_reply_done.txt",
			reply.AppendSuccess(nil, request, []entity.Ticks{at, at + 1, at + 2, at + 3, at + 4, 0}, nil)},
		{"inserts that show the entity", "batch_reply_echo.txt",
			selecting.AppendSuccess(nil, echoing, []entity.Ticks{whole, whole + 5_000_000}, func(i int) entity.Packed { return stored[i] })},
		{"an insert that failed", "batch_reply_failed.txt",
			reply.AppendFailure(nil, 0, &request.Parts[0], raceFailure(entity.EntityAlreadyExists, "The specified entity already exists."))},
		{"a condition that is not met", "batch_reply_unmet.txt",
			reply.AppendFailure(nil, 1, &request.Parts[1], raceFailure(entity.ConditionNotSatisfied, "The update condition specified in the request was not satisfied."))},
		{"a lone read", "batch_reply_read.txt", reply.AppendRead(nil, raceKey("0007"), seven, nil)},
		{"a lone read of nothing", "batch_reply_missing.txt",
			reply.AppendRead(nil, raceKey("0007"), nil, raceFailure(entity.ResourceNotFound, "The specified resource does not exist."))},
	} {
		want := golden(t, row.file)
		assert.Truef(t, string(row.got) == want, "%s: the reply is\n%s\nwant\n%s", row.name, row.got, want)
	}
	if got := string(reply.AppendFailure([]byte("before"), 99, nil, &wire.Failure{Code: entity.InvalidInput})); !strings.HasPrefix(got, "before--batchresponse_") ||
		strings.Contains(got, "Content-ID") || strings.Contains(got, "Preference-Applied") || !strings.Contains(got, `"value":"99:`) {
		t.Errorf("AppendFailure of no part = %s; want what it shares with others", got)
	}
}

func TestParseBatchReply(t *testing.T) {
	const boundary = "batchresponse_41ab"
	file := func(name string) string { return golden(t, name) }
	done := wire.BatchOutcome{Status: 202, Parts: 6}
	failed := wire.BatchOutcome{Status: 409, Parts: 1, Failure: *raceFailure(entity.EntityAlreadyExists, "The specified entity already exists.")}
	missing := wire.BatchOutcome{Status: 404, Parts: 1, Failure: *raceFailure(entity.ResourceNotFound, "The specified resource does not exist.")}
	unmet := wire.BatchOutcome{Status: 412, Parts: 1, FailedIndex: 1,
		Failure: *raceFailure(entity.ConditionNotSatisfied, "The update condition specified in the request was not satisfied.")}
	busy := wire.BatchOutcome{Status: 503, Failure: wire.Failure{Code: entity.ServerBusy, Message: "Please retry your request."}}
	plain := `{"odata.error":{"code":"ServerBusy","message":{"lang":"en-US","value":"Please retry your request."}}}`
	part := func(text string) string {
		return "--" + boundary + "\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\nContent-Type: application/http\r\n\r\n" +
			text + "\r\n--c--\r\n--" + boundary + "--\r\n"
	}
	for _, row := range []struct {
		name, boundary, text string
		want                 wire.BatchOutcome
	}{
		{"all done", boundary, file("batch_reply_done.txt"), done},
		{"all done, with LF as line ends", boundary, strings.ReplaceAll(file("batch_reply_done.txt"), "\r\n", "\n"), done},
		{"all done, by the boundary of the first line", "", file("batch_reply_done.txt"), done},
		{"all done, without the last boundary", boundary, strings.TrimSuffix(file("batch_reply_done.txt"), "--batchresponse_41ab--\r\n"), done},
		{"entities shown", boundary, file("batch_reply_echo.txt"), wire.BatchOutcome{Status: 202, Parts: 2}},
		{"an insert refused", boundary, file("batch_reply_failed.txt"), failed},
		{"the same without an index, as the service once sent it", boundary, strings.ReplaceAll(file("batch_reply_failed.txt"), "0:The", "The"), failed},
		{"a condition not met", boundary, file("batch_reply_unmet.txt"), unmet},
		{"a lone read", boundary, file("batch_reply_read.txt"), wire.BatchOutcome{Status: 202, Parts: 1}},
		{"a lone read of nothing", boundary, file("batch_reply_missing.txt"), missing},
		{"a lone read in a change set, as an emulator has it", boundary, part("HTTP/1.1 200 OK\r\nETag: x\r\n\r\n{}"), wire.BatchOutcome{Status: 202, Parts: 1}},
		{"an echo without a body", boundary, part("HTTP/1.1 201 Created\r\nETag: x\r\n\r\n"), wire.BatchOutcome{Status: 202, Parts: 1}},
		{"headers that no blank line ends", boundary, part("HTTP/1.1 204 No Content\r\nETag: x"), wire.BatchOutcome{Status: 202, Parts: 1}},
		{"a status without a phrase", boundary, part("HTTP/1.1 204"), wire.BatchOutcome{Status: 202, Parts: 1}},
		{"a failure without a body", boundary, part("HTTP/1.1 400 Bad Request"), wire.BatchOutcome{Status: 400, Parts: 1}},
		{"a redirection is a failure", boundary, part("HTTP/1.1 302 Found"), wire.BatchOutcome{Status: 302, Parts: 1}},
		{"of two failures the first", boundary, part("HTTP/1.1 404 Not Found\r\n\r\n\r\n--c\r\n\r\nHTTP/1.1 409 Conflict"), wire.BatchOutcome{Status: 404, Parts: 2}},
		{"an error without parts", boundary, plain, busy},
		{"the same after a mark of byte order", "", "\uFEFF\r\n" + plain, busy},
		{"an index that is none", boundary, strings.ReplaceAll(plain, "Please", "-1:Please"),
			wire.BatchOutcome{Status: 503, Failure: wire.Failure{Code: entity.ServerBusy, Message: "-1:Please retry your request."}}},
		{"an index beyond all", boundary, strings.ReplaceAll(plain, "Please", "4294967296:Please"),
			wire.BatchOutcome{Status: 503, Failure: wire.Failure{Code: entity.ServerBusy, Message: "4294967296:Please retry your request."}}},
	} {
		got, err := wire.ParseBatchReply(row.boundary, row.text)
		assert.Truef(t, got == row.want && err == nil, "%s: ParseBatchReply = %+v, %v; want %+v", row.name, got, err, row.want)
	}
}

func TestParseBatchReplyRefuses(t *testing.T) {
	done := golden(t, "batch_reply_done.txt")
	for _, row := range []struct{ name, boundary, text string }{
		{"nothing", "b", ""},
		{"another boundary", "batchresponse_x", done},
		{"an object that is no error", "b", `{"value":[]}`},
		{"a page of HTML", "b", "<html>busy</html>"},
		{"no parts", "b", "--b--\r\n"},
		{"no operations", "b", "--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c--\r\n--b--\r\n"},
		{"a change set without its boundary", "b", "--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--b--\r\n"},
		{"a change set cut short", "batchresponse_41ab", done[:len(done)/2]},
		{"one whose last boundary is not closed", "batchresponse_41ab", strings.ReplaceAll(done, "41ab--", "41ab")},
		{"a part without a status line", "b", "--b\r\nContent-Type: application/http\r\n\r\nhello\r\n--b--\r\n"},
		{"a part of headers", "b", "--b\r\nContent-Type: application/http\r\n--b--\r\n"},
		{"a status that is no number", "b", "--b\r\n\r\nHTTP/1.1 OK\r\n--b--\r\n"},
		{"a status that is none", "b", "--b\r\n\r\nHTTP/1.1 999 X\r\n--b--\r\n"},
	} {
		if got, err := wire.ParseBatchReply(row.boundary, row.text); !errors.Is(err, wire.ErrReply) || got != (wire.BatchOutcome{}) {
			t.Errorf("%s: ParseBatchReply = %+v, %v; want %v", row.name, got, err, wire.ErrReply)
		}
	}
}

// A reply says of each entity where it is, whatever its neighbours are.
func TestBatchRepliesLocateEachEntity(t *testing.T) {
	reply := wire.BatchReply{ID: "1", Rendering: wire.Rendering{Base: batchBase, Table: "Races"}}
	var request wire.BatchRequest
	for _, partition := range []string{"", "", "a b", "a b", "O'Neil", ""} {
		request.Changes = append(request.Changes, entity.Change{Verb: entity.Insert, Key: entity.Key{Partition: partition, Row: "1"}})
		request.Parts = append(request.Parts, wire.BatchPart{})
	}
	text := string(reply.AppendSuccess(nil, &request, make([]entity.Ticks, len(request.Changes)), nil))
	_, text, _ = strings.Cut(text, "HTTP/1.1 ")
	for i, part := range strings.Split(text, "HTTP/1.1 ") {
		want := string(reply.Rendering.AppendLocation(nil, request.Changes[i].Key)) + "\r\n"
		assert.Truef(t, strings.Contains(part, "\r\nLocation: "+want) && strings.Contains(part, "\r\nDataServiceId: "+want),
			"AppendSuccess: part %d is %q; want the location %s", i, part, want)
	}
}
