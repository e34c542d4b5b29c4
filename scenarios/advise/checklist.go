package advise

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"loadgen/report/document"
)

// rule is one row of the checklist. When a condition holds, its point has the verdict, the text and the change.
//
// A condition is a list of terms that all hold: a figure that is not 0 or empty, one with ! that is, or a
// comparison with a number or another figure. The first rule of a point that holds makes its finding. Later
// ones with + before the condition extend it: they add their text, and replace its verdict and change if they
// have one. Texts have figures in braces, in the formats of [document.Fill].
type rule struct {
	point, when  string
	verdict      Verdict
	text, change string
}

// figures are what the rules name.
type figures map[string]any

var (
	termForm   = regexp.MustCompile(`^(!?)([a-z-]+)(?:(>=|<=|>|<)(.+))?$`)
	figureForm = regexp.MustCompile(`\{([a-z]+(?:-[a-z]+)*)((?:\|[a-z]+)?)\}`)
)

// number returns a figure as a number, 1 for one that is there.
func (f figures) number(name string) float64 {
	switch value := f[name].(type) {
	case int:
		return float64(value)
	case int64:
		return float64(value)
	case float64:
		return value
	case document.Ratio:
		return value.Part / max(value.Whole, 1e-9)
	case nil, bool, string:
		if value == nil || value == false || value == "" {
			return 0
		}
	}
	return 1
}

// matches reports whether all terms of a condition hold.
func (f figures) matches(condition string) bool {
	for term := range strings.SplitSeq(condition, ", ") {
		parts := termForm.FindStringSubmatch(term)
		if parts == nil {
			continue // no condition
		}
		value := f.number(parts[2])
		limit, err := strconv.ParseFloat(parts[4], 64)
		if err != nil {
			limit = f.number(parts[4])
		}
		if !map[string]bool{"": (value != 0) == (parts[1] == ""), ">=": value >= limit, "<=": value <= limit, ">": value > limit, "<": value < limit}[parts[3]] {
			return false
		}
	}
	return true
}

// fill returns a text with figures.
func (f figures) fill(text string) string {
	return figureForm.ReplaceAllStringFunc(text, func(found string) string {
		parts := figureForm.FindStringSubmatch(found)
		return document.Fill("{1"+parts[2]+"}", f[parts[1]])
	})
}

// judge returns the finding of each point of some rules, in their order.
func (f figures) judge(rules []rule) (list []Finding) {
	for i := range rules {
		r, last := &rules[i], len(list)-1
		when, extends := strings.CutPrefix(r.when, "+")
		judged := last >= 0 && list[last].ID == r.point
		if judged != extends || judged && list[last].Verdict == NotApplicable || !f.matches(when) {
			continue
		}
		if !judged {
			list = append(list, Finding{ID: r.point})
			last++
		}
		one := &list[last]
		one.Evidence = strings.TrimSpace(one.Evidence + " " + f.fill(r.text))
		if r.verdict != "" {
			one.Verdict = r.verdict
		}
		if r.change != "" {
			one.Change = f.fill(r.change)
		}
	}
	for i := range list {
		if v := list[i].Verdict; v == Good || v == NotApplicable {
			list[i].Change = ""
		}
	}
	return list
}

// These changes belong to several rules.
const (
	orderChange = "Begin the PartitionKey with a user or hash, not a time."
	skewChange  = "Add a bucket ({hash(user,16):02d}) or attribute to the PartitionKey."
	splitChange = "Form the PartitionKey from more attributes, or finer ones."
	lineChange  = "Project, use more machines, or compress large values."
	roomChange  = "Use more accounts, or keep large values in blobs."
)

// checklist returns the rules of the documents' performance checklist for a scenario, in the order of the report.
func checklist() []rule {
	return slices.Concat(placementRules(), operationRules(), clientRules())
}

// without returns the rule for a point that does not apply for want of something.
func without(point, when, what string) rule {
	return rule{point, when, NotApplicable, fmt.Sprintf("No %s.", what), ""}
}

