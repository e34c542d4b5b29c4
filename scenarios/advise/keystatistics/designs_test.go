package keystatistics_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"loadgen/scenarios/advise/keystatistics"
)

const (
	day  = 24 * time.Hour
	year = 365 * day
)

func pow(base, exponent float64) float64 { return math.Pow(base, exponent) }

// dotNetTicks returns the 100 ns steps since the year 1.
func dotNetTicks(at time.Time) int64 {
	return at.Unix()*1e7 + int64(at.Nanosecond())/100 + 621_355_968_000_000_000
}

// mostTicks is the last tick of the year 9999, from which inverted ones count.
const mostTicks = 3_155_378_975_999_999_999

func inverted(at time.Time) string { return fmt.Sprintf("%019d", mostTicks-dotNetTicks(at)) }

// Designs returns every design, in the order of the list.
func Designs() []Design {
	return slices.Concat(timeFirst(), numbers(), names(), timeLater(), disturbed())
}

// up and down are designs whose keys go one way.
func up(name string, span time.Duration, key func(*Event) string) Design {
	return Design{name, span, key, keystatistics.AppendOnly, keystatistics.PrependOnly, true}
}

func down(name string, span time.Duration, key func(*Event) string) Design {
	return Design{name, span, key, keystatistics.PrependOnly, keystatistics.AppendOnly, true}
}

// hot is any other design whose inserts fall on one place at a time, spread one
// whose inserts do not.
func hot(name string, v keystatistics.Verdict, span time.Duration, key func(*Event) string) Design {
	return Design{name, span, key, v, v, true}
}

func spread(name string, span time.Duration, key func(*Event) string) Design {
	return Design{name, span, key, keystatistics.Spread, keystatistics.Spread, false}
}

// several is a design whose inserts fall on a few places at a time, which move on.
func several(name string, span time.Duration, key func(*Event) string) Design {
	return Design{name, span, key, keystatistics.SeveralTails, keystatistics.SeveralTails, false}
}

func timeFirst() []Design {
	format := func(layout string) func(*Event) string {
		return func(e *Event) string { return e.At.Format(layout) }
	}
	return []Design{
		up("date-day over a year", year, format("2006-01-02")),
		up("date-day over a year that begins two weeks before the calendar's", year, func(e *Event) string {
			return e.At.Add(-14 * day).Format("2006-01-02")
		}),
		up("date-hour over a month", 30*day, format("2006-01-02T15")),
		up("date-minute over a week", 7*day, format("2006-01-02T15-04")),
		up("month over a year", year, format("2006-01")),
		up("year over four years", 4*year, format("2006")),
		up("ticks", 30*day, func(e *Event) string { return fmt.Sprintf("%019d", dotNetTicks(e.At)) }),
		down("inverted ticks", 30*day, func(e *Event) string { return inverted(e.At) }),
		down("inverted hours", 30*day, func(e *Event) string { return inverted(e.At.Truncate(time.Hour)) }),
		up("time-ordered UUID (version 7)", day, func(e *Event) string {
			milliseconds := fmt.Sprintf("%012x", e.At.UnixMilli())
			return milliseconds[:8] + "-" + milliseconds[8:] + "-7" + e.hex(3) + "-9" + e.hex(3) + "-" + e.hex(12)
		}),
		hot("date, then one of 16 buckets", keystatistics.HotTail, 30*day, func(e *Event) string {
			return e.At.Format("2006-01-02") + fmt.Sprintf("_%02d", e.Draw.IntN(16))
		}),
		hot("hour, then one of 4 buckets", keystatistics.HotTail, 30*day, func(e *Event) string {
			return e.At.Format("2006-01-02T15") + fmt.Sprintf("_%02d", e.Draw.IntN(4))
		}),
		hot("inverted hour, then one of 8 buckets", keystatistics.HotTail, 30*day, func(e *Event) string {
			return inverted(e.At.Truncate(time.Hour)) + fmt.Sprintf("_%02d", e.Draw.IntN(8))
		}),
		hot("date, then a user of 5,000", keystatistics.HotTail, 60*day, func(e *Event) string {
			return e.At.Format("2006-01-02") + fmt.Sprintf("_u%04d", e.Draw.IntN(5000))
		}),
		hot("a hash of the hour alone", keystatistics.MovingPoint, 30*day, func(e *Event) string {
			return fmt.Sprintf("%016x", digest(uint64(e.At.Unix()/3600)))
		}),
		hot("day of the month first", keystatistics.MovingPoint, year, format("02-01-2006")),
	}
}

