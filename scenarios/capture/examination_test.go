package capture_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/engine/rest/serve"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios/capture"
)

// office is a service whose traffic is examined, in a folder of the present one.
type office struct {
	*serve.Service
	t           *testing.T
	clock       clock.Real
	examination capture.Examination
	client      *aztables.ServiceClient
}

// examine opens a service without limits but those that are set.
func examine(t *testing.T, set ...string) *office {
	t.Helper()
	t.Chdir(t.TempDir())
	o := &office{t: t, clock: clock.NewReal()}
	var err error
	o.Service, err = serve.Open(t.Context(), serve.Options{Listen: "127.0.0.1:0", Profile: model.Off, Set: set, Clock: o.clock,
		Observe: o.examination.Saw, Tick: o.examination.Advance})
	require.NoError(t, err)
	t.Cleanup(func() { _ = o.Close() })
	require.NoError(t, o.examination.Open(capture.Plan{Model: o.Model(), Seed: 7, Started: o.clock.Started(),
		Version: "v1", Commit: "abc", Command: []string{"loadgen", "serve"}}))
	o.Begin()
	once := &aztables.ClientOptions{ClientOptions: azcore.ClientOptions{Retry: policy.RetryOptions{MaxRetries: -1}}}
	o.client = must(aztables.NewServiceClientFromConnectionString(o.ConnectionString(), once))
	return o
}

// create makes a table.
func (o *office) create(table string) *aztables.Client {
	o.t.Helper()
	_, err := o.client.CreateTable(o.t.Context(), table, nil)
	require.NoError(o.t, err)
	return o.client.NewClient(table)
}

// conclude ends the service and returns the record, whose books it holds to be closed.
func (o *office) conclude() *results.Record {
	o.t.Helper()
	ended := o.Drain()
	counts := results.TargetCounts(o.Counts())
	record, err := o.examination.Conclude(o.clock.Now(), ended, &counts)
	require.NoError(o.t, err, "Conclude")
	if faults := verdict.Books(record); len(faults) > 0 || record.Validity != results.Valid {
		o.t.Errorf("Books = %q, validity %s; want them closed", faults, record.Validity)
	}
	return record
}

// A program written with the vendor's own client, deliberately hot and
// deliberately scanning, gets a verdict that names its partition and its query,
// with counts equal to its own.
func TestExamineJudgesAProgramOfAnotherMake(t *testing.T) {
	s := examine(t, "model.partition_target=50")
	const hot = "2011 New York City Marathon__Full"
	races, runners := s.create("Races"), s.create("Runners")
	requests, entities, throttled := int64(2), int64(0), int64(0)
	// add inserts an entity and reports whether it was throttled.
	add := func(into *aztables.Client, partition, row string, paid bool) bool {
		text, err := json.Marshal(map[string]any{"PartitionKey": partition, "RowKey": row, "Paid": paid})
		require.NoError(t, err)
		_, err = into.AddEntity(t.Context(), text, nil)
		requests++
		var failure *azcore.ResponseError
		switch {
		case err == nil:
			entities++
			return false
		case errors.As(err, &failure) && failure.StatusCode == 503 && failure.ErrorCode == "ServerBusy":
			throttled++
			return true
		}
		t.Fatal(err)
		return false
	}
	for i := range 200 {
		// Each runner has a partition to himself, which is never busy.
		add(runners, fmt.Sprintf("%03d", i), "r", i%100 == 0)
	}
	require.Truef(t, throttled <= 0, "%d inserts of cold partitions were throttled", throttled)
	var ok int64
	for i := range 200 {
		if !add(races, hot, fmt.Sprintf("%04d", i), true) {
			ok++
		}
	}
	var returned int64
	const queries = 5
	for range queries {
		filter := "Paid eq true"
		for pages := runners.NewListEntitiesPager(&aztables.ListEntitiesOptions{Filter: &filter}); pages.More(); {
			page := must(pages.NextPage(t.Context()))
			requests++
			entities += 200
			returned += int64(len(page.Entities))
		}
	}
	require.Truef(t, throttled != 0 && returned == queries*2,
		"the program had %d throttled and %d returned; it is neither hot nor scanning", throttled, returned)
	record := s.conclude()
	o := record.Capture
	assert.Truef(t, o.Requests == requests && o.Entities == entities && o.ThrottledByPartition == throttled,
		"observed %d requests, %d entities, %d throttled; the program made %d, %d, %d", o.Requests, o.Entities,
		o.ThrottledByPartition, requests, entities, throttled)
	if p := o.Partitions[0]; p.PartitionKey != hot || p.Table != "Races" || p.Entities != ok || p.Throttled != throttled {
		t.Errorf("the hottest partition = %+v; want %q with %d entities and %d throttled", p, hot, ok, throttled)
	}
	if q := o.Shapes[0]; q.Table != "Runners" || q.Requests != queries || q.Scanned != queries*200 || q.Returned != returned {
		t.Errorf("the query that scanned most = %+v; want %d requests, %d scanned, %d returned", q, queries, queries*200, returned)
	}
	assert.Contains(t, record.Summary.Verdict, hot)
	assert.Contains(t, record.Summary.Verdict, "Races")
}

