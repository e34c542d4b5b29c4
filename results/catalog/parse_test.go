package catalog

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"loadgen/results"

	"github.com/stretchr/testify/require"
)

// Any text is throttled in words, or is tags that are written and read back the same.
func FuzzTags(f *testing.F) {
	for _, text := range []string{`{"tags": ["keep", "baseline", "keep"]}`, `{"tags": null}`, "{}", `{"tags": ["\u001b[31m"]}`, `{"tags": ["-x"]}`, "[]", "\x00", `{"tags": ["` + strings.Repeat("x", 41) + `"]}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		tags, err := parseTags(text)
		if err != nil {
			require.Truef(t, errors.Is(err, ErrTags) && !strings.ContainsAny(err.Error(), "\x1b"),
				"parseTags(%q) = %v; want ErrTags", text, err)
			return
		}
		folder := new(results.Memory)
		written, err := json.Marshal(tagsForm{tags})
		require.NoError(t, errors.Join(err, folder.Replace(TagsFile, written)))
		again, err := ReadTags(folder)
		require.Truef(t, err == nil && slices.Equal(again, tags) && len(tags) <= mostTags,
			"tags %q are read back as %q, %v", tags, again, err)
	})
}

func TestParseTags(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"in order, each once", `{"tags": ["keep", "baseline", "keep"]}`, "baseline keep"},
		{"none", `{}`, ""},
		{"too long a file", `{"tags": ["a"]}` + strings.Repeat(" ", longestTags), "error"},
		{"too many", `{"tags": [` + strings.Repeat(`"a",`, mostTags) + `"a"]}`, "error"},
		{"no tag", `{"tags": ["a b"]}`, "error"},
		{"another key, which was to be tags", `{"tag": ["keep"]}`, "error"},
		{"something behind them", `{} {"tags": ["keep"]}`, "error"},
		{"an empty one", `{"tags": [""]}`, "error"},
		{"no text", `{"tags": ["` + "\xff" + `"]}`, "error"},
	} {
		tags, err := parseTags([]byte(row.text))
		if got := strings.Join(tags, " "); err == nil && got != row.want || err != nil && (row.want != "error" || !errors.Is(err, ErrTags)) {
			t.Errorf("%s: %q, %v; want %q", row.name, got, err, row.want)
		}
	}
}

// Any text is a contest with a verdict, or refused in a line that moves no cursor.
func FuzzContest(f *testing.F) {
	for _, text := range []string{`{"verdict": "day wins.", "winner": "day", "state": "holds"}`, "{}", "null", "", "\x1b[2J", `{"verdict": 1}`, `{"winner": "\u001b"`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := parseContest(strings.NewReader(text))
		if err == nil && c.Verdict == "" || err != nil && (!errors.Is(err, errContest) || strings.ContainsAny(err.Error(), "\n\x1b")) {
			t.Errorf("parseContest(%q) = %+v, %v; want a verdict, or a line", text, c, err)
		}
	})
}
