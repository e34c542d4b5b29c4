package advise

import (
	"slices"
	"strings"

	"loadgen/report/document"
)

// row is one row of the narrative: what the documents of this package print under a condition. A
// condition begins with where it is printed: the point of a finding, or a part of a document. Text and
// change are templates of [document.Fill]. A finding has the verdict of its row; without one the verdict
// depends on a figure.
type row struct {
	condition string
	verdict   Verdict
	text      string
	change    string
}

// The changes for inserts that fall on one place, and for a partition with most of the load.
const (
	orderChange = "Begin the PartitionKey with a value that differs between simultaneous inserts (a user, a hash)."
	skewChange  = "Split the hottest key: add a bucket ({hash(user,16):02d}) or another attribute to the PartitionKey."
	lineChange  = "Project, use more or larger machines, or compress large values before sending."
)

// narrative returns all rows. Sentences of findings come first, by point.
func narrative() []row {
	return slices.Concat(placementRows(), clientRows(), accountRows(), queryRows(), writeRows(), keyRows(), documentRows())
}

func placementRows() []row {
	return []row{
		{"idle", NotApplicable, "No phase offers load.", ""},

		{"partition/unlimited", NotApplicable, "The model does not limit partitions.", ""},
		{"partition/unplaced", NotApplicable, "Every operation reads several partitions; see scans.", ""},
		{"partition/rate", "", "Partition {1|key} counts {2} entities/s in phase {3}, {4|part} of its target of {5}.", ""},
		{"partition/scans", "", "Queries of several partitions count {1} more, some of them here.", ""},
		{"partition/see-scans", Note, "", "See scans: their share of this partition is unknown."},
		{"partition/design", "", "", "Use design {1}: it holds; its hottest partition counts {2} entities/s."},
		{"partition/named", "", "", "Offer less to each named partition, or spread the peak over more PartitionKeys."},
		{"partition/split", "", "", "Form the PartitionKey from more attributes, or finer ones."},

		{"account/unlimited", NotApplicable, "The model does not limit accounts.", ""},
		{"account/rate", "", "The account counts {1} entities/s in phase {2}, {3|part} of its target of {4}.", ""},
		{"account/busiest", "", "The busiest of {5} accounts counts {1} entities/s in phase {2}, {3|part} of its target of {4}.", ""},
		{"account/reads", "", "", "Read less in {1}: it counts {2} of these entities/s."},
		{"account/shard", "", "", "Shard over more accounts (accounts: {number: 2}), or count fewer entities."},

		{"order/none", NotApplicable, "No operation inserts with keys of the design.", ""},
		{"order/unknown", CannotTell, "{1}", ""},
		{"order/spread", Good, "{1}", ""},
		{"order/hot", Warning, "{1} At the peak {2} entities/s are inserted.", orderChange},
		{"order/tails", "", "{1} {3} At the peak {2} entities/s are inserted.", orderChange},

		{"skew/named", NotApplicable, "Phase {1} names its partitions.", ""},
		{"skew/one", Warning, "All load of phase {1} falls on one partition.", skewChange},
		{"skew/share", Good, "{1} of the load of phase {2} falls on one partition of {3}; they are as uneven as {4}.", ""},
		{"skew/limits", Note, "That partition is full at {1} entities/s in all, before the account at {2}.", ""},
		{"skew/high", Warning, "", skewChange},

		{"padding/ordered", Good, "Numbers in keys sort in their order.", ""},
		{"padding/unread", Note, "Keys sort as text: in {1} {2|key} {3} puts {4} before {5}; no query reads in that order.",
			"Pad it: {6|key}, which has room for {7}."},
		{"padding/read", Warning, "Keys sort as text: in {1} {2|key} {3} puts {4} before {5}, and {8} reads in that order.",
			"Pad it: {6|key}, which has room for {7}."},

		{"sharding/several", Good, "The load is sharded over {1} accounts; the busiest counts {2} entities/s.", ""},
		{"sharding/one", NotApplicable, "One account is enough.", ""},
		{"sharding/more", Note, "{1} accounts are enough if no partition is too hot; a region has {2} by default.", "accounts: {number: {1}}"},

		{"cold/warm", NotApplicable, "The scenario starts warm: its ranges are on many servers. Those of a new table are not.", ""},
		{"cold/range", Note, "A new table is one range on one server until load balancing reacts to minutes of overload.", ""},
		{"cold/peak", Warning, "The peak of {1} entities/s exceeds the target of one range.",
			"Raise the load slowly and expect throttling at first; loading the table beforehand does not prevent it."},

		{"burst/none", Good, "No phase bursts.", ""},
		{"burst/some", Note, "Phase {1} jumps from {2}/s to {3}/s every {4} for {5}.", "Expect throttling while the service adapts; prefer a ramp."},
	}
}

