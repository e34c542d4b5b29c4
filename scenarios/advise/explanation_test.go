package advise

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"loadgen/results"
	"loadgen/scenarios"
)

// documented are the documents' own targets.
var documented = DocumentedTargets()

// parsed returns a scenario with values set otherwise, each given as path=value.
func parsed(t testing.TB, text string, set ...string) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range set {
		path, value, _ := strings.Cut(one, "=")
		if err := s.Set(path, value); err != nil {
			t.Fatal(err)
		}
	}
	if faults := s.Validate(); len(faults) > 0 {
		t.Fatalf("%v: %v", set, errors.Join(faults...))
	}
	return s
}

// explained explains a scenario by the documents' targets.
func explained(t testing.TB, s *scenarios.Scenario) *Explanation {
	t.Helper()
	targets, _, err := TargetsOf(s)
	if err != nil {
		t.Fatal(err)
	}
	e, err := Explain(context.Background(), Options{Scenario: s, Targets: targets, Seeds: 1})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// hours returns the scenario of testdata.
func hours(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("testdata/hours.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func builtin(t *testing.T, name string) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestExplanationIsTheSameEachTime(t *testing.T) {
	var documents [2][]byte
	for i := range documents {
		var err error
		if documents[i], err = json.Marshal(explained(t, parsed(t, hours(t), "phases.reports.for=1s")).Document()); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(string(documents[0]), string(documents[1])); diff != "" {
		t.Errorf("two explanations of one scenario differ:\n%s", diff)
	}
	var of struct{ Data map[string]any }
	if err := json.Unmarshal(documents[0], &of); err != nil {
		t.Fatal(err)
	}
	for _, key := range strings.Fields("scenario about verdict basis targets designs cost findings") {
		if _, there := of.Data[key]; !there {
			t.Errorf("the JSON has no %q", key)
		}
	}
}

func TestDesignThatCannotServe(t *testing.T) {
	text := strings.Replace(hours(t), "{name: report, verb: insert,",
		"{name: report, verb: batch, entities: 10, together: [site],", 1)
	e := explained(t, parsed(t, strings.Replace(text, "use: by-hour", "use: by-site", 1), "phases.reports.for=1s"))
	for _, d := range e.Designs {
		// An hour is shared by what is written at one instant; a bucket of devices is not.
		cannot := d.Name == "by-bucket"
		if got := len(d.Cannot) > 0; got != cannot || got && len(d.Loads) > 0 {
			t.Errorf("design %s cannot serve a transaction by site: %v with %d loads; want %v", d.Name, d.Cannot, len(d.Loads), cannot)
		}
	}
	for _, want := range []string{"by-bucket cannot serve it", "It cannot serve the scenario: an entity group transaction"} {
		if page := whole(e.Document()); !strings.Contains(page, want) {
			t.Errorf("the document has no %q:\n%s", want, page)
		}
	}
}

func TestFilesAreReadForEachDesign(t *testing.T) {
	text := strings.Replace(hours(t), "{list: [north, south, east], weights: [5, 3, 2]}", "{csv: {file: sites.csv, column: site}}", 1)
	text = strings.Replace(text, "for: 6s", "for: 1s", 1)
	s, err := scenarios.Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	opened := 0
	read := func(s *scenarios.Scenario) error {
		return s.ReadFiles(func(string) (io.ReadCloser, error) {
			opened++
			return io.NopCloser(strings.NewReader("site\nhere\nthere\n")), nil
		})
	}
	if err := read(s); err != nil {
		t.Fatal(err)
	}
	e, err := Explain(context.Background(), Options{Scenario: s, Read: read, Targets: documented})
	if err != nil {
		t.Fatal(err)
	}
	if bySite := e.Designs[2].Loads[0].Keys; bySite.Partitions != 2 || opened != 3 {
		t.Errorf("sites of a file make %v partitions, and the file was opened %d times; want 2 and 3", bySite.Partitions, opened)
	}
}

func TestScenarioWithoutLoad(t *testing.T) {
	text, _, _ := strings.Cut(hours(t), "  - name: reports")
	e := explained(t, parsed(t, text))
	d := e.Document()
	if !strings.Contains(e.Verdict, "offers load") || e.Ok != nil || e.State != results.Holds || e.Cost.PerMillion != 0 || d.Answer.State != "" {
		t.Errorf("a scenario that only loads: %q, %s, %d requests per million; want that it offers no load",
			e.Verdict, e.State, e.Cost.PerMillion)
	}
	if page := whole(d); !strings.Contains(d.Answer.Claim, "no peak to hold") || strings.Contains(page, "Designs") {
		t.Errorf("a scenario that only loads says %q, and\n%s\nwant no table of designs", d.Answer.Claim, page)
	}
}

var errPipe = errors.New("broken pipe")

func BenchmarkExplain(b *testing.B) {
	s := parsed(b, hours(b))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Explain(context.Background(), Options{Scenario: s, Targets: documented}); err != nil {
			b.Fatal(err)
		}
	}
}

// What partitions are held to follows from the model that a scenario asks for.
func TestTargetsAreThoseOfTheModel(t *testing.T) {
	s, err := scenarios.Builtin("stress")
	if err != nil {
		t.Fatal(err)
	}
	targets, times, err := TargetsOf(s)
	if err != nil || targets != DocumentedTargets() || times.RoundTrip <= 0 || times.Write <= 0 {
		t.Errorf("TargetsOf(stress) = %+v, %+v, %v; want the documents' own, and times", targets, times, err)
	}
	if err := s.Set("model.partition_target", "500"); err != nil {
		t.Fatal(err)
	}
	if targets, _, err = TargetsOf(s); err != nil || targets.Partition != 500 || targets.Account != 20_000 || targets.Accounts != 1 {
		t.Errorf("TargetsOf with a target of its own = %+v, %v; want 500 of one partition", targets, err)
	}
	s.Model.Profile = "documentd"
	if _, _, err := TargetsOf(s); err == nil {
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
		{"the highest of several steps", "steps: {rates: [5, 20, 10], each: 2s}", 20, 0},
		{"whole seconds of a trace, which asks for no rate", "trace: seconds.csv", 0, time.Second},
	} {
		length := "for: 6s, "
		if row.asked == 20 || row.spreadOver > 0 {
			length = ""
		}
		s := parsed(t, fmt.Sprintf(`name: rates
attributes: {id: {sequence: 1}}
entity: {size: 512}
design: {partition_key: "p{id}", row_key: "{id}"}
phases: [{name: day, traffic: {arrivals: {%s}, %soperations: [{verb: insert}]}}]
`, row.arrivals, length))
		err := s.ReadFiles(func(string) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader("instant,operation,PartitionKey,RowKey\n1,insert,a,1\n1,insert,a,2\n2,insert,a,3\n")), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		e := explained(t, s)
		load := e.Used().Loads[0]
		want := row.asked
		if want == 0 {
			want = 2 // the busiest second of the trace
		}
		about := load.Asked
		if about == 0 {
			about = load.PerSecond
		}
		if load.Asked != row.asked || about != want || e.State != results.Holds || e.SpreadOver != row.spreadOver {
			t.Errorf("%s: asked %v, the answer is %s about %v, spread over %v; want holds %v, %v", row.name, load.Asked, e.State, about, e.SpreadOver, want, row.spreadOver)
		}
	}
}
