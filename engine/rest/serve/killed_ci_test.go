//go:build ci || long

package serve_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/rest/serve"
	"loadgen/engine/store/storetest"
	"loadgen/target"
	"loadgen/target/azure"
)

// keeperChild has the variable that makes this program a service that is to be killed: its
// durability, and the folder of its tables.
const keeperChild = "LOADGEN_SERVE_CHILD"

// serveUntilKilled serves until the standard input ends, so that no service outlives a
// parent that has died.
func serveUntilKilled(what string) {
	how, folder, _ := strings.Cut(what, " ")
	s, err := serve.Open(context.Background(), serve.Options{Listen: "127.0.0.1:0", Profile: "off", DataDir: folder, Durability: how})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(s.ConnectionString())
	s.Begin()
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

// keeper is a service in a process of its own, and a client of it.
type keeper struct {
	t       *testing.T
	command *exec.Cmd
	client  *azure.Target
	number  atomic.Uint64
}

func startKeeper(t *testing.T, how, folder string) *keeper {
	t.Helper()
	k := &keeper{t: t, command: exec.Command(os.Args[0], "-test.run", "^TestKills$")}
	k.command.Env, k.command.Stderr = append(os.Environ(), keeperChild+"="+how+" "+folder), os.Stderr
	if _, err := k.command.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	output, err := k.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := k.command.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(output).ReadString('\n')
	endpoint, fault := azure.ParseConnectionString(strings.TrimSpace(line))
	if err != nil || fault != nil {
		k.kill()
		t.Fatalf("the service said %q: %v, %v", line, err, fault)
	}
	clk := clock.NewReal()
	if k.client, err = azure.New(azure.Options{Endpoint: endpoint, Connections: 16, Clock: clk, Calendar: clk, RunID: "kills"}); err != nil {
		t.Fatal(err)
	}
	return k
}

// kill ends the service at once, with whatever it is doing.
func (k *keeper) kill() {
	_ = k.command.Process.Kill()
	_ = k.command.Wait()
	if k.client != nil {
		k.client.Close()
	}
}

func (k *keeper) do(op target.Operation) target.Outcome {
	op.Number = k.number.Add(1)
	return k.client.Do(k.t.Context(), &op)
}

// found reads a table page by page. Where that need not be there, nothing is.
func (k *keeper) found(table string, promised bool) map[entity.Key]int64 {
	k.t.Helper()
	all, q := map[entity.Key]int64{}, target.Operation{Verb: entity.Query, Table: table}
	for {
		page := k.do(q)
		if page.Code == entity.TableNotFound && !promised {
			return all
		}
		if page.Code != entity.OK || page.Status != 200 {
			k.t.Fatalf("a page of %s = %d %s %s", table, page.Status, page.Code, page.Detail)
		}
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
	if what := os.Getenv(keeperChild); what != "" {
		serveUntilKilled(what)
	}
	for _, how := range []string{serve.Sync, serve.NoSync} {
		t.Run(how, func(t *testing.T) {
			folder, rng := t.TempDir(), rand.New(rand.NewPCG(29, 9))
			var crew *storetest.Crew
			kept := int64(0)
			for kill := range tier(0, 20, 200) + 1 {
				k := startKeeper(t, how, folder)
				if crew != nil {
					faults := crew.Check(k.found(fmt.Sprintf("Races%d", kill-1), how == serve.Sync), how == serve.Sync)
					if len(faults) > 0 {
						t.Errorf("after kill %d:\n%s", kill, strings.Join(faults, "\n"))
					}
					kept += crew.Done()
				}
				table := fmt.Sprintf("Races%d", kill)
				if got := k.do(target.Operation{Verb: entity.CreateTable, Table: table}); got.Code != entity.OK || got.Status == 0 {
					t.Fatalf("the table was not made: %+v", got)
				}
				crew = storetest.NewCrew(16)
				k.workUntilKilled(crew, table, int64(10+rng.IntN(1200)))
			}
			t.Logf("%d kills, %d operations acknowledged before them", tier(0, 20, 200), kept)
		})
	}
}

// workUntilKilled has a crew write to a table, and kills the service once so much is done.
func (k *keeper) workUntilKilled(crew *storetest.Crew, table string, enough int64) {
	var killed atomic.Bool
	crew.Work(func(_ int, changes []entity.Change) bool {
		if crew.Done() >= enough && killed.CompareAndSwap(false, true) {
			crew.Seal()
			_ = k.command.Process.Kill()
		}
		op := target.Operation{Verb: changes[0].Verb, Table: table, Change: changes[0]}
		if len(changes) > 1 {
			op = target.Operation{Verb: entity.Batch, Table: table, Changes: changes}
		}
		got := k.do(op)
		return got.Code == entity.OK && got.Status/100 == 2
	})
	k.kill()
}
