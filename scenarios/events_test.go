package scenarios_test

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"loadgen/scenarios"
	"loadgen/scenarios/fields"
)

// visits is a scenario of event traffic whose load, copies and operations the tests
// fill in.
const visits = `name: visits
attributes:
  at: {time: 2026-03-01T00:00:00Z, every: 1s}
  page: {list: [home, shop, help]}
  id: {sequence: 1}
entity: {size: 300, properties: [{name: Page, value: "{page}"}, {name: Seen, type: DateTime, value: "{at}"}]}
use: plain
designs:
  - {name: plain, partition_key: "{page}", row_key: "{at:ticks}_{id}"%s}
  - {name: other, partition_key: "o{id}", row_key: "{page}"}
phases:
  - {name: load, load: {entities: %d, transaction: 10}}
  - {name: measure, traffic: {arrivals: {constant: 10}, for: 5s%s}}
`

// visiting fills the scenario in.
func visiting(copies, traffic string) []byte {
	return fmt.Appendf(nil, visits, copies, 50, traffic)
}

// faultsIn returns what is wrong with a text, without places, each on a line.
func faultsIn(text []byte) string {
	_, err := scenarios.Parse("visits.yaml", text)
	faults, _ := err.(fields.Faults)
	var lines []string
	for _, fault := range faults {
		lines = append(lines, fault.Path+": "+fault.What)
	}
	return strings.Join(lines, "\n")
}

func TestFaultsOfEventTraffic(t *testing.T) {
	const operation = "phases.1.traffic.operations.0"
	const copied = `, copies: [{name: number, partition_key: "n{id}", row_key: "{page}"}]`
	for _, row := range []struct{ name, copies, traffic, want string }{
		{"nothing is wrong", copied, ", operations: [{verb: insert}, {verb: query, by: [page], span: 1h, of: latest}, {verb: batch, entities: 3, together: [page]}]", ""},
		{"an attribute that nobody knows", "", ", operations: [{verb: query, by: [pages]}]", operation + `.by.0: unknown attribute "pages"; did you mean "page"?`},
		{"a function is no attribute", "", `, operations: [{verb: query, by: ["hash(id,8)"]}]`, operation + `.by.0: unknown attribute "hash(id,8)"; expected at, page or id`},
		{"an attribute twice", "", ", operations: [{verb: query, by: [page, page]}]", operation + `.by.1: attribute "page" is named twice; expected once`},
		{"a span of a query that knows nothing", "", ", operations: [{verb: query, class: partition-scan, span: 1h}]", operation + ".span: a span belongs to a query by attributes; expected by"},
		{"an insert chooses nothing", "", ", operations: [{verb: insert, of: latest}]", operation + ".of: of belongs to what works on entities that are there, and this is a insert; expected none"},
		{"nor does a batch", "", ", operations: [{verb: batch, together: [page], of: {zipf: 1}}]", operation + ".of: of belongs to what works on entities that are there, and this is a batch; expected none"},
		{"entities of a batch that lie apart", "", ", operations: [{verb: batch}]", operation + `.together: an entity group transaction lies in one partition, and the PartitionKey "{page}" holds {page}, in which the entities differ; expected them in together, or another design`},
		{"entities of a batch with one key", "", ", operations: [{verb: batch, together: [page, id]}]", operation + ".together: entities that share page, id have the same key; expected what makes keys unique to be none of them"},
		{"copies of a batch with one key", `, copies: [{name: number, partition_key: "n{number}", row_key: "x"}, {name: twin, partition_key: "i{id}", row_key: "{page}"}]`,
			", operations: [{verb: batch, together: [page, id]}]", operation + ".together: entities that share page, id have the same key"},
		{"what exists is not written in batches", "", ", operations: [{verb: batch, change: delete}]", operation + ".change: a batch of event traffic writes new entities; expected insert, insert-or-replace or insert-or-merge, or partitions"},
		{"partitions that follow one another", "", ", operations: [{verb: query, class: partition-range}]", operation + ".class: the partitions that follow one another are those of a phase that names partitions; expected another class, by, or partitions"},
		{"clients die between what is not there", "", ", operations: [{verb: insert, killed: 2%}]", operation + ".killed: a client dies between the writes of an entity and of its copies, and no design has copies; expected none, or copies"},
		{"no whole seconds", "", ", operations: [{verb: get, timeout: 1500ms}]", operation + ".timeout: the service takes its timeout in whole seconds, and 1.5s is none; expected 1s to 30s"},
		{"longer than the service takes", "", ", operations: [{verb: get, timeout: 31s}]", operation + ".timeout: timeout is 31s; expected"},
		{"a reader leaves nothing half-done", copied, ", operations: [{verb: get, killed: 2%}]", operation + ".killed: killed belongs to what writes, and this is a get; expected none"},
		{"more than all", copied, ", operations: [{verb: insert, killed: 101%}]", operation + `.killed: killed is 101%; expected a share in percent above 0, such as 2%`},
		{"nothing to repair", "", ", operations: [{workflow: repair-copies}]", operation + ".workflow: workflow repair-copies: the design has no copies; expected copies in it"},
		{"what copies hold was not read", copied, ", operations: [{verb: replace, read_first: true}]", operation + ".read_first: an update of what was read does not know what the copies hold; expected none, or a design without copies"},
		{"two ways to the key", "", ", operations: [{verb: replace, read_first: true, by: [page]}]", operation + ".by: by finds the key of what is written, and read_first reads it by its key; expected one of them"},
		{"partitions and an access", "", ", partitions: 2, operations: [{verb: get, of: latest}]", operation + ".of: of belongs to event traffic, and this goes to partitions that are named; expected none, or traffic without partitions"},
		{"partitions and copies", copied, ", partitions: 2, operations: [{verb: replace}]", operation + ".verb: what writes entities writes their copies, which lie in other partitions; expected traffic without partitions, or a design without copies"},
		{"a copy that is not unique", `, copies: [{name: all, partition_key: "x", row_key: "{page}"}]`, ", operations: [{verb: insert}]",
			"designs.0.copies.0: neither key holds an attribute with a sequence, so that two entities can have the same key; expected one, such as {bib}, or {number} or {uuid}"},
		{"copies with keys of one another", `, copies: [{name: a, partition_key: "x{id}", row_key: "r"}, {name: b, partition_key: "x{number}", row_key: "r"}]`, ", operations: [{verb: insert}]",
			`phases.0.load.entities: the copy "a" of entity 0 and the copy "b" of entity 1 both have the PartitionKey "x1" and the RowKey "r"; expected keys that differ, or a table of its own for the copy`},
		{"unless in tables of their own", `, copies: [{name: a, partition_key: "x{id}", row_key: "r"}, {name: b, table: Other, partition_key: "x{number}", row_key: "r"}]`, ", operations: [{verb: insert}]", ""},
		{"a copy of the key itself", `, copies: [{name: same, partition_key: "{page}", row_key: "{at:ticks}_{id}"}]`, ", operations: [{verb: insert}]",
			`designs.0.copies.0: copy "same" has the keys of another home of its entities in the same table; expected other keys, or a table of its own`},
		{"tables that differ in capitals", `, copies: [{name: a, table: Pages, partition_key: "a{id}", row_key: "x"}, {name: b, table: pages, partition_key: "b{id}", row_key: "x"}]`, ", operations: [{verb: insert}]",
			`designs.0.copies.1.table: table "pages" differs from "Pages" in capitals alone, which name the same table; expected one spelling`},
		{"one table twice", `, copies: [{name: a, table: Pages, partition_key: "a{id}", row_key: "x"}, {name: b, table: Pages, partition_key: "b{id}", row_key: "x"}]`, ", operations: [{verb: insert}]", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := faultsIn(visiting(row.copies, row.traffic))
			if row.want == "" && got != "" || !strings.HasPrefix(got, row.want) || strings.Contains(got, "\n") && !strings.Contains(row.name, "copies of a batch") {
				t.Errorf("Parse() = %s; want %s", got, row.want)
			}
		})
	}
}

