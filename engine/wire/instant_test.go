package wire

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/entity"
)

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
		all = append(all, t, t-t%ticksPerSecond, t-t%1000)
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
