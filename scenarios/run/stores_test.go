package run

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/target"
	"loadgen/target/azure"
)

// furnished are scenarios of the library that use queues or blobs beside their tables.
var furnished = []string{"large-entity", "eventual-transaction-workers", "index-blob"}

// Stand-ins are there behind a socket, and on the virtual clock, and are in the books; the
// tables' requests go on going to the socket.
func TestStandInsBesideTheSocket(t *testing.T) {
	s := library(t, furnished[0])
	d, err := (&Plan{Scenario: s, On: Embedded}).open(t.Context(), clock.NewReal(), "run")
	require.NoError(t, err)
	defer d.close()
	put := target.Operation{Beside: &target.Beside{Verb: target.PutMessage, Store: "work", Body: []byte("a")}}
	create := target.Operation{Verb: entity.CreateTable, Table: "Races"}
	for _, op := range []*target.Operation{&put, &create} {
		o := d.target.Do(t.Context(), op)
		assert.Truef(t, o.Status < 300, "%+v is answered %+v; want success", op, o)
	}
	c := d.counter.Counts()
	assert.Truef(t, c.Requests == 2 && c.Ok == 2 && len(d.wires) == 1, "the books are %+v over %d wires", c, len(d.wires))
	record, err := Run(t.Context(), Plan{Scenario: s})
	require.NoError(t, err)
	all := record.Total(results.Everything)
	assert.Truef(t, all.Attempts > 0 && all.Failed == 0 && record.Target.Requests == all.Attempts, "%+v of %+v", record.Target, all)
}

// A report without stand-ins does not speak of any, and one at a real service neither, which
// has no broker.
func TestStandInsAreSaid(t *testing.T) {
	service := whoAnswers{names: "Windows-Azure-Table/1.0"}
	for _, row := range []struct {
		name     string
		on       Place
		answers  whoAnswers
		scenario *scenarios.Scenario
		says     string
	}{
		{"beside the embedded engine", Embedded, whoAnswers{}, new(scenarios.Scenario), "stand-in in memory"},
		{"at a real service", Remote, service, new(scenarios.Scenario), ""},
		{"a broker at a real service", Remote, service, library(t, "user-signatures"), "stand-ins in memory"},
	} {
		m := results.Manifest{StandIns: []string{"queue"}}
		(&Plan{On: row.on, Scenario: row.scenario}).describe(&m, "races", row.answers)
		told := strings.Join(verdict.Limits(&results.Record{Manifest: m}), "\n")
		assert.Truef(t, strings.Contains(told, "in memory") == (row.says != "") && strings.Contains(told, row.says),
			"%s, the report says %q; want %q", row.name, told, row.says)
	}
}

// What a scenario uses beside its tables a target has to have; tables alone need nothing.
func TestWhatATargetHasToReach(t *testing.T) {
	endpoint, err := azure.ParseURL("http://127.0.0.1:1/races", "", nil)
	require.NoError(t, err)
	plain, beside := library(t, "table-scan"), ""
	p := &Plan{Scenario: plain, On: Remote, Accounts: []azure.Endpoint{endpoint}, Consent: func(a Ask) error {
		beside = a.Beside
		return nil
	}}
	err = errors.Join(p.reaches(), p.Agree(campaign.Forecast{}, "races"))
	assert.Truef(t, err == nil && beside == "", "a scenario of tables alone: %v, stores at %q; want neither", err, beside)
	d, err := (&Plan{Scenario: plain, On: InProcess}).open(t.Context(), clock.NewReal(), "races")
	require.NoError(t, err)
	_, both := d.counter.(booksOfBoth)
	assert.False(t, both, "a scenario of tables alone has stand-ins")
	for _, name := range furnished {
		s := library(t, name)
		p.Scenario = s
		require.Errorf(t, p.reaches(), "%s reaches what is not there", s.Name)
		assert.NoErrorf(t, (&Plan{Scenario: s, On: Embedded}).reaches(), "%s at the embedded engine", s.Name)
	}
}
