package campaign_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/target"
)

// readingOn is a job that reads so many of the pages of a partition, or of the table, in
// each of its parts, and begins each at the token of the one before.
type readingOn struct {
	sentence string
	entities int
	class    string
	top      int
	// pages are those of each part, 0 for all that are left.
	pages []int
}

func (r *readingOn) scenario(t *testing.T) *scenarios.Scenario {
	t.Helper()
	text := fmt.Sprintf(`name: reading
seed: 9
workers: 20
retry: none
model: {profile: "off"}
attributes: {id: {sequence: 1000000}}
design: {partition_key: journal, row_key: "{id}"}
phases:
  - {name: load, load: {entities: %d}}
`, r.entities)
	for i, pages := range r.pages {
		from, save := "", ""
		if i > 0 {
			from = fmt.Sprintf(", from: {saved: part%d}", i-1)
		}
		if pages > 0 {
			save = fmt.Sprintf(", pages: %d, save: part%d", pages, i)
		}
		text += fmt.Sprintf("  - {name: p%d, traffic: {partitions: [journal], arrivals: {constant: 2}, for: 2s, operations: [{name: read%d, verb: query, class: %s, top: %d%s%s}]}}\n",
			i, i, r.class, r.top, save, from)
	}
	return parsed(t, text)
}

// parts returns how many entities each part reads, and by how many pages. The rule: a page
// ends after its top, a token is where the page after it begins, and who has none, since
// all was read, begins at the beginning.
func (r *readingOn) parts() (entities, pages []int64) {
	all := int64(r.entities)
	if r.class == scenarios.ClassTableScan {
		all++ // the mark of a table that is this tool's own
	}
	at := int64(0)
	for _, most := range r.pages {
		read, turned := int64(0), int64(0)
		for at+read < all && (most == 0 || turned < int64(most)) {
			read, turned = min(read+int64(r.top), all-at), turned+1
		}
		entities, pages = append(entities, read), append(pages, turned)
		if at += read; at == all {
			at = 0
		}
	}
	return entities, pages
}

// play carries a scenario out and returns its record.
func (r *readingOn) play(t *testing.T, clk clock.Clock) *results.Record {
	t.Helper()
	s := r.scenario(t)
	return recorded(t, newWorld(t, s, clk).run(t, campaign.Options{Scenario: s, Table: "run"}))
}

// Who goes on at a token that was saved reads what those before have left, and is due to,
// alike in virtual and in real time; the record has the token of the last page of each
// part, which is that of the entity after it.
func TestTokensAreGoneOnWith(t *testing.T) {
	rows := []readingOn{
		{"one page, and the rest", 2500, scenarios.ClassPartitionScan, 1000, []int{1, 0}},
		{"three parts, of which the last has a page that is not full", 137, scenarios.ClassPartitionScan, 10, []int{3, 5, 0}},
		{"a part that reads all, and the next begins anew", 45, scenarios.ClassPartitionScan, 10, []int{3, 3, 0}},
		{"the table", 88, scenarios.ClassTableScan, 20, []int{2, 1, 0}},
	}
	for _, row := range rows {
		t.Run(row.sentence, func(t *testing.T) {
			held := func(t *testing.T, how string, record *results.Record) {
				entities, pages := row.parts()
				at, begins := int64(0), 1000000
				for i := range row.pages {
					name := fmt.Sprintf("read%d", i)
					got := record.Total(func(_ *results.Phase, k results.Kind) bool { return k.Name == name })
					if n := got.Sent; n != 4 || got.Counted != n*entities[i] || got.Offered != n*entities[i] || got.Ok != n*pages[i] {
						t.Errorf("%s: part %d: %d operations, due to count %d, counted %d in %d requests; want 4 of %d entities in %d pages",
							how, i, n, got.Offered, got.Counted, got.Ok, entities[i], pages[i])
					}
					at += entities[i]
					if row.pages[i] == 0 || row.class == scenarios.ClassTableScan {
						continue
					}
					want := target.Token{}
					if at < int64(row.entities) {
						want = target.Token{Present: true, NextPartitionKey: "journal", NextRowKey: strconv.Itoa(begins + int(at))}
					} else {
						at = 0
					}
					text, _ := want.MarshalText()
					saved := record.Saved()
					assert.Truef(t, len(saved) > i && saved[i] == (results.SavedToken{Name: fmt.Sprintf("part%d", i), Operation: name, Token: string(text)}),
						"%s: part %d: saved %+v; want %s", how, i, saved, text)
				}
			}
			held(t, "virtual", row.play(t, nil))
			inBubble(t, func(t *testing.T, clk clock.Real) { held(t, "real", row.play(t, clk)) })
		})
	}
}
