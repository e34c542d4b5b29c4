package text_test

import (
	"testing"

	"loadgen/report/text"
)

func TestMarkdownShowsWhatItIsGiven(t *testing.T) {
	for _, row := range []struct{ name, text, line, within string }{
		{"words", "served 20 of 30", "served 20 of 30", "served 20 of 30"},
		{"a list, where a line begins", "- one", `\- one`, "- one"},
		{"a change, where a line begins", "+8.4 %", `\+8.4 %`, "+8.4 %"},
		{"a number of a list", "12. of May", `12\. of May`, "12. of May"},
		{"a rate", "12.5/s", "12.5/s", "12.5/s"},
		{"markup", "*a* _b_ `c` ~d~ #e $f$", "\\*a\\* \\_b\\_ \\`c\\` \\~d\\~ \\#e \\$f\\$", "\\*a\\* \\_b\\_ \\`c\\` \\~d\\~ \\#e \\$f\\$"},
		{"a cell's end", "a|b", `a\|b`, `a\|b`},
		{"HTML", "<b>&amp;", "&lt;b&gt;&amp;amp;", "&lt;b&gt;&amp;amp;"},
		{"a picture and an address", "![x](http://y)", `!\[x\](http:\//y)`, `!\[x\](http:\//y)`},
		{"somebody's name", "@all", `\@all`, `\@all`},
		{"several lines", "a\n\n# b\tc", `a \# b c`, `a \# b c`},
		{"what moves a cursor", "a\x1b[2Jb", `a\\x1b\[2Jb`, `a\\x1b\[2Jb`},
	} {
		if got := text.Markdown(row.text); got != row.line {
			t.Errorf("%s: Markdown(%q) = %q; want %q", row.name, row.text, got, row.line)
		}
		if got := text.Marked(row.text); got != row.within {
			t.Errorf("%s: Marked(%q) = %q; want %q", row.name, row.text, got, row.within)
		}
	}
}

func TestInertIsNoFormula(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"orders", "orders"}, {"=1+1", "'=1+1"}, {"+1", "'+1"}, {"-x", "'-x"}, {"@SUM(1)", "'@SUM(1)"},
		{"  =1", "'  =1"}, {"-1.5", "-1.5"}, {"-1e6", "-1e6"}, {"", ""}, {"a=1", "a=1"}, {"\t=1", `\t=1`}, {"a\nb", `a\nb`},
	} {
		if got := text.Inert(row.text); got != row.want {
			t.Errorf("Inert(%q) = %q; want %q", row.text, got, row.want)
		}
	}
}
