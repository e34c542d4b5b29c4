package azure_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/engine/wire"
	"loadgen/results"
	"loadgen/target"
	"loadgen/target/azure"
)

// rowsOf returns the body of a page of entities with these keys.
func rowsOf(keys ...entity.Key) string {
	var rows []string
	for _, k := range keys {
		rows = append(rows, string(wire.AppendEntityBody(nil, k, nil)))
	}
	return `{"value":[` + strings.Join(rows, ",") + `]}`
}

// A reply is held to the keys that were asked for, however they are written.
func TestRepliesAreHeldToTheKeysAskedFor(t *testing.T) {
	key := func(partition, row string) entity.Key { return entity.Key{Partition: partition, Row: row} }
	one := func(k entity.Key) target.Operation {
		return target.Operation{Verb: entity.Get, Table: "Runners", Change: entity.Change{Verb: entity.Get, Key: k}}
	}
	body := func(k entity.Key) string { return string(wire.AppendEntityBody(nil, k, nil)) }
	query := func(q target.Query) target.Operation {
		return target.Operation{Verb: entity.Query, Table: "Runners", Query: q}
	}
	within := func(r filter.Range) target.Operation { return query(target.Query{Range: r}) }
	filtered := must(target.Filtered("PartitionKey eq 'p' and RowKey ge 'b' and RowKey lt 'd' and Age gt 3"))
	later := target.RowsFrom("p", "b")
	later.Token = target.Token{Present: true, NextPartitionKey: "p", NextRowKey: "x"}
	few := target.OnePartition("p")
	few.Select = []string{"Age"}
	quoted, wild := key("O'Neill / 5?%", "100% & more#+\\"), key("世界 \U0001F3C3", "é\U0001F600")
	const fine, wrong, unread = target.Fault(""), target.WrongEntity, target.Unreadable
	for _, row := range []struct {
		name string
		op   target.Operation
		body string
		want target.Fault
	}{
		{"the entity that was asked for", one(key("p", "r")), body(key("p", "r")), fine},
		{"another row", one(key("p", "r")), body(key("p", "s")), wrong},
		{"the keys the other way about", one(key("p", "r")), body(key("r", "p")), wrong},
		{"a key that only begins so", one(key("p", "r")), body(key("p", "rr")), wrong},
		{"empty keys", one(key("", "")), body(key("", "")), fine},
		{"no keys at all", one(key("p", "r")), `{"Age":5}`, wrong},
		{"no entity", one(key("p", "r")), `[]`, unread},
		{"an error with a success", one(key("p", "r")), `{"odata.error":{"code":"InvalidInput","message":{"lang":"en-US","value":"x"}}}`, unread},
		{"nothing", one(key("p", "r")), ``, unread},
		{"a page instead of an entity", one(key("p", "r")), rowsOf(key("p", "r")), unread},
		{"quotes, slashes, questions, percents", one(quoted), body(quoted), fine},
		{"quotes doubled as in the address", one(quoted), body(key("O''Neill / 5?%", quoted.Row)), wrong},
		{"a key still escaped", one(quoted), body(key("O%27Neill%20%2F%205%3F%25", quoted.Row)), wrong},
		{"letters of everywhere", one(wild), body(wild), fine},
		{"letters of everywhere, escaped", one(key("é", "\U0001F600")), `{"PartitionKey":"\u00e9","RowKey":"\uD83D\uDE00"}`, fine},
		{"the same to the eye, in other code points", one(key("é", "r")), body(key("e\u0301", "r")), wrong},
		{"a key that no reply can hold", one(key("p\xff", "r")), `{"PartitionKey":"p\ufffd","RowKey":"r"}`, fine},

		{"an empty page", query(target.OnePartition("p")), rowsOf(), fine},
		{"a partition", query(target.OnePartition("p")), rowsOf(key("p", ""), key("p", "a"), key("p", "\uffff")), fine},
		{"a row of another partition among them", query(target.OnePartition("p")), rowsOf(key("p", "a"), key("q", "a")), wrong},
		{"a partition, of each entity one property", query(few), `{"value":[{"PartitionKey":"p","RowKey":"r","Age":5}]}`, fine},
		{"one entity by a query, and another", query(target.OnePoint(quoted)), rowsOf(quoted, key(quoted.Partition, quoted.Row+"1")), wrong},
		{"rows up to one", within(filter.Rows("p", "", "d")), rowsOf(key("p", ""), key("p", "c")), fine},
		{"a row beyond the last", within(filter.Rows("p", "", "d")), rowsOf(key("p", "d")), wrong},
		{"a further page", query(later), rowsOf(key("p", "x"), key("p", "y")), fine},
		{"partitions", query(target.Partitions("a", "c")), rowsOf(key("a", "x"), key("b", ""), key("c", "\uffff")), fine},
		{"beyond the partitions", query(target.Partitions("a", "c")), rowsOf(key("c0", "")), wrong},
		{"the whole table", within(filter.WholeTable()), rowsOf(key("", ""), key("\uffff", "\uffff")), fine},
		{"a filter, by the range that it implies", query(filtered), rowsOf(key("p", "b"), key("p", "c")), fine},
		{"beyond that range", query(filtered), rowsOf(key("p", "d")), wrong},
		{"by code unit between the bounds, by byte beyond them", within(filter.Rows("p", "a", "\ufb00")), rowsOf(key("p", "\U0001F600")), fine},
		{"by byte between the bounds, by code unit beyond them", within(filter.Rows("p", "\ufb00", "\U0010ffff")), rowsOf(key("p", "\U0001F600")), fine},
		{"beyond the bounds by either", within(filter.Rows("p", "a", "e")), rowsOf(key("p", "\U0001F600")), wrong},
		{"no page", query(target.OnePartition("p")), `{"PartitionKey":"p","RowKey":"r"}`, unread},
	} {
		subject, _ := openAt(t, always(framed("HTTP/1.1 200 OK\n\n"+row.body, false)), azure.Options{})
		got := subject.Do(t.Context(), &row.op)
		if again := subject.DoOverNetHTTP(t.Context(), &row.op); again.Fault != got.Fault || again.Status != got.Status || again.Detail != got.Detail {
			t.Errorf("%s: over net/http %+v; want as by Do %+v", row.name, again, got)
		}
		switch class := got.Class(target.Expected{NotFound: true, Conflict: true, Precondition: true}); {
		case got.Status != 200 || got.Fault != row.want || got.Cause() != string(row.want):
			t.Errorf("%s: Do = %+v; want 200 and the fault %q", row.name, got, row.want)
		case row.want == "" && (class != results.Ok || got.Counted == 0 || got.Detail != ""):
			t.Errorf("%s: Do = %v, %+v; want ok, and something counted", row.name, class, got)
		case row.want != "" && (class != results.Failed || got.Counted != 0 || got.Returned != 0 || got.Rows != nil || got.Entity != nil || got.Next.Present || got.Detail == ""):
			t.Errorf("%s: Do = %v, %+v; want failed, and nothing counted or returned", row.name, class, got)
		}
	}
}

