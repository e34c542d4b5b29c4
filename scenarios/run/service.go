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

// Service is an account of a table service that is searched for leftovers of runs. Callers must close it. It belongs to one
// goroutine.
type Service struct {
	endpoint Endpoint
	clock    clock.Real
	tables   *azure.Target
	// ahead is the lead of its clock over this machine's.
	ahead time.Duration
}

// cleaningLimit is the time limit of each request.
const cleaningLimit = 10 * time.Second

// OpenService opens an account and probes it. Trust configures https, nil for the system's roots. The error wraps
// [ErrTarget].
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

// Now returns the time of the service's clock, to about a second.
func (s *Service) Now() time.Time { return s.clock.Date(s.clock.Now()).Add(s.ahead) }

// maxPages is the maximum number of pages of a list of tables or a search for recent entities.
const maxPages = 1000

// Tables returns the names of all tables with this tool's prefix. The error wraps [ErrTarget].
func (s *Service) Tables(ctx context.Context) ([]string, error) {
	var list []string
	next := ""
	for range maxPages {
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

// errAnswer returns the error of an unexpected or missing reply.
func errAnswer(o *target.Outcome) error {
	if o.Status == 0 {
		return fmt.Errorf("no answer: %s", o.Detail)
	}
	return fmt.Errorf("the answer was %d %s", o.Status, o.Code)
}

// Marker returns the marker of a table; marked reports whether there is one, ours whether it is this tool's. The error has
// the reply of the service.
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

// WrittenSince reports whether a table has an entity that was written since a time; known is false if it has too many to
// check. The error has the reply of the service.
func (s *Service) WrittenSince(ctx context.Context, table string, since time.Time) (found, known bool, err error) {
	query, err := target.Filtered(fmt.Sprintf("Timestamp ge datetime'%s'", entity.TicksOf(since)))
	if err != nil {
		return false, false, err
	}
	query.Top = 1
	for range maxPages {
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

// Drop drops a resource, or does nothing if it does not exist. The error has the reply of the service.
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
	ctx, release := clock.WithTimeout(ctx, s.clock, cleaningLimit, context.DeadlineExceeded)
	defer release()
	if o := to.Do(ctx, &op); o.Class(target.Expected{NotFound: true}) != results.Ok {
		return errAnswer(&o)
	}
	return nil
}
