package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"loadgen/engine/clock"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
)

// Member makes a run the part of one of several processes that offer a scenario together, on the table [Plan.Table], which
// the leader created and filled. Its record begins a second before the agreed start, and has the offered load only.
type Member struct {
	drive.Share
	campaign.From
	// Mark marks written entities, the same for all members.
	Mark string
	// Engine is the address of the leader's engine if the run is on [Embedded].
	Engine string
	// Ready is called once before the start, with the number of operations, 0 if that is not known yet. It returns the
	// instant of the start, with a reading of the monotonic clock.
	Ready func(ctx context.Context, planned uint64) (time.Time, error)
	// Search is the leader of a search; nil for any other run.
	Search Searching
	// Began is called with the delay of the first phase of traffic, Second with each complete second, whose values it must
	// not keep; each may be nil.
	Began  func(late time.Duration)
	Second func(*results.Interval, []*results.Histogram)
}

// Searching is the leader of a search for a member: a [campaign.SearchLeader] with wall-clock times.
type Searching interface {
	Next(context.Context) (t campaign.SearchStep, begins time.Time, more bool, err error)
	Report(campaign.SearchStep, *campaign.Measured)
}

// searching converts the start of the steps of a search to the clock of the run.
type searching struct {
	Searching
	clock clock.Real
}

// Next implements [campaign.SearchLeader].
func (s *searching) Next(ctx context.Context) (campaign.SearchStep, clock.Instant, bool, error) {
	t, begins, more, err := s.Searching.Next(ctx)
	return t, clock.Instant(begins.Sub(s.clock.Started())), more, err
}

// Elsewhere makes other processes offer the load, on a table that the run creates, fills, checks and drops. The record is
// theirs, with the manifest of the run.
type Elsewhere struct {
	Processes int
	// Follows reports that the same processes offer another run after this one, see [Plan.Precede].
	Follows bool
	// Offer offers the load of a plan, which it does not change, and returns the record of all processes, also with an error,
	// which ends the run.
	Offer func(context.Context, *Plan, Handed) (*results.Record, error)
}

// Precede sets whether another run follows for the processes that offer the plan, if there are any.
func (p *Plan) Precede(another bool) {
	if p.Elsewhere != nil {
		of := *p.Elsewhere
		of.Follows = another
		p.Elsewhere = &of
	}
}

// Handed is passed to the processes that offer a scenario.
type Handed struct {
	campaign.From
	// Table is the test table, Mark marks written entities.
	Table, Mark string
	// Engine is the address of the embedded engine, empty on a remote target.
	Engine string
	// AppendSecond adds a second of all processes together to the run's record. Calls must be in order.
	AppendSecond func(*results.Interval)
}

// handed is the state of a run whose load other processes offer: the open target, their record, and the counts of the target
// for their load.
type handed struct {
	destination *destination
	// appendSecond adds a second of all processes to the run's own record.
	appendSecond func(*results.Interval)
	record       *results.Record
	books        *results.TargetCounts
}

// beforeBegin is the time between the start of a member's record and its load, in which its observers start.
const beforeBegin = time.Second

// together sets the options of a campaign that several processes offer together.
func (p *Plan) together(o *campaign.Options) {
	if m := p.Member; m != nil {
		o.OnResource, o.RunMark, o.Peak = nil, m.Mark, 0
		o.Member = &campaign.Member{Share: m.Share, From: m.From, Begins: clock.Instant(beforeBegin), Began: m.Began}
		if p.Find != nil {
			o.Member.Search = &searching{Searching: m.Search}
		}
	}
	if p.Elsewhere != nil {
		table, mark := o.Table, o.RunMark
		o.OfferElsewhere = func(ctx context.Context, from campaign.From) error {
			h := Handed{From: from, Table: table, Mark: mark, AppendSecond: p.handed.appendSecond}
			h.Engine = p.handed.destination.engine
			before := countsOf(p.handed.destination.counter)
			record, err := p.Elsewhere.Offer(ctx, p, h)
			p.handed.record = record
			if before != nil {
				p.handed.books = new(countsOf(p.handed.destination.counter).Plus(*before, -1))
			}
			return err
		}
	}
}

