package resultstest

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Rows returns the rows of a table in a file: columns separated by " | ", in Go's quotes where a column is empty
// or has characters that would be lost. Lines that begin with # are comments. Each row has the given number of columns.
func Rows(t testing.TB, file string, columns int) (rows [][]string) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		row := strings.Split(line, " | ")
		require.Lenf(t, row, columns, "%s: %s", file, line)
		for i, cell := range row {
			if plain, err := strconv.Unquote(cell); err == nil && cell[0] == '"' {
				row[i] = plain
			}
		}
		rows = append(rows, row)
	}
	require.NotEmpty(t, rows, file)
	return rows
}
