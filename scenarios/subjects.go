package scenarios

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// subjects are what the documents are about, in their order and by their terms, with the
// built-in scenarios of each that show no design pattern.
var subjects = [...]struct{ name, scenarios string }{
	{"Partitions and their targets: 2,000 entities/s each, 20,000 an account", "stress stress-one-partition granularity several-values account-ceiling account-added bytes-against-entities quiet-and-busy-server"},
	{"Range partitions, partition servers and load balancing", "simulate cold-table sporadic-faults retries-bridge-a-move hot-partition-starves-neighbours ramp priming ranges-merge-back"},
	{"Choosing a PartitionKey: append-only, prepend-only, random", "day-key user-id-key append-only prepend-only foot-race"},
	{"Queries: point, row range scan, partition scan, table scan", "point-query row-range-scan prefix partition-scan partition-range-scan table-scan row-key-alone range-against-scan or-is-a-partition-scan density projection-and-filter page-size saved-token token-per-partition"},
	{"Writes, entity group transactions and optimistic concurrency", "transactions common-entities upsert merge-or-replace scan-to-find lost-updates etag-by-verb"},
	{"Retries and errors: 503, 500, 504; what is tried again", "retry-by-status"},
}

// patternSubjects are those of the documents' design patterns, each with some of
// [PatternRows].
var patternSubjects = [...]struct {
	name string
	rows []string
}{
	{"Design patterns: secondary indexes and index entities", []string{"intra-partition secondary index", "inter-partition secondary index", "index entities", "two dominant queries"}},
	{"Design patterns: eventually consistent transactions", []string{"eventually consistent transactions", "bank transactions"}},
	{"Design patterns: denormalization, relationships and joins", []string{"denormalization", "summary entity", "materialized view", "compound key", "one-to-many", "one-to-one", "inheritance",
		"heterogeneous types", "client-side join"}},
	{"Design patterns: time and volume", []string{"log tail", "high volume delete", "data series", "wide entities", "large entities", "prepend/append anti-pattern", "log data anti-pattern"}},
	{"Performance and security: parallelism, signatures, encryption", []string{"parallel queries", "shared access signatures", "client-side encryption", "checklist"}},
}

// renamedExamples are built-in scenarios that were called otherwise.
var renamedExamples = [...]struct{ was, is string }{
	{"or-trap", "or-is-a-partition-scan"},
	{"range-moved", "retries-bridge-a-move"},
	{"one-value-few-entities", "granularity"},
	{"one-value-many-entities", "granularity"},
	{"unique-values", "granularity"},
	{"two-servers", "hot-partition-starves-neighbours"},
}

// Subjects returns what the built-in scenarios are about, in the order of the documents.
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

// synonyms are what people call things that the library calls otherwise.
var synonyms = [...]struct{ asked, called string }{
	{"sas", "shared access signature"}, {"egt", "transaction"}, {"entity group", "transaction"}, {"batch", "transaction"},
	{"optimistic", "etag"}, {"if-match", "etag"}, {"412", "etag"}, {"tcp_nodelay", "nagle"}, {"keep-alive", "nagle"},
	{"hot", "busiest"}, {"hotspot", "busiest"}, {"salt", "bucket"}, {"guid", "unique"}, {"uuid", "unique"},
	{"pagination", "page"}, {"continuation", "page"}, {"cqrs", "summary"}, {"materialized", "summary"}, {"aggregate", "summary"},
	{"dead client", "clients that die"}, {"inconsistent", "repair"}, {"saga", "eventual"}, {"outbox", "eventual"}, {"ttl", "high-volume-delete"}, {"retention", "high-volume-delete"},
	{"timeseries", "series"}, {"time series", "series"},
	{"encryption", "sealed"}, {"503", "throttled"}, {"pre-split", "priming"}, {"autoscale", "ramp"}, {"full scan", "table-scan"}, {"odata", "query"},
	{"reverse", "inverted"}, {"tick", "inverted tick"}, {"polymorphi", "heterogeneous"},
}

// Search returns the built-in scenarios that speak of something, by a word of theirs or by what
// else it is called: those that are called so first, then those that are about it, then those
// whose comments mention it; each lot in the order of the documents. The error is [loadgen/scenarios/fields.Faults].
func Search(term string) ([]Entry, error) {
	all, err := Catalogue()
	if err != nil {
		return nil, err
	}
	return search(all, term), nil
}

// search returns those of some scenarios that speak of something, as [Search] does.
func search(all []Entry, term string) []Entry {
	called := []string{strings.ToLower(strings.TrimSpace(term))}
	for _, one := range synonyms {
		if one.asked == called[0] {
			called = append(called, one.called)
		}
	}
	// What is looked for is the beginning of a word, whatever its case.
	var patterns []*regexp.Regexp
	for _, one := range called {
		words := strings.Fields(one)
		for i := range words {
			words[i] = regexp.QuoteMeta(words[i])
		}
		patterns = append(patterns, regexp.MustCompile(`(?i)(^|[^\pL\d])`+strings.Join(words, `[\s#-]+`)))
	}
	var found []Entry
	near := make(map[string]int)
	for _, one := range all {
		name, about := one.Name, one.About
		if one.Pattern != nil {
			name, about = name+" "+one.Pattern.Row, about+" "+one.Pattern.Buys+" "+one.Pattern.Costs
		}
		if one.AntiPattern != nil {
			about += " " + *one.AntiPattern
		}
		text, _ := builtin(one.Name)
		at := slices.IndexFunc([]string{name, about, string(text)}, func(where string) bool {
			return slices.ContainsFunc(patterns, func(p *regexp.Regexp) bool { return p.MatchString(where) })
		})
		if at >= 0 {
			near[one.Name] = at
			found = append(found, one)
		}
	}
	slices.SortStableFunc(found, func(a, b Entry) int { return cmp.Compare(near[a.Name], near[b.Name]) })
	return found
}
