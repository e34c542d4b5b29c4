package results_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

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
