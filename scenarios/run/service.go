package run

import (
	"context"
	"crypto/tls"
	"fmt"
	"strings"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios/campaign"
	"loadgen/target"
	"loadgen/target/azure"
)

// Service is an account of a table service that is looked through for what runs have left.
// Whoever opened it closes it. It belongs to one goroutine.
type Service struct {
	endpoint Endpoint
	clock    clock.Real
	tables   *azure.Target
	// ahead is how far its clock is ahead of this machine's.
	ahead time.Duration
}

// cleaningLimit bounds each request to a service that is looked through.
const cleaningLimit = 10 * time.Second

// OpenService opens an account and asks whether it is there. Trust configures https, nil
// trusts whom the machine trusts. The error wraps [ErrTarget].
func OpenService(ctx context.Context, e Endpoint, clk clock.Real, trust *tls.Config) (*Service, error) {
	client, err := azure.New(azure.Options{Endpoint: e, Connections: 1, Clock: clk, Calendar: clk, RunID: "clean", Timeout: cleaningLimit, TLS: trust, Client: azure.Auto})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTarget, err)
	}
	said, err := client.Probe(ctx)
	if err != nil {
		client.Close()
		return nil, fmt.Errorf("%w: %w", ErrTarget, err)
	}
	return &Service{e, clk, client, said.Ahead}, nil
}

// Close closes it.
func (s *Service) Close() { s.tables.Close() }

// Now is the present, by the service's clock: to a second or so.
func (s *Service) Now() time.Time { return s.clock.Date(s.clock.Now()).Add(s.ahead) }

// mostPages bounds the pages that a list of tables, or a look for young entities, takes.
const mostPages = 1000

// Tables returns the names of all tables that begin as this tool's do. The error wraps
// [ErrTarget].
func (s *Service) Tables(ctx context.Context) ([]string, error) {
	var list []string
	next := ""
	for range mostPages {
		names, more, err := s.tables.Tables(ctx, next)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrTarget, err)
		}
		for _, name := range names {
			if strings.HasPrefix(strings.ToLower(name), TablePrefix) {
				list = append(list, name)
			}
		}
		if next = more; next == "" {
			return list, nil
		}
	}
	return nil, fmt.Errorf("%w: %s: its list of tables has no end", ErrTarget, s.endpoint)
}

// errAnswer is that of a request that was answered otherwise than it was to be, or not at all.
func errAnswer(o *target.Outcome) error {
	if o.Status == 0 {
		return fmt.Errorf("no answer: %s", o.Detail)
	}
	return fmt.Errorf("the answer was %d %s", o.Status, o.Code)
}

// Marker returns the marker of a table; marked is false where it has none, ours where that is
// of another kind. The error says what the service answered.
func (s *Service) Marker(ctx context.Context, table string) (m campaign.Marker, marked, ours bool, err error) {
	ask := campaign.MarkerRequest(table)
	switch o := s.tables.Do(ctx, &ask); {
	case o.Status == entity.ResourceNotFound.Status():
		return m, false, false, nil
	case o.Class(target.Expected{}) != results.Ok:
		return m, false, false, errAnswer(&o)
	default:
		m, ours = campaign.ParseMarker(table, &o)
		return m, true, ours, nil
	}
}

// Written returns whether a table has an entity that was written since; known is false where
// it has too many to look at them all. The error says what the service answered.
func (s *Service) Written(ctx context.Context, table string, since time.Time) (some, known bool, err error) {
	query, err := target.Filtered(fmt.Sprintf("Timestamp ge datetime'%s'", entity.TicksOf(since)))
	if err != nil {
		return false, false, err
	}
	query.Top = 1
	for range mostPages {
		o := s.tables.Do(ctx, &target.Operation{Verb: entity.Query, Table: table, Query: query})
		switch {
		case o.Class(target.Expected{}) != results.Ok:
			return false, false, errAnswer(&o)
		case len(o.Rows) > 0:
			return true, true, nil
		case !o.Next.Present:
			return false, true, nil
		}
		query.Token = o.Next
	}
	return false, false, nil
}

// Drop drops one thing, also where it is gone. The error says what the service answered.
func (s *Service) Drop(ctx context.Context, made campaign.Resource) error {
	op := made.Drop()
	var to target.Target = s.tables
	if made.What != campaign.ResourceTable {
		kind, setting := azure.Blob, "BlobEndpoint"
		if made.What == campaign.ResourceQueue {
			kind, setting = azure.Queue, "QueueEndpoint"
		}
		address, known := s.endpoint.Neighbour(kind)
		if !known {
			return fmt.Errorf("--target has no %v service; expected a connection string with %s", kind, setting)
		}
		opened, err := openNeighbour(kind, neighbourOf(s.endpoint, address), 1, target.NewReplyBudget(target.CommonReplyBudget))
		if err != nil {
			return err
		}
		defer opened.Close()
		to = opened
	}
	ctx, release := clock.Within(ctx, s.clock, cleaningLimit, context.DeadlineExceeded)
	defer release()
	if o := to.Do(ctx, &op); o.Class(target.Expected{NotFound: true}) != results.Ok {
		return errAnswer(&o)
	}
	return nil
}
