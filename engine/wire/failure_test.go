package wire_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

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

func TestMessages(t *testing.T) {
	general := wire.Message("SomethingNew")
	assert.Equal(t, wire.Message(entity.OK), general, "Message of an unknown code")
	assert.NotEqual(t, general, wire.Message(entity.ServerBusy), "Message of a code that has one of its own")
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
