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

// These changes belong to several conditions.
const (
	orderChange = "Begin the PartitionKey with a user or hash, not a time."
	skewChange  = "Add a bucket ({hash(user,16):02d}) or attribute to the PartitionKey."
	splitChange = "Form the PartitionKey from more attributes, or finer ones."
	lineChange  = "Project, use more machines, or compress large values."
	roomChange  = "Use more accounts, or keep large values in blobs."
)

// narrative returns all rows, those of findings first.
func narrative() []row {
	return slices.Concat(placementRows(), clientRows(), operationRows(), keyRows(), answerRows(), documentRows())
}

func placementRows() []row {
	return []row{
		{"none", NotApplicable, "No {1}.", ""},

		{"partition/unplaced", NotApplicable, "See scans.", ""},
		{"partition/rate", "", "Partition {1|key}: {2} entities/s in phase {3}, {4|part} of its target of {5}.", splitChange},
		{"partition/scans", "", "Queries of several partitions count {1} more.", ""},
		{"partition/see-scans", Note, "", "See scans."},
		{"partition/design", "", "", "Use design {1}: it holds, {2} entities/s at its hottest."},
		{"partition/named", "", "", "Offer less to each, or name more."},

		{"account/rate", "", "The busiest of {5}: {1} entities/s in phase {2}, {3|part} of its target of {4}.", ""},
		{"account/reads", "", "", "Read less in {1}: it counts {2} of these entities/s."},
		{"account/shard", "", "", "Shard over more accounts (accounts: {number: 2})."},

		{"order/unknown", CannotTell, "{1}", ""},
		{"order/spread", Good, "{1}", ""},
		{"order/hot", Warning, "{1} At the peak: {2} inserts/s.", orderChange},
		{"order/tails", "", "{1} {3} At the peak: {2} inserts/s.", orderChange},

		{"skew/named", NotApplicable, "Named partitions.", ""},
		{"skew/one", Warning, "All of {1} falls on one partition.", skewChange},
		{"skew/share", Good, "{1} of {2} falls on one of {3} partitions, as uneven as {4}.", ""},
		{"skew/limits", Note, "It is full at {1} entities/s in all, the account at {2}.", ""},
		{"skew/high", Warning, "", skewChange},

		{"padding/ordered", Good, "Numbers in keys sort in order.", ""},
		{"padding/unordered", Note, "In {1} {2|key} {3} puts {4} before {5}; {8} reads in that order.", "Pad it: {6|key}, which has room for {7}."},

		{"sharding/several", Good, "{1} accounts share the load; the busiest counts {2} entities/s.", ""},
		{"sharding/one", NotApplicable, "One suffices.", ""},
		{"sharding/more", Note, "{1} accounts suffice; a region has {2} by default.", "accounts: {number: {1}}"},

		{"cold/warm", NotApplicable, "Warm start.", ""},
		{"cold/range", Note, "A new table is one range until minutes of overload.", ""},
		{"cold/peak", Warning, "The peak of {1} entities/s exceeds its target.", "Raise the load slowly; preloading does not help."},

		{"burst/none", Good, "No bursts.", ""},
		{"burst/some", Note, "Phase {1} jumps from {2}/s to {3}/s every {4} for {5}.", "Expect throttling after each; prefer a ramp."},
	}
}

