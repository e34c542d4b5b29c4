package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"

	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/engine/rest"
	"loadgen/results"
	"loadgen/scenarios/observe"
)

// examination makes a run of the traffic that others send. A nil one does
// nothing.
type examination struct {
	folder   results.Dir
	recorder *results.Recorder
	observer *observe.Observer
	// told says that it is known that the record cannot be written.
	told bool
}

// examined is what the folder of such a run is named after.
const examined = "serve"

// open makes the folder of the run and the record in it.
func (e *examination) open(s *serving, command []string) error {
	files := runFlags{out: s.flags.out}
	var err error
	if e.folder, e.recorder, err = files.recorder(s.manifest(command)); err != nil {
		return fmt.Errorf("%w: %w", errNoFolder, err)
	}
	e.observer, err = observe.New(observe.Options{Recorder: e.recorder})
	return err
}

// manifest says what is about to be observed, and how to do it again.
func (s *serving) manifest(command []string) results.Manifest {
	m := s.model
	manifest := results.Manifest{
		Tool: results.Tool{Version: version(), Commit: commit(), Go: runtime.Version(),
			System: runtime.GOOS + "/" + runtime.GOARCH},
		Command:  command,
		Scenario: results.Scenario{Name: examined},
		Target:   results.Embedded, Start: model.Warm, Profile: m.Profile, Seed: s.flags.seed,
		Started: s.clock.Started().UTC().Round(0), Time: "real",
		Targets: results.Targets{Partition: m.PartitionTarget, Account: m.AccountTarget,
			Documented: m.PartitionTarget == documentedPartition && m.AccountTarget == documentedAccount},
		Operations:  observe.Kinds(),
		Environment: results.Environment{CPUs: runtime.NumCPU(), GOMAXPROCS: runtime.GOMAXPROCS(0)},
	}
	for _, p := range m.ParametersOf(model.Warm) {
		manifest.Model = append(manifest.Model, results.Parameter{Name: p.Name, Value: p.Text(),
			Unit: string(p.Unit), Provenance: string(p.From), About: p.About})
	}
	return manifest
}

// saw takes down one request. It implements rest.Options.Observe.
func (e *examination) saw(seen *rest.Seen) { e.observer.Saw(seen) }

// advance says what time it is. Its error, which it returns once, is that the
// record cannot be written.
func (e *examination) advance(now clock.Instant) error {
	if e == nil || e.told {
		return nil
	}
	err := e.observer.Advance(now.Offset())
	e.told = err != nil
	return err
}

// conclude closes the record of a service that ended so, judges it, draws it and
// prints the report. The error is that of the end and all that went wrong here.
func (e *examination) conclude(s *serving, ended error, stdout io.Writer) error {
	if e == nil {
		return ended
	}
	ended = errors.Join(ended, e.observer.End())
	end := runFlags{format: "text"}
	result, ended := end.finish(e.folder, e.recorder, s.clock, &destination{counter: served{s.handler}}, ended, s.journal.to)
	if result == nil {
		return ended
	}
	if _, err := fmt.Fprintln(stdout); err != nil {
		return errors.Join(ended, err)
	}
	return errors.Join(ended, end.print(stdout, result))
}
