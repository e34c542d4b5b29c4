package resultstest

import (
	"errors"
	"strings"
)

// HostileTexts returns what a name may hold that a form of a report could take for its own: markup,
// ends of lines, escape sequences, commands of CI systems, bytes that are no text.
func HostileTexts() []string {
	return []string{
		"<script>alert(1)</script>", "]]>", "<![CDATA[", "&amp;\"'", "</details>", "| a | b |", "```", "````", "```\n# h",
		"a\nb\r\nc", "\u2028\u2029\u0085", "nul\x00bell\x07", "\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "\x1b]8;;http://x\x1b\\link",
		"\u202eright to left", "\xff\xfe", "\ufffe\uffff", "日本", "", " ", "-", "_", "a,b", "a, b", "a b", "a/b", "a/b c,d:e",
		"\n::error::owned", "::set-output name=x::y", "100%0Aof%", "build: B\nBenchmarkX 1 2 ns", "Unit x better=lower",
		"Tag=x,1,2,3,HISTFAAA", "#[StartTime: 5", "x#[BaseTime: 7 (seconds", "p99(", "p99(get", ")(",
		strings.Repeat("long ", 5000),
	}
}

// ErrFull is the error of [FullWriter].
var ErrFull = errors.New("no space left")

// FullWriter is a writer that fails as soon as a text is longer than Room.
type FullWriter struct{ Room int }

// Write implements [io.Writer].
func (w FullWriter) Write(text []byte) (int, error) {
	if len(text) > w.Room {
		return w.Room, ErrFull
	}
	return len(text), nil
}