// awaitOthers prepares the load of a member, waits for the other members, and returns the clock of its run.
func (p *Plan) awaitOthers(ctx context.Context, c *campaign.Campaign, opened clock.Real, d *destination) (clock.Real, error) {
	planned, err := c.Prepare()
	if err != nil {
		return opened, wrong("", "%v", err)
	}
	begins, err := p.Member.Ready(ctx, planned)
	if err != nil {
		return opened, err
	}
	clk := clock.NewRealIn(opened.TimeUntil(begins) - beforeBegin)
	d.since = clk.Started().Sub(opened.Started())
	if steps, is := c.Member.Search.(*searching); is {
		steps.clock = clk
	}
	return clk, clk.Sleep(ctx, 0)
}

// sealJoined judges and seals the record of the processes that offered the load. The manifest, the invariants and the end are
// from the run's own record.
func (k *recording) sealJoined(own *results.Record, ended error) (*results.Record, error) {
	record := k.plan.handed.record
	m := own.Manifest
	m.Started, m.Environment = record.Manifest.Started, record.Manifest.Environment
	m.Fleet = record.Manifest.Fleet
	record.Manifest, record.Target = m, k.plan.handed.books
	record.Invariants = own.Invariants
	if own.Validity != results.Valid && record.Validity != results.Invalid {
		record.Validity = results.Partial
	}
	record.Reasons = append(record.Reasons, own.Reasons...)
	record.EndedBy = cmp.Or(record.EndedBy, own.EndedBy)
	summary := verdict.Judge(record.Condensed())
	record.Events = append(record.Events, results.Event{At: int64(record.Duration), What: results.VerdictTold, Text: summary.Verdict})
	record.Summary, record.Validity, record.Reasons = summary, summary.Validity, summary.Reasons
	// It replaces the files of the run's own record.
	if err := errors.Join(k.recorder.Seal(nil), record.Write(k.folder)); err != nil {
		return nil, errors.Join(ended, err)
	}
	return k.announce(record.Condensed(), ended)
}

// togetherFaults returns why several processes cannot offer the scenario together.
func (p *Plan) togetherFaults() (faults []error) {
	if p.Member != nil {
		return p.Member.Share.Validate()
	}
	if p.Elsewhere == nil {
		return nil
	}
	add := func(field, what string) { faults = append(faults, wrong(field, "%s", what)) }
	switch {
	case p.On == Simulated || p.On == InProcess:
		add("target", "several processes cannot share an in-process engine; expected embedded or a service")
	case p.Driver == Vegeta:
		add("client", "vegeta sends from one process; expected native")
	case p.Verify:
		add("verify-writes", "following each entity requires one process")
	case p.Faults != nil:
		add("faults", "expected those of the scenario")
	}
	for _, one := range []struct{ field, path string }{{"record", p.Attempts}, {"hlog", p.HistogramLog}, {"csv", p.SecondsTable}} {
		if one.path != "" {
			add(one.field, "it requires a single sending process")
		}
	}
	return append(faults, campaign.SharingFaults(p.Scenario, p.Elsewhere.Processes)...)
}

// Offered returns the load of a plan, or of a step of its search if that is not nil, and the share of each process. Times
// count from the start of the record.
func (p *Plan) Offered(step *campaign.SearchStep, processes int) ([]campaign.Offered, error) {
	c, err := campaignOf(p.options(TablePrefix))
	if err != nil {
		return nil, err
	}
	list, err := c.Offered(step, processes)
	if err != nil {
		return nil, fmt.Errorf("%w", wrong("", "%v", err))
	}
	for i := range list {
		list[i].Begin += beforeBegin
		list[i].End += beforeBegin
	}
	return list, nil
}

// Searched returns the start of a search that several processes run together.
func (p *Plan) Searched() (s *campaign.Search, err error) {
	c, err := campaignOf(p.options(TablePrefix))
	if err != nil {
		return nil, err
	}
	partitions, err := c.SearchedPartitions()
	if err != nil {
		return nil, fmt.Errorf("%w", wrong("", "%v", err))
	}
	return p.Find.Search(len(partitions)), nil
}
