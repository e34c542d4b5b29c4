package coverage_test

import (
	"slices"
	"strings"
	"testing"

	"loadgen/scenarios"
	"loadgen/scenarios/run"
)

// mutant is an example of the library with one mechanism broken, for a check that the
// example's anti-pattern does not promise to fail: a check that nothing can make fail says
// nothing.
type mutant struct {
	example, kills string
	// breaks says what is broken, set how.
	breaks string
	set    []string
}

// mutants are one for each check that no anti-pattern promises to fail.
func mutants() []mutant {
	return slices.Concat(mutantsOfPartitions(), mutantsOfQueries(), mutantsOfWrites(), mutantsOfIndexes(), mutantsOfPatterns(), mutantsOfRelations())
}

func mutantsOfPartitions() []mutant {
	const race = "2011 New York City Marathon__Full"
	return []mutant{
		{"bytes-against-entities", "offered(account) < 600", "more is asked for", []string{"phases.store.arrivals.constant=700"}},
		{"bytes-against-entities", "offered(hottest) < 20", "there are four customers", []string{"attributes.customer={uniform: [1000, 1003]}"}},
		{"checklist-parallelism", "served(night) > 1500", "too few requests are under way", []string{"phases.night.clients=40"}},
		{"cold-table", "throttled(early) > 50%", "the table is no new one", []string{"start=warm"}},
		{"far-client", "throttled == 0", "the account bears less", []string{"model.account_target=500"}},
		{"foot-race", "p50(list) < 200ms", "a list is a scan of the table", []string{"use=guid", "model.partition_target=0", "model.account_target=0",
			"phases.rush.operations.register.weight=20", "phases.rush.arrivals.constant=200", "phases.rush.for=5s"}},
		{"granularity", "throttled(few) < 1%", "a partition bears less than a few", []string{"model.partition_target=4", "model.partition_burst=250ms"}},
		{"granularity", "requests(pair) == operations(pair)", "what is throttled is sent again", []string{"use=one-value", "retry=short"}},
		{"hot-partition-starves-neighbours", `served("` + race + `", rush) > 0.9 * offered("` + race + `", rush)`, "a server bears less than the full distance",
			[]string{"model.server_target=20"}},
		{"partition-range-scan", "splits(spreading) >= 4", "overload is never seen", []string{"model.detection=1h"}},
		{"priming", "splits(prime) >= 3", "overload is never seen", []string{"model.detection=1h"}},
		{"ramp", "splits >= 3", "overload is never seen", []string{"model.detection=1h"}},
		{"ranges-merge-back", "splits(busy) >= 3", "overload is never seen", []string{"model.detection=1h"}},
		{"retries-bridge-a-move", "moves(orders) >= 1", "overload is never seen", []string{"model.detection=1h"}},
		{"retries-bridge-a-move", "offline(orders) >= 5s", "a range is handed over within a second", []string{"model.offline_least=1s", "model.offline_most=1s"}},
		{"retries-bridge-a-move", "lost_writes == 0", "clients write over what others have written",
			[]string{"phases=[{name: load, load: {entities: 5}}, {name: orders, traffic: {partitions: 1, arrivals: {poisson: 60}, for: 20s, operations: [{name: order, verb: merge, read_first: true, counter: Orders, blind: true}]}}]",
				"design={partition_key: orders, row_key: \"{number}\"}", "start=warm"}},
		{"sporadic-faults", "throttled(reading) > 6%", "faults are rarer", []string{"faults.0.share=1%"}},
		{"sporadic-faults", "throttled(reading) < 10%", "faults are commoner", []string{"faults.0.share=20%"}},
		{"stress-one-partition", "throttled(peak 1500/s) < 1%", "the partition bears less", []string{"model.partition_target=1200"}},
		{"stress-one-partition", "saturation > 1980", "the partition bears less", []string{"model.partition_target=1800"}},
		{"stress-one-partition", "saturation < 2020", "the partition bears more", []string{"model.partition_target=2200"}},
		{"thin-line", "throttled == 0", "the partition bears less", []string{"model.partition_target=200"}},
		{"thin-line", "served(show) > 399", "the partition bears less", []string{"model.partition_target=390"}},
	}
}

// pages makes a scan's page end early.
const pages = "model.page_time=100ms"

