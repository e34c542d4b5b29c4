package figure_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results/figure"
)

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
