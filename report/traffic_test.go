package report_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/rest"
	"loadgen/results"
	"loadgen/results/resultstest"
	"loadgen/scenarios/capture"
)

// observed plays traffic to an observer and reads the record back.
func observed(t testing.TB, traffic func(saw func(rest.Seen))) *results.Record {
	t.Helper()
	m := manifest()
	m.Command, m.Scenario.Name, m.Target = []string{"loadgen", "serve", "--examine"}, "observed", results.Embedded
	m.Time, m.Retry, m.PartitionKey, m.Operations = "real", "", "", capture.Kinds()
	return resultstest.Play(t, m, 7*time.Second, func(r *results.Recorder) {
		observer, err := capture.New(capture.Options{Recorder: r})
		require.NoError(t, err, "New")
		var requests []rest.Seen
		traffic(func(r rest.Seen) { requests = append(requests, r) })
		slices.SortStableFunc(requests, func(a, b rest.Seen) int { return cmp.Compare(a.Done, b.Done) })
		for i := range requests {
			observer.Saw(&requests[i])
		}
		require.NoError(t, observer.End(), "End")
	})
}

// busy is an application that reads one partition harder than it serves, retries
// after half a second, scans, and inserts under a key for each second.
func busy(saw func(rest.Seen)) {
	const ms = clock.Instant(time.Millisecond)
	served := map[time.Duration]int{}
	for i := range 6 * 300 {
		at := clock.Instant(i) * 1000 * ms / 300
		r := rest.Seen{Arrived: at, Verb: entity.Get, Table: "registrations", PartitionKey: "2011 New York City Marathon__Full",
			HasPartition: true, RowKey: fmt.Sprint(i), ClientRequestID: fmt.Sprint("get", i)}
		for range 2 {
			r.Done, r.Status, r.Code, r.Counted, r.Returned = r.Arrived+2*ms, 503, entity.ServerBusy, 0, 0
			if second := r.Arrived.Offset().Truncate(time.Second); served[second] < 200 {
				served[second]++
				r.Done, r.Status, r.Code, r.Counted, r.Returned = r.Arrived+3*ms, 200, "", 1, 1
			}
			saw(r)
			if r.Code == "" {
				break
			}
			r.Arrived = r.Done + 500*ms
		}
	}
	for i := range 60 {
		at := clock.Instant(i) * 100 * ms
		saw(rest.Seen{Arrived: at, Done: at + 90*ms, Verb: entity.Query, Table: "registrations", Status: 200, Counted: 300, Returned: 3,
			Spans: []rest.Span{{PartitionKey: "2011 Berlin Marathon__Full", Counted: 200}, {PartitionKey: "2011 Berlin Marathon__Half", Counted: 100}},
			Shape: "PartitionKey ge ? and PartitionKey lt ? and Age gt ?", Class: "partition range scan", ClientRequestID: fmt.Sprint("scan", i)})
		saw(rest.Seen{Arrived: at, Done: at + 5*ms, Verb: entity.Insert, Inserts: true, Table: "log", PartitionKey: fmt.Sprintf("2011-11-06T09:40:%02d", i/2),
			HasPartition: true, RowKey: fmt.Sprintf("%06d", i), Status: 204, Counted: 1})
		saw(rest.Seen{Arrived: at, Done: at + ms, Status: 403, Code: entity.AuthenticationFailed})
	}
	saw(rest.Seen{Arrived: 0, Done: ms, Verb: entity.CreateTable, Table: "log", Status: 409, Code: entity.TableAlreadyExists})
}

// quiet is an application that asks little.
func quiet(saw func(rest.Seen)) {
	const ms = clock.Instant(time.Millisecond)
	for i := range 50 {
		at := clock.Instant(i) * 100 * ms
		saw(rest.Seen{Arrived: at, Done: at + 4*ms, Verb: entity.Get, Table: "registrations", PartitionKey: fmt.Sprint("user", i%5),
			HasPartition: true, Status: 200, Counted: 1, Returned: 1, ClientRequestID: fmt.Sprint(i)})
	}
}

// evil is an application whose every name would do harm.
func evil(saw func(rest.Seen)) {
	const ms = clock.Instant(time.Millisecond)
	for i := range 30 {
		at := clock.Instant(i) * 100 * ms
		saw(rest.Seen{Arrived: at, Done: at + 4*ms, Verb: entity.Batch, Table: hostile, PartitionKey: fmt.Sprint(hostile, i),
			HasPartition: true, RowKey: hostile, Inserts: true, Status: 200, Counted: 1, Class: hostile, Shape: hostile + strings.Repeat("世", 200)})
		saw(rest.Seen{Arrived: at, Done: at, Table: hostile, Status: 400, Code: hostile})
		saw(rest.Seen{Arrived: at, Done: at, Verb: entity.Get, Table: " ", PartitionKey: strings.Repeat(" ", 90), HasPartition: true, Status: 200, Counted: 1})
	}
}

func TestTrafficAsItIsRendered(t *testing.T) {
	for _, row := range []struct {
		golden  string
		traffic func(func(rest.Seen))
		change  func(*results.Record)
	}{
		{"observed", busy, nil},
		{"observed_quiet", quiet, nil},
		{"observed_nothing", func(func(rest.Seen)) {}, nil},
		{"observed_hostile", evil, func(r *results.Record) {
			r.Manifest.Operations[0].Name = hostile
			r.Capture.Answers[0].Class = hostile
		}},
		{"observed_crowded", busy, func(r *results.Record) {
			o := r.Capture
			o.PartitionsTold, o.PartitionsDropped, o.Partitions[0].Missed = 1024, 98_765, 12
			o.ShapesTold, o.ShapesDropped, o.Shapes[0].Missed = 256, 4321, 3
		}},
	} {
		record := observed(t, row.traffic)
		if row.change != nil {
			row.change(record)
		}
		resultstest.CheckGolden(t, "testdata/"+row.golden+".golden", text(t, record))
	}
}

// A name that is too long for its column goes on below, and nothing of it is lost.
func TestLongNamesGoOnBelow(t *testing.T) {
	record := observed(t, quiet)
	key := "2011_New_York_City_Marathon_of_the_year__" + strings.Repeat("xyz", 50) + "__Full"
	record.Capture.Partitions[0].PartitionKey = key
	out := text(t, record)
	assert.Containsf(t, strings.Join(strings.Fields(out), ""), `registrations"`+key+`"`, "the text lacks some of the key:\n%s", out)
}

// The widest figures that there can be fit the page.
func TestWidestTrafficFitsThePage(t *testing.T) {
	record := observed(t, busy)
	o, saturation, day := record.Capture, 1e18, results.NewHistogram()
	for range 2000 {
		day.Record(24 * time.Hour)
	}
	for i := range o.Partitions {
		p := &o.Partitions[i]
		p.Entities, p.Requests, p.Throttled, p.Busiest, p.Typical, p.Saturation = 1e18, 1e18, 1e18-1, 1e18, 1e18, &saturation
		p.Missed, p.PartitionKey = 1, strings.Repeat("世", 99)
	}
	for i := range o.Shapes {
		s := &o.Shapes[i]
		s.Requests, s.Throttled, s.Scanned, s.Returned, s.Missed = 1e18, 1e18-1, 999_999, 999_998, 1
	}
	for k := range record.Phases[0].Kinds {
		kind := &record.Phases[0].Kinds[k]
		kind.Attempts, kind.Ok, kind.Throttled, kind.Failed, kind.Operations = 1e15, 1e15, 1e15, 1e15, 1
		kind.Response, kind.Service[results.Ok] = day, day
	}
	text(t, record)
}
