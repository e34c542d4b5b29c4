package trial

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/backoff"
	"loadgen/report/document"
	"loadgen/report/text"
	"loadgen/results"
	"loadgen/results/resultstest"
)

func tried(name string, lost int64, attempts float64) results.PolicyTrial {
	return results.PolicyTrial{Policy: name, Caught: 1000, Lost: lost, LostPercent: float64(lost) / 10, LostDoubt: 1,
		AttemptsPerOperation: attempts, Goodput: 123.4, DrainS: 2.5, PeakRetries: 77}
}

func contestAmong(trials ...results.PolicyTrial) *results.PolicyContest {
	c := &results.PolicyContest{Trouble: "an outage of 15 s", Clients: 500, OperationsPerSecondEachClient: 1, Seed: 1,
		LeadS: 5, TroubleS: 15, TailS: 10, Policies: trials}
	newRanking(c)
	return c
}

// row returns the cells of a row by the titles of their columns.
func row(t *testing.T, block document.Block, at int) map[string]string {
	t.Helper()
	table := block.(document.Table)
	cells := map[string]string{}
	for i, column := range table.Columns {
		cells[strings.TrimSpace(column.Group+" "+column.Title)] = table.Rows[at][i].Text
	}
	return cells
}

func TestAnswerOfAContest(t *testing.T) {
	cut := contestAmong()
	cut.Verdict = "Ended after 0 of 2 policies: interrupted. " + cut.Verdict
	for _, row := range []struct {
		name              string
		contest           *results.PolicyContest
		claim, says, warn string
		state             string
	}{
		{"the best first, and the worst", contestAmong(tried("azcore", 382, 3.7), tried("documented", 0, 2), tried("js", 650, 1.5)),
			`"documented" loses none`, `"js" loses 65.0% ± 1.0%`, "", ""},
		{"no difference shown", contestAmong(tried("a", 300, 2), tried("b", 310, 2)), "2 of 2 lose 30.0% ± 1.0%", `"a" and "b"`, "", ""},
		{"several lead", contestAmong(tried("a", 0, 2), tried("b", 5, 1), tried("c", 900, 1)), "2 of 3 lose none", `"a" and "b"`, "", ""},
		{"one alone", contestAmong(tried("a", 1000, 2)), `"a" loses all`, "", "", ""},
		{"none at all", contestAmong(), "", "", "", results.CannotTell},
		{"none before it was cut", cut, "", "", "0 of 2 policies", results.CannotTell},
		{"nothing caught", contestAmong(results.PolicyTrial{Policy: "a"}), "", "", "", results.CannotTell},
	} {
		d := Document(row.contest)
		assert.Equal(t, row.state, d.Answer.State, row.name)
		assert.Contains(t, d.Answer.Claim, row.claim, row.name)
		assert.Contains(t, strings.Join(d.Answer.Says, " "), row.says, row.name)
		assert.Contains(t, strings.Join(d.Warnings, " "), row.warn, row.name)
		assert.Equal(t, row.warn == "", len(d.Warnings) == 0, row.name)
	}
}

func TestDocumentOfAContest(t *testing.T) {
	median, fair := 33_063.2, 0.98
	best, held := tried("documented", 0, 2), tried("js+adaptive", 650, 1.5)
	best.Added.P50, best.Fairness, best.Duplicates, held.Withheld = &median, &fair, 12, 400
	trials := []results.PolicyTrial{best, held}
	for range 11 {
		trials = append(trials, tried("azcore", 382, 3.7))
	}
	d := Document(contestAmong(trials...))
	got := row(t, d.Screen[0], 0)
	for title, want := range map[string]string{"policy": "documented", "lost": "0%", "attempts": "2.00", "drain": "2.5", "added, ms p50": "33,063",
		"added, ms p99": document.Untold, "fair": "0.98", "twice": "12", "peak": "77", "goodput": "123"} {
		assert.Equalf(t, want, got[title], "%s of the best", title)
	}
	screen, whole := d.Screen[0].(document.Table), d.Sections[1].Blocks[0].(document.Table)
	assert.Len(t, whole.Rows, len(trials))
	assert.Equal(t, "documented", row(t, screen.Around(8), 0)["policy"], "the first of eight")
	assert.Equal(t, "js+adaptive", row(t, screen.Around(8), 7)["policy"], "the last of eight")
	assert.Contains(t, strings.Join(whole.Notes, " "), "400 ", "the notes")
}

func TestDocumentOfSchedules(t *testing.T) {
	documented := results.RetrySchedule{Policy: "documented", Retries: 1, Formula: "y", Codes: "5xx", Source: "here", Flat: "It is flat.",
		Waits: []results.RetryWait{{Retry: 1, LeastS: 27, MeanS: 33.333, GreatestS: 39, SumLeastS: 27, SumMeanS: 33.333, SumGreatestS: 39}}}
	none := results.RetrySchedule{Policy: "none", Formula: "never", Codes: "nothing"}
	// Two waits of U(0, 2) s are 2 s at most in half of the cases: each is then 2/3 s on average.
	limited, err := backoff.Choose("exponential base=1s multiplier=1 jitter=100% elapsed=2s tries=3")
	require.NoError(t, err)
	waits := Schedule(&limited[0]).Waits
	assert.Equal(t, results.RetryWait{Retry: 1, MeanS: 1, GreatestS: 2, SumMeanS: 1, SumGreatestS: 2}, waits[0])
	assert.InDelta(t, 2./3, waits[1].MeanS, .02)
	assert.InDelta(t, 4./3, waits[1].SumMeanS, .02)
	assert.Equal(t, 2., waits[1].SumGreatestS)
	one := Schedules([]results.RetrySchedule{documented})
	assert.Equal(t, "33.3", row(t, one.Screen[1], 0)["wait, s mean"])
	assert.Equal(t, documented.Flat, one.Screen[2].(document.Paragraph).Text)
	both := Schedules([]results.RetrySchedule{documented, none})
	assert.Equal(t, "39", row(t, both.Screen[0], 0)["first wait, s greatest"])
	assert.Len(t, both.Sections, 2)
	for claim, d := range map[string]*document.Document{"27 to 39 s": one, "never": Schedules([]results.RetrySchedule{none}), "2 retry policies": both} {
		assert.Contains(t, d.Answer.Claim, claim, "the claim")
	}
}

