package advise

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/document"
	"loadgen/results"
	"loadgen/scenarios/run/runtest"
)

// whole is all that a document says, with titles and cells.
func whole(d *document.Document) string { return fmt.Sprint(d.Sections) }

// height is how many lines a screen has, an empty one before each block.
func height(screen []document.Block) (lines int) {
	for _, block := range screen {
		lines++
		switch b := block.(type) {
		case document.Facts:
			lines += len(b.Lines)
		case document.Table:
			lines += 1 + len(b.Rows) + len(b.Notes)
		}
	}
	return lines
}

// cellOf is what stands in a column of a table's row.
func cellOf(t *testing.T, table document.Table, row int, title string) string {
	t.Helper()
	for i, column := range table.Columns {
		if column.Title == title {
			return table.Rows[row][i].Text
		}
	}
	t.Fatalf("the table %s has no column %q", table.ID, title)
	return ""
}

// The answer is beside the commonest figures, and says the figures or settings that it rests on.
func TestAnswers(t *testing.T) {
	const onePlace = "design.partition_key={id:012d}"
	for _, row := range []struct {
		sentence                   string
		set                        []string
		targets                    Targets
		seeds                      int
		state, number, beside, say string
	}{
		{"what holds", nil, documented, 0, results.Holds, "300", "300 of 20,000/s an account", "7 seeds"},
		{"what does not", []string{byHour, faster, briefly}, documented, 1, results.DoesNotHold, "3,000", "3,000 of 2,000/s a partition", "26.7%"},
		{"inserts on one place of a warm table", []string{onePlace, faster, briefly}, documented, 1, results.CannotTell, "3,000", "3,000 of 20,000/s an account", "start=cold"},
		{"the same of a cold one", []string{onePlace, faster, briefly, "start=cold"}, documented, 1, results.DoesNotHold, "3,000", "", "26.7%"},
		{"a check that fails", []string{"expect=[p50(save) < 1us]"}, documented, 1, results.Holds, "300", "", "p50(save) < 1us"},
		{"targets of one's own", nil, Targets{Partition: 50, Account: 1000, Accounts: 1}, 1, results.Holds, "300", "300 of 1,000/s an account", "2,000 and 20,000"},
		{"no limit", nil, Targets{Accounts: 1}, 1, results.Holds, "300", "", ""},
		{"an account's alone", nil, Targets{Account: 1000, Accounts: 1}, 1, results.Holds, "300", "300 of 1,000/s an account", ""},
	} {
		e, err := Explain(t.Context(), Options{Scenario: judged(t, saves, row.set...), Targets: &row.targets, Seeds: row.seeds})
		require.NoError(t, err)
		a := e.Document().Answer
		assert.Truef(t, a.State == row.state && e.State == row.state && a.Number == row.number && strings.HasSuffix(a.Beside, row.beside),
			"%s: %s %s beside %q; want %s %s beside %q", row.sentence, a.State, a.Number, a.Beside, row.state, row.number, row.beside)
		assert.Containsf(t, strings.Join(a.Says, " "), row.say, "%s: the answer says", row.sentence)
		assert.Emptyf(t, e.Used().untried(2000, false), "%s: a cold table tries its ranges", row.sentence)
	}
}

// Where seeds disagree chance has the last word, and nobody can tell.
func TestAnswerThatChanceTurns(t *testing.T) {
	r := &Rehearsal{record: new(results.Record), Operations: 900, Attempts: 1000, Whole: true, Throttled: 0.004, Least: 0.004, Most: 0.007, Seeds: 2,
		loads: []string{results.Holds, results.DoesNotHold}}
	near := Load{Phase: "day", PerSecond: 1900, Hottest: Hottest{Rate: exactly(2100), PartitionKey: "k"}}
	e := Explanation{Targets: documented, Designs: []Design{{InUse: true, PartitionKey: "{k}", Loads: []Load{near}, Rehearsal: r}}}
	e.State, e.Ok, e.Why = e.answer()
	a := e.claim()
	if a.Claim != "CANNOT TELL at 1,900 operations/s" || a.Beside != "2,100 of 2,000/s a partition" || e.Ok != nil ||
		!strings.Contains(a.Says[0], "from 0.4% to 0.7%") {
		t.Errorf("seeds that disagree: %q beside %q, %q; want that it cannot be told", a.Claim, a.Beside, a.Says)
	}
}

