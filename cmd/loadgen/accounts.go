package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/target"
	"loadgen/target/azure"
	"loadgen/target/inprocess"
	"loadgen/target/shard"
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

// liveAccounts returns the accounts of an engine as one blocking target, and its
// books.
func liveAccounts(e *engine.Engine, names []string, clk clock.Clock) (target.Target, target.Counter) {
	if len(names) == 1 {
		t := inprocess.New(e, names[0], clk)
		return t, t
	}
	var each []target.Target
	for _, name := range names {
		each = append(each, inprocess.New(e, name, clk))
	}
	t := shard.New(each)
	return t, t
}

// virtualAccounts returns the accounts of an engine as one immediate target.
func virtualAccounts(e *engine.Engine, names []string) target.Immediate {
	if len(names) == 1 {
		return inprocess.New(e, names[0], nil)
	}
	var each []target.Immediate
	for _, name := range names {
		each = append(each, inprocess.New(e, name, nil))
	}
	return shard.NewImmediate(each)
}

// together returns the clients of several accounts as one target, and a single one
// as it is.
func together(clients []*azure.Target) target.Target {
	if len(clients) == 1 {
		return clients[0]
	}
	var each []target.Target
	for _, client := range clients {
		each = append(each, client)
	}
	return shard.New(each)
}

// targetsValue is the flag --target, which can be given once for each account.
type targetsValue struct{ flags *targetFlags }

var _ pflag.Value = targetsValue{}

// String implements [pflag.Value] with the first one.
func (v targetsValue) String() string {
	if v.flags == nil {
		return ""
	}
	return v.flags.where
}

// Type implements [pflag.Value].
func (v targetsValue) Type() string { return "string" }

// Set implements [pflag.Value].
func (v targetsValue) Set(text string) error {
	if !v.flags.given {
		v.flags.given, v.flags.where = true, text
		return nil
	}
	v.flags.others = append(v.flags.others, text)
	return nil
}

// every returns all that were given, for the command as it can be typed again.
func (v targetsValue) every() []string { return append([]string{v.flags.where}, v.flags.others...) }

// takeOthers works out what the flags aim at beside the first: a further account
// each. No error repeats what may be a secret.
func (f *targetFlags) takeOthers() error {
	if len(f.others) == 0 {
		return nil
	}
	if f.aim.kind != aimRemote {
		return usageError{fmt.Errorf("--target %s has as many accounts as the scenario asks for, and more targets were given; expected this one alone", f.where)}
	}
	seen := []string{f.aim.endpoint.String()}
	for _, where := range append([]string{f.where}, f.others...) {
		// A connection string holds addresses, too, and is not to be told of as one.
		if strings.Contains(where, "://") && !strings.ContainsAny(where, "=;") {
			return usageError{errors.New("--target: a URL has the one --key-file; expected env:NAME or file:PATH for each of several accounts")}
		}
	}
	for _, where := range f.others {
		endpoint, err := endpointOf(where)
		if err != nil {
			return err
		}
		if slices.Contains(seen, endpoint.String()) {
			return usageError{fmt.Errorf("--target: %s is given twice; expected another account each", endpoint)}
		}
		seen = append(seen, endpoint.String())
		f.aim.others = append(f.aim.others, endpoint)
	}
	return nil
}

// endpointOf returns the endpoint of a connection string that lies somewhere.
func endpointOf(where string) (azure.Endpoint, error) {
	var endpoint azure.Endpoint
	var err error
	switch {
	case strings.HasPrefix(where, targetEnv):
		endpoint, err = byVariable(strings.TrimPrefix(where, targetEnv))
	case strings.HasPrefix(where, targetFile):
		endpoint, err = byFile(strings.TrimPrefix(where, targetFile))
	case where == targetEmbedded || where == targetInProcess:
		return endpoint, usageError{fmt.Errorf("--target %s has as many accounts as the scenario asks for; expected it alone", where)}
	default:
		return endpoint, usageError{unknownTarget(where)}
	}
	if err != nil {
		return endpoint, usageError{fmt.Errorf("--target: %w", err)}
	}
	return endpoint, nil
}

// endpoints returns the accounts of a remote target, in their order.
func (a aim) endpoints() []azure.Endpoint { return append([]azure.Endpoint{a.endpoint}, a.others...) }

// String names all that is aimed at, without any secret.
func (a aim) String() string {
	var names []string
	for _, endpoint := range a.endpoints() {
		names = append(names, endpoint.String())
	}
	return strings.Join(names, " and ")
}

// enoughAccounts refuses a scenario that is sharded over another number of accounts
// than a remote target has.
func (f *targetFlags) enoughAccounts(s *scenarios.Scenario) error {
	asked, given := s.Sharding().Number(), 1+len(f.aim.others)
	if f.aim.kind != aimRemote || asked == given {
		return nil
	}
	return usageError{fmt.Errorf("the scenario %s is sharded over %d accounts, and --target names %d; expected a --target for each of them, or --set accounts.number=%d",
		s.Name, asked, given, given)}
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
		add(&sum.Lookups, c.Lookups)
		add(&sum.Connects, c.Connects)
		add(&sum.Handshakes, c.Handshakes)
		add(&sum.FirstByte, c.FirstBytes)
	}
	return sum
}
