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
// an empty one. The seconds of a run of more than 6 hours are summed up by the minute, of more than 15 days by the
// hour, so that a record takes bounded memory. Stretches of reported phases that were left out because nothing happened
// in them are rows again. Errors wrap [ErrCorrupt], [ErrSchema] or fs.ErrNotExist.
func Read(folder Folder) (*Record, error) {
	r, err := readRun(folder)
	if err != nil {
		return nil, err
	}
	rows := newCondenser(r)
	if err := readRows(folder, r, rows.add); err != nil {
		return nil, err
	}
	rows.finish()
	return r, nil
}

// ReadSeconds loads the record of a folder as [Read] does, with the seconds as they are in the file: for [Merge].
func ReadSeconds(folder Folder) (*Record, error) {
	r, err := readRun(folder)
	if err != nil {
		return nil, err
	}
	return r, readRows(folder, r, func(row Interval) { r.Intervals = append(r.Intervals, row) })
}

// readRun loads run.json.
func readRun(folder Folder) (*Record, error) {
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
	return &r, nil
}

// readRows reads the seconds and the events of a record.
func readRows(folder Folder, r *Record, add func(Interval)) error {
	kinds, fail := r.Manifest.Operations, func(err error) error { return err }
	cutIntervals, err := readLines(folder, IntervalsFile, func(row *Interval) error {
		if len(row.Kinds) != len(kinds) {
			return fmt.Errorf("%w: second %d has %d kinds of operation, the manifest %d", ErrCorrupt, row.Second, len(row.Kinds), len(kinds))
		}
		for k := range kinds {
			if row.Kinds[k].Name == kinds[k].Name {
				row.Kinds[k].Name = kinds[k].Name // one string for all rows
			}
		}
		add(*row)
		return nil
	}, fail)
	if err != nil {
		return err
	}
	cutEvents, err := readLines(folder, EventsFile, func(event *Event) error {
		r.Events = append(r.Events, *event)
		return nil
	}, fail)
	r.Cut = cutIntervals || cutEvents
	return err
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

// readLines reads one value a line. The last line may be cut off; of any other that cannot be read
// bad returns the error with its number, or nil to go on.
func readLines[T any](folder Folder, name string, add func(*T) error, bad func(error) error) (cut bool, err error) {
	file, err := folder.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer file.Close()
	lines := bufio.NewReader(file)
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return len(line) > 0, nil
		}
		if err != nil {
			return false, fmt.Errorf("results: reading %s: %w", name, err)
		}
		var value T
		if err = json.Unmarshal(line, &value); err != nil {
			err = bad(fmt.Errorf("%w: %s:%d: %w", ErrCorrupt, name, number, err))
		} else {
			err = add(&value)
		}
		if err != nil {
			return false, err
		}
	}
}
