package results_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/results/resultstest"
)

// files makes a folder of the given contents.
func files(t testing.TB, contents map[string][]byte) *results.Memory {
	t.Helper()
	folder := new(results.Memory)
	for name, text := range contents {
		require.NoErrorf(t, folder.Replace(name, text), "Replace(%s)", name)
	}
	return folder
}

// killed returns the files of a run that ended without a word: run.json is as
// it was opened, the lines are there.
func killed(t testing.TB) map[string][]byte {
	t.Helper()
	folder := new(results.Memory)
	recorder := begin(t, folder)
	step := recorder.Phase(results.Phase{Name: "500/s", End: 4 * time.Second, Rate: 500, Reported: true})
	recorder.Event(results.Event{What: results.PhaseBegins, Phase: "500/s"})
	for i := range 30 {
		succeed(recorder, step, 1+i%2, time.Duration(i)*100*time.Millisecond, 3*time.Millisecond)
	}
	advance(t, recorder, 3*time.Second)
	recorder.Event(results.Event{At: 3e9, What: results.Interrupted, Text: "interrupted by the user"})
	contents := make(map[string][]byte)
	for _, name := range []string{results.RunFile, results.IntervalsFile, results.EventsFile} {
		contents[name] = folder.Bytes(name)
	}
	return contents
}

func TestCutLinesAreReadUpToTheCut(t *testing.T) {
	contents := killed(t)
	whole := resultstest.Read(t, files(t, contents))
	require.Truef(t, len(whole.Intervals) == 3 && len(whole.Events) == 2 && !whole.Cut,
		"the run has %d seconds, %d events, cut %t; want 3, 2, false", len(whole.Intervals), len(whole.Events), whole.Cut)
	assert.Truef(t, whole.Validity == results.Partial && len(whole.Reasons) == 1,
		"a killed run is %q for %q; want partial for one reason", whole.Validity, whole.Reasons)
	for _, name := range []string{results.IntervalsFile, results.EventsFile} {
		folder := files(t, contents)
		for length := 0; length < len(contents[name]); length += resultstest.Cases(7, 1) {
			part := contents[name][:length]
			require.NoError(t, folder.Replace(name, part), "Replace")
			record := resultstest.Read(t, folder)
			lines := bytes.Count(part, []byte("\n"))
			got, want := any(record.Intervals), any(whole.Intervals[:lines])
			if name == results.EventsFile {
				got, want = record.Events, whole.Events[:lines]
			}
			assert.Truef(t, (lines <= 0 || reflect.DeepEqual(got, want)) && reflect.ValueOf(got).Len() == lines,
				"%s cut after %d bytes reads %v; want the first %d lines", name, length, got, lines)
			if want := length > 0 && part[length-1] != '\n'; record.Cut != want {
				t.Errorf("%s cut after %d bytes: Cut = %t; want %t", name, length, record.Cut, want)
			}
		}
	}
}

func TestCutRunFileIsCorrupt(t *testing.T) {
	contents := killed(t)
	folder := files(t, contents)
	run := bytes.TrimRight(contents[results.RunFile], "\n")
	for length := 0; length < len(run); length += resultstest.Cases(7, 1) {
		require.NoError(t, folder.Replace(results.RunFile, run[:length]), "Replace")
		_, err := results.Read(folder)
		assert.ErrorIsf(t, err, results.ErrCorrupt, "Read of %d bytes of %s", length, results.RunFile)
	}
}