func mutantsOfQueries() []mutant {
	return []mutant{
		{"density", "counted(filtered) == 1000 * operations(filtered)", "half of the entities are there", []string{"phases.load.load.entities=5000"}},
		{"density", "counted(filtered) / returned(filtered) >= 70", "there are twenty days", []string{"attributes.day={partitions: 20, rows: 500}"}},
		{"log-tail", "counted(last-ten) == returned(last-ten)", "a filter drops claims", []string{
			"phases.day.operations=[{name: submit, verb: insert}, {name: last-ten, verb: query, by: [employee], where: \"RowKey ge '3'\", top: 10, pages: 1}]"}},
		{"log-tail", "requests(last-ten) == operations(last-ten)", "five are read at a time", []string{
			"phases.day.operations=[{name: submit, verb: insert}, {name: last-ten, verb: query, by: [employee], top: 5, pages: 2}]"}},
		{"or-is-a-partition-scan", "requests(look) == operations(look)", "the partition is read in pages", []string{
			`phases.compare.operations=[{name: look, verb: query, class: partition-scan, top: 100}]`, "model.partition_target=0"}},
		{"page-size", "counted(export) == 1000 * operations(export)", "some entities are not there", []string{"phases.load.load.entities=9000"}},
		{"page-size", "ok(screen) == operations(screen)", "the screen reads two pages", []string{"phases.read.operations.screen.pages=2"}},
		{"point-query", "returned(look) == operations(look)", "what is asked for is not there", []string{
			`phases.read.operations=[{name: look, verb: query, by: [customer, order], where: "Order lt 0"}]`}},
		{"point-query", "requests(look) == operations(look)", "the partition is read in pages", []string{"use=time",
			`phases.read.operations=[{name: look, verb: query, by: [customer], top: 10}]`}},
		{"prefix", "counted(exact) == operations(exact)", "the partition is read", []string{"phases.read.operations.exact.class=partition-scan"}},
		{"projection-and-filter", "counted(whole) == 200 * operations(whole)", "some entities are not there", []string{"phases.load.load.entities=3000"}},
		{"projection-and-filter", "counted(projected) == 200 * operations(projected)", "one page is read", []string{
			"phases.read.operations.projected.top=50", "phases.read.operations.projected.pages=1"}},
		{"projection-and-filter", "returned(projected) == counted(projected)", "a filter drops entities", []string{
			"phases.read.operations.projected.where=Left lt 50"}},
		{"row-key-alone", "returned(look) == operations(look)", "what is asked for is not there", []string{"use=customer",
			`phases.track.operations.look.where=RowKey eq 'none'`}},
		{"row-key-alone", "requests(look) == operations(look)", "the scan of the table takes pages", []string{"use=customer", pages}},
		{"saved-token", "counted(begin) == 1000 * operations(begin)", "less than a page is there", []string{"phases.load.load.entities=900"}},
		{"table-scan", "returned(call) == operations(call)", "what is asked for is not there", []string{"phases.find.operations.call.where=User eq 'none'"}},
		{"table-scan", "requests(call) == operations(call)", "the scan of the table takes pages", []string{"use=user-alone", pages}},
	}
}

func mutantsOfWrites() []mutant {
	return []mutant{
		{"etag-by-verb", "requests(upsert) == operations(upsert)", "an upsert reads first", []string{"phases.day.operations.upsert.read_first=true"}},
		{"retry-by-status", "failed(again) > 90%", "the sessions do not end", []string{"phases.night.arrivals.constant=0.1"}},
		{"retry-by-status", "requests(again) == operations(again)", "others have the partition say 503 rather than 404", []string{"phases.morning.arrivals.constant=300", "phases.morning.drain=2m",
			`phases.morning.operations=[{name: again, verb: merge, properties: [{name: Seen, value: "{session}"}]}, {name: more, verb: insert-or-merge, weight: 9, properties: [{name: Seen, value: "{session}"}]}]`}},
		{"merge-or-replace", "throttled < 1%", "the partition bears less", []string{"model.partition_target=200"}},
		{"common-entities", "counted(change) == 100 * ok(change)", "99 are changed together", []string{"phases.sell.operations.change.entities=99"}},
		{"lost-updates", "requests(vote) >= 2 * operations(vote)", "an entry is not read before it is written", []string{
			"phases.contest.operations=[{name: vote, verb: merge, properties: [{name: Votes, value: \"1\"}]}]", "verify=false"}},
		{"transactions", "counted(hundred) == 100 * ok(hundred)", "99 lines are written together", []string{"phases.by-hundred.operations.hundred.entities=99"}},
	}
}

