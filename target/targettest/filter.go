package targettest

import (
	"fmt"
	"slices"

	"loadgen/engine/entity"
	"loadgen/target"
)

func addFilters(add func(string, func(*script))) {
	add("a point query finds the one entity and counts one", pointQuery)
	add("a partition scan counts what its filter drops", partitionScan)
	add("a partition range scan reads its partitions alone", partitionRangeScan)
	add("a table scan reads every partition, for an exact RowKey too", tableScan)
	add("alternatives of RowKeys scan the partition", alternativesScan)
	add("Top limits what a filter keeps and a token leads on", filteredTop)
	add("a page can be empty and lead on", emptyPages)
	add("a projection holds what was selected, with key and version", projection)
}

// filtered returns the query of a $filter.
func (s *script) filtered(text string) target.Query {
	s.Helper()
	query, err := target.Filtered(text)
	if err != nil {
		s.fatalf("Filtered(%q) = %v; want a query", text, err)
	}
	return query
}

// runner returns the write of a runner, whose age is that of one in so many.
func runner(part string, n, every int) target.Operation {
	return write(entity.Insert, entity.Key{Partition: part, Row: fmt.Sprintf("%05d", n)},
		entity.Property{Name: "Age", Value: entity.Int32(int32(20 + n%every))}, text("Club", fmt.Sprint("club ", n)))
}

// register inserts the runners 1 to n of a partition by transactions.
func (s *script) register(part string, n, every int) {
	s.Helper()
	var all []entity.Change
	for i := 1; i <= n; i++ {
		all = append(all, runner(part, i, every).Change)
	}
	for changes := range slices.Chunk(all, entity.MaxBatchChanges) {
		s.must(batch(changes...))
	}
}

// scans checks what a query returns, and that it counts what it reads: from least
// to most entities. How many lies with the service where a page ends early, for an
// empty page counts one.
func (s *script) scans(what string, query target.Query, want []entity.Key, least, most int64) {
	s.Helper()
	got, counted := s.total(query, nil)
	s.sameKeys(what, got, want)
	if !s.subject.Derived && (counted < least || counted > most) {
		s.Errorf("%s counted %d entities; want %d to %d", what, counted, least, most)
	}
}

// every returns the keys of the runners of some partitions whose age is 20.
func every(step, n int, parts ...string) []entity.Key {
	var keys []entity.Key
	for _, part := range parts {
		for i := step; i <= n; i += step {
			keys = append(keys, runner(part, i, step).Change.Key)
		}
	}
	return keys
}

func pointQuery(s *script) {
	s.register("p", 20, 5)
	key := numbered(7)
	s.scans("a point query", target.OnePoint(key), []entity.Key{key}, 1, 1)
	s.scans("a point query of what is not there", target.OnePoint(row("7")), nil, 1, 1)
	s.scans("a point query by its text", s.filtered("PartitionKey eq 'p' and RowKey eq '00007'"), []entity.Key{key}, 1, 1)
	s.scans("a point query with a property that differs",
		s.filtered("PartitionKey eq 'p' and RowKey eq '00007' and Age eq 20"), nil, 1, 1)
}

func partitionScan(s *script) {
	s.register("p", 200, 10)
	s.register("q", 30, 10)
	for _, c := range []struct {
		text string
		want []entity.Key
	}{
		{"Age eq 20", every(10, 200, "p")},
		{"Age lt 20", nil},
		{"Age ge 20", numbers(1, 200)},
		{"Age eq 20 and Club eq 'club 50'", numbers(50, 50)},
		{"not (Age ge 20) or Club eq 'club 3'", numbers(3, 3)},
		{"Missing eq 1", nil},
	} {
		s.scans("a partition scan for "+c.text, s.filtered("PartitionKey eq 'p' and ("+c.text+")"), c.want, 200, 200)
	}
	s.scans("a row range scan with a filter",
		s.filtered("PartitionKey eq 'p' and RowKey ge '00101' and RowKey lt '00151' and Age eq 20"), every(10, 200, "p")[10:15], 50, 50)
}

