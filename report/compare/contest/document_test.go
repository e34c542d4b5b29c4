package contest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report"
	"loadgen/report/compare/contest"
	"loadgen/report/document"
	"loadgen/report/text"
	"loadgen/results"
	"loadgen/results/figure"
	"loadgen/results/resultstest"
)

// logRecord is a record of a log under a design: what its operations came to, and where
// the load went.
func logRecord(throttled, counted int64, heat *results.Heat) *results.Record {
	response := results.NewHistogram()
	for range 2000 {
		response.Record(6 * time.Millisecond)
	}
	write := results.KindStats{Counts: results.Counts{Scheduled: 2000, Sent: 2000, Succeeded: 2000 - throttled, Attempts: 2000, Ok: 2000 - throttled, Throttled: throttled,
		Offered: 2000, Counted: 2000 - throttled}, Response: response}
	list := results.KindStats{Counts: results.Counts{Scheduled: 10, Sent: 10, Succeeded: 10, Attempts: 10, Ok: 10, Offered: 10 * counted, Counted: 10 * counted, Returned: 200}, Response: response}
	return &results.Record{Manifest: results.Manifest{Target: results.InProcess, Profile: "documented", Start: "warm", Time: "virtual",
		Operations: []results.Kind{{Name: "write"}, {Name: "list", Filtered: true}}, Targets: results.Targets{Partition: 2000, Account: 20_000, Documented: true}},
		Validity: results.Valid, Duration: 11 * time.Second, Heat: heat,
		Phases: []results.Phase{{Name: "measure", Begin: time.Second, End: 11 * time.Second, Rate: 201, Reported: true, Kinds: []results.KindStats{write, list}}}}
}

// hourly is a heat map in which the current hour is throttled from the second column on.
func hourly() *results.Heat {
	return &results.Heat{SecondsPerColumn: 2, Columns: 3, Rows: []results.HeatRow{
		{Key: "2026-05-01T11", HeatCells: results.HeatCells{Served: []int64{3000}, Demanded: []int64{3000}}},
		{Key: "2026-05-01T12", HeatCells: results.HeatCells{Served: []int64{1000, 4000, 4000}, Throttled: []int64{0, 900, 1100}, Demanded: []int64{1000, 4900, 5100}}},
	}, Rest: results.HeatCells{Demanded: []int64{500}}, Nowhere: results.HeatCells{Demanded: []int64{0, 500}}}
}

// logContest is a log by hour, by hour and bucket, by device and copied, and by a design
// that cannot.
func logContest() []contest.Arm {
	figures := func(rate, lost, counted, billed float64, p99 int64) []contest.Trial {
		return with(trialsOf(rate, rate*1.004, rate*0.996, rate*1.002, rate*0.998), func(i int, t *contest.Trial) {
			t.Lost, t.Counted, t.Billed, t.ThrottledRequests, t.Stored = lost, counted, billed, lost, 420
			p50, worst, listed, listedWorst := int64(5_800), p99+int64(i)*100, int64(9_000), int64(15_000)
			t.Operations = []contest.OperationTrial{{Name: "write", P50: &p50, P99: &worst}, {Name: "list", P50: &listed, P99: &listedWorst}}
			t.Expected = []results.Check{{Expr: "p99(write) < 50ms", Ok: new(worst < 50_000)}, {Expr: "throttled < 1%", Ok: new(lost < 0.01)}}
		})
	}
	hour := figures(2010, 0.42, 0.58, 0.58, 120_000)
	for i := range hour {
		recovery, fairness, served := 12.0+float64(i), 0.93, 0.81
		hour[i].Moves, hour[i].Unrecovered, hour[i].Recovery, hour[i].Fairness, hour[i].ColdServed = 2, 1, &recovery, &fairness, &served
	}
	return []contest.Arm{
		{Design: "hour", PartitionKey: "{at:hour}", RowKey: "{at:ticks}_{id}", Order: "append-only", Trials: hour, Others: hour,
			Record: logRecord(840, 20, hourly())},
		{Design: "hour-buckets", PartitionKey: "{at:hour}_{hash(id,8)}", RowKey: "{at:ticks}_{id}", Order: "spread", Trials: figures(3500, 0, 1, 1.1, 21_000),
			Others: figures(3500, 0, 1, 1.1, 21_000), Record: logRecord(0, 160, nil)},
		{Design: "device", PartitionKey: "{device}", RowKey: "{at:ticks}_{id}", Copies: 1, Order: "spread", Trials: figures(3500, 0, 2, 2.1, 21_000),
			Others: figures(3500, 0, 2, 2.1, 21_000), Record: logRecord(0, 4000, nil)},
		{Design: "guid", PartitionKey: "{guid}", RowKey: "", Cannot: []contest.Obstacle{{Operation: "group", Why: "its entities lie in several partitions, and a transaction takes one"}}},
	}
}