func numbers() []Design {
	return []Design{
		up("sequential number, padded", 30*day, func(e *Event) string { return fmt.Sprintf("%010d", e.Number) }),
		up("sequential number of one length, not padded", 30*day, func(e *Event) string {
			return strconv.Itoa(500_000 + e.Number)
		}),
		hot("sequential number, not padded", keystatistics.MovingPoint, 30*day, func(e *Event) string {
			return strconv.Itoa(e.Number + 1)
		}),
		spread("digits of a sequential number, reversed", 30*day, func(e *Event) string {
			digits := []byte(fmt.Sprintf("%08d", e.Number))
			slices.Reverse(digits)
			return string(digits)
		}),
		up("bank transaction id, sequential", 30*day, func(e *Event) string {
			return fmt.Sprintf("TX%012d", 7_000_000+e.Number*3+e.Draw.IntN(3))
		}),
		spread("bank transaction id, random", 30*day, func(e *Event) string { return "TX" + e.hex(16) }),
	}
}

func names() []Design {
	alphabet := func(share float64) string {
		const letters = 26 * 26 * 26 * 26
		n := int(share * (letters - 1))
		return string([]byte{'a' + byte(n/17576), 'a' + byte(n/676%26), 'a' + byte(n/26%26), 'a' + byte(n%26)})
	}
	return []Design{
		spread("GUID", 30*day, func(e *Event) string {
			return e.hex(8) + "-" + e.hex(4) + "-4" + e.hex(3) + "-a" + e.hex(3) + "-" + e.hex(12)
		}),
		spread("UUID of version 1, its fastest part first", 30*day, func(e *Event) string {
			since1582 := uint64(dotNetTicks(e.At) - 499_163_040_000_000_000)
			low, middle, high := uint32(since1582), uint16(since1582>>32), since1582>>48&0xFFF
			return fmt.Sprintf("%08x-%04x-1%03x-b%s-00155d8c7a10", low, middle, high, e.hex(3))
		}),
		spread("user id, some far busier than others", 30*day, func(e *Event) string {
			return fmt.Sprintf("user%06d", e.zipf(100_000))
		}),
		spread("user id, all alike", 30*day, func(e *Event) string {
			return fmt.Sprintf("user%06d", e.Draw.IntN(100_000))
		}),
		spread("hash of a sequential number", 30*day, func(e *Event) string {
			return fmt.Sprintf("%016x", digest(uint64(e.Number)))
		}),
		spread("one of 16 hash buckets alone", 30*day, func(e *Event) string {
			return fmt.Sprintf("%02d", e.Draw.IntN(16))
		}),
		spread("event and distance, the running example", 30*day, func(e *Event) string {
			race := []string{"2011 New York City Marathon", "2011 Berlin Marathon"}[e.Draw.IntN(2)]
			return race + "__" + []string{"Full", "Full", "Half", "Half", "10 km"}[e.Draw.IntN(5)]
		}),
		spread("Half, Full and 10 km of one event", 30*day, func(e *Event) string {
			return "2011 New York City Marathon__" + []string{"Full", "Full", "Half", "Half", "10 km"}[e.Draw.IntN(5)]
		}),
		spread("department and employee id", 30*day, func(e *Event) string {
			departments := []string{"Sales", "Marketing", "Research", "Service", "Finance"}
			return departments[e.Draw.IntN(len(departments))] + fmt.Sprintf("_%06d", e.Draw.IntN(50_000))
		}),
		spread("e-mail address", 30*day, func(e *Event) string {
			return "email_" + alphabet(e.Draw.Float64()) + "@contoso.com"
		}),
		up("alphabetical import", time.Hour, func(e *Event) string {
			return alphabet(float64(e.Number) / float64(e.Count))
		}),
		down("import in reverse alphabetical order", time.Hour, func(e *Event) string {
			return alphabet(1 - float64(e.Number+1)/float64(e.Count))
		}),
		hot("a constant", keystatistics.OnePartition, 30*day, func(*Event) string { return "settings" }),
		hot("one tenant that has nearly all", keystatistics.Dominant, 30*day, func(e *Event) string {
			if e.Draw.IntN(20) > 0 {
				return "tenant017"
			}
			return fmt.Sprintf("tenant%03d", e.Draw.IntN(40))
		}),
	}
}

