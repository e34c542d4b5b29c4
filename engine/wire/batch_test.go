package wire_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

// sameChanges reports whether two lists ask for the same; no properties and nil
// are alike.
func sameChanges(a, b []entity.Change) bool {
	return slices.EqualFunc(a, b, func(x, y entity.Change) bool {
		if len(x.Properties) == 0 && len(y.Properties) == 0 {
			x.Properties, y.Properties = nil, nil
		}
		return reflect.DeepEqual(x, y)
	})
}

func TestBatchRequestReadsWhatClientsSend(t *testing.T) {
	request := golden(t, "batch_request.txt")
	moved := request
	const partHead = "Content-Transfer-Encoding: binary\r\n"
	for i := range 6 {
		id := fmt.Sprintf("Content-ID: %d\r\n", i+1)
		at := strings.Index(moved, id)
		head := strings.LastIndex(moved[:at], partHead)
		moved = moved[:head] + id + moved[head:at] + moved[at+len(id):]
	}
	var b wire.BatchRequest
	for _, row := range []struct {
		name string
		// replaced are pairs of what is in the golden request and what is sent for it.
		replaced []string
	}{
		{"as this package sends it", nil},
		{"with LF as line ends", []string{"\r\n", "\n"}},
		{"with names of headers in small letters", []string{"Content-Type:", "content-type:", "Content-ID:", "content-id:", "If-Match:", "if-match:",
			"Prefer:", "prefer:", "Accept:", "accept:"}},
		{"without the blank line after a bodiless request", []string{"Content-ID: 6\r\n\r\n\r\n", "Content-ID: 6\r\n"}},
		{"with blank lines before the request lines", []string{partHead, partHead + "\r\n \r\n"}},
		{"without the last hyphens", []string{"--batch_7d9c--\r\n", "--batch_7d9c\r\n"}},
		{"without the last boundary", []string{"--batch_7d9c--\r\n", ""}},
		{"with Content-ID among the headers of the part", []string{request, moved}},
		{"with line ends after the JSON", []string{"}\r\n", "}\r\n\r\n\r\n"}},
		{"with text before and after", []string{"--batch_7d9c\r\n", "A batch:\r\n--no batch_7d9c\r\n--batch_7d9c\r\n",
			"--batch_7d9c--\r\n", "--batch_7d9c--\r\nThat was it.\r\n"}},
		{"with a boundary that begins as the other does", []string{"changeset_7d9c", "batch_7d9c_set"}},
		{"with blanks after the boundaries", []string{"set_7d9c\r\nContent", "set_7d9c \t\r\nContent",
			"7d9c--\r\n--batch_7d9c--\r\n", "7d9c--\r\n--batch_7d9c--\r\n "}},
		{"with paths for URLs", []string{"http://127.0.0.1:10002/", "/"}},
		{"with the account in the host", []string{"http://127.0.0.1:10002/races/", "https://races.example.org/"}},
		{"with neither host nor slash", []string{batchBase.URL + "/", ""}},
		{"with a query string", []string{" HTTP/1.1", "?sig=a/b%2F&x='(PartitionKey=' HTTP/1.1"}},
		{"with quotes escaped", []string{"Key='", "Key=%27", "',Row", "%27,%20Row"}},
		{"with parentheses on the set", []string{"/Races HTTP", "/Races() HTTP"}},
		{"with MERGE for PATCH", []string{"PATCH ", "MERGE "}},
		{"with MERGE behind a POST", []string{"PATCH ", "POST ", "Content-ID: 5\r\n", "X-HTTP-Method: MERGE\r\nContent-ID: 5\r\n",
			"Content-ID: 3\r\n", "Content-ID: 3\r\nx-http-method: MERGE\r\n"}},
		{"with blanks around the headers' values", []string{"application/json\r\n", "application/json \t\r\n", "Content-ID: ", "Content-ID:\t "}},
		{"with a length and other headers", []string{"DataServiceVersion: 3.0;", "DataServiceVersion: 1.0\r\nContent-Length: 1\r\nUser-Agent: a: b"}},
		{"with JSON that says its character set", []string{"application/json\r\n", "application/json;odata=nometadata; charset=utf-8\r\n"}},
		{"with a type for a body that is not there", []string{"Content-ID: 6\r\n", "Content-ID: 6\r\nContent-Type: application/http\r\n"}},
		{"with names of the table in various cases", []string{"PUT http://127.0.0.1:10002/races/Races(", "PUT http://127.0.0.1:10002/races/RACES("}},
	} {
		text := request
		for i := 0; i < len(row.replaced); i += 2 {
			require.Containsf(t, text, row.replaced[i], "%s: the golden request", row.name)
			text = strings.ReplaceAll(text, row.replaced[i], row.replaced[i+1])
		}
		code, index, detail := b.Parse("batch_7d9c", text)
		if code != entity.OK || index != 0 || detail != "" || b.Table != "Races" || b.IsRead || !sameChanges(b.Changes, raceChanges()) {
			t.Errorf("%s: Parse = %q, %d, %q with table %q and %+v; want the golden request's changes",
				row.name, code, index, detail, b.Table, b.Changes)
			continue
		}
		for i, part := range b.Parts {
			if want := fmt.Sprint(i + 1); part.ContentID != want || !part.HasContentID || part.Echo || part.Level != wire.MinimalMetadata {
				t.Errorf("%s: Parse: part %d is %+v; want Content-ID %s and no echo", row.name, i, part, want)
			}
		}
	}
}