// The document of a contest says who wins, and of each design a line and why it is behind; read
// back it is the same.
func TestDocument(t *testing.T) {
	o := contest.Options{Scenario: "log", Profile: "documented", Other: "headroom", Price: results.Price{PerMillion: 0.036, PerGiBMonth: 0.045, BillRefused: true},
		Repeat: "loadgen contest log.yaml --designs device,guid,hour,hour-buckets --count 5"}
	c := contest.Rank(logContest(), o)
	d := contest.Document(c)
	var prose, data bytes.Buffer
	if err := errors.Join(report.Screen(&prose, d, text.Look{Columns: 80, Verbose: true}), report.Print(&data, d, report.FormJSON, text.Look{})); err != nil {
		t.Fatal(err)
	}
	resultstest.CheckGolden(t, "testdata/log.golden", roundNumbers(prose.String()))
	resultstest.CheckGolden(t, "testdata/log.json.golden", roundNumbers(data.String()))
	assert.Contains(t, fmt.Sprint(d.Screen), `partition "2026-05-01T12" received up to 2,550 entities/s`)
	back, err := contest.Read(data.Bytes())
	require.NoError(t, err)
	diff := cmp.Diff(d, contest.Document(back))
	assert.Emptyf(t, diff, "the document of what was read back (-was +is):\n%s", diff)
}

// The claim names the winner and the state of its checks.
func TestAnswerOfAWinner(t *testing.T) {
	few, many := []float64{100, 101, 99, 100, 101}, []float64{200, 201, 199, 200, 201}
	for _, row := range []struct {
		sentence      string
		arms          []contest.Arm
		state, claims string
	}{
		{"the best loses half of the load, without checks", two(trialsOf(few...), with(trialsOf(many...), losing(.5))), "does not hold", "b WINS by 2 times"},
		{"the faster one fails", two(checked(trialsOf(few...), "+++++"), checked(trialsOf(many...), "+++-+")), "holds", "a WINS by checks held: 1 of 1"},
		{"each fails in one run of five", two(checked(trialsOf(few...), "-++++"), checked(trialsOf(many...), "+++-+")), "cannot tell", "b holds; it WINS by 2 times"},
	} {
		if d := contest.Document(contest.Rank(row.arms, contest.Options{})); d.Answer.State != row.state || !strings.Contains(d.Answer.Claim, row.claims) {
			t.Errorf("%s: %s, %q; want %s, %q", row.sentence, d.Answer.State, d.Answer.Claim, row.state, row.claims)
		}
	}
}

// However many designs there are, a screen has room for them.
func TestScreenOfManyDesigns(t *testing.T) {
	for designs := range 20 {
		arms := logContest()
		for i := range designs {
			one := arms[0]
			one.Design = fmt.Sprintf("hour-%d", i)
			arms = append(arms, one)
		}
		lines := 0
		for _, block := range contest.Document(contest.Rank(arms, contest.Options{})).Screen {
			switch b := block.(type) {
			case document.Table:
				lines += 1 + len(b.Rows) + len(b.Notes)
			case document.Facts:
				lines += 1 + len(b.Lines)
			}
		}
		assert.Truef(t, lines <= 15, "the screen of %d designs has %d lines; want 15 at most", len(arms), lines)
	}
}

