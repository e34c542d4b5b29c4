package main

import (
	"strings"
	"testing"
)

func TestKeysOnTheCommandLine(t *testing.T) {
	rows := []struct {
		sentence, args string
		code           int
		says           string
	}{
		{"a padded number", "encode {event}__{bib:05d} event=paris bib=42", 0, "paris__00042\n"},
		{"ticks that count down", "encode {at:inverted} at=9999-12-31T23:59:59.9999999Z", 0, "0000000000000000000\n"},
		{"and back", "decode {at:inverted} 0000000000000000000", 0, "at=9999-12-31T23:59:59.9999999Z\n"},
		{"a line a key", "decode {event}__{bib:05d} paris__00042 rome__00007", 0, "event=paris\tbib=42\nevent=rome\tbib=7\n"},
		{"what keeps less is told by its placeholder", "decode {at:hour}-{u} 2026-11-01T15-x", 0, "at:hour=2026-11-01T15\tu=x\n"},
		{"one bad key of several: nothing is printed", "decode {u:03d} 007 x", codeUsage, `byte 0 of "x": expected a number in 3 digits`},
		{"a key that no table takes", "encode {u} u=a/b", codeUsage, "U+002F"},
		{"a template that is none", "encode {u u=a", codeUsage, `the template "{u", byte 0`},
		{"a template without a placeholder", "decode paris paris", codeUsage, "no placeholder"},
		{"an attribute that is nearly one", "encode {event} evnt=paris", codeUsage, `"event"`},
		{"a value given twice", "encode {u} u=a u=b", codeUsage, "each once"},
		{"a value without a name", "encode {u} a", codeUsage, "expected the name"},
		{"no key", "decode {u}", codeUsage, "got 1"},
		{"a verb that is nearly one", "encod {u}", codeUsage, `"encode"`},
	}
	for _, row := range rows {
		code, stdout, stderr := say(t, append([]string{"keys"}, strings.Fields(row.args)...)...)
		told := stdout
		if row.code != 0 {
			told = stderr
			if stdout != "" || strings.Count(stderr, "\n") != 1 {
				t.Errorf("%s: printed %q and %q; want one line on standard error", row.sentence, stdout, stderr)
			}
		}
		if code != row.code || !strings.Contains(told, row.says) {
			t.Errorf("%s: exit %d, %q; want %d and %q", row.sentence, code, told, row.code, row.says)
		}
	}
}