func clientRows() []row {
	return []row{
		{"retries/none", Warning, "Throttled requests are not retried (retry: none): data may be lost.", "retry: documented, unless you count each refusal."},
		{"retries/policy", Good, "Policy {1} retries up to {2}, first after {3} to {4}.{5}", ""},
		{"retries/operation", "", " Operation {1} uses {2}.", ""},
		{"retries/constant", Note, "", "Use a policy with growing waits, such as retry: documented."},
		{"retries/alike", Note, "", "Use a policy with random waits, such as retry: documented: equal waits collide again."},

		{"codes/none", NotApplicable, "Nothing is retried.", ""},
		{"codes/wrong", Warning, "Policy {1} retries {2}, which fail the same way each time.", "Retry timeouts and throttling only."},
		{"codes/good", Good, "Faults of the request itself are not retried.", ""},

		{"library/current", Good, "Policy {1} is that of {2}; the scenario does not name the runtime.", ""},
		{"library/retired", Warning, "Policy {1} is that of a retired storage client for .NET.", "Use the current client library: retry: azure-core-net."},
		{"library/unknown", CannotTell, "Policy {1} belongs to no client library for tables.", ""},

		{"parallel/minimum", Good, "At least {1} run at once: enough for the {2} requests/s of phase {3} while each takes less than {4}.", ""},
		{"parallel/maximum", Good, "At most {1} run at once: enough for the {2} requests/s of phase {3} while each takes less than {4}.", ""},
		{"parallel/low", Warning, "", "Raise workers, or the generator is the limit."},

		{"wire/connections", Good, "Phase {1} keeps about {2} busy, {3} a request: {4} connections carry {5} requests/s, {6} carry {7}. " +
			"A request has {8|bytes}, a reply {9|bytes}; TCP_NODELAY is on.", ""},
		{"wire/few", Warning, "", "Raise workers to at least {1}: each has a connection."},

		{"line/usual", Good, "At the peak about {1|bytes}/s go over the wire, {2|part} of 1 Gbit/s.", lineChange},
		{"line/client", Good, "At the peak about {1|bytes}/s are sent, {2|part} of the client's line of {5|bytes}/s each way, and {3|bytes}/s received, {4|part}.", lineChange},
		{"line/clients", Good, "At the peak about {1|bytes}/s are sent, {2|part} of the lines of {6} of {5|bytes}/s each way, and {3|bytes}/s received, {4|part}.", lineChange},

		{"location/unknown", CannotTell, "The client's location and link are unknown: `loadgen doctor` measures them.", ""},
		{"location/trip", Good, "A round trip takes {1}{2}, a write {3}{4}.", ""},
		{"location/loss", "", "; {1|share} of the attempts lose a packet and take at least {2} longer", ""},
		{"location/far", Warning, "", "Run the clients in the account's region, or use one account in each region."},
		{"location/lossy", Warning, "", "Use a link with less loss, or run the clients nearer to the account."},

		{"access/proxy", Warning, "Operation {1} goes through a proxy, which carries all data.", "Issue signatures (SAS), with CORS for browsers, for direct reads."},
		{"access/direct", Good, "Operation {1} reads by signatures of the users, without a proxy.", ""},
		{"access/none", NotApplicable, "All operations use the account's key: no proxy, no signature.", ""},
	}
}

func accountRows() []row {
	return []row{
		{"bytes/both", Good, "At the peak an account receives about {1|bytes}/s, {2}, and sends {3|bytes}/s, {4}.",
			"Project, compress large values, keep them in blobs, or use more accounts."},
		{"bytes/throttled", CannotTell, "At the peak an account receives about {1|bytes}/s, {2}; all was throttled, so what it sends is unknown.", ""},
		{"bytes/unlimited", "", "without a limit", ""},
		{"bytes/limit", "", "{1|part} of {2|bytes}/s", ""},

		{"capacity/unlimited", NotApplicable, "The model does not limit the capacity of an account.", ""},
		{"capacity/loaded", Error, "The loaded entities take {1|bytes}, more than the {2}.", "Use more accounts, or keep large values in blobs."},
		{"capacity/static", Good, "The loaded entities take {1|bytes}, {3|part} of the {2}; nothing is inserted.", ""},
		{"capacity/filled", Good, "{1} new entities a second of {2|bytes}, copies included, fill the {3} in {4}.",
			"Delete old entities, a table at a time, or use more accounts."},
		{"capacity/account", "", "{1|bytes} of an account", ""},
		{"capacity/accounts", "", "{1|bytes} of {2}", ""},
	}
}

