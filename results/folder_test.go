package results_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/results/resultstest"
)

func TestMakeDirNamesAFolderAfterItsRun(t *testing.T) {
	parent := filepath.Join(t.TempDir(), "results", "runs")
	started := time.Date(2011, 11, 6, 4, 40, 5, 0, time.FixedZone("EST", -5*3600))
	for _, row := range []struct {
		name, scenario, want string
	}{
		{"time in UTC, then the scenario", "stress", "20111106T094005Z-stress"},
		{"a name that is taken gets a number", "stress", "20111106T094005Z-stress-2"},
		{"and the next one", "stress", "20111106T094005Z-stress-3"},
		{"a scenario's name leads nowhere else", "../../etc/x", "20111106T094005Z-------etc-x"},
		{"control characters are no part of a file's name", "a\x1b[2Jb\x00", "20111106T094005Z-a--2Jb-"},
		{"an empty name is none", "", "20111106T094005Z-"},
		{"letters of every script stay", "größe_1", "20111106T094005Z-größe_1"},
		{"a long name is cut", strings.Repeat("世", 300), "20111106T094005Z-" + strings.Repeat("世", 48)},
	} {
		dir, err := results.MakeDir(parent, started, row.scenario)
		want := filepath.Join(parent, row.want)
		assert.Equal(t, []any{nil, want}, []any{err, string(dir)}, row.name)
		info, err := os.Stat(string(dir))
		assert.Truef(t, err == nil && info.IsDir(), "%s: Stat(%q) = %v; want a folder", row.name, dir, err)
	}
}

func TestFoldersThatCannotBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	taken := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(taken, results.RunFile), nil, 0o600))
	_, err := results.MakeDir(filepath.Join(file, "runs"), time.Time{}, "stress")
	assert.ErrorIs(t, err, results.ErrWrite, "MakeDir below a file")
	for _, row := range []struct{ name, folder string }{
		{"a file is no folder", file},
		{"nothing lies below a file", filepath.Join(file, "run")},
		{"a folder with a record is not written over", taken},
	} {
		dir, err := results.UseDir(row.folder)
		assert.Truef(t, errors.Is(err, results.ErrWrite), "%s: UseDir = %q, %v; want ErrWrite", row.name, dir, err)
	}
}

func TestUseDirLeavesNothingBehind(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a", "b")
	dir, err := results.UseDir(name)
	require.Truef(t, err == nil && string(dir) == name, "UseDir(%q) = %q, %v; want the folder", name, dir, err)
	entries, err := os.ReadDir(name)
	assert.Equal(t, []any{nil, 0}, []any{err, len(entries)}, "the folder")
	_, err = results.UseDir(name)
	assert.NoError(t, err, "UseDir of an empty folder")
}

// TestFoldersAgree holds the two folders to one behaviour.
func TestFoldersAgree(t *testing.T) {
	for name, folder := range map[string]results.Folder{
		"Memory": new(results.Memory), "Dir": results.Dir(t.TempDir()),
	} {
		content := func(file string) string {
			t.Helper()
			open, err := folder.Open(file)
			require.NoErrorf(t, err, "%s: Open(%s)", name, file)
			defer open.Close()
			text, err := io.ReadAll(open)
			require.NoErrorf(t, err, "%s: ReadAll", name)
			return string(text)
		}
		if _, err := folder.Open("a"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: Open of a missing file = %v; want fs.ErrNotExist", name, err)
		}
		file, err := folder.Create("a")
		require.NoErrorf(t, err, "%s: Create", name)
		assert.Emptyf(t, content("a"), "%s: what a new file holds", name)
		long := strings.Repeat("two ", 1<<19)
		for _, text := range []string{"one " + long, "three", long + "four"} {
			file.Write([]byte(text))
		}
		assert.Truef(t, content("a") == "one "+long+"three"+long+"four", "%s: an open file reads", name)
		assert.NoErrorf(t, file.Close(), "%s: Close", name)
		for _, text := range []string{"a long text", "short"} {
			if err := folder.Replace("a", []byte(text)); err != nil || content("a") != text {
				t.Errorf("%s: Replace(%q) = %v and left %q; want it whole", name, text, err, content("a"))
			}
		}
		if again, err := folder.Create("a"); err != nil || content("a") != "" || again.Close() != nil {
			t.Errorf("%s: Create of an old file = %v and left %q; want it empty", name, err, content("a"))
		}
	}
}

