package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"loadgen/engine/clock"
	"loadgen/scenarios"
	"loadgen/scenarios/drive"
	"loadgen/target"
	"loadgen/target/azure"
	"loadgen/target/standin"
)

// storesOf names what a scenario uses beside its tables, for the record: queues,
// containers of blobs, or nothing.
func storesOf(s *scenarios.Scenario) []string {
	var names []string
	queues, blobs := drive.Stores(s)
	if queues {
		names = append(names, "queue")
	}
	if blobs {
		names = append(names, "blobs")
	}
	return names
}

// withStandIns sets stand-ins beside the tables of a destination where the scenario uses
// some, and has their books added to the target's own.
func withStandIns(d *destination, s *scenarios.Scenario, clk clock.Clock) *destination {
	if len(storesOf(s)) > 0 {
		beside := standin.NewWaiting(clk)
		d.target, d.counter = standin.New(d.target, beside), booksOfBoth{d.counter, beside}
	}
	return d
}

// booksOfBoth are those of two targets as one's.
type booksOfBoth struct{ tables, beside target.Counter }

var _ target.Counter = booksOfBoth{}

// Counts implements [target.Counter].
func (b booksOfBoth) Counts() target.Counts { return added(b.tables.Counts(), b.beside.Counts()) }

// added returns the books of two targets as one's.
func added(a, b target.Counts) target.Counts {
	return target.Counts{Requests: a.Requests + b.Requests, Ok: a.Ok + b.Ok, Refused: a.Refused + b.Refused,
		Failed: a.Failed + b.Failed, Entities: a.Entities + b.Entities}
}

// neighboursOf returns the services of an account that a scenario uses beside its tables.
func neighboursOf(s *scenarios.Scenario) []azure.Neighbour {
	var list []azure.Neighbour
	queues, blobs := drive.Stores(s)
	if queues {
		list = append(list, azure.Queue)
	}
	if blobs {
		list = append(list, azure.Blob)
	}
	return list
}

// reaches refuses a scenario that needs what a remote target does not name.
func (f *targetFlags) reaches(s *scenarios.Scenario) error {
	if err := f.enoughAccounts(s); err != nil {
		return err
	}
	return f.enoughStores(s)
}

// enoughStores refuses a scenario that uses queues or blobs where a remote target does
// not tell of any. Of several accounts the first has them.
func (f *targetFlags) enoughStores(s *scenarios.Scenario) error {
	if f.aim.kind != aimRemote {
		return nil
	}
	for _, one := range neighboursOf(s) {
		if _, known := f.aim.endpoint.Neighbour(one); !known {
			return usageError{fmt.Errorf("the scenario %s uses a %v service beside its table, and %s tells of none; expected a connection string with %sEndpoint",
				s.Name, one, f.aim.endpoint, strings.ToUpper(one.String()[:1])+one.String()[1:])}
		}
	}
	return nil
}

// storesAt names where a remote target's queues and blobs are that a scenario uses,
// empty for none.
func (f *targetFlags) storesAt(s *scenarios.Scenario) string {
	var where []string
	for _, one := range neighboursOf(s) {
		if address, known := f.aim.endpoint.Neighbour(one); known {
			where = append(where, address)
		}
	}
	return strings.Join(where, " and ")
}

// whoIsThere is the name of a queue and a container that are asked for to hear whether a
// service is there and takes our credential; nobody makes them.
const whoIsThere = "loadgen-is-anybody-there"

// withServices sets the real queues and blobs of the first account beside the tables of a
// remote destination where the scenario uses some. Each is asked first whether it is
// there.
func (f *targetFlags) withServices(ctx context.Context, d *destination, s *scenarios.Scenario) error {
	var beside standin.Services
	for _, one := range neighboursOf(s) {
		address, _ := f.aim.endpoint.Neighbour(one)
		service := standin.NewService(address, f.aim.endpoint.Account(), f.aim.endpoint.Credential)
		ask := target.Beside{Verb: target.ListBlobs, Store: whoIsThere, Most: 1}
		if one == azure.Queue {
			queues, err := standin.OpenQueues(service, s.Workers)
			if err != nil {
				return badCredential(service)
			}
			beside.Queues, ask = queues, target.Beside{Verb: target.ReceiveMessages, Store: whoIsThere, Hidden: 1e9}
			d.alsoClose(queues.Close)
		} else {
			blobs, err := standin.OpenBlobs(service, s.Workers)
			if err != nil {
				return badCredential(service)
			}
			beside.Blobs = blobs
			d.alsoClose(blobs.Close)
		}
		if o := beside.Do(ctx, &target.Operation{Beside: &ask}); o.Status != 200 {
			return fmt.Errorf("%w: the %v service at %s: %s", errNoTarget, one, service, o.Detail)
		}
	}
	if beside != (standin.Services{}) {
		d.target = standin.New(d.target, beside)
	}
	return nil
}

// badCredential says that a service has no key, without what was given in its place.
func badCredential(service standin.Service) error {
	return usageError{errors.New("--target: the account's key does not do for " + service.String())}
}

// alsoClose has something closed with the destination.
func (d *destination) alsoClose(other func()) {
	before := d.close
	d.close = func() { before(); other() }
}