func clientRows() []row {
	return []row{
		{"retries/none", Warning, "Throttled requests are not retried.", "retry: documented, unless you count each refusal."},
		{"retries/policy", Good, "Policy {1} retries up to {2}, first after {3} to {4}.{5}", ""},
		{"retries/operation", "", " Operation {1}: {2}.", ""},
		{"retries/constant", Note, "", "Use growing waits: retry: documented."},
		{"retries/alike", Note, "", "Use random waits: retry: documented."},

		{"codes/wrong", Warning, "Policy {1} retries {2}, which fail again.", "Retry timeouts and throttling only."},
		{"codes/good", Good, "Only timeouts and throttling are retried.", ""},

		{"library/current", Good, "Policy {1} is that of the Azure SDK for {2}.", ""},
		{"library/retired", Warning, "Policy {1} is of a retired client.", "Use the current client: retry: azure-core-net."},
		{"library/unknown", CannotTell, "Policy {1} belongs to no client library.", ""},

		{"parallel/enough", Good, "At {5} {1} at once suffice for {2} requests/s below {4} each.", ""},
		{"parallel/low", Warning, "", "Raise workers, or the generator is the limit."},

		{"wire/connections", Good, "Phase {1} needs about {2} for requests of {3}: {4} carry {5}/s, {6} carry {7}/s. Request: {8|bytes}; reply: {9|bytes}.", ""},
		{"wire/few", Warning, "", "Raise workers to at least {1}."},

		{"line/usual", Good, "About {1|bytes}/s, {2|part} of 1 Gbit/s.", lineChange},
		{"line/client", Good, "About {1|bytes}/s sent, {2|part} of {5|bytes}/s of {6}; {3|bytes}/s received, {4|part}.", lineChange},

		{"location/unknown", CannotTell, "Unknown: `loadgen doctor` measures the link.", ""},
		{"location/trip", Good, "Round trip {1}{2}, write {3}{4}.", ""},
		{"location/loss", "", "; {1|share} of the attempts lose a packet, at least {2} each", ""},
		{"location/far", Warning, "", "Run the clients in the account's region."},
		{"location/lossy", Warning, "", "Use a better or shorter link."},

		{"access/proxy", Warning, "Operation {1} reads through a proxy.", "Issue signatures (SAS), with CORS for browsers."},
		{"access/direct", Good, "Operation {1} reads by signature, without a proxy.", ""},

		{"bytes/both", Good, "An account receives about {1|bytes}/s, {2}, and sends {3|bytes}/s, {4}.", roomChange},
		{"bytes/throttled", CannotTell, "An account receives about {1|bytes}/s, {2}; all was throttled.", ""},
		{"bytes/unlimited", "", "without limit", ""},
		{"bytes/limit", "", "{1|part} of {2|bytes}/s", ""},

		{"capacity/loaded", Error, "{1|bytes} are loaded, more than {2}.", roomChange},
		{"capacity/static", Good, "{1|bytes} are loaded, {3|part} of {2}; nothing is inserted.", ""},
		{"capacity/filled", Good, "{1} entities/s of {2|bytes}, copies included, fill {3} in {4}.", "Delete old tables, or use more accounts."},
	}
}

func operationRows() []row {
	return []row{
		{"points/share", Good, "{1|share} of the reads use both keys.", ""},
		{"points/few", Note, "", "Form keys from what frequent reads know."},

		{"scans/none", Good, "No scans.", ""},
		{"scans/worst", Good, "{1} is a {2}: {3} entities in {4}, {5} entities/s at the peak.{6}", "Begin the keys of a design or copy with what {1} knows."},
		{"scans/why", "", " Why: {1}.", ""},

		{"density/unknown", CannotTell, "Too few entities for {1}.", ""},
		{"density/full", Good, "Queries want all that they read.", ""},
		{"density/share", Good, "{1} wants {2|share} of what it reads: about {3} entities for a result, {4}/s at the peak.", "Form the keys from what {1} knows: filtered entities count."},

		{"projection/small", Good, "Queries return at most {1|bytes} on average.", ""},
		{"projection/large", Note, "{2} returns about {1|bytes} of whole entities.", "Select the needed properties: fewer bytes, the same count."},

		{"copies/some", Note, "Each entity has {1}: a write counts for each.", "Let readers tolerate missing or old copies."},
		{"copies/useful", Note, "No keys serve {1}.", "Add a copy with a PartitionKey from {{2}}: two writes, no scan."},

		{"lookup/none", Good, "Writes use the key.", ""},
		{"lookup/point", Note, "{1} asks for a key that it can form.", "Write without asking (omit by)."},
		{"lookup/scan", Warning, "{1} finds its key by a {2} of {3} entities.", "Form or keep the key where the write begins."},

		{"batches/small", Note, "{1} writes {2} entities in a transaction of up to 100.", "Write more at a time: fewer requests."},
		{"batches/single", Good, "One partition takes up to {1} single inserts a second ({2}).", "A transaction of up to 100 is one request."},

		{"upserts/guarded", Warning, "{1} reads before an upsert: two requests for one.", "Omit read_first, or merge."},
		{"upserts/good", Good, "No read before an upsert.", ""},

		{"size/largest", Good, "The largest sample: {1|bytes}.{2}", ""},
		{"size/drawn", "", " Mean: {1|bytes}, maximum: {2|bytes}.", ""},
		{"size/cut", "", " {1|share} of the curve are cut to it.", ""},
		{"size/above", Note, "The targets assume 1 KiB.", ""},
		{"size/blob", Warning, "", "Keep large values in a blob, and its address here."},

		{"series/unknown", CannotTell, "RowKeys sort by {{1}}; what is read together is unknown.", ""},
		{"series/small", Note, "RowKeys sort by {{1}}, and entities have only {2|bytes}.", "Store what is read together in one entity."},

		{"logs/some", Note, "Phase {1} inserts {2} a second in the order of time.", "A log is cheaper in blobs, one for each {{3}}."},
	}
}