func TestDirReplacesWithoutATrace(t *testing.T) {
	dir := results.Dir(t.TempDir())
	require.NoError(t, dir.Replace(results.RunFile, []byte("{}")), "Replace")
	entries, err := os.ReadDir(string(dir))
	assert.Truef(t, err == nil && len(entries) == 1 && entries[0].Name() == results.RunFile,
		"the folder holds %v, %v; want %s alone", entries, err, results.RunFile)
	gone := results.Dir(filepath.Join(string(dir), "gone"))
	assert.Error(t, gone.Replace(results.RunFile, nil), "Replace in a folder that is gone = nil; want an error")
	// A folder stands where the file should go: the temporary one is taken away.
	require.NoError(t, os.Mkdir(filepath.Join(string(dir), "taken"), 0o700))
	assert.Error(t, dir.Replace("taken", nil), "Replace of a folder = nil; want an error")
	entries, _ = os.ReadDir(string(dir))
	assert.Truef(t, len(entries) == 2, "a failed Replace left %v; want nothing of its own", entries)
}

// sealed is a folder with a record of a second, whose names hold what could be taken for
// its layout.
func sealed(t testing.TB, change func(*results.Manifest)) *results.Memory {
	t.Helper()
	folder, m := new(results.Memory), manifest()
	if change != nil {
		change(&m)
	}
	recorder, err := results.NewRecorder(folder, m)
	require.NoError(t, err)
	phase := recorder.Phase(results.Phase{Name: "\n \"summary\": {}\n}\n", End: time.Second, Reported: true})
	succeed(recorder, phase, 1, 0, time.Millisecond)
	resultstest.Finish(t, recorder, time.Second)
	saturation := 1500.5
	if err := recorder.Seal(&results.Summary{Scenario: m.Scenario.Name, Validity: results.Valid, Reasons: []string{},
		Verdict: "it holds", Saturation: &saturation}); err != nil {
		t.Fatal(err)
	}
	return folder
}

