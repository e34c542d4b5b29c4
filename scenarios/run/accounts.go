package run

import (
	"strconv"
	"strings"

	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/target"
	"loadgen/target/azure"
)

// account is the embedded engine's only account, or the first of several.
const account = "loadgen"

// accountsOf returns the names of the embedded accounts that a scenario is sharded
// over.
func accountsOf(s *scenarios.Scenario) []string {
	names := []string{account}
	for len(names) < s.Sharding().Number() {
		names = append(names, account+strconv.Itoa(len(names)+1))
	}
	return names
}

// severalOf returns how many accounts a scenario is sharded over, 0 for one.
func severalOf(s *scenarios.Scenario) int {
	if number := s.Sharding().Number(); number > 1 {
		return number
	}
	return 0
}

// together returns the clients of several accounts as one target, and a single one
// as it is.
func together(each []target.Target) target.Target {
	if len(each) == 1 {
		return each[0]
	}
	return target.NewShards(each)
}

// where names all accounts that are aimed at, without any secret.
func (p *Plan) where() string {
	var names []string
	for _, endpoint := range p.Accounts {
		names = append(names, endpoint.String())
	}
	return strings.Join(names, serviceAnd)
}

// reaches refuses a scenario that needs what a remote target does not name: another
// number of accounts, or queues and blobs beside its tables.
func (p *Plan) reaches() error {
	if p.On != Remote {
		return nil
	}
	s := p.Scenario
	if asked, given := s.Sharding().Number(), len(p.Accounts); asked != given {
		return wrong("", "the scenario %s has %d accounts, --target names %d; expected a --target for each, or --set accounts.number=%d",
			s.Name, asked, given, given)
	}
	// Of several accounts the first has them.
	for _, one := range neighboursOf(p.Scenario) {
		if _, known := p.Accounts[0].Neighbour(one); !known {
			return wrong("", "the scenario %s uses a %v service, and %s has none; expected a connection string with %sEndpoint",
				p.Scenario.Name, one, p.Accounts[0], strings.ToUpper(one.String()[:1])+one.String()[1:])
		}
	}
	return nil
}

// connectionsOf returns what the connections of all accounts cost together, nil
// where there are none.
func connectionsOf(clients []*azure.Target) *results.Connections {
	if len(clients) == 0 {
		return nil
	}
	sum := new(results.Connections)
	add := func(into *results.Spell, one azure.Timing) {
		into.Count += one.Count
		into.Total += one.Total
		into.Max = max(into.Max, one.Max)
	}
	for _, client := range clients {
		c := client.Connections()
		sum.Opened += c.Opened
		sum.Reused += c.Reused
		sum.HTTP2 += c.HTTP2
		add(&sum.Lookups, c.Lookups)
		add(&sum.Connects, c.Connects)
		add(&sum.Handshakes, c.Handshakes)
		add(&sum.FirstByte, c.FirstBytes)
	}
	return sum
}
