package main

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

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/fault"
	"loadgen/engine/rest"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/drive"
	"loadgen/target/azure"
)

// The short run whose books are to close: the documented stress test, small, at a
// rate above what its partition serves, and with replies that get lost.
const (
	booksRate   = "[1300]"
	booksTarget = "1000"
	booksLasts  = "2s"
	booksLoad   = "2000"
	// booksLost is how many replies of a million are lost.
	booksLost = 20_000
)

// booksFigures are what a run's record holds, and what the service's has against
// it.
type booksFigures struct {
	summary *results.Summary
	// lost is how many replies got lost after their requests were carried out.
	lost int64
	// faults are what does not add up, and what is not the same once the record
	// was read back.
	faults []string
}

// measureBooks carries out the run, over HTTP and with its record in a folder of
// its own, which is removed.
func (r trials) measureBooks(ctx context.Context) (booksFigures, error) {
	s, err := booksScenario()
	if err != nil {
		return booksFigures{}, err
	}
	name, err := os.MkdirTemp("", "loadgen-doctor-*")
	if err != nil {
		return booksFigures{}, err
	}
	f, err := r.measureBooksIn(ctx, s, results.Dir(name))
	return f, errors.Join(err, os.RemoveAll(name))
}

// booksScenario returns the short run.
func booksScenario() (*scenarios.Scenario, error) {
	s, err := scenarios.Builtin("stress")
	if err != nil {
		return nil, err
	}
	for _, one := range [][2]string{
		{"phases.load.entities", booksLoad}, {"phases.load.transaction", "50"},
		{"phases.peak.rates", booksRate}, {"phases.peak.each", booksLasts}, {"phases.peak.hold", "false"},
		{"model.partition_target", booksTarget}, {"workers", strconv.Itoa(trialWorkers)},
	} {
		if err := s.Set(one[0], one[1]); err != nil {
			return nil, err
		}
	}
	return s, errors.Join(s.Validate()...)
}

func (r trials) measureBooksIn(ctx context.Context, s *scenarios.Scenario, folder results.Folder) (booksFigures, error) {
	campaign, err := drive.NewCampaign(drive.Options{Scenario: s, Table: trialTable, NewName: true})
	if err != nil {
		return booksFigures{}, err
	}
	manifest, err := manifestOf(s, campaign, 0, nil)
	if err != nil {
		return booksFigures{}, err
	}
	manifest.Started, manifest.Time, manifest.Target = r.clock.Started().UTC().Round(0), "real", results.Embedded
	recorder, err := results.NewRecorder(folder, manifest)
	if err != nil {
		return booksFigures{}, err
	}
	service, err := openLossy(s, r.clock)
	if err != nil {
		return booksFigures{}, err
	}
	ended := campaign.Run(ctx, r.runner(service.client, s.Workers), &drive.Ledger{Recorder: recorder})
	// The service has seen all once it is closed, and not before: the reply that
	// was lost last may be noticed here before it is counted there.
	service.close()
	counts := service.counts()
	validity, reasons := endOf(ended)
	if err := errors.Join(ended, recorder.Finish(r.clock.Now().Offset(), validity, reasons, &counts)); err != nil {
		return booksFigures{}, err
	}
	result, err := conclude(folder, recorder)
	if err != nil {
		return booksFigures{}, err
	}
	again, err := results.Read(folder)
	if err != nil {
		return booksFigures{}, err
	}
	faults := append(verdict.Books(result.record), differences(result.summary, again)...)
	return booksFigures{summary: result.summary, lost: service.lost.Load(), faults: faults}, nil
}

// differences returns what a record that was read back says otherwise than the
// summary that it was sealed with.
func differences(sealed *results.Summary, again *results.Record) []string {
	want, err := json.Marshal(sealed)
	if err != nil {
		return []string{"the summary cannot be written: " + err.Error()}
	}
	var faults []string
	for _, one := range []struct {
		what    string
		summary *results.Summary
	}{
		{"the summary that was written", again.Summary},
		{"the judgement of the record that was read back", verdict.Judge(again)},
	} {
		if got, err := json.Marshal(one.summary); err != nil || !bytes.Equal(got, want) {
			faults = append(faults, one.what+" is another than the one that was sealed")
		}
	}
	return faults
}

// lossy is the embedded engine behind a socket of this machine, some of whose
// replies get lost.
type lossy struct {
	client  *azure.Target
	handler *rest.Handler
	server  *rest.Server
	// lost counts the lost replies, unheard the entities that they counted: of
	// these a client cannot know.
	lost, unheard atomic.Int64
}

func openLossy(s *scenarios.Scenario, clk clock.Real) (*lossy, error) {
	e, err := embeddedEngine(s, clk)
	if err != nil {
		return nil, err
	}
	secret, err := embeddedSecret(s.Seed)
	if err != nil {
		return nil, err
	}
	l := new(lossy)
	l.handler, err = rest.New(rest.Options{Engine: e, Clock: clk, Epoch: entity.TicksOf(clk.Started()), Seed: s.Seed,
		Accounts: []rest.Account{{Name: account, Secret: secret}}, Observe: l.see,
		Faults: &fault.Plan{Rules: []fault.Rule{{Kind: fault.Drop, Moment: fault.After, Share: booksLost, To: time.Hour}}}})
	if err != nil {
		return nil, err
	}
	if l.server, err = rest.Listen("127.0.0.1:0", l.handler); err != nil {
		return nil, err
	}
	endpoint, err := azure.ParseURL(l.server.URL()+"/"+account, account, secret)
	if err == nil {
		l.client, err = azure.New(azure.Options{Endpoint: endpoint, Connections: s.Workers, AskCounted: true,
			Clock: clk, Epoch: clk.Started(), RunID: "doctor"})
	}
	if err != nil {
		l.stop()
		return nil, err
	}
	return l, nil
}

// see is told of every request.
func (l *lossy) see(seen *rest.Seen) {
	if seen.Status == 0 {
		l.lost.Add(1)
		l.unheard.Add(seen.Counted)
	}
}

// close closes the connections and waits until the service has seen all.
func (l *lossy) close() {
	l.client.Close()
	l.stop()
}

// stop ends the service; what is under way by then is given up.
func (l *lossy) stop() {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	_ = l.server.Close(ended) // its error is that something was cut off
}

// counts returns the service's own books, less the entities of replies that were
// lost.
func (l *lossy) counts() results.TargetCounts {
	counts := results.TargetCounts(l.handler.Counts())
	counts.Entities -= l.unheard.Load()
	return counts
}

// finding holds the two sides of the books against each other.
func (f booksFigures) finding() finding {
	s := f.summary
	measured := fmt.Sprintf("%s attempts = %s ok + %s refused + %s failed",
		thousands(s.Attempts), thousands(s.Ok), thousands(s.Refused), thousands(s.Failed))
	const bound = "the service's own counts"
	faults := slices.Clone(f.faults)
	if f.lost == 0 || s.Refused == 0 {
		faults = append(faults, "nothing was lost or nothing refused, so that nothing was proved; run it again")
	}
	if len(faults) > 0 {
		return held(false, measured, bound, joined(append(faults, "no report of this build is to be trusted; report it")))
	}
	return held(true, measured, bound, fmt.Sprintf("%s operations = %s sent + %s dropped; "+
		"%s replies were lost after the service had done what was asked; the record was read back to the same summary",
		thousands(s.Scheduled), thousands(s.Sent), thousands(s.Dropped), thousands(f.lost)))
}