func placementRules() []rule {
	return slices.Concat([]rule{
		without("partition-target", "!load", "load"),
		without("partition-target", "!target", "limit"),
		{"partition-target", "!placed", NotApplicable, "See scans.", ""},
		{"partition-target", "", Good, "Partition {hot-key|key}: {hot} entities/s in phase {hot-phase}, {hot-part|part} of its target of {target}.", ""},
		{"partition-target", "+hot-part>=0.8", Warning, "", splitChange},
		{"partition-target", "+hot-part>1", Error, "", ""},
		{"partition-target", "+scans", "", "Queries of several partitions count {scans} more.", ""},
		{"partition-target", "+scans, hot-part<0.8, hot-and-scans>1", Note, "", "See scans."},
		{"partition-target", "+hot-part>=0.8, named", "", "", "Offer less to each, or name more."},
		{"partition-target", "+hot-part>=0.8, other", "", "", "Use design {other}: it holds, {other-hot} entities/s at its hottest."},

		without("account-target", "!load", "load"),
		without("account-target", "!account", "limit"),
		{"account-target", "", Good, "The busiest of {all-accounts}: {busy} entities/s in phase {busy-phase}, {busy-part|part} of its target of {account}.", ""},
		{"account-target", "+busy-part>=0.8", Warning, "", "Shard over more accounts (accounts: {number: 2})."},
		{"account-target", "+busy-part>1", Error, "", ""},
		{"account-target", "+busy-part>=0.8, most-read", "", "", "Read less in {most-read}: it counts {most-read-rate} of these entities/s."},

		without("insert-order", "!inserting", "inserts"),
		{"insert-order", "order-unknown", CannotTell, "{order}", ""},
		{"insert-order", "tails, target", Good, "{order} {order-capacity} At the peak: {inserts} inserts/s.", ""},
		{"insert-order", "+tails, target, inserts>target", Note, "", ""},
		{"insert-order", "+tails, target, tail-part>=0.8", Warning, "", orderChange},
		{"insert-order", "+tails, target, tail-part>1", Error, "", orderChange},
		{"insert-order", "!order-hot", Good, "{order}", ""},
		{"insert-order", "order-hot", Warning, "{order} At the peak: {inserts} inserts/s.", orderChange},
		{"insert-order", "+order-hot, target, once-part>=0.5", Error, "", ""},

		without("skew", "!load", "load"),
		{"skew", "named", NotApplicable, "Named partitions.", ""},
	}, skewRules(), []rule{
		{"padding", "!unpadded", Good, "Numbers in keys sort in order.", ""},
		{"padding", "", Note, "In {unpadded} {pad-template|key} {placeholder} puts {larger} before {smaller}; {reader} reads in that order.",
			"Pad it: {padded|key}, which has room for {pad-room}."},
		{"padding", "+read-in-order", Warning, "", ""},

		without("sharding", "!load", "load"),
		{"sharding", "accounts>1", Good, "{accounts} accounts share the load; the busiest counts {busy} entities/s.", ""},
		{"sharding", "!account", NotApplicable, "One suffices.", ""},
		{"sharding", "busy-part<0.8", NotApplicable, "One suffices.", ""},
		{"sharding", "", Note, "{accounts-needed} accounts suffice; a region has 250 by default.", "accounts: {number: {accounts-needed}}"},

		{"cold-start", "!cold", NotApplicable, "Warm start.", ""},
		without("cold-start", "!load", "load"),
		{"cold-start", "", Note, "A new table is one range until minutes of overload.", ""},
		{"cold-start", "+target, busy>target", Warning, "The peak of {busy} entities/s exceeds its target.", "Raise the load slowly; preloading does not help."},

		{"burst", "burst", Note, "Phase {burst} jumps from {burst-base}/s to {burst-peak}/s every {burst-every} for {burst-length}.",
			"Expect throttling after each; prefer a ramp."},
		without("burst", "!load", "load"),
		{"burst", "", Good, "No bursts.", ""},
	})
}

// skewRules judge the most common partition of a load or of the keys of a file.
func skewRules() []rule {
	return []rule{
		{"skew", "partitions>=1, partitions<=1", Warning, "All of {skew-of} falls on one partition.", skewChange},
		{"skew", "", Good, "{top} of {skew-of} falls on one of {partition-count} partitions, as uneven as {like}.", ""},
		{"skew", "+partitions>1, full-below-account", Note, "It is full at {skew-full} entities/s in all, the account at {all-targets}.", ""},
		{"skew", "+partitions>1, full-at-all, top-least>=0.5", Warning, "", skewChange},
	}
}