// maxReply is how many bytes a reply may have.
const maxReply = 5 << 20

// framings are the ways in which a body says where it ends.
var framings = map[string]func(body string) string{
	"a length":                  func(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) },
	"one chunk":                 func(body string) string { return inChunksOf(len(body), body) },
	"small chunks":              func(body string) string { return inChunksOf(9973, body) },
	"the end of the connection": func(body string) string { return "Connection: close\r\n\r\n" + body },
}

func inChunksOf(size int, body string) string {
	text := []byte("Transfer-Encoding: chunked\r\n\r\n")
	for piece := range slices.Chunk([]byte(body), size) {
		text = fmt.Appendf(text, "%x\r\n%s\r\n", len(piece), piece)
	}
	return string(text) + "0\r\n\r\n"
}

// A reply of 5 MiB is read whole in every framing, one of a byte more in none, and what
// either held is given back.
func TestRepliesAtTheBound(t *testing.T) {
	op := get("1")
	for name, framing := range framings {
		for _, size := range []int{target.ReplyAllowance, target.ReplyAllowance + 1, maxReply, maxReply + 1} {
			budget := target.NewReplyBudget(target.CommonReplyBudget)
			text := "HTTP/1.1 400 X\r\n" + framing(strings.Repeat("x", size))
			subject, _ := openAt(t, func(int, []byte) (string, bool) { return text, true }, azure.Options{Budget: budget})
			for way, do := range ways(subject) {
				got := do.Do(t.Context(), &op)
				if size <= maxReply && (got.Status != 400 || got.Fault != "") || size > maxReply && got.Fault != target.ReplyTooLong {
					t.Errorf("%s: %d bytes to %s = %+v; want 400, or %s beyond %d", way, size, name, got, target.ReplyTooLong, maxReply)
				}
				assert.EqualValuesf(t, 0, budget.Used(), "%s: %d bytes to %s", way, size, name)
			}
		}
	}
}

