package capture_test

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/accesslog"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/scenarios/capture"
)

func TestKindsAreThoseOfTheVerbs(t *testing.T) {
	s := open(t, capture.Options{})
	for verb := range entity.DeleteTable + 3 {
		s.saw(accesslog.Observed{Arrived: ms, EndToEnd: ms, Verb: verb, Status: 200})
	}
	for k, kind := range s.end().Phases[0].Kinds {
		name, want := capture.Kinds()[k].Name, int64(1)
		if name == "other" {
			want = 3
		}
		assert.Equal(t, want, kind.Attempts, name)
	}
}

func TestMemoryDoesNotGrowWithTheTraffic(t *testing.T) { memoryDoesNotGrow(t, 70_000) }

// memoryDoesNotGrow has an observer see so many different partitions, ids and
// filters, as of a hostile or merely large application.
func memoryDoesNotGrow(t *testing.T, many int64) {
	t.Helper()
	s := open(t, capture.Options{})
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range many {
		number := strconv.FormatInt(i, 10)
		at := clock.Instant(i) * ms / 50
		r := accesslog.Observed{Arrived: at, EndToEnd: ms, Verb: entity.Query, Table: "t" + number[len(number)-1:], PartitionKey: number,
			HasPartition: true, Status: 503, Code: entity.ServerBusy, Shape: number, Class: "point", ClientRequestID: number}
		if i%20 == 7 {
			r.PartitionKey, r.Shape, r.Status, r.Code, r.Counted = "hot", "hot ?", 200, "", 1
		}
		s.saw(r)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	grown := int64(after.HeapAlloc) - int64(before.HeapAlloc)
	assert.Truef(t, grown <= 64<<20, "the observer holds %d MiB; want at most 64", grown>>20)
	o := s.end().Capture
	share := many / 20
	hot := o.Partitions[0]
	assert.Truef(t, hot.PartitionKey == "hot" && hot.Entities <= share && hot.Entities+hot.Missed >= share && hot.Entities >= share*9/10,
		"the hottest partition = %+v; want \"hot\" with %d entities, or a few less", hot, share)
	top := o.Shapes[0]
	assert.Truef(t, top.Shape == "hot ?" && top.Scanned >= share*9/10, "the heaviest shape = %+v; want \"hot ?\"", top)
	assert.Truef(t, o.PartitionsTold == capture.DefaultPartitions && o.PartitionsDropped >= many*8/10 && o.ShapesTold == capture.DefaultShapes,
		"%d partitions and %d shapes told apart, %d dropped", o.PartitionsTold, o.ShapesTold, o.PartitionsDropped)
	assert.EqualValues(t, capture.DefaultRetries, many-share-o.Forgotten, "operations were not forgotten")
}

func TestHostileTextsAreKeptShort(t *testing.T) {
	s := open(t, capture.Options{})
	long := strings.Repeat("ä", 100_000)
	for i := range 30 {
		r := named(insert(time.Duration(i)*ms, long, "x"+long, long+fmt.Sprint(i)), long)
		r.Verb, r.Shape, r.Class, r.Code = entity.Batch, "x"+long, long, ""
		s.saw(r)
		s.saw(answered(get(time.Duration(i)*ms, "\xff\x00\x1b[2J", "\u202e"), entity.Code(long)))
	}
	o := s.end().Capture
	for _, text := range []string{o.Partitions[0].PartitionKey, o.Partitions[0].Table, o.Shapes[0].Shape, o.Shapes[0].Class,
		o.Answers[0].Code, o.Orders[0].Table} {
		assert.Truef(t, len(text) <= 4096 && len(text) >= 200 && utf8.ValidString(text),
			"a text of %d bytes is kept, valid UTF-8: %t; want a few hundred", len(text), utf8.ValidString(text))
	}
}

// FuzzObserver holds that no traffic opens the books or makes the observer panic.
func FuzzObserver(f *testing.F) {
	f.Add([]byte("a throttled insert, and a scan"))
	f.Add([]byte{0, 255, 7, 130, 9, 9, 9, 1, 2, 3, 4, 5, 6, 7, 8, 200, 100, 50})
	f.Fuzz(func(t *testing.T, traffic []byte) {
		s := open(t, capture.Options{Partitions: 3, Shapes: 2, Tables: 2, Retries: 2, Window: 3 * time.Second, Hold: time.Second})
		at := clock.Instant(0)
		for i := 0; i+3 < len(traffic); i += 4 {
			a, b, c, d := traffic[i], traffic[i+1], traffic[i+2], traffic[i+3]
			at += clock.Instant(a) * 20 * ms
			r := accesslog.Observed{Arrived: at, EndToEnd: time.Duration(d%8) * ms, Verb: entity.Verb(b % 14), Table: string(rune('a' + c%3)),
				PartitionKey: string(rune(d)), HasPartition: c%2 == 0, RowKey: string(rune(c)), Inserts: c%3 == 0, Counted: int64(d), Status: 200,
				ClientRequestID: strings.Repeat("x", int(b%4)), AccountBusy: d%5 == 0}
			if a == 1 {
				r.Status, r.Counted = 0, 0
			}
			switch c % 5 {
			case 1:
				r = throttled(r)
			case 2:
				r = answered(r, entity.ResourceNotFound)
			case 3:
				r.Shape, r.Spans = string(rune(c)), []accesslog.Span{{PartitionKey: "a", Counted: int64(a)}, {PartitionKey: "b", Counted: int64(b)}}
			}
			s.saw(r)
		}
		s.end()
	})
}