// FuzzRead has any text for a contest: it is refused in a line, or what is read of it is
// told in every form.
func FuzzRead(f *testing.F) {
	var data bytes.Buffer
	require.NoError(f, text.JSON(&data, contest.Rank(logContest(), contest.Options{Scenario: "log"})))
	f.Add(data.Bytes())
	for _, text := range []string{"", "null", "{}", "[]", `{"verdict":"a","state":"holds","winner":"a"}`, `{"verdict":"a","state":"holds"} x`,
		`{"verdict":"a","state":"holds","winner":"a","ranking":[{"design":"a","rank":1},{"design":"b","rank":2,"sustained_to_first":{"ratio":-1,"interval":[0,0]}}]}`,
		`{"verdict":"a","state":"cannot tell","ranking":[{"rank":1,"seeds":[1],"checks":[{"held":2,"runs":1}],"per_operation":[{}]}]}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := contest.Read(data)
		if err != nil {
			assert.Truef(t, errors.Is(err, contest.ErrFile) && !strings.Contains(err.Error(), "\n"),
				"Read(…) = %q; want one line about the file", err)
			return
		}
		for _, form := range report.PrintForms() {
			err := report.Print(io.Discard, contest.Document(c), form, text.Look{})
			assert.NoErrorf(t, err, "%s: %v", form, err)
		}
	})
}

// FuzzContest has names and figures of any kind go through: nothing of it panics, is
// wider than a page, or reaches the terminal as a control.
func FuzzContest(f *testing.F) {
	f.Add("hour", "\x1b[2J", "a\nb", 100.0, 0.5, int64(3), int64(-1))
	f.Add("", "\u202e", "\xff", 1e300, -1.0, int64(0), int64(1<<62))
	f.Fuzz(func(t *testing.T, design, key, operation string, rate, share float64, n, second int64) {
		record := logRecord(n, second, &results.Heat{SecondsPerColumn: second, Rows: []results.HeatRow{{Key: key, Table: operation,
			HeatCells: results.HeatCells{Throttled: []int64{n}, Demanded: []int64{second, n}}}}})
		record.Manifest.Operations[0].Name = operation
		record.Intervals = []results.Interval{{Second: second, Counts: results.Counts{Attempts: n, Throttled: n}}}
		record.Phases[0].Shares = []results.SharesClass{{From: second, Partitions: n, Shares: rate, Squares: share}}
		record.Events = []results.Event{{At: second, What: results.RangeMoved, Decision: &results.Decision{Overloaded: time.Duration(n)}}}
		first := contest.Measure(record, nil, figure.Needs{Within: map[string]int64{operation: n}, Entities: map[string]int64{operation: second}})
		other := trialsOf(rate, share)
		other[0].Expected = []results.Check{{Expr: key}}
		c := contest.Rank([]contest.Arm{{Design: design, PartitionKey: key, Order: operation, Trials: []contest.Trial{first, first}, Record: record},
			{Design: key, Trials: other, Others: other}, {Design: operation, Cannot: []contest.Obstacle{{Operation: operation, Why: key}}}},
			contest.Options{Scenario: key, Repeat: operation, Alpha: share, Price: results.Price{PerMillion: rate}})
		var prose, data bytes.Buffer
		if err := errors.Join(report.Screen(&prose, contest.Document(c), text.Look{Columns: 80, Verbose: true}), text.JSON(&data, c)); err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(strings.TrimSuffix(prose.String(), "\n"), "\n") {
			assert.Truef(t, text.Columns(line) <= 110 || strings.HasPrefix(line, "  "+text.Harmless(operation)),
				"%q fills %d columns; want %d at most", line, text.Columns(line), 110)
			for _, r := range line {
				assert.Truef(t, unicode.IsPrint(r), "%q holds %U", line, r)
			}
		}
		assert.Truef(t, json.Valid(data.Bytes()), "no JSON: %s", data.Bytes())
	})
}

// roundNumbers rounds the numbers of a text to twelve digits. Further digits of a p-value depend on the library
// and the processor.
func roundNumbers(text string) string {
	long := regexp.MustCompile(`\d\.\d{12,}(e[-+]?\d+)?|\d{2,}\.\d{11,}`)
	return long.ReplaceAllStringFunc(text, func(number string) string {
		value, _ := strconv.ParseFloat(number, 64)
		return strconv.FormatFloat(value, 'g', 12, 64)
	})
}