// operationText is a part of a change set.
func operationText(request, body string) string {
	return "--changeset_1\r\nContent-Type: application/http\r\n\r\n" + request + "\r\n\r\n" + body + "\r\n"
}

func changeSetText(operations ...string) string {
	return "--batch_1\r\nContent-Type: multipart/mixed; boundary=changeset_1\r\n\r\n" +
		strings.Join(operations, "") + "--changeset_1--\r\n--batch_1--\r\n"
}

const kimBody = `{"PartitionKey":"p","RowKey":"r","N":1}`

func TestBatchRequestEchoesByPreference(t *testing.T) {
	var b wire.BatchRequest
	code, _, detail := b.Parse("batch_1", changeSetText(
		operationText("POST /a/Races HTTP/1.1", kimBody),
		operationText("POST /a/Races HTTP/1.1\r\nPrefer: return-content\r\nAccept: application/json;odata=fullmetadata\r\nContent-ID:", kimBody),
		operationText("POST /a/Races HTTP/1.1\r\nPrefer: Return-No-Content\r\nAccept: application/json;odata=nometadata", kimBody),
		operationText("DELETE /a/Races(PartitionKey='p',RowKey='r') HTTP/1.1", "")))
	require.Truef(t, code == entity.OK && len(b.Parts) == 4, "Parse = %q, %q with %d parts; want four", code, detail, len(b.Parts))
	for i, want := range []struct {
		echo, id bool
		level    wire.Level
	}{{true, false, wire.MinimalMetadata}, {true, true, wire.FullMetadata}, {false, false, wire.NoMetadata}, {}} {
		if got := b.Parts[i]; got.Echo != want.echo || got.HasContentID != want.id || got.Level != want.level || got.ContentID != "" {
			t.Errorf("Parse: part %d is %+v; want %+v", i, got, want)
		}
	}
	if code, i, _ := entity.ValidateBatch(b.Changes[3:]); code != entity.MissingRequiredHeader || i != 0 {
		t.Errorf("a delete without If-Match validates as %q; want %q", code, entity.MissingRequiredHeader)
	}
}

func TestBatchRequestReadsALoneRead(t *testing.T) {
	var b wire.BatchRequest
	b.Parse("batch_7d9c", golden(t, "batch_request.txt"))
	text := "--batch_1\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n" +
		"GET http://h/a/Races(PartitionKey='p',RowKey='O%27%27r')?$select=N HTTP/1.1\r\nAccept: application/json;odata=nometadata\r\n\r\n\r\n--batch_1--\r\n"
	for name, text := range map[string]string{
		"a read": text, "with LF": strings.ReplaceAll(text, "\r\n", "\n"), "not closed": strings.TrimSuffix(text, "--\r\n"),
	} {
		code, _, detail := b.Parse("batch_1", text)
		if want := (entity.Key{Partition: "p", Row: "O'r"}); code != entity.OK || !b.IsRead || b.Read != want ||
			b.Table != "Races" || len(b.Changes) != 0 || len(b.Parts) != 1 || b.Parts[0].Level != wire.NoMetadata {
			t.Errorf("%s: Parse = %q, %q and %+v; want the read of %+v", name, code, detail, b, want)
		}
	}
	b.Parse("batch_1", "")
	assert.Truef(t, !b.IsRead && b.Read == (entity.Key{}) && b.Table == "" && len(b.Parts) == 0,
		"Parse of nothing leaves %+v; want nothing of the read before", b)
}

