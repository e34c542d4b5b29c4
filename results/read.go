package results

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"
)

var (
	// ErrCorrupt is wrapped if a file of a record has invalid content.
	ErrCorrupt = errors.New("results: corrupt record")
	// ErrSchema is wrapped if a record was written by an earlier or a later version.
	ErrSchema = errors.New("results: record of another schema")
	// ErrWrite is wrapped if a record could not be written, for example on a full disk.
	ErrWrite = errors.New("results: cannot write the record")
)

// OneLine returns the text of an error, joined errors on one line; "" for nil.
func OneLine(err error) string {
	if err == nil {
		return ""
	}
	return strings.ReplaceAll(err.Error(), "\n", "; ")
}

// Read loads the record of a folder. A file that ends within a line is read up to that line, and the record marked Cut. A
// missing interval or event file is an empty one. The seconds of a run of more than 6 hours are summed by the minute, of
// more than 15 days by the hour, so that a record takes bounded memory. Stretches of reported phases that were left out
// because nothing happened in them are rows again. Errors wrap [ErrCorrupt], [ErrSchema] or fs.ErrNotExist.
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
	r, version := new(Record), new(struct {
		SchemaVersion int `json:"schema_version"`
	})
	if err := json.Unmarshal(text, version); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrCorrupt, RunFile, err)
	}
	if err := checkVersion(version.SchemaVersion); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrCorrupt, RunFile, err)
	}
	for p := range r.Phases {
		if len(r.Phases[p].Kinds) != len(r.Manifest.Operations) {
			return nil, fmt.Errorf("%w: phase %q has %d kinds of operation, the manifest %d",
				ErrCorrupt, r.Phases[p].Name, len(r.Phases[p].Kinds), len(r.Manifest.Operations))
		}
	}
	return r, r.Heat.check()
}

