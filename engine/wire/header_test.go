package wire_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

func TestLimitsInTheHeaderServer(t *testing.T) {
	const whole = "loadgen/1 (partition_target=2000; account_target=20000)"
	assert.Equal(t, whole, wire.ServerName(wire.Limits{Partition: 2000, Account: 20_000}), "ServerName")
	const exceeded = "loadgen/1 (headroom=2000; partition_target=2000; account_target=20000)"
	assert.Equal(t, exceeded, wire.ServerName(wire.Limits{Partition: 2000, Account: 20_000, Headroom: 2000}), "ServerName")
	checkParsed(t, wire.ParseServer, []parsedRow[wire.Limits]{
		{"both limits", whole, wire.Limits{Partition: 2000, Account: 20_000}, true},
		{"none", "loadgen/1 (partition_target=none; account_target=none)", wire.Limits{}, true},
		{"one of them", "loadgen/1 (partition_target=500; account_target=none)", wire.Limits{Partition: 500}, true},
		{"the other order", "loadgen/1 (account_target=7; partition_target=5)", wire.Limits{Partition: 5, Account: 7}, true},
		{"a part of a later build", "loadgen/1 (partition_target=5; account_target=7; burst=100ms)", wire.Limits{Partition: 5, Account: 7}, true},
		{"limits that a partition may exceed", exceeded, wire.Limits{Partition: 2000, Account: 20_000, Headroom: 2000}, true},
		{"no headroom", "loadgen/1 (partition_target=5; account_target=7; headroom=none)", wire.Limits{Partition: 5, Account: 7}, true},
		{"headroom twice", "loadgen/1 (partition_target=5; account_target=7; headroom=2000; headroom=none)", wire.Limits{}, false},
		{"nothing", "", wire.Limits{}, false},
		{"another service", "Windows-Azure-Table/1.0 Microsoft-HTTPAPI/2.0", wire.Limits{}, false},
		{"a later version", "loadgen/2 (partition_target=2000; account_target=20000)", wire.Limits{}, false},
		{"one part alone", "loadgen/1 (partition_target=2000)", wire.Limits{}, false},
		{"a part twice", "loadgen/1 (partition_target=1; partition_target=2; account_target=3)", wire.Limits{}, false},
		{"zero", "loadgen/1 (partition_target=0; account_target=1)", wire.Limits{}, false},
		{"leading zeros", "loadgen/1 (partition_target=005; account_target=1)", wire.Limits{}, false},
		{"more than there can be", "loadgen/1 (partition_target=1000000000001; account_target=1)", wire.Limits{}, false},
		{"not closed", "loadgen/1 (partition_target=1; account_target=1", wire.Limits{}, false},
		{"something behind it", whole + " x", wire.Limits{}, false},
		{"a line within", "loadgen/1 (partition_target=1\n; account_target=1)", wire.Limits{}, false},
		{"no value", "loadgen/1 (partition_target; account_target=1)", wire.Limits{}, false},
		{"longer than a header may be", "loadgen/1 (partition_target=1; account_target=1; x=" + strings.Repeat("y", 300) + ")", wire.Limits{}, false},
	})
}