func TestReadSaysWhatIsWrong(t *testing.T) {
	const kinds = `"manifest":{"operations":[{"name":"get"}]}`
	for _, row := range []struct {
		name, file, text string
		err              error
		naming           string
	}{
		{"a newer schema is refused whatever else it holds", results.RunFile,
			`{"schema_version": 3, "manifest": 3}`, results.ErrSchema, "version 3"},
		{"text is no record", results.RunFile, "hello", results.ErrCorrupt, results.RunFile},
		{"an object without a version is no record", results.RunFile, "{}", results.ErrCorrupt, "version"},
		{"null is no record", results.RunFile, "null", results.ErrCorrupt, "version"},
		{"a negative version is none", results.RunFile, `{"schema_version":-1}`, results.ErrCorrupt, "version"},
		{"a field of the wrong type is corrupt", results.RunFile,
			`{"schema_version": 2,"phases":7}`, results.ErrCorrupt, "phases"},
		{"a phase without its kinds is corrupt", results.RunFile,
			`{"schema_version": 2,` + kinds + `,"phases":[{"name":"load"}]}`, results.ErrCorrupt, `"load"`},
		{"a histogram that is none is corrupt", results.RunFile,
			`{"schema_version": 2,"lag":{"count":3,"hdr":"aGVsbG8="}}`, results.ErrCorrupt, "histogram"},
		{"a line that is no JSON is named by its number", results.IntervalsFile,
			"oops\n", results.ErrCorrupt, results.IntervalsFile + ":1"},
		{"a second without its kinds is corrupt", results.IntervalsFile,
			`{"second":3}` + "\n", results.ErrCorrupt, "second 3"},
		{"a second after the longest run is corrupt", results.IntervalsFile,
			`{"second":9000000000000000000,"per_operation":[{},{},{}]}` + "\n", results.ErrCorrupt, "second 9000000000000000000"},
		{"an event of the wrong type is named by its number", results.EventsFile,
			`{"at_ns":1}` + "\n[]\n", results.ErrCorrupt, results.EventsFile + ":2"},
	} {
		folder := files(t, killed(t))
		require.NoError(t, folder.Replace(row.file, []byte(row.text)), "Replace")
		_, err := results.Read(folder)
		assert.Truef(t, errors.Is(err, row.err) && strings.Contains(fmt.Sprint(err), row.naming),
			"%s: Read = %v; want %v that names %s", row.name, err, row.err, row.naming)
	}
}

func TestReadOfMissingFiles(t *testing.T) {
	_, err := results.Read(new(results.Memory))
	assert.ErrorIs(t, err, fs.ErrNotExist, "Read of an empty folder")
	record := resultstest.Read(t, files(t, map[string][]byte{results.RunFile: killed(t)[results.RunFile]}))
	assert.Truef(t, len(record.Intervals) == 0 && len(record.Events) == 0 && !record.Cut,
		"a lone %s reads %d seconds, %d events, cut %t; want none, none, false", results.RunFile, len(record.Intervals), len(record.Events), record.Cut)
}

// faulty is a folder in which files fail: create and write say what becomes of each, nil of
// all is well.
type faulty struct {
	results.Memory
	create  func(name string) error
	write   func(name string, text []byte) (fits int, err error)
	closing error
}

type faultyFile struct {
	io.WriteCloser
	name string
	of   *faulty
}

func (f *faulty) Create(name string) (io.WriteCloser, error) {
	if f.create != nil {
		if err := f.create(name); err != nil {
			return nil, err
		}
	}
	file, err := f.Memory.Create(name)
	return faultyFile{file, name, f}, err
}

func (f *faulty) Replace(name string, text []byte) error {
	if f.write != nil {
		if _, err := f.write("", text); err != nil {
			return err
		}
	}
	return f.Memory.Replace(name, text)
}

func (f faultyFile) Write(text []byte) (int, error) {
	if f.of.write == nil {
		return f.WriteCloser.Write(text)
	}
	fits, fault := f.of.write(f.name, text)
	n, err := f.WriteCloser.Write(text[:fits])
	return n, cmp.Or(err, fault)
}

func (f faultyFile) Close() error { return cmp.Or(f.of.closing, f.WriteCloser.Close()) }

// full is a folder on a disk with room for so many bytes. As on a real one, a
// replaced file that does not fit leaves the old one in its place, and a line
// that does not fit is written in part.
func full(room *int) *faulty {
	return &faulty{write: func(name string, text []byte) (int, error) {
		fits := min(len(text), *room)
		if fits < len(text) && name == "" {
			return 0, syscall.ENOSPC
		}
		if *room -= fits; fits < len(text) {
			return fits, syscall.ENOSPC
		}
		return fits, nil
	}}
}