// What needs entities needs a load before it, the search for a key among it.
func TestEventTrafficWithoutALoad(t *testing.T) {
	for _, row := range []struct{ operation, want string }{
		{"{verb: insert}", ""},
		{"{verb: insert-or-replace}", ""},
		{"{verb: get}", ".verb: a get needs entities that are there, and nothing is loaded before; expected a load first, or a verb that needs none, such as insert-or-merge"},
		{"{verb: insert-or-replace, by: [page]}", ".by: by finds the key of an entity that is there, and nothing is loaded before; expected a load first, or no by"},
		{"{verb: insert-or-replace, of: {zipf: 1}}", ".of: zipf is of the entities that were loaded, and nothing is loaded before; expected a load first, or latest"},
	} {
		text := strings.Replace(string(visiting("", ", operations: ["+row.operation+"]")), "  - {name: load, load: {entities: 50, transaction: 10}}\n", "", 1)
		if got := strings.TrimPrefix(faultsIn([]byte(text)), "phases.0.traffic.operations.0"); got != row.want {
			t.Errorf("Parse(%s) = %s; want %s", row.operation, got, row.want)
		}
	}
}

// A design that is not in use is checked all the same, as far as it stands by itself.
func TestDesignsThatAreNotInUse(t *testing.T) {
	text := strings.Replace(string(visiting("", ", operations: [{verb: insert}]")), `"o{id}"`, `"o{ids}"`, 1)
	if got, want := faultsIn([]byte(text)), `designs.1.partition_key: unknown attribute "ids"; did you mean "id"?`; got != want {
		t.Errorf("Parse() = %s; want %s", got, want)
	}
}

