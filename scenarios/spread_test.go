package scenarios_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"loadgen/engine/entity"
	"loadgen/scenarios"
)

// spreading is the race with a spread in place of its peak, in a line of its own.
func spreading(spread string) string {
	return race[:strings.Index(race, "  - name: peak")] + "  - name: spread\n    spread: " + spread + "\n"
}

// coldly is the same without the load.
func coldly(spread string) string {
	text := spreading(spread)
	from, to := strings.Index(text, "  - name: load"), strings.Index(text, "  - name: spread")
	return text[:from] + text[to:]
}

const upserts = `operations: [{verb: insert-or-merge, properties: [{name: Age, type: Int32, value: "{age}"}]}]`

func TestSpreadIsReadAndWritten(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       scenarios.Traffic
	}{
		{"an open loop over a number of partitions", spreading("{partitions: 2, rate: 1000, for: 20m, " + upserts + "}"),
			scenarios.Traffic{Partitions: 2, Arrivals: &scenarios.Arrivals{Constant: 1000}, For: 20 * time.Minute, Entities: 1000}},
		{"an open loop over named partitions, without a load", coldly("{partitions: [Berlin, NYC], rate: 0.5, for: 1s, entities: 7, " + upserts + "}"),
			scenarios.Traffic{Keys: []string{"Berlin", "NYC"}, Arrivals: &scenarios.Arrivals{Constant: .5}, For: time.Second, Entities: 7}},
		{"a closed loop", coldly("{partitions: 1, clients: 64, think: 100ms, for: 24h, " + upserts + "}"),
			scenarios.Traffic{Partitions: 1, Clients: 64, Think: 100 * time.Millisecond, For: 24 * time.Hour, Entities: 1000}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := parsed(t, tt.text)
			got := *s.Phases[len(s.Phases)-1].Traffic
			tt.want.Unit, tt.want.Drain = scenarios.UnitEach, 5*time.Second
			if len(got.Operations) != 1 || got.Operations[0].Verb != entity.InsertOrMerge {
				t.Fatalf("operations %v; want one insert-or-merge", got.Operations)
			}
			got.Operations = nil
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("Parse = %+v; want %+v", got, tt.want)
			}
			again := parsed(t, string(s.Text()))
			if string(again.Text()) != string(s.Text()) {
				t.Errorf("Parse(Text()) =\n%s\nwant\n%s", again.Text(), s.Text())
			}
		})
	}
}

