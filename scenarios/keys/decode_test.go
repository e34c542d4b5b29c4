package keys_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/scenarios/keys"
)

func TestKeysOfDocumentedDesigns(t *testing.T) {
	// (DateTime.MaxValue.Ticks - ticks).ToString("D19"), computed from the calendar: 719,162
	// days lie between the year 1 and 1970, 86,400 seconds a day, 10,000,000 ticks a second.
	at := time.Date(2026, 11, 1, 15, 4, 5, 0, time.UTC)
	inverted := fmt.Sprintf("%019d", 3155378975999999999-((719162*86400+at.Unix())*10_000_000))
	for _, row := range []struct{ sentence, template, values, key, reads string }{
		{"the log tail: the latest first", "{at:inverted}", "at=2026-11-01T15:04:05Z", inverted, "at=2026-11-01T15:04:05.0000000Z"},
		{"zeros before a number", "{event}__{bib:05d}", "event=paris|bib=42", "paris__00042", "event=paris|bib=42"},
		{"zeros behind a sign", "{n:05d}", "n=-42", "-0042", "n=-42"},
		{"zero itself", "{n:03d}", "n=0", "000", "n=0"},
		{"braces are text", "{{{a}}}", "a=x", "{x}", "a=x"},
		{"an hour tells no instant", "{at:hour}_{at:ticks}", "at=2026-11-01T15:04:05Z",
			"2026-11-01T15_" + fmt.Sprintf("%019d", (719162*86400+at.Unix())*10_000_000), "at:hour=2026-11-01T15|at=2026-11-01T15:04:05.0000000Z"},
		{"a prefix tells no name, and has to agree with it", "{prefix(user,2)}-{user}", "user=ümit", "üm-ümit", "prefix(user,2)=üm|user=ümit"},
		{"what is reversed can be turned back", "{reverse(user)}", "user=añb", "bña", "user=añb"},
		{"fixed widths need nothing between them", "{a:03d}{b:04d}", "a=7|b=12", "0070012", "a=7|b=12"},
	} {
		template := parsed(t, row.template)
		key, err := template.Encode(pairs(row.values))
		assert.Truef(t, err == nil && key == row.key,
			"%s: %s of %s = %q, %v; want %q", row.sentence, row.template, row.values, key, err, row.key)
		read, err := template.Decode(row.key)
		if got := joined(read); err != nil || got != row.reads {
			t.Errorf("%s: %q by %s = %s, %v; want %s", row.sentence, row.key, row.template, got, err, row.reads)
		}
	}
}

func TestKeyFaults(t *testing.T) {
	for _, row := range []struct{ sentence, template, values, key, says string }{
		{"an attribute without a value", "{event}__{bib:05d}", "event=paris", "", "byte 9: {bib:05d} has no value"},
		{"a value of no attribute", "{event}", "evnt=paris", "", `"event"`},
		{"letters to pad", "{bib:05d}", "bib=x", "", "byte 0: {bib:05d} is given \"x\""},
		{"a number wider than its padding", "{bib:02d}", "bib=111", "", "at most 2 characters"},
		{"a number with zeros already", "{bib:04d}", "bib=007", "", "without zeros before it"},
		{"an instant that is none", "{at:inverted}", "at=yesterday", "", "an instant"},
		{"a day that no month has", "{at:day}", "", "2026-02-30", "byte 0 of \"2026-02-30\": expected an instant"},
		{"ticks a digit short", "{at:inverted}", "", "251638489354999999", "19 digits"},
		{"ticks before 1601", "{at:inverted}", "", "3155378975999999999", "19 digits"},
		{"a separator that is not there", "{event}__{bib:05d}", "", "paris_00042", "expected"},
		{"padding too short", "{event}__{bib:05d}", "", "paris__042", "byte 7 of \"paris__042\": expected a number in 5 digits"},
		{"something behind the end", "{at:year}", "", "2026x", "byte 4 of \"2026x\": expected the end"},
		{"two ways to read", "{a}_{b}", "", "x_y_z", "two ways, as a=\"x\" b=\"y_z\" and as a=\"x_y\" b=\"z\""},
		{"nothing between", "{a}{b}", "", "xy", "two ways"},
		{"a number that is no remainder", "{hash(u,16):02d}", "", "16", "a number in 2 digits"},
		{"two values of one attribute", "{u}/{u}", "", "a/b", "two values of u that differ"},
		{"more ways than can be tried", strings.Repeat("{a}{b}", 12) + "!", "", strings.Repeat("x", 300), ""},
	} {
		var err error
		if template := parsed(t, row.template); row.key == "" {
			_, err = template.Encode(pairs(row.values))
		} else {
			_, err = template.Decode(row.key)
		}
		assert.Truef(t, errors.Is(err, keys.ErrKey) && strings.Contains(err.Error(), row.says),
			"%s: %v; want an ErrKey that says %s", row.sentence, err, row.says)
	}
}

