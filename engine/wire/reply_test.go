package wire_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

func TestParsePage(t *testing.T) {
	rows, err := wire.ParsePage(nil, golden(t, "page_empty.json"))
	assert.Truef(t, err == nil && len(rows) == 0, "ParsePage(empty page) = %v, %v; want no rows", rows, err)
	rows, err = wire.ParsePage(nil, golden(t, "page_select.json"))
	require.Truef(t, err == nil && len(rows) == 2 && rows[1].Key == (entity.Key{}),
		"ParsePage(selected) = %v, %v; want two rows", rows, err)
	got, _ := rows[1].Entity.Unpack(nil)
	assert.Truef(t, sameProperties(got, properties("Bib", entity.Int32(-1))),
		"ParsePage(selected): row 1 has %s; want nulls left out", showProperties(got))
}

func sameRows(a, b []wire.Row) bool {
	return slices.EqualFunc(a, b, func(x, y wire.Row) bool { return x.Key == y.Key && string(x.Entity) == string(y.Entity) })
}

func TestParseEntityIsLenient(t *testing.T) {
	const stamp = "2026-11-20T11:56:19.94Z"
	for _, row := range []struct {
		name, text, version string
		want                []entity.Property
	}{
		{"an emulator's reply with seven digits",
			`{"odata.metadata":"x","odata.etag":"W/\"datetime'2026-11-20T11%3A56%3A19.9400000Z'\"","PartitionKey":"p","RowKey":"r","Timestamp":"2026-11-20T11:56:19.9400000Z","a":5,"b@odata.type":"Edm.Double","b":5}`,
			stamp, properties("a", entity.Int32(5), "b", entity.Double(5))},
		{"colons in the tag in lower case",
			`{"odata.etag":"W/\"datetime'2026-11-20T11%3a56%3a19.94Z'\"","PartitionKey":"p","RowKey":"r"}`, stamp, nil},
		{"any order, unknown members, a byte order mark",
			"\ufeff {\"a\":1,\"RowKey\":\"r\",\"odata.new\":[{\"x\":{}}],\"a@odata.note\":{},\"Timestamp\":\"2026-11-20T11:56:19.94Z\",\"PartitionKey\":\"p\"} \n",
			stamp, properties("a", entity.Int32(1))},
		{"a tag of another kind goes behind the timestamp",
			`{"odata.etag":"W/\"0x8D4\"","PartitionKey":"p","RowKey":"r","Timestamp":"2026-11-20T11:56:19.94Z"}`, stamp, nil},
		{"the tag goes before the timestamp",
			`{"odata.etag":"W/\"datetime'2026-11-20T11%3A56%3A19.94Z'\"","PartitionKey":"p","RowKey":"r","Timestamp":"2000-01-01T00:00:00Z"}`, stamp, nil},
		{"no version at all",
			`{"PartitionKey":"p","RowKey":"r","odata.etag":5,"Timestamp":null}`, "0001-01-01T00:00:00Z", nil},
		{"nulls and a large bare number", `{"PartitionKey":"p","RowKey":"r","n":null,"m":5432873627392}`,
			"0001-01-01T00:00:00Z", properties("m", entity.Double(5432873627392))},
	} {
		got, err := wire.ParseEntity(row.text)
		require.NoErrorf(t, err, "%s: ParseEntity(%s)", row.name, row.text)
		all, _ := got.Entity.Unpack(nil)
		if got.Key != (entity.Key{Partition: "p", Row: "r"}) || got.Entity.Timestamp().String() != row.version ||
			!sameProperties(all, row.want) {
			t.Errorf("%s: ParseEntity(%s) = %q %s %s; want p r %s %s", row.name, row.text,
				got.Key, got.Entity.Timestamp(), showProperties(all), row.version, showProperties(row.want))
		}
	}
}

