package text_test

import (
	"loadgen/report/document"
	"loadgen/report/text"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestTable(t *testing.T) {
	for _, row := range []struct {
		name  string
		table text.Table
		want  string
	}{
		{"flush right", text.Table{Headings: []string{"a", "long"}, Rows: [][]string{{"123", "4"}}}, "    a  long\n  123     4\n"},
		{"a name is flush left", text.Table{FlushLeft: []bool{true}, Headings: []string{"design", "n"}, Rows: [][]string{{"x", "12"}}},
			"  design   n\n  x       12\n"},
		{"the text at the end is flush left", text.Table{FlushLeft: []bool{1: true}, Headings: []string{"n", "why it is"}, Rows: [][]string{{"12", "so"}}},
			"   n  why it is\n  12  so\n"},
		{"no space ends a line", text.Table{FlushLeft: []bool{true}, Headings: []string{"design", ""}, Rows: [][]string{{"x", ""}}}, "  design\n  x\n"},
		{"a wide character fills two columns", text.Table{Headings: []string{"abcd"}, Rows: [][]string{{"分"}}}, "  abcd\n    分\n"},
		{"what is not harmless is made so", text.Table{Headings: []string{"a"}, Rows: [][]string{{"\x1b[2J\n"}}}, "          a\n  \\x1b[2J\\n\n"},
		{"a title over two columns", text.Table{Titles: []text.Title{{From: 1, Columns: 2, Text: "t"}}, Headings: []string{"a", "b", "cde"}},
			"     t ----\n  a  b  cde\n"},
		{"text at the end goes on below itself", text.Table{FlushLeft: []bool{1: true}, Headings: []string{"n", "why"},
			Rows: [][]string{{"1", strings.Repeat("word ", 25)}}},
			"  n  why\n  1  " + strings.Repeat("word ", 20) + "word\n     word word word word\n"},
		{"a long name gives way in its middle", text.Table{FlushLeft: []bool{true, false}, Headings: []string{"name", "n"},
			Rows: [][]string{{strings.Repeat("a", 60) + strings.Repeat("z", 60), "1"}}},
			"  name                                      n\n  " + strings.Repeat("a", 20) + "…" + strings.Repeat("z", 19) + "  1\n"},
	} {
		p := new(text.Page)
		row.table.Onto(p)
		if got := p.String(); got != row.want {
			t.Errorf("%s: the page says\n%s\nwant\n%s", row.name, got, row.want)
		}
	}
}

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
		if got := text.Aligned(row.rows, row.left); got != row.want {
			t.Errorf("%s: %q; want %q", row.name, got, row.want)
		}
	}
}

func TestSize(t *testing.T) {
	for bytes, want := range map[int64]string{0: "0 B", 2047: "2047 B", 2048: "2 KiB", 2049: "3 KiB", 5 << 30: "5 GiB", 1 << 62: "4194304 TiB"} {
		if got := document.Bytes(bytes); got != want {
			t.Errorf("Size(%d) = %s; want %s", bytes, got, want)
		}
	}
}

// Whatever goes onto a page, no line is too wide, and nothing of it is a control.
func FuzzPage(f *testing.F) {
	f.Add("a plain sentence with 12 ms and\ta tab", "[31m", "\u202eright to left\nand a line")
	f.Add("\x1b[2J\xff\xfe", strings.Repeat("分", 200), strings.Repeat("x", 300))
	f.Fuzz(func(t *testing.T, heading, line, item string) {
		p := new(text.Page)
		p.Heading(heading)
		p.Line(line)
		p.Item(item)
		for i, one := range strings.Split(strings.TrimSuffix(p.String(), "\n"), "\n") {
			if !utf8.ValidString(one) || text.Columns(one) > text.Width {
				t.Errorf("line %d, %q, fills %d columns; want valid text of %d at most", i, one, text.Columns(one), text.Width)
			}
			for _, c := range one {
				if !unicode.IsPrint(c) {
					t.Errorf("line %d, %q, holds %U; want nothing but what can be printed", i, one, c)
				}
			}
		}
		if safe := text.Harmless(line); text.Harmless(safe) != safe {
			t.Errorf("Harmless(%q) = %q, and of that %q; want the same", line, safe, text.Harmless(safe))
		}
	})
}