// Of transactions only those that may bring new keys count as inserts.
func TestTransactionsAreObserved(t *testing.T) {
	s := examine(t)
	races := s.create("Races")
	transaction := func(kind aztables.TransactionType, rows ...string) {
		var actions []aztables.TransactionAction
		for _, row := range rows {
			actions = append(actions, aztables.TransactionAction{ActionType: kind, Entity: fmt.Appendf(nil, `{"PartitionKey":"p","RowKey":%q}`, row)})
		}
		_, err := races.SubmitTransaction(t.Context(), actions, nil)
		require.NoError(t, err)
	}
	transaction(aztables.TransactionTypeAdd, "1", "2")
	transaction(aztables.TransactionTypeAdd, "3", "4")
	transaction(aztables.TransactionTypeDelete, "2", "1")
	transaction(aztables.TransactionTypeAdd, "5")
	o := s.conclude().Capture
	assert.Truef(t, o.Entities == 7 && len(o.Orders) == 1 && o.Orders[0].Rows == (results.Order{Keys: 2, Ascending: 2}),
		"observed %d entities and the orders %+v; want 7, and two rows after the first that ascend", o.Entities, o.Orders)
}

func TestExaminationSaysWhatItIsOf(t *testing.T) {
	s := examine(t, "model.partition_target=50", "model.account_target=20000")
	record := s.conclude()
	runs, err := filepath.Glob("results/runs/*-serve")
	assert.Truef(t, err == nil && len(runs) == 1 && results.Dir(runs[0]) == s.examination.Folder,
		"results/runs holds %v, the record lies in %s; want one run called serve", runs, s.examination.Folder)
	m := record.Manifest
	if m.Tool.Version != "v1" || m.Tool.Commit != "abc" || strings.Join(m.Command, " ") != "loadgen serve" || m.Seed != 7 ||
		m.Target != results.Embedded || m.Profile != model.Off || m.Start != model.Warm || m.Time != "real" || !m.Started.Equal(s.clock.Started()) {
		t.Errorf("the manifest = %+v; want what was planned", m)
	}
	if want := (results.Targets{Partition: 50, Account: 20_000}); m.Targets != want || len(m.Model) == 0 {
		t.Errorf("the targets = %+v, of %d parameters; want %+v", m.Targets, len(m.Model), want)
	}
	documented := must(model.New(model.Documented))
	var other capture.Examination
	require.NoError(t, other.Open(capture.Plan{Out: "own", Model: documented, Started: s.clock.Started()}))
	interrupted := errors.Join(context.Canceled)
	if record, err = other.Conclude(clock.Instant(time.Second), interrupted, &results.TargetCounts{}); !errors.Is(err, context.Canceled) {
		t.Fatalf("Conclude of what was interrupted = %v; want that", err)
	}
	if !record.Manifest.Targets.Documented || other.Folder != "own" || record.Summary == nil ||
		record.Validity != results.Partial || len(record.Reasons) != 1 || record.Reasons[0] != "the run was interrupted" {
		t.Errorf("the record in %s is %s for %q; want it judged, partial and interrupted", other.Folder, record.Validity, record.Reasons)
	}
	sealed, err := results.Read(other.Folder)
	assert.Truef(t, err == nil && sealed.Summary != nil, "the record in own = %v; want it sealed with its summary", err)
	require.NoError(t, os.WriteFile("taken", nil, 0o600))
	assert.ErrorIs(t, other.Open(capture.Plan{Out: "taken", Model: documented}), results.ErrWrite, "Open in a file")
}
