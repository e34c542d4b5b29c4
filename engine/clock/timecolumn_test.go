package clock_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
)

// parseAll returns the times of a column in RFC 3339, or the error of the first.
func parseAll(format string, texts ...string) (got []string, notation string, err error) {
	column, err := clock.NewTimeColumn(format)
	if err != nil {
		return nil, "", err
	}
	for _, text := range texts {
		column.Learn(text)
	}
	if err := column.FindNotation(); err != nil {
		return nil, "", err
	}
	for _, text := range texts {
		at, err := column.Parse(text)
		if err != nil {
			return nil, "", err
		}
		got = append(got, time.Unix(0, int64(at)).UTC().Format(time.RFC3339Nano))
	}
	return got, column.Notation().String(), nil
}

// Published forms of 2026-11-27 08:00:00 and of others, each the only value of its column. The truth is
// from their specifications or from date(1).
func TestPublishedTimes(t *testing.T) {
	const morning = "2026-11-27T08:00:00Z"
	for _, row := range []struct{ name, text, want string }{
		{"RFC 3339", "2026-11-27T08:00:00Z", morning},
		{"RFC 3339, offset and decimals", "2026-11-27T10:00:00.25+02:00", "2026-11-27T08:00:00.25Z"},
		{"RFC 3339, lower case", "2026-11-27t08:00:00z", morning},
		{"Azure, seven decimals", "2026-11-27T08:00:00.1234567Z", "2026-11-27T08:00:00.1234567Z"},
		{"before 1970", "1969-12-31T23:59:59Z", "1969-12-31T23:59:59Z"},
		{"ISO without a zone", "2026-11-27T08:00:00", morning},
		{"ISO, offset without a colon", "2026-11-27T08:00:00.000+0000", morning},
		{"ISO basic", "20261127T080000Z", morning},
		{"ISO, hours", "2026-11-27T08Z", morning},
		{"ISO date", "2026-11-27", "2026-11-27T00:00:00Z"},
		{"ISO month", "2026-11", "2026-11-01T00:00:00Z"},
		{"Java ZonedDateTime", "2026-11-27T09:00:00+01:00[Europe/Berlin]", morning},
		{"SQL, pandas", "2026-11-27 08:00:00", morning},
		{"PostgreSQL timestamptz", "2026-11-27 08:00:00.123456+00", "2026-11-27T08:00:00.123456Z"},
		{"pandas with offset", "2026-11-27 08:00:00+00:00", morning},
		{"BigQuery", "2026-11-27 08:00:00 UTC", morning},
		{"Go", "2026-11-27 09:00:00.5 +0100 GMT", "2026-11-27T08:00:00.5Z"},
		{"Python logging", "2026-11-27 08:00:00,123", "2026-11-27T08:00:00.123Z"},
		{"minutes", "2026-11-27 8:00", morning},
		{"slashes, year first", "2026/11/27 08:00:00", morning},
		{"US", "11/27/2026 8:00:00 AM", morning},
		{"US, Azure portal", "11/27/2026, 8:00:00.000 AM", morning},
		{"US, afternoon without a blank", "11/27/2026 12:30pm", "2026-11-27T12:30:00Z"},
		{"US, two digits of the year", "11/27/26 08:00", morning},
		{"German", "27.11.2026 08:00", morning},
		{"British", "27/11/2026 08:00:00", morning},
		{"Dutch", "27-11-2026 08:00", morning},
		{"Oracle", "27-NOV-26 08:00:00", morning},
		{"RFC 1123", "Fri, 27 Nov 2026 08:00:00 GMT", morning},
		{"RFC 1123, offset", "Fri, 27 Nov 2026 08:00:00 +0000", morning},
		{"ctime", "Fri Nov 27 08:00:00 2026", morning},
		{"date(1)", "Fri Nov 27 08:00:00 UTC 2026", morning},
		{"JavaScript", "Fri Nov 27 2026 09:00:00 GMT+0100 (Central European Standard Time)", morning},
		{"Apache", "27/Nov/2026:08:00:00 +0000", morning},
		{"Kibana", "Nov 27, 2026 @ 08:00:00.000", morning},
		{"long", "November 27, 2026 8:00 AM", morning},
		{"long, day first", "27 November 2026", "2026-11-27T00:00:00Z"},
		{"epoch seconds", "1795766400", morning},
		{"epoch seconds with decimals", "1795766400.25", "2026-11-27T08:00:00.25Z"},
		{"epoch ms", "1795766400123", "2026-11-27T08:00:00.123Z"},
		{"epoch µs", "1795766400123456", "2026-11-27T08:00:00.123456Z"},
		{"epoch ns", "1795766400123456789", "2026-11-27T08:00:00.123456789Z"},
		{"seconds of a trace", "12.345678901", "1970-01-01T00:00:12.345678901Z"},
		{"ticks in 19 digits", "0639313632000000000", morning},
		{"yyyymmdd", "20261127", "2026-11-27T00:00:00Z"},
		{"yyyymm", "202611", "2026-11-01T00:00:00Z"},
		{"yyyymmddhh", "2026112708", morning},
		{"yyyymmddhhmm", "202611270800", morning},
		{"yyyymmddhhmmss", "20261127080000", morning},
		{"yyyymmddhhmmss with ms", "20261127080000123", "2026-11-27T08:00:00.123Z"},
		{"race time", "2:09:37", "1970-01-01T02:09:37Z"},
		{"race time over a day", "26:10:00.5", "1970-01-02T02:10:00.5Z"},
		{"clock of twelve hours", "8:00 PM", "1970-01-01T20:00:00Z"},
		{"duration", "1h2m", "1970-01-01T01:02:00Z"},
		{"day 29 of February", "2028-02-29 00:00:00", "2028-02-29T00:00:00Z"},
	} {
		got, _, err := parseAll("", row.text)
		if assert.NoErrorf(t, err, "%s: %q", row.name, row.text) {
			assert.Equalf(t, []string{row.want}, got, "%s: %q", row.name, row.text)
		}
	}
}

