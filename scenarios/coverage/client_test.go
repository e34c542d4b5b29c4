package coverage_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/scenarios/advise"
	"loadgen/scenarios/run/runtest"
)

func clientWire() []row {
	const group = "The client's wire"
	return []row{
		{99, group, checklist, "Nagle's algorithm is off: a small request that is sent in two pieces waits for a delayed acknowledgement.",
			"`loadgen simulate nagle-off`, `loadgen simulate nagle-off --anti-pattern`", "Nagle's algorithm", "milliseconds of a write: the way and the service, 9, and 40 assumed for the acknowledgement", false,
			vary(either("on", band{49, .3}, band{9, .3}), func(t testing.TB, nagle string) float64 {
				return play(t, "nagle-off", "client.wire.nagle="+nagle).of(t, "mean(write)") / 1e6
			}, "off", "on")},
		{100, group, checklist, "Near a limit of bytes, clients compress what they store.",
			"`loadgen simulate compress-on-client`, `loadgen simulate compress-on-client --anti-pattern`", "repetitions of a sentence of 54 letters", "bytes of a write: 507 of its head, keys and names, and the text's gzip in base64", false,
			vary(func(n int) band { return band{float64(compressedWrite(n)), 3} }, func(t testing.TB, n int) float64 {
				return play(t, "compress-on-client", set("entity.properties.0.value", strings.Repeat(sentence, n))).of(t, "sent_per_success(save)")
			}, 10, 60)},
		{101, group, checklist, "Bytes that leave the region cost by the GB, beside the transactions.",
			"`loadgen explain json-metadata --price \"0.036 egress=0.08\"`", "price of a GB of the pages of `json-metadata` for 10 more seconds", "millionths: 300 pages of 47.55 entities of 120 bytes, with 423 of head and frame, at that price", false,
			vary(func(price int) band { return about(300*(47.55*120+423)*float64(price)/1e9*1e6, .01) }, costOfPages, 1, 20)},
		{102, group, checklist, "Parallelism is bounded per account, across its partitions, and inside one.",
			"`loadgen simulate bounded-parallelism`, `loadgen simulate bounded-parallelism --anti-pattern`", "requests under way to an account, 400 tasks wanting more, each of 48 ms", "requests a second, none throttled: those by 48 ms, and a quarter of the tasks that wait at the end of 4 s", false,
			vary(func(n int) band { return about(float64(n)/.048+float64(400-n)/4, .02) }, func(t testing.TB, n int) float64 {
				p := play(t, "bounded-parallelism", set("client.parallel.account", n))
				require.Zero(t, p.of(t, "throttled"))
				return p.of(t, "served(night)")
			}, 50, 150)},
	}
}

// costOfPages returns what ten seconds more of pages cost, in millionths of the currency.
func costOfPages(t testing.TB, price int) float64 {
	egress := func(duration string) float64 {
		s := runtest.Set(t, runtest.Builtin(t, "json-metadata"), "phases.show.for="+duration)
		explained, err := advise.Explain(t.Context(), advise.Options{Scenario: s, Seeds: 1, Price: results.Price{PerGBEgress: float64(price)}})
		require.NoError(t, err)
		return explained.Cost.Money.Egress
	}
	return (egress("15s") - egress("5s")) * 1e6
}

const sentence = "The runner wants a place in the first row at the start"

// compressedWrite returns how long a request is that inserts a sentence so many times.
func compressedWrite(n int) int {
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	if err == nil {
		_, err = w.Write([]byte(strings.Repeat(sentence, n)))
	}
	if err != nil || w.Close() != nil {
		return 0
	}
	return 507 + len(`{"PartitionKey":"1234","RowKey":"123","Text@odata.type":"Edm.Binary","Text":""}`) + base64.StdEncoding.EncodedLen(packed.Len())
}

// metadataOfPage returns how many bytes a level of metadata adds to each entity of a page.
func metadataOfPage(t testing.TB, level string) float64 {
	page := func(level string) (bytes, entities float64) {
		p := play(t, "json-metadata", "client.wire.json="+level, "model.client_bandwidth=0")
		return p.of(t, "received_per_success(page)"), p.of(t, "returned_per_success(page)")
	}
	bare, _ := page("none")
	bytes, entities := page(level)
	return (bytes - bare - float64(len(`"odata.metadata":"http://127.0.0.1:10002/loadgen/$metadata#",`))) / entities
}