// onDisk runs a short run over the folder and returns its first error.
func onDisk(folder results.Folder) error {
	recorder, err := results.NewRecorder(folder, manifest())
	if err != nil {
		return err
	}
	step := recorder.Phase(results.Phase{Name: "500/s", End: 4 * time.Second, Rate: 500})
	for i := range 4 {
		recorder.Event(results.Event{At: int64(i), What: results.PhaseBegins})
		succeed(recorder, step, 1, time.Duration(i)*time.Second, time.Millisecond)
		err = errors.Join(err, recorder.Advance(time.Duration(i)*time.Second))
	}
	err = errors.Join(err, recorder.Finish(4*time.Second, results.Valid, nil, nil))
	return errors.Join(err, recorder.Seal(&results.Summary{}))
}

func TestFullDiskLeavesTheRecordSoFarReadable(t *testing.T) {
	const plenty = 1 << 20
	left := plenty
	require.NoError(t, onDisk(full(&left)), "a run on a disk with room")
	for room := 0; room < plenty-left; room += 397 * 10 / resultstest.Cases(1, 10) {
		free := room
		disk := full(&free)
		err := onDisk(disk)
		require.Truef(t, errors.Is(err, results.ErrWrite) && errors.Is(err, syscall.ENOSPC),
			"a run with room for %d bytes = %v; want ErrWrite and ENOSPC", room, err)
		record, err := results.Read(&disk.Memory)
		if disk.Bytes(results.RunFile) == nil {
			assert.ErrorIsf(t, err, fs.ErrNotExist, "Read with room for %d bytes", room)
			continue
		}
		require.NoErrorf(t, err, "Read with room for %d bytes = %v; want the record so far", room, err)
		// The run may fail only in its very last write, the summary.
		assert.Truef(t, record.Validity == results.Partial || !record.Cut && record.Summary == nil && len(record.Intervals) == 4,
			"with room for %d bytes a cut record is %q; want partial", room, record.Validity)
		assert.Lenf(t, record.Intervals, bytes.Count(disk.Bytes(results.IntervalsFile), []byte("\n")),
			"with room for %d bytes seconds are read", room)
	}
}

func TestFailedRecordIsNotKeptAsValid(t *testing.T) {
	room := 1 << 20
	disk := full(&room)
	recorder := begin(t, disk)
	step := recorder.Phase(results.Phase{Name: "500/s", End: time.Second, Rate: 500})
	succeed(recorder, step, 1, 0, time.Millisecond)
	room = 5
	assert.ErrorIs(t, recorder.Advance(time.Second), results.ErrWrite, "Advance on a full disk")
	// Somebody makes room again; the lost second stays lost.
	room = 1 << 20
	assert.ErrorIs(t, recorder.Finish(2*time.Second, results.Valid, nil, nil), results.ErrWrite, "Finish after a failed write")
	record := resultstest.Read(t, &disk.Memory)
	assert.Truef(t, record.Validity == results.Partial && len(record.Reasons) == 1 && record.Cut,
		"the record is %q for %q, cut %t; want partial for one reason, cut", record.Validity, record.Reasons, record.Cut)
}

func TestErrorsOfFilesAreWriteErrors(t *testing.T) {
	for _, name := range []string{results.IntervalsFile, results.EventsFile} {
		_, err := results.NewRecorder(&faulty{create: func(created string) error {
			if created == name {
				return fs.ErrPermission
			}
			return nil
		}}, manifest())
		assert.Truef(t, errors.Is(err, results.ErrWrite) && errors.Is(err, fs.ErrPermission),
			"NewRecorder without %s = %v; want ErrWrite and fs.ErrPermission", name, err)
	}
	recorder := begin(t, &faulty{closing: syscall.EIO})
	resultstest.Finish(t, recorder, 0)
	if err := recorder.Seal(nil); !errors.Is(err, results.ErrWrite) || !errors.Is(err, syscall.EIO) {
		t.Errorf("Seal of files that do not close = %v; want ErrWrite and EIO", err)
	}
}

