package report_test

import (
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report"
	"loadgen/report/verdict"
	"loadgen/results"
)

// sealed is a record as run.json has it at the end: with its summary.
func sealed(t testing.TB, record *results.Record) *results.Record {
	t.Helper()
	record.Summary = verdict.Judge(record)
	return record
}

// varied are records of as many kinds as there are, and their documents.
func varied(t *testing.T) map[string]situation {
	t.Helper()
	kinds := make(map[string]situation)
	for _, name := range []string{"saturates", "partial", "traffic", "cold"} {
		kinds[name] = situations(t)[name]
	}
	service := remote(false).Record(t)
	service.Connections = &results.Connections{Opened: 3}
	service.Said = &results.Said{ClockAhead: 3 * time.Second, Dropped: 2,
		Refusals: []results.Refusal{{Status: 503, Code: "ServerBusy", Limit: "ingress", Message: "Ingress is over the account limit.", Count: 1234,
			First: []results.SaidRequest{{At: time.Second, Took: 9 * time.Millisecond, Verb: "get", Status: 503, Code: "ServerBusy", RequestID: "f00d"}}}},
		Slowest: []results.SaidRequest{{At: 2 * time.Second, Took: 80 * time.Millisecond, Verb: "insert", Status: 204, RequestID: "beef"}}}
	for name, record := range map[string]*results.Record{"a service that is remote": service, "a search for the limit": searched(t),
		"verified writes, workflows and names that do harm": verified(t)} {
		kinds[name] = situation{record, report.Document(sealed(t, record), record.Summary)}
	}
	return kinds
}

func searched(t testing.TB) *results.Record {
	r := stressRecord(t)
	p99, bound, held := int64(7_500), int64(50_000), 2.5
	r.Limit = &results.Limit{Of: results.LimitPartition, MaxThrottled: .005, MaxP99: &bound, Held: &held, Steps: []results.LimitStep{
		{Rate: 4000, Offered: 8000, Seconds: 10, ThrottledShare: .495, P99: &p99, Entities: 20_199, Outcome: results.LimitThrottled},
		{Rate: 2.5, Offered: 5, Seconds: 440.25, FailedShare: .0004, Entities: 1_100_000, Outcome: results.LimitHeld},
	}}
	return r
}

func verified(t testing.TB) *results.Record {
	r := stressRecord(t)
	withWorkflows(r)
	r.Manifest.Operations[1].Name = "get/~" + hostile
	r.Manifest.Tool = results.Tool{Version: "v1", Commit: "abc", Go: "go1", System: "linux"}
	r.Manifest.Environment = results.Environment{CPUs: 2, GOMAXPROCS: 2, Workers: 1256}
	r.Manifest.Checks = []string{"throttled < 1%", "p99(insert) < 2s"}
	r.Audit = &results.Audit{Writes: 1500, Acknowledged: 1400, Unknown: 60, Absent: 40, Own409: 1, Own412: 2, Own404: 3,
		ForeignConflicts: 1234, Keys: 900, ReadBack: 890, Lost: 5, Doubled: 6, Unwatched: 7, Overwritten: 8}
	return r
}

func moved(t testing.TB) *results.Record {
	r := stressRecord(t)
	r.Manifest.Start, r.Manifest.Accounts = "cold", 3
	r.Manifest.Spread = &results.Spread{Partitions: 12, Rate: 100}
	for p := range r.Phases {
		r.Phases[p].Accounts = []results.AccountStats{{Offered: 100, Served: int64(90 * p), Throttled: 7}, {Offered: 1}, {Served: 3}}
		r.Phases[p].Offered = append(r.Phases[p].Offered, results.PartitionStats{Key: "cold", Entities: 5})
		r.Phases[p].Partitions = append(r.Phases[p].Partitions, results.PartitionStats{Key: "cold", Entities: 3})
	}
	r.Events = movedEvents()
	return r
}

func movedEvents() []results.Event {
	return []results.Event{
		{At: 2e9, What: results.RangeSplit, Decision: &results.Decision{Key: "m", Until: 3 * time.Second, Offered: 400, Served: 200, Ranges: 2, Reason: "overloaded"}},
		{At: 3e9, What: results.RangeMoved, Decision: &results.Decision{Key: hostile, To: 4, Until: 8 * time.Second, Ranges: 2, Reason: hostile}}}
}

// resolve returns what a JSON pointer leads to.
func resolve(value any, pointer string) (any, bool) {
	for _, part := range strings.Split(pointer, "/")[1:] {
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		switch of := value.(type) {
		case map[string]any:
			if value = of[part]; value == nil {
				return nil, false
			}
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(of) {
				return nil, false
			}
			value = of[i]
		default:
			return nil, false
		}
	}
	return value, true
}

var shownNumber = regexp.MustCompile(`^([≥<>]?)(-?[0-9,]+)((?:\.[0-9]+)?)(M?)(?:%| (?:s|ms|min|servers))?$`)

// agrees reports whether a text shows a number: rounded to the digits that it shows.
func agrees(text string, number float64) bool {
	parts := shownNumber.FindStringSubmatch(text)
	if parts == nil {
		return false
	}
	if parts[4] == "M" {
		number /= 1e6
	}
	shown, err := strconv.ParseFloat(strings.ReplaceAll(parts[2], ",", "")+parts[3], 64)
	if err != nil {
		return false
	}
	switch parts[1] {
	case "<":
		return 0 < number && number < shown
	case ">":
		return shown < number && number < 100
	}
	digits := max(0, len(parts[3])-1)
	half := .5 * math.Pow(10, -float64(digits))
	// Three figures are all that is shown from a thousand on.
	return math.Abs(shown-number) <= half*(1+1e-9)
}

// Every number on the page equals run.json, cell by cell.
func TestCellsAreWhatRunJSONHolds(t *testing.T) {
	numbers, sources := 0, 0
	for name, d := range varied(t) {
		text, err := json.Marshal(d.record)
		require.NoError(t, err)
		var file any
		require.NoError(t, json.Unmarshal(text, &file))
		for _, table := range tablesOf(d.Document) {
			for r, row := range table.Rows {
				assert.Lenf(t, row, len(table.Columns),
					"%s: row %d of %s has %d cells below %d headings", name, r, table.ID, len(row), len(table.Columns))
				for c, cell := range row {
					if shownNumber.MatchString(cell.Text) {
						numbers++
					}
					if cell.Source == "" {
						continue
					}
					sources++
					found, _ := resolve(file, cell.Source)
					value, is := found.(float64)
					if cell.Scale != 0 {
						value *= cell.Scale
					}
					if !is || !agrees(cell.Text, value) {
						t.Errorf("%s: %s, row %d, %q shows %q; %s times %v is %v, of %v", name, table.ID, r,
							table.Columns[c].Title, cell.Text, cell.Source, cell.Scale, value, found)
					}
				}
			}
		}
	}
	assert.Truef(t, numbers >= 900 && float64(sources) >= .6*float64(numbers),
		"%d numbers, of which %d have a source; want at least 900, and 60%%", numbers, sources)
}

// Where run.json has no summary, nothing claims to be from it.
func TestWithoutSummaryNoCellIsOfIt(t *testing.T) {
	for _, cell := range sourcedCells(stressDocument(t)) {
		assert.Falsef(t, strings.HasPrefix(cell.Source, "/summary"), "a cell is from %s; want none", cell.Source)
	}
}