// Keep writes the JSON that is printed, and the charts.
func TestKeepWritesTheContest(t *testing.T) {
	c := contestAmong(tried("documented", 0, 2), tried("js", 650, 3))
	folder := results.Dir(t.TempDir())
	require.NoError(t, Keep(folder, c, []results.RetrySchedule{{Policy: "js"}}))
	var printed strings.Builder
	require.NoError(t, text.JSON(&printed, Document(c).Data))
	for _, name := range []string{"contest.json", "retries.png", "retries.svg", "schedules.png", "schedules.svg"} {
		kept, err := os.ReadFile(filepath.Join(string(folder), name))
		assert.Truef(t, err == nil && len(kept) != 0 && (name != "contest.json" || string(kept) == printed.String()),
			"%s: %v, %d bytes; want it written", name, err, len(kept))
	}
	assert.ErrorIs(t, Keep(results.Dir(filepath.Join(string(folder), "none")), c, nil), results.ErrWrite,
		"Keep in a folder that is not there")
}

// TestMain collects garbage less often, which saves a fifth of the CPU.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	m.Run()
}

// Jain's index over the shares of those clients that had an operation caught.
func TestFairness(t *testing.T) {
	for _, row := range []struct {
		name              string
		caught, succeeded []int64
		want              float64
		none              bool
	}{
		{"all alike", []int64{4, 4}, []int64{2, 2}, 1, false},
		{"one of two has it all", []int64{2, 2}, []int64{2, 0}, 0.5, false},
		{"one of four", []int64{1, 1, 1, 1}, []int64{0, 1, 0, 0}, 0.25, false},
		{"shares count, not operations", []int64{10, 2}, []int64{5, 1}, 1, false},
		{"a client that had none is left out", []int64{2, 0}, []int64{1, 0}, 1, false},
		{"nobody succeeded", []int64{2, 2}, []int64{0, 0}, 0, true},
		{"nothing was caught", []int64{0}, []int64{0}, 0, true},
	} {
		got := (&observer{caught: row.caught, succeeded: row.succeeded}).fairness()
		assert.Truef(t, (got == nil) == row.none && (got == nil || *got == row.want),
			"%s: fairness of %v of %v = %v; want %v", row.name, row.succeeded, row.caught, got, row.want)
	}
}

// Every client has one operation in each round, and not at the same place in all.
func TestClientsTakeTurns(t *testing.T) {
	const clients, rounds = 10, 50
	c := &Contest{Clients: clients, Seed: 1}
	first := map[uint64]bool{}
	for round := range uint64(rounds) {
		seen := map[uint64]bool{}
		for place := range uint64(clients) {
			seen[c.clientOf(round*clients+place)] = true
		}
		assert.Lenf(t, seen, clients, "round %d: clients have an operation", round)
		first[c.clientOf(round*clients)] = true
	}
	assert.Truef(t, len(first) >= clients-2, "%d clients begin a round in %d; want nearly all %d", len(first), rounds, clients)
}

// If attempts are throttled with probability p, an operation has (1 − p^(R+1))/(1 − p) attempts.
func TestAmplificationByChance(t *testing.T) {
	for _, row := range []struct {
		retries             int
		attempts, throttled int64
		want                float64
	}{{3, 100, 30, 1 + .3 + .09 + .027}, {2, 10, 10, 3}, {5, 10, 0, 1}, {5, 0, 0, 0}} {
		phase := results.Phase{Kinds: []results.KindStats{{Counts: results.Counts{Attempts: row.attempts, Throttled: row.throttled}}}}
		o := &observer{contest: &Contest{}}
		got := o.trial(&Contestant{Policy: backoff.Policy{Retries: row.retries}}, &results.Record{Phases: []results.Phase{phase, phase, phase}})
		assert.InDelta(t, row.want, got.AmplificationByChance, 1e-9, "%d retries, %d of %d throttled", row.retries, row.throttled, row.attempts)
	}
}

func TestNarrativeNamesFields(t *testing.T) {
	for i, evidence := range []any{new(Contest), new(ranking), new(results.RetrySchedule), new(policyText)} {
		place := []string{"=== trouble", "=== claim", "=== schedule", "=== codes"}
		_, text, _ := strings.Cut(narrativeTable, place[i])
		if i+1 < len(place) {
			text, _, _ = strings.Cut(text, place[i+1])
		}
		resultstest.CheckNarrative(t, text, evidence, document.SentenceFuncs())
	}
}