func TestParseRepliesRefuse(t *testing.T) {
	long := func(element string) string { return `{"value":[` + strings.Repeat(element+",", 1000) + element + `]}` }
	entityOf := func(text string) error { _, err := wire.ParseEntity(text); return err }
	pageOf := func(text string) error { _, err := wire.ParsePage(nil, text); return err }
	tablesOf := func(text string) error { _, err := wire.ParseTables(nil, text); return err }
	for _, row := range []struct {
		name  string
		parse func(string) error
		text  string
	}{
		{"nothing", entityOf, ``},
		{"a page of HTML", entityOf, `<html></html>`},
		{"an entity cut off", entityOf, `{"PartitionKey":"p","RowKey":"r"`},
		{"an error for an entity", entityOf, `{"odata.error":{"code":"x"}}`},
		{"a bad value", entityOf, `{"a@odata.type":"Edm.Guid","a":"x"}`},
		{"a type that is none", entityOf, `{"a@odata.type":"Edm.Stream","a":"x"}`},
		{"a nested value", entityOf, `{"a":{}}`},
		{"a key that is a number", entityOf, `{"PartitionKey":5}`},
		{"a page without a list", pageOf, `{"odata.metadata":"x"}`},
		{"a list that is an object", pageOf, `{"value":{}}`},
		{"a page cut off between rows", pageOf, `{"value":[{},`},
		{"a bad value in the second row", pageOf, `{"value":[{},{"a":[]}]}`},
		{"a row more than a page has", pageOf, long(`{}`)},
		{"a table without a name", tablesOf, `{"value":[{"odata.id":"x"}]}`},
		{"a table whose name is a number", tablesOf, `{"value":[{"TableName":5}]}`},
		{"a table more than a page has", tablesOf, long(`{"TableName":"a"}`)},
	} {
		err := row.parse(row.text)
		assert.Truef(t, errors.Is(err, wire.ErrReply) && !strings.ContainsAny(err.Error(), "\n\r") && len(err.Error()) <= 500,
			"%s: parsing %.60s = %v; want one line of ErrReply", row.name, row.text, err)
	}
}

func TestParseLeavesTheListAsItWas(t *testing.T) {
	rows, err := wire.ParsePage(make([]wire.Row, 1, 10), `{"value":[{"a":1},{"a":[]}]}`)
	assert.Truef(t, err != nil && len(rows) == 1,
		"ParsePage(bad second row) = %d rows, %v; want the one row and an error", len(rows), err)
	names, err := wire.ParseTables([]string{"kept"}, `{"value":[{"TableName":"a"},{}]}`)
	assert.Truef(t, err != nil && len(names) == 1,
		"ParseTables(bad second table) = %q, %v; want the one name and an error", names, err)
}

// The text is overwritten once it has been read, as a buffer is that is used again.
func TestRepliesAreCopied(t *testing.T) {
	_, p := runner()
	r := rendering(wire.MinimalMetadata)
	start := r.AppendPageStart(nil)
	buffer := r.AppendPageEnd(r.AppendRow(start, true, entity.Key{Partition: "p", Row: "plain"}, p))
	rows, err := wire.ParsePage(nil, unsafe.String(&buffer[0], len(buffer)))
	clear(buffer)
	if k := (entity.Key{Partition: "p", Row: "plain"}); err != nil || rows[0].Key != k ||
		string(rows[0].Entity) != string(p) {
		t.Errorf("after its text was overwritten, row 0 is %q, %v; want %q and the same block", rows[0].Key, err, k)
	}
	buffer = []byte(golden(t, "tables_minimal.json"))
	names, err := wire.ParseTables(nil, unsafe.String(&buffer[0], len(buffer)))
	clear(buffer)
	assert.Truef(t, err == nil && slices.Equal(names, []string{"Marathon2026", "Relay"}),
		"after their text was overwritten, the tables are %q, %v; want Marathon2026, Relay", names, err)
}

func TestParseTables(t *testing.T) {
	want := []string{"kept", "Marathon2026", "Relay"}
	for _, file := range []string{"tables_minimal.json", "tables_none.json", "tables_full.json"} {
		got, err := wire.ParseTables([]string{"kept"}, golden(t, file))
		assert.Truef(t, err == nil && slices.Equal(got, want), "ParseTables(%s) = %q, %v; want %q", file, got, err, want)
	}
	got, err := wire.ParseTables(nil, `{"value":[],"value":5}`)
	assert.Truef(t, err == nil && len(got) == 0, "ParseTables(no tables) = %q, %v; want none", got, err)
}