func timeLater() []Design {
	return []Design{
		several("one of 16 hash buckets, then the date", year, func(e *Event) string {
			return fmt.Sprintf("%02d_", e.Draw.IntN(16)) + e.At.Format("2006-01-02")
		}),
		several("one of 2 buckets, then the hour", 30*day, func(e *Event) string {
			return fmt.Sprintf("%d_", e.Draw.IntN(2)) + e.At.Format("2006-01-02T15")
		}),
		several("tenant of 40, then the date", year, func(e *Event) string {
			return fmt.Sprintf("tenant%03d_", e.Draw.IntN(40)) + e.At.Format("2006-01-02")
		}),
		hot("tenant, one of them dominant, then the date", keystatistics.Dominant, year, func(e *Event) string {
			tenant := e.Draw.IntN(40)
			if e.Draw.IntN(10) > 0 {
				tenant = 17
			}
			return fmt.Sprintf("tenant%03d_", tenant) + e.At.Format("2006-01-02")
		}),
		hot("the same, the dominant one last", keystatistics.Dominant, year, func(e *Event) string {
			tenant := e.Draw.IntN(40)
			if e.Draw.IntN(10) > 0 {
				tenant = 50
			}
			return fmt.Sprintf("tenant%03d_", tenant) + e.At.Format("2006-01-02")
		}),
		spread("device of 500, then the day", 60*day, func(e *Event) string {
			return fmt.Sprintf("device%04d_", e.Draw.IntN(500)) + e.At.Format("20060102")
		}),
		several("log source of 12, then the hour", 30*day, func(e *Event) string {
			return fmt.Sprintf("web%02d_", e.Draw.IntN(12)) + e.At.Format("2006-01-02T15")
		}),
		several("region of 4, then inverted ticks", 30*day, func(e *Event) string {
			return []string{"asia", "europe", "us-east", "us-west"}[e.Draw.IntN(4)] + "_" + inverted(e.At)
		}),
	}
}

// disturbed are streams that do not come as neatly as their keys suggest.
func disturbed() []Design {
	return []Design{
		spread("dated rows, imported again in random order", time.Hour, func(e *Event) string {
			return e.someTime().Format("2006-01-02")
		}),
		up("date-day, one in ten up to five days late", year, func(e *Event) string {
			return e.late(10, 5*day).Format("2006-01-02")
		}),
		up("date-minute, one in ten up to an hour late", 7*day, func(e *Event) string {
			return e.late(10, time.Hour).Format("2006-01-02T15-04")
		}),
		up("date-day by the clocks of two time zones", 60*day, func(e *Event) string {
			return e.At.Add(time.Duration(e.Draw.IntN(2)) * 9 * time.Hour).Format("2006-01-02")
		}),
		up("date-day beside a few settings that sort last", year, func(e *Event) string {
			if e.Draw.IntN(50) == 0 {
				return "settings"
			}
			return e.At.Format("2006-01-02")
		}),
		hot("one event after another, by name", keystatistics.MovingPoint, year, func(e *Event) string {
			race := e.Number * 24 / e.Count
			distance := []string{"Full", "Half", "10 km"}[e.Draw.IntN(3)]
			return fmt.Sprintf("%c %d__%s", 'A'+rune(digest(uint64(race))%26), race, distance)
		}),
	}
}
