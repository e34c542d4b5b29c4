package text_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

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
		assert.Equalf(t, row.line, text.Markdown(row.text), "%s: Markdown(%q)", row.name, row.text)
		assert.Equalf(t, row.within, text.Marked(row.text), "%s: Marked(%q)", row.name, row.text)
	}
}

func TestInertIsNoFormula(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"orders", "orders"}, {"=1+1", "'=1+1"}, {"+1", "'+1"}, {"-x", "'-x"}, {"@SUM(1)", "'@SUM(1)"},
		{"  =1", "'  =1"}, {"-1.5", "-1.5"}, {"-1e6", "-1e6"}, {"", ""}, {"a=1", "a=1"}, {"\t=1", `\t=1`}, {"a\nb", `a\nb`},
	} {
		assert.Equalf(t, row.want, text.Inert(row.text), "Inert(%q)", row.text)
	}
}
