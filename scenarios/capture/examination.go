package capture

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"loadgen/engine/accesslog"
	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/report/verdict"
	"loadgen/results"
)

// Plan says whose traffic is examined, and where its record lies.
type Plan struct {
	// Out is the folder of the run; empty is a new one in results/runs.
	Out string
	// Version and Commit name the build, Command is how to do it again.
	Version, Commit string
	Command         []string
	// Model is the partition model of the service, Seed its root of all chance, and
	// Started its instant zero.
	Model   *model.Model
	Seed    uint64
	Started time.Time
	// Start is how the service's ranges lay, [model.Warm] or [model.Cold]; empty is warm.
	Start string
	// Faults are what goes wrong on purpose, a line for each rule.
	Faults []string
}

// Examination makes a run of the traffic that others send to a table service of
// this tool, in a folder of its own. The zero value is to be opened before the first
// request; Saw may be called from many goroutines then, Advance from one of them.
type Examination struct {
	// Folder is where the record lies, once the examination is open.
	Folder results.Dir
	// Capture takes the requests down from then on.
	*Capture

	where    results.Folder
	recorder *results.Recorder
	// hasReported is true once the error of a failed write was returned.
	hasReported bool
}

// examined is what the folder of such a run is named after.
const examined = "serve"

// Open makes the folder of the run and the record in it. Its error wraps
// results.ErrWrite; nothing is left behind that was not there before, then.
func (e *Examination) Open(p Plan) (err error) {
	p.Start = cmp.Or(p.Start, model.Warm)
	if e.Folder, err = results.NewDir(p.Out, filepath.Join("results", "runs"), p.Started, examined); err != nil {
		return err
	}
	// What is about to be observed, and how to do it again.
	m := p.Model
	documented, _ := model.New(model.Documented) // which is always there
	manifest := NewManifest(examined, p.Version, p.Commit, p.Command)
	manifest.Target, manifest.Start, manifest.Profile, manifest.Seed, manifest.Faults = results.Embedded, p.Start, m.Profile, p.Seed, p.Faults
	manifest.Started = p.Started.UTC().Round(0)
	manifest.Targets = results.Targets{Partition: m.PartitionTarget, Account: m.AccountTarget,
		Documented: m.PartitionTarget == documented.PartitionTarget && m.AccountTarget == documented.AccountTarget}
	for _, one := range m.ParametersOf(p.Start) {
		manifest.Model = append(manifest.Model, results.Parameter{Name: one.Name, Value: one.Text(),
			Unit: string(one.Unit), Provenance: string(one.From), About: one.About})
	}
	if err = e.Begin(e.Folder, manifest, 0); err != nil && p.Out == "" {
		err = errors.Join(err, os.RemoveAll(string(e.Folder)))
	}
	return err
}

// NewManifest returns the manifest of observed traffic, of a name and as observed by a build and a command. The target and
// the time are the caller's to set.
func NewManifest(name, version, commit string, command []string) results.Manifest {
	return results.Manifest{Command: command, Scenario: results.Scenario{Name: name}, Time: "real", Operations: Kinds(),
		Tool:        results.Tool{Version: version, Commit: commit, Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH},
		Environment: results.Environment{CPUs: runtime.NumCPU(), GOMAXPROCS: runtime.GOMAXPROCS(0)}}
}

// Begin opens the record of traffic that the manifest describes, whose operations are
// [Kinds], in a folder of the caller's. Hold is as of [Options]. Its error wraps
// results.ErrWrite.
func (e *Examination) Begin(folder results.Folder, manifest results.Manifest, hold time.Duration) (err error) {
	e.where = folder
	if e.recorder, err = results.NewRecorder(folder, manifest); err == nil {
		e.Capture = New(Options{Recorder: e.recorder, Hold: hold, Target: manifest.Targets.Partition})
	}
	return err
}

// Recorder returns the recorder of the record, which Begin opens.
func (e *Examination) Recorder() *results.Recorder { return e.recorder }

// Saw records one request, as [Capture.Saw] does: a separate method, since it is passed on
// before the examination is open.
func (e *Examination) Saw(seen *accesslog.Observed) { e.Capture.Saw(seen) }

// Advance says what time it is. Its error, which it returns once, is that the
// record cannot be written.
func (e *Examination) Advance(now clock.Instant) error {
	if e.hasReported {
		return nil
	}
	if err := e.Capture.Advance(now.Offset()); err != nil {
		e.hasReported = true
		return fmt.Errorf("the record cannot be written, and serving goes on without it: %w", err)
	}
	return nil
}

// Conclude closes the record of a service that ended so at an instant and counted
// so (nil if it was not interrupted), judges it, and seals it. The error is that of the end and all that went wrong
// here; where the record could not be closed or read back there is none.
func (e *Examination) Conclude(now clock.Instant, ended error, counts *results.TargetCounts) (*results.Record, error) {
	ended = errors.Join(ended, e.Capture.End())
	validity, reasons := results.Valid, []string{}
	switch {
	case errors.Is(ended, context.Canceled):
		validity, reasons = results.Partial, []string{"the run was interrupted"}
	case ended != nil:
		validity, reasons = results.Partial, []string{"the run was ended by an error: " + strings.ReplaceAll(ended.Error(), "\n", "; ")}
	}
	if err := e.recorder.Finish(now.Offset(), validity, reasons, counts); err != nil {
		// A write that failed in mid-run is what ended it, too: said once.
		return nil, fmt.Errorf("%w; what was written until then is in %s", err, e.where)
	}
	record, err := results.Read(e.where)
	if err != nil {
		return nil, errors.Join(ended, err)
	}
	summary := verdict.Judge(record)
	e.recorder.Event(results.Event{At: int64(record.Duration), What: results.VerdictTold, Text: summary.Verdict})
	if err := e.recorder.Seal(summary); err != nil {
		return nil, errors.Join(ended, err)
	}
	record.Summary = summary
	record.Validity, record.Reasons = summary.Validity, summary.Reasons
	return record, ended
}
