package suggest

import (
	"fmt"
	"math"
	"strings"

	"loadgen/engine/filter"
	"loadgen/report/document"
	"loadgen/scenarios"
)

// why returns the reasons for a design, a sentence each.
func (r *rule) why(a *candidate) []string {
	known, all := 0.0, 0.0
	for i := range r.questions {
		q := &r.questions[i]
		all += q.frequency
		if r.knowsAll(q, a.set) {
			known += q.frequency
		}
	}
	what := "it"
	if a.buckets > 1 {
		what = "all of it but the bucket"
	}
	list := []string{fmt.Sprintf("PartitionKey %s: %s of what is asked by attributes knows %s; the load falls on %s, "+
		"the hottest of which counts %s entities/s of %s at the peak, the account %s of %s (derived).",
		a.design.PartitionKey, document.Share(known/max(all, 1e-9)), what, document.Counted(max(1, int(math.Round(a.partitions))), "partition"),
		document.Rate(a.hottest), target(r.options.Targets.Partition), document.Rate(a.account), target(r.options.Targets.Account))}
	if a.buckets > 1 {
		list = append(list, r.whyBuckets(a))
	}
	list = append(list, r.whyRow(a))
	for i := range a.design.Copies {
		list = append(list, r.whyCopy(a, &a.design.Copies[i]))
	}
	if a.insertCounted > 0 && len(a.design.Copies) > 0 {
		list = append(list, fmt.Sprintf("An insert counts %s entities in %s (derived).", document.Rate(a.insertCounted), document.Averaged(a.insertRequests, "request")))
	}
	if a.appends && a.insertRate > 0 {
		list = append(list, fmt.Sprintf("It appends: its %s inserts/s all fall at the end, on one server; that is no matter only while they are so few.", document.Rate(a.insertRate)))
	}
	if !r.holdsAccount(a) {
		list = append(list, "It does not hold the peak, nor does any other design that was found: "+r.over(a))
	}
	return list
}

func target(limit int64) string {
	if limit == 0 {
		return "no limit"
	}
	return document.Count(limit)
}

// whyBuckets says why there are so many buckets, and what they cost who reads.
func (r *rule) whyBuckets(a *candidate) string {
	fewest := "the fewest"
	if !r.holdsPartition(a) {
		fewest = "as many as were tried, and too few"
	} else if r.limit() == 0 {
		fewest = "the fewest that spread the inserts"
	} else {
		fewest += fmt.Sprintf(" that leave %s of a partition's target free", document.Share(r.options.Headroom))
	}
	text := fmt.Sprintf("%d buckets by {%s}: %s", a.buckets, r.bucketBy, fewest)
	var asks []string
	for _, c := range a.reads {
		if c.Requests > 1.5 {
			asks = append(asks, fmt.Sprintf("%s takes %s", c.Operation, document.Averaged(c.Requests, "request")))
		}
	}
	if len(asks) > 0 {
		text += "; " + strings.Join(asks, ", ")
	}
	return text + "."
}

// whyRow says what the RowKey begins with, and for whom.
func (r *rule) whyRow(a *candidate) string {
	key := r.rowKey(a.set, r.questions)
	text := "RowKey " + a.design.RowKey + ": "
	for i := range r.questions {
		q := &r.questions[i]
		if !r.knowsAll(q, a.set) {
			continue
		}
		switch {
		case len(key.names) > 0 && r.knowsAll(q, key.names[:1]):
			return text + fmt.Sprintf("it begins with {%s}, which %s knows beside the PartitionKey.", key.names[0], q.spec.Name)
		case key.timed && len(key.names) == 0 && (q.spec.Span > 0 || q.latest()):
			how := "a span is a range of rows"
			if r.timeFormat == "inverted" {
				how += ", and the latest come first"
			}
			return text + fmt.Sprintf("it goes by time, of which %s asks for a part: %s.", q.spec.Name, how)
		}
	}
	return text + "it tells the entities of a partition apart."
}

// whyCopy says what a copy is for, and how it is written.
func (r *rule) whyCopy(a *candidate, one *scenarios.Copy) string {
	where := "in table " + one.Table + ": a request of its own writes it, so that it is consistent only in the end"
	if one.Table == "" {
		where = "in the same partition: one transaction writes both"
	}
	var helped []string
	bare := a.design
	bare.Copies = nil
	with := bare
	with.Copies = []scenarios.Copy{*one}
	for i := range r.questions {
		q := &r.questions[i]
		before, err := r.plan(q, &bare)
		after, failed := r.plan(q, &with)
		if err == nil && failed == nil && after.rank() < before.rank() {
			class := before.class.String()
			if before.class == filter.ClassRowRange {
				class = "longer row range scan"
			}
			helped = append(helped, fmt.Sprintf("%s (a %s without it)", q.spec.Name, class))
		}
	}
	if len(helped) == 0 {
		return fmt.Sprintf("Copy %s, %s.", one.Name, where)
	}
	return fmt.Sprintf("Copy %s, %s; it is for %s.", one.Name, where, strings.Join(helped, ", "))
}
