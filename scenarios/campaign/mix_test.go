package campaign

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/scenarios"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/keys"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// mixOf returns a mix of one operation of these on prepared entities of a built-in scenario.
func mixOf(t *testing.T, spec scenarios.OperationSpec) *mix {
	t.Helper()
	s, err := scenarios.Builtin("simulate")
	require.NoError(t, err)
	spec.Properties, spec.Name, spec.Weight = s.Phases[0].Operations()[0].Properties, "one", 1
	s.Phases[0].Traffic.Operations = []scenarios.OperationSpec{spec}
	c, err := NewCampaign(Options{Scenario: s, Table: "simulate"})
	require.NoError(t, err)
	partitions, err := c.spreadOver(0)
	require.NoError(t, err)
	m, err := c.newMix(0, partitions[:2]...)
	require.NoError(t, err)
	m.prepare()
	return m
}

// What is reckoned beforehand of a merge is what it weighs; of what is altered on its way,
// and of all else, nothing is.
func TestPreparedSizesMatch(t *testing.T) {
	for _, row := range []struct {
		name     string
		spec     scenarios.OperationSpec
		reckoned bool
	}{
		{"a merge", scenarios.OperationSpec{Verb: entity.Merge}, true},
		{"one that inserts", scenarios.OperationSpec{Verb: entity.InsertOrMerge}, true},
		{"one that reads first, and writes what it read", scenarios.OperationSpec{Verb: entity.Merge, ReadFirst: true}, false},
		{"a transaction of merges", scenarios.OperationSpec{Verb: entity.Batch, Change: entity.Merge, Entities: 2}, false},
		{"a read", scenarios.OperationSpec{Verb: entity.Get}, false},
	} {
		m := mixOf(t, row.spec)
		for k := range uint64(500) {
			var w drive.Work
			m.work(k, &w)
			op := &w.Operation
			if !row.reckoned {
				require.Truef(t, op.Sizes == (target.Sizes{}), "%s: %+v is reckoned; want nothing", row.name, op.Sizes)
				continue
			}
			got := fmt.Sprint(op.Sizes.Request, op.RequestBytes(), op.WrittenBytes(), op.Sizes.Billed)
			op.Sizes = target.Sizes{}
			request := op.RequestBytes()
			require.Equalf(t, fmt.Sprint(request, request, op.WrittenBytes(), entity.Size(op.Change.Key, op.Change.Properties)), got,
				"%s %d: weighs", row.name, k)
		}
	}
}

func TestWindowsOfPartitions(t *testing.T) {
	// Three partitions of 5, 7 and 11 entities, and one behind the marker.
	of := func(key string, entities int) partition {
		return partition{key: key, members: make([]uint64, entities)}
	}
	all := []partition{of("a", 5), of("b", 7), of("c", 11), of("~z", 1)}
	for _, row := range []struct {
		name, key   string
		partitions  int
		first, last string
		entities    int64
	}{
		{"the first two", "a", 2, "a", "b", 12},
		{"two from the middle", "b", 2, "b", "c", 18},
		{"one alone", "c", 1, "c", "c", 11},
		{"the marker lies between", "c", 2, "c", "~z", 13},
		{"too few follow the last", "~z", 2, "c", "~z", 13},
		{"all", "b", 4, "a", "~z", 25},
		{"more than there are", "b", 100, "a", "~z", 25},
		{"from a partition that was not loaded on", "bb", 2, "c", "~z", 13},
		{"from behind the last", "~~", 3, "b", "~z", 20},
	} {
		first, last, entities := partitionRange(all, row.key, row.partitions)
		assert.Equal(t, fmt.Sprint(row.first, " ", row.last, row.entities), fmt.Sprint(first, " ", last, entities), row.name)
	}
}