// keyRows are the findings about keys of a file.
func keyRows() []row {
	return []row{
		{"valid/all", Good, "Every key is valid.", ""},
		{"valid/some", Error, "{1} of {2} rows have an invalid key, first line {3}, {4|key}: {5}.", "Replace or encode it."},
		{"unique/all", Good, "The keys of {1} inserts are unique.", ""},
		{"unique/some", Error, "Of {1} inserts {2} have the keys of an earlier row: they fail (409), or overwrite it as upserts.",
			"Add what distinguishes such rows to the RowKey."},
		{"unique/bounded", "", "Only the first {1} were compared.", ""},

		{"hottest/rate", "", "Of {1} entities/s one partition has {2}, {3|part} of its target of {4}.", splitChange},
		{"hottest/burst", "", "{1|key} has {3|share} of the peak in its busiest {2}, from {5} on; {4|share} on average.", ""},
		{"hottest/no-rate", CannotTell, "One partition is full at {1} entities/s in all.", "Give the rate of all entities: --rate 3000."},
		{"total/rate", "", "{1} entities/s are {2|part} of the account's target of {3}.", "Shard over two accounts in time."},
		{"total/exceeded", Error, "", "Shard over several accounts."},
		{"total/no-rate", CannotTell, "No rate given.", ""},

		{"inserts/unknown", CannotTell, "{1}", "Name the column of insert times (--time COLUMN)."},
		{"inserts/file-order", "", "In the order of the file: {1}.", ""},
		{"inserts/spread", Good, "{1}", ""},
		{"inserts/tails", Good, "{1} {2}", ""},
		{"inserts/hot", Warning, "{1}", orderChange},
		{"inserts/full", "", "That place is full at {1} entities/s in all.", ""},
		{"inserts/over", Error, "At {1}/s the hottest place has {2}.", orderChange},
	}
}

// answerRows are the sentences of answers.
func answerRows() []row {
	return []row{
		{"why/line", "", "most attempts of phase {1} wait for the client's line", ""},
		{"why/seeds", "", "of {1} seeds some hold and some do not", ""},
		{"why/throttled", "", ": from {1|share} to {2|share} of the first attempts are throttled", ""},
		{"why/part", "", "only {1} operations were rehearsed; `loadgen simulate` runs all", ""},
		{"why/check", "", "a check has too few data", ""},
		{"why/tails", "", "inserts fall on {1} places, {2} of {3}/s on one; test with `--set start=cold`", ""},
		{"why/hot", "", "inserts are {1}, {2} of {3}/s at one place; test with `--set start=cold`", ""},

		{"answer/no-load", "", "No phase offers load", ""},
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
		{"limit/range busy", "", "the target of one range, which was not split", ""},
		{"limit/server busy", "", "the target of one server", ""},
		{"limit/moving", "", "the move of ranges", ""},
		{"limit/timed out", "", "the timeout", ""},
		{"limit/ingress busy", "", "the account's ingress", ""},
		{"limit/egress busy", "", "the account's egress", ""},

		{"keys/none", "", ": there are no keys", ""},
		{"keys/where", "", "where {1} is full", ""},
		{"keys/most", "", "at most {1}/s, where {2} is full", ""},
		{"keys/partition", "", "the most common partition", ""},
		{"keys/burst", "", "{1|key} in its busiest {2}", ""},
		{"keys/busiest", "", "The key {1|key} has {4|share} on average, {3|share} of the peak in its busiest {2}, from {5} on.", ""},
		{"keys/tail-burst", "", "the place of new keys in its busiest {1}", ""},
		{"keys/busiest-tail", "", "New keys at one place take {3|share} on average, {2|share} of the peak in their busiest {1}, from {4} on.", ""},
		{"keys/repeated", "", ": {1|share} of the inserts repeat a key", ""},
		{"keys/coarse", "", "the instants are multiples of {1}", ""},
		{"keys/place", "", "the place of new keys", ""},
		{"keys/tails", "", "the hottest of {1} places of inserts", ""},
		{"keys/account", "", "the account", ""},
		{"keys/top", "", "The most common key, {1|key}, has {2} of all entities.", ""},
		{"keys/untimed", "", "Insert times are unknown (--time COLUMN).", ""},
		{"keys/file-order", "", "Insert times are unknown (--time COLUMN); in the order of the file: {1}.", ""},
	}
}

