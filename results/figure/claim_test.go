package figure_test

import (
	"errors"
	"maps"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results/figure"
)

// told are figures by their canonical names; what is missing cannot be told.
type told map[string]float64

func (f told) Look(of figure.Reference, in figure.Unit) (float64, bool) {
	value, some := f[of.String()+map[figure.Unit]string{figure.Nanoseconds: " ns", figure.Share: " of one", figure.PerSecond: " a second"}[in]]
	return value, some
}

func TestClaimsAreJudged(t *testing.T) {
	facts := told{
		"p99(get) ns": 20e6, "p50(get) ns": 10e6, "p99(put) ns": 90e6,
		"throttled": 30, "throttled of one": 0.01, "throttled a second": 6,
		"counted(a)": 120, "returned(a)": 100, "counted(b)": 10_800, "returned(empty)": 0,
		"share_lost of one": 0.001, "tries(save)": 1.05,
		"offered(hottest) a second": 1999.5, `offered("x", peak) a second`: 12,
		"max(slow) ns": figure.OverHour, "max(slower) ns": figure.OverHour,
		"lost_writes": 0, "saturation a second": 2000, "relieved_after ns": 1200e9, "lag_p99 ns": 250_000,
	}
	for _, row := range []struct {
		name, text  string
		told, pass  bool
		left, right float64
	}{
		{"just at a limit that must not be met", "p99(get) < 20ms", true, false, 20e6, 20e6},
		{"just at a limit that may be", "p99(get) <= 20ms", true, true, 20e6, 20e6},
		{"at least", "p99(get) >= 20ms", true, true, 20e6, 20e6},
		{"above", "p99(get) > 20ms", true, false, 20e6, 20e6},
		{"times in every unit", "p99(get) <= 20000us", true, true, 20e6, 20e6},
		{"nanoseconds", "p99(get) <= 20000000ns", true, true, 20e6, 20e6},
		{"seconds", "p99(get) <= 0.02s", true, true, 20e6, 20e6},
		{"minutes", "relieved_after <= 20m", true, true, 1200e9, 1200e9},
		{"a third of an hour is not told in decimals", "relieved_after > 0.333h", true, true, 1200e9, 0.333 * 3600e9},
		{"over an hour is over a minute", "max(slow) <= 1m", true, false, figure.OverHour, 60e9},
		{"over an hour, whatever is asked of less", "max(slow) > 1h", true, true, figure.OverHour, 3600e9},
		{"over an hour may be over two, or not", "max(slow) <= 2h", false, false, 0, 0},
		{"two times over an hour", "max(slow) <= max(slower)", false, false, 0, 0},
		{"less than what is over an hour", "p99(get) < max(slow)", true, true, 20e6, figure.OverHour},
		{"a share of a count", "throttled < 1%", true, false, 0.01, 0.01},
		{"the same count", "throttled == 30", true, true, 30, 30},
		{"another count", "throttled != 30", true, false, 30, 30},
		{"the same per second", "throttled <= 5/s", true, false, 6, 5},
		{"a tenth of a per cent", "share_lost < 0.1%", true, false, 0.001, 0.001},
		{"the same as a plain number", "share_lost <= 0.001", true, true, 0.001, 0.001},
		{"a ratio that is just so", "counted(a) / returned(a) <= 1.2", true, true, 1.2, 1.2},
		{"a difference", "counted(a) - returned(a) == 20", true, true, 20, 20},
		{"a difference below nothing", "p50(get) - p99(get) < 0ms", true, true, -10e6, 0},
		{"a multiple", "counted(b) >= 90 * counted(a)", true, true, 10_800, 10_800},
		{"a multiple that is not reached", "counted(b) > 90 * counted(a)", true, false, 10_800, 10_800},
		{"another figure", "p99(get) < p99(put)", true, true, 20e6, 90e6},
		{"a ratio against a figure", "counted(a) / returned(a) >= tries(save)", true, true, 1.2, 1.05},
		{"requests to an operation", "tries(save) <= 1.05", true, true, 1.05, 1.05},
		{"the hottest partition", "offered(hottest) < 2000", true, true, 1999.5, 2000},
		{"a partition by its key", `offered("x", peak) < 12`, true, false, 12, 12},
		{"nothing lost", "lost_writes == 0", true, true, 0, 0},
		{"a ratio to nothing", "counted(a) / returned(empty) > 1", false, false, 0, 0},
		{"a figure that is not known", "p99(nobody) < 20ms", false, false, 0, 0},
		{"a second one that is not", "counted(a) / returned(nobody) < 2", false, false, 0, 0},
		{"a right one that is not", "p99(get) < 2 * p99(nobody)", false, false, 0, 0},
		{"what is not told does not differ either", "throttled(nobody) != 3", false, false, 0, 0},
	} {
		claim, err := figure.ParseClaim(row.text)
		if err != nil {
			t.Errorf("%s: Parse(%q) = %v; want no error", row.name, row.text, err)
			continue
		}
		got := claim.Judge(facts)
		assert.Equal(t, []any{row.told, row.pass, row.left, row.right}, []any{got.Told, got.Pass, got.Left, got.Right},
			row.name)
	}
}