func TestParseLevel(t *testing.T) {
	const minimal, none, full = wire.MinimalMetadata, wire.NoMetadata, wire.FullMetadata
	checkParsed(t, wire.ParseLevel, []parsedRow[wire.Level]{
		{"no header at all is minimal", "", minimal, true},
		{"a header of blanks and commas asks for nothing", " , ,", minimal, true},
		{"anything is minimal", "*/*", minimal, true},
		{"any application is minimal", "application/*", minimal, true},
		{"plain JSON is minimal", "application/json", minimal, true},
		{"JSON as $format spells it", "json", minimal, true},
		{"minimal by name", "application/json;odata=minimalmetadata", minimal, true},
		{"none by name", "application/json;odata=nometadata", none, true},
		{"full by name", "application/json;odata=fullmetadata", full, true},
		{"blanks, case and quotes do not matter", ` Application/JSON ; ODATA = "FullMetadata" `, full, true},
		{"other parameters do not matter", "application/json;streaming=true;odata=nometadata;charset=utf-8", none, true},
		{"a separator in quotes is none", `application/json;a="x;odata=fullmetadata,";odata=nometadata`, none, true},
		{"the first acceptable item wins", "application/atom+xml,application/json;odata=fullmetadata,*/*", full, true},
		{"also where a later one weighs more", "application/json;odata=nometadata;q=0.1,application/json;q=1", none, true},
		{"a weight of zero rules an item out", "application/json;odata=fullmetadata;q=0.0,application/json;odata=nometadata", none, true},
		{"Atom alone is not spoken", "application/atom+xml,application/xml", minimal, false},
		{"verbose JSON is not spoken", "application/json;odata=verbose", minimal, false},
		{"zero for all leaves nothing", "*/*;q=0", minimal, false},
		{"a longer name is another type", "application/jsonp", minimal, false},
	})
}

func TestBoundary(t *testing.T) {
	long := "batch_0123456789012345678901234567890123456789012345678901234567890123"
	checkParsed(t, wire.Boundary, []parsedRow[string]{
		{"as clients write it", "multipart/mixed; boundary=batch_a1", "batch_a1", true},
		{"in quotes, with a semicolon in them", `multipart/mixed; boundary="batch;a1"`, "batch;a1", true},
		{"in other case, after other parameters", "Multipart/Mixed;charset=utf-8;BOUNDARY=x", "x", true},
		{"of seventy characters", "multipart/mixed;boundary=" + long, long, true},
		{"of one more", "multipart/mixed;boundary=" + long + "x", "", false},
		{"none", "multipart/mixed", "", false},
		{"with a line break in it", "multipart/mixed;boundary=\"a\nb\"", "", false},
		{"of another type", "multipart/form-data; boundary=x", "", false},
	})
}

func TestParseMatch(t *testing.T) {
	const version entity.Ticks = 636396960326680946
	nothing := entity.MatchExactly(-1)
	for _, row := range []struct {
		name, header string
		present      bool
		want         entity.Match
		code         entity.Code
	}{
		{"no header is no condition", "", false, entity.Match{}, entity.OK},
		{"a star is any version", "*", true, entity.MatchAny, entity.OK},
		{"a tag is its version", version.ETag(), true, entity.MatchExactly(version), entity.OK},
		{"a tag with its colons bare too", `W/"datetime'2017-08-30T13:20:32.6680946Z'"`, true, entity.MatchExactly(version), entity.OK},
		{"a small w marks a weak tag, too", "w" + version.ETag()[1:], true, entity.MatchExactly(version), entity.OK},
		{"a tag of another service matches nothing", `W/"some-other"`, true, nothing, entity.OK},
		{"a date that never was matches nothing", `W/"datetime'2017-02-30T00%3A00%3A00Z'"`, true, nothing, entity.OK},
		{"an empty header is none of these", "", true, entity.Match{}, entity.InvalidInput},
		{"a strong tag is not one the service gave out", `"datetime'2017-08-30T13%3A20%3A32Z'"`, true, entity.Match{}, entity.InvalidInput},
		{"a tag needs quotes", `W/datetime`, true, entity.Match{}, entity.InvalidInput},
		{"two tags are one too many", version.ETag() + "," + version.ETag(), true, entity.Match{}, entity.InvalidInput},
		{"two stars too", "*,*", true, entity.Match{}, entity.InvalidInput},
	} {
		got, code, detail := wire.ParseMatch(row.header, row.present)
		if got != row.want || code != row.code || (code == entity.OK) != (detail == "") {
			t.Errorf("%s: ParseMatch(%q, %v) = %v, %q, %q; want %v, %q",
				row.name, row.header, row.present, got, code, detail, row.want, row.code)
		}
	}
	for _, stored := range []entity.Ticks{0, 1, version} {
		assert.Falsef(t, nothing.Accepts(stored), "the condition of a foreign tag accepts %d; want no version", stored)
	}
}

