package queueblob_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"loadgen/engine/clock"
	"loadgen/target"
	"loadgen/target/queueblob"
)

// naive is a queue and a container as plainly as they can be written: every request
// goes through everything.
type naive struct {
	queues map[string][]*naiveMessage
	blobs  map[string]map[string]string
	puts   int
}

type naiveMessage struct {
	put, received int
	body          string
	seen          time.Duration
	receipt       string
}

// put appends a message.
func (n *naive) put(now time.Duration, store, body string, hidden time.Duration) string {
	n.puts++
	n.queues[store] = append(n.queues[store], &naiveMessage{put: n.puts, body: body, seen: now + hidden})
	return "201"
}

// receive looks again and again for the message that can be seen for longest.
func (n *naive) receive(now time.Duration, store string, most int, hidden time.Duration, receipts []string) string {
	text := "200"
	for i := range most {
		var best *naiveMessage
		for _, m := range n.queues[store] {
			if m.seen <= now && (best == nil || m.seen < best.seen || m.seen == best.seen && m.put < best.put) {
				best = m
			}
		}
		if best == nil {
			return text
		}
		best.seen = now + hidden
		best.received++
		best.receipt = "none"
		if i < len(receipts) {
			best.receipt = receipts[i]
		}
		text += fmt.Sprintf(" %s/%d", best.body, best.received)
	}
	return text
}

func (n *naive) delete(store, body, receipt string) string {
	list, there := n.queues[store]
	if !there {
		return "404 QueueNotFound"
	}
	for i, m := range list {
		if m.body == body && m.receipt == receipt {
			n.queues[store] = slices.Concat(list[:i], list[i+1:])
			return "204"
		}
		if m.body == body {
			return "404 PopReceiptMismatch"
		}
	}
	return "404 MessageNotFound"
}

func (n *naive) list(store, prefix, after string, most int) string {
	text := "200"
	for _, name := range slices.Sorted(maps.Keys(n.blobs[store])) {
		if strings.HasPrefix(name, prefix) && name > after && most > 0 {
			text += fmt.Sprintf(" %s/%d", name, len(n.blobs[store][name]))
			most--
		}
	}
	return text
}

// FuzzAgainstTheNaive plays requests that the bytes choose on a stand-in and on the
// naive one, and asks both the same.
func FuzzAgainstTheNaive(f *testing.F) {
	f.Add([]byte("0aA1bB2cC3dD4eE5fF6gG7hH8iI9jJ"))
	f.Add([]byte{0, 0, 0, 0, 0, 0, 1, 0, 0, 9, 0, 200, 1, 0, 0, 2, 0, 0, 2, 0, 1})
	f.Add([]byte{3, 0, 1, 3, 0, 2, 4, 0, 1, 5, 0, 0, 6, 0, 1, 6, 0, 1, 7, 0, 0, 8, 0, 0})
	f.Fuzz(func(t *testing.T, script []byte) {
		m, n := queueblob.NewMemory(), &naive{queues: map[string][]*naiveMessage{}, blobs: map[string]map[string]string{}}
		now := clock.Instant(0)
		// known are the messages that were received, by their bodies.
		known := map[string]target.Found{}
		puts := 0
		for ; len(script) >= 3; script = script[3:] {
			store := "store-" + string(rune('a'+script[1]%2))
			a, at := int(script[2]), now.Offset()
			do := func(b target.Beside) target.Outcome {
				b.Store = store
				o, _ := m.Submit(now, &target.Operation{Beside: &b})
				return o
			}
			var o target.Outcome
			var got, want string
			switch script[0] % 10 {
			case 0:
				puts++
				body, hidden := fmt.Sprint("m", puts), time.Duration(a%4)*time.Second
				o, want = do(target.Beside{Verb: target.PutMessage, Body: []byte(body), Hidden: hidden}), n.put(at, store, body, hidden)
			case 1:
				most, hidden := 1+a%4, time.Duration(1+a/4%4)*time.Second
				o = do(target.Beside{Verb: target.ReceiveMessages, Most: most, Hidden: hidden})
				var receipts []string
				for _, one := range o.Found {
					receipts = append(receipts, one.Receipt)
					got += fmt.Sprintf(" %s/%d", one.Body, one.Received)
					known[string(one.Body)] = one
				}
				want = n.receive(at, store, most, hidden, receipts)
			case 2:
				body := fmt.Sprint("m", 1+a%(puts+1))
				one, received := known[body]
				if !received {
					continue
				}
				if a >= 128 {
					one.Receipt = "stale"
				}
				o, want = do(target.Beside{Verb: target.DeleteMessage, Name: one.Name, Receipt: one.Receipt}), n.delete(store, body, one.Receipt)
			case 3:
				name, body := string(rune('a'+a%5)), strings.Repeat("b", a/5)
				o, want = do(target.Beside{Verb: target.PutBlob, Name: name, Body: []byte(body)}), "201"
				if n.blobs[store] == nil {
					n.blobs[store] = map[string]string{}
				}
				n.blobs[store][name] = body
			case 4, 5:
				name, verb := string(rune('a'+a%5)), target.GetBlob
				body, there := n.blobs[store][name]
				want = fmt.Sprintf("200 %q", body)
				if script[0]%10 == 5 {
					verb, want = target.DeleteBlob, "202"
				}
				o = do(target.Beside{Verb: verb, Name: name})
				if len(o.Found) > 0 {
					got = fmt.Sprintf(" %q", o.Found[0].Body)
				}
				switch _, made := n.blobs[store]; {
				case !made:
					want = "404 ContainerNotFound"
				case !there:
					want = "404 BlobNotFound"
				case verb == target.DeleteBlob:
					delete(n.blobs[store], name)
				}
			case 6:
				prefix, after, most := []string{"", "a", "c", "cc"}[a%4], []string{"", "a", "b", "bb"}[a/4%4], 1+a/16%4
				o = do(target.Beside{Verb: target.ListBlobs, Name: prefix, After: after, Most: most})
				for _, one := range o.Found {
					got += fmt.Sprintf(" %s/%d", one.Name, one.Size)
				}
				want = n.list(store, prefix, after, most)
			case 7:
				o, want = do(target.Beside{Verb: target.DropQueue}), "404 QueueNotFound"
				if _, there := n.queues[store]; there {
					want = "204"
				}
				delete(n.queues, store)
			case 8:
				o, want = do(target.Beside{Verb: target.DropContainer}), "404 ContainerNotFound"
				if _, there := n.blobs[store]; there {
					want = "202"
				}
				delete(n.blobs, store)
			default:
				now = now.Add(time.Duration(a) * 50 * time.Millisecond)
				continue
			}
			if o.Code != "" {
				got = " " + string(o.Code)
			}
			if got = fmt.Sprint(o.Status, got); strings.Join(strings.Fields(got), " ") != want {
				t.Fatalf("verb %d at %v of %s with %d: %s; the naive one says %s", script[0]%10, at, store, a, got, want)
			}
		}
	})
}
