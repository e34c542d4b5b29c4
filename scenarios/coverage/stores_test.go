package coverage_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/clock"
	"loadgen/target"
	"loadgen/target/queueblob"
)

func parallelism() []row {
	const group = "In parallel"
	return []row{
		{88, group, checklist, "Queries of several partitions run in parallel: the sum of their times by their concurrency.",
			"`loadgen simulate parallel-queries`, `loadgen simulate parallel-shared`",
			"concurrent queries, of 400 that take 4.5 ms each", "milliseconds until all are read", false,
			vary(func(n int) band { return about(400*4.5/float64(n), .04) }, func(t testing.TB, n int) float64 {
				return play(t, "parallel-queries", set("phases.read.clients", n)).of(t, "length(read)") / 1e6
			}, 2, 16)},
	}
}

func stores() []row {
	const group = "Queues and blobs"
	return []row{
		{89, group, patterns, "A message is hidden while a worker holds it, and comes back with a count unless it is deleted.",
			"`loadgen simulate eventual-transaction-poison`", "seconds that it is hidden", "seconds until another worker gets it, the second time", quick,
			vary(exactly[int], secondsUntilSeen, 2, 30)},
		{90, group, patterns, "Blobs are found by the prefix of their names, and their metadata has the first and last time.", "`loadgen simulate log-in-blobs`",
			"blobs of an hour, with seven of the next", "blobs found by queue/2014/07/31/1800/", quick,
			vary(exactly[int], blobsOfHour, 3, 40)},
	}
}

// beside sends a request to a stand-in at an instant, and fails where it is refused.
func beside(t testing.TB, m *queueblob.Memory, now time.Duration, b target.Beside) []target.Found {
	t.Helper()
	outcome, _ := m.Submit(clock.Instant(0).Add(now), &target.Operation{Beside: &b})
	if outcome.StoreMissing {
		if made, _ := m.Submit(clock.Instant(0).Add(now), &target.Operation{Beside: b.Maker()}); made.Status >= 300 {
			t.Fatal(made.Status, made.Detail)
		}
		outcome, _ = m.Submit(clock.Instant(0).Add(now), &target.Operation{Beside: &b})
	}
	if outcome.Status >= 300 {
		t.Fatal(b.Verb, outcome.Status, outcome.Detail)
	}
	return outcome.Found
}

func secondsUntilSeen(t testing.TB, hidden int) float64 {
	m := queueblob.NewMemory()
	beside(t, m, 0, target.Beside{Verb: target.PutMessage, Store: "moves", Body: []byte("456")})
	receive := target.Beside{Verb: target.ReceiveMessages, Store: "moves", Most: 1, Hidden: time.Duration(hidden) * time.Second}
	if found := beside(t, m, time.Second, receive); len(found) != 1 || found[0].Received != 1 {
		t.Fatalf("%v; want the message, for the first time", found)
	}
	for second := 0; second < 100; second++ {
		found := beside(t, m, time.Second*time.Duration(1+second), receive)
		if len(found) == 0 {
			continue
		}
		if string(found[0].Body) != "456" || found[0].Received != 2 {
			t.Errorf("%v; want the message, for the second time", found[0])
		}
		return float64(second)
	}
	return -1
}

func blobsOfHour(t testing.TB, n int) float64 {
	m := queueblob.NewMemory()
	put := func(hour, i int) {
		beside(t, m, 0, target.Beside{Verb: target.PutBlob, Store: "log", Name: fmt.Sprintf("queue/2014/07/31/%d/%06d.log", hour, i), Body: []byte("line\n"),
			Metadata: map[string]string{"first": fmt.Sprintf("2014-07-31T%d:00:00Z", hour/100), "last": fmt.Sprintf("2014-07-31T%d:59:59Z", hour/100)}})
	}
	for i := range n {
		put(1800, i)
	}
	for i := range 7 {
		put(1900, i)
	}
	found := beside(t, m, time.Second, target.Beside{Verb: target.ListBlobs, Store: "log", Name: "queue/2014/07/31/1800/"})
	for _, one := range found {
		assert.Equalf(t, "2014-07-31T18:00:00Z", one.Metadata["first"], "%s begins at", one.Name)
	}
	return float64(len(found))
}
