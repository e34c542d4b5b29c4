package report_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"loadgen/report"
	"loadgen/report/verdict"
	"loadgen/results"
)

func trial(name string, lost int64, attempts float64) results.PolicyTrial {
	return results.PolicyTrial{Policy: name, Caught: 1000, Lost: lost, LostPercent: float64(lost) / 10, LostDoubt: 1,
		AttemptsPerOperation: attempts, Goodput: 123.4, DrainS: 2.5, PeakRetries: 77}
}

func contest(trials ...results.PolicyTrial) *results.PolicyContest {
	c := &results.PolicyContest{Trouble: "an outage of 15s", Clients: 500, OperationsPerSecondEachClient: 1, Seed: 1,
		LeadS: 5, TroubleS: 15, TailS: 10, Policies: trials}
	verdict.RankPolicies(c)
	return c
}

func TestPoliciesReport(t *testing.T) {
	median := 33_063.2
	best := trial("documented", 0, 2)
	fair := 0.98
	best.Added.P50, best.Fairness, best.Duplicates = &median, &fair, 12
	held := trial("js+adaptive", 650, 1.5)
	held.Withheld = 400
	for _, row := range []struct {
		name    string
		contest *results.PolicyContest
		says    []string
	}{
		{"the best first, with their figures", contest(trial("azcore", 382, 3.7), best, held), []string{
			`Of the 1,000 operations caught in the trouble "documented" loses none.`, `with "documented", at 2.00 attempts an operation.`,
			`Most are lost by "js+adaptive": 65.0 % ± 1.0.`, "33,063", "0.98", "38.2 ± 1.0 %", "400 operations were never sent",
			"an outage of 15s, after 5 s without, and with 10 s of arrivals after it"}},
		{"no difference shown", contest(trial("a", 300, 2), trial("b", 310, 2)), []string{"No difference shown: every policy loses 30.0 % ± 1.0"}},
		{"several lead", contest(trial("a", 0, 2), trial("b", 5, 1), trial("c", 900, 1)), []string{`"a" and "b" lose none`, `Most are lost by "c": 90.0 %`}},
		{"one alone", contest(trial("a", 1000, 2)), []string{`The policy "a" loses all of the 1,000 operations`}},
		{"none at all", contest(), []string{"No policy was tried."}},
		{"nothing caught", contest(results.PolicyTrial{Policy: "a"}), []string{"no operation became due in the trouble"}},
		{"a hostile name", contest(trial("\x1b[2J", 1, 1)), []string{`\x1b[2J`}},
	} {
		var text strings.Builder
		if err := report.Policies(&text, row.contest); err != nil {
			t.Fatal(err)
		}
		said := strings.Join(strings.Fields(text.String()), " ")
		for _, want := range row.says {
			if !strings.Contains(said, want) {
				t.Errorf("%s: the report does not say %q:\n%s", row.name, want, &text)
			}
		}
		if strings.ContainsRune(text.String(), '\x1b') {
			t.Errorf("%s: the report holds an escape", row.name)
		}
		for _, line := range strings.Split(text.String(), "\n") {
			if len([]rune(line)) > 110 {
				t.Errorf("%s: a line of %d columns: %s", row.name, len([]rune(line)), line)
			}
		}
	}
}

func TestSchedulesReport(t *testing.T) {
	var text strings.Builder
	err := report.Schedules(&text, []results.RetrySchedule{
		{Policy: "documented", Formula: "y", Codes: "5xx", Source: "here", Flat: "It is flat.",
			Waits: []results.RetryWait{{Retry: 1, LeastS: 27, MeanS: 33, GreatestS: 39, SumLeastS: 27, SumMeanS: 33, SumGreatestS: 39}}},
		{Policy: "none", Formula: "never", Codes: "nothing"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"retries 5xx", "source: here", "27    33        39", "It is flat.", "it never retries"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the report does not say %q:\n%s", want, &text)
		}
	}
	broken := errors.New("broken")
	for name, err := range map[string]error{
		"Policies": report.Policies(writer{broken}, contest()), "Schedules": report.Schedules(writer{broken}, nil),
		"PoliciesJSON": report.PoliciesJSON(writer{broken}, contest()), "SchedulesJSON": report.SchedulesJSON(writer{broken}, nil),
	} {
		if !errors.Is(err, broken) {
			t.Errorf("%s into a broken writer = %v; want its error", name, err)
		}
	}
}

// writer fails.
type writer struct{ err error }

func (w writer) Write([]byte) (int, error) { return 0, w.err }

// A contest is kept as it is printed, beside what is drawn of it.
func TestDrawPoliciesKeepsTheContest(t *testing.T) {
	c := contest(trial("documented", 0, 2), trial("js", 650, 3))
	folder := results.Dir(t.TempDir())
	if err := report.DrawPolicies(folder, c, []results.RetrySchedule{{Policy: "js"}}); err != nil {
		t.Fatal(err)
	}
	var printed strings.Builder
	if err := report.PoliciesJSON(&printed, c); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"contest.json", "retries.png", "retries.svg", "schedules.png", "schedules.svg"} {
		text, err := os.ReadFile(filepath.Join(string(folder), name))
		if err != nil || len(text) == 0 || name == "contest.json" && string(text) != printed.String() {
			t.Errorf("%s: %v, %d bytes; want it written", name, err, len(text))
		}
	}
	if err := report.DrawPolicies(results.Dir(filepath.Join(string(folder), "none")), c, nil); !errors.Is(err, results.ErrWrite) {
		t.Errorf("DrawPolicies into a folder that is not there = %v; want ErrWrite", err)
	}
}
