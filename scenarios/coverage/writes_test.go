package coverage_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// verb is a way to write an entity over HTTP.
type verb string

func writes() []row {
	const group = "Writes"
	return []row{
		{44, group, guide, "Replace drops missing properties, Merge keeps them; both need an existing entity, an upsert does not.",
			"`loadgen simulate merge-or-replace --anti-pattern`, `loadgen simulate upsert`", "verb that writes one of five properties", "properties afterwards", quick,
			vary(either[verb]("PUT", exactly(1), exactly(5)), propertiesLeft, "PUT", "MERGE")},
		{45, group, checklist, "Never scan to find the keys of an update.", "`loadgen simulate scan-to-find --anti-pattern`",
			"entities of the scanned table", "entities counted by each update: the table with the run's marker, and the entity", false,
			vary(func(n int) band { return exactly(n + 1 + 1) }, playing[int]("counted(rename) each", "scan-to-find", "phases.load.load.entities=%v",
				"phases.change.for=5s", "phases.change.operations.0.by=[email]"), 500, 1500)},
	}
}

// propertiesLeft writes one property over an entity of five and returns how many there are
// then; it fails where a write without the entity does not end as the verb's should.
func propertiesLeft(t testing.TB, v verb) float64 {
	w := newWire(t)
	w.insert("one", "1", `"A":1,"B":2,"C":3,"D":4,"E":5`)
	one := body("one", "1", `"A":9`)
	w.want(204, string(v), at("one", "1"), one, "If-Match: *")
	w.want(404, string(v), at("one", "2"), body("one", "2", `"A":9`), "If-Match: *")
	w.want(204, string(v), at("one", "3"), body("one", "3", `"A":9`))
	const system = 3
	return float64(len(w.entity(at("one", "1"))) - system)
}

func transactions() []row {
	const group = "Transactions"
	return []row{
		{46, group, guide, "A transaction is all or nothing, and names the index of the failed operation.", "`loadgen simulate bank-transfer`",
			"position of the existing entity among ten inserts", "index in the reply; no other entity exists", quick,
			vary(exactly[int], indexOfFailure, 0, 7)},
		{47, group, guide, "Transactions save round trips: the more, the higher the latency.", "`loadgen simulate transactions`",
			"round trip, ms", "writes by transactions of 100 for each single insert: 100 (R + 9) / (R + 18.9)", false,
			vary(func(way int) band { return about(100*(float64(way)+8+1)/(float64(way)+8+9.9+1), .04) }, func(t testing.TB, way int) float64 {
				p := play(t, "transactions", set("model.round_trip", fmt.Sprint(way, "ms")), "phases.by-ten.for=1s", "phases.by-one.for=8s", "phases.by-hundred.for=4s")
				return p.of(t, "served(by-hundred)") / p.of(t, "served(by-one)")
			}, 1, 50)},
		{48, group, guide, "Transactions that touch common entities delay one another.", "`loadgen simulate common-entities`",
			"clients that change the same 100 entities, with pauses of 20 ms", "mean wait in ms: 17.9 for each client, less the pause", false,
			vary(func(clients int) band { return about(17.9*float64(clients)-20, .06) }, func(t testing.TB, clients int) float64 {
				return play(t, "common-entities", "phases.load.load.entities=100", set("phases.sell.clients", clients), "phases.sell.for=8s").of(t, "mean(change)") / 1e6
			}, 6, 16)},
		{49, group, patterns, "Two legs that must net to zero need one transaction: the key is the transfer, not the account.",
			"`loadgen simulate bank-transfer --anti-pattern`",
			"share of clients that crash between two requests", "transfers of 1,000 with one leg, keyed by account; none keyed by transfer", false,
			vary(func(killed string) band { return binomial(1000, shareOf(killed)) }, transfersLeft, "5%", "20%")},
	}
}

