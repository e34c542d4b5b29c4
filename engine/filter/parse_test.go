package filter_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
)

// parsed returns the expression of a text that must be a filter.
func parsed(t testing.TB, text string) *filter.Expression {
	t.Helper()
	e, code, detail := filter.Parse(text)
	require.Truef(t, code == entity.OK && e != nil && detail == "", "Parse(%.200q) = %v, %s, %q", text, e, code, detail)
	return e
}

func TestParseReads(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"no text is no filter", "", ""},
		{"blanks are no filter", " \t\r\n", ""},
		{"and binds closer than or", "a eq 1 or b eq 2 and c eq 3", "a eq 1 or b eq 2 and c eq 3"},
		{"parentheses bind closest", "(a eq 1 or b eq 2) and c eq 3", "(a eq 1 or b eq 2) and c eq 3"},
		{"not reaches over one comparison", "not a eq 1 and b eq 2", "not (a eq 1) and b eq 2"},
		{"not of parentheses reaches over all that they hold", "not (a eq 1 and b eq 2)", "not (a eq 1 and b eq 2)"},
		{"two negations are two", "not not a eq 1", "not not (a eq 1)"},
		{"idle parentheses change nothing", "((a eq 1))", "a eq 1"},
		{"parentheses in a chain stay", "(a eq 1 and b eq 2) and (c eq 3 or d eq 4)", "(a eq 1 and b eq 2) and (c eq 3 or d eq 4)"},
		{"parentheses need no blank beside them", "(a eq 1)and(b eq 2)or not(c eq 3)", "a eq 1 and b eq 2 or not (c eq 3)"},
		{"a quote needs no blank beside it", "a eq'x'and b eq 2", "a eq 'x' and b eq 2"},
		{"any run of blanks parts words", "a\teq\r\n  1", "a eq 1"},
		{"operators may have any case", "a EQ 1 AND b Ne 2 oR NOT (c LE 3)", "a eq 1 and b ne 2 or not (c le 3)"},
		{"a constant may stand on the left", "5 lt Age and 5 ge Age and 5 eq Age and 5 ne Age", "Age gt 5 and Age le 5 and Age eq 5 and Age ne 5"},
		{"so it may with the other operators", "5 gt Age and 5 le Age", "Age lt 5 and Age ge 5"},
		{"a property alone is compared with true", "IsActive and not Flag", "IsActive eq true and not (Flag eq true)"},
		{"a truth value alone is an expression", "TRUE or not false", "true or not (false)"},
		{"a name may hold any letter, digits and underscores", "_ä1_ eq 1", "_ä1_ eq 1"},
		{"an operator's name in another case may name a property", "And eq 1 and Le eq 2", "And eq 1 and Le eq 2"},
		{"a constant's prefix may name a property", "x eq 1 and guid eq 2", "x eq 1 and guid eq 2"},
		{"a letter that only folds to another spells no word", "fal\u017Fe eq 1", "fal\u017Fe eq 1"},

		{"a doubled quote is one", "a eq 'it''s'''", "a eq 'it''s'''"},
		{"a string may be empty", "a eq ''", "a eq ''"},
		{"a string may hold anything", "a eq ' and (\x00\n\U0001F3C3'", "a eq ' and (\x00\n\U0001F3C3'"},
		{"whole numbers", "a eq 0 or a eq -7 or a eq 007 or a eq -2147483648", "a eq 0 or a eq -7 or a eq 7 or a eq -2147483648"},
		{"the greatest Int32", "a eq 2147483647", "a eq 2147483647"},
		{"long numbers", "a eq 123L or a eq -5l or a eq -9223372036854775808L", "a eq 123L or a eq -5L or a eq -9223372036854775808L"},
		{"a whole number too large for an Int32 is an Int64", "a eq 2147483648", "a eq 2147483648L"},
		{"Doubles", "a eq 1.5 or a eq 1e3 or a eq 5.0 or a eq -2.5E-7 or a eq 1E+20", "a eq 1.5 or a eq 1000.0 or a eq 5.0 or a eq -2.5e-07 or a eq 1e+20"},
		{"an instant", "a eq DateTime'2012-11-10T03:04:05.200Z'", "a eq datetime'2012-11-10T03:04:05.2Z'"},
		{"an instant without a zone is UTC", "a eq datetime'2012-11-10T03:04:05'", "a eq datetime'2012-11-10T03:04:05Z'"},
		{"an instant ahead of UTC was earlier there", "a eq datetime'2012-11-10T01:04:05.5+02:30'", "a eq datetime'2012-11-09T22:34:05.5Z'"},
		{"an instant behind UTC is later there", "a eq datetime'2012-11-10T23:04:05-01:00'", "a eq datetime'2012-11-11T00:04:05Z'"},
		{"a GUID in any case", "a eq GUID'4185404A-5818-48c3-b9be-f217df0dba6f'", "a eq guid'4185404a-5818-48c3-b9be-f217df0dba6f'"},
		{"bytes", "a eq X'0aFF' or a eq x'' or a eq binary'00'", "a eq X'0aff' or a eq X'' or a eq X'00'"},
	} {
		assert.Equalf(t, row.want, parsed(t, row.text).String(), "%s: Parse(%q).String()", row.name, row.text)
		assert.Equalf(t, row.want, parsed(t, row.want).String(), "%s: Parse(%q).String()", row.name, row.want)
	}
}

