package coverage_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func limits() []row {
	const group = "Limits"
	bound := func(kinds int) func(int) band {
		return func(excess int) band {
			if excess > 0 {
				return exactly(0)
			}
			return exactly(kinds)
		}
	}
	return []row{
		{10, group, guide, "An entity has at most 252 properties of its own and 1 MiB; each key at most 1 KiB.",
			"`loadgen simulate wide-entity --anti-pattern`, `loadgen simulate large-entity --anti-pattern`",
			"excess over each of the three limits", "requests accepted: all three at the limit, none above it", quick,
			vary(bound(3), entitiesTaken, 0, 1)},
		{11, group, guide, "A transaction has at most 100 operations and 4 MiB of payload, one table, one PartitionKey, and each entity once.",
			"`loadgen simulate stress --set phases.load.load.transaction=101` (exit code 2)",
			"operations, bytes of JSON or entities beyond each of the five limits", "requests accepted: all five at the limit, none above it", quick,
			vary(bound(5), transactionsTaken, 0, 1)},
		{12, group, guide, "A page ends at 1,000 entities and has a token for the next page.", "`loadgen simulate page-size`",
			"entities of a partition", "pages: entities by 1,000, rounded up", quick,
			vary(func(n int) band { return exactly((n + 999) / 1000) }, pagesOfPartition, 1500, 2500)},
		{13, group, checklist, "An account has limits for capacity and bytes/s; near them the service throttles.",
			"`loadgen simulate bytes-against-entities --anti-pattern`",
			"bytes/s that the account accepts", "share of 50/s throttled, each of 16 KiB of text and a header", false,
			vary(func(limit int) band {
				sent, allowed := 50.*(16<<10+600)*10, float64(limit)*(10+.25)
				return band{1 - allowed/sent, .02}
			}, throttledByBytes, 300_000, 600_000)},
	}
}

// entitiesTaken returns how many of three limits let an entity pass that is exactly so large,
// or larger.
func entitiesTaken(t testing.TB, excess int) float64 {
	w := newWire(t)
	var properties []string
	for i := range 252 + excess {
		properties = append(properties, fmt.Sprintf(`"P%03d":1`, i))
	}
	// An entity's size by the documents: 4 bytes, 2 for each character of its keys; for a
	// property 8 bytes, 2 for each character of its name, and of a text 4 and 2 for each.
	bytes := 1<<20 - 4 - 2*len("onesize")
	var texts []string
	for i := 0; bytes > 0; i++ {
		length := min(32<<10, (bytes-8-2*4-4)/2)
		bytes -= 8 + 2*4 + 4 + 2*length
		texts = append(texts, fmt.Sprintf(`"T%03d":%q`, i, strings.Repeat("x", length)))
		if bytes < 8+2*4+4 {
			break
		}
	}
	size := strings.Join(texts, ",")
	if excess > 0 {
		size += `,"Z":1`
	}
	taken := 0
	for _, text := range []string{
		body("one", "properties", strings.Join(properties, ",")),
		body("one", strings.Repeat("k", 512+excess), ""),
		body("one", "size", size),
	} {
		if reply := w.send("POST", "/Races", text, "Prefer: return-no-content"); reply.Code == 204 {
			taken++
		}
	}
	return float64(taken)
}

// transaction sends inserts or upserts as one entity group transaction, each "VERB TABLE
// PartitionKey RowKey size", and returns the status of the first part, and what it says.
func (w *tableWire) transaction(writes ...write) (status int, says string) {
	w.Helper()
	var text strings.Builder
	text.WriteString("--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n")
	for _, one := range writes {
		text.WriteString("--c\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n")
		line := fmt.Sprintf("%s http://127.0.0.1:10002/%s/%s", cmp.Or(one.verb, "POST"), account, cmp.Or(one.table, "Races"))
		if one.verb != "" {
			line += fmt.Sprintf("(PartitionKey='%s',RowKey='%s')", one.partition, one.row)
		}
		fmt.Fprintf(&text, "%s HTTP/1.1\r\nContent-Type: application/json\r\nAccept: application/json;odata=nometadata\r\n", line)
		if one.match != "" {
			fmt.Fprintf(&text, "If-Match: %s\r\n", one.match)
		}
		fmt.Fprintf(&text, "Prefer: return-no-content\r\n\r\n%s\r\n", body(one.partition, one.row, one.properties))
	}
	text.WriteString("--c--\r\n--b--\r\n")
	reply := w.send("POST", "/$batch", text.String(), "Content-Type: multipart/mixed; boundary=b")
	if reply.Code != 202 {
		return reply.Code, reply.Body.String()
	}
	_, part, _ := strings.Cut(reply.Body.String(), "HTTP/1.1 ")
	_, err := fmt.Sscan(part, &status)
	require.NoErrorf(w, err, "the transaction's reply has no part: %.300s", reply.Body)
	return status, part
}

// transact is transaction, and fails the test where it is refused.
func (w *tableWire) transact(writes ...write) {
	w.Helper()
	status, says := w.transaction(writes...)
	require.Equal(w, 204, status, says)
}

// write is one of a transaction: an insert, or what verb says.
type write struct {
	verb, table, partition, row, properties, match string
}

// transactionsTaken returns how many of five limits let a transaction pass that is exactly at
// it, or beyond.
func transactionsTaken(t testing.TB, excess int) float64 {
	w := newWire(t)
	w.want(201, "POST", "/Tables", `{"TableName":"Others"}`)
	many := func(n int, partition, properties string) (list []write) {
		for i := range n {
			list = append(list, write{partition: partition, row: fmt.Sprint(i), properties: properties})
		}
		return list
	}
	// 64 entities of 64 KiB of JSON are 4 MiB, in which a letter has one byte.
	large := many(64, "bytes", "")
	for i := range large {
		room := 64<<10 - len(body("bytes", large[i].row, `"A":"","B":""`))
		if i == 0 {
			room += excess
		}
		large[i].properties = fmt.Sprintf(`"A":%q,"B":%q`, strings.Repeat("x", 32<<10), strings.Repeat("y", room-32<<10))
	}
	alike := func(one write) []write {
		if excess > 0 {
			return append(many(2, "kind", ""), one)
		}
		return many(2, "kind", "")
	}
	taken := 0
	for _, list := range [][]write{
		many(100+excess, "number", ""), large,
		alike(write{partition: "kind", row: "0"}), alike(write{partition: "another", row: "9"}),
		alike(write{table: "Others", partition: "kind", row: "9"}),
	} {
		if status, _ := w.transaction(list...); status == 204 {
			taken++
		}
		for i := range list {
			w.send("DELETE", at(list[i].partition, list[i].row), "", "If-Match: *")
		}
	}
	return float64(taken)
}

func pagesOfPartition(t testing.TB, n int) float64 {
	w := newWire(t)
	w.fill("full", n)
	entities, pages, _ := w.pages(filtered("PartitionKey eq 'full'"))
	if len(entities) != n {
		return -1
	}
	return float64(pages)
}

// throttledByBytes returns which share of the writes is throttled, of entities whose 16 Ki
// characters are two bytes each where they lie, and one on the wire.
func throttledByBytes(t testing.TB, limit int) float64 {
	return play(t, "bytes-against-entities", "entity.size=32768", "phases.store.arrivals.constant=50", "phases.store.for=10s",
		set("model.account_ingress", limit)).of(t, "throttled(save) %")
}