func operationRules() []rule {
	return []rule{
		without("point-queries", "!reads", "reads"),
		{"point-queries", "", Good, "{points|share} of the reads use both keys.", ""},
		{"point-queries", "+points<0.5", Note, "", "Form keys from what frequent reads know."},
		{"point-queries", "+points<0.5, worst-scans", Warning, "", ""},

		without("scans", "!reads", "reads"),
		{"scans", "!scan", Good, "No scans.", ""},
		{"scans", "", Good, "{scan} is a {scan-class}: {scan-entities} entities in {scan-requests}, {scan-rate} entities/s at the peak.{scan-why}",
			"Begin the keys of a design or copy with what {scan} knows."},
		{"scans", "+scan-entities>1000", Note, "", ""},
		{"scans", "+scan-of-several", Note, "", ""},
		{"scans", "+scan-of-several, scan-entities>1000", Warning, "", ""},
		{"scans", "+scan-of-table", Warning, "", ""},
		{"scans", "+scan-of-table, account, scan-part>=0.5", Error, "", ""},

		{"density", "!narrowed, unmeasured", CannotTell, "Too few entities for {unmeasured}.", ""},
		without("density", "!narrowed", "ranges"),
		{"density", "!density", Good, "Queries want all that they read.", ""},
		{"density", "", Good, "{thin} wants {density|share} of what it reads: about {for-one} entities for a result, {thin-rate}/s at the peak.",
			"Form the keys from what {thin} knows: filtered entities count."},
		{"density", "+density, density<0.1", Warning, "", ""},
		{"density", "+density, density<0.01, thin-rate>target", Error, "", ""},

		without("projection", "!query", "queries"),
		{"projection", "query-bytes<65536", Good, "Queries return at most {query-bytes|bytes} on average.", ""},
		{"projection", "", Note, "{query} returns about {query-bytes|bytes} of whole entities.", "Select the needed properties: fewer bytes, the same count."},

		{"denormalization", "copies", Note, "Each entity has {all-copies}: a write counts for each.", "Let readers tolerate missing or old copies."},
		without("denormalization", "!unserved", "copies"),
		{"denormalization", "", Note, "No keys serve {unserved}.", "Add a copy with a PartitionKey from {{unserved-by}}: two writes, no scan."},

		{"scan-to-write", "!lookup", Good, "Writes use the key.", ""},
		{"scan-to-write", "lookup-rank<=1", Note, "{lookup} asks for a key that it can form.", "Write without asking (omit by)."},
		{"scan-to-write", "", Warning, "{lookup} finds its key by a {lookup-class} of {lookup-entities} entities.", "Form or keep the key where the write begins."},
		{"scan-to-write", "+lookup-rank>1, lookup-rank<=2", Note, "", ""},
		{"scan-to-write", "+lookup-rank>=5", Error, "", ""},

		{"batches", "few", Note, "{few} writes {few-entities} entities in a transaction of up to 100.", "Write more at a time: fewer requests."},
		without("batches", "!single", "inserts"),
		{"batches", "", Good, "One partition takes up to {single-rate} single inserts a second ({single}).", ""},
		{"batches", "+!few, single-rate>=10", Note, "", "A transaction of up to 100 is one request."},

		{"upserts", "guarded", Warning, "{guarded} reads before an upsert: two requests for one.", "Omit read_first, or merge."},
		without("upserts", "!updates", "updates"),
		{"upserts", "", Good, "No read before an upsert.", ""},

		{"entity-size", "", Good, "The largest sample: {size|bytes}.{drawn-size}", ""},
		{"entity-size", "+size>1024, size<=65536", Note, "The targets assume 1 KiB.", ""},
		{"entity-size", "+size>65536", Warning, "", "Keep large values in a blob, and its address here."},

		{"series", "series-workflow, series-each>1", Good, "{series-workflow} keeps {series-each} values in an entity.", ""},
		{"series", "series-workflow", Warning, "{series-workflow} keeps each value in an entity of its own.", "Keep the values of a period in one entity: per-entity: 24."},
		without("series", "!series-time", "RowKey by time"),
		{"series", "size<=256, read-together>=10", Warning, "{together} reads {read-together} entities of up to {size|bytes} together, in the order of {{series-time}}.",
			"Store what is read together in one entity."},
		{"series", "size<=256", Note, "RowKeys sort by {{series-time}}, and entities have only {size|bytes}.", "Store what is read together in one entity."},
		{"series", "read-together", Good, "{together} reads {read-together} entities of up to {size|bytes} together.", ""},
		{"series", "", CannotTell, "RowKeys sort by {{series-time}}; what is read together is unknown.", ""},

		{"logs", "log-workflow", Good, "{log-workflow} keeps a log in blobs.", ""},
		{"logs", "log-time, order-hot", Note, "Phase {insert-phase} inserts {inserts} a second in the order of time.", "A log is cheaper in blobs, one for each {{log-time}}."},
		{"logs", "+log-time, !log-workflow, !updates, !keyed-reads, target, once-part>=0.8", Warning, "", ""},
		{"logs", "+log-time, !log-workflow, !updates, !keyed-reads, target, once-part>1", Error, "", ""},
		{"logs", "inserting, series-time, !updates, !keyed-reads", CannotTell,
			"Entities are inserted in the order of {{series-time}} and neither changed nor read by key: whether they are a log is unknown.", ""},
		without("logs", "", "log"),
	}
}