func mutantsOfIndexes() []mutant {
	const lists = "{place: lists, attribute: last, property: LastName, blind: true}"
	return []mutant{
		{"index-blob", "counted(work) < 2 * counter(work, handled)", "lists lie in entities of a table", []string{
			"design.places=[{name: lists, table: ByName, partition_key: by-name, row_key: \"{last}\"}]",
			"phases.build.operations.0.with=" + listed("build"), "phases.day.operations.0.with=" + listed("hire"), "phases.day.operations.1.with=" + listed("leave"),
			"phases.day.operations.2.with=" + listed("work")}},
		{"index-entity-own-partition", "requests(lookup) >= 2 * operations(lookup)", "nobody is on a list", []string{
			"phases.build.operations=[{name: build, verb: get}]", "phases.day.operations=[{name: lookup, workflow: index-lookup, with: {form: place, place: lists, attribute: last, property: LastName}}]"}},
		{"index-entity-same-partition", "violations == 0", "lists are written without their ETag", []string{
			"phases.build.operations.0.with=" + lists, "phases.day.operations.1.with=" + lists, "phases.day.operations.2.with=" + lists,
			"phases.day.operations.3.with=" + lists}},
		{"index-in-partition", "requests(hire) == operations(hire)", "the copy lies in a table of its own", []string{
			`designs.indexed.copies=[{name: by-email, table: ByEmail, partition_key: "{department}", row_key: "email_{email}"}]`}},
		{"index-in-partition", "counted(by-id) == operations(by-id)", "the id does not stand first in the RowKey", []string{"entity.properties.0.value={employee}", "designs.indexed.row_key=empid_{name}_{employee:06d}"}},
		{"index-in-partition", "returned(by-email) == operations(by-email)", "addresses are not unique", []string{
			"attributes.email={list: [a@contoso.com, b@contoso.com]}", `designs.indexed.copies=[{name: by-email, partition_key: "{department}", row_key: "email_{email}_{employee:06d}"}]`}},
		{"index-partial-copies", "requests(raise) == operations(raise)", "the copy keeps what changes", []string{"designs.partial.copies.0.properties=[Employee, Email, Office, Salary]"}},
		{"index-repaired", "succeeded(mend) == 1", "the repair is throttled", []string{"model.account_target=20", "retry=none"}},
	}
}

