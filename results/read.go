package results

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
)

var (
	// ErrCorrupt is wrapped where a record's file does not hold what it should.
	ErrCorrupt = errors.New("results: corrupt record")
	// ErrSchema is wrapped where a record was written by an earlier or a later version.
	ErrSchema = errors.New("results: record of another schema")
	// ErrWrite is wrapped where a record could not be written, as on a full disk.
	ErrWrite = errors.New("results: cannot write the record")
)

// OneLine returns what an error says, joined errors on one line; "" of nil.
func OneLine(err error) string {
	if err == nil {
		return ""
	}
	return strings.ReplaceAll(err.Error(), "\n", "; ")
}

// Read loads the record of a folder. A file that ends within a line is read up
// to that line and the record marked Cut; a missing interval or event file is
// an empty one. Errors wrap [ErrCorrupt], [ErrSchema] or fs.ErrNotExist.
func Read(folder Folder) (*Record, error) {
	text, err := readAll(folder, RunFile)
	if err != nil {
		return nil, err
	}
	var version struct {
		SchemaVersion int `json:"schema_version"`
	}
	if err := json.Unmarshal(text, &version); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrCorrupt, RunFile, err)
	}
	if err := checkVersion(version.SchemaVersion); err != nil {
		return nil, err
	}
	var r Record
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrCorrupt, RunFile, err)
	}
	for p := range r.Phases {
		if len(r.Phases[p].Kinds) != len(r.Manifest.Operations) {
			return nil, fmt.Errorf("%w: phase %q has %d kinds of operation, the manifest %d",
				ErrCorrupt, r.Phases[p].Name, len(r.Phases[p].Kinds), len(r.Manifest.Operations))
		}
	}
	if err := r.Heat.check(); err != nil {
		return nil, err
	}
	var cutIntervals, cutEvents bool
	r.Intervals, cutIntervals, err = readLines[Interval](folder, IntervalsFile)
	if err != nil {
		return nil, err
	}
	for _, i := range r.Intervals {
		if len(i.Kinds) != len(r.Manifest.Operations) {
			return nil, fmt.Errorf("%w: second %d has %d kinds of operation, the manifest %d",
				ErrCorrupt, i.Second, len(i.Kinds), len(r.Manifest.Operations))
		}
	}
	r.Events, cutEvents, err = readLines[Event](folder, EventsFile)
	if err != nil {
		return nil, err
	}
	r.Cut = cutIntervals || cutEvents
	return &r, nil
}

// checkVersion returns what is wrong with the schema version that a run has.
func checkVersion(version int) error {
	switch {
	case version < 1:
		return fmt.Errorf("%w: %s has no schema version", ErrCorrupt, RunFile)
	case version != SchemaVersion:
		return fmt.Errorf("%w: %s has version %d; expected %d, which this version writes", ErrSchema, RunFile, version, SchemaVersion)
	default:
		return nil
	}
}

func readAll(folder Folder, name string) ([]byte, error) {
	file, err := folder.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}

// readLines reads one value a line. The last line may be cut off; any other
// that cannot be read is an error with its number.
func readLines[T any](folder Folder, name string) (values []T, cut bool, err error) {
	file, err := folder.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	defer file.Close()
	lines := bufio.NewReader(file)
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return values, len(line) > 0, nil
		}
		if err != nil {
			return nil, false, fmt.Errorf("results: reading %s: %w", name, err)
		}
		var value T
		if err := json.Unmarshal(line, &value); err != nil {
			return nil, false, fmt.Errorf("%w: %s:%d: %w", ErrCorrupt, name, number, err)
		}
		values = append(values, value)
	}
}
