package report

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/report/document"
	"loadgen/report/text"
	"loadgen/results"
	"loadgen/results/resultstest"
)

// generated is the record of two seconds of a generator, of which one was looked
// at: 500 attempts in a fifth of a second of CPU.
func generated(change func(*results.Record)) *results.Record {
	free := int64(201)
	busiest := &results.Health{Second: 1, Lasted: time.Second, CPU: 200 * time.Millisecond, StoodStill: 25 * time.Millisecond}
	record := &results.Record{
		Manifest:  results.Manifest{Target: results.Embedded},
		Intervals: []results.Interval{{Second: 0, Counts: results.Counts{Attempts: 900}}, {Second: 1, Counts: results.Counts{Attempts: 500}, Generator: busiest}},
		Generator: &results.Generator{
			Ceiling: &results.Ceiling{Over: results.OverHTTP, Lanes: 64, Operations: 13_440, Took: 400 * time.Millisecond, CPU: 762 * time.Millisecond},
			Cores:   2, Workers: 256, CPUKnown: true, Seconds: 1, CPU: 200 * time.Millisecond,
			Pauses: 1420 * time.Microsecond, LongestPause: 786 * time.Microsecond,
			StoodStill: 30 * time.Millisecond, LongestStill: 25 * time.Millisecond,
			LeastFree: &free, Goroutines: 1324, Heap: 26 << 20, Busiest: busiest,
		}}
	if change != nil {
		change(record)
	}
	return record
}

// addSilences adds seven stretches in which the target answered nothing, and a second that was late.
func addSilences(r *results.Record) {
	r.Phases = []results.Phase{{End: 2 * time.Second, Reported: true}}
	r.Intervals[1].Sent, r.Intervals[1].Late = 500, 300
	for i := range 7 {
		from := time.Second + time.Duration(i)*time.Second/2
		r.Intervals[1].Generator.Unanswered = append(r.Intervals[1].Generator.Unanswered,
			results.Stretch{From: from, To: from + 300*time.Millisecond, Waiting: 9})
	}
}

func TestGeneratorBesideTheBooks(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(*results.Record)
		// figures are what is told, in this order; "!" stands before what is not.
		figures []string
	}{
		{"all that there is to tell", nil, []string{"33,600 operations/s", "64 under way", "56.7 µs", "10.0% of 2 cores", "10.0%", "400 µs",
			"the engine's", "26 MiB", "1,324", "1.42 ms", "0.786 ms", "30.0 ms", "25.0 ms", "201", "256", "!late in"}},
		{"a target of its own, called directly, on a system that tells less", func(r *results.Record) {
			r.Manifest.Target, r.Generator.Ceiling.Over, r.Generator.CPUKnown, r.Generator.LeastFree = "https://t", results.OverNothing, false, nil
		}, []string{"33,600", "64 under way", "26 MiB", "1,324", "1.42 ms", "25.0 ms", "!µs an", "!201"}},
		{"another's service", func(r *results.Record) { r.Manifest.Target, r.Generator.Ceiling = "https://t", nil },
			[]string{"10.0% of 2 cores", "400 µs", "26 MiB", "201", "!33,600", "!engine"}},
		{"a second that was late", addSilences, []string{"201", "late in 1 of 2 seconds"}},
		{"no attempt", func(r *results.Record) { r.Intervals, r.Generator.Ceiling = nil, nil }, []string{"– µs an attempt"}},
		{"a second that was too short", func(r *results.Record) { r.Generator.Seconds, r.Generator.Ceiling = 0, nil },
			[]string{"too short", "!%", "!ms"}},
		{"nobody looked", func(r *results.Record) { r.Generator = nil }, []string{"!Generator"}},
	} {
		a := &author{Record: generated(row.change)}
		a.generator()
		got := strings.Join(strings.Fields(string(text.Write(&document.Document{Sections: a.Sections}, text.Look{Verbose: true}))), " ")
		rest := got
		for _, figure := range row.figures {
			absent, not := strings.CutPrefix(figure, "!")
			_, after, found := strings.Cut(rest, figure)
			assert.Truef(t, (!not || !strings.Contains(got, absent)) && (not || found),
				"%s: the page says\n%s\nwant %q", row.name, got, figure)
			if found {
				rest = after
			}
		}
	}
}

// Five of the times in which a target answered nothing are told, and how many more.
func TestSilencesOfTheTarget(t *testing.T) {
	a := &author{Summary: &results.Summary{Validity: results.Valid}, Record: generated(addSilences)}
	a.validity()
	items := a.Sections[0].Blocks[1].(document.List).Items
	got := items[len(items)-6:]
	assert.Truef(t, strings.Contains(got[0], "1.0 to 1.3 s") && strings.Contains(got[4], "3.0 to 3.3 s") && strings.Contains(got[5], "2 times more"),
		"silences = %q; want the first five, and two more", got)
}

func TestRulesNameEvidence(t *testing.T) {
	resultstest.CheckNarrative(t, narrativeTable, new(author), document.SentenceFuncs())
	resultstest.CheckNarrative(t, runTable, new(listed), document.SentenceFuncs())
	resultstest.CheckNarrative(t, patternTable, new(patternPage), document.SentenceFuncs())
}
