package coverage_test

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/rest/resttest"
	"loadgen/scenarios/advise"
	"loadgen/scenarios/run/runtest"
)

func clientPractice() []row {
	const group = "Client practice"
	return []row{
		{80, group, checklist, "The performance checklist audits a scenario.", "`loadgen explain two-dominant-queries`",
			"example", "items of 29 that the scenario answers, each with evidence", false,
			vary(func(string) band { return exactly(29) }, itemsTold, "two-dominant-queries", "saved-token")},
		{81, group, checklist, "A client has as many concurrent requests as connections: two or ten limit it.", "`loadgen simulate checklist-parallelism`",
			"concurrent requests, each of 49 ms with its pause", "requests/s: concurrent requests by 49 ms", false,
			vary(func(n int) band { return about(float64(n)/.049, .03) }, playing[int]("served(night)", "checklist-parallelism", "phases.night.clients=%v"), 10, 60)},
		{82, group, checklist, "JSON without metadata is the smallest reply.",
			"`loadgen simulate json-metadata`, `loadgen simulate json-metadata --anti-pattern`", "level of metadata, of entities with two Int64", "bytes that it adds to an entity: its ETag and types; and its type, addresses and the type of its Timestamp", false,
			vary(func(level string) band {
				added := len(`"odata.etag":"W/\"datetime'2026-11-20T11%3A48%3A19.0000000Z'\"",` + `"Reading@odata.type":"Edm.Int64","Total@odata.type":"Edm.Int64",`)
				if level == "full" {
					added += len(`"odata.type":"loadgen.","odata.id":"http://127.0.0.1:10002/loadgen/(PartitionKey='north',RowKey='1000')",` +
						`"odata.editLink":"(PartitionKey='north',RowKey='1000')","Timestamp@odata.type":"Edm.DateTime",`)
				}
				return band{float64(added), 1}
			}, metadataOfPage, "minimal", "full")},
		{83, group, checklist, "Near the limit of an account, shard the load over several, one in each region that has users.",
			"`loadgen simulate account-ceiling`, `loadgen simulate account-ceiling --anti-pattern`",
			"accounts with 1,000/s each, under 1,600/s", "share throttled", false,
			vary(func(n int) band { return band{max(0, 1-1000*float64(n)*(4+.25)/(1600*4)), .01} }, playing[int]("throttled(save) %", "account-ceiling", "accounts.number=%v",
				"phases.book.for=4s"), 1, 2)},
		{84, group, checklist, "Each request takes the round trip, and a lost packet is sent again after a timeout: the same region is best.",
			"`loadgen simulate far-client`, `loadgen simulate thin-line`",
			"round trip, and share of lost packets", "mean read in ms: the round trip, 3, and 200 p / (1 - 2p), because each further loss waits twice as long", false,
			vary(func(l link) band {
				p := float64(l.lost) / 1000
				return band{float64(l.way) + 3 + 200*p/(1-2*p), .1 + deviations*200*math.Sqrt(p/1000)}
			}, func(t testing.TB, l link) float64 {
				return onePartition(t, 500, set("model.round_trip", fmt.Sprint(l.way, "ms")), set("model.packet_loss", l.lost)).of(t, "mean(get)") / 1e6
			}, link{1, 0}, link{150, 50})},
	}
}

// link is a network between a client and the service: milliseconds, and thousandths of the
// round trips that lose a packet.
type link struct{ way, lost int }

// String returns the link as the page has it.
func (l link) String() string { return fmt.Sprintf("%d ms, %d ‰", l.way, l.lost) }

// items are those of the documents' checklist, in their order, each with the findings of
// `loadgen explain` that judge it.
func items() []item {
	return []item{
		{"as many accounts as the load needs, within what one may have", "sharding"},
		{"capacity and transactions below their limits", "capacity account-bytes account-target"},
		{"entities a second below their targets", "account-target partition-target"},
		{"bandwidth of the client", "bandwidth"},
		{"quality of the link", "location"},
		{"client and account in one region", "location"},
		{"access by signatures, past any proxy", "direct-access"},
		{"entity group transactions", "batches"},
		{"a current runtime", "client-library"},
		{"enough connections", "wire"},
		{"enough threads", "parallelism"},
		{"parallelism within bounds", "parallelism"},
		{"a current client library", "client-library"},
		{"exponential waits before retries", "retries"},
		{"no retry of what fails alike each time", "not-retryable"},
		{"JSON", "wire"},
		{"Nagle off", "wire"},
		{"data parted properly", "partition-target skew padding"},
		{"neither append-only nor prepend-only", "insert-order"},
		{"writes spread over partitions", "insert-order skew"},
		{"point queries for most, scans sparingly", "point-queries scans scan-to-write"},
		{"queries that scan little more than they return", "density"},
		{"filters", "density scans"},
		{"projections", "projection"},
		{"denormalization", "denormalization"},
		{"writes that belong together in one transaction", "batches"},
		{"upserts rather than reads before writes", "upserts"},
		{"a series in few entities", "series"},
		{"blobs for logs and for what is large", "logs entity-size"},
	}
}

// item is one of the checklist, and the findings that judge it.
type item struct{ asks, findings string }

