package report_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ofTarget is the last column of a row of steps: what was served, as a share of the target.
var ofTarget = regexp.MustCompile(`^\s*\|?\s*[\d,.]+ .*?([\d.,]+) %\s*\|?$`)

// No step of a committed report serves more than the hard limit of its model.
func TestNoStepServesMoreThanItsLimit(t *testing.T) {
	const rounding, fewest = 100.5, 20
	files, err := filepath.Glob("testdata/*.*")
	require.NoError(t, err)
	rows := 0
	for _, file := range append(files, "../docs/output.md") {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		within := false
		for n, line := range strings.Split(string(text), "\n") {
			switch cells := ofTarget.FindStringSubmatch(line); {
			case strings.Contains(line, "tries/op") && strings.Contains(line, "of target"):
				within = true
			case !within || strings.Contains(line, "---"):
			case cells == nil:
				within = false
			default:
				rows++
				if share, err := strconv.ParseFloat(strings.ReplaceAll(cells[1], ",", ""), 64); err != nil || share > rounding {
					t.Errorf("%s:%d: a step serves %s %% of its target: %s", file, n+1, cells[1], line)
				}
			}
		}
	}
	assert.Truef(t, rows >= fewest, "%d rows of steps in %d files; want %d and more", rows, len(files), fewest)
}