func queryRows() []row {
	return []row{
		{"reads/none", NotApplicable, "No operation reads.", ""},
		{"points/share", Good, "{1|share} of the reads use both keys.", ""},
		{"points/few", Note, "", "Form the keys from what the most frequent reads know, or keep a copy with such keys."},

		{"scans/none", Good, "No operation scans partitions.", ""},
		{"scans/worst", Good, "{1} is a {2}: it counts {3} entities in {4}, at the peak {5} entities/s.{6}",
			"Choose a design, or add a copy, with keys that begin with what {1} knows."},
		{"scans/why", "", " Why: {1}.", ""},

		{"density/unknown", CannotTell, "Too few entities were sampled to measure the density of {1}.", ""},
		{"density/none", NotApplicable, "No query reads more than one entity.", ""},
		{"density/full", Good, "Queries want all that they read.", ""},
		{"density/share", Good, "{1} wants {2|share} of what it reads: each result counts about {3} entities, at the peak {4} entities/s.",
			"Form the keys from what {1} knows: a filter on properties reduces bytes, not the count."},

		{"projection/none", NotApplicable, "No query returns whole entities.", ""},
		{"projection/small", Good, "Queries without a projection return at most {1|bytes} on average.", ""},
		{"projection/large", Note, "{2} returns about {1|bytes} of whole entities each time.",
			"Name the needed properties in its select: fewer bytes, and the same count of {3} entities."},

		{"copies/some", Note, "Each entity has {1}: a write counts for each, and other partitions are not written atomically.",
			"Let readers tolerate a missing or old copy; keep atomic data in one partition."},
		{"copies/none", NotApplicable, "No copies, and no query that needs one.", ""},
		{"copies/useful", Note, "No keys serve {1}.", "Add a copy whose PartitionKey is formed from {{2}}: two writes, and no scan."},
	}
}

func writeRows() []row {
	return []row{
		{"lookup/none", Good, "Writes use the key.", ""},
		{"lookup/point", Note, "{1} asks for a key that is formed from what it knows.", "Write without asking (omit by)."},
		{"lookup/scan", Warning, "{1} finds the key by a {2}: it counts {3} entities for one write.", "Keep the key where the write begins, or form it there."},

		{"batches/small", Note, "{1} writes {2} entities in a transaction of up to 100.", "Write more at a time: fewer requests, the same count of entities."},
		{"batches/none", NotApplicable, "No operation inserts single entities.", ""},
		{"batches/single", Good, "One partition takes up to {1} single inserts a second ({2}).",
			"Combine related inserts: a transaction of up to 100 is one request; each entity counts."},

		{"upserts/guarded", Warning, "{1} reads an entity before an upsert: two requests for one.",
			"Omit read_first: the service inserts or updates. Merge if old values matter."},
		{"upserts/none", NotApplicable, "No operation updates.", ""},
		{"upserts/good", Good, "No operation reads to choose between insert and update.", ""},

		{"size/largest", Good, "The largest sample has {1|bytes}.{2}", ""},
		{"size/drawn", "", " Sizes have a mean of {1|bytes} and a maximum of {2|bytes}.", ""},
		{"size/cut", "", " {1|share} of the curve exceed the maximum and are cut to it.", ""},
		{"size/above", Note, "The targets assume entities of 1 KiB; larger ones may reach less.", ""},
		{"size/blob", Warning, "", "Keep large values in a blob, and its address in the entity."},

		{"series/none", NotApplicable, "No RowKey is ordered by time.", ""},
		{"series/unknown", CannotTell, "RowKeys are ordered by {{1}}; whether a series is read together is unknown.", ""},
		{"series/small", Note, "RowKeys are ordered by {{1}}, and entities have only {2|bytes}.",
			"Store values that are read together (24 hours of a day) as properties of one entity."},

		{"logs/none", NotApplicable, "Entities do not accumulate by time alone.", ""},
		{"logs/some", Note, "Entities arrive by time, like a log: phase {1} inserts {2} a second.",
			"If it is a log that is read by stretches of {{3}}, a blob for each is cheaper."},
	}
}

