package wire

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/entity"
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
		{"the deepest nesting", deep(maxJSONDepth), true},
		{"a level beyond", deep(maxJSONDepth + 1), false},
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

// instants are the ends of the calendar, of its cycles and of a leap year, and
// random ones in between.
func instants() []entity.Ticks {
	all := []entity.Ticks{0, 1, entity.EarliestDateTime, entity.LatestDateTime}
	for _, text := range []string{
		"2000-02-29T00:00:00Z", "1900-02-28T23:59:59.9999999Z", "1900-03-01T00:00:00Z", "2000-12-31T12:00:00.5Z",
		"2400-02-29T00:00:00Z", "0400-03-01T00:00:00Z", "2017-08-30T13:20:32.0000001Z", "2016-12-31T23:59:59.48Z",
	} {
		t, err := entity.ParseTicks(text)
		if err != nil {
			panic(err)
		}
		all = append(all, t)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		t := entity.Ticks(rng.Int64N(int64(entity.LatestDateTime)))
		all = append(all, t, t-t%10_000_000, t-t%1000)
	}
	return all
}

// Every instant is written as entity.Ticks writes it, and read back.
func TestInstantsAreWrittenAsTicksAre(t *testing.T) {
	for _, ticks := range instants() {
		if got, want := string(appendInstant([]byte("x"), ticks)), "x"+ticks.String(); got != want {
			t.Fatalf("appendInstant(%d) = %s; want %s", ticks, got, want)
		}
		if got, want := string(appendTagged([]byte(etagStart), appendInstant(nil, ticks)))+"'\"", ticks.ETag(); got != want {
			t.Fatalf("appendTagged(%d) = %s; want %s", ticks, got, want)
		}
		want := ticks.Time().Format("2006-01-02T15:04:05.0000000Z")
		if got := string(appendStamp(nil, ticks)); got != want {
			t.Fatalf("appendStamp(%d) = %s; want %s", ticks, got, want)
		}
		if got, code := parseInstant(ticks.String()); got != ticks || code != entity.OK {
			t.Fatalf("parseInstant(%s) = %d, %q; want %d", ticks, got, code, ticks)
		}
		raw := strings.ReplaceAll(ticks.ETag(), `"`, `\"`)
		if got, ok := parseVersion(raw); got != ticks || !ok {
			t.Fatalf("parseVersion(%s) = %d, %v; want %d", raw, got, ok, ticks)
		}
	}
	for _, ticks := range []entity.Ticks{-1, afterCalendar, afterCalendar + 1234560, 1<<63 - 1, -1 << 63} {
		assert.Equalf(t, ticks.ETag(), string(appendTagged([]byte(etagStart), appendInstant(nil, ticks)))+"'\"",
			"appendTagged(%d)", ticks)
		assert.Equalf(t, ticks.String(), string(appendInstant(nil, ticks)), "appendInstant(%d)", ticks)
	}
}

const etagStart = `W/"datetime'`

func TestParseInstant(t *testing.T) {
	const bad, beyond = entity.InvalidInput, entity.OutOfRangeInput
	for _, row := range []struct {
		name, text, want string
		code             entity.Code
	}{
		{"no fraction", "2014-05-07T08:20:53Z", "2014-05-07T08:20:53Z", ""},
		{"no zone is UTC", "2014-05-07T08:20:53.25", "2014-05-07T08:20:53.25Z", ""},
		{"an offset to the east", "2014-05-07T01:20:53+02:30", "2014-05-06T22:50:53Z", ""},
		{"an offset to the west", "2014-12-31T23:00:00.5-08:00", "2015-01-01T07:00:00.5Z", ""},
		{"nine digits are cut to seven", "2014-05-07T08:20:53.123456789Z", "2014-05-07T08:20:53.1234567Z", ""},
		{"a leap day that is none", "1900-02-29T00:00:00Z", "", bad},
		{"a month of 31 days that is none", "2014-06-31T00:00:00Z", "", bad},
		{"month 0", "2014-00-01T00:00:00Z", "", bad},
		{"month 13", "2014-13-01T00:00:00Z", "", bad},
		{"day 0", "2014-01-00T00:00:00Z", "", bad},
		{"hour 24", "2014-01-01T24:00:00Z", "", bad},
		{"minute 60", "2014-01-01T00:60:00Z", "", bad},
		{"second 60", "2014-01-01T00:00:60Z", "", bad},
		{"a date alone", "2014-05-07", "", bad},
		{"a blank for the T", "2014-05-07 08:20:53Z", "", bad},
		{"a point without digits", "2014-05-07T08:20:53.Z", "", bad},
		{"a letter in a number", "2O14-05-07T08:20:53Z", "", bad},
		{"a sign in a number", "2014-05-+7T08:20:53Z", "", bad},
		{"an offset without a colon", "2014-05-07T08:20:53+0200", "", bad},
		{"an offset of 15 hours", "2014-05-07T08:20:53+15:00", "", bad},
		{"a tail", "2014-05-07T08:20:53Zx", "", bad},
		{"nothing", "", "", bad},
		{"the year 0", "0000-05-07T08:20:53Z", "", beyond},
		{"before the year 1 by the offset", "0001-01-01T00:00:00+01:00", "", beyond},
		{"after the year 9999 by the offset", "9999-12-31T23:30:00-01:00", "", beyond},
	} {
		got, code := parseInstant(row.text)
		assert.Truef(t, code == row.code && (code != entity.OK || got.String() == row.want),
			"%s: parseInstant(%q) = %s, %q; want %s, %q", row.name, row.text, got, code, row.want, row.code)
	}
}

func TestParseVersionRefusesForeignTags(t *testing.T) {
	for _, raw := range []string{
		``, `W/\"datetime''\"`, `W/\"0x8D4\"`, `\"datetime'2014-05-07T08%3A20%3A53Z'\"`,
		`W/\"datetime'2014-05-07T08%3A20%3A53'\"`,
		`W/\"datetime'2014-05-07T08%3A20%3A53.12345678Z'\"`, `W/\"datetime'2014-05-07T08%3B20%3A53Z'\"`,
		`W/"datetime'2014-05-07T08%3A20%3A53Z'"`,
		`W/\"datetime'\"`, `W/\"datetime'2014-05-07T08%3A20%3A53.5'\"`, `W/\"datetime'2014-05-07T08%3A20:53.5Z'\"`,
		`W/\"datetime'2014-05-07T08%3A20%3A53.5+00:00Z'\"`,
	} {
		if got, ok := parseVersion(raw); ok {
			t.Errorf("parseVersion(%q) = %s, true; want false", raw, got)
		}
	}
}

// FuzzParseInstant holds the parser against that of package time.
func FuzzParseInstant(f *testing.F) {
	for _, seed := range []string{"2014-05-07T08:20:53Z", "2014-05-07T08:20:53.2-08:00", "9999-12-31T23:59:59.9999999Z",
		"0001-01-01T00:00:00+00:01"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ticks, code := parseInstant(text)
		if code != entity.OK {
			return
		}
		want, err := time.Parse("2006-01-02T15:04:05Z07:00", text)
		if err != nil {
			want, err = time.Parse("2006-01-02T15:04:05", text)
		}
		if err != nil || entity.TicksOf(want) != ticks {
			t.Fatalf("parseInstant(%q) = %s; want %s, %v", text, ticks, want, err)
		}
	})
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
			"{") > maxJSONDepth {
			return
		}
		if got != want {
			t.Fatalf("scanned(%q) = %v; want %v", text, got, want)
		}
	})
}