func TestTheFirstRuleThatMatchesDecides(t *testing.T) {
	rules := []wire.CORSRule{
		{Origins: []string{"http://a", "http://b"}, Methods: []string{"GET", "PUT"}, MaxAge: 1, Allowed: []string{"x-ms-*", "Accept"}},
		{Origins: []string{"http://a"}, Methods: []string{"GET"}, MaxAge: 2, Allowed: []string{"*"}},
		{Origins: []string{"*"}, Methods: []string{"HEAD", "GET"}, MaxAge: 3},
	}
	for _, row := range []struct {
		name, origin, method, headers string
		want                          int
	}{
		{"the first", "http://a", "GET", "", 1},
		{"the other of its origins, and of its methods", "http://b", "PUT", "", 1},
		{"a header by its prefix, in another case", "http://a", "GET", "X-MS-Date, x-ms-version", 1},
		{"a header by its name", "http://a", "GET", "accept", 1},
		{"a header that only begins like one", "http://a", "GET", "accept-language", 2},
		{"one header of two", "http://a", "GET", "accept,if-match", 2},
		{"whatever headers, but not by that method", "http://a", "PUT", "if-match", 0},
		{"any origin", "http://c", "GET", "", 3},
		{"any origin, with a header", "http://c", "GET", "accept", 0},
		{"an origin in another case", "http://A", "PUT", "", 0},
		{"a method in another case", "http://a", "put", "", 0},
		{"blanks and nothing", "http://a", "PUT", " , ", 1},
	} {
		got := 0
		if rule := wire.FindCORSRule(rules, row.origin, row.method, row.headers); rule != nil {
			got = rule.MaxAge
		}
		assert.Equalf(t, row.want, got, "%s: age of FindCORSRule(%s, %s, %q)", row.name, row.origin, row.method, row.headers)
	}
	assert.True(t, !rules[0].ForAnyOrigin() && rules[2].ForAnyOrigin(),
		"ForAnyOrigin() = true of the first or false of the last; want the opposite")
}

func TestTokens(t *testing.T) {
	for _, row := range []struct {
		name, token, key string
	}{
		{"as documented", "1!8!U21pdGg-", "Smith"},
		{"the empty key has a token that is not empty", "1!0!", ""},
		// The next three are continuation headers that the service sent.
		{"a partition without padding", "1!40!cGFydGl0aW9uMS3DtC0gLSctIi0lMjAtJTI3LXBr", `partition1-ô- -'-"-%20-%27-pk`},
		{"a row with one hyphen", "1!36!cm93LcO0LSAtJyctIi0lMjAtJTI3LXJrMTg-", `row-ô- -''-"-%20-%27-rk18`},
		{"a row with two hyphens", "1!36!cm93LcO0LSAtJyctIi0lMjAtJTI3LXJrOA--", `row-ô- -''-"-%20-%27-rk8`},
		{"digits beyond the letters", "1!8!8J+PgyA-", "\U0001F3C3 "},
		{"a slash too", "1!4!fn4/", "~~?"},
	} {
		if got := string(wire.AppendContinuation([]byte("before "), row.key)); got != "before "+row.token {
			t.Errorf("%s: AppendContinuation(%q) = %s; want %s", row.name, row.key, got, row.token)
		}
		if key, ok := wire.ParseContinuation(row.token); key != row.key || !ok {
			t.Errorf("%s: ParseContinuation(%s) = %q, %v; want %q", row.name, row.token, key, ok, row.key)
		}
	}
	if key, ok := wire.ParseContinuation("1!8!8J PgyA-"); key != "\U0001F3C3 " || !ok {
		t.Errorf("ParseContinuation with a plus that became a blank = %q, %v; want the runner", key, ok)
	}
}