// keyRows are the findings about keys of a file.
func keyRows() []row {
	return []row{
		{"valid/all", Good, "Every key is valid.", ""},
		{"valid/some", Error, "{1} of {2} rows have an invalid key, first line {3}, {4|key}: {5}.", "Replace or encode what a key cannot contain."},
		{"unique/none", NotApplicable, "No row has a RowKey.", ""},
		{"unique/all", Good, "The first {1} keys are unique.", ""},
		{"unique/some", Warning, "Of the first {1} keys {2} are those of an earlier row: their inserts fail.", "Add what distinguishes such rows to the RowKey."},

		{"entities/none", NotApplicable, "There are no entities.", ""},
		{"hottest/rate", "", "Of {1} entities/s the most common partition has {2}, {3|part} of its target of {4}.",
			"Form the PartitionKey from more attributes, or finer ones."},
		{"hottest/no-rate", CannotTell, "No rate was given. The most common partition is full at {1} entities/s in all.", "Give the rate of all entities: --rate 3000."},
		{"total/rate", "", "{1} entities/s are {2|part} of the account's target of {3}.", ""},
		{"total/near", "", "", "Shard over two accounts before it is needed."},
		{"total/exceeded", Error, "", "Shard over several accounts."},
		{"total/no-rate", CannotTell, "No rate was given.", ""},

		{"inserts/none", NotApplicable, "No row inserts.", ""},
		{"inserts/unknown", CannotTell, "{1}", "Name the column of insert times (--time COLUMN)."},
		{"inserts/file-order", "", "In the order of the file they are {1}.", ""},
		{"inserts/spread", Good, "{1}", ""},
		{"inserts/tails", Good, "{1} {2}", ""},
		{"inserts/hot", Warning, "{1}", orderChange},
		{"inserts/full", "", "That place is full at {1} entities/s in all.", ""},
		{"inserts/over", Error, "At {1}/s the hottest place has {2}.", orderChange},

		{"common/one", Warning, "All entities are in one partition.", skewChange},
		{"common/share", Good, "{1} of the entities are in the most common partition of {2}; they are as uneven as {3}.", ""},
		{"common/high", Warning, "", skewChange},
	}
}

