package scenarios_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
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

// located is a fault as every one has to be told: where, what, and what was expected
// instead. What the service itself says of a key names its bound.
var located = regexp.MustCompile(`^[^:]+:[1-9][0-9]*:[1-9][0-9]*: .+` +
	`(expected|did you mean|it must be|the nearest that exists is|more than [0-9]+$|the forbidden character)`)

// faultsOf returns the lines that are said of a broken text. It fails where they are
// no located faults.
func faultsOf(t *testing.T, name, text string) []string {
	t.Helper()
	s, err := scenarios.Parse(name, []byte(text))
	var faults fields.Faults
	if s != nil || !errors.As(err, &faults) || !errors.Is(err, fields.ErrInvalid) {
		t.Errorf("Parse(%s) = a scenario %t, %v; want faults alone", name, s != nil, err)
		return nil
	}
	lines := strings.Split(faults.Error(), "\n")
	assert.Lenf(t, lines, len(faults), "Parse(%s) = faults on lines", name)
	for _, line := range lines {
		assert.Truef(t, located.MatchString(line) && strings.HasPrefix(line, name+":"),
			"Parse(%s) says %q; want %s:line:column: what; expected …", name, line, name)
	}
	return lines
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