// Texts that have two senses, or none: each is refused, with the formats that help.
func TestRefusedTimes(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"03/04/2026", "day-first or month-first"},
		{"11/1/2026 10:06:44 AM", "day-first or month-first"},
		{"03.04.26 08:00", "day-first or month-first or year-first"},
		{"10:06", "hour-minute or minute-second"},
		{"46353.333", "seconds or spreadsheet-days"},
		{"2026", "seconds or short-digits"},
		{"2026331", "seconds or short-digits"},
		{"261127", "seconds or short-digits"},
		{"261127080000", "milliseconds or short-digits"},
		{"201101", "digits or short-digits"},
		{"639313632000000000", "nanoseconds or ticks"},
	} {
		_, _, err := parseAll("", row.text)
		require.Errorf(t, err, "%q", row.text)
		assert.Containsf(t, err.Error(), row.want, "%q", row.text)
		for _, name := range strings.Split(row.want, " or ") {
			_, notation, err := parseAll(name, row.text)
			assert.Truef(t, err == nil && notation == name, "%q as %s: %s, %v", row.text, name, notation, err)
		}
	}
	for _, text := range []string{"N/A", "-", "12.", ".5", "1.2.3", "12a", "1.0123456789", "99999999999", "1767366245123.5", "9223372036855",
		"134000000000000000x", "-3ms", "3parsecs", "2026-11-27T08:00:60Z", "2026-11-27T24:00:00", "2026-02-30", "2026-13-01", "20261327x", "27.13.2026",
		"2300-01-01T00:00:00Z", "0001-01-01T00:00:00", "2026-11-27 08:00:00 CST", "2026:11:27 08:00:00", "1.79577E+12", "P1DT2H", "/Date(1795766400000)/",
		"2026-W48-5", "Freitag, 27. November 2026", "13:00:00 PM", "2:60:00", strings.Repeat("9", 40), "2026-11-27T08:00:00." + strings.Repeat("1", 90) + "Z"} {
		got, notation, err := parseAll("", text)
		assert.Errorf(t, err, "%q is %v, %s", text, got, notation)
	}
	_, err := clock.NewTimeColumn("swatch")
	assert.ErrorContains(t, err, "day-first")
}

