package export_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

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
		assert.Equalf(t, row.want, export.Plain(row.text), "%s: Plain(%q)", row.name, row.text)
	}
	for text, want := range map[string]string{"p99(get, peak 20/s)": "p99(get,peak_20_s)", "": "-", "\x1b[0m": "-", "a\u00a0b": "a_b"} {
		assert.Equalf(t, want, export.Word(text), "Word(%q)", text)
	}
}
