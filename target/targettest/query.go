package targettest

import (
	"fmt"
	"slices"

	"loadgen/engine/entity"
	"loadgen/target"
)

func addQueries(add func(string, func(*script))) {
	add("a query returns its key range and nothing else, in order", queryRanges)
	add("a query counts what it scans, at least one", queryCounts)
	add("Top limits a page and a token leads to the next", queryTop)
	add("a page holds at most 1,000 entities", queryThousand)
	add("a token can be used again", queryResumed)
	add("a token survives the deletion of what it points at", queryAfterDeletion)
	add("a walk over several partitions meets every entity once", queryPartitions)
}

// between returns the query of a half-open key range.
func between(from, to entity.Key) target.Query {
	var query target.Query
	query.Range.From, query.Range.To, query.Range.Bounded = from, to, true
	return query
}

// partition returns the query of one whole partition: up to the first key that
// can follow it.
func partition(name string) target.Query {
	return between(entity.Key{Partition: name}, entity.Key{Partition: name + "\x00"})
}

func queryFor(q target.Query) target.Operation {
	return target.Operation{Verb: entity.Query, Query: q}
}

// mostPages bounds a walk, so that a token that leads nowhere ends the check.
const mostPages = 1000

// walk follows the tokens of a query to the end and returns the keys that it
// met. Where sizes is given it must be the number of entities in each page,
// save that a last, empty page may follow a full one.
func (s *script) walk(query target.Query, sizes []int) []entity.Key {
	s.Helper()
	keys, _ := s.total(query, sizes)
	return keys
}

// total is [script.walk], and returns besides what all pages together counted.
func (s *script) total(query target.Query, sizes []int) (keys []entity.Key, counted int64) {
	s.Helper()
	for page := range mostPages {
		outcome := s.must(queryFor(query))
		counted += outcome.Counted
		if outcome.Returned != int64(len(outcome.Rows)) {
			s.Errorf("page %d says it returned %d of its %d entities", page, outcome.Returned, len(outcome.Rows))
		}
		if sizes != nil && !fits(sizes, page, len(outcome.Rows)) {
			s.fatalf("page %d holds %d entities; want pages of %v", page, len(outcome.Rows), sizes)
		}
		for _, row := range outcome.Rows {
			keys = append(keys, row.Key)
		}
		if !outcome.Next.Present {
			if page+1 < len(sizes) {
				s.Errorf("no token after page %d; want pages of %v", page, sizes)
			}
			return keys, counted
		}
		query.Token = outcome.Next
	}
	s.fatalf("query of %+v has not ended after %d pages", query, mostPages)
	return nil, 0
}

// fits reports whether a page may hold that many entities.
func fits(sizes []int, page, held int) bool {
	if page < len(sizes) {
		return held == sizes[page]
	}
	return page == len(sizes) && held == 0
}

// fill inserts the rows 1 to n of the usual partition by transactions.
func (s *script) fill(n int) {
	s.Helper()
	for changes := range slices.Chunk(inserts(1, n), entity.MaxBatchChanges) {
		s.must(batch(changes...))
	}
}

func numbers(first, last int) []entity.Key {
	var keys []entity.Key
	for n := first; n <= last; n++ {
		keys = append(keys, numbered(n))
	}
	return keys
}

func (s *script) sameKeys(what string, got, want []entity.Key) {
	s.Helper()
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			s.Errorf("%s met %d entities, differing at %d; want %d", what, len(got), i, len(want))
			return
		}
	}
}

func queryRanges(s *script) {
	keys := []entity.Key{
		{Partition: "o", Row: "z"}, {Partition: "p", Row: ""}, {Partition: "p", Row: "a"}, {Partition: "p", Row: "b"},
		{Partition: "p", Row: "b!"}, {Partition: "p", Row: "c"}, {Partition: "p!", Row: "b"}, {Partition: "q", Row: "b"},
	}
	for _, i := range []int{5, 2, 7, 0, 4, 1, 6, 3} {
		s.must(write(entity.Insert, keys[i], text("N", fmt.Sprint(i))))
	}
	k := func(p, r string) entity.Key { return entity.Key{Partition: p, Row: r} }
	for _, c := range []struct {
		name  string
		query target.Query
		want  []entity.Key
	}{
		{"a query of one partition", partition("p"), keys[1:6]},
		{"a query from a row to before another", between(k("p", "a"), k("p", "c")), keys[2:5]},
		{"a query from between two rows", between(k("p", "a!"), k("p", "b!")), keys[3:4]},
		{"a query of one key alone", between(k("p", "b"), k("p", "b\x00")), keys[3:4]},
		{"a query of several partitions", between(k("o", ""), k("p!", "")), keys[0:6]},
		{"a query from the middle of one partition into another", between(k("p", "b!"), k("q", "")), keys[4:7]},
		{"a query of the whole table", target.Query{}, keys},
		{"a query of a partition that is not there", partition("x"), nil},
		{"a query of an empty stretch", between(k("p", "a!"), k("p", "b")), nil},
	} {
		s.sameKeys(c.name, s.walk(c.query, nil), c.want)
	}
	page := s.must(queryFor(partition("o")))
	if len(page.Rows) == 1 {
		s.sameProperties(page.Rows[0].Key, page.Rows[0].Entity, []entity.Property{text("N", "0")})
	}
}