// The text of a literal is read as the value that it was written from, of its type.
func TestLiterals(t *testing.T) {
	at, err := entity.ParseTicks("2026-03-01T00:00:00.5Z")
	require.NoError(t, err)
	for _, row := range []struct {
		name       string
		value      entity.Value
		text, want string
	}{
		{"a text with quotes", entity.String("O'Neil''s"), "O'Neil''s", "'O''Neil''''s'"},
		{"an empty text", entity.String(""), "", "''"},
		{"a small number", entity.Int32(-5), "-5", "-5"},
		{"a number of 64 bits", entity.Int64(20_000_000_000), "20000000000", "20000000000L"},
		{"a number with zeros before it", entity.Int64(7), "0007", "0007L"},
		{"a fraction", entity.Double(0.25), "0.25", "0.25"},
		{"a whole number among fractions", entity.Double(20_000_000_000), "20000000000", "20000000000.0"},
		{"a large fraction", entity.Double(1e21), "1e21", "1e21"},
		{"a truth", entity.Boolean(true), "true", "true"},
		{"an instant", entity.DateTime(at), "2026-03-01T00:00:00.5000000Z", "datetime'2026-03-01T00:00:00.5000000Z'"},
	} {
		got := literal(row.value.Type(), row.text)
		assert.Equal(t, row.want, got, row.name)
		query, err := target.Filtered("P eq " + got)
		require.NoError(t, err, row.name)
		assert.Truef(t, query.Filter.Keeps(entity.Key{}, entity.Pack(nil, 0, []entity.Property{{Name: "P", Value: row.value}})),
			"%s: %s is not equal to its value", row.name, got)
	}
}

// What is searched is due to be read as far as the page on which it is.
func TestDueOfASearch(t *testing.T) {
	e := phaseOf(t, 5000, "arrivals: {constant: 1}, for: 1s, operations: [{verb: delete, by: [author]}, {name: other, verb: delete, by: [id]}]", 2)
	require.NoError(t, e.estimateTables())
	all := map[string]uint64{}
	for n := range uint64(5000) {
		event := keys.Event{Number: n}
		author := e.locations[0].generator.PartitionKeyOf(event)
		all[author]++
		read := (all[author]-1)/1000*1000 + 1000
		got := e.kinds[0].reading.entities(0, event)
		require.Truef(t, uint64(got) <= read && got >= int64(read)-1000 && got >= int64(all[author]),
			"due(%d) = %d; want %d at most, and what is before it at least: it is number %d of its partition",
			n, got, read, all[author])
	}
	for _, author := range []string{"ann", "ben", "cat", "dan"} {
		assert.Truef(t, all[author] >= 1100, "%s has %d entities; want more than a page", author, all[author])
	}
}

// A trace over the rows inserts row after row behind those that were loaded, each at its
// time, whatever design forms the keys: contests hold designs against each other over the
// same events.
func TestTraceOverRowsByDesign(t *testing.T) {
	chance := rand.New(rand.NewPCG(17, 23))
	for range 3 {
		loaded, rows := 1+chance.IntN(200), 300+chance.IntN(300)
		var file strings.Builder
		file.WriteString("finished,bib,division,year\n")
		var at []time.Duration
		var all [][3]string
		now := time.Duration(0)
		for i := range rows {
			now += time.Duration(chance.IntN(90)) * time.Millisecond
			at = append(at, now)
			year := chance.IntN(4)
			all = append(all, [3]string{fmt.Sprint(2000 + year), fmt.Sprintf("M%d", 10*year+chance.IntN(3)), fmt.Sprint(i)})
			fmt.Fprintf(&file, "%s,%s,%s,%s\n", now, all[i][2], all[i][1], all[i][0])
		}
		for design, keyOf := range map[string]func(row [3]string) [2]string{
			"year":     func(r [3]string) [2]string { return [2]string{r[0], r[1] + "__" + r[2]} },
			"division": func(r [3]string) [2]string { return [2]string{r[0] + "__" + r[1], r[2]} },
		} {
			s, err := scenarios.Parse("rows.yaml", fmt.Appendf(nil, `name: rows
seed: %d
rows: {file: r.csv, columns: [year, division, bib]}
use: %s
designs:
  - {name: year, partition_key: "{year}", row_key: "{division}__{bib}"}
  - {name: division, partition_key: "{year}__{division}", row_key: "{bib}"}
phases:
  - {name: load, load: {entities: %d}}
  - name: race
    traffic: {arrivals: {trace: r.csv, time: finished}, operations: [{verb: insert}]}
`, chance.IntN(1000), design, loaded))
			require.NoError(t, err)
			require.NoError(t, s.ReadFiles(func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(file.String())), nil }))
			c, err := NewCampaign(Options{Scenario: s, Table: "rows"})
			require.NoError(t, err)
			p, err := c.Preview(1)
			require.NoError(t, err)
			require.Equalf(t, uint64(rows-loaded), p.Count(), "operations of %d rows, of which %d were loaded", rows, loaded)
			for k := range p.Count() {
				row, due := all[loaded+int(k)], at[loaded+int(k)]-at[loaded]
				p.Operation(k, "rows", func(touch Touch) {
					if want := keyOf(row); touch.Key.Partition != want[0] || touch.Key.Row != want[1] || p.DueTime(k) != due {
						t.Fatalf("%s: operation %d is at %v of %v; want %q at %v, as row %d has it", design, k, p.DueTime(k), touch.Key, want, due, loaded+int(k))
					}
				})
			}
		}
	}
}