// documentRows are the lines of documents.
func documentRows() []row {
	return []row{
		{"screen/run", "", "A run: {1} requests, {2} entities counted, about {3|bytes} sent, {4}", ""},
		{"screen/keys", "", "{1} partitions, as uneven as {2}; inserts: {3}", ""},
		{"screen/candidates", "", "at most/s: where a partition, a place, or the account is full", ""},
		{"basis/run", "", "Nothing was sent: {1}, {2}, {3} on the virtual clock.", ""},
		{"basis/keys", "", "Derived from the shares of rows.", ""},
		{"basis/timed", "", "Derived from the rows in time: their busiest second stands for the rate.", ""},
		{"basis/part", "", " A sample of the rows is judged.", ""},
		{"cost/requests", "", "requests: {1}, each billed; at most {2}", ""},
		{"cost/million", "", "requests for a million operations: {1}", ""},
		{"cost/entities", "", "entities counted: {1}", ""},
		{"cost/bytes", "", "bytes: about {1|bytes} sent, {2|bytes} received, without retries", ""},
		{"cost/length", "", "length: {1}, plus loading", ""},
		{"design/cannot", "", "It cannot serve the scenario: {1}", ""},
		{"load/clients", "", "{1} ask {2} times a second and wait {3} for answers.", ""},
		{"load/scans", "", "Queries of several partitions count {1} entities/s (+).", ""},
		{"load/unread", "", "{1}: what its queries read is unknown.", ""},
		{"load/elsewhere", "", "{1}: {2} of its requests go to queues or blobs.", ""},

		{"keys/like", "", "{1} equal ones", ""},
		{"keys/at-least-like", "", "at least {1} equal ones", ""},
		{"keys/unlisted", "", "A partition that is not listed has at most {1|share}.", ""},
		{"keys/shares", "", "Shares of all rows; full: if the share were the same at any time.", ""},
		{"keys/rows", "", "rows: {1} in {2}, {3} of them inserts; {4} counted", ""},
		{"keys/partitions", "", "partitions: {1}, as uneven as {2}", ""},
		{"keys/share", "", "largest share: {1}", ""},
		{"keys/inserts", "", "inserts: {1}", ""},
		{"keys/falling", "", "rows earlier than one before: {1}", ""},
		{"keys/ignored", "", "ignored columns: {1}", ""},
		{"keys/fault", "", "line {1}, {2|key}: {3}", ""},
	}
}

// find returns the row of a condition. A condition without a row is a fault of this package, and its own text.
func find(condition string) row {
	rows := narrative()
	if at := slices.IndexFunc(rows, func(r row) bool { return r.condition == condition }); at >= 0 {
		return rows[at]
	}
	return row{condition: condition, text: condition}
}

// sentence returns the sentence of a condition.
func sentence(condition string, values ...any) string {
	return document.Fill(find(condition).text, values...)
}

// newFinding returns the finding of a condition.
func newFinding(condition string, values ...any) Finding {
	r := find(condition)
	return Finding{Verdict: r.verdict, Evidence: document.Fill(r.text, values...), Change: document.Fill(r.change, values...)}
}

// extend adds a condition to a finding: its sentence, and its verdict and change if it has them.
func (f Finding) extend(condition string, values ...any) Finding {
	more := newFinding(condition, values...)
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
