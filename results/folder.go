package results

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
	"unicode"
)

// The files of a record.
const (
	RunFile       = "run.json"
	IntervalsFile = "intervals.ndjson"
	EventsFile    = "events.ndjson"
)

// Folder stores the files of a record. Its methods are safe for concurrent use.
type Folder interface {
	// Create opens a file of that name for writing, empty.
	Create(name string) (io.WriteCloser, error)
	// Replace writes a whole file in one step: readers see the old or the new.
	Replace(name string, text []byte) error
	// Open opens a file for reading; a missing one is fs.ErrNotExist.
	Open(name string) (io.ReadCloser, error)
}

// Dir is a folder of the file system; it must exist.
type Dir string

var _ Folder = Dir("")

// writeError wraps an error of writing a record, nil if it is nil.
func writeError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrWrite, err)
}

// MakeDir creates a folder for a run below parent, named after the time and the scenario, and parent if it is missing. A
// number is added to a name that exists. Errors wrap [ErrWrite].
func MakeDir(parent string, started time.Time, scenario string) (Dir, error) {
	// Only letters, digits and "-_" are kept, so that the name is no path.
	const maxLength, maxNumber = 48, 1000
	label := []rune(scenario)
	for i, c := range label {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '-' && c != '_' {
			label[i] = '-'
		}
	}
	base := filepath.Join(parent, started.UTC().Format("20060102T150405Z")+"-"+string(label[:min(len(label), maxLength)]))
	err := os.MkdirAll(parent, 0o755)
	name := base
	for n := 2; err == nil; n++ {
		if err = os.Mkdir(name, 0o755); err == nil {
			return Dir(name), nil
		}
		if errors.Is(err, fs.ErrExist) && n <= maxNumber {
			name, err = fmt.Sprintf("%s-%d", base, n), nil
		}
	}
	return "", writeError(err)
}

// NewDir makes the folder of a run: name as [UseDir] does if it is not empty, otherwise a new one as [MakeDir] does.
func NewDir(name, parent string, started time.Time, scenario string) (Dir, error) {
	if name != "" {
		return UseDir(name)
	}
	return MakeDir(parent, started, scenario)
}

// UseDir makes a folder that may exist the folder of a run. It fails if the folder has a record or cannot be written to.
// Errors wrap [ErrWrite].
func UseDir(name string) (Dir, error) {
	if _, err := os.Stat(filepath.Join(name, RunFile)); err == nil {
		return "", fmt.Errorf("%w: %s already holds a run", ErrWrite, name)
	}
	err := os.MkdirAll(name, 0o755)
	if err == nil {
		var probe *os.File
		if probe, err = os.CreateTemp(name, ".probe-*"); err == nil {
			err = errors.Join(probe.Close(), os.Remove(probe.Name()))
		}
	}
	if err != nil {
		return "", writeError(err)
	}
	return Dir(name), nil
}

// IsMissing reports whether the folder does not exist any more.
func (d Dir) IsMissing() bool {
	_, err := os.Stat(string(d))
	return errors.Is(err, fs.ErrNotExist)
}

// Create implements [Folder].
func (d Dir) Create(name string) (io.WriteCloser, error) {
	return os.Create(filepath.Join(string(d), name))
}

// Open implements [Folder].
func (d Dir) Open(name string) (io.ReadCloser, error) {
	return os.Open(filepath.Join(string(d), name))
}

// Replace implements [Folder].
func (d Dir) Replace(name string, text []byte) error {
	target := filepath.Join(string(d), name)
	temporary, err := os.CreateTemp(string(d), "."+name+"-*")
	if err != nil {
		return err
	}
	_, err = temporary.Write(text)
	err = errors.Join(err, temporary.Chmod(0o644), temporary.Close())
	if err == nil {
		err = os.Rename(temporary.Name(), target)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temporary.Name()))
	}
	return nil
}

// Memory is a folder that exists only in memory. The zero value is empty.
type Memory struct {
	mu    sync.Mutex
	files map[string]*memoryFile
}

var _ Folder = (*Memory)(nil)

// memoryFile is a file of a folder, written under the folder's lock. All but its last block is compressed: a run of a
// day has 90 MB of seconds, which mostly resemble one another.
type memoryFile struct {
	folder *Memory
	// tail is the text behind the first flushed bytes, whose compressed form is in packed.
	tail    []byte
	flushed int64
	packed  bytes.Buffer
	writer  *flate.Writer
}

