package scenarios_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/scenarios"
	"loadgen/scenarios/fields"
)

// brokenFolder holds files with a mistake each, which the first line tells, and
// what is said of them. The second line marks those that the schema refuses, too.
const (
	brokenFolder = "testdata/broken"
	brokenWant   = brokenFolder + "/want.txt"
	refusedToo   = "\n# The schema refuses it, too.\n"
)

// brokenTexts returns the broken files by their names.
func brokenTexts(t testing.TB) map[string]string { return textsIn(t, brokenFolder) }

// textsIn returns the scenarios of a folder by the names of their files.
func textsIn(t testing.TB, folder string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(folder + "/*.yaml")
	require.NoError(t, err)
	texts := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		texts[filepath.Base(file)] = string(text)
	}
	return texts
}

// faultsOf returns the lines that are said of a broken text.
func faultsOf(t *testing.T, name, text string) []string {
	t.Helper()
	s, err := scenarios.Parse(name, []byte(text))
	require.Nilf(t, s, "Parse(%s)", name)
	require.ErrorIs(t, err, fields.ErrInvalid, name)
	return strings.Split(err.Error(), "\n")
}

// Each broken file is told what is wrong with it, and where.
func TestBrokenFiles(t *testing.T) {
	texts := brokenTexts(t)
	require.Truef(t, len(texts) >= 100, "%s holds %d broken files; want a hundred", brokenFolder, len(texts))
	j := schemaJudge(t)
	var got strings.Builder
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		text := texts[name]
		for _, line := range faultsOf(t, name, text) {
			fmt.Fprintln(&got, line)
		}
		faults, isYAML := j.text(text)
		assert.Equalf(t, strings.Contains(text, refusedToo), isYAML && len(faults) > 0,
			"the schema says of %s %q, YAML %t", name, faults, isYAML)
	}
	if *rewrite {
		require.NoError(t, os.WriteFile(brokenWant, []byte(got.String()), 0o644))
	}
	want, err := os.ReadFile(brokenWant)
	require.NoError(t, err)
	assert.Equalf(t, string(want), got.String(), "%s: run the test with -rewrite and read the difference", brokenWant)
}
