package logs

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"loadgen/engine/accesslog"
	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/results"
	"loadgen/scenarios/capture"
)

// Plan says what to report about a log.
type Plan struct {
	Files   []Source
	Reading Options
	// Strict makes the report state whether the load of the log was sustained.
	Strict bool
	// Out is where the record is kept, which holds keys of the log: empty keeps none.
	Out string
	// Version and Commit name the build, Command is what was typed.
	Version, Commit string
	Command         []string
}

// Told is the report about a log.
type Told struct {
	Record  *results.Record
	Reading *Reading
	// Latency is that of each operation, by its name.
	Latency map[string]*Latency
	// Folder is where the record is to be kept, empty for nowhere.
	Folder results.Dir

	plan     Plan
	into     results.Folder
	examined capture.Examination
	last     clock.Instant
}

// Examine reads a log and makes a record of it, which is judged and sealed. It takes a
// temporary folder for it where none is kept. The error wraps [ErrSource] where something
// is wrong with the log, or that no line says a key, or results.ErrWrite.
func Examine(p Plan) (told *Told, err error) {
	told = &Told{plan: p, Reading: new(Reading), Latency: make(map[string]*Latency)}
	if p.Out == "" {
		made, err := os.MkdirTemp("", "loadgen-log-")
		if err != nil {
			return nil, fmt.Errorf("%w: %w", results.ErrWrite, err)
		}
		defer func() { err = errors.Join(err, os.RemoveAll(made)) }()
		return told, told.make(results.Dir(made))
	}
	if told.Folder, err = results.UseDir(p.Out); err != nil {
		return nil, err
	}
	return told, told.make(told.Folder)
}

// IsRecord reports whether a path is the folder of a run, such as that of serve --examine.
func IsRecord(path string) bool {
	info, err := os.Stat(filepath.Join(path, results.RunFile))
	return err == nil && info.Mode().IsRegular()
}

// Hashing returns a function that replaces a key by a short salted hash:
// equal keys stay equal, and nothing else is left of them.
func Hashing(salt []byte) func(key string) string {
	return func(key string) string {
		by := hmac.New(sha256.New, salt)
		_, _ = io.WriteString(by, key)
		return hex.EncodeToString(by.Sum(nil)[:8])
	}
}

func (t *Told) make(folder results.Folder) error {
	t.into = folder
	err := Read(t.plan.Files, t.plan.Reading, t.Reading, t.record)
	if err == nil {
		err = t.Reading.Missing(t.plan.Reading.Table)
	}
	if err == nil {
		t.Record, err = t.examined.Conclude(t.last, nil, nil)
	}
	return err
}

// record records one request.
func (t *Told) record(o *accesslog.Observed) error {
	if t.examined.Capture == nil {
		if err := t.begin(o.At.Time()); err != nil {
			return err
		}
	}
	t.examined.Saw(o)
	t.last = max(t.last, o.EndTime()+1)
	of := t.Latency[o.Operation]
	if of == nil {
		if len(t.Latency) >= maxOperations {
			return nil
		}
		of = new(Latency)
		t.Latency[o.Operation] = of
	}
	of.Requests++
	switch o.Outcome() {
	case accesslog.Throttled:
		of.Throttled++
		return nil
	case accesslog.Failed:
		return nil
	}
	if o.EndToEnd >= 0 {
		of.EndToEnd.Record(o.EndToEnd)
	}
	if o.Server >= 0 {
		of.Server.Record(o.Server)
	}
	return nil
}

// begin opens the record of a log that begins at a time.
func (t *Told) begin(at time.Time) error {
	documented, err := model.New(model.Documented)
	if err != nil {
		return err
	}
	manifest := capture.NewManifest("log", t.plan.Version, t.plan.Commit, t.plan.Command)
	manifest.Target, manifest.Genuine, manifest.Started = results.Logged, t.Reading.Genuine, at
	manifest.Targets = results.Targets{Partition: documented.PartitionTarget, Account: documented.AccountTarget, Documented: true}
	return t.examined.Begin(t.into, manifest, time.Minute)
}

// maxOperations is the maximum number of distinguished names of operations; the service has fewer.
const maxOperations = 64

// Latency is how long the requests of one operation took that were answered.
type Latency struct {
	Requests, Throttled int64
	// EndToEnd is until the reply was acknowledged, Server what of that the service worked.
	EndToEnd, Server results.Histogram
}
