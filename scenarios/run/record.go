package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"loadgen/report/export"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/target"
)

// recording is the record of a run while it is written.
type recording struct {
	plan     *Plan
	folder   results.Folder
	manifest results.Manifest
	recorder *results.Recorder
	// isPrivate reports that the folder is in memory and that no caller reads it.
	isPrivate bool
	// isRescued reports that the folder was removed during the run: the record is in memory.
	isRescued bool
	// outputs are the files that are written beside the record.
	outputs []*output
}

// record opens the record: it creates the folder, if one is requested, and checks that it is writable.
func (p *Plan) record(manifest results.Manifest) (*recording, error) {
	k := &recording{plan: p, manifest: manifest}
	err := k.openOutputs()
	if err != nil {
		return nil, k.discard(err)
	}
	switch {
	case p.Out != "", p.Runs != "":
		k.folder, err = results.NewDir(p.Out, p.Runs, manifest.Started, manifest.Scenario.Name)
	case p.Memory != nil:
		k.folder = p.Memory
	default:
		k.folder, k.isPrivate = new(results.Memory), p.Kept == nil
	}
	if err != nil {
		return nil, k.discard(fmt.Errorf("%w: %w", ErrFolder, err))
	}
	if k.recorder, err = results.NewRecorder(k.folder, manifest); err != nil {
		err = fmt.Errorf("%w: %w", ErrFolder, err)
	} else if err = k.beginOutputs(); err == nil {
		return k, nil
	}
	err = k.discard(err)
	if dir, isDir := k.folder.(results.Dir); isDir && p.Out == "" {
		if gone := os.RemoveAll(string(dir)); gone != nil {
			err = errors.Join(err, gone)
		}
	}
	return nil, err
}

// countsOf returns the counts of a target, nil if it has none.
func countsOf(counter target.Counter) *results.TargetCounts {
	if counter == nil {
		return nil
	}
	own := results.TargetCounts(counter.Counts())
	return &own
}