func FuzzParsePage(f *testing.F) {
	f.Add(page(rendering(wire.FullMetadata)))
	f.Add(page(rendering(wire.NoMetadata, "Bib")))
	f.Add("\ufeff{\"x\":[{}],\"value\":[{\"Timestamp\":\"2026-11-20T11:56:19Z\",\"a\":5}]}")
	f.Add(`{"value":[{"odata.etag":"W/\"x\"","a":null}],"value":1}`)
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := wire.ParsePage(nil, text)
		if err != nil {
			if !errors.Is(err, wire.ErrReply) || len(rows) != 0 {
				t.Fatalf("ParsePage(%q) = %d rows, %v; want none and ErrReply", text, len(rows), err)
			}
			return
		}
		r := rendering(wire.FullMetadata)
		again := r.AppendPageStart(nil)
		for i, row := range rows {
			again = r.AppendRow(again, i == 0, row.Key, row.Entity)
		}
		same, err := wire.ParsePage(nil, string(r.AppendPageEnd(again)))
		if err != nil || !sameRows(rows, same) {
			t.Fatalf("ParsePage(%q) = %s, %v; want %s", again, fmt.Sprint(same), err, fmt.Sprint(rows))
		}
	})
}

const requestID = "41f6fb2c-0002-0028-4303-67e1b8000000"

func TestAppendErrorMatchesGolden(t *testing.T) {
	f := wire.Failure{
		Code: entity.EntityAlreadyExists, Message: wire.Message(entity.EntityAlreadyExists),
		RequestID: requestID, Time: ticks("2026-11-01T08:30:00.48Z"),
	}
	assert.Equal(t, golden(t, "error.json"), string(wire.AppendError(nil, &f)), "AppendError")
	f.Code, f.Message = entity.InvalidInput, `A <b> & "c" is not valid.`
	assert.Equal(t, golden(t, "error.xml"), string(wire.AppendErrorXML(nil, &f)), "AppendErrorXML")
	if got, want := string(wire.AppendError([]byte("x"), &wire.Failure{})),
		`x{"odata.error":{"code":"","message":{"lang":"en-US","value":""}}}`; got != want {
		t.Errorf("AppendError(nothing) = %s; want %s", got, want)
	}
}

func TestParseError(t *testing.T) {
	at := ticks("2026-11-01T08:30:00.48Z")
	const lines = `\nRequestId:` + requestID + `\nTime:2026-11-01T08:30:00.4800000Z`
	xmlLines := strings.ReplaceAll(lines, `\n`, "\n")
	whole := wire.Failure{Code: "ServerBusy", Message: "Come again.", RequestID: requestID, Time: at}
	for _, row := range []struct {
		name, text string
		want       wire.Failure
	}{
		{"JSON", `{"odata.error":{"code":"ServerBusy","message":{"lang":"en-US","value":"Come again.` + lines + `"}}}`, whole},
		{"JSON behind a byte order mark and blanks",
			"\ufeff\r\n " + `{"odata.error":{"message":{"value":"Come again.` + lines + `"},"code":"ServerBusy","x":[]}}`, whole},
		{"JSON with line ends of another kind",
			`{"odata.error":{"code":"ServerBusy","message":{"value":"Come again.` + strings.ReplaceAll(lines, `\n`, `\r\n`) + `"}}}`, whole},
		{"JSON of a later dialect", `{"error":{"code":"ServerBusy","message":"Come again.` + lines + `"}}`, whole},
		{"JSON cut off", `{"odata.error":{"code":"ServerBusy","message":{"lang":"en`, wire.Failure{Code: "ServerBusy"}},
		{"JSON with an empty code",
			`{"odata.error":{"code":"","message":{"value":"Come again."}}}`, wire.Failure{Message: "Come again."}},
		{"an index before the message stays",
			`{"odata.error":{"code":"c","message":{"value":"1:No."}}}`, wire.Failure{Code: "c", Message: "1:No."}},
		{"lines in another order, and one more",
			`{"odata.error":{"code":"c","message":{"value":"No.\nTime:x\nTime:2026-11-01T08:30:00.48Z\nWhy\nRequestId:i"}}}`,
			wire.Failure{Code: "c", Message: "No. Why", RequestID: "i", Time: at}},
		{"an identifier twice", `{"odata.error":{"code":"c","message":{"value":"No.\nRequestId:i\nRequestId:j"}}}`,
			wire.Failure{Code: "c", Message: "No. RequestId:j", RequestID: "i"}},
		{"a code of two words is none", `{"odata.error":{"code":"Server Busy","message":{"value":"No."}}}`, wire.Failure{Message: "No."}},
		{"XML",
			`<?xml version="1.0" encoding="utf-8"?><Error><Code>ServerBusy</Code><Message>Come again.` + xmlLines + `</Message></Error>`,
			whole},
		{"XML behind a byte order mark, with blanks and a detail",
			"\ufeff<?xml version=\"1.0\"?>\n<Error>\n <Code>ServerBusy</Code>\n <Message>Come again." + xmlLines +
				"</Message><AuthenticationErrorDetail>Code</AuthenticationErrorDetail></Error>", whole},
		{"Atom's",
			`<error xmlns="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"><code>ServerBusy</code><message xml:lang="en-US">Come again.` + xmlLines + `</message></error>`,
			whole},
		{"Atom's with a prefix",
			`<m:error xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"><m:code>ServerBusy</m:code></m:error>`,
			wire.Failure{Code: "ServerBusy"}},
		{"XML with characters written as others",
			`<Error><Message>&lt;b&gt; &amp; c</Message></Error>`, wire.Failure{Message: "<b> & c"}},
		{"XML cut off", `<Error><Code>ServerBusy</Code><Mess`, wire.Failure{Code: "ServerBusy"}},
		{"a code that lies deeper is none", `<Error><x><Code>ServerBusy</Code></x></Error>`,
			wire.Failure{Message: "<Error><x><Code>ServerBusy</Code></x></Error>"}},
		{"a page of a proxy", "<html><head><title>502</title></head>\n<code>x</code></html>",
			wire.Failure{Message: "<html><head><title>502</title></head> <code>x</code></html>"}},
		{"text with control characters",
			"no\tsuch\x00\x1b[31mhost\u202e\u2028\xff", wire.Failure{Message: "no such  [31mhost  \ufffd"}},
		{"JSON of another kind", `{"status":500}`, wire.Failure{Message: `{"status":500}`}},
		{"an error that is no object", `{"odata.error":"x"}`, wire.Failure{Message: `{"odata.error":"x"}`}},
		{"nothing", "", wire.Failure{}},
	} {
		assert.Equalf(t, row.want, wire.ParseError(row.text), "%s: ParseError(%q)", row.name, row.text)
	}
}