// A column has one notation, which its values decide together.
func TestColumnsOfTimes(t *testing.T) {
	for _, row := range []struct {
		name, format string
		texts        []string
		last, fault  string
	}{
		{"a day over 12 settles the order", "", []string{"03/04/2026", "27/11/2026", "05/06/2026"}, "2026-06-05T00:00:00Z", ""},
		{"a month's day over 12 settles it", "", []string{"03/04/2026", "11/27/2026", "05/06/2026"}, "2026-05-06T00:00:00Z", ""},
		{"it is asked for", "day-first", []string{"03/04/2026"}, "2026-04-03T00:00:00Z", ""},
		{"contradictions", "", []string{"03/04/2026", "27/11/2026", "11/27/2026"}, "", "contradict"},
		{"a contradiction of what is asked for", "month-first", []string{"03/04/2026", "27/11/2026"}, "", "contradict"},
		{"the same day and month are the same date", "", []string{"03/03/2026", "04/04/2026"}, "2026-04-04T00:00:00Z", ""},
		{"seconds of a trace that could be months", "", append(slices.Repeat([]string{"7"}, 99), "202611"), "1970-01-03T08:16:51Z", ""},
		{"as many seconds as months", "", []string{"7", "202611"}, "", "digits or seconds"},
		{"two notations", "", []string{"2026-11-27", "2026-11-28", "12.5"}, "", "seconds; expected a time"},
		{"minutes over 23", "", []string{"10:06", "45:10"}, "1970-01-01T00:45:10Z", ""},
		{"blanks around", "", []string{" 2026-11-27 08:00:00 "}, "2026-11-27T08:00:00Z", ""},
	} {
		got, _, err := parseAll(row.format, row.texts...)
		switch {
		case row.fault != "":
			assert.ErrorContainsf(t, err, row.fault, row.name)
		case assert.NoErrorf(t, err, row.name):
			assert.Equalf(t, row.last, got[len(got)-1], row.name)
		}
	}
	var column clock.TimeColumn
	for _, text := range []string{"2026-11-27 08:00:00", "2026-11-27 08:00:00Z", "2026-11-27"} {
		_, err := column.Parse(text)
		require.NoError(t, err)
	}
	assert.EqualValues(t, 2, column.Unzoned, "values without a zone")
}

// FuzzTimes compares with the library what that reads, too, and expects the same of blanks around.
func FuzzTimes(f *testing.F) {
	for _, seed := range []string{"1.5", "1767366245123", "2026-01-02T15:04:05.25+02:00", "1h2m", "27/Nov/2026:08:00:00 +0000", "9223372035.999999999",
		"1677-01-01T00:00:00Z", "2026-01-02 15:04:05", "Fri Nov 27 08:00:00 UTC 2026", "2:09:37", "0639313632000000000", "20261127T080000Z"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var column clock.TimeColumn
		at, err := column.Parse(text)
		date, wrong := time.Parse(time.RFC3339Nano, text)
		if wrong == nil && date.Year() > 1678 && date.Year() < 2261 && len(text) <= len("2006-01-02T15:04:05.999999999+07:00") && (err != nil || date.UnixNano() != int64(at)) {
			t.Errorf("%q is %d, %v; want %v", text, at, err, date)
		}
		if length, wrong := time.ParseDuration(text); column.Notation() == clock.Lengths && wrong == nil && int64(length) != int64(at) {
			t.Errorf("%q is %d; want %v", text, at, length)
		}
		var again clock.TimeColumn
		if padded, second := again.Parse(" " + text + "\t"); second == nil != (err == nil) && len(text) < 90 || padded != at {
			t.Errorf("%q is %d, %v; with blanks %d, %v", text, at, err, padded, second)
		}
	})
}
