package filter_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/results/resultstest"
)

// parsed returns the expression of a text that must be a filter.
func parsed(t testing.TB, text string) *filter.Expression {
	t.Helper()
	e, code, detail := filter.Parse(text)
	require.Truef(t, code == entity.OK && e != nil && detail == "", "Parse(%.200q) = %v, %s, %q", text, e, code, detail)
	return e
}

func TestParseReads(t *testing.T) {
	for _, row := range resultstest.Rows(t, "testdata/parsed.txt", 3) {
		name, text, want := row[0], row[1], row[2]
		assert.Equalf(t, want, parsed(t, text).String(), "%s: Parse(%q).String()", name, text)
		assert.Equalf(t, want, parsed(t, want).String(), "%s: Parse(%q).String()", name, want)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, row := range resultstest.Rows(t, "testdata/refused.txt", 4) {
		name, text := row[0], row[1]
		e, code, detail := filter.Parse(text)
		assert.Truef(t, e == nil && string(code) == row[2] && strings.Contains(detail+" ", row[3]),
			"%s: Parse(%q) = %v, %s, %q; want %s, %q", name, text, e, code, detail, row[2], row[3])
		assert.Truef(t, oneLine(detail) && strings.Contains(detail, " at character "),
			"%s: Parse(%q) = %q; want one line with the place", name, text, detail)
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