func TestParseTokenRefuses(t *testing.T) {
	long := strings.Repeat("a", 3072)
	checkParsed(t, wire.ParseContinuation, []parsedRow[string]{
		{"nothing", "", "", false},
		{"a key in plain text", "Smith", "", false},
		{"base64 alone, as emulators have it", "cA==", "", false},
		{"another version", "2!8!U21pdGg-", "", false},
		{"no length", "1!!U21pdGg-", "", false},
		{"a length that is too great", "1!9!U21pdGg-", "", false},
		{"a length with a zero before it", "1!08!U21pdGg-", "", false},
		{"a length with a sign", "1!+8!U21pdGg-", "", false},
		{"padding as base64 has it", "1!8!U21pdGg=", "", false},
		{"padding left out", "1!7!U21pdGg", "", false},
		{"padding within", "1!8!U2-pdGg-", "", false},
		{"three signs of padding", "1!4!U---", "", false},
		{"a group more after a whole one", "1!12!U21pdA------", "", false},
		{"bits beyond the last byte", "1!8!U21pdGh-", "", false},
		{"a line break", "1!9!U21p\ndGg-", "", false},
		{"bytes that are no text", "1!4!//79", "", false},
		{"a key far beyond any", string(wire.AppendContinuation(nil, long)), "", false},
	})
}

func FuzzToken(f *testing.F) {
	for _, text := range []string{"", "Smith", "1!8!U21pdGg-", "1!0!", "ô-''", "1!4!fn4/", "1!8!8J PgyA-", "\xff"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if key, ok := wire.ParseContinuation(text); ok {
			if again := string(wire.AppendContinuation(nil, key)); again != strings.ReplaceAll(text, " ", "+") {
				t.Fatalf("AppendContinuation(ParseContinuation(%q)) = %q; want the same", text, again)
			}
		}
		token := string(wire.AppendContinuation(nil, text))
		if strings.Trim(token, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-!") != "" {
			t.Fatalf("AppendContinuation(%q) = %q; want what a header can carry", text, token)
		}
		if key, ok := wire.ParseContinuation(token); utf8.ValidString(text) && len(text) < 2048 && (key != text || !ok) {
			t.Fatalf("ParseContinuation(%q) = %q, %v; want %q", token, key, ok, text)
		}
	})
}

func FuzzParseLevel(f *testing.F) {
	for _, accept := range []string{"", "*/*;q=0", `application/json;odata="nometadata",a/b`, ";;,\"=;q", "json;odata=fullmetadata"} {
		f.Add(accept)
	}
	f.Fuzz(func(t *testing.T, accept string) {
		level, ok := wire.ParseLevel(accept)
		if again, also := wire.ParseLevel(level.ContentType()); again != level || !also || level > wire.FullMetadata {
			t.Fatalf("ParseLevel(%q) = %d, %v; want one of three levels", accept, level, ok)
		}
		// One more item at the end changes nothing where one was acceptable.
		if more, _ := wire.ParseLevel(accept + ",application/json;odata=fullmetadata"); ok && accept != "" &&
			level != wire.MinimalMetadata && more != level {
			t.Fatalf("ParseLevel(%q with one more item) = %d; want %d", accept, more, level)
		}
	})
}

// Whatever a server sends, what is taken of it is within bounds and comes out as it went in.
func FuzzParseServer(f *testing.F) {
	f.Add("loadgen/1 (partition_target=2000; account_target=20000)")
	f.Add("loadgen/1 (partition_target=none; account_target=none; x=y)")
	f.Add("loadgen/1 (partition_target=2000; account_target=20000; headroom=2000)")
	f.Add("loadgen/1 (")
	f.Add("Windows-Azure-Table/1.0")
	f.Fuzz(func(t *testing.T, header string) {
		l, told := wire.ParseServer(header)
		if !told && l != (wire.Limits{}) {
			t.Fatalf("ParseServer(%q) tells nothing and returns %+v", header, l)
		}
		if l.Partition < 0 || l.Account < 0 || l.Headroom < 0 || max(l.Partition, l.Account, l.Headroom) > 1e12 {
			t.Fatalf("ParseServer(%q) = %+v; want limits within bounds", header, l)
		}
		if again, still := wire.ParseServer(wire.ServerName(l)); again != l || !still {
			t.Fatalf("ParseServer(%q) = %+v, which comes back as %+v, %t", header, l, again, still)
		}
	})
}
