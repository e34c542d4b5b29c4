package results

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"
)

// save writes run.json as the record stands.
func (r *Recorder) save() error {
	text, err := json.MarshalIndent(&r.record, "", " ")
	if err == nil {
		err = r.folder.Replace(RunFile, append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrWrite, err)
	}
	return nil
}

// writeRow appends the oldest open second to the file.
func (r *Recorder) writeRow() {
	name := ""
	if phase, found := r.phaseAt(time.Duration(r.rows.first) * time.Second); found {
		name = r.record.Phases[phase].Name
	}
	row := r.rows.take(name)
	r.writeLine(r.intervals, &row.Interval)
	r.rows.recycle(row)
}

// phaseAt returns the index of the phase in which an instant lies, and false
// where it lies in none.
func (r *Recorder) phaseAt(at time.Duration) (int, bool) {
	for p := range slices.Backward(r.record.Phases) {
		phase := &r.record.Phases[p]
		if phase.Begin <= at && (at < phase.End || r.unended[p]) {
			return p, true
		}
	}
	return 0, false
}

// writeLine appends one line of JSON, whole, unless a write failed before.
func (r *Recorder) writeLine(to io.Writer, value any) {
	if r.failure != nil {
		return
	}
	text, err := json.Marshal(value)
	if err == nil {
		_, err = to.Write(append(text, '\n'))
	}
	if err != nil {
		r.failure = fmt.Errorf("%w: %w", ErrWrite, err)
	}
}
