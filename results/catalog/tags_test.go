package catalog_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/results/catalog"
)

func TestTagAndUntag(t *testing.T) {
	folder, runs := runIndex(t)
	run := filepath.Join(folder, runs[2])
	record, err := os.ReadFile(filepath.Join(run, results.RunFile))
	require.NoError(t, err)
	for _, row := range []struct {
		name   string
		remove bool
		tags   []string
		want   string
	}{
		{"two", false, []string{"keep", "Ünïcode-1.5_x"}, "keep Ünïcode-1.5_x"},
		{"one that it has, and another", false, []string{"keep", "baseline"}, "baseline keep Ünïcode-1.5_x"},
		{"one twice", false, []string{"again", "again"}, "again baseline keep Ünïcode-1.5_x"},
		{"one that it has", false, []string{"keep"}, "again baseline keep Ünïcode-1.5_x"},
		{"two less, one of them twice", true, []string{"again", "keep", "again"}, "baseline Ünïcode-1.5_x"},
		{"none left", true, []string{"baseline", "Ünïcode-1.5_x"}, ""},
	} {
		tags, err := catalog.ChangeTags(run, row.tags, row.remove)
		got := strings.Join(tags, " ")
		assert.Equal(t, []any{nil, row.want}, []any{err, got}, row.name)
		if again, err := catalog.ReadTags(results.Dir(run)); err != nil || !slices.Equal(again, tags) {
			t.Errorf("%s: %q are read back as %q, %v", row.name, tags, again, err)
		}
	}
	again, err := os.ReadFile(filepath.Join(run, results.RunFile))
	assert.Equal(t, []any{nil, string(record)}, []any{err, string(again)}, "the record is another after it was tagged")
	if _, err := catalog.ChangeTags(run, []string{"keep"}, false); err != nil {
		t.Fatal(err)
	}
	many := strings.Fields("a b c d e f g h i j k l m n o p q r s t")
	for _, row := range []struct {
		name   string
		remove bool
		tags   []string
		says   string
	}{
		{"a slash", false, []string{"fine", "a/b"}, `the tag "a/b" holds something else than letters, digits and - _ .; expected`},
		{"what moves the cursor", false, []string{"\x1b[2J"}, `the tag "?[2J" holds something else`},
		{"a flag", false, []string{"-x"}, "begins with -"},
		{"nothing", false, []string{""}, "is empty"},
		{"too long a one", false, []string{strings.Repeat("x", 41)}, "is longer than 40 bytes"},
		{"one that there is not", true, []string{"keep", "kep"}, `it has no such tag: unknown tag "kep"; did you mean "keep"?`},
		{"more than there may be", false, many, "21 tags are more than 20; expected fewer"},
	} {
		_, err := catalog.ChangeTags(run, row.tags, row.remove)
		checkFault(t, row.name, err, row.says)
		tags, err := catalog.ReadTags(results.Dir(run))
		assert.Equal(t, []any{nil, 1}, []any{err, len(tags)}, row.name)
	}
	_, err = catalog.ChangeTags(run, many[1:], false)
	assert.NoError(t, err, "as many as there may be")
	put(t, "spoilt", run, catalog.TagsFile)
	if _, err := catalog.ChangeTags(run, []string{"keep"}, false); !errors.Is(err, catalog.ErrTags) || !strings.Contains(err.Error(), "delete its tags.json to begin anew") {
		t.Errorf("with spoilt tags: %v", err)
	}
	r := &open(t, folder).Runs[0]
	assert.Truef(t, errors.Is(r.TagFault, catalog.ErrTags) && r.Tags == nil, "of spoilt tags there is read %+v", r)
}

// Tags that cannot be written are so told of, and none of them is there.
func TestTagsThatCannotBeWritten(t *testing.T) {
	folder, runs := runIndex(t)
	run := filepath.Join(folder, runs[0])
	require.NoError(t, os.Mkdir(filepath.Join(run, catalog.TagsFile), 0o755))
	var fault *catalog.Fault
	if _, err := catalog.ChangeTags(run, []string{"keep"}, false); !errors.As(err, &fault) || strings.Contains(err.Error(), "begin anew") {
		t.Errorf("where a folder is in their place: %v; want that they cannot be read", err)
	}
	_, err := catalog.ChangeTags(filepath.Join(folder, "nowhere"), []string{"keep"}, false)
	assert.ErrorIs(t, err, results.ErrWrite, "where there is no folder")
}