func partitionRangeScan(s *script) {
	for _, part := range []string{"a", "b", "c", "d"} {
		s.register(part, 20, 10)
	}
	s.scans("a partition range scan", s.filtered("PartitionKey ge 'b' and PartitionKey lt 'd' and Age eq 20"),
		every(10, 20, "b", "c"), 40, 50)
	s.scans("a partition range scan up to the end", s.filtered("PartitionKey gt 'b' and Age eq 20"),
		every(10, 20, "c", "d"), 40, 50)
	s.scans("a partition range scan that finds nothing", s.filtered("PartitionKey ge 'b' and PartitionKey lt 'd' and Age lt 20"),
		nil, 40, 50)
}

func tableScan(s *script) {
	parts := []string{"a", "b", "c", "d"}
	for _, part := range parts {
		s.register(part, 20, 10)
	}
	s.scans("a table scan", s.filtered("Age eq 20"), every(10, 20, parts...), 80, 100)
	var sevenths []entity.Key
	for _, part := range parts {
		sevenths = append(sevenths, runner(part, 7, 10).Change.Key)
	}
	s.scans("a table scan for an exact RowKey", s.filtered("RowKey eq '00007'"), sevenths, 80, 100)
	s.scans("a table scan that finds nothing", s.filtered("Age lt 20"), nil, 80, 100)
}

func alternativesScan(s *script) {
	s.register("p", 60, 10)
	s.scans("two RowKeys in one filter", s.filtered("PartitionKey eq 'p' and (RowKey eq '00003' or RowKey eq '00041')"),
		[]entity.Key{numbered(3), numbered(41)}, 60, 60)
}

func filteredTop(s *script) {
	s.register("p", 100, 10)
	query := s.filtered("PartitionKey eq 'p' and Age eq 20")
	query.Top = 4
	first := s.must(queryFor(query))
	if len(first.Rows) > 4 || !first.Next.Present {
		s.Errorf("a page by Top 4 of 10 that a filter keeps holds %d, with a token: %v; want 4 at most, and one", len(first.Rows), first.Next.Present)
	}
	s.scans("a walk by Top 4 of what a filter keeps", query, every(10, 100, "p"), 100, 110)
}

func emptyPages(s *script) {
	s.register("p", 2400, 2400)
	s.scans("a walk for the last of many", s.filtered("PartitionKey eq 'p' and Age eq 20"), numbers(2400, 2400), 2400, 2410)
}

func projection(s *script) {
	s.register("p", 5, 10)
	versions := map[entity.Key]entity.Ticks{}
	for _, key := range numbers(1, 5) {
		versions[key] = s.must(get(key)).Version
	}
	for _, c := range []struct {
		names []string
		// want are the properties of the row with this number.
		want func(n int) []entity.Property
	}{
		{[]string{"Age"}, func(n int) []entity.Property { return runner("p", n, 10).Change.Properties[:1] }},
		{[]string{"Club", "Age"}, func(n int) []entity.Property { return runner("p", n, 10).Change.Properties }},
		{[]string{"Missing", "Club", "Club"}, func(n int) []entity.Property { return runner("p", n, 10).Change.Properties[1:] }},
		{[]string{"PartitionKey", "RowKey"}, func(int) []entity.Property { return nil }},
	} {
		query := partition("p")
		query.Select = c.names
		page := s.must(queryFor(query))
		if len(page.Rows) != 5 || page.Counted != 5 {
			s.Errorf("a query that selects %q returned %d and counted %d; want 5 and 5", c.names, len(page.Rows), page.Counted)
		}
		for i, one := range page.Rows {
			if one.Key != numbered(i+1) || one.Entity.Timestamp() != versions[one.Key] {
				s.Errorf("selecting %q: row %d is %s of version %d; want %s of version %d", c.names, i,
					name(one.Key), one.Entity.Timestamp(), name(numbered(i+1)), versions[numbered(i+1)])
			}
			s.sameProperties(one.Key, one.Entity, c.want(i+1))
		}
	}
	s.holds(numbered(1), runner("p", 1, 10).Change.Properties...)
}
