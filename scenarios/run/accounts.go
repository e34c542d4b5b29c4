package run

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/target"
	"loadgen/target/azure"
	"loadgen/target/queueblob"
)

// account is the embedded engine's only account, or the first of several.
const account = "loadgen"

// accountsOf returns the names of the embedded accounts of a scenario.
func accountsOf(s *scenarios.Scenario) []string {
	names := []string{account}
	for len(names) < s.Sharding().Number() {
		names = append(names, account+strconv.Itoa(len(names)+1))
	}
	return names
}

// severalOf returns the number of accounts of a scenario, 0 for one.
func severalOf(s *scenarios.Scenario) int {
	if number := s.Sharding().Number(); number > 1 {
		return number
	}
	return 0
}

// together returns one target for the clients of all accounts.
func together(each []target.Target) target.Target {
	if len(each) == 1 {
		return each[0]
	}
	return target.NewShards(each)
}

// where names all accounts of the target without secrets.
func (p *Plan) where() string {
	var names []string
	for _, endpoint := range p.Accounts {
		names = append(names, endpoint.String())
	}
	return strings.Join(names, serviceAnd)
}

// reaches returns a fault if a remote target lacks accounts, queues or blobs of the scenario.
func (p *Plan) reaches() error {
	if p.On != Remote {
		return nil
	}
	s := p.Scenario
	if asked, given := s.Sharding().Number(), len(p.Accounts); asked != given {
		return wrong("", "the scenario %s has %d accounts, --target names %d; expected a --target for each, or --set accounts.number=%d",
			s.Name, asked, given, given)
	}
	// The first account has them.
	for _, one := range neighboursOf(p.Scenario) {
		if _, known := p.Accounts[0].Neighbour(one); !known {
			return wrong("", "the scenario %s uses a %v service, and %s has none; expected a connection string with %sEndpoint",
				p.Scenario.Name, one, p.Accounts[0], strings.ToUpper(one.String()[:1])+one.String()[1:])
		}
	}
	return nil
}

// connectionsOf returns the sum of the connections of all accounts, nil without any.
func connectionsOf(clients []*azure.Target) *results.Connections {
	if len(clients) == 0 {
		return nil
	}
	sum := new(results.Connections)
	for _, client := range clients {
		more := client.Connections()
		sum.Add(&more)
	}
	return sum
}

// storesOf names what a scenario uses in addition to tables, for the record: queues, blob containers and the application's
// own services.
func storesOf(s *scenarios.Scenario) []string {
	var names []string
	for _, one := range neighboursOf(s) {
		names = append(names, map[azure.Neighbour]string{azure.Queue: "queue", azure.Blob: "blobs"}[one])
	}
	return append(names, ownOf(s)...)
}

// ownOf names the application's own services, for which every target uses stand-ins.
func ownOf(s *scenarios.Scenario) []string {
	if _, _, own := campaign.Stores(s); own {
		return []string{results.OwnServices}
	}
	return nil
}

// booksOfBoth adds the counts of two targets.
type booksOfBoth struct{ tables, beside target.Counter }

var _ target.Counter = booksOfBoth{}

// Counts implements [target.Counter].
func (b booksOfBoth) Counts() target.Counts {
	return b.tables.Counts().Plus(b.beside.Counts(), 1)
}

// neighboursOf returns the services of an account that a scenario uses in addition to tables.
func neighboursOf(s *scenarios.Scenario) []azure.Neighbour {
	var list []azure.Neighbour
	queues, blobs, _ := campaign.Stores(s)
	if queues {
		list = append(list, azure.Queue)
	}
	if blobs {
		list = append(list, azure.Blob)
	}
	return list
}

// absentStore is the name of a queue and a container that do not exist. A request for one shows whether the service is
// available and accepts the credential.
const absentStore = "loadgen-is-anybody-there"

// withServices adds to a remote destination the queues and blobs of the first account that the scenario uses, each after a
// probe, and stand-ins for the application's own services.
func (p *Plan) withServices(ctx context.Context, d *destination, clk clock.Clock) error {
	var beside queueblob.Services
	if len(ownOf(p.Scenario)) > 0 {
		beside.Own = queueblob.NewWaiting(clk)
	}
	for _, one := range neighboursOf(p.Scenario) {
		address, _ := p.Accounts[0].Neighbour(one)
		service := neighbourOf(p.Accounts[0], address)
		opened, err := openNeighbour(one, service, p.workers(), d.budget)
		if err != nil {
			return err
		}
		d.closing = append(d.closing, opened.Close)
		ask := target.Beside{Verb: target.ListBlobs, Store: absentStore, Most: 1}
		if one == azure.Queue {
			beside.Queues, ask = opened, target.Beside{Verb: target.ReceiveMessages, Store: absentStore, Hidden: 1e9}
		} else {
			beside.Blobs = opened
		}
		if o := beside.Do(ctx, &target.Operation{Beside: &ask}); o.Status != 200 {
			return fmt.Errorf("%w: the %v service at %s: %s", ErrTarget, one, service, o.Detail)
		}
	}
	if beside != (queueblob.Services{}) {
		d.target = queueblob.New(d.target, beside)
	}
	return nil
}

// neighbourOf returns another service of an account with the same identity.
func neighbourOf(e Endpoint, address string) queueblob.Service {
	service := queueblob.Service{Address: address, Account: e.Account(), Prove: e.Credential}
	if who := e.Identity(); who != nil {
		service.Identity = who
	}
	return service
}

// neighbour is a client of another service of an account.
type neighbour interface {
	target.Target
	Close()
}

// openNeighbour creates a client of the queues or the blobs of an account. Its error has no part of the credential.
func openNeighbour(one azure.Neighbour, service queueblob.Service, workers int, budget *target.ReplyBudget) (opened neighbour, err error) {
	if one == azure.Queue {
		opened, err = queueblob.OpenQueues(service, workers, budget)
	} else {
		opened, err = queueblob.OpenBlobs(service, workers, budget)
	}
	if err != nil {
		return nil, wrong("", "--target: the account's key does not do for %s", service)
	}
	return opened, nil
}
