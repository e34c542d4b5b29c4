package document_test

import (
	"math"
	"testing"
	"time"

	"loadgen/report/document"
)

func TestSpanTakesTheUnitThatSuits(t *testing.T) {
	for _, row := range []struct {
		name string
		d    time.Duration
		want string
	}{
		{"nothing", 0, "0 ns"},
		{"a step of a clock", 56, "56 ns"},
		{"what rounds to the next unit", 999_900, "1 ms"},
		{"a tenth below ten", 1840 * time.Microsecond, "1.8 ms"},
		{"whole from ten on", 27 * time.Second, "27 s"},
		{"up to two minutes in seconds", 90 * time.Second, "90 s"},
		{"minutes", 15 * time.Minute, "15 min"},
		{"hours", 150 * time.Minute, "2.5 h"},
		{"days", 60 * time.Hour, "2.5 days"},
		{"below nothing", -3 * time.Second, "-3 s"},
		{"the longest", math.MaxInt64, "106,752 days"},
	} {
		if got := document.Span(row.d); got != row.want {
			t.Errorf("%s: Span(%d) = %q; want %q", row.name, row.d, got, row.want)
		}
	}
}

func TestAveragedHasThePluralOfItsNumber(t *testing.T) {
	for _, row := range []struct {
		n    float64
		want string
	}{{0, "0 entities"}, {1, "1 entity"}, {1.004, "1 entity"}, {7.5, "7.5 entities"}, {1234, "1,234 entities"}} {
		if got := document.Averaged(row.n, "entity", "entities"); got != row.want {
			t.Errorf("Averaged(%v) = %q; want %q", row.n, got, row.want)
		}
	}
}