func TestBatchRequestRefuses(t *testing.T) {
	good := operationText("POST /a/Races HTTP/1.1", kimBody)
	get := operationText("GET /a/Races(PartitionKey='p',RowKey='r') HTTP/1.1", "")
	set := changeSetText(good)
	put := func(headers, body string) string {
		return operationText("PUT /a/Races(PartitionKey='p',RowKey='r') HTTP/1.1"+headers, body)
	}
	direct := func(request string) string {
		return "--batch_1\r\nContent-Type: application/http\r\n\r\n" + request + "\r\n\r\n" + kimBody + "\r\n--batch_1--\r\n"
	}
	for _, row := range []struct {
		name, text string
		code       entity.Code
		index      int
	}{
		{"nothing", "", entity.InvalidInput, 0},
		{"another boundary", strings.ReplaceAll(set, "batch_1", "batch_2"), entity.InvalidInput, 0},
		{"a boundary within a line", " " + strings.ReplaceAll(set, "\r\n--batch_1", "\r\n --batch_1"), entity.InvalidInput, 0},
		{"a batch of nothing", "--batch_1--\r\n", entity.InvalidInput, 0},
		{"a change set of nothing", changeSetText(), entity.InvalidInput, 0},
		{"a change set without its boundary", "--batch_1\r\nContent-Type: multipart/mixed; boundary=changeset_1\r\n\r\n--batch_1--", entity.InvalidInput, 0},
		{"a change set that was cut short", strings.TrimSuffix(set, "--\r\n--batch_1--\r\n"), entity.InvalidInput, 0},
		{"two change sets", strings.TrimSuffix(set, "--batch_1--\r\n") + set, entity.InvalidInput, 0},
		{"a write on its own", direct("POST /a/Races HTTP/1.1"), entity.InvalidInput, 0},
		{"a query on its own", direct("GET /a/Races() HTTP/1.1"), entity.InvalidInput, 0},
		{"a read among writes", changeSetText(good, get), entity.InvalidInput, 1},
		{"a read after a change set", strings.TrimSuffix(set, "--batch_1--\r\n") + direct("GET /a/Races(PartitionKey='p',RowKey='r') HTTP/1.1"), entity.InvalidInput, 0},
		{"a part that is no request", changeSetText(good, operationText("hello", "")), entity.InvalidInput, 1},
		{"a request without a version", changeSetText(operationText("POST /a/Races", kimBody)), entity.InvalidInput, 0},
		{"a header without a name", changeSetText(put("\r\n: a", kimBody)), entity.InvalidInput, 0},
		{"JSON right after the headers", changeSetText(operationText("POST /a/Races HTTP/1.1\r\n"+kimBody, "")), entity.InvalidInput, 0},
		{"no body", changeSetText(put("", "")), entity.InvalidInput, 0},
		{"a body that is no JSON", changeSetText(good, good, put("", `{"N":`)), entity.InvalidInput, 2},
		{"a body with a name twice", changeSetText(good, put("", `{"N":1,"N":2}`)), entity.DuplicateProperties, 1},
		{"an insert without its row", changeSetText(operationText("POST /a/Races HTTP/1.1", `{"PartitionKey":"p"}`)), entity.PropertiesNeedValue, 0},
		{"an insert without its partition", changeSetText(operationText("POST /a/Races HTTP/1.1", `{"RowKey":"p"}`)), entity.PropertiesNeedValue, 0},
		{"another row in the body", changeSetText(put("", `{"RowKey":"q"}`)), entity.InvalidInput, 0},
		{"another partition in the body", changeSetText(put("", `{"PartitionKey":"q"}`)), entity.InvalidInput, 0},
		{"an insert into an entity", changeSetText(operationText("POST /a/Races(PartitionKey='p',RowKey='r') HTTP/1.1", kimBody)), entity.InvalidInput, 0},
		{"a replacement of a set", changeSetText(operationText("PUT /a/Races() HTTP/1.1", kimBody)), entity.InvalidInput, 0},
		{"a table's creation", changeSetText(operationText("POST /a/Tables HTTP/1.1", kimBody)), entity.InvalidInput, 0},
		{"a batch in a batch", changeSetText(operationText("POST /a/$batch HTTP/1.1", kimBody)), entity.InvalidInput, 0},
		{"an address that is none", changeSetText(operationText("PUT /a/Races(PartitionKey='%') HTTP/1.1", kimBody)), entity.InvalidURI, 0},
		{"another table", changeSetText(good, operationText("POST /a/Racers HTTP/1.1", kimBody)), entity.InvalidInput, 1},
		{"a strong tag", changeSetText(good, put("\r\nIf-Match: \"x\"", kimBody)), entity.InvalidInput, 1},
		{"If-None-Match", changeSetText(put("\r\nIf-None-Match: *", kimBody)), entity.InvalidInput, 0},
		{"Atom that is asked for", changeSetText(put("\r\nAccept: application/atom+xml", kimBody)), entity.AtomFormatNotSupported, 0},
		{"Atom that is sent", changeSetText(put("\r\nContent-Type: application/atom+xml", kimBody)), entity.AtomFormatNotSupported, 0},
		{"another method", changeSetText(operationText("HEAD /a/Races HTTP/1.1", "")), entity.MethodNotAllowed, 0},
		{"an override beside a PUT", changeSetText(put("\r\nX-HTTP-Method: MERGE", kimBody)), entity.MethodOverrideNotPost, 0},
		{"two overrides", changeSetText(operationText("POST /a/R HTTP/1.1\r\nX-HTTP-Method: MERGE\r\nX-HTTP-Method: MERGE", "")), entity.MethodOverrideIncorrectCount, 0},
		{"an override that is no method", changeSetText(operationText("POST /a/R HTTP/1.1\r\nX-HTTP-Method: X", "")), entity.MethodOverrideIncorrectValue, 0},
		{"101 operations", changeSetText(strings.Repeat(good, 101)), entity.InvalidInput, 99},
	} {
		var b wire.BatchRequest
		code, index, detail := b.Parse("batch_1", row.text)
		assert.Truef(t, code == row.code && index == row.index && detail != "" && !strings.Contains(detail, "\n"),
			"%s: Parse = %q, %d, %q; want %q, %d and one line", row.name, code, index, detail, row.code, row.index)
		assert.Truef(t, len(b.Changes) <= 0 || index < len(b.Parts),
			"%s: Parse: %d parts and a failure at %d; want that part", row.name, len(b.Parts), index)
	}
}