// itemsTold counts the items whose findings all have a verdict and the evidence for it.
func itemsTold(t testing.TB, example string) float64 {
	s := runtest.Builtin(t, example)
	explained, err := advise.Explain(t.Context(), advise.Options{Scenario: s, Seeds: 1})
	require.NoError(t, err)
	told := make(map[string]bool)
	for _, f := range explained.Findings {
		told[f.ID] = f.Evidence != "" && f.Verdict != ""
	}
	seen := make(map[string]bool)
	for _, one := range items() {
		seen[one.asks] = true
		for _, id := range strings.Fields(one.findings) {
			if !told[id] {
				t.Errorf("%s: no finding %q is told", one.asks, id)
				delete(seen, one.asks)
			}
		}
	}
	return float64(len(seen))
}

func security() []row {
	const group = "Security"
	return []row{
		{85, group, checklist, "A shared access signature permits exactly the operations, keys and time that it names.", "`loadgen simulate user-signatures`",
			"requests with six kinds of signature: table, partitions, rows, user, one hour, read only", "kinds that permit the request: all inside their bounds, none outside", quick,
			vary(either("inside", exactly(6), exactly(0)), signaturesThatPass, "inside", "outside")},
		{86, group, checklist, "Users with signatures read directly; no proxy carries all data.", "`loadgen simulate user-signatures`",
			"users, with a signature of an hour each", "signatures issued for 2,000 reads: one for each user", false,
			vary(exactly[int], func(t testing.TB, users int) float64 {
				return play(t, "user-signatures", set("attributes.user", fmt.Sprintf("{uniform: [101, %d]}", 100+users))).of(t, "counter(read, issued)")
			}, 20, 100)},
		{87, group, guide, "A client encrypts strings to binary; only inserts and replaces are possible.", "`loadgen simulate client-side-encryption`",
			"digits of the encrypted number", "bytes added by encryption: 28 of the cipher less a byte for each digit, and 132 for the key and its name", false,
			vary(func(digits int) band {
				const nonce, tag, contentKey = 12, 16, 32
				property := func(name string) int { return 8 + 2*len(name) + 4 }
				return exactly(nonce + tag - digits + property("SealKey") + nonce + contentKey + tag + property("SealedBy") + 2*len("loadgen-1"))
			}, bytesOfSeal, 15, 9)},
	}
}

// signature appends a shared access signature of Races to a path.
func signature(path, options string) string {
	v, err := url.ParseQuery("tn=Races&sv=2019-02-02&" + options)
	if err != nil {
		panic(err)
	}
	var lines []string
	for _, name := range []string{"sp", "st", "se", "", "si", "sip", "spr", "sv", "spk", "srk", "epk", "erk"} {
		if lines = append(lines, v.Get(name)); name == "" {
			lines[len(lines)-1] = "/table/" + account + "/races"
		}
	}
	v.Set("sig", resttest.Contoso.MAC(strings.Join(lines, "\n")))
	return path + "?" + v.Encode()
}

func signaturesThatPass(t testing.TB, where string) float64 {
	w := newWire(t)
	w.want(201, "POST", "/Tables", `{"TableName":"Others"}`)
	for _, user := range []string{"anna", "bert", "carl"} {
		for i := range 5 {
			w.insert(user, fmt.Sprint(i), "")
		}
	}
	w.want(204, "POST", "/Others", body("anna", "1", ""), "Prefer: return-no-content")
	const day = "&se=2026-11-21T00:00:00Z"
	type request struct{ method, path string }
	passed := 0
	for _, kind := range []struct {
		options         string
		inside, outside request
	}{
		{"sp=r" + day, request{"GET", at("anna", "1")}, request{"GET", "/Others(PartitionKey='anna',RowKey='1')"}},
		{"sp=r&spk=anna&epk=bert" + day, request{"GET", at("bert", "1")}, request{"GET", at("carl", "1")}},
		{"sp=r&spk=anna&srk=1&epk=anna&erk=3" + day, request{"GET", at("anna", "3")}, request{"GET", at("anna", "4")}},
		{"sp=r&spk=anna&epk=anna" + day, request{"GET", at("anna", "2")}, request{"GET", at("bert", "2")}},
		{"sp=r&se=2026-11-20T12:48:19Z", request{"GET", at("anna", "1")}, request{"late", at("anna", "1")}},
		{"sp=r" + day, request{"GET", at("anna", "1")}, request{"MERGE", at("anna", "1")}},
	} {
		one := kind.inside
		if where == "outside" {
			one = kind.outside
		}
		text, headers := "", []string(nil)
		if one.method == "MERGE" {
			text, headers = body("anna", "1", `"A":1`), []string{"If-Match: *"}
		}
		if one.method == "late" {
			one.method = "GET"
			w.passes(2 * time.Hour)
		}
		if reply := w.send(one.method, signature(one.path, kind.options), text, headers...); reply.Code < http.StatusMultipleChoices {
			passed++
		}
	}
	return float64(passed)
}

func bytesOfSeal(t testing.TB, digits int) float64 {
	first := "4" + strings.Repeat("0", digits-1)
	p := play(t, "client-side-encryption", set("attributes.card", fmt.Sprintf("{sequence: %s}", first)), "phases.shop.for=3s")
	assert.Zero(t, p.of(t, "violations"), "entities that give the number away, or open no more")
	s := runtest.Builtin(t, "client-side-encryption")
	err := s.Set("phases.shop.operations.0.with", "{property: Card, verb: merge}")
	assert.False(t, err == nil && len(s.Validate()) == 0, "a merge of what is sealed is no fault; want one")
	return p.of(t, "counter(order, added-bytes)") / p.of(t, "operations(order)")
}