// A limit in decimals is met exactly by the ratio of whole numbers that it is, as
// exact arithmetic has it.
func TestDecimalLimitsAgreeWithExactArithmetic(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 20_000 {
		whole := 1 + rng.Int64N(1_000_000)
		part := rng.Int64N(whole + 1)
		hundredths := rng.Int64N(10_000)
		switch rng.IntN(3) {
		case 0:
			// As many as the limit says, where that is a whole number.
			part = whole * hundredths / 10_000
		case 1:
			whole, part = 10_000, hundredths
		}
		limit := strconv.FormatFloat(float64(hundredths)/100, 'f', 2, 64)
		claim, err := figure.ParseClaim("throttled <= " + limit + "%")
		if err != nil {
			t.Fatalf("Parse(… %s%%) = %v; want no error", limit, err)
		}
		_, below, _ := claim.Bound()
		require.Equal(t, float64(hundredths)/10_000, below)
		got := claim.Judge(told{"throttled of one": float64(part) / float64(whole)}).Pass
		want := big.NewRat(part, whole).Cmp(big.NewRat(hundredths, 10_000)) <= 0
		if got != want {
			t.Fatalf("%d of %d <= %s%% = %t; want %t", part, whole, limit, got, want)
		}
	}
}

// A claim that holds is broken by a greater figure only where that is said to be capped; and
// each that is said to be is broken by some.
func TestCappedFigures(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, comparison := range []string{"<", "<=", "==", ">=", ">"} {
		for _, form := range []string{"throttled ? 3", "throttled - ok ? 3", "throttled / ok ? 3",
			"throttled ? 2 * failed", "throttled - ok ? 2 * failed", "throttled / ok ? 2 * tries"} {
			if comparison == "==" && strings.Contains(form, "/") {
				continue // A ratio is no whole count.
			}
			text := strings.ReplaceAll(form, "?", comparison)
			claim, err := figure.ParseClaim(text)
			require.NoError(t, err)
			capped, broken := make(map[string]bool), make(map[string]bool)
			for _, of := range claim.Capped() {
				capped[of.Name] = true
			}
			for range 300 {
				drawn := func() float64 { return float64(1 + rng.IntN(6)) }
				facts := told{"throttled": drawn(), "ok": drawn(), "failed": drawn(), "tries": drawn()}
				for name := range facts {
					more := maps.Clone(facts)
					more[name] += drawn()
					if claim.Judge(facts).Pass && !claim.Judge(more).Pass {
						broken[name] = true
					}
				}
			}
			assert.Truef(t, maps.Equal(capped, broken), "%s: capped are %v; want those that break it, %v", text, capped, broken)
		}
	}
}