// oneOfEach is a workflow that sends one of everything: a read, a query of no partition, a
// message, a transaction, a deletion and the dropping of a table.
func oneOfEach(c *workflow.Call) *workflow.Procedure {
	key := entity.Key{Partition: "p", Row: "r"}
	other := entity.Key{Partition: "p", Row: "s"}
	text := []entity.Property{{Name: "Text", Value: entity.String("twelve bytes")}}
	requests := []workflow.Request{workflow.Read(c.Table, key)}
	for _, op := range []target.Operation{
		{Verb: entity.Query, Table: c.Table},
		{Beside: &target.Beside{Verb: target.PutMessage, Store: "q", Body: make([]byte, 50_000), Metadata: map[string]string{"ab": "cde"}}},
		{Verb: entity.Batch, Table: c.Table + "Old", Changes: []entity.Change{
			{Verb: entity.InsertOrReplace, Key: key, Properties: text}, {Verb: entity.Delete, Key: other}}},
		{Verb: entity.Delete, Table: c.Table, Change: entity.Change{Verb: entity.Delete, Key: key}},
		{Verb: entity.DeleteTable, Table: c.Table + "Day"},
	} {
		requests = append(requests, workflow.Request{Operation: op})
	}
	return workflow.NewProcedure(nil, requests...)
}

// bank returns a campaign of transfers and, with a weight, of inserts beside them.
func bank(t *testing.T, beside string) *Campaign {
	t.Helper()
	s, err := scenarios.Parse("bank.yaml", []byte(`name: bank
attributes: {id: {sequence: 1}}
design: {partition_key: "{id}", row_key: x}
phases:
  - name: day
    traffic: {arrivals: {constant: 10}, for: 5s, operations: [{name: all, workflow: transfer, with: {from: id, to: id}, weight: 1}`+beside+`]}
`))
	require.NoError(t, err)
	c, err := NewCampaign(Options{Scenario: s, Table: "bank"})
	require.NoError(t, err)
	return c
}

// performed is a campaign whose one kind of operation is that workflow.
func performed(t *testing.T, inserts bool) (*Campaign, *events, *Preview) {
	t.Helper()
	c := bank(t, "")
	d, err := c.plan(0)
	require.NoError(t, err)
	e, err := c.eventsOf(d)
	require.NoError(t, err)
	e.kinds[0].workflowKind = &workflow.Kind{Name: "one-of-each", Inserts: inserts, New: oneOfEach}
	spec := c.Scenario.Phases[0].Operations()[0]
	if spec.Verb = entity.Get; inserts {
		spec.Verb = entity.Insert
	}
	own := *d.Traffic
	own.Operations = []scenarios.OperationSpec{spec}
	d.Traffic, d.stage.Build = &own, e.work
	return c, e, &Preview{Name: "day", Length: 5 * time.Second, plan: d, kindOf: map[int]int{e.indexes[0]: 0}}
}

