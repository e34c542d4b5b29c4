package run

import (
	"errors"
	"fmt"
	"os"
	"time"

	"loadgen/engine/clock"
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
		if where, some := k.folder.(results.Dir); some {
			err = fmt.Errorf("%w; what was written until then is in %s", err, where)
		}
		return nil, err
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

// kept tells that the record is sealed.
func (k *kept) kept(record *results.Record, ended error) (*results.Record, error) {
	if k.plan.Kept != nil {
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
