//go:build (ci || long) && unix

package rest_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine"
	"loadgen/engine/entity"
	"loadgen/engine/rest/resttest"
	"loadgen/engine/store/durable"
	"loadgen/target"
)

// serveForParent serves tables in memory, or in a folder, at a URL that it prints, and
// prints the processor time that it has used for every line that it reads, in microseconds.
func serveForParent(t *testing.T, kind string) {
	var o resttest.Options
	if kind != "memory" {
		s := must(durable.Open(durable.Options{Folder: t.TempDir(), Account: account, Sync: kind == "sync"}))(t)
		defer s.Close()
		o.Engine.Stores = map[string]engine.Store{account: s}
	}
	fmt.Println(resttest.Listen(t, o).URL)
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var used syscall.Rusage
		require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
		fmt.Println((used.Utime.Nano() + used.Stime.Nano()) / 1000)
	}
}

// What it costs the server to keep tables in a folder, against memory, in processor time of
// its own, measured in turns: an insert that is acknowledged before it is on the disk costs
// twice as much at most, a page of 1,000 entities three times; twice that fails the test,
// since others work on the machine. With sync 16 clients share the disk.
func TestCostOfAFolder(t *testing.T) {
	if kind := resttest.ChildOf(); kind != "" {
		serveForParent(t, kind)
		return
	}
	const inserts, pages, rounds, senders = 1000, 40, 6, 16
	kinds := []string{"memory", "nosync", "sync"}
	var children []*resttest.Child
	var clients []*resttest.Client
	for i, kind := range kinds {
		children = append(children, resttest.StartChild(t, kind))
		clients = append(clients, resttest.Dial(t, fmt.Sprintf("DefaultEndpointsProtocol=http;AccountName=%s;AccountKey=%s;TableEndpoint=%s;",
			account, contoso.Secret, children[i].Line())))
		clients[i].Must(entity.CreateTable, "Races", "", "")
	}
	used := func(c *resttest.Child) float64 {
		must(io.WriteString(c.Input, "\n"))(t)
		return must(strconv.ParseFloat(c.Line(), 64))(t)
	}
	var sent atomic.Int64
	measure := func(requests int64, send func(c *resttest.Client, number int64) target.Outcome) (cost [3]float64) {
		for range rounds {
			for i, c := range clients {
				before, end := used(children[i]), sent.Load()+requests
				var group sync.WaitGroup
				for range senders {
					group.Go(func() {
						for n := sent.Add(1); n <= end; n = sent.Add(1) {
							got := send(c, n)
							assert.Truef(t, got.Code == entity.OK && got.Status/100 == 2, "%s: %+v", kinds[i], got)
						}
					})
				}
				group.Wait()
				cost[i] += (used(children[i]) - before) / rounds / float64(requests)
			}
		}
		return cost
	}
	kilobyte := []entity.Property{{Name: "Number", Value: entity.Int32(7)}, {Name: "Fee", Value: entity.Double(255)},
		{Name: "Fast", Value: entity.Boolean(true)}, {Name: "Notes", Value: entity.String(strings.Repeat("n", 800))}}
	inserted := measure(inserts, func(c *resttest.Client, number int64) target.Outcome {
		return c.Try(entity.Insert, "Races", "p", fmt.Sprintf("%08d", number), kilobyte...)
	})
	paged := measure(pages, func(c *resttest.Client, _ int64) target.Outcome {
		return c.Send(&target.Operation{Verb: entity.Query, Table: "Races"})
	})
	for i, kind := range kinds {
		ofInsert, ofPage := inserted[i]/inserted[0], paged[i]/paged[0]
		t.Logf("%s: insert %.1f µs, page of 1,000 %.0f µs of the server's processor time; %.2f and %.2f times memory's",
			kind, inserted[i], paged[i], ofInsert, ofPage)
		assert.Truef(t, (kind != "nosync" || ofInsert <= 2*2) && ofPage <= 2*3,
			"%s costs %.2f times memory for an insert and %.2f times for a page; aims 2 and 3", kind, ofInsert, ofPage)
	}
}
