package rest_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine"
	"loadgen/engine/accesslog"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/model"
	"loadgen/engine/rest"
	"loadgen/engine/rest/resttest"
)

// witness keeps copies of what it is shown.
type witness struct {
	mu   sync.Mutex
	seen []accesslog.Observed
}

func (w *witness) observe(s *accesslog.Observed) {
	kept := *s
	for _, text := range []*string{&kept.Table, &kept.PartitionKey, &kept.RowKey, &kept.Shape, &kept.Class, &kept.ClientRequestID, &kept.RequestID, &kept.ETag} {
		*text = strings.Clone(*text)
	}
	kept.Spans = slices.Clone(s.Spans)
	for i := range kept.Spans {
		kept.Spans[i].PartitionKey = strings.Clone(kept.Spans[i].PartitionKey)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen = append(w.seen, kept)
}

// take returns what was seen since the last time.
func (w *witness) take() []accesslog.Observed {
	w.mu.Lock()
	defer w.mu.Unlock()
	seen := w.seen
	w.seen = nil
	return seen
}

// sum keeps the books of what was seen by the rule of the type's comment.
func (w *witness) sum() (c engine.Counts) {
	for _, s := range w.seen {
		c.Requests++
		c.Entities += s.Counted
		switch {
		case s.Status != 0 && s.Code == entity.OK:
			c.Ok++
		case s.Status != 0 && (s.Code == entity.ServerBusy || s.Code == entity.OperationTimedOut):
			c.Throttled++
		default:
			c.Failed++
		}
	}
	return c
}

func TestEachRequestIsSeenForWhatItIs(t *testing.T) {
	for _, row := range []struct {
		name, method, target, body string
		headers                    []string
		want                       accesslog.Observed
	}{
		{"an insert", "POST", races, `{"PartitionKey":"full","RowKey":"7"}`, nil,
			accesslog.Observed{Verb: entity.Insert, PartitionKey: "full", HasPartition: true, RowKey: "7", Inserts: true, Status: 201, Counted: 1}},
		{"an insert of what is there", "POST", races, `{"PartitionKey":"full","RowKey":"1"}`, nil,
			accesslog.Observed{Verb: entity.Insert, PartitionKey: "full", HasPartition: true, RowKey: "1", Inserts: true, Status: 409,
				Code: entity.EntityAlreadyExists, Counted: 1}},
		{"an upsert of the entity with empty keys", "PUT", races + "(PartitionKey='',RowKey='')", "{}", nil,
			accesslog.Observed{Verb: entity.InsertOrReplace, HasPartition: true, Inserts: true, Status: 204, Counted: 1}},
		{"an update", "PATCH", races + "(PartitionKey='full',RowKey='1')", "{}", []string{"If-Match: *"},
			accesslog.Observed{Verb: entity.Merge, PartitionKey: "full", HasPartition: true, RowKey: "1", Status: 204, Counted: 1}},
		{"a get, with the client's identifier", "GET", races + "(PartitionKey='full',RowKey='1')", "", []string{"x-ms-client-request-id: abc"},
			accesslog.Observed{Verb: entity.Get, PartitionKey: "full", HasPartition: true, RowKey: "1", Status: 200, Counted: 1, Returned: 1, ClientRequestID: "abc"}},
		{"a get of what is missing", "GET", races + "(PartitionKey='full',RowKey='99')", "", nil,
			accesslog.Observed{Verb: entity.Get, PartitionKey: "full", HasPartition: true, RowKey: "99", Status: 404, Code: entity.ResourceNotFound, Counted: 1}},
		{"a transaction", "POST", "/contoso/$batch", insertBatch("half", "7", "8"), []string{batchType},
			accesslog.Observed{Verb: entity.Batch, PartitionKey: "half", HasPartition: true, RowKey: "7", Inserts: true, Status: 202, Counted: 2}},
		{"a transaction that fails", "POST", "/contoso/$batch", deleteBatch, []string{batchType},
			accesslog.Observed{Verb: entity.Batch, PartitionKey: "full", HasPartition: true, RowKey: "1234", Status: 202, Code: entity.ResourceNotFound, Counted: 1}},
		{"a transaction that is none", "POST", "/contoso/$batch", "--batch_1", []string{batchType},
			accesslog.Observed{Status: 202, Code: entity.InvalidInput}},
		{"a scan of the table", "GET", races + "?$filter=Number%20gt%201&$top=3", "", nil,
			accesslog.Observed{Verb: entity.Query, Status: 200, Counted: 5, Returned: 3, Shape: "Number gt ?", Class: "table scan",
				Spans: []accesslog.Span{{PartitionKey: "full", Counted: 3}, {PartitionKey: "half", Counted: 2}}}},
		{"a scan of one partition, resumed", "GET", races + "?$filter=PartitionKey%20eq%20'half'&NextPartitionKey=1!8!aGFsZg--&NextRowKey=1!4!MQ--", "", nil,
			accesslog.Observed{Verb: entity.Query, PartitionKey: "half", HasPartition: true, Status: 200, Counted: 2, Returned: 2,
				Shape: "PartitionKey eq ?", Class: "partition scan", Spans: []accesslog.Span{{PartitionKey: "half", Counted: 2}}}},
		{"a query that finds nothing", "GET", races + "?$filter=PartitionKey%20eq%20'x'%20and%20RowKey%20eq%20'y'", "", nil,
			accesslog.Observed{Verb: entity.Query, PartitionKey: "x", HasPartition: true, Status: 200, Counted: 1,
				Shape: "PartitionKey eq ? and RowKey eq ?", Class: "point"}},
		{"a query without a filter", "GET", races, "", nil,
			accesslog.Observed{Verb: entity.Query, Status: 200, Counted: 6, Returned: 6, Class: "table scan",
				Spans: []accesslog.Span{{PartitionKey: "full", Counted: 3}, {PartitionKey: "half", Counted: 3}}}},
		{"a table made", "POST", "/contoso/Tables", `{"TableName":"Boats"}`, nil,
			accesslog.Observed{Verb: entity.CreateTable, Table: "Boats", Status: 201}},
		{"a list of tables", "GET", "/contoso/Tables", "", nil, accesslog.Observed{Status: 200}},
		{"a bad body", "POST", races, "{", nil, accesslog.Observed{Status: 400, Code: entity.InvalidInput}},
		{"a bad signature", "GET", races, "", []string{"Authorization: SharedKeyLite contoso:AAAA"}, accesslog.Observed{Status: 403, Code: entity.AuthenticationFailed}},
	} {
		w := &witness{}
		s := withTable(t, resttest.Options{Rest: rest.Options{Observe: w.observe}})
		for i := range 6 {
			s.insert(t, []string{"full", "half"}[i/3], fmt.Sprint(i%3), i)
		}
		w.seen = nil
		before := s.Counts()
		s.Clock.Set(time.Second)
		reply := s.Do(row.method, row.target, row.body, row.headers...)
		if row.want.Verb != 0 && row.want.Table == "" {
			row.want.Table = "Races"
		}
		if row.want.Verb != entity.Query {
			// Nothing here is refused: what is asked for counts.
			row.want.Asked = row.want.Counted
		}
		row.want.Arrived = clock.Instant(time.Second)
		require.Lenf(t, w.seen, 1, "%s: seen times", row.name)
		if seen := &w.seen[0]; seen.Request == nil || seen.RequestID != reply.Header().Get("x-ms-request-id") || seen.ETag != reply.Header().Get("ETag") || seen.ResponseBytes != int64(reply.Body.Len()) {
			t.Errorf("%s: seen %+v; want what was replied", row.name, seen)
		}
		w.seen[0].Request, w.seen[0].RequestID, w.seen[0].ETag, w.seen[0].RequestBytes, w.seen[0].ResponseBytes = nil, "", "", 0, 0
		assert.Equalf(t, fmt.Sprintf("%+v", row.want), fmt.Sprintf("%+v", w.seen[0]), "%s: seen", row.name)
		after, sum := s.Counts(), w.sum()
		assert.Truef(t, after.Entities == before.Entities+sum.Entities && after.Ok == before.Ok+sum.Ok && after.Failed == before.Failed+sum.Failed,
			"%s: Counts() went from %+v to %+v; want %+v more, as seen", row.name, before, after, sum)
	}
}

// Whatever comes, and however much of it at a time: what was seen adds up to
// what was counted, refusals and lost replies included.
func TestWhatIsSeenAddsUp(t *testing.T) {
	w := &witness{}
	plan := &engine.FaultPlan{Rules: []engine.FaultRule{
		{Kind: engine.FaultDrop, Moment: engine.FaultAfter, To: time.Hour, Share: engine.WholeShare / 8},
		{Kind: engine.FaultDrop, Moment: engine.FaultBefore, To: time.Hour, Share: engine.WholeShare / 8},
	}}
	s := newService(t, resttest.Options{Rest: rest.Options{Observe: w.observe, Faults: plan}, Profile: model.Documented,
		Settings: []string{"partition_target=50", "partition_burst=100ms", "account_target=200", "account_burst=100ms"}})
	for range 20 {
		s.aborts("POST", "/contoso/Tables", `{"TableName":"Races"}`)
	}
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(worker), 1))
			for i := range 150 {
				key := fmt.Sprintf("%c", 'a'+rng.IntN(26))
				switch rng.IntN(5) {
				case 0:
					s.aborts("POST", races, fmt.Sprintf(`{"PartitionKey":%q,"RowKey":"%d"}`, key, i))
				case 1:
					s.aborts("POST", "/contoso/$batch", insertBatch(key, "1", "2", "3"), batchType)
				case 2:
					s.aborts("GET", races+"?$filter=PartitionKey%20ge%20'"+key+"'", "")
				case 3:
					s.aborts("GET", races+"(PartitionKey='"+key+"',RowKey='1')", "")
				case 4:
					row := badRequests[rng.IntN(len(badRequests))]
					s.aborts(row.method, row.target, row.body, row.headers...)
				}
			}
		})
	}
	group.Wait()
	got, want := w.sum(), s.Counts()
	assert.Truef(t, got == want && got.Requests == 8*150+20, "seen = %+v; want %+v, of %d requests", got, want, 8*150+20)
	partition, account, lost, spans := 0, 0, 0, int64(0)
	for _, seen := range w.seen {
		switch {
		case seen.Status == 0:
			lost++
		case seen.Code == entity.ServerBusy && seen.AccountBusy:
			account++
		case seen.Code == entity.ServerBusy:
			partition++
		}
		sum := int64(0)
		for _, span := range seen.Spans {
			sum += span.Counted
		}
		spans += sum
		assert.Truef(t, len(seen.Spans) == 0 || seen.Counted == sum, "a query counted %d in spans %v; want as many", seen.Counted, seen.Spans)
	}
	assert.Truef(t, partition >= 10 && account >= 10 && lost >= 50 && spans >= 50,
		"%d partitions busy, %d times the account, %d lost, %d scanned; want some of each", partition, account, lost, spans)
}

func TestASenderThatIsGoneIsSeen(t *testing.T) {
	w := &witness{}
	s := newService(t, resttest.Options{Profile: model.Documented, Rest: rest.Options{Observe: w.observe}})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	func() {
		defer func() { _ = recover() }()
		s.Send(resttest.NewRequest("GET", runner, "").WithContext(ctx))
		t.Error("ServeHTTP returned; want the connection aborted")
	}()
	assert.Equal(t, engine.Counts{Requests: 1, Failed: 1}, s.Counts())
	assert.Truef(t, len(w.seen) == 1 && w.seen[0].Status == 0 && w.seen[0].Verb == entity.Get && w.seen[0].Code == entity.TableNotFound,
		"seen = %+v; want one lost reply to a get", w.seen)
}
