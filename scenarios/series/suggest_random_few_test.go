//go:build !ci && !long

package series

// drawnTables is how many tables are drawn for suggestions.
const drawnTables = 2