// holdUp is a network whose services send so many bytes of a body without an end where
// the request names a row that begins with "long", and then nothing, and answer others.
func holdUp(subject *azure.Target, long int) {
	piece := "HTTP/1.1 200 OK\r\n\r\n" + strings.Repeat("x", long)
	body := `{"PartitionKey":"NYC 2011","RowKey":"1","Notes":"` + strings.Repeat("n", 60_000) + `"}`
	n := &network{answer: func(r *http.Request) (string, bool) {
		if strings.Contains(r.RequestURI, "long") {
			return piece, true
		}
		return framed("HTTP/1.1 200 OK\n\n"+body, true), true
	}}
	n.join(subject)
}

// Long replies that stop half-way hold up other long ones, each at most as long as its
// attempt lasts, and no ordinary reply for a moment; what they held is given back.
func TestRepliesHeldUp(t *testing.T) {
	for _, row := range []struct {
		name string
		// What ends the attempts after a second, if anything but their time does.
		ends  func(cancel context.CancelFunc, subject *azure.Target)
		after time.Duration
		// of those that have room, of those that wait for it
		had, waited target.Fault
	}{
		{"until their time is up", func(context.CancelFunc, *azure.Target) {}, 5 * time.Second, target.TimedOut, target.NoRoom},
		{"until the caller gives up", func(cancel context.CancelFunc, _ *azure.Target) { cancel() }, time.Second, target.Cancelled, target.Cancelled},
		{"until the target is closed", func(_ context.CancelFunc, subject *azure.Target) { subject.Close() }, time.Second, target.Cancelled, target.Cancelled},
	} {
		for _, way := range []string{"Do", "net/http"} {
			t.Run(row.name+", "+way, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					clk, budget := clock.NewReal(), target.NewReplyBudget(1<<20)
					subject := build(t, azure.Options{Clock: clk, Budget: budget})
					holdUp(subject, 900<<10)
					do := ways(subject)[way]
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					const long = 20
					outcomes := make(chan target.Outcome, long)
					for i := range long {
						go func() {
							op := get(fmt.Sprintf("long%d", i))
							outcomes <- do.Do(ctx, &op)
						}()
					}
					synctest.Wait()
					for range 20 {
						began, op := clk.Now(), get("1")
						if got := do.Do(ctx, &op); got.Status != 200 || got.Fault != "" || clk.Now() != began {
							t.Errorf("an ordinary reply = %+v after %v; want 200 at once", got, clk.Now().Sub(began))
						}
					}
					time.AfterFunc(time.Second, func() { row.ends(cancel, subject) })
					faults := map[target.Fault]int{}
					for range long {
						faults[(<-outcomes).Fault]++
					}
					assert.Truef(t, faults[row.had] != 0 && faults[row.waited] >= long-6 && faults[row.had]+faults[row.waited] >= long,
						"the long ones = %v; want %s of few, %s of most", faults, row.had, row.waited)
					assert.Equal(t, clock.Instant(row.after), clk.Now(), "instant at which the last ended")
					assert.EqualValues(t, 0, budget.Used(), "budget.Used()")
					if row.name != "until the target is closed" {
						subject.Close()
					}
				})
			})
		}
	}
}