func clientRules() []rule {
	return []rule{
		{"retries", "!retries", Warning, "Throttled requests are not retried.", "retry: documented, unless you count each refusal."},
		{"retries", "", Good, "Policy {policy} retries up to {retries-times}, first after {least-wait} to {most-wait}.{own-retries}", ""},
		{"retries", "+equal-waits", Note, "", "Use random waits: retry: documented."},
		{"retries", "+constant-waits", Note, "", "Use growing waits: retry: documented."},

		without("not-retryable", "!retries", "retries"),
		{"not-retryable", "wrong-codes", Warning, "Policy {policy} retries {wrong-codes}, which fail again.", "Retry timeouts and throttling only."},
		{"not-retryable", "", Good, "Only timeouts and throttling are retried.", ""},

		{"client-library", "language", Good, "Policy {policy} is that of the Azure SDK for {language}.", ""},
		{"client-library", "retired", Warning, "Policy {policy} is of a retired client.", "Use the current client: retry: azure-core-net."},
		{"client-library", "", CannotTell, "Policy {policy} belongs to no client library.", ""},

		without("parallelism", "!requests", "load"),
		{"parallelism", "partition-bound, fit, partition-bound>fit", Error, "At most {partition-bound} requests are under way at one partition; {fit} reach its target.",
			"Lower client.parallel.partition."},
		{"parallelism", "partition-bound, fit", Good, "At most {partition-bound} requests are under way at one partition; {fit} reach its target.", ""},
		{"parallelism", "clients, fit, in-flight>fit", Error, "{all-clients} have about {in-flight} requests at one partition at a time; {fit} reach its target.",
			"Bound the requests at one partition, or spread them."},
		{"parallelism", "clients, fit", Good, "{all-clients} have about {in-flight} requests at one partition at a time; {fit} reach its target.", ""},
		{"parallelism", "clients", Good, "{all-clients} bound the requests under way.", ""},
		{"parallelism", "account-bound", Good, "At most {account-bound} requests are under way at one account.", ""},
		{"parallelism", "!workers", CannotTell, "Nothing bounds the requests under way: workers is not set.", ""},
		{"parallelism", "", Good, "At most {all-workers} at once suffice for {requests} requests/s below {each-takes} each.", ""},
		{"parallelism", "+workers, !clients, worker-seconds<0.01", Warning, "", "Raise workers, or the generator is the limit."},

		without("account-bytes", "!sent", "load"),
		{"account-bytes", "!account-out", CannotTell, "An account receives about {account-in|bytes}/s, {in-limit}; all was throttled.", ""},
		{"account-bytes", "", Good, "An account receives about {account-in|bytes}/s, {in-limit}, and sends {account-out|bytes}/s, {out-limit}.", ""},
		{"account-bytes", "+bytes-part>=0.8", Warning, "", roomChange},
		{"account-bytes", "+bytes-part>1", Error, "", ""},

		without("capacity", "!capacity", "limit"),
		{"capacity", "loaded-part>=1", Error, "{loaded|bytes} are loaded, more than {all-capacity}.", roomChange},
		{"capacity", "!filled-in", Good, "{loaded|bytes} are loaded, {loaded-part|part} of {all-capacity}; nothing is inserted.", ""},
		{"capacity", "", Good, "{most-inserts} entities/s of {entity-bytes|bytes}, copies included, fill {all-capacity} in {filled-in}.",
			"Delete old tables, or use more accounts."},
		{"capacity", "+filled-in, days<1095", Note, "", ""},
		{"capacity", "+filled-in, days<30", Warning, "", ""},

		without("bandwidth", "!sent", "load"),
		{"bandwidth", "!line", Good, "About {both|bytes}/s, {usual-part|part} of 1 Gbit/s.", lineChange},
		{"bandwidth", "+!line, usual-part>=0.8", Warning, "", ""},
		{"bandwidth", "", Good, "About {sent|bytes}/s sent, {sent-part|part} of {line|bytes}/s of {machines}; {received|bytes}/s received, {received-part|part}.", lineChange},
		{"bandwidth", "+line, line-part>=0.8", Warning, "", ""},
		{"bandwidth", "+line, line-part>1", Error, "", ""},

		without("wire", "!connections", "load"),
		{"wire", "", Good, "Phase {busy-phase} needs about {all-connections} for requests of {request-takes}: 2 carry {two-carry}/s, 10 carry {ten-carry}/s. " +
			"Request: {request|bytes}; reply: {reply|bytes}.", ""},
		{"wire", "+workers, workers<connections", Warning, "", "Raise workers to at least {connections}."},

		{"location", "!located", CannotTell, "Unknown: `loadgen doctor` measures the link.", ""},
		{"location", "", Good, "Round trip {round-trip}{region}, write {write-takes}{packet-loss}.", ""},
		{"location", "+lossy", Warning, "", "Use a better or shorter link."},
		{"location", "+far", Warning, "", "Run the clients in the account's region."},

		{"direct-access", "proxied", Warning, "Operation {proxied} reads through a proxy.", "Issue signatures (SAS), with CORS for browsers."},
		{"direct-access", "direct", Good, "Operation {direct} reads by signature, without a proxy.", ""},
		without("direct-access", "", "proxy"),
	}
}