func TestMetrics(t *testing.T) {
	for _, row := range []struct {
		name, text, want string
		unit             figure.Unit
		higher           bool
		floor, value     float64
		told             string
	}{
		{"a time is better when it is shorter", "p99(get)", "p99(get)", figure.Nanoseconds, false, 1000, 5_250_000, "5.25 ms"},
		{"spaces wherever they may be", " p99 ( get , peak ) ", "p99(get, peak)", figure.Nanoseconds, false, 1000, 5_250_000, "5.25 ms"},
		{"a time that takes no name", "lag_p99", "lag_p99", figure.Nanoseconds, false, 1000, 5_250_000, "5.25 ms"},
		{"a rate is better when it is higher", "served", "served", figure.PerSecond, true, .01, 1999.6, "2000/s"},
		{"where it saturates", "saturation", "saturation", figure.PerSecond, true, .01, 1999.6, "2000/s"},
		{"a share lost", "share_lost(peak)", "share_lost(peak)", figure.Share, false, .001, .0125, "1.25%"},
		{"a count is compared as its share", "throttled", "throttled", figure.Share, false, .001, .0125, "1.25%"},
		{"what succeeded is better when it is more", "succeeded(get)", "succeeded(get)", figure.Share, true, .001, .0125, "1.25%"},
		{"requests to an operation", "tries", "tries", figure.Ratio, false, .01, 1.0456, "1.05"},
	} {
		m, err := figure.ParseClaimMetric(row.text)
		assert.Truef(t, err == nil && m.String() == row.want && m.Unit == row.unit && m.Higher == row.higher && m.Floor == row.floor && m.Told(row.value) == row.told,
			"%s: ParseMetric(%q) = %+v, %v; want %+v", row.name, row.text, m, err, row)
	}
	// Every metric can be parsed by its name, and its form parses to itself.
	for _, name := range figure.ClaimMetrics() {
		m, err := figure.ParseClaimMetric(name)
		assert.Truef(t, err == nil && m.String() == name && m.Floor > 0, "ParseMetric(%q) = %+v, %v", name, m, err)
	}
}

