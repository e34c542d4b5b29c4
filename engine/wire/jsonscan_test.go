package wire

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

// scanned reports whether the scanner takes text for one JSON value.
func scanned(text string) bool {
	s := jsonScanner{text: text}
	s.space()
	return s.skip() && s.end()
}

func TestScannerIsStrict(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, row := range []struct {
		name, text string
		want       bool
	}{
		{"blanks of all four kinds anywhere", " {\t\"a\"\r:\n[ 1 , 2 ] } ", true},
		{"a form feed is no blank", "\f1", false},
		{"an escaped unit with a sign", `"\u+0e9"`, false},
		{"a surrogate pair", `"\ud83c\udfc3"`, true},
		{"a lone high surrogate", `"\ud83c"`, false},
		{"a lone low surrogate", `"\udfc3"`, false},
		{"surrogates the wrong way round", `"\udfc3\ud83c"`, false},
		{"a high surrogate before another character", `"\ud83cx\udfc3"`, false},
		{"a line feed in a string", "\"a\nb\"", false},
		{"a NUL in a string, behind eight others", "\"12345678\x00\"", false},
		{"DEL may stand in a string", "\"\x7f\"", true},
		{"a byte that is not UTF-8", "\"\xff\"", false},
		{"a surrogate in UTF-8", "\"\xed\xa0\x80\"", false},
		{"an overlong form", "\"\xc0\xaf\"", false},
		{"the deepest nesting", deep(jsonDeepest), true},
		{"a level beyond", deep(jsonDeepest + 1), false},
		{"a nesting without end", strings.Repeat(`[{"a":`, 1<<16), false},
	} {
		assert.Equalf(t, row.want, scanned(row.text), "%s: scanned(%.40q)", row.name, row.text)
	}
}

// Drawn texts are JSON where encoding/json says so.
func TestScannerTakesWhatIsJSON(t *testing.T) {
	pieces := []string{"{", "}", "[", "]", ":", ",", `"a"`, `"`, `\`, `\"`, `\x`, "1", "0", "-", "+", ".", "e", "E+", "5", "x", "true", "null", "fals", "NaN",
		" ", "\t", "\f", `{"a":1}`, `{"a":`, `[1,`, "1.5", "-0", "2e3"}
	rng := rand.New(rand.NewPCG(8, 1))
	taken := 0
	const texts = 60_000
	for range texts {
		var text strings.Builder
		for range 1 + rng.IntN(7) {
			text.WriteString(pieces[rng.IntN(len(pieces))])
		}
		got, want := scanned(text.String()), json.Valid([]byte(text.String()))
		if got != want {
			t.Fatalf("scanned(%q) = %v; want %v", text.String(), got, want)
		}
		if got {
			taken++
		}
	}
	assert.Truef(t, taken >= texts/100, "%d of %d texts are JSON: too few", taken, texts)
}

// A fault of any kind is one line that names its place.
func TestScannerDetail(t *testing.T) {
	s := jsonScanner{text: "{\"a\":\n\"b\x00\"}"}
	s.skip()
	const want = "body is not the expected JSON: control character in string at byte 8"
	assert.Equal(t, want, s.detail(), "detail()")
}

func plain(c byte) bool { return c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' }

// The length of a string decides which of the loops sees what stands at its end.
func TestPlainUpToAgreesWithPlain(t *testing.T) {
	for c := range 256 {
		for at := range 90 {
			for _, rest := range []string{"", "~", `""""""""`} {
				text := strings.Repeat("~", at) + string([]byte{byte(c)}) + rest
				want := at
				if plain(byte(c)) {
					want = at + 1 + len(strings.TrimRight(rest, `"`))
				}
				if got := plainUpTo(text, 0); got != want {
					t.Fatalf("plainUpTo(%q, 0) = %d; want %d", text, got, want)
				}
				if got := plainUpTo(`""""""`+text, 6); got != 6+want {
					t.Fatalf("plainUpTo(%q, 6) = %d; want %d", `""""""`+text, got, 6+want)
				}
			}
		}
	}
}

// FuzzScanner holds the scanner against encoding/json, which takes more: bytes
// that are not UTF-8, lone surrogates and any depth.
func FuzzScanner(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,-2.5e+3,"x\n\ud83c\udfc3é",true,false,null,{}]}`, `[[]]`, `"\u0000"`, `{"a":1,}`, "\"\xff\"", `-`, ` 1 `,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, want := scanned(text), json.Valid([]byte(text))
		if got && !want {
			t.Fatalf("scanned(%q) = true; want false", text)
		}
		if !utf8.ValidString(text) || strings.Contains(text, `\u`) || strings.Count(text, "[")+strings.Count(text,
			"{") > jsonDeepest {
			return
		}
		if got != want {
			t.Fatalf("scanned(%q) = %v; want %v", text, got, want)
		}
	})
}

// FuzzJSONText holds the reading and writing of strings against encoding/json.
func FuzzJSONText(f *testing.F) {
	for _, seed := range []string{"", "plain text of some length", "\x00\x1f\"\\/\b\f\n\r\t\x7f",
		"Zürich 🏃 \u2028 \uffff", "\xff\xc0", "\U0010ffff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want := strings.ToValidUTF8(text, "\ufffd")
		if !utf8.ValidString(text) {
			// One U+FFFD for each byte, not for each run of them.
			want = string([]rune(text))
		}
		for _, style := range []jsonStyle{jsonASCII, jsonUTF8} {
			written := style.appendString(nil, text)
			var decoded string
			if err := json.Unmarshal(written, &decoded); err != nil || decoded != want {
				t.Fatalf("json.Unmarshal(appendString(%q)) = %q, %v; want %q", text, decoded, err, want)
			}
			s := jsonScanner{text: string(written)}
			if read, ok := s.str(); !ok || read != want || !s.end() {
				t.Fatalf("str(%s) = %q, %v; want %q", written, read, ok, want)
			}
			if style == jsonASCII && strings.IndexFunc(string(written), func(r rune) bool { return r >= utf8.RuneSelf }) >= 0 {
				t.Fatalf("appendString(%q) = %s; want ASCII", text, written)
			}
		}
	})
}
