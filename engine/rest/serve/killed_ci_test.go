//go:build ci || long

package serve_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/engine/rest/resttest"
	"loadgen/engine/rest/serve"
	"loadgen/engine/store/storetest"
	"loadgen/results/resultstest"
	"loadgen/target"
)

// serveForParent serves until the standard input ends, so that no service outlives a
// parent that has died.
func serveForParent(t *testing.T, o serve.Options) {
	s := open(t, o)
	fmt.Println(s.ConnectionString())
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// keeper is a service in a process of its own, and a client of it.
type keeper struct {
	*resttest.Child
	*resttest.Client
	t *testing.T
}

func startKeeper(t *testing.T, how, folder string) *keeper {
	t.Helper()
	child := resttest.StartChild(t, how+" "+folder)
	return &keeper{child, resttest.Dial(t, child.Line()), t}
}

// kill ends the service at once, with whatever it is doing.
func (k *keeper) kill() {
	k.Kill()
	k.Close()
}

// found reads a table page by page. Where that need not be there, nothing is.
func (k *keeper) found(table string, promised bool) map[entity.Key]int64 {
	k.t.Helper()
	all, q := map[entity.Key]int64{}, target.Operation{Verb: entity.Query, Table: table}
	for {
		page := k.Send(&q)
		if page.Code == entity.TableNotFound && !promised {
			return all
		}
		require.Truef(k.t, page.Code == entity.OK && page.Status == 200,
			"a page of %s = %d %s %s", table, page.Status, page.Code, page.Detail)
		for _, row := range page.Rows {
			all[row.Key] = storetest.NumberOf(row.Entity)
		}
		if page.Next == (target.Token{}) {
			return all
		}
		q.Query.Token = page.Next
	}
}

// A service is killed at a random moment under load and started again on what it left, over
// and over: see [storetest.Crew.Check].
func TestKills(t *testing.T) {
	if what := resttest.ChildOf(); what != "" {
		how, folder, _ := strings.Cut(what, " ")
		serveForParent(t, serve.Options{Profile: "off", DataDir: folder, Durability: how})
		return
	}
	for _, how := range []string{serve.Sync, serve.NoSync} {
		t.Run(how, func(t *testing.T) {
			folder, rng := t.TempDir(), rand.New(rand.NewPCG(29, 9))
			var crew *storetest.Crew
			kept := int64(0)
			for kill := range resultstest.Cases(0, 20, 200) + 1 {
				k := startKeeper(t, how, folder)
				if crew != nil {
					faults := crew.Check(k.found(fmt.Sprintf("Races%d", kill-1), how == serve.Sync), how == serve.Sync)
					assert.Truef(t, len(faults) <= 0, "after kill %d:\n%s", kill, strings.Join(faults, "\n"))
					kept += crew.Done()
				}
				table := fmt.Sprintf("Races%d", kill)
				got := k.Try(entity.CreateTable, table, "", "")
				require.Truef(t, got.Code == entity.OK && got.Status != 0, "the table was not made: %+v", got)
				crew = storetest.NewCrew(16)
				k.workUntilKilled(crew, table, int64(10+rng.IntN(1200)))
			}
			t.Logf("%d kills, %d operations acknowledged before them", resultstest.Cases(0, 20, 200), kept)
		})
	}
}

// workUntilKilled has a crew write to a table, and kills the service once so much is done.
func (k *keeper) workUntilKilled(crew *storetest.Crew, table string, enough int64) {
	var killed atomic.Bool
	crew.Work(func(_ int, changes []entity.Change) bool {
		if crew.Done() >= enough && killed.CompareAndSwap(false, true) {
			crew.Seal()
			_ = k.Process.Kill()
		}
		op := target.Operation{Verb: changes[0].Verb, Table: table, Change: changes[0]}
		if len(changes) > 1 {
			op = target.Operation{Verb: entity.Batch, Table: table, Changes: changes}
		}
		got := k.Send(&op)
		return got.Code == entity.OK && got.Status/100 == 2
	})
	k.kill()
}