func mutantsOfPatterns() []mutant {
	return []mutant{
		{"compound-key", "returned(all-reviews) > 5 * operations(all-reviews)", "there are few reviews", []string{"phases.load.load.entities=400"}},
		{"compound-key", "requests(review) == operations(review)", "what is throttled is sent again", []string{
			"model.partition_target=5", "retry=short"}},
		{"compound-key", "counted(review) == 2 * operations(review)", "a review leaves its employee alone", []string{
			"phases.day.operations=[{name: review, verb: insert}, {name: all-reviews, verb: query, by: [department, employee]}]"}},
		{"data-series", "counter(day, counts) == 24 * operations(day)", "half of the hours are not counted yet", []string{
			"phases.counted.operations.0.with={slots: 24, per-entity: 24, at: days}", "phases.counted.for=5s"}},
		{"data-series", "requests(put) == operations(put)", "each hour is read before it is written", []string{
			"phases.counted.operations.0.with={slots: 24, per-entity: 24, at: days, write: etag, complete: true}"}},
		{"data-series", "violations == 0", "half of the hours are lost", []string{"model.partition_target=1"}},
		{"eventual-transaction", "counter(look, neither) == 0", "the archive is read first, long before", []string{"phases.leave.operations.look.with={place: archive, first: archive, pause: 1s}"}},
		{"eventual-transaction-poison", "counter(work, moved) > 400", "few are asked to leave", []string{"phases.leave.arrivals.constant=10"}},
		{"eventual-transaction-workers", "violations == 0", "who asks moves the employee, and dies in between", []string{
			"phases.ask.operations=[{name: request, workflow: archive-naive, with: {place: archive, killed: 20%}}]"}},
		{"eventual-transaction-workers", "counter(work, overtaken) == 0", "messages come back while they are worked on", []string{
			"model.write_time=450ms", "phases.ask.arrivals.constant=2", "phases.work-off.operations=[{name: work, workflow: archive-work, with: {place: archive, hidden: 1s}}]"}},
		{"high-volume-delete", "violations == 0", "a day too few is deleted", []string{"phases.tidy.for=9s"}},
		{"large-entity", "violations == 0", "the entity is written before its photo", []string{"phases.hiring.operations.0.with={size: 1100000, killed: 30%, first: entity}"}},
		{"large-entity", "counter(look, dangling) == 0", "the entity is written before its photo", []string{"phases.hiring.operations.0.with={size: 1100000, killed: 30%, first: entity}",
			"phases.looking.operations.0.with={size: 1100000}"}},
		{"large-entity", "counter(look, bytes) < 300000 * operations(look)", "everybody wants the photo", []string{"phases.looking.operations.0.with={size: 1100000, wanted: 100%}"}},
		{"large-entity", "counter(sweep, orphans) >= counter(hire, killed)", "the entity is written before its photo", []string{
			"phases.hiring.operations.0.with={size: 1100000, killed: 30%, first: entity}"}},
		{"log-in-blobs", "counter(append, lines) > 0.8 * operations(store)", "half as much is written", []string{"phases.write.arrivals.constant=1"}},
		{"log-in-blobs", "counter(append, lost) < 0.2 * counter(append, lines)", "one writer in three dies each time", []string{
			"phases.write.operations.0.with={time: At, buffer: 20, over: 30s, killed: 30%}"}},
		{"log-in-blobs", "counted(scan) > 5 * returned(scan)", "the log is read from its source's partition", []string{
			"phases.table.operations.scan.by=[source]"}},
		{"log-in-blobs", "counter(window, lines) > 15 * operations(window)", "hardly anybody writes", []string{"phases.write.arrivals.constant=0.2"}},
		{"name-reuse", "violations == 0", "logins of a day come after it was deleted", []string{"phases.day-8.operations=[{name: new-day, workflow: login, with: {first: 1, days: 1}}]"}},
		{"name-reuse", "succeeded(new-day) == operations(new-day)", "a name is kept back for longer than anybody waits", []string{"model.name_delay=1h",
			"phases.week.operations=[{name: login, workflow: login, with: {days: 7, names: reused}}]",
			"phases.tidy.operations=[{name: purge, workflow: purge-day, with: {days: 1, names: reused}}]",
			"phases.day-8.operations=[{name: new-day, workflow: login, with: {first: 8, days: 1, names: reused}}]"}},
		{"two-dominant-queries", "requests(register) == operations(register)", "the copy lies in a table of its own", []string{
			`designs.both-keys.copies=[{name: by-age, table: ByAge, partition_key: "{race}__{distance}", row_key: "AGE:{age:03d}__{bib}__{name}__{sex}"}]`}},
		{"two-dominant-queries", "counted(number) == operations(number)", "the number does not stand first in the RowKey", []string{
			"designs.both-keys.row_key=BIB:{name}__{bib:05d}__{sex}__{age}"}},
		{"two-dominant-queries", "returned(of-an-age) > 5 * operations(of-an-age)", "there are few runners", []string{"phases.load.load.entities=40", "phases.registration.for=10s"}},
		{"user-signatures", "counter(read, issued) <= 100", "signatures last for a second", []string{"phases.day.operations.0.with={lasts: 1s, preflight: 10m}"}},
		{"user-signatures", "counter(read, preflights) <= 1000", "preflights are kept for a second", []string{"phases.day.operations.0.with={lasts: 1h, preflight: 1s}"}},
		{"wide-entity", "requests(year) == operations(year)", "a year is throttled, and sent again", []string{"model.partition_target=1", "retry=short"}},
	}
}

// listed is how an operation keeps the lists of index-blob where they lie in entities.
func listed(operation string) string {
	if operation == "work" {
		return "{form: place, place: lists, property: LastName, hidden: 3s}"
	}
	return "{form: place, place: lists, attribute: last, property: LastName, hidden: 3s}"
}

