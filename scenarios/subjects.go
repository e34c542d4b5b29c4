package scenarios

// subjects are the topics of the documents, in their order, each with the built-in scenarios
// that show no design pattern.
var subjects = [...]struct{ name, scenarios string }{
	{"Targets: 2,000 entities/s for a partition, 20,000 for an account", "stress stress-one-partition granularity account-ceiling account-added bytes-against-entities quiet-and-busy-server"},
	{"Range partitions, partition servers and load balancing", "simulate cold-table sporadic-faults retries-bridge-a-move hot-partition-starves-neighbours ramp priming ranges-merge-back"},
	{"Choosing a PartitionKey: append-only, prepend-only, random", "day-key user-id-key append-only foot-race"},
	{"Queries: point, row range scan, partition scan, table scan", "point-query row-range-scan partition-scan partition-range-scan table-scan range-against-scan or-is-a-partition-scan density projection-and-filter page-size saved-token token-per-partition"},
	{"Writes, entity group transactions and optimistic concurrency", "transactions common-entities upsert merge-or-replace scan-to-find lost-updates"},
	{"Retries and errors: 503, 500, 504, and which to retry", "retry-by-status"},
}

// patternSubjects are the topics of the documents' design patterns, each with rows of
// [PatternRows].
var patternSubjects = [...]struct {
	name string
	rows []string
}{
	{"Design patterns: secondary indexes and index entities", []string{"intra-partition secondary index", "inter-partition secondary index", "index entities", "two dominant queries"}},
	{"Design patterns: eventually consistent transactions", []string{"eventually consistent transactions", "bank transactions"}},
	{"Design patterns: denormalization, relationships and joins", []string{"denormalization", "summary entity", "compound key", "one-to-many", "one-to-one", "inheritance",
		"heterogeneous types", "client-side join"}},
	{"Design patterns: time and volume", []string{"log tail", "high volume delete", "data series", "wide entities", "large entities", "prepend/append anti-pattern", "log data anti-pattern"}},
	{"Performance and security: parallelism, signatures, encryption", []string{"parallel queries", "shared access signatures", "client-side encryption", "checklist"}},
}

// renamedExamples maps former names of built-in scenarios to their present names.
var renamedExamples = [...]struct{ was, is string }{
	{"or-trap", "or-is-a-partition-scan"},
	{"range-moved", "retries-bridge-a-move"},
	{"one-value-few-entities", "granularity"},
	{"one-value-many-entities", "granularity"},
	{"unique-values", "granularity"},
	{"two-servers", "hot-partition-starves-neighbours"},
	{"materialized-view", "summary-entity"},
	{"prefix", "compound-key"},
	{"prepend-only", "append-only"},
	{"row-key-alone", "table-scan"},
	{"index-list-full", "index-blob"},
	{"encryption-resolver", "client-side-encryption"},
	{"etag-by-verb", "lost-updates"},
	{"index-own-table", "orders-twice"},
	{"index-partial-copies", "denormalization"},
	{"eventual-transaction-workers", "eventual-transaction"},
	{"several-values", "granularity"},
}

// Subjects returns the topics of the built-in scenarios, in the order of the documents.
func Subjects() []string {
	var names []string
	for _, one := range subjects {
		names = append(names, one.name)
	}
	for _, one := range patternSubjects {
		names = append(names, one.name)
	}
	return names
}
