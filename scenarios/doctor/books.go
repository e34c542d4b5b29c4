package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"loadgen/engine"
	"loadgen/engine/accesslog"
	"loadgen/report/document"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios/run"
)

// booksValues set a rate above the partition's limit in the stress test.
var booksValues = []string{
	"phases.load.entities=2000", "phases.load.transaction=50", "phases.peak.rates=[1300]", "phases.peak.each=2s", "phases.peak.hold=false",
	"model.partition_target=1000", "workers=" + strconv.Itoa(trialWorkers),
}

// booksLost is the number of replies in a million that are lost.
const booksLost = 20_000

// booksFigures are the counters of a run's record and of its service.
type booksFigures struct {
	summary *results.Summary
	// lost is the number of replies lost after their requests were executed.
	lost int64
	// faults are counters that do not reconcile and values that changed when the record was read
	// back.
	faults []string
}

// measureBooks runs the stress test with these settings over HTTP, with its record in a temporary
// folder.
func measureBooks(ctx context.Context, settings []string) (f booksFigures, err error) {
	s, err := stress(settings...)
	if err != nil {
		return booksFigures{}, err
	}
	folder, err := os.MkdirTemp("", "loadgen-doctor-*")
	if err != nil {
		return booksFigures{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	var lost atomic.Int64
	record, err := run.Run(ctx, run.Plan{Scenario: s, On: run.Embedded, Out: folder, NoProbe: true,
		Faults: &engine.FaultPlan{Rules: []engine.FaultRule{{Kind: engine.FaultDrop, Moment: engine.FaultAfter, Share: booksLost, To: time.Hour}}},
		Seen: func(seen *accesslog.Observed) {
			if seen.Status == 0 {
				lost.Add(1)
			}
		}})
	if err != nil {
		return booksFigures{}, err
	}
	again, err := results.Read(results.Dir(folder))
	if err != nil {
		return booksFigures{}, err
	}
	faults := append(verdict.Books(record), differences(record.Summary, again)...)
	return booksFigures{summary: record.Summary, lost: lost.Load(), faults: faults}, nil
}

// differences returns how a record that was read back differs from its sealed summary.
func differences(sealed *results.Summary, again *results.Record) (faults []string) {
	want, err := json.Marshal(sealed)
	if err != nil {
		return []string{"encode summary: " + err.Error()}
	}
	for i, summary := range []*results.Summary{again.Summary, verdict.Judge(again)} {
		if got, err := json.Marshal(summary); err != nil || !bytes.Equal(got, want) {
			faults = append(faults, []string{"the summary read back", "the judgement of the record read back"}[i]+" differs from the sealed summary")
		}
	}
	return faults
}

func (f booksFigures) finding() Finding {
	s := f.summary
	measured := fmt.Sprintf("%s attempts = %s ok + %s throttled + %s failed",
		document.Count(s.Attempts), document.Count(s.OkAttempts), document.Count(s.Throttled), document.Count(s.Failed))
	faults := slices.Clone(f.faults)
	if f.lost == 0 || s.Throttled == 0 {
		faults = append(faults, "no lost or throttled replies; run it again")
	}
	return judge("the service's counts",
		rule{len(faults) > 0, Fail, measured, document.Join("; ", append(faults, "this build's reports are wrong; report it")...)},
		rule{true, Pass, measured, fmt.Sprintf("%s operations = %s sent + %s dropped; %s replies lost after their writes; same summary read back",
			document.Count(s.Scheduled), document.Count(s.Sent), document.Count(s.Dropped), document.Count(f.lost))})
}
