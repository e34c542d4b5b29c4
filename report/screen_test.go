package report_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report"
	"loadgen/report/document"
	layout "loadgen/report/text"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/resultstest"
)

// situation is a record that asks for a first screen of its own, as it is sealed, and its document.
type situation struct {
	record *results.Record
	*document.Document
}

var (
	situationsOnce sync.Once
	madeSituations map[string]situation
)

// situations returns all of them by name; they are made once.
func situations(t *testing.T) map[string]situation {
	situationsOnce.Do(func() {
		madeSituations = make(map[string]situation)
		for name, record := range situationRecords(t) {
			madeSituations[name] = situation{record, report.Document(sealed(t, record), record.Summary)}
		}
	})
	return madeSituations
}

func situationRecords(t *testing.T) map[string]*results.Record {
	peak := func(rate float64) *resultstest.Run {
		r := embeddedRun()
		r.Manifest.PeakAsked = rate
		return r
	}
	checked := stress()
	checked.Manifest.Scenario.Name, checked.Manifest.PartitionKey = "bank-transfer", ""
	checked.Manifest.Checks = []string{"share_lost < 60%", "p99 < 20ms", "p99.9 < 1s"}
	workflows := stress()
	workflows.Manifest.Checks = []string{"share_lost < 60%", "throttled < 90%"}
	workflows.Take = func(r *results.Record) {
		withWorkflows(r)
		for i := range r.Invariants {
			r.Invariants[i].Faults = 0
		}
	}
	var rates []int
	for rate := 40; rate <= 400; rate += 40 {
		rates = append(rates, rate)
	}
	invalid := stressRecord(t)
	invalid.Target.Requests++
	invalid.Validity = results.Invalid
	search := stress()
	low, high, p99 := 190.0, 210.0, int64(7_500)
	search.Take = func(r *results.Record) {
		r.Limit = &results.Limit{Of: results.LimitPartition, MaxThrottled: .005, Held: &low, NotHeld: &high,
			By: results.LimitThrottled, Finished: true, StepSeconds: 10, Steps: []results.LimitStep{
				{Rate: 210, Offered: 210, Seconds: 10, ThrottledShare: .051, P99: &p99, Entities: 2001, Outcome: results.LimitThrottled},
				{Rate: 190, Offered: 190, Seconds: 10, P99: &p99, Entities: 1900, Outcome: results.LimitHeld}}}
	}
	interrupted := peak(400)
	interrupted.Validity, interrupted.End, interrupted.Reasons = results.Partial, 8*time.Second, []string{"interrupted"}
	records := map[string]*results.Record{"invalid": invalid, "traffic": observed(t, busy), "cold": moved(t)}
	for name, r := range map[string]*resultstest.Run{"saturates": stress(), "peak_holds": peak(200), "peak_does_not_hold": peak(400),
		"peak_not_reached": interrupted, "checks_fail": checked, "checks_hold": workflows, "ten_steps": steps(2, rates...),
		"search": search, "partial": cut(spoil(steps(4, 100, 400), 9, 50), 4500*time.Millisecond), "emulator": remote(true)} {
		records[name] = r.Record(t)
	}
	return records
}

// Every situation's first screen fits its width and a screen's lines, and says the same in
// colour as without. Marks stand for the colours.
func TestFirstScreens(t *testing.T) {
	for name, d := range situations(t) {
		checkScreens(t, d.Document, layout.Look{Columns: 20}, layout.Look{Columns: 1000, Colour: true}, layout.Look{Columns: 120, ASCII: true})
		var got strings.Builder
		for _, columns := range []int{60, 80, 120} {
			checkScreens(t, d.Document, layout.Look{Columns: columns})
			plain := laidOut(t, d.Document, layout.Look{Columns: columns})
			fmt.Fprintf(&got, "== %d columns\n%s", columns, plain)
			if painted := laidOut(t, d.Document, layout.Look{Columns: columns, Colour: true}); escape.ReplaceAllString(painted, "") != plain {
				t.Errorf("%s, %d columns: the colours change the text:\n%s", name, columns, painted)
			}
		}
		painted := laidOut(t, d.Document, layout.Look{Colour: true})
		fmt.Fprintf(&got, "== colour\n%s== ASCII\n%s", strings.ReplaceAll(painted, "\x1b", "^"), laidOut(t, d.Document, layout.Look{ASCII: true}))
		resultstest.CheckGolden(t, "testdata/screen_"+name+".golden", got.String())
		colour := map[document.Tone]string{document.Good: "1;32m", document.Bad: "1;31m", document.Doubtful: "1;33m", document.Neutral: "1m"}[d.Answer.Tone()]
		assert.Truef(t, colour != "" && strings.Contains(painted, "\x1b["+colour+d.Answer.Tone().Sign()),
			"%s: %q is not marked in its colour", name, d.Answer.State)
		if want, _ := verdict.State(d.record.Summary); d.Answer.State != want || !strings.HasPrefix(d.Answer.Claim, strings.ToUpper(want)) {
			t.Errorf("%s: the answer is %q, %q; want the state %q", name, d.Answer.State, d.Answer.Claim, want)
		}
	}
}

// A figure that run.json has is the same text wherever the document shows it, and every
// renderer has it.
func TestAFigureIsTheSameTextEverywhere(t *testing.T) {
	shown, twice := 0, 0
	for name, d := range situations(t) {
		known := make(map[string]string)
		for _, cell := range sourcedCells(d.Document) {
			place := fmt.Sprint(cell.Source, " times ", cell.Scale)
			if other, seen := known[place]; seen && other != cell.Text {
				t.Errorf("%s: %s is %q and %q", name, place, other, cell.Text)
			} else if seen {
				twice++
			}
			known[place] = cell.Text
			shown++
		}
		for form, render := range renderers() {
			var out strings.Builder
			require.NoError(t, render(&out, d.Document))
			for place, text := range known {
				if form == "csv" {
					text = strings.TrimSuffix(strings.ReplaceAll(strings.TrimSuffix(text, "%"), ",", ""), " s")
				}
				assert.Containsf(t, out.String(), text, "%s as %s lacks %s, %q", name, form, place, text)
			}
		}
		saturation := known["/summary/saturation_entities_per_second times 0"]
		assert.Truef(t, d.Answer.State != results.Saturates || saturation == "" || saturation == d.Answer.Number,
			"%s: the answer says %s, its table %s", name, d.Answer.Number, saturation)
	}
	assert.Truef(t, shown >= 400 && twice >= 100, "%d figures were looked at, %d of them again; want many", shown, twice)
}

// sourcedCells returns the cells of a document's tables that have a place in run.json.
func sourcedCells(d *document.Document) (cells []document.Cell) {
	for _, table := range tablesOf(d) {
		for _, cell := range slices.Concat(table.Rows...) {
			if cell.Source != "" {
				cells = append(cells, cell)
			}
		}
	}
	return cells
}
