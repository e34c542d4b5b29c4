package export_test

import (
	"errors"
	"strings"
	"testing"

	"loadgen/report/export"
)

func TestPlainTextsAndWords(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"an end of line is a space", "a\nb\tc\u2028d\u2029e", "a b c d e"},
		{"control characters are gone", "a\x00\x07b\r\u0085\x7f", "ab"},
		{"colours are gone with what they are made of", "\x1b[1;31mred\x1b[0m \x1b]0;title\x07x", "red x"},
		{"the direction stays", "a\u202eb", "ab"},
		{"what is no text", "a\xffb\ufffe\uffff", "a\ufffdb\ufffd\ufffd"},
		{"what is beyond ASCII is kept", "Ünïcode – 日本", "Ünïcode – 日本"},
		{"blanks at the ends", " \n a ", "a"},
	} {
		if got := export.Plain(row.text); got != row.want {
			t.Errorf("%s: Plain(%q) = %q; want %q", row.name, row.text, got, row.want)
		}
	}
	for text, want := range map[string]string{"p99(get, peak 20/s)": "p99(get,peak_20_s)", "": "-", "\x1b[0m": "-", "a\u00a0b": "a_b"} {
		if got := export.Word(text); got != want {
			t.Errorf("Word(%q) = %q; want %q", text, got, want)
		}
	}
}

// What is set stands above the first line that it is of, and again when it changes.
func TestBenchmarks(t *testing.T) {
	var b export.BenchmarkText
	b.Set("build", "A")
	b.Better("p99-ns", false)
	b.Better("served", true)
	b.Better("served", false)
	b.Add("scenario=x", export.Measured{Value: 1.5e9, Unit: "p99-ns"}, export.Measured{Value: .1, Unit: "served"})
	b.Set("build", "A")
	b.Add("scenario=y")
	b.Set("build", "B\nbuild: C")
	b.Add("scenario=x", export.Measured{Value: 2, Unit: "served"})
	b.Set("build", "")
	var out strings.Builder
	if err := b.Write(&out); err != nil {
		t.Fatal(err)
	}
	want := "Unit p99-ns better=lower\nUnit served better=higher\nbuild: A\nBenchmarkLoad/scenario=x 1 1.5e+09 p99-ns 0.1 served\nbuild: B build: C\nBenchmarkLoad/scenario=x 1 2 served\nbuild:\n"
	if out.String() != want {
		t.Errorf("the benchmarks are\n%s\nwant\n%s", &out, want)
	}
	if err := b.Write(full{}); !errors.Is(err, errFull) {
		t.Errorf("to a full disk: %v; want %v", err, errFull)
	}
}

// Each status has its element and its count, and every text is on one line.
func TestJUnit(t *testing.T) {
	suite := export.Suite{Name: "s\x1b[1mx", Properties: []export.Property{{Name: "a\nb", Value: "<c>"}}, Cases: []export.Case{
		{Class: "c", Name: "passes", Kind: "k", Message: "m", Lines: "two\nlines"},
		{Class: "c", Name: "fails", Status: export.Failure, Kind: "k", Message: "m\n2", Lines: "l"},
		{Class: "c", Name: "errs", Status: export.Error, Kind: "k", Message: "m", Properties: []export.Property{{Name: "n", Value: "v"}}},
		{Class: "c", Name: "]]>", Status: export.Skipped, Kind: "k", Message: "m"},
	}}
	var out strings.Builder
	if err := export.JUnit(&out, &suite); err != nil {
		t.Fatal(err)
	}
	for _, says := range []string{
		`<testsuite name="sx" tests="4" failures="1" errors="1" skipped="1">`, `<property name="a b" value="&lt;c&gt;"></property>`,
		"<system-out>two&#xA;lines</system-out>", `<failure type="k" message="m 2">l</failure>`, `<error type="k" message="m"></error>`,
		`<skipped message="k: m"></skipped>`, `name="]]&gt;"`, `<property name="n" value="v"></property>`,
	} {
		if !strings.Contains(out.String(), says) {
			t.Errorf("the XML lacks %s:\n%s", says, &out)
		}
	}
	if n := strings.Count(out.String(), "<properties>"); n != 2 {
		t.Errorf("%d lists of properties; want none where there is none", n)
	}
	if err := export.JUnit(full{}, &suite); !errors.Is(err, errFull) {
		t.Errorf("to a full disk: %v; want %v", err, errFull)
	}
}