// A head may repeat the lines of the one before it, and is then not read anew:
// an operation has to mean what it means alone.
func TestAnOperationMeansTheSameInAnyTransaction(t *testing.T) {
	requests := []string{"POST http://h/a/Races HTTP/1.1", "POST http://h/a/Races HTTP/1.1",
		"PUT http://h/a/Races(PartitionKey='p',RowKey='r') HTTP/1.1", "DELETE http://h/a/Races(PartitionKey='p',RowKey='r') HTTP/1.1"}
	// A target may be that of the one before it with another RowKey, or look like it.
	for _, keys := range []string{"PartitionKey='p',RowKey='s'", "PartitionKey='p',RowKey=''", "PartitionKey='p',RowKey='%73'", "PartitionKey='p',RowKey='a b'",
		"PartitionKey='p',RowKey='x'',RowKey=''y'", "PartitionKey='p',RowKey='x'',RowKey='z'", "PartitionKey='q',RowKey='s'", "RowKey='s',PartitionKey='p'",
		"PartitionKey='p'',RowKey=''q',RowKey='s'", "PartitionKey='p'',RowKey='s'", "PartitionKey='p',RowKey='s'')", "PartitionKey='p',RowKey='s/t'"} {
		requests = append(requests, "DELETE http://h/a/Races("+keys+") HTTP/1.1")
	}
	lines := []string{"Accept: application/json", "Accept: application/json;odata=fullmetadata", "Accept: application/jsonx", "Prefer: return-no-content",
		"Prefer: return-no-contents", "Content-Type: application/json", "Content-ID: 1", "Content-ID: 12", "If-Match: *", "If-None-Match: *", "X-Other: a"}
	rng := rand.New(rand.NewPCG(13, 14))
	for range 6000 {
		operations := make([]string, 1+rng.IntN(4))
		for i := range operations {
			text := "--changeset_1\r\nContent-Type: application/http\r\n"
			if rng.IntN(4) > 0 {
				text += "Content-Transfer-Encoding: binary\r\n"
			}
			if rng.IntN(4) == 0 {
				text += "Content-ID: 7\r\n"
			}
			text += "\r\n" + requests[rng.IntN(len(requests))]
			for range rng.IntN(4) {
				text += "\r\n" + lines[rng.IntN(len(lines))]
			}
			if rng.IntN(4) > 0 {
				text += "\r\n\r\n" + `{"PartitionKey":"p","RowKey":"r"}`
			}
			operations[i] = text + "\r\n"
		}
		if at := rng.IntN(len(operations)); at > 0 {
			operations[at] = operations[at-1]
			if rng.IntN(2) == 0 { // Another last line that begins as that one does.
				operations[at] = strings.TrimSuffix(operations[at], "\r\n") + "x\r\n"
			}
		}
		text := changeSetText(operations...)
		var together, alone wire.BatchRequest
		code, index, detail := together.Parse("batch_1", text)
		for i, operation := range operations {
			one, _, why := alone.Parse("batch_1", changeSetText(operation))
			if code != entity.OK && i == index {
				if one != code || why != detail {
					t.Fatalf("Parse(%q) = %q, %d, %q; alone that operation is %q, %q", text, code, index, detail, one, why)
				}
				break
			}
			if one != entity.OK || !sameChanges(together.Changes[i:i+1], alone.Changes) || together.Parts[i] != alone.Parts[0] {
				t.Fatalf("Parse(%q) = %q, %d with %+v and %+v at %d; alone that is %q, %q with %+v and %+v",
					text, code, index, together.Changes, together.Parts, i, one, why, alone.Changes, alone.Parts)
			}
		}
	}
}