// memoryBlock is the size from which on the end of a file is compressed.
const memoryBlock = 1 << 20

// Create implements [Folder].
func (m *Memory) Create(name string) (io.WriteCloser, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.put(name, nil), nil
}

// put replaces a file; the caller holds the lock.
func (m *Memory) put(name string, text []byte) *memoryFile {
	if m.files == nil {
		m.files = make(map[string]*memoryFile)
	}
	m.files[name] = &memoryFile{folder: m, tail: text}
	return m.files[name]
}

// Replace implements [Folder].
func (m *Memory) Replace(name string, text []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.put(name, bytes.Clone(text))
	return nil
}

// Open implements [Folder].
func (m *Memory) Open(name string) (io.ReadCloser, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	file, exists := m.files[name]
	if !exists {
		return nil, fmt.Errorf("results: %s: %w", name, fs.ErrNotExist)
	}
	tail := bytes.NewReader(bytes.Clone(file.tail))
	if file.flushed == 0 {
		return io.NopCloser(tail), nil
	}
	// Later writes only append to packed.
	packed := flate.NewReader(bytes.NewReader(file.packed.Bytes()))
	return io.NopCloser(io.MultiReader(io.LimitReader(packed, file.flushed), tail)), nil
}

// Bytes returns a copy of a file's content, nil if there is none.
func (m *Memory) Bytes(name string) []byte {
	file, err := m.Open(name)
	if err != nil {
		return nil
	}
	text, err := io.ReadAll(file)
	if err != nil {
		panic("results: compressed memory cannot be read: " + err.Error())
	}
	return text
}

func (f *memoryFile) Write(text []byte) (int, error) {
	f.folder.mu.Lock()
	defer f.folder.mu.Unlock()
	if f.tail = append(f.tail, text...); len(f.tail) < memoryBlock {
		return len(text), nil
	}
	if f.writer == nil {
		f.writer, _ = flate.NewWriter(&f.packed, flate.BestSpeed) // the level is one of the package's
	}
	if _, err := f.writer.Write(f.tail); err != nil {
		return 0, err
	}
	f.flushed, f.tail = f.flushed+int64(len(f.tail)), f.tail[:0]
	return len(text), f.writer.Flush()
}

func (f *memoryFile) Close() error { return nil }

// Head is the part of a record before and after its measurements, for a list of runs.
type Head struct {
	SchemaVersion int           `json:"schema_version"`
	Manifest      Manifest      `json:"manifest"`
	Validity      string        `json:"validity"`
	Reasons       []string      `json:"reasons"`
	Duration      time.Duration `json:"duration_ns"`
	// Summary is nil in a run that did not end regularly.
	Summary *Summary `json:"summary"`
}

// Killed reports whether the record was not closed: the run was killed, or is still running.
func (h *Head) Killed() bool { return h.Summary == nil && h.Validity == Partial && h.Duration == 0 }

// The positions of the measurements in a run.json that [Recorder] wrote: keys of the object itself are on a line
// behind one space, and no JSON string contains a line feed, so that the texts occur nowhere else.
var (
	beforePhases  = []byte(",\n \"phases\": ")
	beforeSummary = []byte("\n \"summary\": ")
)

// ReadHead reads the head of the record in a folder. It looks at neither the measurements
// nor the two other files, and so takes a fraction of the time of [Read], and finds no
// fault in them. Its errors wrap [ErrCorrupt], [ErrSchema] or fs.ErrNotExist.
func ReadHead(folder Folder) (*Head, error) {
	text, err := readAll(folder, RunFile)
	if err != nil {
		return nil, err
	}
	head := new(Head)
	before, after := bytes.Index(text, beforePhases), bytes.LastIndex(text, beforeSummary)
	ours := before >= 0 && after >= before
	if ours {
		ours = json.Unmarshal(slices.Concat(text[:before], []byte{','}, text[after:]), head) == nil
	}
	if !ours {
		// Another process has replaced it, or it was cut off.
		head = new(Head)
		if err := json.Unmarshal(text, head); err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrCorrupt, RunFile, err)
		}
	}
	if err := checkVersion(head.SchemaVersion); err != nil {
		return nil, err
	}
	if head.Manifest.Started.IsZero() || !slices.Contains([]string{Valid, Partial, Invalid}, head.Validity) {
		return nil, fmt.Errorf("%w: %s lacks its start time and validity", ErrCorrupt, RunFile)
	}
	return head, nil
}