func TestFaultsOfMetrics(t *testing.T) {
	for _, row := range []struct {
		name, text string
		offset     int
		want       string
	}{
		{"nothing", "", 0, "the end is no figure"},
		{"a claim", "p99(get) < 20ms", 9, "'<' follows the figure; expected its end"},
		{"an unknown figure", " p98", 1, `unknown figure "p98"`},
		{"what the load offers", "offered", 0, "offered cannot be compared"},
		{"what only a simulation tells", "splits", 0, "splits cannot be compared"},
		{"what must be nothing", "lost_writes", 0, "lost_writes cannot be compared"},
		{"what a workflow counts", "counter(look, both)", 0, "counter cannot be compared"},
		{"a single partition", "served(hottest)", 0, "served of a partition or account"},
		{"parentheses never closed", "p99(get", 7, "the end follows within the parentheses"},
		{"far too long", strings.Repeat("p", 5000), 0, "text exceeds 4096 bytes"},
	} {
		_, err := figure.ParseClaimMetric(row.text)
		var fault *figure.ClaimFault
		assert.Truef(t, errors.As(err, &fault) && errors.Is(err, figure.ErrClaimSyntax) && fault.Offset == row.offset && strings.Contains(fault.What, row.want),
			"%s: ParseMetric(%q) = %v; want byte %d: %s", row.name, row.text, err, row.offset, row.want)
	}
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

func TestClaimsHaveOneCanonicalForm(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"a time of an operation", "p99(get) < 20ms", "p99(get) < 20ms"},
		{"no spaces at all", "p99(get)<20ms", "p99(get) < 20ms"},
		{"spaces wherever they may be", "\t p99 ( get , peak )\n <=  20 ms ", "p99(get, peak) <= 20ms"},
		{"a share of a count", "throttled < 1%", "throttled < 1%"},
		{"a count", "throttled(peak) == 0", "throttled(peak) == 0"},
		{"a number per second", "throttled(peak) <= 5 /s", "throttled(peak) <= 5/s"},
		{"zeros that say nothing", "throttled < 001.50%", "throttled < 1.5%"},
		{"the hottest partition", "offered(hottest) < 2000", "offered(hottest) < 2000"},
		{"the hottest partition of a phase", "served(hottest, peak) < 2000/s", "served(hottest, peak) < 2000/s"},
		{"the hottest partition of any phase", "served(hottest, *) < 2000", "served(hottest) < 2000"},
		{"a PartitionKey", `offered("2011 NYC__Full") < 2000`, `offered("2011 NYC__Full") < 2000`},
		{"a PartitionKey with a quote, a comma and a parenthesis", `offered("a""b,c)") < 2`, `offered("a""b,c)") < 2`},
		{"the empty PartitionKey, in a phase", `served("", peak) > 0.5`, `served("", peak) > 0.5`},
		{"the account", "offered(account) <= 20000", "offered(account) <= 20000"},
		{"a step of a phase", "share_lost(peak  2000/s) < 0.1%", "share_lost(peak 2000/s) < 0.1%"},
		{"a share as a plain number", "share_lost(peak) < 0.001", "share_lost(peak) < 0.001"},
		{"a ratio", "counted(start-list) / returned(start-list) <= 1.2", "counted(start-list) / returned(start-list) <= 1.2"},
		{"a ratio with a percentage", "returned(a)/counted(a) < 2%", "returned(a) / counted(a) < 2%"},
		{"a difference", "p99(get) - p50(get) < 5ms", "p99(get) - p50(get) < 5ms"},
		{"a difference of counts", "counted - returned == 0", "counted - returned == 0"},
		{"requests to an operation", "tries(save) <= 1.05", "tries(save) <= 1.05"},
		{"against another figure", "p99(get) <= p50(put)", "p99(get) <= p50(put)"},
		{"against a multiple of another", "counted(b) >= 90 * counted(a)", "counted(b) >= 90 * counted(a)"},
		{"a multiple of two decimals", "p99 <= 2.25*p50(get)", "p99 <= 2.25 * p50(get)"},
		{"a step that names no operation", "p50(*) < 1s", "p50 < 1s"},
		{"any operation of any phase", "p50(*, *) < 1s", "p50 < 1s"},
		{"an operation in whatever phase", "p50(get, *) < 1s", "p50(get, *) < 1s"},
		{"a phase by whatever operation", "p50(*, get) < 1s", "p50(*, get) < 1s"},
		{"a high quantile of the service time", "service_p99.9(get) != 3", ""},
		{"times in hours, minutes and microseconds", "max < 1.5h", "max < 1.5h"},
		{"minutes", "relieved_after < 20m", "relieved_after < 20m"},
		{"microseconds as people write them", "lag_p99 < 250µs", "lag_p99 < 250us"},
		{"microseconds with the other letter", "lag_p99 < 250μs", "lag_p99 < 250us"},
		{"the whole run", "saturation >= 1900", "saturation >= 1900"},
		{"the whole run, said so", "saturation(*) >= 1900", "saturation >= 1900"},
		{"load balancing", "moves(measure) >= 1", "moves(measure) >= 1"},
		{"the greatest number", "counted < 999999999999999", "counted < 999999999999999"},
	} {
		claim, err := figure.ParseClaim(row.text)
		if (err == nil) != (row.want != "") {
			t.Errorf("%s: Parse(%q) = %v; want %q", row.name, row.text, err, row.want)
			continue
		}
		assert.Truef(t, err != nil || claim.String() == row.want,
			"%s: Parse(%q).String() = %q; want %q", row.name, row.text, claim, row.want)
	}
}