func queryCounts(s *script) {
	s.fill(20)
	for _, c := range []struct {
		name              string
		query             target.Query
		returned, counted int64
	}{
		{"a whole partition of 20", partition("p"), 20, 20},
		{"a stretch of 5", between(numbered(3), numbered(8)), 5, 5},
		{"one entity", between(numbered(3), numbered(4)), 1, 1},
		{"nothing", between(numbered(30), numbered(40)), 0, 1},
	} {
		outcome := s.must(queryFor(c.query))
		if outcome.Returned != c.returned || outcome.Counted != c.counted {
			s.Errorf("a query of %s returned %d and counted %d; want %d and %d", c.name,
				outcome.Returned, outcome.Counted, c.returned, c.counted)
		}
	}
	query := partition("p")
	query.Top = 7
	if outcome := s.must(queryFor(query)); outcome.Counted != 7 {
		s.Errorf("a page of 7 out of 20 counted %d; want 7", outcome.Counted)
	}
}

func queryTop(s *script) {
	s.fill(25)
	for _, c := range []struct {
		top   int
		sizes []int
	}{{10, []int{10, 10, 5}}, {25, []int{25}}, {1000, []int{25}}, {24, []int{24, 1}}, {0, []int{25}}} {
		query := partition("p")
		query.Top = c.top
		s.sameKeys(fmt.Sprintf("a walk by Top %d", c.top), s.walk(query, c.sizes), numbers(1, 25))
	}
	// Within a range, the token must not lead out of it.
	query := between(numbered(5), numbered(16))
	query.Top = 4
	s.sameKeys("a walk of a range by Top 4", s.walk(query, []int{4, 4, 3}), numbers(5, 15))
}

func queryThousand(s *script) {
	s.fill(2500)
	s.sameKeys("a walk without Top", s.walk(partition("p"), []int{1000, 1000, 500}), numbers(1, 2500))
}

func queryResumed(s *script) {
	s.fill(30)
	query := partition("p")
	query.Top = 10
	first := s.must(queryFor(query))
	query.Token = first.Next
	want := numbers(11, 20)
	for range 2 {
		var got []entity.Key
		for _, row := range s.must(queryFor(query)).Rows {
			got = append(got, row.Key)
		}
		s.sameKeys("the page after a token", got, want)
	}
}

func queryAfterDeletion(s *script) {
	s.fill(30)
	query := partition("p")
	query.Top = 10
	query.Token = s.must(queryFor(query)).Next
	// Both keys that a token can hold go: the last one read and the next.
	for _, n := range []int{10, 11} {
		s.must(writeIf(entity.Delete, entity.MatchAny, numbered(n)))
	}
	s.must(write(entity.Insert, row("00005a")))
	s.must(write(entity.Insert, row("00025a")))
	want := append(slices.Clone(numbers(12, 25)), row("00025a"))
	s.sameKeys("a walk resumed after deletions", s.walk(query, nil), append(want, numbers(26, 30)...))
}

func queryPartitions(s *script) {
	var keys []entity.Key
	for _, part := range []string{"a", "b", "c", "d"} {
		for n := range 5 {
			key := entity.Key{Partition: part, Row: fmt.Sprint(n)}
			keys = append(keys, key)
			s.must(write(entity.Insert, key))
		}
	}
	for _, top := range []int{0, 1, 3, 5} {
		whole := target.Query{Top: top}
		s.sameKeys(fmt.Sprintf("a walk of the table by Top %d", top), s.walk(whole, nil), keys)
		middle := between(entity.Key{Partition: "b"}, entity.Key{Partition: "d"})
		middle.Top = top
		s.sameKeys(fmt.Sprintf("a walk of two partitions by Top %d", top), s.walk(middle, nil), keys[5:15])
	}
}
