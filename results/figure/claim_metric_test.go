package figure_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results/figure"
)

func TestMetrics(t *testing.T) {
	for _, row := range []struct {
		name, text, want string
		unit             figure.Unit
		higher           bool
		floor            float64
	}{
		{"a time is better when it is shorter", "p99(get)", "p99(get)", figure.Nanoseconds, false, 1000},
		{"spaces wherever they may be", " p99 ( get , peak ) ", "p99(get, peak)", figure.Nanoseconds, false, 1000},
		{"a time that takes no name", "lag_p99", "lag_p99", figure.Nanoseconds, false, 1000},
		{"a rate is better when it is higher", "served", "served", figure.PerSecond, true, .01},
		{"where it saturates", "saturation", "saturation", figure.PerSecond, true, .01},
		{"a share lost", "share_lost(peak)", "share_lost(peak)", figure.Share, false, .001},
		{"a count is compared as its share", "throttled", "throttled", figure.Share, false, .001},
		{"what succeeded is better when it is more", "succeeded(get)", "succeeded(get)", figure.Share, true, .001},
		{"requests to an operation", "tries", "tries", figure.Ratio, false, .01},
	} {
		m, err := figure.ParseClaimMetric(row.text)
		assert.Truef(t, err == nil && m.String() == row.want && m.Unit == row.unit && m.Higher == row.higher && m.Floor == row.floor,
			"%s: ParseMetric(%q) = %+v, %v; want %+v", row.name, row.text, m, err, row)
	}
}

func TestFaultsOfMetrics(t *testing.T) {
	for _, row := range []struct {
		name, text string
		offset     int
		want       string
	}{
		{"nothing", "", 0, "the end stands where a figure should"},
		{"a claim", "p99(get) < 20ms", 9, "'<' stands after the figure; expected its end"},
		{"an unknown figure", " p98", 1, `unknown figure "p98"`},
		{"what the load offers", "offered", 0, "offered is better neither when it is higher nor when it is lower"},
		{"what only a simulation tells", "splits", 0, "or no live run tells it; expected one of p50, p90"},
		{"what must be nothing", "lost_writes", 0, "lost_writes is better neither"},
		{"what a workflow counts", "counter(look, both)", 0, "counter is better neither"},
		{"a single partition", "served(hottest)", 0, "served of a single partition or account"},
		{"parentheses never closed", "p99(get", 7, "the end stands within the parentheses"},
		{"far too long", strings.Repeat("p", 5000), 0, "the text is longer than 4096 bytes"},
	} {
		_, err := figure.ParseClaimMetric(row.text)
		var fault *figure.ClaimFault
		assert.Truef(t, errors.As(err, &fault) && errors.Is(err, figure.ErrClaimSyntax) && fault.Offset == row.offset && strings.Contains(fault.What, row.want),
			"%s: ParseMetric(%q) = %v; want byte %d: %s", row.name, row.text, err, row.offset, row.want)
	}
}

// Every metric can be parsed by its name, and its form parses to itself.
func TestEveryMetricParses(t *testing.T) {
	for _, name := range figure.ClaimMetrics() {
		m, err := figure.ParseClaimMetric(name)
		assert.Truef(t, err == nil && m.String() == name && m.Floor > 0, "ParseMetric(%q) = %+v, %v", name, m, err)
	}
}

func TestMetricTold(t *testing.T) {
	for text, row := range map[string]struct {
		value float64
		want  string
	}{
		"p99": {5_250_000, "5.25 ms"}, "share_lost": {.0125, "1.25 %"}, "served": {1999.6, "2000/s"}, "tries": {1.0456, "1.05"},
	} {
		if m, err := figure.ParseClaimMetric(text); err != nil || m.Told(row.value) != row.want {
			t.Errorf("%s: Told(%v) = %q, %v; want %q", text, row.value, m.Told(row.value), err, row.want)
		}
	}
}

func FuzzParseMetric(f *testing.F) {
	for _, text := range append(figure.ClaimMetrics(), "p99(get, peak 20/s)", "p99 (", `served("a""b")`, "\xff") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := figure.ParseClaimMetric(text)
		if err != nil {
			require.ErrorIsf(t, err, figure.ErrClaimSyntax, "ParseMetric(%q)", text)
			return
		}
		if again, err := figure.ParseClaimMetric(m.String()); err != nil || again.String() != m.String() || again.Unit != m.Unit {
			t.Fatalf("ParseMetric(%q) is %q, which parses to %q, %v", text, m, again, err)
		}
	})
}

func TestAFigureIsLookedUpWithoutAnAllocation(t *testing.T) {
	assert.EqualValues(t, 0, testing.AllocsPerRun(100, func() { figure.Find("service_p99.9") }),
		"looking up a figure takes allocations")
	if got := testing.AllocsPerRun(100, func() {
		if _, err := figure.ParseClaim("p99(get) < 20ms"); err != nil {
			t.Fatal(err)
		}
	}); got > 20 {
		t.Errorf("parsing a claim takes %v allocations; want 20 at most, of which none is for the list of figures", got)
	}
}