func indexOfFailure(t testing.TB, position int) float64 {
	w := newWire(t)
	w.insert("one", fmt.Sprint(position), "")
	var list []write
	for i := range 10 {
		list = append(list, write{partition: "one", row: fmt.Sprint(i)})
	}
	status, says := w.transaction(list...)
	require.Equalf(t, 409, status, "the transaction = %s", says)
	w.returns(1, filtered("PartitionKey eq 'one'"))
	_, text, _ := strings.Cut(says, `"value":"`)
	number, _, _ := strings.Cut(text, ":")
	index, err := strconv.Atoi(number)
	require.NoError(t, err)
	return float64(index)
}

func transfersLeft(t testing.TB, killed string) float64 {
	keyed := func(by string) float64 {
		return play(t, "bank-transfer", "phases.day.for=5s", set("phases.day.operations",
			fmt.Sprintf("[{name: transfer, workflow: transfer, with: {from: payer, to: payee, killed: %s, keyed: %s}}]", killed, by))).of(t, "violations")
	}
	assert.Zero(t, keyed("by-transfer"), "transfers that are one transaction and are left with one leg")
	return keyed("by-account")
}

func concurrency() []row {
	const group = "Concurrency"
	return []row{
		{50, group, guide, "Update, merge and delete check the entity's ETag; after a conflict the client starts again at the read.",
			"`loadgen simulate lost-updates`", "ETag sent: that of the previous version, or *", "requests of three that succeed", quick,
			vary(either("*", exactly(3), exactly(0)), carriedOut, "stale", "*")},
		{51, group, guide, "With * instead of the ETag, updates such as EmployeeCount += 1 are lost.", "`loadgen simulate lost-updates --anti-pattern`",
			"clients that read a counter at once and write it plus one", "updates lost: all but the last; none with the ETag", quick,
			vary(func(clients int) band { return exactly(clients - 1) }, updatesLost, 2, 12)},
	}
}

func carriedOut(t testing.TB, tag string) float64 {
	w := newWire(t)
	done := 0
	for i, method := range []string{"PUT", "MERGE", "DELETE"} {
		row := fmt.Sprint(i)
		w.insert("one", row, `"Count":1`)
		before := w.want(200, "GET", at("one", row), "").Header().Get("Etag")
		w.passes(time.Second)
		w.want(204, "MERGE", at("one", row), body("one", row, `"Count":2`), "If-Match: "+before)
		now := w.want(200, "GET", at("one", row), "").Header().Get("Etag")
		sent := tag
		if tag == "stale" {
			sent = before
		}
		switch reply := w.send(method, at("one", row), body("one", row, `"Count":3`), "If-Match: "+sent); reply.Code {
		case 204:
			done++
		case 412:
			w.want(204, method, at("one", row), body("one", row, `"Count":3`), "If-Match: "+now)
		default:
			t.Errorf("%s under the ETag %s = %d; want 204 or 412", method, sent, reply.Code)
		}
	}
	return float64(done)
}

func updatesLost(t testing.TB, clients int) float64 {
	count := func(guarded bool) int {
		w := newWire(t)
		w.insert("one", "1", `"EmployeeCount":0`)
		type client struct {
			count int
			tag   string
		}
		read := func() client {
			reply := w.want(200, "GET", at("one", "1"), "")
			return client{int(decoded(t, reply)["EmployeeCount"].(float64)), reply.Header().Get("Etag")}
		}
		waiting := make([]client, clients)
		for i := range waiting {
			waiting[i] = read()
		}
		for _, one := range waiting {
			for {
				w.passes(time.Second)
				tag := "*"
				if guarded {
					tag = one.tag
				}
				if w.send("MERGE", at("one", "1"), body("one", "1", fmt.Sprintf(`"EmployeeCount":%d`, one.count+1)), "If-Match: "+tag).Code == 204 {
					break
				}
				one = read()
			}
		}
		return read().count
	}
	assert.Equal(t, clients, count(true), "under the ETag of updates are there")
	return float64(clients - count(false))
}