// Of a load of which only the first part was looked at, what that throttles counts: unless
// load balancing may relieve the rest.
func TestStateOfAPart(t *testing.T) {
	for start, want := range map[string]string{"warm": results.DoesNotHold, "cold": results.CannotTell} {
		r := &Rehearsal{Operations: 1000, Throttled: 0.3, failing: map[string]bool{"day": true},
			record: &results.Record{Manifest: results.Manifest{Start: start}}}
		assert.Equalf(t, want, r.load(1e6), "a thousandth of a load on a %s table, of which 30%% is throttled", start)
		if r.failing = nil; r.load(1e6) != results.CannotTell {
			t.Errorf("a thousandth of a load on a %s table that throttles nothing: %s; want that it cannot be told", start, r.load(1e6))
		}
	}
}

// What a scenario comes to fits one screen, is the same each time, and the whole has each finding.
func TestDocumentOfScenario(t *testing.T) {
	e := explained(t, runtest.Parse(t, file(t, "hours")))
	d := e.Document()
	first, err := json.Marshal(explained(t, judged(t, ofUser, slowly)).Document())
	again, other := json.Marshal(explained(t, judged(t, ofUser, slowly)).Document())
	assert.Truef(t, err == nil && other == nil && bytes.Equal(first, again),
		"two explanations of one scenario differ: %v, %v\n%s\n%s", err, other, first, again)
	for _, key := range strings.Fields("scenario about verdict basis targets designs cost findings") {
		assert.Truef(t, bytes.Contains(first, []byte(`"`+key+`":`)), "the JSON has no %q", key)
	}
	says := []string{"Design by-hour", "table scan", "design by-bucket", "cold-start"}
	for _, f := range e.Findings {
		says = append(says, f.ID)
		if f.Verdict != NotApplicable {
			says = append(says, f.Evidence)
		}
	}
	checkDocument(t, "hours", d, results.DoesNotHold, 20, says...)
	for i, want := range []string{"one moving point", "spread", "spread"} {
		assert.Equalf(t, want, cellOf(t, d.Screen[0].(document.Table), i, "insert order"), "inserts of design %d come", i)
	}
}

// checkDocument checks the state, how many lines the screen has at most, and what the whole says.
func checkDocument(t *testing.T, name string, d *document.Document, state string, most int, says ...string) {
	t.Helper()
	assert.Equalf(t, state, d.Answer.State, "%s: the state", name)
	if lines := height(d.Screen); lines > most {
		t.Errorf("%s: the screen has %d lines below the answer; want %d at most:\n%v", name, lines, most, d.Screen)
	}
	all := whole(d) + strings.Join(d.Answer.Says, "\n")
	for _, want := range says {
		assert.Containsf(t, all, want, "%s: the document has no %q:\n%s", name, want, all)
	}
}

// What keys come to fits a few lines, whatever was asked of them.
func TestDocumentOfKeys(t *testing.T) {
	good := columns("PartitionKey,instant,colour", 500, func(i int) string {
		return fmt.Sprintf("%d,%s,red", (i*i)%19, time.Unix(1_780_000_000+int64(i), 0).UTC().Format(time.RFC3339))
	})
	const holds, fails, untold = results.Holds, results.DoesNotHold, results.CannotTell
	for _, row := range []struct {
		sentence, text string
		perSecond      float64
		state          string
		claim, beside  string
		says           string
	}{
		{"a rate that they carry", good, 2500, holds, "2,500 ", "18,868/s", "colour"},
		{"no rate", good, 0, holds, "18,868 ", "", "rate"},
		{"a rate that they do not carry", good, 19_000, fails, "19,000 ", "18,868/s", "PartitionKey"},
		{"keys that no table takes", good + "a/b,,red\nx\x1b[31m,,red\n", 2500, fails, "valid-keys", "18,868/s", `line 502, "a/b"`},
		{"no instants", "PartitionKey\na\nb\n", 3000, untold, "3,000 ", "4,000/s", "unknown"},
		{"no instants and no rate", "PartitionKey\na\nb\n", 0, untold, "4,000 ", "", "unknown"},
		{"keys that fill the account first", columns("PartitionKey", 400, strconv.Itoa), 0, untold, "20,000 ", "", "unknown"},
		{"keys that fill the end of the index", columns("PartitionKey,instant", 9000, func(i int) string {
			return fmt.Sprintf("%06d,%d", i/100, 1_780_000_000+i)
		}), 0, holds, "2,000 ", "", "one place"},
		{"no keys", "PartitionKey,entities\na,0\n", 0, untold, "no keys", "", "0 entities"},
	} {
		k := judgedKeys(t, row.text, row.perSecond)
		d := k.Document()
		if a := d.Answer; !strings.Contains(a.Claim, row.claim) || !strings.Contains(a.Beside, row.beside) || k.State != row.state {
			t.Errorf("%s: %s, %q beside %q; want %s, %q beside %q", row.sentence, k.State, a.Claim, a.Beside, row.state, row.claim, row.beside)
		}
		checkDocument(t, row.sentence, d, row.state, 11-len(d.Answer.Says), row.says)
	}
}
