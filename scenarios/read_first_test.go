package scenarios_test

import (
	"strings"
	"testing"

	"loadgen/engine/entity"
	"loadgen/scenarios"
)

func TestFaultsOfReadingFirst(t *testing.T) {
	const get = "{verb: get, weight: 3}"
	for _, tt := range []broken{
		{"a get does not read before it reads", get, "{verb: get, read_first: true}",
			[]string{`28:35: read_first belongs to updates and delete, and this is a get; expected none`}},
		{"an insert has nothing to read", get, "{verb: insert, read_first: true}",
			[]string{`28:38: read_first belongs to updates and delete, and this is a insert; expected none`}},
		{"a transaction does not read first", get, "{verb: batch, change: merge, properties: [{name: A, value: b}], read_first: true}",
			[]string{`28:87: read_first belongs to updates and delete, and this is a batch; expected none`}},
		{"a delete has no counter", get, "{verb: delete, counter: Laps}",
			[]string{`28:35: counter belongs to updates, and this is a delete; expected none`}},
		{"what is neither true nor false", get, "{verb: delete, read_first: perhaps}",
			[]string{`28:38: read_first is perhaps; expected true or false`}},
		{"a counter that is not read", get, "{verb: replace, counter: Laps, read_first: false}",
			[]string{`28:54: a counter is raised from what was read; expected read_first true, or no counter`}},
		{"a counter that cannot be a property", get, "{verb: replace, counter: no-name}",
			[]string{`28:36: "no-name" cannot name a property; expected a letter or '_', then letters, digits or '_', at most 255`}},
		{"a counter that is a key", get, "{verb: replace, counter: RowKey}",
			[]string{`28:36: "RowKey" is a property that every entity has already; expected another name`}},
		{"a counter that is written as well", get, `{verb: merge, name: lap, counter: Laps, properties: [{name: Laps, value: "1"}]}`,
			[]string{`28:71: property "Laps" is the operation's counter, which is raised and not written; expected another name`}},
		{"a merge without properties and counter", get, "{verb: merge, name: lap, read_first: true}",
			[]string{`28:11: a merge has no properties; expected those that it writes`}},
		{"an operation called as the run's own audit", get, "{verb: get, name: audit}",
			[]string{`28:29: an operation cannot be called "audit", for the run's own preparation is; expected another name`}},
	} {
		t.Run(tt.name, tt.run)
	}
}

// An operation that reads first offers two entities, keeps that when it is written
// down, and asks for a store that keeps what is written.
func TestReadingFirst(t *testing.T) {
	for _, row := range []struct {
		name, operation string
		counter         string
		offers          int
	}{
		{"a merge of properties", `{verb: merge, read_first: true, properties: [{name: Paid, value: "yes"}]}`, "", 2},
		{"a merge of a counter alone", "{verb: merge, counter: Laps}", "Laps", 2},
		{"a replace", "{verb: replace, read_first: true}", "", 2},
		{"a replace with a counter", "{verb: insert-or-replace, counter: Laps}", "Laps", 2},
		{"a delete", "{verb: delete, read_first: true}", "", 2},
		{"a delete that does not", "{verb: delete}", "", 1},
	} {
		text := strings.Replace(race, "{verb: get, weight: 3}", "{name: write, "+row.operation[1:], 1)
		s, err := scenarios.Parse("race.yaml", []byte(text))
		if err != nil {
			t.Fatalf("%s: Parse = %v; want no error", row.name, err)
		}
		again, err := scenarios.Parse("again.yaml", s.Text())
		if err != nil {
			t.Fatalf("%s: Parse(%s) = %v; want no error", row.name, s.Text(), err)
		}
		for _, one := range []*scenarios.Scenario{s, again} {
			op := &one.Phases[1].Traffic.Operations[0]
			if op.ReadFirst != (row.offers == 2) || op.Counter != row.counter || op.Offers() != row.offers {
				t.Errorf("%s: reads first %v, counter %q, offers %d; want %v, %q, %d",
					row.name, op.ReadFirst, op.Counter, op.Offers(), row.offers == 2, row.counter, row.offers)
			}
			one.Phases[1].Traffic.Operations = one.Phases[1].Traffic.Operations[:1]
			if one.Reads() != op.ReadFirst {
				t.Errorf("%s: Reads() = %v; want %v", row.name, one.Reads(), op.ReadFirst)
			}
			if !op.Writes().IsChange() || op.Verb == entity.Get {
				t.Errorf("%s: %v is no write", row.name, op.Verb)
			}
		}
	}
}