// A workflow is told of by its requests: each by the partition it goes to, and those
// that go to none as such.
func TestPreviewOfAWorkflow(t *testing.T) {
	for _, inserts := range []bool{false, true} {
		_, _, p := performed(t, inserts)
		var touched []Touch
		_, entities := p.Operation(3, "bank", func(touch Touch) { touched = append(touched, touch) })
		// Of the batch two are counted, of the query one at least.
		want := []Touch{{Key: entity.Key{Partition: "p", Row: "r"}, Entities: 1},
			{Table: "Old", Key: entity.Key{Partition: "p", Row: "r"}, Entities: 2, Inserts: inserts},
			{Key: entity.Key{Partition: "p", Row: "r"}, Entities: 1}}
		assert.Truef(t, entities == 5 && slices.Equal(touched, want),
			"about a new entity: %t: it touches %+v and counts %d; want %+v and 5", inserts, touched, entities, want)
		sent, some := p.RequestsOf(3, "bank")
		require.Truef(t, some && sent.Requests == 6 && sent.Queries == 1 && sent.Beside == 1 && len(sent.Written) == 1,
			"Sent = %+v, %t; want 6 requests, a query and a message among them, and one entity written", sent, some)
		w := sent.Written[0]
		assert.Truef(t, w.Table == "Old" && w.Key.Row == "r" && w.Bytes >= 12 && w.Bytes <= 100, "Sent writes %+v; want r in Old", w)
	}
	_, _, p := performed(t, false)
	p.plan.Operations[0].Workflow = ""
	_, some := p.RequestsOf(3, "bank")
	assert.False(t, some, "of a verb")
}

// What goes beside the table alone is due to count nothing, however it is looked at.
func TestWorkflowWithoutTableOffersNothing(t *testing.T) {
	c, e, p := performed(t, false)
	e.kinds[0].workflowKind.New = func(*workflow.Call) *workflow.Procedure {
		return workflow.NewProcedure(nil, workflow.NewBesideRequest(target.Beside{Verb: target.PutMessage, Store: "q"}))
	}
	_, entities := p.Operation(3, "bank", func(touch Touch) { t.Errorf("it touches %+v; want nothing", touch) })
	assert.Zero(t, entities)
	f := c.forecastOperation(e, 3, 0)
	assert.Truef(t, f.Entities == 0 && f.Requests == 1, "%+v", f)
}

// A forecast counts each request of a workflow, those to a queue without entities, and
// what they send.
func TestForecastOfAWorkflow(t *testing.T) {
	c, e, _ := performed(t, false)
	f := c.forecastOperation(e, 3, 0)
	assert.Truef(t, f.Requests == 6 && f.Entities == 5, "asked = %+v; want 6 requests and 5 entities", f)
	// The message is 50,000 bytes and its metadata five, all else small.
	assert.InDelta(t, 50_005+6*requestBytes+1500, f.Sent, 1500)
	bare := besideBytes(&target.Beside{Verb: target.GetBlob})
	assert.Truef(t, bare.Requests == 1 && bare.Sent == 0 && bare.Entities == 0,
		"besideBytes of a read = %+v; want a request, and nothing else", bare)
	// What nobody follows is not read back.
	c.Verify = true
	spec := e.specs[0]
	var none Forecast
	c.forecastVerified(&none, &spec, 10, 100)
	assert.EqualValuesf(t, 0, none.Requests, "verifying a workflow's writes costs %+v", none)
	spec.Workflow = ""
	c.forecastVerified(&none, &spec, 10, 100)
	assert.EqualValues(t, 10, none.Requests)
}