// The text of every field of event traffic is read as what it was written from.
func TestTextOfEventTraffic(t *testing.T) {
	text := visiting(`, copies: [{name: n, table: Numbers, partition_key: "n{id}", row_key: "{page}", properties: [Page]}, {name: m, partition_key: "m{id}", row_key: "{page}"}]`,
		`, operations: [{name: a, verb: get, of: latest}, {name: b, verb: get, of: {latest: 40}}, {name: c, verb: get, of: {zipf: 0}}, {name: d, verb: get, of: {hot: 5%, share: 100%}}, `+
			`{name: e, verb: query, by: [page, id], span: 90m, of: uniform}, {name: f, verb: batch, together: [page]}, {name: g, verb: delete, by: [id]}]`)
	s := parsed(t, string(text))
	again := parsed(t, string(s.Text()))
	if !reflect.DeepEqual(s.Designs, again.Designs) || !reflect.DeepEqual(s.Phases, again.Phases) || s.Use != again.Use || !reflect.DeepEqual(s.Design, again.Design) {
		t.Errorf("Parse(Text()) = %+v, %+v; want %+v, %+v", again.Designs, again.Phases[1].Traffic.Operations, s.Designs, s.Phases[1].Traffic.Operations)
	}
	list := again.Phases[1].Traffic.Operations
	for i, want := range []scenarios.Access{{Kind: "latest", Window: 1}, {Kind: "latest", Window: 40}, {Kind: "zipf"}, {Kind: "hot", Hot: 0.05, Share: 1}, {}} {
		if list[i].Of != want {
			t.Errorf("operation %s is of %+v; want %+v", list[i].Name, list[i].Of, want)
		}
	}
	if err := again.Set("use", "other"); err != nil || again.Design.PartitionKey != "o{id}" || len(again.Tables()) > 0 {
		t.Errorf("Set(use) = %v, and the design is %+v; want the other", err, again.Design)
	}
}

// A copy answers what it keeps: names of properties are told from all else in a filter.
func TestCopiesAnswer(t *testing.T) {
	some := &scenarios.Copy{Properties: []string{"Page", "Count_2"}}
	for _, row := range []struct {
		where  string
		fields []string
		want   bool
	}{
		{"", nil, true},
		{"", []string{"Page", "RowKey", "Timestamp"}, true},
		{"", []string{"Page", "Seen"}, false},
		{"Page eq 'Seen''s' and not (Count_2 ge 5L)", nil, true},
		{"Page eq '{page}' or Seen lt datetime'2026-01-01T00:00:00Z'", nil, false},
		{"Count_2 eq {Seen} and true", nil, true},
		{"RowKey gt 'a' and Count_2 lt 1.5E3", nil, true},
		{"'a' eq Pages", nil, false},
		{"Page eq 'no end", nil, true},
	} {
		o := &scenarios.OperationSpec{Where: row.where, Select: row.fields}
		if got := some.Answers(o); got != row.want {
			t.Errorf("Answers(%q, %v) = %v; want %v", row.where, row.fields, got, row.want)
		}
		if !new(scenarios.Copy).Answers(o) {
			t.Errorf("Answers(%q, %v) of a copy of everything = false; want true", row.where, row.fields)
		}
	}
}

// A trace whose rows name keys leaves no choice to events, and no copies to be
// written; one without keys is checked like any other event traffic once it is read.
func TestEventTrafficOfATrace(t *testing.T) {
	const copied = `, copies: [{name: number, partition_key: "n{id}", row_key: "{page}"}]`
	for _, row := range []struct{ name, copies, rows, operations, want string }{
		{"keys alone", "", "0,put,home,1\n", "[{name: put, verb: insert}]", ""},
		{"keys and copies", copied, "0,put,home,1\n", "[{name: put, verb: insert}]",
			".verb: what writes entities writes their copies, and a row of the trace names one key; expected a trace without keys, or a design without copies"},
		{"keys and reads beside copies", copied, "0,get,home,1\n", "[{verb: get}]", ""},
		{"keys and an access", "", "0,get,home,1\n", "[{verb: get, of: latest}]",
			".of: of belongs to event traffic, and the rows of the trace name the keys; expected none, or a trace without keys"},
		{"instants and copies", copied, "0\n1.5\n", "[{verb: insert}]", ""},
		{"instants, and an attribute that nobody knows", "", "0\n1.5\n", "[{verb: query, by: [pages]}]", `.by.0: unknown attribute "pages"; did you mean "page"?`},
	} {
		t.Run(row.name, func(t *testing.T) {
			text := strings.Replace(string(visiting(row.copies, ", operations: "+row.operations)), "{constant: 10}", "{trace: rows.csv}", 1)
			s := parsed(t, text)
			err := s.ReadFiles(func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(row.rows)), nil })
			got := ""
			if faults, some := err.(fields.Faults); some {
				got = strings.TrimPrefix(faults[0].Path+": "+faults[0].What, "phases.1.traffic.operations.0")
			} else if err != nil {
				got = err.Error()
			}
			if got != row.want {
				t.Errorf("ReadFiles() = %s; want %s", got, row.want)
			}
		})
	}
}
