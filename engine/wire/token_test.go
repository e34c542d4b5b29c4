package wire_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"loadgen/engine/wire"
)

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
			t.Errorf("%s: AppendToken(%q) = %s; want %s", row.name, row.key, got, row.token)
		}
		if key, ok := wire.ParseContinuation(row.token); key != row.key || !ok {
			t.Errorf("%s: ParseToken(%s) = %q, %v; want %q", row.name, row.token, key, ok, row.key)
		}
	}
	if key, ok := wire.ParseContinuation("1!8!8J PgyA-"); key != "\U0001F3C3 " || !ok {
		t.Errorf("ParseToken with a plus that became a blank = %q, %v; want the runner", key, ok)
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
		{"padding as base64 has it", "1!8!U21pdGg=", "", false},
		{"padding left out", "1!7!U21pdGg", "", false},
		{"padding within", "1!8!U2-pdGg-", "", false},
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
				t.Fatalf("AppendToken(ParseToken(%q)) = %q; want the same", text, again)
			}
		}
		token := string(wire.AppendContinuation(nil, text))
		if strings.Trim(token, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-!") != "" {
			t.Fatalf("AppendToken(%q) = %q; want what a header can carry", text, token)
		}
		if key, ok := wire.ParseContinuation(token); utf8.ValidString(text) && len(text) < 2048 && (key != text || !ok) {
			t.Fatalf("ParseToken(%q) = %q, %v; want %q", token, key, ok, text)
		}
	})
}
