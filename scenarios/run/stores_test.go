package run

import (
	"errors"
	"strings"
	"testing"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/target"
	"loadgen/target/azure"
)

// furnished returns the scenarios of the library that use queues or blobs beside their
// tables.
func furnished(t *testing.T) []*scenarios.Scenario {
	t.Helper()
	var list []*scenarios.Scenario
	for _, name := range scenarios.Library() {
		s, err := scenarios.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(neighboursOf(s)) > 0 {
			list = append(list, s)
		}
	}
	if len(list) == 0 {
		t.Fatal("no scenario of the library uses a queue or blobs")
	}
	return list
}

// Behind a socket, too; the tables' requests go on going there.
func TestStandInsBesideTheSocket(t *testing.T) {
	s := furnished(t)[0]
	d, err := (&Plan{Scenario: s, On: Embedded}).open(t.Context(), clock.NewReal(), "run")
	if err != nil {
		t.Fatal(err)
	}
	defer d.close()
	put := target.Operation{Beside: &target.Beside{Verb: target.PutMessage, Store: "work", Body: []byte("a")}}
	create := target.Operation{Verb: entity.CreateTable, Table: "Races"}
	for _, op := range []*target.Operation{&put, &create} {
		if o := d.target.Do(t.Context(), op); o.Status >= 300 {
			t.Errorf("%+v is answered %+v; want success", op, o)
		}
	}
	if c := d.counter.Counts(); c.Requests != 2 || c.Ok != 2 || len(d.wires) != 1 {
		t.Errorf("the books are %+v over %d wires; want both requests, and the wire of the tables", c, len(d.wires))
	}
}

// On the virtual clock they stand beside the engine, and are in its books.
func TestStandInsInVirtualTime(t *testing.T) {
	s := furnished(t)[0]
	record, err := Run(t.Context(), Plan{Scenario: s, Memory: new(results.Memory)})
	if err != nil {
		t.Fatal(err)
	}
	if all := record.Total(results.Everything); all.Attempts == 0 || all.Failed > 0 || record.Target == nil || record.Target.Requests != all.Attempts {
		t.Errorf("%s: %d of %d attempts failed, the target counted %+v; want none, and each of them", s.Name, all.Failed, all.Attempts, record.Target)
	}
}

// A report without stand-ins does not speak of any, and one at a real service neither.
func TestStandInsAreSaid(t *testing.T) {
	told := func(m results.Manifest) bool {
		return strings.Contains(strings.Join(verdict.Limits(&results.Record{Manifest: m}), "\n"), "stand-in in memory")
	}
	p, m := &Plan{On: Embedded, Scenario: new(scenarios.Scenario)}, results.Manifest{StandIns: []string{"queue"}}
	if !told(m) {
		t.Error("the report says nothing of a stand-in")
	}
	p.describe(&m, "races", whoAnswers{})
	if !told(m) {
		t.Error("beside the embedded engine the report says nothing of a stand-in")
	}
	p.On = Remote
	p.describe(&m, "races", whoAnswers{names: "Windows-Azure-Table/1.0"})
	if told(m) || m.StandIns != nil {
		t.Error("at a real service the report speaks of stand-ins")
	}
	// No service has a broker.
	var err error
	if p.Scenario, err = scenarios.Builtin("user-signatures"); err != nil {
		t.Fatal(err)
	}
	p.describe(&m, "races", whoAnswers{names: "Windows-Azure-Table/1.0"})
	if all := strings.Join(verdict.Limits(&results.Record{Manifest: m}), "\n"); told(m) || !strings.Contains(all, "Brokers, proxies and preflights are stand-ins in memory") {
		t.Errorf("at a real service the report says of a broker: %s", all)
	}
}

// A sweep is throttled alike, and tables alone need nothing beside them.
func TestWhatATargetHasToReach(t *testing.T) {
	endpoint, err := azure.ParseURL("http://127.0.0.1:1/races", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := scenarios.Builtin("table-scan")
	if err != nil {
		t.Fatal(err)
	}
	asked := Ask{}
	p := &Plan{Scenario: plain, On: Remote, Accounts: []azure.Endpoint{endpoint}, Consent: func(a Ask) error {
		asked = a
		return nil
	}}
	if err := errors.Join(p.reaches(), p.Agree(campaign.Forecast{}, "races")); err != nil || asked.Beside != "" {
		t.Errorf("a scenario of tables alone: %v, stores at %q; want neither", err, asked.Beside)
	}
	direct := &Plan{Scenario: plain, On: InProcess}
	d, err := direct.open(t.Context(), clock.NewReal(), "races")
	if err != nil {
		t.Fatal(err)
	}
	if _, both := d.counter.(booksOfBoth); both {
		t.Error("a scenario of tables alone is given stand-ins")
	}
	for _, s := range furnished(t) {
		p.Scenario = s
		if err := p.reaches(); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v; want one line", s.Name, err)
		}
		near := &Plan{Scenario: s, On: Embedded}
		if err := near.reaches(); err != nil {
			t.Errorf("%s at the embedded engine: %v", s.Name, err)
		}
	}
}