// documentRows are the sentences of answers and documents.
func documentRows() []row {
	return []row{
		{"why/line", "", "most attempts of phase {1} wait for the client's line, not for the service", ""},
		{"why/seeds", "", "of {1} seeds some hold and some do not", ""},
		{"why/throttled", "", ": from {1|share} to {2|share} of the first attempts are throttled", ""},
		{"why/part", "", "only the first {1} operations were rehearsed; `loadgen simulate` runs all", ""},
		{"why/check", "", "a check has too few data", ""},
		{"why/tails", "", "inserts fall on {1} places, {2}/s on one with a target of {3}/s; only `--set start=cold` tests that", ""},
		{"why/hot", "", "inserts are {1}, {2}/s at one place with a target of {3}/s; only `--set start=cold` tests that", ""},

		{"answer/no-load", "", "No phase offers load: there is no peak to sustain", ""},
		{"answer/partition", "", "{1} of {2}/s a partition", ""},
		{"answer/account", "", "{1} of {2}/s an account", ""},
		{"answer/lost", "", "In phase {1} {2|share} of the first attempts are throttled and {3|share} of the operations lost.", ""},
		{"answer/none", "", "Of {1} none is throttled.", ""},
		{"answer/some", "", "Of {1} {2|share} are throttled.", ""},
		{"answer/range", "", "Of {1} {2|share} to {3|share} are throttled.", ""},
		{"answer/seeds", "", "{1} by each of {2}", ""},
		{"answer/limit", "", "The limit is {1}.", ""},
		{"answer/main-limit", "", "For {2|share} of the throttling the limit is {1}.", ""},
		{"answer/targets", "", "Azure's documented targets are {1} and {2}.", ""},

		{"limit/partition busy", "", "the target of one partition", ""},
		{"limit/account busy", "", "the account's target", ""},
		{"limit/range busy", "", "the target of one range, which load balancing did not split", ""},
		{"limit/server busy", "", "the target of one server", ""},
		{"limit/moving", "", "the move of ranges", ""},
		{"limit/timed out", "", "the timeout", ""},
		{"limit/ingress busy", "", "the account's ingress", ""},
		{"limit/egress busy", "", "the account's egress", ""},

		{"screen/run", "", "A run: {1} requests, {2} entities counted, about {3|bytes} sent, {4}", ""},
		{"screen/keys", "", "{1} partitions, as uneven as {2}; inserts: {3}", ""},
		{"screen/candidates", "", "at most/s: the rate at which a partition, a place with all inserts, or the account is full", ""},
		{"basis/run", "", "Nothing was sent: {1}, {2}, {3} on the virtual clock.", ""},
		{"basis/keys", "", "Every number is derived from shares of the rows, for any target.", ""},
		{"cost/requests", "", "requests: {1}, each billed; at most {2} if all are throttled", ""},
		{"cost/million", "", "requests for a million operations: {1}", ""},
		{"cost/entities", "", "entities: {1} counted by the documented rule", ""},
		{"cost/bytes", "", "bytes: about {1|bytes} sent and {2|bytes} received, without retries", ""},
		{"cost/length", "", "length: {1}, plus loading and counting", ""},
		{"design/cannot", "", "It cannot serve the scenario: {1}", ""},
		{"load/clients", "", "{1} ask {2} times a second and wait {3} for each answer.", ""},
		{"load/scans", "", "Queries of several partitions count {1} entities/s; their partitions are unknown (+).", ""},
		{"load/unread", "", "{1}: what its queries read is known only in a run.", ""},
		{"load/elsewhere", "", "{1}: {2} of its requests go to a queue or to blobs.", ""},

		{"keys/like", "", "{1} equal ones", ""},
		{"keys/at-least-like", "", "at least {1} equal ones", ""},
		{"keys/none", "", ": there are no keys", ""},
		{"keys/where", "", "where {1} is full", ""},
		{"keys/most", "", "at most {1}/s, where {2} is full", ""},
		{"keys/partition", "", "the most common partition", ""},
		{"keys/place", "", "the place that takes all inserts", ""},
		{"keys/tails", "", "the hottest of the {1} places that take all inserts", ""},
		{"keys/account", "", "the account", ""},
		{"keys/top", "", "The most common PartitionKey, {1|key}, has {2} of all entities.", ""},
		{"keys/untimed", "", "The times of inserts are unknown: name their column (--time COLUMN).", ""},
		{"keys/file-order", "", "The times of inserts are unknown (--time COLUMN); in the order of the file they are {1}.", ""},
		{"keys/unlisted", "", "A partition that is not listed has at most {1|share}.", ""},
		{"keys/rows", "", "rows: {1} in {2}, {3} of them inserts; {4} counted", ""},
		{"keys/partitions", "", "partitions: {1}, as uneven as {2}", ""},
		{"keys/share", "", "the most common has {1} of all entities", ""},
		{"keys/inserts", "", "inserts: {1}", ""},
		{"keys/falling", "", "rows earlier than the one before: {1}; they count at their instants", ""},
		{"keys/ignored", "", "ignored columns: {1}", ""},
		{"keys/fault", "", "line {1}, {2|key}: {3}", ""},
	}
}

func find(condition string) row {
	rows := narrative()
	at := slices.IndexFunc(rows, func(r row) bool { return r.condition == condition })
	if at < 0 {
		panic("advise: the narrative has no condition " + condition)
	}
	return rows[at]
}

// say returns the sentence of a condition.
func say(condition string, values ...any) string {
	return document.Fill(find(condition).text, values...)
}

// found returns the finding of a condition.
func found(condition string, values ...any) Finding {
	r := find(condition)
	return Finding{Verdict: r.verdict, Evidence: document.Fill(r.text, values...), Change: document.Fill(r.change, values...)}
}

// with adds a condition to a finding: its sentence, and its verdict and change if it has them.
func (f Finding) with(condition string, values ...any) Finding {
	more := found(condition, values...)
	f.Evidence = strings.TrimSpace(f.Evidence + " " + more.Evidence)
	if more.Verdict != "" {
		f.Verdict = more.Verdict
	}
	if more.Change != "" {
		f.Change = more.Change
	}
	return f
}

// graded sets the verdict of a finding, which asks for no change if it is good or does not apply.
func (f Finding) graded(v Verdict) Finding {
	if f.Verdict = v; v == Good || v == NotApplicable {
		f.Change = ""
	}
	return f
}