// readRows reads the seconds and the events of a record.
func readRows(folder Folder, r *Record, add func(Interval)) error {
	kinds := r.Manifest.Operations
	fail := func(err error) error {
		if err == errCut {
			r.Cut = true
			return nil
		}
		return err
	}
	err := readLines(folder, IntervalsFile, func(row *Interval) error {
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
	return readLines(folder, EventsFile, func(event *Event) error {
		r.Events = append(r.Events, *event)
		return nil
	}, fail)
}

// checkVersion returns an error unless a run has the schema version of this package.
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

// errCut means that a file ends within a line.
var errCut = errors.New("results: a line without an end")

// readLines calls add with the value of each line of a file, none if it is missing. It passes the error of an invalid
// line, or [errCut], to bad, and stops with what that returns unless it is nil.
func readLines[T any](folder Folder, name string, add func(*T) error, bad func(error) error) error {
	file, err := folder.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewReader(file)
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		switch {
		case err == io.EOF && len(line) > 0:
			return bad(errCut)
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("results: reading %s: %w", name, err)
		}
		var value T
		if err = json.Unmarshal(line, &value); err != nil {
			err = bad(fmt.Errorf("%w: %s:%d: %w", ErrCorrupt, name, number, err))
		} else {
			err = add(&value)
		}
		if err != nil {
			return err
		}
	}
}

// Salvage loads the readable part of a folder's record for a report, and returns a line for each fault; nil means that the
// record is that of [Read]. Whole phases, whole lines and whole members of run.json that cannot be read are left out, never
// a part of one, so that every figure is complete.
//
// If a part of run.json is missing, the record is partial, and has neither a summary nor the target's counts, which
// include what was not read. The error wraps fs.ErrNotExist if there is no run.json, or is that of reading the files.
func Salvage(folder Folder) (*Record, []string, error) {
	record, err := Read(folder)
	if !errors.Is(err, ErrCorrupt) {
		return record, nil, err
	}
	text, err := readAll(folder, RunFile)
	if err != nil {
		return nil, nil, err
	}
	w := &salvager{record: new(Record)}
	w.run(text)
	r := w.record
	if err := r.Heat.check(); err != nil {
		r.Heat, w.damaged = nil, true
		w.fault("%s: %s", RunFile, strings.TrimPrefix(err.Error(), ErrCorrupt.Error()+": "))
	}
	if r.Intervals, err = salvageLines[Interval](w, folder, IntervalsFile); err != nil {
		return nil, nil, err
	}
	if r.Events, err = salvageLines[Event](w, folder, EventsFile); err != nil {
		return nil, nil, err
	}
	// Phases and seconds must have the kinds of operation of the manifest. If those are unknown, so are figures by operation.
	kinds := len(r.Manifest.Operations)
	phases := slices.DeleteFunc(r.Phases, func(p Phase) bool { return len(p.Kinds) != kinds })
	if left := len(r.Phases) - len(phases); left > 0 {
		w.damaged = true
		w.fault("%d phases are not of the operations of the manifest", left)
	}
	rows := slices.DeleteFunc(r.Intervals, func(row Interval) bool { return kinds > 0 && len(row.Kinds) != kinds })
	if left := len(r.Intervals) - len(rows); left > 0 {
		w.fault("%d seconds are not of the operations of the manifest", left)
	}
	for i := range rows {
		if kinds == 0 {
			rows[i].Kinds = nil
		}
	}
	r.Phases, r.Intervals = phases, rows
	r = r.Condensed()
	if w.damaged {
		r.Validity, r.Summary, r.Target = Partial, nil, nil
		r.Reasons = append([]string{"the record cannot be read whole"}, r.Reasons...)
	}
	return r, w.faults, nil
}

// salvager reads a damaged record.
type salvager struct {
	record *Record
	faults []string
	// damaged reports that a part of run.json is missing.
	damaged bool
}

func (w *salvager) fault(format string, args ...any) {
	w.faults = append(w.faults, fmt.Sprintf(format, args...))
}

// run reads run.json member by member, the first of each name.
func (w *salvager) run(text []byte) {
	seen := make(map[string]bool)
	var bad []string
	isWhole := members(text, '{', func(name string, value []byte, complete bool) {
		if seen[name] {
			return
		}
		seen[name] = true
		if complete && decode(name, value, w.record) {
			return
		}
		bad = append(bad, name)
		switch name {
		case "manifest":
			members(value, '{', func(name string, value []byte, complete bool) {
				if complete {
					decode(name, value, &w.record.Manifest)
				}
			})
		case "phases":
			w.record.Phases = elements[Phase](value)
		case "minutes":
			w.record.Minutes = elements[Minute](value)
		}
	})
	w.damaged = !isWhole || len(bad) > 0
	if w.record.SchemaVersion < 1 && isWhole {
		w.damaged = true
		w.fault("%s has no schema version", RunFile)
	}
	switch {
	case !isWhole && len(bad) == 0:
		w.fault("%s is cut off, or is no record, after %d bytes", RunFile, len(text))
	case !isWhole:
		w.fault("%s is cut off after %d bytes, within: %s", RunFile, len(text), strings.Join(bad, ", "))
	case len(bad) > 0:
		w.fault("%s is unreadable in: %s", RunFile, strings.Join(bad, ", "))
	}
}

// decode decodes a member into an object, and reports whether it is valid: an invalid one changes nothing.
func decode[T any](name string, value []byte, into *T) bool {
	member, err := json.Marshal(map[string]json.RawMessage{name: value})
	return err == nil && json.Unmarshal(member, new(T)) == nil && json.Unmarshal(member, into) == nil
}

// members calls with each member of an object, or with each element of a list, without a name. The last one may be
// incomplete. It reports whether the object or the list is whole.
func members(text []byte, begin json.Delim, call func(name string, value []byte, complete bool)) bool {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if start, err := decoder.Token(); err != nil || start != begin {
		return false
	}
	for decoder.More() {
		name := ""
		if begin == '{' {
			key, err := decoder.Token()
			if err != nil {
				return false
			}
			name, _ = key.(string)
		}
		rest := bytes.TrimLeft(text[decoder.InputOffset():], " \t\r\n:")
		var value json.RawMessage
		if decoder.Decode(&value) != nil {
			call(name, rest, false)
			return false
		}
		call(name, value, true)
	}
	_, err := decoder.Token()
	return err == nil
}

// elements returns the valid elements of a list.
func elements[T any](text []byte) (list []T) {
	members(text, '[', func(_ string, text []byte, complete bool) {
		var value T
		if complete && json.Unmarshal(text, &value) == nil {
			list = append(list, value)
		}
	})
	return list
}

// salvageLines returns the values of the valid lines of a file.
func salvageLines[T any](w *salvager, folder Folder, name string) (values []T, err error) {
	bad := 0
	err = readLines(folder, name, func(value *T) error { values = append(values, *value); return nil }, func(err error) error {
		if err == errCut {
			w.fault("%s ends in the middle of a line", name)
		} else {
			bad++
		}
		return nil
	})
	if bad > 0 {
		w.fault("%s: %d lines cannot be read", name, bad)
	}
	return values, err
}

// Killed returns what the whole seconds show of a run that was not closed, nil for a closed one: it has a summary, or
// its phases have the counts of its seconds. It shares no memory with the record.
func (r *Record) Killed() *Killed {
	seconds, held, begun := int64(0), r.Counts(Everything).Attempts, int64(0)
	k := &Killed{Phases: []KilledPhase{}}
	for i := range r.Intervals {
		row := &r.Intervals[i]
		seconds += row.Attempts
		k.Seconds = max(k.Seconds, row.End())
		if row.Phase == "" {
			// It begins between phases.
			continue
		}
		if last := len(k.Phases) - 1; last < 0 || k.Phases[last].Name != row.Phase {
			k.Phases, begun = append(k.Phases, KilledPhase{Name: row.Phase}), row.Second
		}
		one := &k.Phases[len(k.Phases)-1]
		one.Seconds = row.End() - begun
		one.Due += float64(row.Scheduled)
		one.Served += float64(row.Served)
		one.Throttled += row.Throttled
		one.Failed += row.Failed
		one.Attempts += row.Attempts
		one.Operations += row.Operations
	}
	first := len(r.Phases) == 0 && slices.Equal(r.Reasons, []string{unfinished})
	if r.Summary != nil || r.Validity != Partial || held >= seconds && !(first && seconds == 0) {
		return nil
	}
	k.Tables = slices.Clone(r.Manifest.Tables)
	for i := range k.Phases {
		one := &k.Phases[i]
		one.Due /= float64(one.Seconds)
		one.Served /= float64(one.Seconds)
	}
	return k
}

// save writes run.json.
func (r *Recorder) save() error { return r.record.save(r.folder) }

func (r *Record) save(folder Folder) error {
	// One packer encodes all: the compressor is most of what that takes.
	var p packer
	r.eachKind(Everything, func(k *KindStats) {
		for _, h := range []*Histogram{k.Response, k.Lost, k.Service[Ok], k.Service[Throttled], k.Service[Failed]} {
			_, _ = h.encodedBy(&p) // an error shows below
		}
	})
	text, err := json.MarshalIndent(r, "", " ")
	if err == nil {
		err = folder.Replace(RunFile, append(text, '\n'))
	}
	return writeError(err)
}

// Write writes a record that was put together elsewhere into a folder, as [Recorder] writes
// one: the lines first, so that there is no run.json without them. Its error wraps [ErrWrite].
func (r *Record) Write(folder Folder) error {
	err := errors.Join(writeLines(folder, IntervalsFile, r.Intervals), writeLines(folder, EventsFile, r.Events))
	if err == nil {
		return r.save(folder)
	}
	return writeError(err)
}

func writeLines[T any](folder Folder, name string, list []T) error {
	file, err := folder.Create(name)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriter(file)
	lines := json.NewEncoder(buffered)
	for i := range list {
		if err == nil {
			err = lines.Encode(&list[i])
		}
	}
	return errors.Join(err, buffered.Flush(), file.Close())
}

// phaseAt returns the index of the phase of an instant, and false if there is none.
func (r *Recorder) phaseAt(at time.Duration) (int, bool) {
	return phaseAt(r.record.Phases, r.unended, at)
}

// phaseAt returns the index of the last phase in which an instant lies, and false if there is none.
func phaseAt(phases []Phase, unended []bool, at time.Duration) (int, bool) {
	for p := range slices.Backward(phases) {
		phase := &phases[p]
		if phase.Begin <= at && (at < phase.End || unended != nil && unended[p]) {
			return p, true
		}
	}
	return 0, false
}

// phaseName returns the name of the phase in which a second begins, or "".
func phaseName(phases []Phase, unended []bool, second int64) string {
	if p, found := phaseAt(phases, unended, time.Duration(second)*time.Second); found {
		return phases[p].Name
	}
	return ""
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
	r.failure = writeError(err)
}
