package bench

import (
	"context"
	"errors"
	"io"
	"time"

	"loadgen/report"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/run"
	"loadgenbench/process"
)

// Whose the rest is, as figures name it.
const (
	ofRecorder = "recorder"
	ofReport   = "report"
	ofProgram  = "loadgen"
)

// What the record is measured by.
const (
	whatRecorded = "operation of one attempt"
	whatMerged   = "merge of two histograms"
	whatPageHour = "page of an hour"
	whatHelp     = "--help"
)

// recordedRate is how many operations a second are recorded.
const recordedRate = 10_000

// record measures what is written down, put together and shown.
func (b *bench) record(ctx context.Context) (err error) {
	hour, err := b.hour(ctx)
	if err != nil {
		return err
	}
	s, err := b.startBare(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	return b.rounds(ctx, append(b.unpacedLoads(s), []cell{
		{Cell: Cell{GroupRecord, whatRecorded, "", ofRecorder}, run: b.recorded},
		{Cell: Cell{GroupRecord, whatMerged, "", ofRecorder}, run: b.merged},
		{Cell: Cell{GroupRecord, whatPageHour, "", ofReport}, once: true, run: func(context.Context) (reading, error) {
			return b.once(func() error { return report.Page(io.Discard, report.Keep(hour)) })
		}},
		{Cell: Cell{GroupRecord, whatHelp, "", ofProgram}, run: func(ctx context.Context) (reading, error) {
			used, err := process.Run(ctx, b.Clock, b.Program, "--help")
			return reading{operations: 1, cpu: used.CPU, lasted: used.Lasted}, err
		}},
	}...))
}

// once measures what is done once a round.
func (b *bench) once(do func() error) (reading, error) {
	used := new(own)
	_ = used.begins()
	began := b.Clock.Now()
	err := do()
	_ = used.ends()
	return used.reading(1, b.Clock.Now().Sub(began)), err
}

// recorded records operations at ten thousand a second, with the lines of their seconds.
func (b *bench) recorded(context.Context) (reading, error) {
	recorder, err := results.NewRecorder(new(results.Memory), results.Manifest{Operations: []results.Kind{{Name: "get", Group: "GET"}}})
	if err != nil {
		return reading{}, err
	}
	step := recorder.Phase(results.Phase{Name: "step", End: time.Hour, Rate: recordedRate, Reported: true})
	attempt := results.Attempt{Phase: step, Class: results.Ok, PartitionKey: pageKey, HasPartition: true, Counted: 1}
	completed := results.Completed{Phase: step, Class: results.Ok, Attempts: 1, Entities: 1, Served: 1}
	operations := int64(slice / (400 * time.Nanosecond))
	measured, err := b.once(func() error {
		for n := range operations {
			due := time.Duration(n) * time.Second / recordedRate
			recorder.Scheduled(&results.Scheduled{Phase: step, Intended: due, Sent: due, Entities: 1})
			attempt.Intended, attempt.Sent, attempt.Done = due, due, due+4*time.Millisecond
			recorder.Attempt(&attempt)
			completed.Intended, completed.Done = due, attempt.Done
			recorder.Completed(&completed)
			if err := recorder.Advance(due); err != nil {
				return err
			}
		}
		return nil
	})
	measured.operations = operations
	return measured, err
}

// merged merges histograms of times between one and ten milliseconds.
func (b *bench) merged(context.Context) (reading, error) {
	var one, other results.Histogram
	for n := range 10_000 {
		other.Record(time.Millisecond + time.Duration(n)*900*time.Nanosecond)
	}
	operations := int64(slice / (100 * time.Microsecond))
	measured, err := b.once(func() error {
		for range operations {
			one.Merge(&other)
		}
		return nil
	})
	measured.operations = operations
	return measured, err
}

// hour is the record of an hour in virtual time.
func (b *bench) hour(ctx context.Context) (*results.Record, error) {
	s, err := scenarios.Builtin("stress-one-partition")
	if err != nil {
		return nil, err
	}
	for _, one := range [][2]string{{"phases.peak.arrivals.steps.rates", "[2, 4, 6, 8]"}, {"phases.peak.arrivals.steps.each", "15m"}, {"expect", "[]"}} {
		if err := s.Set(one[0], one[1]); err != nil {
			return nil, err
		}
	}
	return run.Run(ctx, run.Plan{Scenario: s, Memory: new(results.Memory)})
}