func TestParseRefuses(t *testing.T) {
	const bad, not = entity.InvalidInput, entity.NotImplemented
	for _, row := range []struct {
		name, text string
		code       entity.Code
		detail     string
	}{
		{"a comparison lacks its right side", "a eq", bad, `at character 5`},
		{"a comparison lacks its left side", "eq 1", bad, `at character 1`},
		{"an operator lacks its right side", "a eq 1 and", bad, `at character 11`},
		{"an operator stands twice", "a eq 1 and and b eq 2", bad, `at character 12`},
		{"not stands beside an operator", "a eq not b", bad, `at character 6`},
		{"a property cannot be called not", "Not eq 5", bad, `at character 5`},
		{"operations are not joined", "a eq 1 b eq 2", bad, `at character 8`},
		{"a property is followed by a constant", "a 1", bad, `at character 3`},
		{"a constant stands alone", "'a' and b eq 1", bad, `at character 5`},
		{"a truth value is followed by a name", "true a", bad, `at character 6`},
		{"a name begins with a letter", "\u0663a eq 1", bad, `the character '٣'`},
		{"comparisons do not chain", "1 lt a lt 5", bad, `at character 8`},
		{"a parenthesis is not closed", "(a eq 1", bad, `at character 8`},
		{"a parenthesis was not opened", "a eq 1)", bad, `at character 7`},
		{"parentheses hold nothing", "()", bad, `at character 2`},
		{"parentheses are no operand", "(a) eq 1", bad, `at character 5`},
		{"two constants have nothing to keep", "1 eq 1", bad, `at character 1`},
		{"truth values have no order", "a lt true", bad, `at character 3`},
		{"places count characters, not bytes", "ä eq 'ö' ?", bad, `at character 10`},
		{"a string is not closed", "a eq 'it''s", bad, `at character 6`},
		{"double quotes are no quotes", `a eq "x"`, bad, `the character '"'`},
		{"an instant is no day alone", "a eq datetime'2012-11-10'", bad, `at character 6`},
		{"an instant is of this calendar", "a eq datetime'2013-02-29T00:00:00Z'", bad, `expected an instant`},
		{"an instant has one zone", "a eq datetime'2012-11-10T03:04:05Z+00:00'", bad, `expected an instant`},
		{"an offset is less than a day", "a eq datetime'2012-11-10T03:04:05+24:00'", bad, `expected an instant`},
		{"an offset's minutes are less than an hour", "a eq datetime'2012-11-10T03:04:05+01:60'", bad, `expected an instant`},
		{"an offset has digits", "a eq datetime'2012-11-10T03:04:05+0a:00'", bad, `expected an instant`},
		{"an offset leads out of the calendar", "a eq datetime'0001-01-01T00:00:00+01:00'", bad, `expected an instant`},
		{"a GUID lacks its dashes", "a eq guid'4185404a581848c3b9bef217df0dba6f'", bad, `groups of 8, 4, 4, 4 and 12`},
		{"a GUID has a dash too many", "a eq guid'4185404a-5818-48c3-b9be-f217df0d-a6f'", bad, `groups of 8, 4, 4, 4 and 12`},
		{"a GUID has another mark for a dash", "a eq guid'4185404a-5818-48c3_b9be-f217df0dba6f'", bad, `groups of 8, 4, 4, 4 and 12`},
		{"bytes are pairs of digits", "a eq X'0aF'", bad, `at character 6`},
		{"bytes are hexadecimal", "a eq binary'0g'", bad, `expected pairs of hexadecimal digits`},
		{"an unknown prefix is a name", "a eq 5 or time'x'", bad, `at character 15`},
		{"an Int64 has an end", "a eq 9223372036854775808L", bad, `at character 6`},
		{"a Double has an end", "a eq 1e999", bad, `a number beyond what its type holds`},
		{"a minus is no number", "a eq -b", bad, `at character 6`},
		{"a point has digits after it", "a eq 5.", bad, `"5."`},
		{"a point has digits before it", "a eq .5", bad, `the character '.'`},
		{"a number has one point", "a eq 1.2.3", bad, `"1.2.3"`},
		{"an exponent has digits", "a eq 1e+", bad, `"1e+"`},
		{"a Double takes no L", "a eq 1.5L", bad, `"1.5L"`},
		{"a number ends before a name begins", "a eq 1and b eq 2", bad, `at character 6`},
		{"text is UTF-8", "a eq 'x\xFF'", bad, `at character 8`},

		{"no property is compared with another", "a eq b", not, `at character 6`},
		{"there is no arithmetic", "a add 1 eq 5", not, `at character 3`},
		{"nor within parentheses", "(a eq 5 sub 1)", not, `unsupported sub`},
		{"there is no in", "a in ('x')", not, `unsupported in`},
		{"there are no functions", "startswith(a,'x')", not, `at character 1`},
		{"nor behind a constant", "5 eq length(a)", not, `"length"`},
	} {
		e, code, detail := filter.Parse(row.text)
		assert.Truef(t, e == nil && code == row.code && strings.Contains(detail+" ", row.detail),
			"%s: Parse(%q) = %v, %s, %q; want %s, %q", row.name, row.text, e, code, detail, row.code, row.detail)
		assert.Truef(t, oneLine(detail) && strings.Contains(detail, " at character "),
			"%s: Parse(%q) says %q; want one line that names the place", row.name, row.text, detail)
	}
}

