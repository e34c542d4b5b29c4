package scenarios

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// subjects are what the documents are about, in their order, with the built-in scenarios of
// each. Design patterns are a subject of their own, the last.
var subjects = [...]struct{ name, scenarios string }{
	{"Partitions and their targets", "stress stress-one-partition account-ceiling one-value-few-entities one-value-many-entities several-values unique-values"},
	{"Ranges, servers and load balancing", "simulate cold-table range-moved two-servers ramp priming"},
	{"Choosing a PartitionKey", "day-key user-id-key append-only prepend-only foot-race"},
	{"Queries, from the best to the worst", "point-query row-range-scan prefix partition-scan partition-range-scan table-scan row-key-alone range-against-scan or-trap density projection-and-filter page-size saved-token"},
	{"Writes, transactions and concurrency", "transactions common-entities upsert merge-or-replace scan-to-find lost-updates"},
}

// patternSubject is that of the documents' design patterns.
const patternSubject = "Design patterns"

// Subjects returns what the built-in scenarios are about, in the order of the documents.
func Subjects() []string {
	var names []string
	for _, one := range subjects {
		names = append(names, one.name)
	}
	return append(names, patternSubject)
}

// place returns the subject of a built-in scenario and where it stands in it, by the order of
// the documents; the subject is empty of one that has none.
func place(s *Scenario) (subject string, at int) {
	if s.Pattern != nil {
		return patternSubject, slices.Index(PatternRows(), s.Pattern.Row)
	}
	for _, one := range subjects {
		if at := slices.Index(strings.Fields(one.scenarios), s.Name); at >= 0 {
			return one.name, at
		}
	}
	return "", 0
}

// synonyms are what people call things that the library calls otherwise.
var synonyms = [...]struct{ asked, called string }{
	{"sas", "shared access signature"}, {"egt", "transaction"}, {"entity group", "transaction"}, {"batch", "transaction"},
	{"optimistic", "etag"}, {"if-match", "etag"}, {"412", "etag"}, {"tcp_nodelay", "nagle"}, {"keep-alive", "nagle"},
	{"hot", "busiest"}, {"hotspot", "busiest"}, {"salt", "bucket"}, {"guid", "unique"}, {"uuid", "unique"},
	{"pagination", "page"}, {"continuation", "page"}, {"cqrs", "summary"}, {"materialized", "summary"}, {"aggregate", "summary"},
	{"saga", "eventual"}, {"outbox", "eventual"}, {"ttl", "high-volume-delete"}, {"retention", "high-volume-delete"},
	{"timeseries", "series"}, {"time series", "series"},
	{"encryption", "sealed"}, {"503", "throttled"}, {"pre-split", "priming"}, {"autoscale", "ramp"}, {"full scan", "table-scan"}, {"odata", "query"},
	{"reverse", "inverted"}, {"tick", "inverted tick"}, {"polymorphi", "heterogeneous"},
}

// Search returns the built-in scenarios that speak of something, by a word of theirs or by what
// else it is called: those that are called so first, then those that are about it, then those
// whose comments mention it; each lot in the order of the documents. The error is [Faults].
func Search(term string) ([]Entry, error) {
	all, err := Catalogue()
	if err != nil {
		return nil, err
	}
	patterns := patternsOf(term)
	var found []Entry
	near := make(map[string]int)
	for _, one := range all {
		if at := nearness(one, patterns); at >= 0 {
			near[one.Name] = at
			found = append(found, one)
		}
	}
	slices.SortStableFunc(found, func(a, b Entry) int { return cmp.Compare(near[a.Name], near[b.Name]) })
	return found, nil
}

// patternsOf returns what a term is found by: the beginning of a word, whatever its case.
func patternsOf(term string) []*regexp.Regexp {
	called := []string{strings.ToLower(strings.TrimSpace(term))}
	for _, one := range synonyms {
		if one.asked == called[0] {
			called = append(called, one.called)
		}
	}
	var patterns []*regexp.Regexp
	for _, one := range called {
		words := strings.Fields(one)
		for i := range words {
			words[i] = regexp.QuoteMeta(words[i])
		}
		patterns = append(patterns, regexp.MustCompile(`(?i)(^|[^\pL\d])`+strings.Join(words, `[\s#-]+`)))
	}
	return patterns
}

// nearness says where a scenario speaks of something: 0 in its name or pattern, 1 in what it
// is about, 2 in its text; -1 nowhere.
func nearness(one Entry, patterns []*regexp.Regexp) int {
	name, about := one.Name, one.About
	if one.Pattern != nil {
		name, about = name+" "+one.Pattern.Row, about+" "+one.Pattern.Buys+" "+one.Pattern.Costs
	}
	if one.AntiPattern != nil {
		about += " " + *one.AntiPattern
	}
	text, _ := builtin(one.Name)
	for i, where := range []string{name, about, string(text)} {
		if slices.ContainsFunc(patterns, func(p *regexp.Regexp) bool { return p.MatchString(where) }) {
			return i
		}
	}
	return -1
}