func TestFaultsSayWhereAndWhatWasExpected(t *testing.T) {
	for _, row := range []struct {
		name, text string
		offset     int
		want       string
	}{
		{"nothing", "", 0, "the end is no figure"},
		{"spaces", "   ", 3, "the end is no figure"},
		{"no figure", "< 20ms", 0, "'<' is no figure"},
		{"a number for a figure", "20ms > p99", 0, "'2' is no figure"},
		{"an unknown figure", "throttled < 1% ", -1, ""},
		{"a misspelt figure", "  p98(get) < 20ms", 2, `unknown figure "p98"`},
		{"a figure in capitals", "P99(get) < 20ms", 0, `unknown figure "P99"`},
		{"an unknown second figure", "counted / returnd < 2", 10, `unknown figure "returnd"`},
		{"an unknown figure on the right", "p99 < 2 * p5", 10, `unknown figure "p5"`},
		{"no comparison", "p99(get)", 8, "the end is no comparison"},
		{"one equals sign", "counted = 3", 8, "'=' is no comparison"},
		{"no limit", "p99(get) <", 10, "the end is no limit"},
		{"a negative limit", "p99(get) < -1ms", 11, "'-' is no limit"},
		{"something after the end", "p99(get) < 20ms !", 16, "'!' follows the claim"},
		{"two limits", "p99(get) < 20ms < 30ms", 16, "'<' follows the claim"},
		{"an open parenthesis", "p99(get < 20ms", 14, "the end follows within the parentheses of p99"},
		{"nothing in the parentheses", "p99() < 20ms", 4, "missing name"},
		{"a comma and nothing", "p99(get,) < 20ms", 8, "missing name"},
		{"three names", "p99(get, peak, all) < 20ms", 15, "p99 has three names"},
		{"a name for the whole run", "lost_writes(peak) > 3", 12, "lost_writes covers the whole run"},
		{"an operation for what is of a phase", "splits(get, peak) > 3", 12, "splits covers phases only"},
		{"a PartitionKey for a time", `p99("a") < 20ms`, 4, "unexpected PartitionKey in quotes"},
		{"a PartitionKey for a phase", `offered(get, "a") < 20`, 13, "unexpected PartitionKey in quotes"},
		{"an open quote", `offered("a) < 2`, 8, "without closing quote"},
		{"an open quote after a doubled one", `offered("a"") < 2`, 8, "without closing quote"},
		{"a line's end in a PartitionKey", "offered(\"a\nb\") < 2", 8, "control character"},
		{"a PartitionKey too long", `offered("` + strings.Repeat("k", 1025) + `") < 2`, 8, "exceeds 1024 bytes"},
		{"something between names", "p99(get peak\") < 2ms", 12, `'"' follows within the parentheses`},
		{"a number with two points", "p99 < 1.2.3ms", 6, `"1.2.3" is no number`},
		{"a number that ends in a point", "p99 < 1.ms", 6, `"1." is no number`},
		{"a number of too many digits", "counted < 1234567890123456", 10, "at most 15 digits"},
		{"an unknown unit", "p99 < 20sec", 8, `unknown unit "sec"`},
		{"a rate of a time", "p99 < 20/s", 6, "20/s is no limit for p99; expected a time (20ms)"},
		{"a time without a unit", "p99 < 20", 6, "20 is no limit for p99; expected a time (20ms)"},
		{"a share of what is no part", "counted < 1%", 10, "expected a number (2) or a rate (500/s)"},
		{"a time of a count", "throttled < 1s", 12, "expected a number (2) or a rate (500/s) or a share (1%)"},
		{"a number per second of what is not counted by operations", "splits < 1/s", 9, "1/s is no limit for splits; expected a number (2)"},
		{"a share of a difference", "counted - returned < 1%", 21, "expected a number"},
		{"a time of a ratio", "p99 / p50 < 2ms", 12, "2ms is no limit for p99; expected a number (2) or a share"},
		{"a ratio of two units", "p99 / counted < 2", 6, "p99 is a time, counted is a count"},
		{"a comparison of two units", "p99 < 2 * counted", 10, "counted is a count, its limit a time"},
		{"a ratio against a count", "counted / returned < operations", 21, "operations is a count, its limit a plain number"},
		{"a multiple with a unit", "p99 < 2ms * p50", 10, "2ms is multiplied"},
		{"a multiple of nothing", "p99 < 0 * p50", 8, "0 is multiplied"},
		{"a multiple without a figure", "p99 < 2 * ", 10, "the end is no figure"},
		{"an exact time", "p99 == 20ms", 4, "== is for whole counts"},
		{"an exact share", "throttled != 1%", 10, "!= is for whole counts"},
		{"an exact ratio", "counted / returned == 1", 19, "== is for whole counts"},
		{"half a count", "counted == 1.5", 8, "== is for whole counts"},
		{"half of another count", "counted == 0.5 * returned", 8, "== is for whole counts"},
		{"no UTF-8", "p99 < 2\xff", 0, "no UTF-8"},
		{"too long", "p99 < 2ms" + strings.Repeat(" ", figure.MaxClaimLength), 0, "exceeds"},
	} {
		claim, err := figure.ParseClaim(row.text)
		if row.offset < 0 {
			assert.NoErrorf(t, err, "%s: Parse(%q)", row.name, row.text)
			continue
		}
		var fault *figure.ClaimFault
		if !errors.As(err, &fault) || !errors.Is(err, figure.ErrClaimSyntax) || claim != nil {
			t.Errorf("%s: Parse(%q) = %v, %v; want a Fault alone, which wraps ErrSyntax", row.name, row.text, claim, err)
			continue
		}
		assert.Truef(t, fault.Offset == row.offset && strings.Contains(fault.What, row.want),
			"%s: Parse(%q) = byte %d: %s; want byte %d: … %s …", row.name, row.text, fault.Offset, fault.What, row.offset, row.want)
		if unknown := strings.HasPrefix(fault.What, "unknown figure"); unknown != (fault.Name != "") || unknown && !strings.Contains(fault.Error(), "p99.9, max") {
			t.Errorf("%s: Parse(%q) = %q of the name %q; want the name of an unknown figure, and the known ones", row.name, row.text, fault.Error(), fault.Name)
		}
		assert.Truef(t, !strings.Contains(fault.Error(), "\n") && len(fault.What) <= 300,
			"%s: Parse(%q) = %q; want one line", row.name, row.text, fault.Error())
	}
}