// FuzzDecodeEncoded holds decoding to be the inverse of encoding: whatever key can be read
// has the values that it was formed of, and one that can be read in two ways is said to be.
func FuzzDecodeEncoded(f *testing.F) {
	f.Add("{a}__{n:05d}_{at:inverted}", "paris", 42, int64(0))
	f.Add("{a}_{b}", "x_y", -7, int64(1))
	f.Add("{reverse(a)}{at:ticks}{n:02d}", "ü\x00b", 7, int64(math.MaxInt64))
	f.Add("{hash(a,16):02d}{lower(a)}/{at:hour}", "Ab", 0, int64(-1))
	f.Fuzz(func(t *testing.T, text, a string, n int, tick int64) {
		template, err := keys.ParseTemplate(text)
		if err != nil || len(a) > 200 {
			return
		}
		const earliest, latest = 504911232000000000, 3155378975999999999
		ticks := earliest + uint64(tick)%(latest-earliest+1)
		at := time.Unix(int64(ticks/10_000_000)-719162*86400, int64(ticks%10_000_000)*100).UTC().Format("2006-01-02T15:04:05.0000000Z")
		of := map[string]string{}
		for _, name := range template.Attributes() {
			of[name] = map[bool]string{true: strconv.Itoa(n), false: a}[strings.HasPrefix(name, "n")]
		}
		for _, name := range template.Times() {
			of[name] = at
		}
		key, err := template.Encode(of)
		if err != nil {
			return
		}
		read, err := template.Decode(key)
		if err != nil {
			if message := err.Error(); !strings.Contains(message, "two ways") && !strings.Contains(message, "too many ways") {
				t.Fatalf("%q was encoded of %v by %q and decoding says %v", key, of, text, err)
			}
			return
		}
		for _, r := range read {
			if r.Whole && r.Value != of[r.Attribute] {
				t.Fatalf("%q by %q has %s = %q; it was formed of %q", key, text, r.Attribute, r.Value, of[r.Attribute])
			}
		}
	})
}

func parsed(t *testing.T, text string) keys.Template {
	t.Helper()
	template, err := keys.ParseTemplate(text)
	require.NoError(t, err)
	return template
}

func pairs(text string) map[string]string {
	of := map[string]string{}
	for one := range strings.SplitSeq(text, "|") {
		if name, value, some := strings.Cut(one, "="); some {
			of[name] = value
		}
	}
	return of
}

func joined(list []keys.Reading) string {
	var texts []string
	for _, r := range list {
		texts = append(texts, r.Name()+"="+r.Value)
	}
	return strings.Join(texts, "|")
}

// TestPaddedKeysSortLikeNumbers draws numbers and instants, and holds the order of their
// keys to the order of what they stand for.
func TestPaddedKeysSortLikeNumbers(t *testing.T) {
	chance := rand.New(rand.NewPCG(9, 55))
	padded, inverted := parsed(t, "{n:010d}"), parsed(t, "{at:inverted}")
	for range 2000 {
		a, b := int(math.Pow(10, 9.9*chance.Float64())), int(math.Pow(10, 9.9*chance.Float64()))
		first, second := encoded(t, padded, "n", strconv.Itoa(a)), encoded(t, padded, "n", strconv.Itoa(b))
		if (first < second) != (a < b) {
			t.Fatalf("%d and %d have the keys %q and %q, which sort otherwise", a, b, first, second)
		}
		early := time.Unix(chance.Int64N(200_000_000_000)-10_000_000_000, chance.Int64N(10_000_000)*100).UTC()
		late := early.Add(time.Duration(1+chance.Int64N(1000)) * 100)
		of := func(at time.Time) string { return at.Format("2006-01-02T15:04:05.0000000Z") }
		if x, y := encoded(t, inverted, "at", of(early)), encoded(t, inverted, "at", of(late)); x <= y {
			t.Fatalf("%s has the key %q, which does not come behind %q of the later %s", of(early), x, y, of(late))
		}
	}
}

func encoded(t *testing.T, template keys.Template, name, value string) string {
	t.Helper()
	key, err := template.Encode(map[string]string{name: value})
	require.NoError(t, err)
	return key
}
