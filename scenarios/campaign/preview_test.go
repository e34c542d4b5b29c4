package campaign

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/scenarios"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// oneOfEach is a workflow that sends one of everything: a read, a query of no partition, a
// message, a transaction, a deletion and the dropping of a table.
func oneOfEach(c *workflow.Call) workflow.Workflow {
	key := entity.Key{Partition: "p", Row: "r"}
	other := entity.Key{Partition: "p", Row: "s"}
	text := []entity.Property{{Name: "Text", Value: entity.String("twelve bytes")}}
	return workflow.NewScript(func(s *workflow.Script) workflow.Request {
		read := workflow.Read(c.Table, key, nil)
		s.Foresee(read.Operation,
			target.Operation{Verb: entity.Query, Table: c.Table},
			target.Operation{Beside: &target.Beside{Verb: target.PutMessage, Store: "q", Body: make([]byte, 50_000), Metadata: map[string]string{"ab": "cde"}}},
			target.Operation{Verb: entity.Batch, Table: c.Table + "Old", Changes: []entity.Change{
				{Verb: entity.InsertOrReplace, Key: key, Properties: text}, {Verb: entity.Delete, Key: other}}},
			target.Operation{Verb: entity.Delete, Table: c.Table, Change: entity.Change{Verb: entity.Delete, Key: key}},
			target.Operation{Verb: entity.DeleteTable, Table: c.Table + "Day"})
		return read
	})
}

// performed is a campaign whose one kind of operation is that workflow.
func performed(t *testing.T, inserts bool) (*Campaign, *events, *Preview) {
	t.Helper()
	s, err := scenarios.Parse("bank.yaml", []byte(`name: bank
attributes: {id: {sequence: 1}}
design: {partition_key: "{id}", row_key: x}
phases:
  - name: day
    traffic: {arrivals: {constant: 10}, for: 5s, operations: [{name: all, workflow: transfer, with: {from: id, to: id}}]}
`))
	require.NoError(t, err)
	c, err := NewCampaign(Options{Scenario: s, Table: "bank"})
	require.NoError(t, err)
	d, err := c.dry(0)
	require.NoError(t, err)
	e, err := c.eventsOf(d)
	require.NoError(t, err)
	e.kinds[0].performance = &workflow.Kind{Name: "one-of-each", Inserts: inserts, New: oneOfEach}
	spec := s.Phases[0].Operations()[0]
	if spec.Verb = entity.Get; inserts {
		spec.Verb = entity.Insert
	}
	own := *d.Traffic
	own.Operations = []scenarios.OperationSpec{spec}
	d.Traffic, d.stage.Build = &own, e.work
	return c, e, &Preview{Name: "day", Length: 5 * time.Second, dry: d, kindOf: map[int]int{e.indexes[0]: 0}}
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
		sent, some := p.Sent(3, "bank")
		require.Truef(t, some && sent.Requests == 6 && sent.Queries == 1 && sent.Beside == 1 && len(sent.Written) == 1,
			"Sent = %+v, %t; want 6 requests, a query and a message among them, and one entity written", sent, some)
		if w := sent.Written[0]; w.Table != "Old" || w.Key.Row != "r" || w.Bytes < 12 || w.Bytes > 100 {
			t.Errorf("Sent writes %+v; want r in Old, of some bytes", w)
		}
	}
	_, _, p := performed(t, false)
	p.dry.Operations[0].Workflow = ""
	if sent, some := p.Sent(3, "bank"); some {
		t.Errorf("Sent of a verb = %+v; want nothing", sent)
	}
}

// A workflow is told of by its own operations alone, wherever it stands among the others.
func TestPreviewOfAWorkflowBesideAVerb(t *testing.T) {
	s, err := scenarios.Parse("bank.yaml", []byte(`name: bank
attributes: {id: {sequence: 1}}
design: {partition_key: "{id}", row_key: x}
phases:
  - name: day
    traffic: {arrivals: {constant: 10}, for: 5s, operations: [{name: move, workflow: transfer, with: {from: id, to: id}, weight: 1}, {verb: insert, weight: 50}]}
`))
	require.NoError(t, err)
	c, err := NewCampaign(Options{Scenario: s, Table: "bank"})
	require.NoError(t, err)
	if p, err := c.Preview(0); err != nil || len(p.Approaches()) != 2 || p.Approaches()[1].Class != 0 {
		t.Errorf("Preview = %+v, %v; want two kinds of operation, the second of which reads nothing", p, err)
	}
}

// What goes beside the table alone is due to count nothing, however it is looked at.
func TestWorkflowBesideTheTableOffersNothing(t *testing.T) {
	c, e, p := performed(t, false)
	e.kinds[0].performance.New = func(*workflow.Call) workflow.Workflow {
		return workflow.NewScript(func(*workflow.Script) workflow.Request {
			return workflow.Request{Operation: target.Operation{Beside: &target.Beside{Verb: target.PutMessage, Store: "q"}}}
		})
	}
	if _, entities := p.Operation(3, "bank", func(touch Touch) { t.Errorf("it touches %+v; want nothing", touch) }); entities != 0 {
		t.Errorf("the preview counts %d entities; want none", entities)
	}
	if f := c.asked(e, 3, 0); f.Entities != 0 || f.Requests != 1 {
		t.Errorf("asked = %+v; want one request, and no entity", f)
	}
}

// A forecast counts each request of a workflow, those to a queue without entities, and
// what they send.
func TestForecastOfAWorkflow(t *testing.T) {
	c, e, _ := performed(t, false)
	f := c.asked(e, 3, 0)
	assert.Truef(t, f.Requests == 6 && f.Entities == 5, "asked = %+v; want 6 requests and 5 entities", f)
	// The message is 50,000 bytes and its metadata five, all else small.
	if least := int64(50_005 + 6*requestBytes); f.Sent < least || f.Sent > least+3000 {
		t.Errorf("asked sends %d bytes; want %d and some more", f.Sent, least)
	}
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
	if c.forecastVerified(&none, &spec, 10, 100); none.Requests != 10 {
		t.Errorf("verifying ten inserts costs %+v; want ten requests", none)
	}
}