func TestFiguresSayWhereTheirNamesStand(t *testing.T) {
	text := "p99(get, peak 20/s) <= 2.5 * service_p50( put )"
	claim, err := figure.ParseClaim(text)
	require.NoErrorf(t, err, "Parse(%q)", text)
	figures := claim.Figures()
	require.Lenf(t, figures, 2, "Figures() of %q = %+v; want two", text, figures)
	for _, row := range []struct {
		what, got, want string
		offset          int
	}{
		{"name", figures[0].Name, "p99", figures[0].Offset},
		{"operation", figures[0].Operation, "get", figures[0].OperationOffset},
		{"phase", figures[0].Phase, "peak 20/s", figures[0].PhaseOffset},
		{"second name", figures[1].Name, "service_p50", figures[1].Offset},
		{"lone name", figures[1].Of, "put", figures[1].OfOffset},
	} {
		assert.Truef(t, row.got == row.want && strings.HasPrefix(text[row.offset:], row.want),
			"%s = %q at %d; want %q where that stands in %q", row.what, row.got, row.offset, row.want, text)
	}
}

// FuzzParse: no text makes the parser panic, and what it accepts is written so that
// it means the same.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"p99(get) < 20ms", "throttled<1%", `offered("a""b") < 2000/s`, "counted(a) / returned(a) <= 1.2", "p99 - p50 < 5us",
		"counted(b) >= 90 * counted(a)", "share_lost(peak 2000/s #2, x) < 0.1%", "offered(hottest, *) != 1", "p99.9(*, x) > .5s", "a(b", `p("`, "p99 < 1 µs",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		claim, err := figure.ParseClaim(text)
		if err != nil {
			var fault *figure.ClaimFault
			if !errors.As(err, &fault) || fault.Offset < 0 || fault.Offset > len(text) || fault.What == "" {
				t.Fatalf("Parse(%q) = %#v; want a fault within the text", text, err)
			}
			return
		}
		once := claim.String()
		if len(once) > figure.MaxClaimLength {
			return
		}
		again, err := figure.ParseClaim(once)
		require.Truef(t, err == nil && again.String() == once,
			"Parse(%q) = %q, and that = %v, %v; want the same again", text, once, again, err)
		one, two := claim.Judge(fixed(3)), again.Judge(fixed(3))
		require.Truef(t, one == two, "Parse(%q) judges %+v, and %q %+v; want the same", text, one, once, two)
	})
}

// fixed tells every figure as one number.
type fixed float64

func (f fixed) Look(figure.Reference, figure.Unit) (float64, bool) { return float64(f), true }
