package figure_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/results/figure"
)

// A name of before is a fault where it stands that has the name of now, and no alias.
func TestRenamedFigures(t *testing.T) {
	assert.Truef(t, len(figure.RenamedMetrics()) >= 8,
		"%d figures were called otherwise; want eight", len(figure.RenamedMetrics()))
	for _, one := range figure.RenamedMetrics() {
		was, is := one[0], one[1]
		assert.Truef(t, !slices.Contains(figure.Names(), was) && slices.Contains(figure.Names(), is),
			"%s and %s: want the second alone to be a figure", was, is)
		for text, offset := range map[string]int{was + " < 1": 0, "  " + was + "(get) < 1": 2, "p99 < " + was: 6} {
			_, err := figure.ParseClaim(text)
			var fault *figure.ClaimFault
			want := was + " is called " + is + " now; expected that name"
			assert.Truef(t, errors.As(err, &fault) && fault.Offset == offset && fault.What == want && fault.Name == "",
				"Parse(%q) = %v; want byte %d: %s", text, err, offset, want)
		}
	}
	if _, err := figure.ParseClaim("throttled < 20s"); err == nil || !strings.Contains(err.Error(), "byte 12: 20s is no limit for throttled") ||
		!strings.Contains(err.Error(), "or throttled_from, as the time is called now") {
		t.Errorf("Parse of the time that was called throttled = %v; want a hint at throttled_from", err)
	}
	if _, err := figure.ParseClaim("retries < 20s"); err == nil || strings.Contains(err.Error(), "throttled_from") {
		t.Errorf("Parse of a time for a count = %v; want no hint at throttled_from", err)
	}
}