var batchBase = wire.Base{URL: "http://127.0.0.1:10002/races", Account: "races"}

const racePartition = "2026 Seoul__Half"

func raceKey(row string) entity.Key { return entity.Key{Partition: racePartition, Row: row} }

// raceChanges are one change of each kind: those of the golden request.
func raceChanges() []entity.Change {
	seen := ticks("2026-11-20T11:48:19.5Z")
	return []entity.Change{
		{Verb: entity.Insert, Key: raceKey("0001__Kim O'Neil"), Properties: properties("Club", entity.String("Zürich"), "Fee", entity.Double(79.5))},
		{Verb: entity.Replace, Key: raceKey("0002__O'Brien"), Match: entity.MatchExactly(seen), Properties: properties("Bib", entity.Int32(2))},
		{Verb: entity.Merge, Key: raceKey("0003"), Match: entity.MatchAny, Properties: properties("Chip", entity.Int64(5432873627392))},
		{Verb: entity.InsertOrReplace, Key: raceKey("0004"), Properties: properties("Paid", entity.Boolean(true))},
		{Verb: entity.InsertOrMerge, Key: raceKey("0005")},
		{Verb: entity.Delete, Key: raceKey("0006"), Match: entity.MatchAny},
	}
}

// hundred is a transaction of a hundred inserts of about 1 KiB.
func hundred() []entity.Change {
	changes := make([]entity.Change, 100)
	for i := range changes {
		changes[i] = entity.Change{Verb: entity.Insert, Key: raceKey(fmt.Sprintf("%04d__Kim", i)), Properties: properties(
			"Name", entity.String("Kim Tanaka"), "Bib", entity.Int32(int32(i)), "Paid", entity.Boolean(true), "Fee", entity.Double(79.5),
			"Chip", entity.Int64(5432873627392), "Notes", entity.String(strings.Repeat("the course is closed at six; ", 27)))}
	}
	return changes
}

func TestAppendBatchIsTheGoldenRequest(t *testing.T) {
	changes := raceChanges()
	want := golden(t, "batch_request.txt")
	if got := string(wire.AppendBatch([]byte("before "), "7d9c", batchBase, "Races", changes, nil)); got != "before "+want {
		t.Errorf("AppendBatch = %s; want %s", got, want)
	}
	foreign := func(v entity.Ticks) string { return fmt.Sprintf(`W/"version %d"`, v) }
	got := string(wire.AppendBatch(nil, "7d9c", batchBase, "Races", changes[1:3], foreign))
	assert.Truef(t, strings.Contains(got, "If-Match: W/\"version 639307720995000000\"\r\n") && strings.Contains(got, "If-Match: *\r\n"),
		"AppendBatch with tags of another service = %s; want those", got)
}

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
	for _, name := range []string{"done", "echo", "failed", "unmet", "read", "missing"} {
		text := golden(f, "batch_reply_"+name+".txt")
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
		// What this package writes it reads: any message of characters that its reader does not alter, on one line.
		message = strings.Map(func(r rune) rune {
			if r < ' ' || r > '~' && !slices.Contains([]rune("äô한"), r) {
				return -1
			}
			return r
		}, message)
		message = strings.Join(strings.Fields(message), " ")
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