func TestParseErrorIsBounded(t *testing.T) {
	long := strings.Repeat("é\xff", 40_000)
	for _, text := range []string{
		long,
		`{"odata.error":{"code":"` + strings.Repeat("c", 200) + `","message":{"value":"` + strings.Repeat("é", 9000) + `"}}}`,
		`{"odata.error":{"code":"c","message":{"value":"` + strings.Repeat(`a\n`,
			9000) + `\nRequestId:` + strings.Repeat("i", 9000) + `"}}}`,
		`<Error><Message>` + strings.Repeat("é", 9000) + `</Message></Error>`,
		`{"odata.error":{"code":"late","message":{"value":"` + strings.Repeat("a", 70_000) + `"}}}`,
		`<Error>` + strings.Repeat("<x/>", 9000) + `<Code>late</Code></Error>`,
	} {
		f := wire.ParseError(text)
		if len(f.Message) > 1024 || len(f.RequestID) > 128 || len(f.Code) > 128 || f.Code == "late" {
			t.Errorf("ParseError(%.60q) keeps %d, %d and %d bytes, code %.9q; want at most 1024, 128, 128", text,
				len(f.Message), len(f.RequestID), len(f.Code), f.Code)
		}
	}
}

func FuzzParseError(f *testing.F) {
	for _, seed := range []string{
		`{"odata.error":{"code":"c","message":{"lang":"en-US","value":"No.\nRequestId:i\nTime:2026-11-01T08:30:00Z"}}}`,
		"\ufeff<?xml version=\"1.0\" encoding=\"utf-8\"?><Error><Code>c</Code><Message>No.\nRequestId:i</Message></Error>",
		`<error xmlns="x"><code>c</code><message xml:lang="en-US">No.</message></error>`,
		`{"error":"x"}`, "<", "\x00", "RequestId:x\nTime:y", `<a> & "b" \ 'c'`, "Zürich 🏃 \uffff",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := wire.ParseError(text)
		if len(got.Message) > 1024 || len(got.RequestID) > 128 ||
			strings.ContainsFunc(got.Message+got.RequestID+string(got.Code), unicode.IsControl) {
			t.Fatalf("ParseError(%q) = %+v; want short lines", text, got)
		}
		written := wire.AppendError(nil, &got)
		if again := wire.ParseError(string(written)); again != got || !json.Valid(written) {
			t.Fatalf("ParseError(AppendError(%+v)) = %+v", got, again)
		}
		document := string(wire.AppendErrorXML(nil, &got))
		wellFormedXML(t, document)
		if again := wire.ParseError(document); again != got {
			t.Fatalf("ParseError(AppendErrorXML(%+v)) = %+v", got, again)
		}
	})
}