// The head is that of the whole record, however its file is laid out. A run that has not come to its
// end has no summary, and is partial.
func TestHeadIsThatOfTheRecord(t *testing.T) {
	hostile := func(m *results.Manifest) {
		m.Scenario.Name, m.Scenario.Text = ",\n \"phases\": [", "\n \"summary\": null\n}\n"
	}
	underWay := new(results.Memory)
	begin(t, underWay)
	for _, row := range []struct {
		name   string
		folder *results.Memory
		change func([]byte) []byte
	}{
		{"as it was written", sealed(t, nil), bytes.Clone},
		{"of a run under way", underWay, bytes.Clone},
		{"with names that look like its layout", sealed(t, hostile), bytes.Clone},
		{"on one line", sealed(t, hostile), func(text []byte) []byte {
			var out bytes.Buffer
			require.NoError(t, json.Compact(&out, text))
			return out.Bytes()
		}},
		{"without an end of line", sealed(t, nil), bytes.TrimSpace},
		{"with other ends of line", sealed(t, nil), func(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")) }},
	} {
		require.NoError(t, row.folder.Replace(results.RunFile, row.change(row.folder.Bytes(results.RunFile))))
		head, err := results.ReadHead(row.folder)
		if err != nil {
			t.Errorf("%s: ReadHead = %v", row.name, err)
			continue
		}
		r := resultstest.Read(t, row.folder)
		want := &results.Head{SchemaVersion: r.SchemaVersion, Manifest: r.Manifest, Validity: r.Validity, Reasons: r.Reasons, Duration: r.Duration, Summary: r.Summary}
		assert.Empty(t, cmp.Diff(want, head), row.name)
		assert.Equal(t, row.folder == underWay, head.Summary == nil && head.Validity == results.Partial, row.name)
	}
}

func TestHeadRefuses(t *testing.T) {
	whole := sealed(t, nil).Bytes(results.RunFile)
	for _, row := range []struct {
		name, text string
		want       error
	}{
		{"nothing", "", results.ErrCorrupt},
		{"no JSON", "run", results.ErrCorrupt},
		{"somebody else's run.json", `{"name": "x"}`, results.ErrCorrupt},
		{"a version alone", `{"schema_version": 2}`, results.ErrCorrupt},
		{"a validity that there is not", `{"schema_version": 2, "validity": "fine", "manifest": {"started": "2011-11-06T09:40:00Z"}}`, results.ErrCorrupt},
		{"a word for what the generator did", `{"schema_version": 2, "validity": "client-limited", "manifest": {"started": "2011-11-06T09:40:00Z"}}`, results.ErrCorrupt},
		{"no instant", `{"schema_version": 2, "validity": "valid", "manifest": {}}`, results.ErrCorrupt},
		{"a newer version", `{"schema_version": 3, "validity": "valid", "manifest": {"started": "2011-11-06T09:40:00Z"}}`, results.ErrSchema},
		{"measurements without a summary", "{\"schema_version\": 2,\n \"phases\": []\n}\n", results.ErrCorrupt},
		{"the first half", string(whole[:len(whole)/2]), results.ErrCorrupt},
		{"all but the end", string(whole[:len(whole)-3]), results.ErrCorrupt},
	} {
		folder := new(results.Memory)
		require.NoError(t, folder.Replace(results.RunFile, []byte(row.text)))
		head, err := results.ReadHead(folder)
		assert.Truef(t, errors.Is(err, row.want), "%s: ReadHead = %+v, %v; want %v", row.name, head, err, row.want)
	}
	_, err := results.ReadHead(new(results.Memory))
	assert.ErrorIs(t, err, fs.ErrNotExist, "of no file ReadHead")
}

// A map whose cells do not fit its columns is no map: whoever draws it goes by them.
func TestBrokenHeatIsCorrupt(t *testing.T) {
	for _, row := range []struct {
		name, heat string
		fits       bool
	}{
		{"none", `null`, true},
		{"an empty one", `{"seconds_per_column":1,"columns":0,"rows":[]}`, true},
		{"cells for each column", `{"seconds_per_column":4,"columns":2,"rows":[{"key":"p","served_entities":[1,2]}],"rest":{"throttled":[0,3]}}`, true},
		{"too few cells", `{"seconds_per_column":4,"columns":2,"rows":[{"key":"p","served_entities":[1]}]}`, false},
		{"too many", `{"seconds_per_column":4,"columns":2,"rest":{"demanded_entities":[1,2,3]}}`, false},
		{"too many of those that are nowhere", `{"seconds_per_column":4,"columns":2,"nowhere":{"failed":[1,2,3]}}`, false},
		{"less than nothing", `{"seconds_per_column":4,"columns":2,"nowhere":{"throttled":[1,-2]}}`, false},
		{"columns of no time", `{"seconds_per_column":0,"columns":2}`, false},
		{"a negative number of columns", `{"seconds_per_column":1,"columns":-1}`, false},
		{"more columns than there are", `{"seconds_per_column":1,"columns":241}`, false},
	} {
		folder := new(results.Memory)
		require.NoError(t, folder.Replace(results.RunFile, []byte(`{"schema_version": 2,"heat":`+row.heat+`}`)))
		if _, err := results.Read(folder); (err == nil) != row.fits || err != nil && !errors.Is(err, results.ErrCorrupt) {
			t.Errorf("%s: Read = %v; want an error only where it does not fit, ErrCorrupt", row.name, err)
		}
		record, faults, err := results.Salvage(folder)
		assert.Truef(t, err == nil && len(faults) > 0 != row.fits && (row.fits || record.Heat == nil), "%s: Salvage = %v, %v; want no map that does not fit", row.name, faults, err)
	}
}