func lines[T any](t *testing.T, values []T) []byte {
	t.Helper()
	var text bytes.Buffer
	for _, value := range values {
		line, err := json.Marshal(value)
		require.NoError(t, err, "Marshal")
		text.Write(append(line, '\n'))
	}
	return text.Bytes()
}

// No content of the files panics, errors are the documented ones, accepted heat maps have a cell for each column, and
// accepted lines are the same when they are written and read again.
func FuzzRead(f *testing.F) {
	contents := killed(f)
	for _, lines := range [][2]string{
		{string(contents[results.IntervalsFile]), string(contents[results.EventsFile])},
		{"null\n", "null\n{}\n{"},
		{`{"second":-1,"per_operation":[{},{},{}],"response_buckets":[1]}` + "\n", ""},
	} {
		f.Add(contents[results.RunFile], []byte(lines[0]), []byte(lines[1]))
	}
	for _, run := range []string{
		string(sealed(f, nil).Bytes(results.RunFile)),
		`{"schema_version": 2, "manifest": {"started": "2011-11-06T09:40:00Z"}, "validity": "partial"}`,
		"{\"schema_version\": 2,\n \"phases\": \n \"summary\": null\n}\n",
		`{"schema_version": 2,"heat":{"seconds_per_column":4,"columns":2,"rows":[{"table":"t","key":"p","served_entities":[1,2]}],"rest":{"throttled":[0,3]},"partitions":3}}`,
		`{"schema_version": 2,"heat":{"seconds_per_column":0,"columns":-1,"rows":[{"failed":[]}]}}`,
	} {
		f.Add([]byte(run), []byte(nil), []byte(nil))
	}
	f.Fuzz(func(t *testing.T, run, intervals, events []byte) {
		folder := files(t, map[string][]byte{results.RunFile: run, results.IntervalsFile: intervals, results.EventsFile: events})
		head, err := results.ReadHead(folder)
		require.True(t, err == nil || errors.Is(err, results.ErrCorrupt) || errors.Is(err, results.ErrSchema), err)
		require.Truef(t, err != nil || head.SchemaVersion == results.SchemaVersion && !head.Manifest.Started.IsZero() && head.Validity != "", "%+v", head)
		one, err := results.Read(folder)
		require.True(t, err == nil || errors.Is(err, results.ErrCorrupt) || errors.Is(err, results.ErrSchema), err)
		if err != nil {
			return
		}
		for i := 0; one.Heat != nil && i < len(one.Heat.Rows); i++ {
			for _, series := range one.Heat.Rows[i].Series() {
				assert.True(t, *series == nil || len(*series) == one.Heat.Columns)
			}
		}
		again := files(t, map[string][]byte{results.RunFile: run, results.IntervalsFile: lines(t, one.Intervals), results.EventsFile: lines(t, one.Events)})
		two := resultstest.Read(t, again)
		assert.Equal(t, one.Intervals, two.Intervals)
		assert.Equal(t, one.Events, two.Events)
	})
}

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
		assert.Empty(t, gocmp.Diff(want, head), row.name)
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
	for _, row := range resultstest.Rows(t, "testdata/heat.txt", 3) {
		name, fits, folder := row[0], row[2] == "true", new(results.Memory)
		require.NoError(t, folder.Replace(results.RunFile, []byte(`{"schema_version": 2,"heat":`+row[1]+`}`)))
		if _, err := results.Read(folder); (err == nil) != fits || err != nil && !errors.Is(err, results.ErrCorrupt) {
			t.Errorf("%s: Read = %v; want ErrCorrupt only for a map that does not fit", name, err)
		}
		record, faults, err := results.Salvage(folder)
		assert.Truef(t, err == nil && len(faults) > 0 != fits && (fits || record.Heat == nil), "%s: Salvage = %v, %v; want no map that does not fit", name, faults, err)
	}
}
