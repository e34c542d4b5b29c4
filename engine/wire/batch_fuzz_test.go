package wire_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

func FuzzBatchRequest(f *testing.F) {
	f.Add("batch_7d9c", golden(f, "batch_request.txt"))
	f.Add("batch_7d9c", strings.ReplaceAll(golden(f, "batch_request.txt"), "\r\n", "\n"))
	f.Add("batch_1", changeSetText(operationText("POST /a/$T%22 HTTP/1.1", `{"PartitionKey":"","RowKey":"\u0000'","D":1e300,"S":"\ud83c\udfc3"}`)))
	f.Add("batch_1", changeSetText(operationText("DELETE Races(RowKey='%25',PartitionKey='''') HTTP/1.1\r\nIf-Match: W/\"x\"", "")))
	f.Add("b", "--b\nContent-Type: application/http\n\nGET /a/Races(PartitionKey='p',RowKey='r') HTTP/1.1\n--b")
	f.Add("-", "-----\n--")
	f.Fuzz(func(t *testing.T, boundary, text string) {
		var first, again wire.BatchRequest
		code, index, detail := first.Parse(boundary, text)
		if code != entity.OK {
			if detail == "" || index < 0 || index >= entity.MaxBatchChanges {
				t.Fatalf("Parse(%q, %q) = %q, %d, %q; want an index and a line", boundary, text, code, index, detail)
			}
			return
		}
		if first.IsRead {
			if len(first.Changes) != 0 || len(first.Parts) != 1 {
				t.Fatalf("Parse(%q, %q) = %+v; want one read", boundary, text, first)
			}
			return
		}
		if len(first.Parts) != len(first.Changes) || len(first.Changes) == 0 {
			t.Fatalf("Parse(%q, %q): %d changes, %d parts; want as many", boundary, text, len(first.Changes), len(first.Parts))
		}
		sent := string(wire.AppendBatch(nil, "x", batchBase, first.Table, first.Changes, nil))
		code, index, detail = again.Parse("batch_x", sent)
		if code != entity.OK || again.Table != first.Table || !sameChanges(again.Changes, first.Changes) {
			t.Fatalf("Parse(%q, %q) = %+v; sent again as %s it is %q, %d, %q, %+v",
				boundary, text, first.Changes, sent, code, index, detail, again.Changes)
		}
	})
}

func FuzzBatchReply(f *testing.F) {
	for _, name := range goldenReplies() {
		text := golden(f, name)
		f.Add("batchresponse_41ab", text, "0001__Kim")
		f.Add("", strings.ReplaceAll(text, "\r\n", "\n"), "1:2:3")
	}
	f.Add("", `{"odata.error":{"code":"ServerBusy","message":{"lang":"en-US","value":"99:x"}}}`, "")
	f.Add("b", "--b\nHTTP/1.1 204\n--b--", "--batchresponse_1")
	f.Fuzz(func(t *testing.T, boundary, text, message string) {
		outcome, err := wire.ParseBatchReply(boundary, text)
		switch {
		case err != nil:
			if !errors.Is(err, wire.ErrReply) || outcome != (wire.BatchOutcome{}) {
				t.Fatalf("ParseBatchReply(%q, %q) = %+v, %v; want %v alone", boundary, text, outcome, err, wire.ErrReply)
			}
		case outcome.Status < 100 || outcome.Status > 599 || outcome.FailedIndex < 0 || outcome.Parts > 1+len(text)/len("HTTP/1.1 200"):
			t.Fatalf("ParseBatchReply(%q, %q) = %+v; want what a reply can say", boundary, text, outcome)
		}
		// What this package writes it reads: any message, on one line.
		message = strings.Join(strings.Fields(strings.Map(printable, message)), " ")
		reply := wire.BatchReply{ID: "1"}
		index := len(text) % 100
		written := string(reply.AppendFailure(nil, index, nil, &wire.Failure{Code: entity.ServerBusy, Message: message}))
		outcome, err = wire.ParseBatchReply("batchresponse_1", written)
		want := wire.BatchOutcome{Status: 503, Failure: wire.Failure{Code: entity.ServerBusy, Message: message}, FailedIndex: index, Parts: 1}
		if len(message) < 512 && (err != nil || outcome != want) {
			t.Fatalf("ParseBatchReply(%s) = %+v, %v; want %+v", written, outcome, err, want)
		}
	})
}

// printable keeps the characters of a message that its reader does not alter.
func printable(r rune) rune {
	if r < ' ' || r > '~' && !slices.Contains([]rune("äô한"), r) {
		return -1
	}
	return r
}
