package verdict

import (
	"fmt"
	"strings"

	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/figure"
)

// lowDensity is the density below which a query is worth a finding.
const lowDensity = 0.1

// mostNamed is how many findings of one kind are told one by one.
const mostNamed = 3

// trafficFindings returns what stands out of outside traffic.
func trafficFindings(record *results.Record) []string {
	o := record.Capture
	found := uneven(o)
	told := 0
	for i := range o.Shapes {
		s := &o.Shapes[i]
		if told < mostNamed && s.Scanned > 0 && float64(s.Returned) < lowDensity*float64(s.Scanned) {
			told++
			found = append(found, fmt.Sprintf("Of %s pages, the query %s %s.", document.Count(s.Requests), shapeName(s), density(s)))
		}
	}
	found = append(found, orders(o)...)
	found = append(found, stepsTaken(record)...)
	if o.ThrottledByAccount > 0 {
		found = append(found, fmt.Sprintf("The account throttled %s of %s requests, for what all its partitions were asked together.",
			document.Count(o.ThrottledByAccount), document.Count(o.Requests)))
	}
	if tries := figure.Of(record).Named("tries"); tries.Told && tries.Value >= 1+someRetries {
		sum := record.Counts(results.Reported)
		found = append(found, fmt.Sprintf("Retries added %s attempts to each operation: %s requests were sent for %s operations.",
			document.CutFactor(tries.Value-1), document.Count(sum.Attempts), document.Count(sum.Operations)))
	}
	found = append(found, failures(o), ended(record))
	switch {
	case o.Unnamed > 0 && (o.ThrottledByPartition > 0 || o.ThrottledByAccount > 0):
		found = append(found, fmt.Sprintf("%s of %s requests carried no x-ms-client-request-id: "+
			"a retry among them counts as an operation of its own.", document.Count(o.Unnamed), document.Count(o.Requests)))
	case o.Forgotten > 0:
		found = append(found, fmt.Sprintf("%s operations were given up before their time, so many being under way: "+
			"a later retry of theirs counts as an operation of its own.", document.Count(o.Forgotten)))
	}
	if o.PartitionsDropped > 0 || o.ShapesDropped > 0 {
		found = append(found, fmt.Sprintf("More was asked for than is told apart: %s times a partition made room for another, "+
			"and %s times a query; the heaviest of both are kept.",
			document.Count(max(0, o.PartitionsDropped)), document.Count(max(0, o.ShapesDropped))))
	}
	if o.Delayed > 0 {
		found = append(found, fmt.Sprintf("%s requests became known after their second was written and stand in a later one.",
			document.Count(o.Delayed)))
	}
	return spoken(append(found, clipped(record))...)
}

// uneven tells how unevenly the partitions were asked: of the one with most entities, whether or
// not it is the hottest, and of those beside the hottest that refuse enough.
func uneven(o *results.Capture) (found []string) {
	hot, most := hottestSeen(o), &results.ObservedPartition{}
	var names []string
	others := 0
	for i := range o.Partitions {
		p := &o.Partitions[i]
		if p.Entities > most.Entities {
			most = p
		}
		if p != hot && overloadedSeen(p) {
			if others++; others <= mostNamed {
				names = append(names, fmt.Sprintf("%q (%s)", shortened(p.PartitionKey), document.Share(throttledOf(p))))
			}
		}
	}
	if most.Entities > 0 {
		found = append(found, fmt.Sprintf("Of %s entities counted most, %s, were of the partition %q.",
			document.Count(o.Entities), document.Share(float64(most.Entities)/float64(max(1, o.Entities))), shortened(most.PartitionKey)))
	}
	if others > mostNamed {
		names = append(names, fmt.Sprintf("and %s more", document.Count(int64(others-mostNamed))))
	}
	if others > 0 {
		found = append(found, "Beside it 1 % or more of the attempts were throttled by "+strings.Join(names, ", ")+".")
	}
	return found
}

func shapeName(s *results.QueryShape) string {
	text := "one without a filter"
	if s.Shape != "" {
		const most = 100
		text = fmt.Sprintf("%q", document.Cut(s.Shape, most))
	}
	if s.Class != "" {
		return fmt.Sprintf("%s on the table %q (%s)", text, shortened(s.Table), printable(shortened(s.Class)))
	}
	return fmt.Sprintf("%s on the table %q", text, shortened(s.Table))
}

func density(s *results.QueryShape) string {
	text := fmt.Sprintf("scanned %s entities and returned %s", document.Count(s.Scanned), document.Count(s.Returned))
	if s.Returned <= 0 || s.Scanned <= 0 {
		return text
	}
	text += ": a density of " + document.Share(float64(s.Returned)/float64(s.Scanned))
	if s.Returned >= s.Scanned {
		return text + ", which is the best there is"
	}
	return text + fmt.Sprintf(", at which each returned entity counts %s", document.Rate(float64(s.Scanned)/float64(s.Returned)))
}

// oneWay returns the first table whose new PartitionKeys all go one way, and the
// word for that; nil where none is.
func oneWay(o *results.Capture) (*results.KeyOrder, string) {
	for i := range o.Orders {
		if way := o.Orders[i].Partitions.Way(); way != "" {
			return &o.Orders[i], way
		}
	}
	return nil, ""
}

// onlyWay says of a table that its new PartitionKeys all go one way, and what
// follows from that.
func onlyWay(order *results.KeyOrder, way string) string {
	direction, end, count := "ascending", "last", order.Partitions.Ascending
	if way == results.PrependOnly {
		direction, end, count = "descending", "first", order.Partitions.Descending
	}
	return fmt.Sprintf("the table %q is %s: %s of %s new PartitionKeys came in %s order, "+
		"and such keys all land in its %s range, which one server serves, however many keys there are",
		shortened(order.Table), way, document.Count(count), document.Count(order.Partitions.Keys), direction, end)
}

// orders tells of each table whose keys all go one way.
func orders(o *results.Capture) []string {
	var told []string
	for i := range o.Orders {
		order := &o.Orders[i]
		if way := order.Partitions.Way(); way != "" && len(told) < mostNamed {
			text := onlyWay(order, way)
			told = append(told, strings.ToUpper(text[:1])+text[1:]+".")
		}
		if way := order.Rows.Way(); way != "" && len(told) < mostNamed {
			direction, count := "ascending", order.Rows.Ascending
			if way == results.PrependOnly {
				direction, count = "descending", order.Rows.Descending
			}
			told = append(told, fmt.Sprintf("RowKeys of the table %q come in %s order within their partitions (%s of %s): "+
				"that costs nothing more, one server serving a partition whatever their order.",
				shortened(order.Table), direction, document.Count(count), document.Count(order.Rows.Keys)))
		}
	}
	return told
}

// failures tells what failed for other reasons than load.
func failures(o *results.Capture) string {
	var failed, tableless int64
	var most *results.Answer
	for i := range o.Answers {
		if a := &o.Answers[i]; a.Class == results.Failed.String() {
			failed += a.Requests
			tableless += a.Tableless
			if most == nil || a.Requests > most.Requests {
				most = a
			}
		}
	}
	if most == nil {
		return ""
	}
	text := fmt.Sprintf("%s of %s requests failed for other reasons than load, most often with %s",
		document.Count(failed), document.Count(o.Requests), strings.TrimSuffix(fmt.Sprintf("%d %s", most.Status, printable(shortened(most.Code))), " "))
	if tableless > 0 {
		text += fmt.Sprintf("; %s of them never reached a table", document.Count(tableless))
	}
	return text + "."
}
