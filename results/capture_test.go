package results_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"loadgen/results"
)

func TestCaptureIsReadBackAsItWasTakenDown(t *testing.T) {
	saturation, density := 1998.5, 0.01
	want := &results.Capture{
		Requests: 1, Entities: 2, Unnamed: 3, Forgotten: 4, Delayed: 5, ThrottledByPartition: 6, ThrottledByAccount: 7,
		Partitions: []results.ObservedPartition{{Table: "races", PartitionKey: "\x1b[2J\"世", Entities: 1, Missed: 2, Requests: 3, Throttled: 4,
			AccountThrottled: 5, Seconds: 6, Typical: 7.5, Busiest: 8, Offered: 9, Saturation: &saturation, SaturationInterval: []float64{1, 2}}},
		PartitionsTold: 8, PartitionsDropped: 9,
		Shapes: []results.QueryShape{{Table: "races", Shape: "Price gt ?", Class: "table scan", Requests: 1, Throttled: 2, Scanned: 3, Missed: 4,
			Returned: 5, Density: &density}},
		ShapesTold: 10, ShapesDropped: 11,
		Orders:        []results.KeyOrder{{Table: "races", Partitions: results.Order{Keys: 3, Ascending: 2, Descending: 1}, Rows: results.Order{Keys: 1}}},
		TablesDropped: 12,
		Answers:       []results.Answer{{Status: 403, Code: "AuthenticationFailed", Class: "failed", Requests: 2, Tableless: 1}},
		AnswersOver:   13,
	}
	folder := new(results.Memory)
	recorder := begin(t, folder)
	recorder.Take(func(of *results.Record) { of.Capture = want })
	finish(t, recorder, time.Second)
	if diff := cmp.Diff(want, read(t, folder).Capture); diff != "" {
		t.Errorf("the observation changed (-taken down +read back):\n%s", diff)
	}
}

// A run that sends its own load says nothing of an observation.
func TestOtherRunsHaveNoCapture(t *testing.T) {
	folder := new(results.Memory)
	finish(t, begin(t, folder), time.Second)
	if text := string(folder.Bytes(results.RunFile)); strings.Contains(text, "capture") {
		t.Errorf("%s speaks of an observation:\n%s", results.RunFile, text)
	}
	if read(t, folder).Capture != nil {
		t.Error("the record has an observation")
	}
}

// What becomes known after its second was written counts in a later one, and is
// not misplaced.
func TestWhatIsNotedLaterCountsLater(t *testing.T) {
	folder := new(results.Memory)
	recorder := begin(t, folder)
	phase := recorder.Phase(results.Phase{Name: "observed", Reported: true, End: 9 * time.Second})
	if err := recorder.Advance(5 * time.Second); err != nil {
		t.Fatal(err)
	}
	noted := 5 * time.Second
	recorder.Scheduled(&results.Scheduled{Phase: phase, Intended: time.Second, Sent: 2 * time.Second, Noted: noted})
	recorder.Attempt(&results.Attempt{Class: results.Ok, Phase: phase, Intended: time.Second, Sent: 2 * time.Second, Done: 3 * time.Second, Noted: noted})
	recorder.Completed(&results.Completed{Class: results.Ok, Phase: phase, Intended: time.Second, Done: 3 * time.Second, Noted: noted, Attempts: 1})
	// What was noted before its own second counts in that.
	recorder.Scheduled(&results.Scheduled{Phase: phase, Intended: 6 * time.Second, Sent: 7 * time.Second, Noted: noted})
	recorder.Attempt(&results.Attempt{Class: results.Ok, Phase: phase, Intended: 6 * time.Second, Sent: 7 * time.Second, Done: 8 * time.Second, Noted: noted})
	recorder.Completed(&results.Completed{Class: results.Ok, Phase: phase, Intended: 6 * time.Second, Done: 8 * time.Second, Noted: noted, Attempts: 1})
	finish(t, recorder, 9*time.Second)
	record := read(t, folder)
	if record.Misplaced != 0 {
		t.Errorf("%d counts are misplaced; want none", record.Misplaced)
	}
	var got []int64
	for _, second := range record.Intervals {
		got = append(got, 1000*second.Scheduled+100*second.Sent+10*second.Attempts+second.Operations)
	}
	if diff := cmp.Diff([]int64{0, 0, 0, 0, 0, 1111, 1000, 100, 11}, got); diff != "" {
		text, _ := json.Marshal(record.Intervals)
		t.Errorf("the seconds differ (-want +got):\n%s\n%s", diff, text)
	}
	if took := record.Phases[0].Kinds[0].Response.Max(); took < 1_999_000 || took > 2_001_000 {
		t.Errorf("the longest response took %d µs; want the 2 s to its end, whenever it was noted", took)
	}
}

func TestTailsAreNamedByTheirNumber(t *testing.T) {
	for word, want := range map[string]int{results.Tails(2): 2, results.Tails(64): 64, "2 tails": 2, "": 0, " tails": 0, "tails": 0,
		"two tails": 0, results.AppendOnly: 0, results.HotTail: 0} {
		if got := results.TailsOf(word); got != want {
			t.Errorf("TailsOf(%q) = %d; want %d", word, got, want)
		}
	}
}
