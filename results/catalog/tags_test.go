package catalog_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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
		if got := strings.Join(tags, " "); err != nil || got != row.want {
			t.Errorf("%s: %q, %v; want %q", row.name, got, err, row.want)
		}
		if again, err := catalog.ReadTags(results.Dir(run)); err != nil || !slices.Equal(again, tags) {
			t.Errorf("%s: %q are read back as %q, %v", row.name, tags, again, err)
		}
	}
	if again, err := os.ReadFile(filepath.Join(run, results.RunFile)); err != nil || string(again) != string(record) {
		t.Errorf("the record is another after it was tagged, %v", err)
	}
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
		var fault *catalog.Fault
		if !errors.As(err, &fault) || !strings.Contains(err.Error(), row.says) || strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Errorf("%s: %v; want a fault in one line with %q", row.name, err, row.says)
		}
		if tags, err := catalog.ReadTags(results.Dir(run)); err != nil || len(tags) != 1 {
			t.Errorf("%s: the tags are %q, %v; want the one that was there", row.name, tags, err)
		}
	}
	if _, err := catalog.ChangeTags(run, many[1:], false); err != nil {
		t.Errorf("as many as there may be: %v", err)
	}
	put(t, "spoilt", run, catalog.TagsFile)
	if _, err := catalog.ChangeTags(run, []string{"keep"}, false); !errors.Is(err, catalog.ErrTags) || !strings.Contains(err.Error(), "delete its tags.json to begin anew") {
		t.Errorf("with spoilt tags: %v", err)
	}
	if r := &open(t, folder).Runs[0]; !errors.Is(r.TagFault, catalog.ErrTags) || r.Tags != nil {
		t.Errorf("of spoilt tags there is read %+v", r)
	}
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
	if _, err := catalog.ChangeTags(filepath.Join(folder, "nowhere"), []string{"keep"}, false); !errors.Is(err, results.ErrWrite) {
		t.Errorf("where there is no folder: %v; want that they cannot be written", err)
	}
}
