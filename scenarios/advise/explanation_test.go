package advise

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/document"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/run/runtest"
)

// documented are the documents' own targets.
var documented = DocumentedTargets()

// explained explains a scenario by the documents' targets.
func explained(t testing.TB, s *scenarios.Scenario) *Explanation {
	t.Helper()
	e, err := Explain(t.Context(), Options{Scenario: s, Seeds: 1})
	require.NoError(t, err)
	return e
}

// file returns the text of a scenario of testdata.
func file(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name + ".yaml")
	require.NoError(t, err)
	return string(text)
}

func TestDesignThatCannotServe(t *testing.T) {
	text := strings.Replace(file(t, "hours"), "{name: report, verb: insert,",
		"{name: report, verb: batch, entities: 10, together: [site],", 1)
	e := explained(t, runtest.Parse(t, strings.Replace(text, "use: by-hour", "use: by-site", 1), "phases.reports.for=1s",
		"phases.reports.arrivals.poisson=300", "phases.load.entities=400"))
	for _, d := range e.Designs {
		// An hour is shared by what is written at one instant; a bucket of devices is not.
		cannot := d.Name == "by-bucket"
		if got := len(d.Cannot) > 0; got != cannot || got && len(d.Loads) > 0 {
			t.Errorf("design %s cannot serve a transaction by site: %v with %d loads; want %v", d.Name, d.Cannot, len(d.Loads), cannot)
		}
	}
	checkDocument(t, "a design that cannot serve", e.Document(), e.State, 20, "by-bucket cannot serve it", e.Designs[1].Cannot[0])
}

func TestFilesAreReadForEachDesign(t *testing.T) {
	text := strings.Replace(file(t, "hours"), "{list: [north, south, east], weights: [5, 3, 2]}", "{csv: {file: sites.csv, column: site}}", 1)
	s := runtest.Parse(t, strings.NewReplacer("for: 3s", "for: 1s", "poisson: 2600", "poisson: 300").Replace(text))
	opened := 0
	read := func(s *scenarios.Scenario) error {
		return s.ReadFiles(func(string) (io.ReadCloser, error) {
			opened++
			return io.NopCloser(strings.NewReader("site\nhere\nthere\n")), nil
		})
	}
	require.NoError(t, read(s))
	e, err := Explain(t.Context(), Options{Scenario: s, Read: read, Seeds: 1})
	require.NoError(t, err)
	if bySite := e.Designs[2].Loads[0].Keys; bySite.Partitions != 2 || opened != 3 {
		t.Errorf("sites of a file make %v partitions, and the file was opened %d times; want 2 and 3", bySite.Partitions, opened)
	}
}

func TestScenarioWithoutLoad(t *testing.T) {
	text, _, _ := strings.Cut(file(t, "hours"), "  - name: reports")
	e := explained(t, runtest.Parse(t, text))
	d := e.Document()
	assert.Truef(t, e.Ok == nil && e.State == results.Holds && e.Cost.PerMillion == 0 && d.Answer.State == "",
		"a scenario that only loads: %s, %d requests per million, answer %s; want none", e.State, e.Cost.PerMillion, d.Answer.State)
	if page := whole(d); strings.Contains(page, "Designs") {
		t.Errorf("a scenario that only loads has\n%s\nwant no table of designs", page)
	}
}

// What partitions are held to follows from the model that a scenario asks for.
func TestTargetsAreThoseOfTheModel(t *testing.T) {
	s := runtest.Builtin(t, "stress")
	targets, err := TargetsOf(s)
	assert.Truef(t, err == nil && *targets == DocumentedTargets(), "TargetsOf(stress) = %+v, %v; want the documents' own", targets, err)
	require.NoError(t, s.Set("model.partition_target", "500"))
	if targets, err = TargetsOf(s); err != nil || targets.Partition != 500 || targets.Account != 20_000 || targets.Accounts != 1 {
		t.Errorf("TargetsOf with a target of its own = %+v, %v; want 500 of one partition", targets, err)
	}
	s.Model.Profile = "documentd"
	if _, err := TargetsOf(s); err == nil {
		t.Error("TargetsOf a profile that does not exist = no error; want one")
	}
}

