package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"loadgen/engine/clock"
	"loadgen/report/export"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/target"
)

// kept is the record of a run while it is written.
type kept struct {
	plan     *Plan
	folder   results.Folder
	manifest results.Manifest
	recorder *results.Recorder
	// private says that the folder is in memory, and nobody else's: nobody reads what is sealed.
	private bool
	// rescued is set if the folder was removed during the run: the record is in memory.
	rescued bool
	// logs are the files that are written second by second beside the record.
	logs []*secondsLog
}

// keep opens the record: it makes the folder where one is wanted, and proves that it can
// be written to.
func (p *Plan) keep(manifest results.Manifest) (*kept, error) {
	k := &kept{plan: p, manifest: manifest}
	err := k.openLogs()
	if err != nil {
		return nil, err
	}
	switch {
	case p.Out != "", p.Runs != "":
		k.folder, err = results.NewDir(p.Out, p.Runs, manifest.Started, manifest.Scenario.Name)
	case p.Memory != nil:
		k.folder = p.Memory
	default:
		k.folder, k.private = new(results.Memory), p.Kept == nil
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", ErrFolder, err), k.discardLogs())
	}
	if k.recorder, err = results.NewRecorder(k.folder, manifest); err != nil {
		err = fmt.Errorf("%w: %w", ErrFolder, err)
	} else if err = k.beginLogs(); err == nil {
		return k, nil
	}
	gone := k.discardLogs()
	if made, new := k.folder.(results.Dir); new && p.Out == "" {
		// Nothing was run: the folder made for it goes, too.
		gone = errors.Join(gone, os.RemoveAll(string(made)))
	}
	if gone != nil {
		err = errors.Join(err, gone)
	}
	return nil, err
}

// countsOf returns what a target has counted itself, nil of one that keeps no books.
func countsOf(counter target.Counter) *results.TargetCounts {
	if counter == nil {
		return nil
	}
	own := results.TargetCounts(counter.Counts())
	return &own
}

// seal closes the books of a run that ended so, reads its record back, judges it and
// seals it with its summary.
func (k *kept) seal(end time.Duration, counter target.Counter, ended error) (*results.Record, error) {
	validity, reasons, by := endOf(ended)
	k.recorder.Take(func(of *results.Record) { of.EndedBy = by })
	err := k.recorder.Finish(end, validity, reasons, countsOf(counter))
	// What ended the run stays what it is where nothing else went wrong.
	for _, one := range k.logs {
		if unwritten := errors.Join(one.form.Err(), one.Close()); unwritten != nil {
			ended = errors.Join(ended, fmt.Errorf("%w: %w", results.ErrWrite, unwritten))
		}
	}
	if err != nil {
		// A write that failed in mid-run is what ended it, too: said once.
		where, isStored := k.folder.(results.Dir)
		switch memory, rescued := k.rescue(where); {
		case rescued:
			k.folder, k.rescued = memory, true
			ended = errors.Join(ended, fmt.Errorf("%w: %s was removed during the run; the report is all that is left", results.ErrWrite, where))
		case isStored:
			return nil, fmt.Errorf("%w; what was written until then is in %s", err, where)
		default:
			return nil, err
		}
	}
	record, err := results.Read(k.folder)
	if err != nil {
		return nil, errors.Join(ended, err)
	}
	if k.plan.handed != nil && k.plan.handed.record != nil {
		return k.sealJoined(record, ended)
	}
	summary := verdict.Judge(record)
	if !k.private {
		k.recorder.Event(results.Event{At: int64(record.Duration), What: results.VerdictTold, Text: summary.Verdict})
		if err := k.recorder.Seal(summary); err != nil {
			return nil, errors.Join(ended, err)
		}
	}
	record.Summary, record.Validity, record.Reasons = summary, summary.Validity, summary.Reasons
	return k.kept(record, ended)
}

// rescue reads the record of a folder that was removed during the run.
func (k *kept) rescue(folder results.Dir) (*results.Memory, bool) {
	if folder == "" || !folder.IsMissing() {
		return nil, false
	}
	return k.recorder.Rescue()
}

// kept tells that the record is sealed.
func (k *kept) kept(record *results.Record, ended error) (*results.Record, error) {
	if k.plan.Kept != nil && !k.rescued {
		if err := k.plan.Kept(k.folder, record); err != nil {
			ended = errors.Join(ended, err)
		}
	}
	return record, ended
}

// openResultStream is a result stream with the file that it writes to. A nil one is none.
type openResultStream struct {
	*drive.ResultStream
	file *besideFile
}

// result stream opens the recording of attempts, nil where none was asked for. What the
// file holds is left as it is until all else is ready.
func (p *Plan) resultStream(clk clock.Real, c *campaign.Campaign) (*openResultStream, error) {
	if p.Attempts == "" {
		return nil, nil
	}
	file, err := openBeside("record", p.Attempts)
	if err != nil {
		return nil, err
	}
	return &openResultStream{drive.NewResultStream(file, p.Scenario.Name, clk.Started(), c.Kinds()), file}, nil
}

// close writes what is left of a recording, if there is one.
func (t *openResultStream) close() error {
	if t == nil {
		return nil
	}
	return errors.Join(t.ResultStream.Close(), t.file.Close())
}

func (t *openResultStream) discard() error {
	err := t.close()
	if t != nil {
		err = errors.Join(err, t.file.forget())
	}
	return err
}

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

var (
	// ErrBudget ends a run whose budget of billed transactions was spent.
	ErrBudget = errors.New("the budget of billed transactions was spent")
	// ErrConsent is that of a remote run that nobody agreed to.
	ErrConsent = errors.New("nothing was sent: nobody has agreed to it")
	// ErrFolder is wrapped where the record's folder cannot be written to, before
	// anything was sent.
	ErrFolder = errors.New("cannot write a run there")
	// ErrTarget is wrapped where the target is not there, or does not take our
	// signature, before anything was done to it.
	ErrTarget = errors.New("the target is not available")
)

// withoutKind returns what is left of joined errors without those of a kind.
func withoutKind(err, kind error) error {
	joined, many := err.(interface{ Unwrap() []error })
	switch {
	case many:
		var rest []error
		for _, one := range joined.Unwrap() {
			rest = append(rest, withoutKind(one, kind))
		}
		return errors.Join(rest...)
	case errors.Is(err, kind):
		return nil
	default:
		return err
	}
}

// endOf returns what a record says of how its run ended, and what ended it early.
func endOf(ended error) (validity string, reasons []string, by results.EndedBy) {
	is := func(kind error) bool { return errors.Is(ended, kind) }
	switch {
	case is(context.Canceled): // somebody did, whatever failed after that
	case is(drive.ErrStopped):
		by = results.EndedByStopOn
	case slices.ContainsFunc([]error{drive.ErrSilent, ErrTarget, campaign.ErrPreparation, campaign.ErrAfterLoad}, is):
		by = results.EndedByTarget
	}
	switch {
	case ended == nil:
		return results.Valid, []string{}, by
	case errors.Is(ended, context.Canceled):
		return results.Partial, []string{"the run was interrupted"}, by
	case ended == ErrBudget:
		return results.Partial, []string{ErrBudget.Error()}, by
	}
	var stop *drive.Stop
	if errors.As(ended, &stop) {
		reasons, ended = append(reasons, "the run was "+stop.Reason()), withoutKind(ended, drive.ErrStopped)
	}
	if ended != nil {
		reasons = append(reasons, "the run was ended by an error: "+results.OneLine(ended))
	}
	return results.Partial, reasons, by
}