func TestParseIsBounded(t *testing.T) {
	comparisons := func(n int) string { return strings.Repeat("a eq 1 or ", n-1) + "a eq 1" }
	parentheses := func(n int) string { return strings.Repeat("(", n) + "a" + strings.Repeat(")", n) }
	negations := func(n int) string { return strings.Repeat("not ", n) + "a eq 1" }
	length := func(n int) string { return "a eq '" + strings.Repeat("x", n-len("a eq ''")) + "'" }
	for _, row := range []struct {
		name   string
		text   func(int) string
		most   int
		detail string
	}{
		{"comparisons are counted", comparisons, filter.MaxComparisons, "more than 1000 comparisons at character 10001 of"},
		{"parentheses nest only so deep", parentheses, filter.MaxDepth, "more than 100 nested parentheses and negations at character 101 of"},
		{"so do negations", negations, filter.MaxDepth, "more than 100 nested parentheses and negations at character 401 of"},
		{"text is only so long", length, filter.MaxText, "more than 65536 bytes at character 65537 of"},
	} {
		text := row.text(row.most)
		assert.Equalf(t, parsed(t, text).String(), parsed(t, parsed(t, text).String()).String(),
			"%s: Parse(%.40q…).String() does not lead to itself", row.name, text)
		_, code, detail := filter.Parse(row.text(row.most + 1))
		assert.Equal(t, entity.InvalidInput, code, row.name)
		assert.Contains(t, detail+" ", row.detail, row.name)
	}
	long := "a eq 1 " + strings.Repeat("b", 1000)
	_, _, detail := filter.Parse(long)
	assert.Truef(t, len(detail) <= 200, "Parse(%.40q…) says %d bytes; want an excerpt", long, len(detail))
}

// A parenthesis that was closed no longer counts as depth.
func TestDepthIsNotWidth(t *testing.T) {
	parsed(t, strings.Repeat("(not (a eq 1)) and ", 2*filter.MaxDepth)+"a")
}

func oneLine(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"", "(PartitionKey eq 'a''b')and(RowKey ge 'x')", "not(Flag)or 5L lt Age and -1.5e3 ne D",
		"T le datetime'2013-08-02T17:37:43.9004348Z' or G eq guid'4185404a-5818-48c3-b9be-f217df0dba6f'",
		"B gt X'0aFF' and b eq binary''", "startswith(a,'b')", "((((true))))", "RowKey eq 'r\x00' and Name ne '\U0001F3C3'",
	} {
		f.Add(text)
	}
	rows := fixedRows()
	f.Fuzz(func(t *testing.T, text string) {
		e, code, detail := filter.Parse(text)
		if code != entity.OK {
			if e != nil || !oneLine(detail) || len(detail) > 400 {
				t.Fatalf("Parse(%q) = %v, %s, %q; want nil and one line", text, e, code, detail)
			}
			return
		}
		printed := e.String()
		again, code, detail := filter.Parse(printed)
		if code != entity.OK {
			t.Fatalf("Parse(%q) = %s, %s, printed from %q; want an expression", printed, code, detail, text)
		}
		if again.String() != printed || again.Range() != e.Range() || again.Exact() != e.Exact() {
			t.Fatalf("Parse(%q) = %s over %v; want %q over %v", printed, again, again.Range(), printed, e.Range())
		}
		for _, r := range rows {
			packed := r.packed()
			keeps := e.Keeps(r.key, packed)
			if again.Keeps(r.key, packed) != keeps {
				t.Fatalf("Parse(%q).Keeps(%v) = %v; want %v as of %q", printed, r, !keeps, keeps, text)
			}
			if in := e.Range().Contains(r.key); keeps && !in || in && e.Exact() && !keeps {
				t.Fatalf("Parse(%q).Keeps(%v) = %v, Contains %v, Exact %v", text, r, keeps, in, e.Exact())
			}
		}
	})
}