func TestTheAnswerIsAboutTheRateAsked(t *testing.T) {
	for _, row := range []struct {
		name, arrivals string
		asked          float64
		spreadOver     time.Duration
	}{
		{"a rate below one", "constant: 0.3", 0.3, 0},
		{"random arrivals, of which some second has more", "poisson: 1000", 1000, 0},
		{"a burst", "burst: {base: 100, peak: 1000, every: 3s, length: 1s}", 1000, 0},
		{"a ramp", "ramp: {from: 10, to: 1000}", 1000, 0},
		{"a swing", "sine: {mean: 600, amplitude: 400, period: 4s}", 1000, 0},
		{"half a crest", "sine: {mean: 600, amplitude: 400, period: 72s}", 800, 0},
		{"the highest of several steps", "steps: {rates: [5, 20, 10], each: 2s}", 20, 0},
		{"whole seconds of a trace, which asks for no rate", "trace: seconds.csv", 0, time.Second},
	} {
		text := file(t, "rates")
		if row.asked == 20 || row.spreadOver > 0 {
			text = strings.Replace(text, "for: 6s, ", "", 1)
		}
		s := runtest.Parse(t, strings.Replace(text, "constant: 1}", row.arrivals+"}", 1))
		err := s.ReadFiles(func(string) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader("instant,operation,PartitionKey,RowKey\n1,insert,a,1\n1,insert,a,2\n2,insert,a,3\n")), nil
		})
		require.NoError(t, err)
		e := explained(t, s)
		load := e.Used().Loads[0]
		if claimed := e.Document().Answer.Number; row.asked > 0 && claimed != document.Rate(row.asked) {
			t.Errorf("%s: the claim names %s; want the rate asked", row.name, claimed)
		}
		if load.Asked != row.asked || row.asked == 0 && load.PerSecond != 2 || e.State != results.Holds || e.SpreadOver != row.spreadOver {
			t.Errorf("%s: asked %v, %v in the busiest second, %s, spread over %v; want %v, 2 of the trace, holds, %v", row.name, load.Asked,
				load.PerSecond, e.State, e.SpreadOver, row.asked, row.spreadOver)
		}
	}
}

// Partitions that are hot for a part of a second only: the claim names their rate while they are hot, which follows from
// the number of rooms, and not the lower count of a whole second.
func TestClaimNamesTheRateOfBriefPartitions(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 6 {
		rooms := 2 + random.IntN(4)
		rate := 2300 + 300*random.Float64() // of each room
		hour := 0.4 + 0.2*random.Float64()  // in seconds
		s := runtest.Parse(t, file(t, "rooms"), fmt.Sprintf("attributes.room.uniform=[1, %d]", rooms),
			fmt.Sprintf("phases.day.arrivals.constant=%.0f", rate*float64(rooms)), fmt.Sprintf("attributes.at.speed=%.0f", 3600/hour))
		e := explained(t, s)
		number, of, found := strings.Cut(e.Document().Answer.Beside, " of ")
		got, err := strconv.ParseFloat(strings.ReplaceAll(number, ",", ""), 64)
		require.NoError(t, err)
		name := fmt.Sprintf("%d rooms of %.0f/s, each hour %.2f s: %s, %s", rooms, rate, hour, e.State, e.Document().Answer.Beside)
		assert.True(t, found && strings.HasPrefix(of, "2,000/s"), name)
		assert.Equal(t, results.DoesNotHold, e.State, name)
		assert.InEpsilon(t, rate, got, 0.1, name)
		hottest, _ := e.Used().peaks()
		assert.Less(t, hottest.Hottest.Value, 2000.0, name)
	}
}
