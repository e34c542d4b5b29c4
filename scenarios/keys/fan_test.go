package keys_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/filter"
)

func TestFannedPlans(t *testing.T) {
	for _, tt := range []planned{
		{"a bucket and then a day: each bucket's part of the day",
			"{hash(user,16):02d}_{day}|{at}_{uuid}", "day", 0, filter.ClassPartitionScan, "{at} 16", 16},
		{"a bucket alone, and the RowKey: a point of each", "{hash(user,4)}|{bib}", "bib", 0, filter.ClassRowRange, "4", 4},
		{"two buckets: each with each", "{hash(user,4)}_{hash(name,3)}|{bib}_{age}", "bib", 0, filter.ClassRowRange, "{age} 12", 12},
		{"a bucket of what the reader knows is none",
			"{hash(user,4)}_{day}|{bib}", "user day", 0, filter.ClassPartitionScan, "{bib}", 1},
		{"a bucket behind a day, of which all is wanted: one query reads no more",
			"{day}_{hash(user,16):02d}|{at}_{uuid}", "day", 0, filter.ClassPartitionRangeScan, "", 1},
		{"a bucket behind a day, of which a part is wanted",
			"{day}_{hash(user,16):02d}|{name}_{uuid}", "day name", 0, filter.ClassRowRange, "{uuid} 16", 16},
		{"a span that begins with a bucket",
			"{hash(user,16):02d}_{day}|{at}_{uuid}", "", time.Minute, filter.ClassPartitionRangeScan, "{at:day} 16", 16},
		{"what comes after the bucket is not known either", "{hash(user,16)}_{name}|{bib}", "bib", 0, filter.ClassTableScan, "", 1},
		{"a hundred buckets", "{hash(user,100)}|{bib}", "bib", 0, filter.ClassRowRange, "100", 100},
		{"more than anybody asks", "{hash(user,101)}|{bib}", "bib", 0, filter.ClassTableScan, "", 1},
		{"more than anybody asks, in all", "{hash(user,11)}{hash(name,10)}|{bib}", "bib", 0, filter.ClassTableScan, "", 1},
	} {
		partition, row, _ := strings.Cut(tt.keys, "|")
		g := designed(t, partition, row)
		plan := g.FannedPlan(strings.Fields(tt.know), tt.span)
		if plan.Class != tt.class || plan.Queries() != tt.queries || tt.by != "" && !namesParts(plan.Why, tt.by) {
			t.Errorf("%s: FannedPlan(%q, %s) = %s in %d: %s; want %s in %d by %s", tt.name,
				tt.know, tt.span, plan.Class, plan.Queries(), plan.Why, tt.class, tt.queries, tt.by)
		}
		if alone := g.Plan(strings.Fields(tt.know), tt.span).Why; tt.by == "" && plan.Why != alone {
			t.Errorf("%s: FannedPlan(%q, %s) says %s; want what one query is no better for, %s", tt.name, tt.know, tt.span, plan.Why, alone)
		}
	}
}

// A plan of one query has one range, and it is that of the plan.
func TestRangesOfOneQuery(t *testing.T) {
	plan := designed(t, "{event}", "{bib}").FannedPlan([]string{"event"}, 0)
	assert.Equal(t, []filter.Range{plan.Range(eventOf(3))}, plan.Ranges(eventOf(3)), "Ranges()")
}
