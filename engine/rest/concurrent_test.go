package rest_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/rest"
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
				var w = s.Do("POST", races, body)
				if i%2 == 1 {
					w = s.Do("POST", "/contoso/$batch", insertBatch(partition, fmt.Sprint(i)), batchType)
				}
				assert.Truef(t, w.Code == 201 || w.Code == 202,
					"insert of %s = %d %s; want 201 or 202", key, w.Code, w.Body)
				w = s.Do("GET", key, "")
				if want := fmt.Sprintf(`{"PartitionKey":%q,"RowKey":"%d",`, partition, i); w.Code != 200 || !strings.HasPrefix(w.Body.String(), want) {
					t.Errorf("GET %s = %d %s; want %s", key, w.Code, w.Body, want)
				}
				w = s.Do("GET", races+"?$filter=PartitionKey%20eq%20'"+partition+"'", "")
				for _, row := range decodeRows(t, w.Body.Bytes()) {
					assert.Equal(t, partition, row.PartitionKey, "query of")
				}
			}
		})
	}
	group.Wait()
	if c := s.Counts(); c.Requests != c.Ok+c.Throttled+c.Failed || c.Throttled != 0 {
		t.Errorf("Counts() = %+v; want closed books, and nothing refused", c)
	}
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

// held is a handler whose reply waits until it is let go, or the sender is gone.
type held struct {
	entered, release chan struct{}
	left             *atomic.Bool
}

func (h held) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.entered <- struct{}{}
	select {
	case <-h.release:
		_, _ = io.WriteString(w, "done")
	case <-r.Context().Done():
		for range 1000 {
			runtime.Gosched()
		}
	}
	h.left.Store(true)
}

func TestServerCutsOffWhoTakesTooLong(t *testing.T) {
	h := held{make(chan struct{}), make(chan struct{}), new(atomic.Bool)}
	s := must(rest.Listen(rest.ListenOptions{Address: "127.0.0.1:0", Handler: h}))(t)
	failed := make(chan error, 1)
	go func() {
		reply, err := http.Get(s.URL())
		if err == nil {
			err = reply.Body.Close()
		}
		failed <- err
	}()
	<-h.entered
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	assert.Error(t, s.Close(ctx), "Close = nil; want the context's error")
	assert.True(t, h.left.Load(), "Close returned before the handler did; want it to wait")
	assert.Error(t, <-failed, "the request that was cut off has a reply; want none")
}
