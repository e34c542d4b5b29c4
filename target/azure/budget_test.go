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
	"loadgen/target"
	"loadgen/target/azure"
)

// mostReply is how many bytes a reply may have.
const mostReply = 5 << 20

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
		for _, size := range []int{target.ReplyAllowance, target.ReplyAllowance + 1, mostReply, mostReply + 1} {
			budget := target.NewReplyBudget(target.CommonReplyBudget)
			text := "HTTP/1.1 400 X\r\n" + framing(strings.Repeat("x", size))
			subject, _ := openAt(t, func(int, []byte) (string, bool) { return text, true }, azure.Options{Budget: budget})
			for way, do := range ways(t, subject) {
				got := do.Do(t.Context(), &op)
				if size <= mostReply && (got.Status != 400 || got.Fault != "") || size > mostReply && got.Fault != target.ReplyTooLong {
					t.Errorf("%s: %d bytes to %s = %+v; want 400, or %s beyond %d", way, size, name, got, target.ReplyTooLong, mostReply)
				}
				assert.EqualValuesf(t, 0, budget.Held(), "%s: %d bytes to %s", way, size, name)
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
					do := ways(t, subject)[way]
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
					assert.Equal(t, clock.Instant(row.after), clk.Now(), "the last ended after")
					assert.EqualValues(t, 0, budget.Held(), "budget.Held()")
					if row.name != "until the target is closed" {
						subject.Close()
					}
				})
			})
		}
	}
}
