package main

import (
	"errors"
	"os"
	"path/filepath"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios/drive"
)

// recorder makes the folder of the run, proves that it can be written to, and
// opens the record in it.
func (f *runFlags) recorder(manifest results.Manifest) (results.Dir, *results.Recorder, error) {
	var folder results.Dir
	var err error
	if f.out != "" {
		folder, err = results.UseDir(f.out)
	} else {
		folder, err = results.MakeDir(filepath.Join("results", "runs"), manifest.Started, manifest.Scenario.Name)
	}
	if err != nil {
		return "", nil, err
	}
	recorder, err := results.NewRecorder(folder, manifest)
	if err != nil && f.out == "" {
		// Nothing was run: the folder made for it goes, too.
		err = errors.Join(err, os.RemoveAll(string(folder)))
	}
	return folder, recorder, err
}

// openTape is a tape with the file that it writes to.
type openTape struct {
	*drive.Tape
	file *os.File
	// made says that the file was not there before.
	made bool
}

// tape opens the recording of attempts, nil where none was asked for. What the
// file holds is left as it is until [openTape.begin].
func (f *runFlags) tape(attack string, clk clock.Real, c *drive.Campaign) (*openTape, error) {
	if f.record == "" {
		return nil, nil
	}
	_, missing := os.Stat(f.record)
	file, err := os.OpenFile(f.record, os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	return &openTape{drive.NewTape(file, attack, clk.Started(), c.Kinds()), file, missing != nil}, nil
}

// begin empties the file for the recording that follows; a device has nothing to
// empty.
func (t *openTape) begin() error {
	if t == nil {
		return nil
	}
	if info, err := t.file.Stat(); err != nil || !info.Mode().IsRegular() {
		return err
	}
	return t.file.Truncate(0)
}

// close writes what is left of a recording, if there is one.
func (t *openTape) close() error {
	if t == nil {
		return nil
	}
	return errors.Join(t.Tape.Close(), t.file.Close())
}

// discard takes back the opening of a recording.
func (t *openTape) discard() error {
	err := t.close()
	if t != nil && t.made {
		err = errors.Join(err, os.Remove(t.file.Name()))
	}
	return err
}
