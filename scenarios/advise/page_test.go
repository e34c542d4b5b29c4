package advise

import (
	"math"
	"strings"
	"testing"
)

func TestNumbers(t *testing.T) {
	for _, row := range []struct {
		sentence  string
		got, want string
	}{
		{"nothing", count(0), "0"},
		{"next to nothing", count(0.01), "<0.1"},
		{"a part", count(0.25), "0.2"},
		{"a small number", count(3.14), "3.1"},
		{"a whole one", count(7), "7"},
		{"thousands", count(1234567.4), "1,234,567"},
		{"below zero", count(-1234), "-1,234"},
		{"without end", count(math.Inf(1)), "–"},
		{"no number", count(math.NaN()), "–"},
		{"no share", percent(0), "0 %"},
		{"a tiny share", percent(0.0004), "<0.1 %"},
		{"a small share", percent(0.034), "3.4 %"},
		{"a half", percent(0.5), "50 %"},
		{"not quite all", percent(0.9999), "99.9 %"},
		{"all", percent(1), "100 %"},
		{"more than all", percent(12.5), "1,250 %"},
		{"bytes", size(999), "999 bytes"},
		{"kilobytes", size(43_210), "43 kB"},
		{"megabytes", size(5.5e6), "5.5 MB"},
		{"gigabytes", size(2e9), "2 GB"},
		{"an exact number", about(12, 0), "12"},
		{"an estimate", about(1200, 24.2), "1,200 ± 49"},
		{"a rate without bounds", Rate{100, 100, 100}.text(), "100"},
		{"a rate with bounds", Rate{100, 90, 110}.text(), "100 (90 to 110)"},
		{"a rate that was never met", Rate{0, 0, 3}.text(), "at most 3"},
		{"a long time", moment(90), "1m30s"},
		{"a moment", moment(0.0123456), "12ms"},
		{"an instant", moment(0.00123456), "1.23ms"},
		{"a time without end", moment(math.Inf(1)), seconds(math.Inf(1)).Round(1e9).String()},
		{"less than this load", ratio(2.39), "2.3"},
		{"many times it", ratio(1234.9), "1,234"},
		{"none", several(0, "error"), "no error"},
		{"one", several(1, "error"), "one error"},
		{"more", several(1200, "error"), "1,200 errors"},
	} {
		if row.got != row.want {
			t.Errorf("%s: %q; want %q", row.sentence, row.got, row.want)
		}
	}
}

func TestPageKeepsToItsWidth(t *testing.T) {
	p := new(page)
	p.heading("A heading")
	p.line(strings.Repeat("word ", 60) + strings.Repeat("x", 300))
	p.item("word", 8, "100 % of "+strings.Repeat("abc 3 ± 4 ", 40))
	p.table(1, true, [][]string{{"a", "b", "c"}, {"x\x1by\n", "1", "last"}})
	text := p.text.String()
	for line := range strings.SplitSeq(text, "\n") {
		if width(line) > pageWidth || strings.TrimRight(line, " ") != line || strings.HasSuffix(line, "±") || strings.HasPrefix(strings.TrimSpace(line), "%") {
			t.Errorf("the line %q is %d wide, ends in a space, or parts a number from its unit", line, width(line))
		}
	}
	if strings.ContainsAny(text, "\x1b") || !strings.Contains(text, `x\x1by\n`) {
		t.Errorf("a key that moves the cursor is not written as its escape:\n%s", text)
	}
}

func TestVerdictSentences(t *testing.T) {
	for _, row := range []struct {
		sentence string
		set      []string
		targets  Targets
		says     []string
	}{
		{"what holds", nil, documented, []string{"The design holds its peak by the targets: its hottest partition", "What bounds it is the account, at 66 times this load."}},
		{"what does not", []string{byHour, faster}, documented, []string{"does not hold its peak", "What bounds it is that partition, at 67 % of this load."}},
		{"inserts that all fall on one place", []string{"design.partition_key={id:012d}", faster}, documented,
			[]string{"will hardly hold its peak: at any moment its inserts fall on one place"}},
		{"targets of one's own", nil, Targets{Partition: 50, Account: 1000, Accounts: 1}, []string{"of 50", "The documents' own targets are 2,000 and 20,000."}},
		{"no limit", nil, Targets{Accounts: 1}, []string{"The model sets no limit"}},
		{"an account's alone", nil, Targets{Account: 1000, Accounts: 1}, []string{"holds its peak by the targets: the account 300 of 1,000. What bounds it is the account, at 3.3"}},
		{"near to a target", []string{byHour, "phases.day.arrivals={poisson: 300}"}, Targets{Partition: 290, Account: 20_000, Accounts: 1}, []string{"peak"}},
	} {
		s := parsed(t, strings.Replace(judged, "OPERATIONS", saves, 1), row.set...)
		e, err := Explain(Options{Scenario: s, Targets: row.targets})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range row.says {
			if !strings.Contains(e.Verdict, want) {
				t.Errorf("%s: the verdict is %q; want %q in it", row.sentence, e.Verdict, want)
			}
		}
	}
}
