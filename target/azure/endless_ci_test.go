//go:build ci && linux

package azure_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/target"
	"loadgen/target/azure"
)

// hostility is one way to keep a client reading: what a peer sends once, and then again
// and again, nothing where it falls silent.
type hostility struct{ once, again string }

var hostilities = map[string]hostility{
	"chunks":       {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", fmt.Sprintf("%x\r\n%s\r\n", 64<<10, strings.Repeat("x", 64<<10))},
	"small-chunks": {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", strings.Repeat("1\r\nx\r\n", 10_000)},
	"length":       {"HTTP/1.1 200 OK\r\nContent-Length: 5242880\r\n\r\n" + strings.Repeat("x", maxReply-1), ""},
	"huge-length":  {"HTTP/1.1 200 OK\r\nContent-Length: 9000000000000000\r\n\r\n", strings.Repeat("x", 64<<10)},
	"announced":    {"HTTP/1.1 200 OK\r\nContent-Length: 5242880\r\n\r\n" + strings.Repeat("x", 70<<10), ""},
	"to-the-end":   {"HTTP/1.1 503 X\r\n\r\n", strings.Repeat("x", 64<<10)},
	"head":         {"HTTP/1.1 200 OK\r\n", strings.Repeat("X-Say: "+strings.Repeat("x", 1000)+"\r\n", 60)},
	"fields":       {"HTTP/1.1 200 OK\r\n", strings.Repeat("x:\r\n", 10_000)},
	"drip":         {"HTTP/1.1 200 OK\r\n\r\n" + strings.Repeat("x", 1<<20), "x"},
	"rows":         {bomb(200, `{"value":[`+strings.Repeat(`{},`, 1<<20)), ""},
	"failures":     {bomb(400, `{"odata.error":{"message":{"value":"`+strings.Repeat("x", 5_000_000)+`"}}}`), ""},
}

// bomb is a reply that is whole.
func bomb(status int, body string) string {
	return framed(fmt.Sprintf("HTTP/1.1 %d X\n\n%s", status, body), false)
}

// send sends as the hostile do, out of memory that all connections share.
func (h hostility) send(t *testing.T, conn net.Conn, clk clock.Real) {
	converse(conn, conn, func(*http.Request) (string, bool) {
		_, err := io.WriteString(conn, h.once)
		for err == nil && h.again != "" {
			_, err = io.WriteString(conn, h.again)
			if err == nil && len(h.again) == 1 {
				err = clk.Sleep(t.Context(), clk.Now().Add(50*time.Millisecond))
			}
		}
		return "", err == nil
	})
}

// endlessPeers names the variable that makes the test below the client of others.
const endlessPeers = "LOADGEN_ENDLESS_PEERS"

const (
	endlessWorkers = 256
	endlessHonest  = 16
	endlessFor     = 4 * time.Second
	endlessTimeout = 2 * time.Second
)

// 256 workers that are sent replies without an end, on each way to send one, take at most
// 400 MB, all of the process. Every attempt has an outcome, and beside them an honest
// service is heard.
func TestEndlessRepliesTo256Workers(t *testing.T) {
	if text := os.Getenv(endlessPeers); text != "" {
		meetEndless(t, strings.Fields(text))
		return
	}
	clk := clock.NewReal()
	var peers []string
	for _, name := range slices.Sorted(maps.Keys(hostilities)) {
		h := hostilities[name]
		peers = append(peers, name+"="+each(t, func(conn net.Conn) { h.send(t, conn, clk) }))
	}
	reply := bomb(200, `{"PartitionKey":"NYC 2011","RowKey":"1","Notes":"`+strings.Repeat("n", 3000)+`"}`)
	honest := serve(t, always(reply)).address
	child := exec.Command(os.Args[0], "-test.run", "^TestEndlessRepliesTo256Workers$", "-test.v")
	child.Env = append(os.Environ(), endlessPeers+"=honest="+honest+" "+strings.Join(peers, " "))
	output, err := child.CombinedOutput()
	t.Logf("%s", output)
	require.NoError(t, err)
	used := child.ProcessState.SysUsage().(*syscall.Rusage)
	t.Logf("the client used %v on the processor, and %d MB",
		child.ProcessState.UserTime()+child.ProcessState.SystemTime(), used.Maxrss/1000)
	assert.LessOrEqual(t, used.Maxrss<<10, int64(400e6), "bytes that the client took")
}

// meetEndless is the client: it reads from all peers for some seconds.
func meetEndless(t *testing.T, peers []string) {
	clk, budget := clock.NewReal(), target.NewReplyBudget(target.CommonReplyBudget)
	subjects := map[string]*azure.Target{}
	var hostile []string
	for _, one := range peers {
		name, address, _ := strings.Cut(one, "=")
		subjects[name] = open(t, azure.Options{Endpoint: endpointAt(t, "http://"+address+"/races"), Connections: endlessWorkers,
			Timeout: endlessTimeout, Clock: clk, Budget: budget})
		if name != "honest" {
			hostile = append(hostile, name)
		}
	}
	var (
		mu       sync.Mutex
		outcomes = map[string]int{}
		heard    int
	)
	var working sync.WaitGroup
	for worker := range endlessWorkers + endlessHonest {
		name := hostile[worker%len(hostile)]
		if worker >= endlessWorkers {
			name = "honest"
		}
		working.Go(func() {
			for clk.Now() < clock.Instant(endlessFor) {
				op := get("1")
				if name == "rows" {
					op = target.Operation{Verb: entity.Query, Table: "Runners", Query: target.OnePartition("NYC 2011")}
				}
				o := subjects[name].Do(context.Background(), &op)
				mu.Lock()
				outcomes[fmt.Sprintf("%s: %d %s", name, o.Status, o.Fault)]++
				if name == "honest" && o.Status == 200 && o.Fault == "" {
					heard++
				}
				assert.Truef(t, name == "honest" || o.Fault != "" || o.Status == 400, "%s: %+v; want a fault", name, o)
				mu.Unlock()
			}
		})
	}
	working.Wait()
	for _, outcome := range slices.Sorted(maps.Keys(outcomes)) {
		t.Logf("%6d  %s", outcomes[outcome], outcome)
	}
	// How often it is heard is the processor's doing, on which the peers that never end are as
	// well; that it finds room is the budget's.
	crowded := outcomes["honest: 0 NoRoomForReply"]
	assert.Truef(t, heard >= endlessHonest && outcomes["honest: 200 "] == heard && crowded <= heard/10,
		"an honest service was heard %d times, and %d times there was no room for what it said; want %d at least, and room for nine of ten", heard, crowded, endlessHonest)
	assert.EqualValues(t, 0, budget.Used(), "budget.Used()")
}
