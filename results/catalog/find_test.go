package catalog_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/results/catalog"
)

func TestFind(t *testing.T) {
	folder, runs := runIndex(t)
	in := func(name string) string { return filepath.Join(folder, name) }
	absolute, err := filepath.Abs(in(runs[1]))
	require.NoError(t, err)
	for _, row := range []struct{ name, says, want string }{
		{"the last that was begun", "latest", in(runs[2])},
		{"a path", in(runs[0]), in(runs[0])},
		{"a path with a slash behind it", in(runs[0]) + string(filepath.Separator), in(runs[0]) + string(filepath.Separator)},
		{"an absolute path", absolute, absolute},
		{"the record itself", filepath.Join(in(runs[0]), results.RunFile), in(runs[0])},
		{"a name", runs[1], in(runs[1])},
		{"the beginning of one name", "20260303", in(runs[1])},
		{"a contest", "20260304", in("20260304T020000Z-contest")},
		{"what a contest came to", filepath.Join(in("20260304T020000Z-contest"), catalog.ContestFile), in("20260304T020000Z-contest")},
		{"a record that cannot be read", "20260302", in("20260302T020000Z-broken")},
	} {
		got, err := catalog.Find(context.Background(), folder, row.says)
		assert.Equal(t, []any{nil, row.want}, []any{err, got}, row.name)
	}
	for _, row := range []struct{ name, runs, says, want string }{
		{"nothing", folder, "", "unknown run"},
		{"the beginning of several", folder, "2026030", `5 runs in ` + folder + ` begin with "2026030"; expected one of 20260301T020000Z-orders, `},
		{"a name with a letter too many", folder, "20260301T020000Z-orderss", `did you mean "20260301T020000Z-orders"?`},
		{"the word, mistyped", folder, "lates", `did you mean "latest"?`},
		{"a folder without a run", folder, filepath.Join(folder, "nothing"), "holds no run; expected a folder with a run.json"},
		{"a way out of the folder", folder, "..", "holds no run"},
		{"what moves a cursor", folder, "\x1b[2Jx", `"\x1b[2Jx"`},
		{"no folder of runs", "nowhere", "x", `there is no run "x": there is no folder nowhere`},
		{"the last of no folder", "nowhere", "latest", "the folder nowhere cannot be read"},
		{"the last of an empty folder", filepath.Join(folder, "nothing"), "latest", "nothing holds none"},
		{"one of an empty folder", filepath.Join(folder, "nothing"), "x", "nothing holds none"},
		{"a file in the place of the folder", filepath.Join(folder, "loose.txt"), "x", "cannot be read"},
	} {
		_, err := catalog.Find(context.Background(), row.runs, row.says)
		checkFault(t, row.name, err, row.want)
	}
	interrupted, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = catalog.Find(interrupted, folder, catalog.Latest)
	assert.ErrorIs(t, err, context.Canceled, "interrupted, Find")
}

// The last run is that by its record, and where that cannot be read by its name.
func TestLatest(t *testing.T) {
	folder, runs := runIndex(t)
	latest := func(want string) {
		t.Helper()
		got, err := catalog.Find(context.Background(), folder, catalog.Latest)
		assert.Truef(t, err == nil && filepath.Base(got) == want, "the latest run is %q, %v; want %s", got, err, want)
	}
	require.NoError(t, os.Rename(filepath.Join(folder, runs[2]), filepath.Join(folder, "0-a-name-of-my-own")))
	latest("0-a-name-of-my-own")
	cut(t, folder, runs[1], results.RunFile)
	latest("0-a-name-of-my-own")
	require.NoError(t, os.RemoveAll(filepath.Join(folder, "0-a-name-of-my-own")))
	latest("20260304T020000Z-contest")
	require.NoError(t, os.RemoveAll(filepath.Join(folder, "20260304T020000Z-contest")))
	latest(runs[1])
}

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

func TestParseAge(t *testing.T) {
	for _, row := range []struct {
		text string
		want time.Duration
	}{{"30d", 720 * time.Hour}, {"2w", 336 * time.Hour}, {"0.5d", 12 * time.Hour}, {"12h", 12 * time.Hour}, {"1h30m", 90 * time.Minute}} {
		got, err := catalog.ParseAge(row.text)
		assert.Truef(t, err == nil && got == row.want, "ParseAge(%q) = %v, %v; want %v", row.text, got, err, row.want)
	}
	for _, text := range []string{"", "d", "30", "-1d", "0d", "0h", "-5h", "NaNd", "Infd", "1e300d", "200000d", "1e-30d", "30 d", "d30"} {
		_, err := catalog.ParseAge(text)
		assert.ErrorIs(t, err, catalog.ErrAge, text)
	}
}

func TestParseSince(t *testing.T) {
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		text string
		want time.Time
	}{
		{"2026-03-08", time.Date(2026, 3, 8, 0, 0, 0, 0, time.UTC)},
		{"2026-03-08T03:00:00Z", time.Date(2026, 3, 8, 3, 0, 0, 0, time.UTC)},
		{"1h", now.Add(-time.Hour)}, {"7d", now.AddDate(0, 0, -7)},
	} {
		got, err := catalog.ParseSince(row.text, now)
		assert.Truef(t, err == nil && got.Equal(row.want), "ParseSince(%q) = %v, %v; want %v", row.text, got, err, row.want)
	}
	_, err := catalog.ParseSince("soon", now)
	assert.ErrorIs(t, err, catalog.ErrAge, "no instant")
}