// keyRules judge the keys of a file.
func keyRules() []rule {
	return slices.Concat([]rule{
		{"valid-keys", "!invalid", Good, "Every key is valid.", ""},
		{"valid-keys", "", Error, "{invalid} of {all-rows} rows have an invalid key, first line {fault-line}, {fault-key|key}: {fault}.", "Replace or encode it."},

		without("unique-keys", "!keyed", "RowKeys"),
		{"unique-keys", "!repeated", Good, "The keys of {keyed} inserts are unique.", ""},
		{"unique-keys", "", Error, "Of {keyed} inserts {repeated} have the keys of an earlier row: they fail (409), or overwrite it as upserts.",
			"Add what distinguishes such rows to the RowKey."},
		{"unique-keys", "+identical", "", "{identical} of these rows are duplicates: they equal an earlier row in every column.",
			"Remove the duplicate rows, and add what distinguishes the others to the RowKey."},
		{"unique-keys", "+identical, identical>=repeated", "", "", "Remove the duplicate rows: no RowKey distinguishes them."},
		{"unique-keys", "+repeated, keyed<inserts", "", "Only the first {keyed} were compared.", ""},

		without("partition-target", "!entities", "entities"),
		{"partition-target", "!rate", CannotTell, "One partition is full at {full} entities/s in all.", "Give the rate of all entities: --rate 3000."},
		{"partition-target", "!target", NotApplicable, "No limit.", ""},
		{"partition-target", "", Good, "Of {rate} entities/s one partition has {hot}, {hot-part|part} of its target of {target}.", splitChange},
		{"partition-target", "+rate, hot-part>=0.8", Warning, "", ""},
		{"partition-target", "+rate, hot-least>1", Error, "", ""},
		{"partition-target", "+rate, burst", "", "{burst-key|key} has {burst-share|share} of the peak in its busiest {burst-window}, from {burst-from} on; {burst-average|share} on average.", ""},

		{"account-target", "!rate", CannotTell, "No rate given.", ""},
		{"account-target", "", Good, "{rate} entities/s are {rate-part|part} of the account's target of {account}.", "Shard over two accounts in time."},
		{"account-target", "+rate, rate-part>=0.8", Warning, "", ""},
		{"account-target", "+rate, rate-part>1", Error, "", "Shard over several accounts."},

		without("insert-order", "!inserts", "inserts"),
		{"insert-order", "order-unknown", CannotTell, "{order}", "Name the column of insert times (--time COLUMN)."},
		{"insert-order", "+order-unknown, file-order", "", "In the order of the file: {file-order}.", ""},
		{"insert-order", "tails", Good, "{order} {order-capacity}", ""},
		{"insert-order", "+tails, place-full, place-full<account", Warning, "", orderChange},
		{"insert-order", "!order-hot", Good, "{order}", ""},
		{"insert-order", "order-hot", Warning, "{order}", orderChange},
		{"insert-order", "+order-hot, place-full", "", "That place is full at {place-full} entities/s in all.", ""},
		{"insert-order", "+placed, rate, place>target", Error, "At {rate}/s the hottest place has {place}.", orderChange},

		without("skew", "!entities", "entities"),
	}, skewRules())
}
