package house_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What stands between these two lines of ARCHITECTURE.md is written by [writePage].
const (
	tableBegins = "<!-- The table is that of cmd/loadgen/house/imports_test.go: go test ./cmd/loadgen/house -rewrite -->\n"
	tableEnds   = "<!-- end of the table -->\n"
)

// roomTable is the table of rooms as Markdown.
func roomTable() string {
	var b strings.Builder
	b.WriteString("\n| package | what it is | may import | owns |\n|---|---|---|---|\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", r.path, r.what, codes(r.imports), codes(r.owns))
	}
	b.WriteString("\n")
	return b.String()
}

// codes lists paths in Markdown, an en dash where there are none.
func codes(paths []string) string {
	if len(paths) == 0 {
		return "–"
	}
	return "`" + strings.Join(paths, "`, `") + "`"
}

// cutPage takes a page apart around the table; false where it has no lines that say where
// that stands.
func cutPage(page string) (before, table, after string, found bool) {
	before, rest, begins := strings.Cut(page, tableBegins)
	table, after, ends := strings.Cut(rest, tableEnds)
	return before, table, after, begins && ends
}

func checkPage(h *house) []string {
	_, shown, _, found := cutPage(h.page)
	if !found {
		return []string{fmt.Sprintf("ARCHITECTURE.md has no lines %q and %q between which the table of rooms could stand", tableBegins, tableEnds)}
	}
	page, table := strings.Split(shown, "\n"), strings.Split(roomTable(), "\n")
	for i := range max(len(page), len(table)) {
		if has, want := lineOf(page, i), lineOf(table, i); has != want {
			return []string{fmt.Sprintf("ARCHITECTURE.md is not what the table of rooms says: the page has %q where the table has %q; run go test ./cmd/loadgen/house -rewrite", has, want)}
		}
	}
	return nil
}

// lineOf returns a line, empty behind the last.
func lineOf(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}

// writePage writes the table of rooms into ARCHITECTURE.md and leaves the rest as it is.
func writePage(t *testing.T, file string) {
	t.Helper()
	page, err := os.ReadFile(file)
	require.NoError(t, err)
	before, _, after, found := cutPage(string(page))
	require.Truef(t, found, "%s has no lines %q and %q", file, tableBegins, tableEnds)
	require.NoError(t, os.WriteFile(file, []byte(before+tableBegins+roomTable()+tableEnds+after), 0o644))
}