// seal finishes the record of a run with the error that ended it, reads it back, judges it and seals it with its summary.
func (k *recording) seal(end time.Duration, counter target.Counter, ended error) (*results.Record, error) {
	ended = k.closeOutputs(true, ended)
	validity, reasons, by := endOf(ended)
	k.recorder.UpdateRecord(func(of *results.Record) { of.EndedBy = by })
	err := k.recorder.Finish(end, validity, reasons, countsOf(counter))
	ended = k.closeOutputs(false, ended)
	if err != nil {
		// A failed write also ended the run; it is reported once.
		where, isStored := k.folder.(results.Dir)
		switch memory, rescued := k.rescue(where); {
		case rescued:
			k.folder, k.isRescued = memory, true
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
	if !k.isPrivate {
		k.recorder.Event(results.Event{At: int64(record.Duration), What: results.VerdictTold, Text: summary.Verdict})
		if err := k.recorder.Seal(summary); err != nil {
			return nil, errors.Join(ended, err)
		}
	}
	record.Summary, record.Validity, record.Reasons = summary, summary.Validity, summary.Reasons
	return k.announce(record, ended)
}

// rescue reads the record of a folder that was removed during the run.
func (k *recording) rescue(folder results.Dir) (*results.Memory, bool) {
	if folder == "" || !folder.IsMissing() {
		return nil, false
	}
	return k.recorder.Rescue()
}

// announce calls Plan.Kept with the sealed record.
func (k *recording) announce(record *results.Record, ended error) (*results.Record, error) {
	if k.plan.Kept != nil && !k.isRescued {
		if err := k.plan.Kept(k.folder, record); err != nil {
			ended = errors.Join(ended, err)
		}
	}
	return record, ended
}

// output is a file that a run writes beside its record: each attempt, or each second. Its content is left unchanged until
// everything else is ready.
type output struct {
	*os.File
	// field is the field of the plan that names the file.
	field string
	// isNew reports that the file did not exist before.
	isNew bool
	// attempts or seconds is set once the output has begun.
	attempts *drive.ResultStream
	seconds  secondsForm
}

// secondsForm writes seconds in a format.
type secondsForm interface {
	Second(second *results.Interval, response []*results.Histogram)
	Err() error
}

// openOutputs opens the files that the plan names. Only a run in real time writes attempts.
func (k *recording) openOutputs() error {
	paths := [][2]string{{"record", k.plan.Attempts}, {"hlog", k.plan.HistogramLog}, {"csv", k.plan.SecondsTable}}
	if !k.plan.live() {
		paths = paths[1:]
	}
	for _, one := range paths {
		field, path := one[0], one[1]
		if path == "" {
			continue
		}
		if slices.ContainsFunc(k.outputs, func(o *output) bool { return o.Name() == path }) {
			return wrong(field, "another output has the same file; expected a different one")
		}
		_, missing := os.Stat(path)
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o644)
		if err != nil {
			return wrong(field, "%v", err)
		}
		k.outputs = append(k.outputs, &output{File: file, field: field, isNew: missing != nil})
	}
	return nil
}

// beginOutputs truncates the files, writes their headers and listens to every second.
func (k *recording) beginOutputs() error {
	var forms []secondsForm
	for _, one := range k.outputs {
		if err := one.begin(&k.manifest); err != nil {
			return wrong(one.field, "%v", err)
		}
		if one.seconds != nil {
			forms = append(forms, one.seconds)
		}
	}
	if len(forms) > 0 {
		k.recorder.Listen(func(second *results.Interval, response []*results.Histogram) {
			for _, form := range forms {
				form.Second(second, response)
			}
		})
	}
	return nil
}

// begin truncates the file, unless it is a device, and writes its header.
func (o *output) begin(m *results.Manifest) error {
	info, err := o.Stat()
	if err == nil && info.Mode().IsRegular() {
		err = o.Truncate(0)
	}
	if err != nil {
		return err
	}
	switch o.field {
	case "record":
		o.attempts = drive.NewResultStream(o.File, m.Scenario.Name, m.Started, m.Operations)
		return nil
	case "hlog":
		o.seconds = export.NewIntervalLog(o.File, m)
	default:
		o.seconds = export.NewSecondsTable(o.File, m)
	}
	return o.seconds.Err()
}

// close writes the rest and returns the first error of a write.
func (o *output) close() (err error) {
	if o.attempts != nil {
		err = o.attempts.Close()
	}
	if o.seconds != nil {
		err = o.seconds.Err()
	}
	return errors.Join(err, o.File.Close())
}

// closeOutputs closes the outputs of attempts, or those of seconds, and joins their errors to that of the run.
func (k *recording) closeOutputs(ofAttempts bool, ended error) error {
	for _, one := range k.outputs {
		if (one.attempts != nil) != ofAttempts {
			continue
		}
		if err := one.close(); err != nil {
			ended = errors.Join(ended, fmt.Errorf("%w: %w", results.ErrWrite, err))
		}
	}
	return ended
}

// discard closes the outputs of a run that does not begin and removes new ones. It returns the error with those of
// closing.
func (k *recording) discard(err error) error {
	for _, one := range k.outputs {
		gone := one.close()
		if one.isNew {
			gone = errors.Join(gone, os.Remove(one.Name()))
		}
		if gone != nil {
			err = errors.Join(err, gone)
		}
	}
	k.outputs = nil
	return err
}

var (
	// ErrBudget ends a run whose budget of billed transactions was spent.
	ErrBudget = errors.New("the budget of billed transactions was spent")
	// ErrConsent is the error of a remote run without consent.
	ErrConsent = errors.New("nothing was sent: the user did not agree to it")
	// ErrFolder is wrapped if the record's folder is not writable, before the first request.
	ErrFolder = errors.New("cannot write a run there")
	// ErrTarget is wrapped if the target is unavailable or rejects the credential.
	ErrTarget = errors.New("the target is not available")
)

// withoutKind returns joined errors without those of a kind, nil if there are no others.
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

// endOf returns the validity of a run by the error that ended it, with reasons, and what ended it early.
func endOf(ended error) (validity string, reasons []string, by results.EndedBy) {
	is := func(kind error) bool { return errors.Is(ended, kind) }
	switch {
	case is(context.Canceled): // the user did, whatever failed afterwards
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
