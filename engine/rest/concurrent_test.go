package rest_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/rest"
	"loadgen/engine/rest/resttest"
)

// Many at once, with keys and bodies of many lengths: no reply shows anything of
// another request, although all of them share the same room.
func TestConcurrentRequestsDoNotMix(t *testing.T) {
	s := withTable(t, documented("partition_target=0", "account_target=0"))
	const workers, rounds = 16, 40
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() {
			for i := range rounds {
				partition := strings.Repeat(string(rune('a'+worker)), 1+(worker*7+i*13)%200)
				key := fmt.Sprintf("/contoso/Races(PartitionKey='%s',RowKey='%d')", partition, i)
				body := fmt.Sprintf(`{"PartitionKey":%q,"RowKey":"%d","Owner":"%s"}`, partition, i, strings.Repeat(partition, 3))
				w := s.Do("POST", races, body)
				if i%2 == 1 {
					w = s.Do("POST", "/contoso/$batch", insertBatch(partition, fmt.Sprint(i)), batchType)
				}
				assert.Truef(t, w.Code == 201 || w.Code == 202,
					"insert of %s = %d %s; want 201 or 202", key, w.Code, w.Body)
				w = s.Do("GET", key, "")
				assert.Containsf(t, w.Body.String(), fmt.Sprintf(`{"PartitionKey":%q,"RowKey":"%d",`, partition, i), "GET %s", key)
				w = s.Do("GET", races+"?$filter=PartitionKey%20eq%20'"+partition+"'", "")
				for _, row := range decodeRows(t, w.Body.Bytes()) {
					assert.Equal(t, partition, row.PartitionKey, "query of")
				}
			}
		})
	}
	group.Wait()
	c := s.Counts()
	assert.Truef(t, c.Requests == c.Ok+c.Failed && c.Throttled == 0, "Counts() = %+v; want closed books, and nothing refused", c)
}

// What the engine remembers of a request that is over is a copy: names of tables
// and partitions keep their meaning when their room is used again.
func TestNamesOutliveTheirRequest(t *testing.T) {
	s := newService(t, documented("partition_target=10", "partition_burst=100ms"))
	for i := range 50 {
		s.Want(t, 201, "POST", "/contoso/Tables", fmt.Sprintf(`{"TableName":"Table%02d"}`, i))
	}
	names := s.Engine.TableNames(account)
	for i, name := range names {
		require.Equalf(t, fmt.Sprintf("Table%02d", i), name, "table %d", i)
	}
	// Each partition may take one entity: the second of each is refused, in
	// whatever order they come.
	for _, status := range []int{204, 503} {
		for i := range 50 {
			body := fmt.Sprintf(`{"PartitionKey":"partition%02d","RowKey":"%d"}`, i, status)
			s.Clock.Set(0)
			s.Want(t, status, "POST", "/contoso/Table00", body, "Prefer: return-no-content")
		}
	}
}

// Close with a context that is over cuts off the request under way, and waits for its handler.
func TestServerCutsOffWhoTakesTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handled := false
		s, pipes := openPipes(t, rest.ListenOptions{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
			time.Sleep(time.Second) // in the bubble's time
			handled = true
		})})
		c := resttest.NewConn(t, pipes.Dial())
		c.Send(get("/slow"))
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		assert.Error(t, s.Close(ctx), "Close")
		assert.True(t, handled, "Close returned before the handler did")
		_, _, err := c.Reply()
		assert.Error(t, err, "the reply to the request that was cut off")
	})
}
