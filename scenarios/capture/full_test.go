package capture

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/accesslog"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
)

// full is a folder whose disk has no more room.
type full struct{ results.Memory }

type fullFile struct{ io.WriteCloser }

func (f *full) Create(name string) (io.WriteCloser, error) {
	file, err := f.Memory.Create(name)
	return fullFile{file}, err
}

func (fullFile) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

// onFullDisk is the examination of one request that cannot be written.
func onFullDisk(t *testing.T) *Examination {
	t.Helper()
	var e Examination
	var err error
	e.recorder, err = results.NewRecorder(new(full), results.Manifest{Operations: Kinds()})
	require.NoError(t, err)
	e.Capture = New(Options{Recorder: e.recorder})
	e.Saw(&accesslog.Observed{Verb: entity.Get, Table: "t", PartitionKey: "p", HasPartition: true, Status: 200, Counted: 1})
	return &e
}

// Whoever serves is told once that there is no record, and goes on.
func TestExaminationOnFullDiskFailsOnce(t *testing.T) {
	o := onFullDisk(t).Capture
	assert.ErrorIs(t, o.Advance(time.Minute), results.ErrWrite, "Advance")
	assert.ErrorIs(t, o.End(), results.ErrWrite, "End")
	e := onFullDisk(t)
	err := e.Advance(clock.Instant(time.Minute))
	assert.Truef(t, errors.Is(err, results.ErrWrite) && strings.HasPrefix(err.Error(), "the record cannot be written, and serving goes on without it: "),
		"Advance = %v; want %v, and that serving goes on", err, results.ErrWrite)
	assert.NoError(t, e.Advance(clock.Instant(2*time.Minute)), "Advance again")
	e.where = results.Dir("the run")
	record, err := e.Conclude(clock.Instant(3*time.Minute), nil, &results.TargetCounts{Requests: 1, Ok: 1, Entities: 1})
	assert.Truef(t, record == nil && errors.Is(err, results.ErrWrite) && strings.HasSuffix(err.Error(), "; what was written until then is in the run"),
		"Conclude = %v, %v; want no record, and where what there is lies", record, err)
}
