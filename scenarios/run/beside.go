package run

import (
	"errors"
	"fmt"
	"io"
	"os"

	"loadgen/report/export"
	"loadgen/results"
)

// besideFile is a file that is written beside the record while a run goes on.
type besideFile struct {
	*os.File
	// made says that it was not there before.
	made bool
}

// openBeside opens such a file, which a field of the plan names. What it holds is left as it
// is until [besideFile.empty].
func openBeside(field, path string) (*besideFile, error) {
	_, missing := os.Stat(path)
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return nil, wrong(field, "%v", err)
	}
	return &besideFile{file, missing != nil}, nil
}

// empty empties the file for what follows; a device has nothing to empty.
func (f *besideFile) empty() error {
	info, err := f.Stat()
	if err == nil && info.Mode().IsRegular() {
		err = f.Truncate(0)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", results.ErrWrite, err)
	}
	return nil
}

// forget removes a file that was not there before.
func (f *besideFile) forget() error {
	if !f.made {
		return nil
	}
	return os.Remove(f.Name())
}

// secondsLog is a file that is written second by second; begins makes its form.
type secondsLog struct {
	*besideFile
	// field is that of the plan which names the file.
	field  string
	begins func(io.Writer, *results.Manifest) secondsForm
	form   secondsForm
}

// secondsForm writes seconds in some form.
type secondsForm interface {
	Second(second *results.Interval, response []*results.Histogram)
	Err() error
}

// openLogs opens the files that are wanted beside the record.
func (k *kept) openLogs() error {
	for _, one := range []struct {
		field, path string
		begins      func(io.Writer, *results.Manifest) secondsForm
	}{
		{"hlog", k.plan.HistogramLog, func(w io.Writer, m *results.Manifest) secondsForm { return export.NewIntervalLog(w, m) }},
		{"csv", k.plan.SecondsTable, func(w io.Writer, m *results.Manifest) secondsForm { return export.NewSecondsTable(w, m) }},
	} {
		if one.path == "" {
			continue
		}
		var file *besideFile
		var err error
		if one.path == k.plan.Attempts || one.field == "csv" && one.path == k.plan.HistogramLog {
			err = wrong(one.field, "another output has the same file; expected a different one")
		} else {
			file, err = openBeside(one.field, one.path)
		}
		if err != nil {
			if gone := k.discardLogs(); gone != nil {
				err = errors.Join(err, gone)
			}
			return err
		}
		k.logs = append(k.logs, &secondsLog{besideFile: file, field: one.field, begins: one.begins})
	}
	return nil
}

// beginLogs writes their heads, and has them told of every second.
func (k *kept) beginLogs() error {
	for _, one := range k.logs {
		if err := one.empty(); err != nil {
			return wrong(one.field, "%v", err)
		}
		one.form = one.begins(one.File, &k.manifest)
		if err := one.form.Err(); err != nil {
			return wrong(one.field, "%v", err)
		}
	}
	if len(k.logs) > 0 {
		k.recorder.Listen(func(second *results.Interval, response []*results.Histogram) {
			for _, one := range k.logs {
				one.form.Second(second, response)
			}
		})
	}
	return nil
}

// discardLogs closes those of a run that does not begin.
func (k *kept) discardLogs() (all error) {
	for _, one := range k.logs {
		all = errors.Join(all, one.Close(), one.forget())
	}
	k.logs = nil
	return all
}