func TestFaultsOfSpreads(t *testing.T) {
	const place = "21:13: "
	for _, tt := range []struct{ name, text, want string }{
		{"neither rate nor clients", coldly("{partitions: 2, for: 1s, " + upserts + "}"),
			place + "spread has neither rate nor clients; expected a rate (open loop), or clients and think (closed loop)"},
		{"both loops", coldly("{partitions: 2, rate: 1, clients: 2, think: 1s, for: 1s, " + upserts + "}"),
			`21:47: clients make a closed loop and rate an open one; expected one of them`},
		{"clients that never pause", coldly("{partitions: 2, clients: 2, for: 1s, " + upserts + "}"),
			`21:38: clients have no think; expected how long each pauses, such as 100ms, or 0 for not at all`},
		{"a pause of nobody", coldly("{partitions: 2, rate: 1, think: 1s, for: 1s, " + upserts + "}"),
			`21:45: think belongs to clients, and there are none; expected none`},
		{"a pause too short", coldly("{partitions: 2, clients: 1, think: 1us, for: 1s, " + upserts + "}"),
			`21:48: think is 1us; expected 0 for clients that never pause, or a duration with its unit, such as 4s or 2500ms, from 1ms to 24h0m0s`},
		{"no partition", coldly("{partitions: 0, rate: 1, for: 1s, " + upserts + "}"),
			`21:26: partitions is 0; expected how many partitions, from 1 to 10000, or a list of PartitionKeys`},
		{"partitions that are neither a number nor a list", coldly("{partitions: many, rate: 1, for: 1s, " + upserts + "}"),
			`21:26: partitions is many; expected how many partitions, from 1 to 10000, or a list of PartitionKeys`},
		{"an empty list of partitions", coldly("{partitions: [], rate: 1, for: 1s, " + upserts + "}"),
			`21:26: partitions has 0 items; expected 1 to 10000 PartitionKeys`},
		{"more partitions than there are", coldly("{partitions: 3, rate: 1, for: 1s, " + upserts + "}"),
			`21:26: the first 100000 entities fall into 2 partitions; expected at most so many`},
		{"a PartitionKey that nothing has", coldly("{partitions: [Berlim], rate: 1, for: 1s, " + upserts + "}"),
			`21:26: none of the 100000 entities loaded has the PartitionKey "Berlim"; the nearest that exists is "Berlin"`},
		{"a PartitionKey named twice", coldly("{partitions: [NYC, NYC], rate: 1, for: 1s, " + upserts + "}"),
			`21:32: PartitionKey "NYC" occurs twice; expected each once`},
		{"a verb that needs entities, without a load", coldly("{partitions: 2, rate: 1, for: 1s, operations: [{verb: get}]}"),
			`21:67: a get needs entities that are there, and nothing is loaded before; expected a load first, or a verb that needs none, such as insert-or-merge`},
		{"a mistyped field", coldly("{partitions: 2, rates: 1, rate: 1, for: 1s, " + upserts + "}"),
			`21:29: unknown field "rates"; did you mean "rate"?`},
		{"no end", coldly("{partitions: 2, rate: 1, " + upserts + "}"), place + `spread has no for; expected one`},
		{"no weight", coldly("{partitions: 2, rate: 1, for: 1s, operations: [{verb: insert, weight: 0}]}"),
			`21:59: the weights of all operations are 0; expected at least one above`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := scenarios.Parse("", []byte(tt.text))
			if got := strings.TrimPrefix(faultLines(t, err), ":"); got != tt.want {
				t.Errorf("Parse =\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// The fields of a spread go by their short paths, as those of a peak do, and a
// number of partitions can give way to a list and back.
func TestSetOfSpreads(t *testing.T) {
	s := parsed(t, coldly("{partitions: 2, rate: 1000, for: 20m, "+upserts+"}"))
	for _, set := range [][2]string{{"phases.spread.rate", "50"}, {"phases.spread.for", "30m"}, {"phases.spread.partitions", "1"},
		{"phases.spread.spread.entities", "9"}, {"start", "cold"}} {
		if err := s.Set(set[0], set[1]); err != nil {
			t.Fatalf("Set(%q, %q) = %v; want no error", set[0], set[1], err)
		}
	}
	got := s.Phases[0].Traffic
	if got.Arrivals.Constant != 50 || got.For != 30*time.Minute || got.Partitions != 1 || got.Entities != 9 || s.Start != scenarios.StartCold {
		t.Errorf("after Set the spread is %+v, start %s; want what was set", got, s.Start)
	}
	for _, partitions := range []string{"[NYC]", "2", "[Berlin, NYC]"} {
		if err := s.Set("phases.spread.partitions", partitions); err != nil {
			t.Errorf("Set of the partitions to %s = %v; want no error", partitions, err)
		}
	}
	if len(got.Keys) != 0 || len(s.Phases[0].Traffic.Keys) != 2 || s.Phases[0].Traffic.Partitions != 0 {
		t.Errorf("after Set the spread is %+v; want two keys by name", s.Phases[0].Traffic)
	}
	if err := s.Set("phases.spread.rate", "0"); err == nil {
		t.Error("Set of a rate of 0 = no error; want one")
	}
	if err := s.Set("phases.spread.clients", "5"); err == nil {
		t.Error("Set of clients beside a rate = no error; want one")
	}
}

func TestWitnessesAreThePartitionsInOrder(t *testing.T) {
	s := parsed(t, coldly("{partitions: [Berlin, NYC], rate: 1, for: 1s, "+upserts+"}"))
	g, err := s.Generator()
	if err != nil {
		t.Fatal(err)
	}
	found, err := s.Witnesses(0)
	if err != nil || len(found) != 2 || g.PartitionKey(found[0]) != "Berlin" || g.PartitionKey(found[1]) != "NYC" {
		t.Errorf("Witnesses = %v, %v; want one of Berlin and one of NYC", found, err)
	}
	for i, n := range found {
		first := uint64(0)
		for g.PartitionKey(first) != s.Phases[0].Traffic.Keys[i] {
			first++
		}
		if n != first {
			t.Errorf("Witnesses()[%d] = %d; want the first entity of %q, %d", i, n, s.Phases[0].Traffic.Keys[i], first)
		}
	}
	s.Phases[0].Traffic.Keys = []string{"Berlin", "Oslo"}
	if _, err := s.Witnesses(0); !errors.Is(err, scenarios.ErrNoPartition) {
		t.Errorf("Witnesses of a key that nothing has = %v; want ErrNoPartition", err)
	}
}

func TestReads(t *testing.T) {
	load := "\n  - name: late\n    count: {lanes: 1}\n"
	for _, tt := range []struct {
		name, text string
		want       bool
	}{
		{"writes alone", coldly("{partitions: 2, rate: 1, for: 1s, " + upserts + "}"), false},
		{"a get", spreading("{partitions: 2, rate: 1, for: 1s, operations: [{verb: get}]}"), true},
		{"a count", coldly("{partitions: 2, rate: 1, for: 1s, "+upserts+"}") + load, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := scenarios.Parse("", []byte(tt.text))
			if err != nil {
				if tt.want && strings.Contains(err.Error(), "before any load") {
					return
				}
				t.Fatal(err)
			}
			if got := s.Reads(); got != tt.want {
				t.Errorf("Reads() = %t; want %t", got, tt.want)
			}
		})
	}
}

// An update that knows its key reads nothing; one that looks for it has to find it.
func TestReadsForAnUpdateThatLooksForItsKey(t *testing.T) {
	s, err := scenarios.Builtin("scan-to-find")
	if err != nil {
		t.Fatal(err)
	}
	opposed, err := s.Opposed()
	if err != nil {
		t.Fatal(err)
	}
	if s.Reads() || !opposed.Reads() {
		t.Errorf("Reads() = %t, and %t where the update looks for its key; want false and true", s.Reads(), opposed.Reads())
	}
}
