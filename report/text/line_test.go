package text_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/document"
	"loadgen/report/text"
	"loadgen/results/resultstest"
)

func TestAligned(t *testing.T) {
	for _, row := range []struct {
		name string
		rows [][]string
		left int
		want string
	}{
		{"nothing", nil, 1, ""},
		{"the first flush left, the others flush right", [][]string{{"run", "n", "size"}, {"a run", "12", "4KiB"}}, 1, "run     n  size\na run  12  4KiB\n"},
		{"no space ends a line", [][]string{{"a", "b"}, {"a", ""}}, 2, "a  b\na\n"},
		{"characters and no bytes", [][]string{{"ä…", "1"}, {"abc", "1"}}, 1, "ä…   1\nabc  1\n"},
	} {
		assert.Equal(t, row.want, text.Aligned(row.rows, row.left), row.name)
	}
}

// Whatever goes onto a screen, no line is too wide, and nothing of it is a control.
func FuzzWrite(f *testing.F) {
	f.Add("a plain sentence with 12 ms and\ta tab", "[31m", "\u202eright to left\nand a line")
	f.Add("\x1b[2J\xff\xfe", strings.Repeat("分", 200), strings.Repeat("x", 300))
	f.Fuzz(func(t *testing.T, heading, line, item string) {
		d := &document.Document{Title: heading, Answer: document.Answer{State: document.Holds, Claim: line, Says: []string{item}}, Warnings: []string{item},
			Screen: []document.Block{document.Facts{Lines: []string{line}}, document.List{Items: []string{item}}, document.Table{
				Columns: []document.Column{{Title: heading, Words: true}, {Group: item, Title: line, Unit: "ms"}, {Title: item, Words: true}},
				Rows:    [][]document.Cell{{{Text: line, Tone: document.Bad}, {Text: item}, {Text: heading}}}, Notes: []string{line}}}}
		for _, look := range []text.Look{{}, {Verbose: true}, {Columns: 60, ASCII: true}} {
			checkLines(t, d, look, map[bool]int{false: 80, true: 110}[look.Verbose])
		}
		if safe := text.Harmless(line); text.Harmless(safe) != safe {
			t.Errorf("Harmless(%q) = %q, and of that %q; want the same", line, safe, text.Harmless(safe))
		}
	})
}

// However a text is split, its control characters are escaped, and everything else is passed on.
func TestWriterEscapesControlCharacters(t *testing.T) {
	const plain = "a table\twith 分, é and\r\nlines\n"
	for _, hostile := range append(resultstest.HostileTexts()[:22], plain, "a\rb", "\x9b31m", "\u009b31m") {
		written := hostile + "."
		var whole string
		for at := range len(written) + 1 {
			var screen bytes.Buffer
			w := text.NewWriter(&screen)
			for _, part := range []string{written[:at], written[at:]} {
				n, err := w.Write([]byte(part))
				require.True(t, err == nil && n == len(part))
			}
			if at == 0 {
				whole = screen.String()
			}
			require.Equalf(t, whole, screen.String(), "%q, split at %d", hostile, at)
		}
		require.Truef(t, utf8.ValidString(whole), "%q", whole)
		if hostile == plain {
			require.Equal(t, written, whole)
		}
		for _, c := range strings.ReplaceAll(whole, "\r\n", "\n") {
			require.Truef(t, c == '\n' || c == '\t' || !unicode.IsControl(c) && !unicode.Is(unicode.Bidi_Control, c), "%q of %q has %U", whole, hostile, c)
		}
	}
}

func TestMarkdownShowsWhatItIsGiven(t *testing.T) {
	for _, row := range []struct{ name, text, line, within string }{
		{"words", "served 20 of 30", "served 20 of 30", "served 20 of 30"},
		{"a list, where a line begins", "- one", `\- one`, "- one"},
		{"a change, where a line begins", "+8.4%", `\+8.4%`, "+8.4%"},
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