func mutantsOfRelations() []mutant {
	const unfounded = "phases.found.operations=[{name: found, verb: get}]"
	return []mutant{
		{"cached-join", "counter(show, missing) == 0", "employees are not there", []string{"phases.found.operations=[{name: found, verb: delete}]"}},
		{"denormalization", "requests(phone) == operations(phone)", "the department lies in a table of its own", []string{
			`designs.copied.copies=[{name: departments, table: Departments, partition_key: "{department}", row_key: department, properties: [Department, Manager, Phone]}]`,
			`designs.copied.places=[{name: department, table: Departments, partition_key: "{department}", row_key: department}]`}},
		{"encryption-resolver", "violations == 0", "nothing is sealed", []string{
			"phases.shop.operations=[{name: order, workflow: seal-put, with: {resolver: \"*/*/Card, private-*/*/Phone\", sealed: false}}]"}},
		{"encryption-resolver", "counter(order, added-bytes) < 162 * operations(order)", "the phones of all are sealed", []string{
			"phases.shop.operations=[{name: order, workflow: seal-put, with: {resolver: \"*/*/Card, */*/Phone\"}}]"}},
		{"materialized-view", "violations == 0", "clients die before their message, and nobody makes views anew", []string{
			"phases.night.operations=[{name: look, verb: get}]", "phases.day.operations.hire.with={view: totals, adds: Salary, hidden: 3s, killed: 60%}"}},
		{"one-to-many-rename", "counter(show, missing) == 0", "departments are not there", []string{unfounded, "phases.day.operations=[{name: show, workflow: read-linked, with: {link: Department, to: department}}]"}},
		{"one-to-one", "counter(look, missing) == 0", "there are no portraits", []string{"designs.by-key.copies=[]"}},
		{"orders-twice", "counted(of-customer) == returned(of-customer)", "several customers share a partition", []string{`designs.twice.partition_key={hash(customer,20)}`}},
		{"parallel-queries", "counter(partition, partitions) == 400", "one is left out", []string{"phases.read.traffic.count=399"}},
		{"parallel-queries", "counter(partition, entities) == 2000", "one is not there", []string{"phases.load.load.entities=1999"}},
		{"parallel-shared", "counter(partition, partitions) == 64", "one is left out", []string{"phases.read.traffic.count=63"}},
		{"parallel-shared", "counter(partition, entities) == 2000", "one is not there", []string{"phases.load.load.entities=1999"}},
		{"property-bag", "requests(update) >= 2 * operations(update)", "what is there is not read", []string{
			"phases.day.operations=[{name: update, verb: merge, properties: [{name: Phone, value: \"{phone}\"}]}]"}},
		{"property-bag", "requests(update) < 2.1 * operations(update)", "many clients change the same few", []string{"phases.load.load.entities=5", "phases.day.arrivals={poisson: 400}", "phases.day.for=3s"}},
		{"summary-entity", "violations == 0", "summaries lie apart, and clients die between the two writes", []string{
			`design.places=[{name: summary, table: Summaries, partition_key: "{department}", row_key: SUMMARY}]`,
			"phases.day.operations.hire.with={summary: summary, adds: Salary, killed: 30%}"}},
		{"summary-entity", "requests(hire) < 2.5 * operations(hire)", "everybody writes the same summary", []string{"attributes.department={list: [Audit]}",
			"phases.day.operations=[{name: hire, workflow: summed-insert, with: {summary: summary, adds: Salary}}]", "phases.day.arrivals={poisson: 200}", "phases.day.for=3s", "model.partition_target=0"}},
	}
}

// mutated returns the example with its mechanism broken.
func (m *mutant) mutated(t *testing.T) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Builtin(m.example)
	if err != nil {
		t.Fatal(err)
	}
	s.Expect, s.AntiPattern = []string{m.kills}, nil
	if len(m.set) == 0 {
		t.Errorf("%s: nothing breaks %s", m.example, m.kills)
	}
	return changed(t, s, m.set)
}

// Each check of the library is promised to fail by its example's anti-pattern, or killed by
// one mutant.
func TestEachCheckHasAMutant(t *testing.T) {
	left := make(map[[2]string]int)
	for _, m := range mutants() {
		left[[2]string{m.example, m.kills}]++
	}
	for _, name := range scenarios.Library() {
		s, err := scenarios.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, check := range s.Expect {
			of := [2]string{name, check}
			switch promised := s.AntiPattern != nil && slices.Contains(s.AntiPattern.Fails, check); {
			case promised && left[of] > 0:
				t.Errorf("%s: %s is failed by the anti-pattern, and has a mutant beside it", name, check)
			case !promised && left[of] != 1:
				t.Errorf("%s: %s has %d mutants; want one, for the anti-pattern does not fail it", name, check, left[of])
			}
			delete(left, of)
		}
	}
	for of := range left {
		t.Errorf("there is a mutant of %s for %s, which is no check of it", of[0], of[1])
	}
	for _, m := range mutants() {
		m.mutated(t)
	}
}

// dies plays a mutant, and fails the test unless its check does.
func (m *mutant) dies(t *testing.T) {
	t.Helper()
	record, err := run.Run(t.Context(), run.Plan{Scenario: m.mutated(t)})
	if err != nil {
		t.Fatal(err)
	}
	if check := record.Summary.Checks[0]; !check.Fails() {
		t.Errorf("%s, where %s: %s came to %s (%s); want it to fail", m.example, m.breaks, m.kills, check.Observed, strings.Join(append(record.Reasons, check.Why), ", "))
	}
}
