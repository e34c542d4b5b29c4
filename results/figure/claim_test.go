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
	"loadgen/results/resultstest"
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
	for _, row := range resultstest.Rows(t, "testdata/judged.txt", 6) {
		claim, err := figure.ParseClaim(row[1])
		require.NoErrorf(t, err, "%s: Parse(%q)", row[0], row[1])
		got := claim.Judge(facts)
		values := []string{strconv.FormatBool(got.Known), strconv.FormatBool(got.Pass), strconv.FormatFloat(got.Left, 'g', -1, 64), strconv.FormatFloat(got.Right, 'g', -1, 64)}
		assert.Equal(t, row[2:], values, row[0])
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
		assert.Truef(t, err == nil && m.String() == row.want && m.Unit == row.unit && m.Higher == row.higher && m.Floor == row.floor && m.Format(row.value) == row.told,
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
	for _, row := range resultstest.Rows(t, "testdata/claims.txt", 3) {
		name, text, want := row[0], row[1], row[2]
		claim, err := figure.ParseClaim(text)
		if want == "" {
			assert.Errorf(t, err, "%s: Parse(%q)", name, text)
			continue
		}
		require.NoErrorf(t, err, "%s: Parse(%q)", name, text)
		assert.Equalf(t, want, claim.String(), "%s: Parse(%q)", name, text)
	}
}

func TestFaultsSayWhereAndWhatWasExpected(t *testing.T) {
	for _, row := range append(resultstest.Rows(t, "testdata/faults.txt", 4),
		[]string{"a PartitionKey too long", `offered("` + strings.Repeat("k", 1025) + `") < 2`, "8", "exceeds 1024 bytes"},
		[]string{"too long", "p99 < 2ms" + strings.Repeat(" ", figure.MaxClaimLength), "0", "exceeds"}) {
		name, text, want := row[0], row[1], row[3]
		claim, err := figure.ParseClaim(text)
		if row[2] == "-1" {
			assert.NoErrorf(t, err, "%s: Parse(%q)", name, text)
			continue
		}
		var fault *figure.ClaimFault
		if !errors.As(err, &fault) || !errors.Is(err, figure.ErrClaimSyntax) || claim != nil {
			t.Errorf("%s: Parse(%q) = %v, %v; want a Fault alone, which wraps ErrSyntax", name, text, claim, err)
			continue
		}
		assert.Truef(t, strconv.Itoa(fault.Offset) == row[2] && strings.Contains(fault.What, want),
			"%s: Parse(%q) = byte %d: %s; want byte %s: … %s …", name, text, fault.Offset, fault.What, row[2], want)
		if unknown := strings.HasPrefix(fault.What, "unknown figure"); unknown != (fault.Name != "") || unknown && !strings.Contains(fault.Error(), "p99.9, max") {
			t.Errorf("%s: Parse(%q) = %q of the name %q; want the name of an unknown figure, and the known ones", name, text, fault.Error(), fault.Name)
		}
		assert.Truef(t, !strings.Contains(fault.Error(), "\n") && len(fault.What) <= 300,
			"%s: Parse(%q) = %q; want one line", name, text, fault.Error())
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
