package coverage_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

func across() []row {
	const group = "Across partitions, days, keys and accounts"
	return []row{
		{91, group, guide, "A page ends where the PartitionKey changes, and its continuation token names the next partition.",
			"`loadgen simulate token-per-partition`", "partitions of 5 entities that one query reads", "requests of a query: one for each partition", quick,
			vary(exactly[int], playing[int]("ok(list) each", "token-per-partition",
				"phases.read.traffic.operations.0.partitions=%v", "phases.read.for=5s"), 5, 20)},
		{92, group, patterns, "With a day of 24 counts in each entity, the last 24 hours are read from two entities and combined by the client.",
			"`loadgen simulate rolling-day`", "hour of yesterday at which the 24 hours begin", "entities counted by a read: those of the days that it reaches", quick,
			vary(func(hour int) band { return exactly((hour+23)/24 + 1) }, playing[int]("counted(one-range) each", "rolling-day",
				"phases.read.operations=[{name: one-range, workflow: series-get, with: {slots: 48, per-entity: 24, at: days, by: range, first: %v, window: 24}}]"), 0, 15)},
		{93, group, guide, "Reading encrypted entities needs no resolver: the metadata in the entity decrypts what was encrypted.",
			"`loadgen simulate encryption-merge`", "customers of ten whose cards a rule encrypts", "share of the entities that a reader without the rule decrypts; the others are plain", quick,
			vary(func(n int) band { return share(270, float64(n)/10) }, func(t testing.TB, n int) float64 {
				p := play(t, "encryption-merge", "attributes.customer={uniform: [10, 19]}", "phases.load.load.entities=3000", "phases.cards.arrivals.constant=600", set("phases.cards.operations.0.with",
					fmt.Sprintf("{resolver: '1[0-%d]/*/Card'}", n-1)), "phases.phones.operations.0.with={resolver: none/*/Phone, verb: merge}")
				// 300 reads of 3,000 entities.
				return p.of(t, "counter(look, opened)") / p.of(t, "operations(look)")
			}, 3, 7)},
		{94, group, guide, "A merge is refused for encrypted entities: it overwrites the content key, and what the one before encrypted is lost.",
			"`loadgen simulate encryption-merge --anti-pattern`", "orders with an encrypted card into which an encrypted phone is merged", "cards that nobody can decrypt: one in each of them", quick,
			vary(exactly[int], playing[int]("violations", "encryption-merge", "phases.load.load.entities=%v",
				"phases.phones.operations.0.with={property: Phone, verb: merge}"), 60, 240)},
		{95, group, patterns, "The archive of an eventually consistent transaction can be in another account, which has a target of its own.",
			"`loadgen simulate eventual-transaction-account`", "accounts with 100 entities/s each, for two tables of which 300/s are read", "entities/s that are read: 100 for each account, and a quarter of a second's burst in 10 s", quick,
			vary(func(accounts int) band { return about(100*float64(accounts)*10.25/10, .03) }, func(t testing.TB, accounts int) float64 {
				return play(t, "eventual-transaction-account", set("accounts.number", accounts), "model.account_target=100", "phases.leave.for=10s", "phases.leave.arrivals.constant=300",
					"phases.leave.operations=[{name: look, workflow: archive-look, with: {place: archive}}]").of(t, "counted(look)") / 10
			}, 1, 2)},
		{96, group, checklist, "An account that is added later moves most customers where a hash places them, and none where a directory does.",
			"`loadgen simulate account-added`, `loadgen simulate account-added --anti-pattern`", "accounts before, one of which is chosen by hash", "share of the reads that find no customer: n/(n + 1); with a directory none", quick,
			vary(func(n int) band { return share(1500, float64(n)/float64(n+1)) }, func(t testing.TB, n int) float64 {
				accounts := func(by string) float64 {
					return play(t, "account-added", set("accounts", fmt.Sprintf("{number: %d, loaded: %d%s}", n+1, n, by))).of(t, "failed(look) %")
				}
				assert.Zero(t, accounts(fmt.Sprintf(`, by: "{hash(customer,%d)}"`, n)), "share of the customers that the directory does not find")
				return accounts("")
			}, 2, 5)},
		{97, group, patterns, "The errors of two minutes, of all servers: by the hour one range of rows, by the server a scan of the table.",
			"`loadgen simulate log-window`, `loadgen simulate log-window --anti-pattern`", "PartitionKey of 3,000 messages, two a second", "entities counted by a search: those of 120 s, or all", quick,
			vary(either("by-hour", about(240, .005), about(3000, .001)), playing[string]("counted(window) each", "log-window", "use=%v"), "by-hour", "by-server")},
		{98, group, patterns, "Blobs of the minutes are found by prefix and metadata; their lines are filtered by severity in the client.",
			"`loadgen simulate log-in-blobs`, `loadgen simulate log-window`", "share of the messages that are errors", "share of the lines that a search keeps, by as many requests as without a severity", quick,
			vary(func(errors string) band { return share(500, shareOf(errors)) }, linesKept, "10%", "50%")},
	}
}

// linesKept returns the share of the lines of the minutes that a search for errors keeps.
func linesKept(t testing.TB, errors string) float64 {
	search := func(severity string) *played {
		return play(t, "log-in-blobs", set("phases.write.operations.0.with", fmt.Sprintf("{time: At, buffer: 20, over: 30s, errors: %s}", errors)),
			set("phases.read.operations.0.with", fmt.Sprintf("{time: At, minutes: 1, severity: %s}", severity)), "phases.table.for=1s")
	}
	all, some := search("any"), search("Error")
	for _, figure := range []string{"requests(window)", "counter(window, scanned)"} {
		assert.InDelta(t, all.of(t, figure), some.of(t, figure), 0, figure)
	}
	return some.of(t, "counter(window, lines)") / all.of(t, "counter(window, lines)")
}
