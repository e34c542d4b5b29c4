package advise

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"loadgen/report/document"
	"loadgen/results"
)

// whole is all that a document says, a cell, a sentence or a title on each line.
func whole(d *document.Document) string {
	var lines []string
	for _, s := range d.Sections {
		lines = append(append(lines, s.Title), texts(s.Blocks)...)
	}
	return strings.Join(lines, "\n")
}

func texts(blocks []document.Block) (lines []string) {
	for _, block := range blocks {
		switch b := block.(type) {
		case document.Paragraph:
			lines = append(lines, b.Text)
		case document.List:
			lines = append(lines, b.Items...)
		case document.Facts:
			lines = append(lines, b.Lines...)
		case document.Table:
			for _, row := range b.Rows {
				for _, cell := range row {
					lines = append(lines, cell.Text)
				}
			}
			lines = append(lines, b.Notes...)
		}
	}
	return lines
}

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

// The answer, the commonest figures beside it and what it says first, of scenarios that
// hold, that do not, and that cannot be told.
func TestAnswers(t *testing.T) {
	for _, row := range []struct {
		sentence      string
		set           []string
		targets       Targets
		claim, beside string
		says          []string
		verdict       string
	}{
		{"what holds", nil, documented, "HOLDS 300 operations/s", "300 of 20,000/s an account",
			[]string{"Of 600 attempts by each of 7 seeds none is throttled.", "PartitionKey"}, "none is throttled. PartitionKey"},
		{"what does not", []string{byHour, faster}, documented, "DOES NOT HOLD 3,000 operations/s", "3,000 of 2,000/s a partition",
			[]string{"30.0 % of the first attempts", "the target of one partition", "PartitionKey {at:hour}: the hottest is", "Form the PartitionKey from more"}, "several partitions."},
		{"inserts that all fall on one place of a warm table", []string{"design.partition_key={id:012d}", faster}, documented,
			"CANNOT TELL at 3,000 operations/s", "3,000 of 20,000/s an account", []string{"start=cold", "{id:012d}", "Begin the PartitionKey"},
			"Begin the PartitionKey"},
		{"the same of a cold one", []string{"design.partition_key={id:012d}", faster, "start=cold"}, documented,
			"DOES NOT HOLD 3,000 operations/s", "", []string{"30.0 % of the first attempts", "the target of one range", "{id:012d}", "Begin the PartitionKey"},
			"Begin the PartitionKey"},
		{"a check that fails", []string{"expect=[p50(save) < 1us]"}, documented, "HOLDS 300 operations/s; 1 of 1 check fails", "300 of 20,000/s an account",
			[]string{"p50(save) < 1us: "}, "p50(save)"},
		{"targets of one's own", nil, Targets{Partition: 50, Account: 1000, Accounts: 1}, "HOLDS 300 operations/s", "300 of 1,000/s an account",
			nil, "Azure's documented targets are 2,000 and 20,000."},
		{"no limit", nil, Targets{Accounts: 1}, "HOLDS 300 operations/s", "", nil, "none is throttled."},
		{"an account's alone", nil, Targets{Account: 1000, Accounts: 1}, "HOLDS 300 operations/s", "300 of 1,000/s an account",
			nil, "HOLDS 300 operations/s (300 of 1,000/s an account)."},
	} {
		s := parsed(t, strings.Replace(judged, "OPERATIONS", saves, 1), row.set...)
		e, err := Explain(context.Background(), Options{Scenario: s, Targets: row.targets})
		if err != nil {
			t.Fatal(err)
		}
		a := e.Document().Answer
		if !strings.HasPrefix(a.Claim, row.claim) || !strings.HasSuffix(a.Beside, row.beside) || a.State != e.State || !strings.Contains(e.Verdict, row.verdict) {
			t.Errorf("%s: %q beside %q, %s, %q; want %q beside %q, %q", row.sentence, a.Claim, a.Beside, a.State, e.Verdict, row.claim, row.beside, row.verdict)
		}
		for i, want := range row.says {
			if len(a.Says) <= i || !strings.Contains(a.Says[i], want) {
				t.Errorf("%s: the answer says %q; want %q in its line %d", row.sentence, a.Says, want, i+1)
			}
		}
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
		!strings.Contains(a.Says[0], "from 0.4 % to 0.7 %") {
		t.Errorf("seeds that disagree: %q beside %q, %q; want that it cannot be told", a.Claim, a.Beside, a.Says)
	}
}

// Of a load of which only the first part was looked at, what that throttles counts: unless
// load balancing may relieve the rest.
func TestStateOfAPart(t *testing.T) {
	for start, want := range map[string]string{"warm": results.DoesNotHold, "cold": results.CannotTell} {
		r := &Rehearsal{Operations: 1000, Throttled: 0.3, failing: map[string]bool{"day": true},
			record: &results.Record{Manifest: results.Manifest{Start: start}}}
		if got := r.load(1e6); got != want {
			t.Errorf("a thousandth of a load on a %s table, of which 30 %% is throttled: %s; want %s", start, got, want)
		}
		if r.failing = nil; r.load(1e6) != results.CannotTell {
			t.Errorf("a thousandth of a load on a %s table that throttles nothing: %s; want that it cannot be told", start, r.load(1e6))
		}
	}
}

// What scenarios come to fits one screen, and the whole has every design, operation and
// finding.
func TestDocumentOfScenarios(t *testing.T) {
	for _, row := range []struct {
		name   string
		claim  string
		says   []string
		column string
		cells  []string
	}{
		{"stress", "DOES NOT HOLD ", []string{"{event}__{distance}", "get, point", "requests: 167,183, each a billed transaction", "insert-order"},
			"of target", []string{"200.0 %"}},
		{"bank-transfer", "HOLDS 200 operations/s", []string{"workflow "}, "inserts come", nil},
		{"hours", "DOES NOT HOLD ", []string{"Design by-hour, which is in use", "query, table scan", "site: PartitionKey begins with {at:hour}, which the reader does not know.",
			"Queries of several partitions count", "Use the design by-bucket", "Does not apply: cold-start"}, "inserts come", []string{"one moving point", "spread", "spread"}},
	} {
		text := row.name
		s := parsed(t, hours(t))
		if row.name != "hours" {
			s = builtin(t, text)
		}
		e := explained(t, s)
		d := e.Document()
		if !strings.HasPrefix(d.Answer.Claim, row.claim) {
			t.Errorf("%s: the claim is %q; want %q", row.name, d.Answer.Claim, row.claim)
		}
		all := whole(d)
		for _, f := range e.Findings {
			row.says = append(row.says, f.ID)
			if f.Verdict != NotApplicable {
				row.says = append(row.says, f.Evidence)
			}
		}
		for _, want := range row.says {
			if !strings.Contains(all, want) {
				t.Errorf("%s: the document has no %q:\n%s", row.name, want, all)
			}
		}
		if lines := height(d.Screen); lines > 20 {
			t.Errorf("%s: the screen has %d lines below the answer; want 20 at most:\n%s", row.name, lines, strings.Join(texts(d.Screen), "\n"))
		}
		for i, want := range row.cells {
			if got := cellOf(t, d.Screen[0].(document.Table), i, row.column); got != want {
				t.Errorf("%s: %s in row %d is %q; want %q", row.name, row.column, i, got, want)
			}
		}
	}
}

// What keys come to fits 12 lines, whatever was asked of them.
func TestDocumentOfKeys(t *testing.T) {
	good := columns("PartitionKey,instant,colour", 500, func(i int) string {
		return fmt.Sprintf("%d,%s,red", (i*i)%19, time.Unix(1_780_000_000+int64(i), 0).UTC().Format(time.RFC3339))
	})
	for _, row := range []struct {
		sentence, text string
		perSecond      float64
		claim, beside  string
		says           string
	}{
		{"a rate that they carry", good, 2500, "HOLDS at 2,500 entities/s", "at most 18,868/s, where the commonest partition is full", "columns that were not looked at: colour"},
		{"no rate", good, 0, "HOLDS up to 18,868 entities/s", "where the commonest partition is full", "Give the rate of all entities"},
		{"a rate that they do not carry", good, 19_000, "DOES NOT HOLD at 19,000 entities/s", "at most 18,868/s, where the commonest partition is full", "Form the PartitionKey from more"},
		{"keys that no table takes", good + "a/b,,red\nx\x1b[31m,,red\n", 2500, "DOES NOT HOLD: valid-keys", "at most 18,868/s, where the commonest partition is full",
			`line 502, "a/b": the PartitionKey holds the forbidden character U+002F`},
		{"no instants", "PartitionKey\na\nb\n", 3000, "CANNOT TELL at 3,000 entities/s", "at most 4,000/s, where the commonest partition is full", "is unknown"},
		{"no instants and no rate", "PartitionKey\na\nb\n", 0, "CANNOT TELL: at most 4,000 entities/s", "where the commonest partition is full", "is unknown"},
		{"no keys", "PartitionKey,entities\na,0\n", 0, "CANNOT TELL: there are no keys to judge", "", "0 entities counted"},
	} {
		k := judgedKeys(t, row.text, row.perSecond)
		d := k.Document()
		if a := d.Answer; a.Claim != row.claim || a.Beside != row.beside || a.State != k.State {
			t.Errorf("%s: %q beside %q, %s; want %q beside %q", row.sentence, a.Claim, a.Beside, a.State, row.claim, row.beside)
		}
		if lines := 1 + len(d.Answer.Says) + height(d.Screen); lines > 12 {
			t.Errorf("%s: the screen has %d lines; want 12 at most", row.sentence, lines)
		}
		if all := whole(d) + strings.Join(d.Answer.Says, "\n"); !strings.Contains(all, row.says) {
			t.Errorf("%s: the document has no %q:\n%s", row.sentence, row.says, all)
		}
	}
}
