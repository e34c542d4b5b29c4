package verdict_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"

	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/resultstest"
)

func TestSummaryCountsTheWholeRun(t *testing.T) {
	r := &run{manifest: manifest(), serves: 100, rates: []int{80, 200}, seconds: 4, retries: 1, dropped: 50, failed: 33, late: 40}
	record := r.record(t)
	all := record.Total(results.Everything)
	s := verdict.Judge(record)
	got := []int64{s.Scheduled, s.Sent, s.Dropped, s.Late, s.Operations, s.Attempts, s.OkAttempts, s.Throttled, s.Failed,
		s.EntitiesCounted, s.EntitiesReturned}
	want := []int64{all.Scheduled, all.Sent, all.Dropped, all.Late, all.Operations, all.Attempts, all.Ok, all.Throttled,
		all.Failed, all.Counted, all.Returned}
	assert.Equal(t, want, got, "counts")
	assert.Falsef(t, slices.Contains(got, 0), "counts are %v; want a run in which none is 0", got)
	sum := results.OperationSummary{}
	for _, kind := range s.PerOperation {
		sum.Operations += kind.Operations
		sum.Attempts += kind.Attempts
		sum.OkAttempts += kind.OkAttempts
		sum.Throttled += kind.Throttled
		sum.Failed += kind.Failed
	}
	if diff := cmp.Diff(results.OperationSummary{Operations: all.Operations, Attempts: all.Attempts, OkAttempts: all.Ok,
		Throttled: all.Throttled, Failed: all.Failed}, sum); diff != "" {
		t.Errorf("per_operation does not sum to the run (-record +sum):\n%s", diff)
	}
	head := []any{s.Scenario, s.Target, s.Start, s.Profile, s.Seed, s.Started, s.DurationS}
	assert.Equal(t, []any{"stress", "in-process", "warm", "documented", uint64(1), "2011-11-06T14:40:00Z", 14.0}, head,
		"head")
}

func TestQuantilesAreOfReportedPhases(t *testing.T) {
	r := stress()
	r.retries = 1
	record := r.record(t)
	s := verdict.Judge(record)
	measured := record.Total(results.Reported)
	assert.Equal(t, results.QuantilesOf(measured.Response), s.Response, "response")
	assert.Equal(t, []int64{4001, 4001}, []int64{*s.Service.P50, *s.Service.Max}, "the 4 ms of ok attempts")
	assert.Truef(t, s.RetryWaits.P50 != nil && *s.RetryWaits.P50/1000 == 1000,
		"RetryWaits = %+v; want a second", s.RetryWaits)
	record.Phases[0].Reported, record.Phases[1].Reported = false, false
	if s := verdict.Judge(record); s.Response.Max != nil || len(s.Phases) != 0 || s.Hottest != nil || s.Saturation != nil {
		t.Errorf("without reported phases response is %+v, phases %v; want none", s.Response, s.Phases)
	}
}

// The share that is throttled is of the reported phases, whatever a warm-up met.
func TestThrottledShareIsOfTheReportedPhases(t *testing.T) {
	record := &results.Record{Validity: results.Valid, Duration: time.Minute, Manifest: results.Manifest{Operations: []results.Kind{{Name: "get"}}}}
	for i, throttled := range []int64{60, 30, 0} {
		begin := time.Duration(i) * 10 * time.Second
		record.Phases = append(record.Phases, results.Phase{Name: fmt.Sprint(i), Begin: begin, End: begin + 10*time.Second, Rate: 10, Reported: i > 0,
			Kinds: []results.KindStats{{Counts: results.Counts{Scheduled: 100, Sent: 100, Operations: 100, Attempts: 100, Ok: 100 - throttled, Throttled: throttled}}}})
	}
	for phases, want := range map[int]*float64{3: new(.15), 2: new(.3), 1: nil} {
		part := *record
		part.Phases = part.Phases[:phases]
		assert.Equalf(t, want, verdict.Judge(&part).ShareThrottled, "of %d phases the share throttled", phases)
	}
}

func TestTheHottestPartitionOfTheSummary(t *testing.T) {
	record := &results.Record{Validity: results.Valid, Duration: time.Minute, Phases: []results.Phase{
		{Name: "long", End: 20 * time.Second, Reported: true, PartitionsOver: 900,
			Partitions: []results.PartitionStats{{Table: "ByState", Key: "full", Entities: 2000, Busiest: 190}}}}}
	want := &results.HottestPartition{Table: "ByState", Key: "full", EntitiesPerSecond: 190, Mean: 100, AtLeast: true}
	assert.Equal(t, want, verdict.Judge(record).Hottest, "Hottest")
}

func TestJudgeLeavesTheRecordAlone(t *testing.T) {
	record := stress().record(t)
	before := fmt.Sprintf("%+v", record)
	text, _ := json.Marshal(record)
	s := verdict.Judge(record)
	s.Reasons = append(s.Reasons, "more")
	findings(record)
	after, _ := json.Marshal(record)
	assert.True(t, fmt.Sprintf("%+v", record) == before && string(after) == string(text), "Judge changed the record")
}

// What is said of the service is said of the service alone.
func TestWhatIsSaidOfWhoAnswers(t *testing.T) {
	const remote = "http://tables.example.com/races"
	documented := results.Targets{Partition: 2000, Account: 20_000, Documented: true}
	for _, row := range []struct {
		name  string
		alter func(m *results.Manifest)
		words string
	}{
		{"the service", func(m *results.Manifest) { m.Genuine, m.Targets = true, documented },
			"target 2,000/s|balances its partitions|!emulator|!does not identify itself"},
		{"an emulator with limits of its own", func(m *results.Manifest) {
			m.Emulator, m.LimitsKnown, m.Targets = true, true, results.Targets{Partition: 200}
		}, "200/s is the emulator's|documented 2,000/s|200 entities|2 partitions|!balances its partitions|!the model's 200"},
		{"an emulator with the documents' limits", func(m *results.Manifest) {
			m.Emulator, m.LimitsKnown, m.Targets = true, true, documented
		}, "target 2,000/s|2,000 entities/s|20,000|!balances its partitions"},
		{"Azurite", func(m *results.Manifest) { m.Emulator, m.LimitsKnown, m.Service = true, true, "Azurite-Table/3.35.0" },
			"without limits|!2,000|!2 partitions"},
		{"an emulator that tells nothing", func(m *results.Manifest) { m.Emulator, m.Service = true, "loadgen/0.1" },
			"loadgen/0.1|unknown|!2,000|!2 partitions|!none of the service's limits"},
		{"loadgen serve whose partitions may exceed their target", func(m *results.Manifest) {
			m.Emulator, m.Service = true, "loadgen/1 (headroom=2000; partition_target=2000; account_target=20000)"
		}, "loadgen/1 (headroom=2000; |unknown|!holds a partition|!saved up"},
		{"a domain of one's own", func(m *results.Manifest) { m.Service = "Windows-Azure-Table/1.0" },
			"seconds 200|does not identify itself|Windows-Azure-Table/1.0|!2,000|!service balances|!emulator"},
		{"one that says nothing", func(*results.Manifest) {}, "does not identify itself|!calls itself|!2,000"},
		{"one whose name would harm a terminal", func(m *results.Manifest) { m.Service = "x\x1b[2J" }, `x\x1b[2J|!` + "\x1b"},
	} {
		r := &run{manifest: manifest(), serves: 200, rates: []int{100, 300}, seconds: 4}
		r.manifest.Target, r.manifest.Start, r.manifest.Profile, r.manifest.Targets = remote, "", "", results.Targets{}
		row.alter(&r.manifest)
		record := r.record(t)
		resultstest.CheckWords(t, row.name, story(record)+" "+strings.Join(limitsOf(record), " "), row.words)
	}
}

// What became of the writes, and of what workflows left behind, is said in numbers.
func TestWhatWasLeftBehind(t *testing.T) {
	const rule, other = "the legs of each transfer sum to zero", "each entity is in its list"
	for _, row := range []struct {
		name       string
		audit      *results.Audit
		invariants []results.Invariant
		// verdict, findings and limits are the words of each.
		verdict, findings, limits string
	}{
		{"nobody looked", nil, nil, "!acknowledged|!left behind", "!acknowledged", "!acknowledged"},
		{"all is there", &results.Audit{Writes: 1500, Acknowledged: 1500, Keys: 1200, ReadBack: 1200}, nil, "1,200 entities", "!own success", "its id"},
		{"no write was acknowledged", &results.Audit{Writes: 3, Absent: 3}, nil, "no acknowledged write", "", ""},
		{"not all was read", &results.Audit{Acknowledged: 1500, Keys: 1200, ReadBack: 200}, nil, "1,000 of 1,200", "", ""},
		{"writes are lost", &results.Audit{Acknowledged: 1500, Keys: 12, ReadBack: 12, Lost: 2, Doubled: 3}, nil,
			"missing|1,500|2 of|3 times", "", ""},
		{"the client overwrote what it had written", &results.Audit{Acknowledged: 1500, Keys: 12, ReadBack: 12, Lost: 76, Blind: 76}, nil,
			"76 of 1,500|!missing", "", ""},
		{"some of them", &results.Audit{Acknowledged: 1500, Keys: 12, ReadBack: 12, Lost: 76, Blind: 70}, nil,
			"missing|1,500|6 of", "", ""},
		{"retries met their own success", &results.Audit{Own409: 1, Own412: 2, Own404: 3}, nil, "",
			"", "404"},
		{"more than can be watched", &results.Audit{Keys: 1000, Unwatched: 9}, nil, "", "", "9 writes|1,000"},
		{"all rules hold", nil, []results.Invariant{{Name: rule, Looked: 4000}, {Name: other, Looked: 1}}, "!left behind", "!left behind", ""},
		{"one rule, broken", nil, []results.Invariant{{Name: rule, Looked: 4000, Faults: 1200}}, "1,200 of 4,000", "1,200 of 4,000|" + rule, ""},
		{"one rule of two, broken", nil, []results.Invariant{{Name: other, Looked: 7}, {Name: rule, Looked: 4000, Faults: 1200}},
			"of|1,200|!" + other, "1,200 of 4,000|!" + other, ""},
	} {
		record := quiet().record(t)
		record.Audit, record.Invariants = row.audit, row.invariants
		summary := verdict.Judge(record)
		resultstest.CheckWords(t, row.name, story(record), row.verdict)
		checkSentences(t, row.name, findings(record), row.findings)
		checkSentences(t, row.name, limitsOf(record), row.limits)
		assert.Truef(t, summary.Audit == nil || summary.Audit != record.Audit,
			"%s: the summary shares its audit with the record; want a copy", row.name)
		// A scenario may be there to show the faults: its claims alone say which it wants.
		assert.Truef(t, row.invariants == nil || verdict.AllChecksHold(summary),
			"%s: the run fails; want faults to fail none that did not expect otherwise", row.name)
	}
}

// A load of messages and blobs alone counts no entity, and is not taken for none.
func TestLoadBesideTheTableIsNotNothing(t *testing.T) {
	r := resultstest.Run{Manifest: manifest(), Phases: resultstest.Steps(0, 2*time.Second, 0, 100),
		Operation: func(op *resultstest.Operation) { op.Entities = 0 }}
	got := story(r.Record(t))
	assert.Truef(t, strings.Contains(got, "200 of 200 operations") && !strings.Contains(got, "no step"),
		"the verdict is\n%s\nwant 200 of 200 operations", got)
}

// What is observed is shown with as many figures as it takes to see on which side of
// the limit it lies.
func TestObservedLiesOnItsSideOfTheLimit(t *testing.T) {
	record := small(func(r *run) { r.rates, r.seconds = []int{100}, 10 }).record(t)
	for _, row := range []struct {
		name                string
		throttled, attempts int64
		text, observed      string
		pass                bool
	}{
		{"a third", 1, 3, "throttled(get, step) < 1%", "33.3 %", false},
		{"a little below", 99_999, 10_000_000, "throttled(get, step) < 1%", "0.99999 %", true},
		{"a little above", 100_001, 10_000_000, "throttled(get, step) < 1%", "1.00001 %", false},
		{"just there", 1, 100, "throttled(get, step) < 1%", "1.0 %", false},
		{"just there, which is allowed", 1, 100, "throttled(get, step) <= 1%", "1.0 %", true},
		{"far more than the limit", 1_234_567, 1, "throttled(get, step) <= 3", "1,234,567", false},
		{"a ratio of counts", 1_000_000, 1, "throttled(get, step) / operations(get, step) < 1", "1,330", false},
		{"a ratio of counts", 127_200, 1, "throttled(get, step) / operations(get, step) < 1", "170", false},
		{"many per second", 1_234_567, 1, "throttled(get, step) <= 3/s", "123,457/s", false},
		{"many per second, just above", 1_234_567, 1, "throttled(get, step) <= 123456/s", "123,457/s", false},
	} {
		record.Phases[0].Kinds[1].Throttled, record.Phases[0].Kinds[1].Attempts = row.throttled, row.attempts
		summary := &results.Summary{Validity: results.Valid}
		record.Manifest.Checks = []string{row.text}
		got := verdict.Checks(record, summary)
		assert.Truef(t, len(got) == 1 && got[0].Observed == row.observed && got[0].Holds() == row.pass,
			"%s: %q of %d in %d = %+v; want %s, pass %t", row.name, row.text, row.throttled, row.attempts, got, row.observed, row.pass)
	}
}

func TestClaimsComeAfterThePeakAndInTheirOrder(t *testing.T) {
	r := stress()
	r.manifest.PeakAsked = 1000
	r.manifest.Checks = []string{"throttled < 1%", "p99(get)<1s", "offered(hottest) >= 5000"}
	record := r.record(t)
	summary := verdict.Judge(record)
	var got []string
	for _, e := range summary.Checks {
		got = append(got, fmt.Sprintf("%s %t", e.Expr, e.Holds()))
	}
	want := []string{"sustained(peak 1000/s) true",
		"throttled < 1% false", "p99(get) < 1s true", "offered(hottest) >= 5000 false"}
	assert.Equal(t, want, got, "Expectations")
	// A claim that fails is not the peak's failure.
	assert.Truef(t, !verdict.AllChecksHold(summary) && summary.PeakState == results.Holds,
		"Holds = %t, the peak %s; want a peak that holds in a run that does not", verdict.AllChecksHold(summary), summary.PeakState)
	r.manifest.PeakAsked, r.manifest.Checks = 0, nil
	if got := verdict.Judge(r.record(t)).Checks; got == nil || len(got) > 0 {
		t.Errorf("Expectations of a run of which nothing was asked = %#v; want an empty list", got)
	}
}

// What was counted stays so in a run whose generator was late; times and rates are told of
// the phases that it offered in time alone, unless they keep below a bound all the same;
// and of a run that is not valid nothing is.
func TestWhatBearsACheck(t *testing.T) {
	const yes, no, untold = "holds", "FAILS", "cannot tell"
	first, last := stress().rates[0], stress().rates[len(stress().rates)-1]
	late := fmt.Sprintf("the generator was late in peak %d", first)
	for _, row := range []struct {
		name, validity, text, result, why string
	}{
		{"a valid run", results.Valid, "throttled < 99%", yes, ""},
		{"a valid run, whose claim does not hold", results.Valid, "throttled < 0.01%", no, ""},
		{"an interrupted one", results.Partial, "throttled < 99%", untold, "the run is partial"},
		{"an invalid one", results.Invalid, "throttled < 99%", untold, "the run is invalid"},
		{"one that calls itself otherwise", "odd", "throttled < 99%", untold, "the run is odd"},
		{"what no record holds", results.Valid, "lost_writes == 0", untold, "not verified"},
		{"no claim", results.Valid, "throttled <> 1%", untold, "byte 11"},
		{"a count that fails", results.Valid, "succeeded < 1", no, ""},
		{"times of an attempt", results.Valid, "service_p50 < 1s", yes, ""},
		{"response times over all that keep below their bound", results.Valid, "p50 < 1h", yes, ""},
		{"those that do not", results.Valid, "p50 < 1us", untold, late},
		{"of the phase that was not late", results.Valid, fmt.Sprintf("p50(peak %d) < 1us", last), no, ""},
		{"what was offered", results.Valid, fmt.Sprintf("offered(peak %d) > 0", first), untold, late},
		{"what was served where it was not late", results.Valid, fmt.Sprintf("served(peak %d) > 0", last), yes, ""},
		{"what was lost", results.Valid, "share_lost < 99%", yes, ""},
	} {
		record := stress().record(t)
		for p := range record.Phases {
			record.Phases[p].Name = fmt.Sprintf("peak %v", record.Phases[p].Rate)
			if p > 0 {
				continue
			}
			for k := range record.Phases[p].Kinds {
				record.Phases[p].Kinds[k].Late = record.Phases[p].Kinds[k].Sent
			}
		}
		record.Manifest.Checks = []string{row.text}
		got := verdict.Checks(record, &results.Summary{Validity: row.validity})[0]
		if got.Result() != row.result || !strings.Contains(got.Why, row.why) || (got.Why == "") != got.IsJudged() ||
			!got.IsJudged() && (got.Observed != "not measured" || got.Observation() != "not measured: "+got.Why) {
			t.Errorf("%s: %q = %s, observed %s, why %q; want %s, %q", row.name, row.text, got.Result(), got.Observed, got.Why, row.result, row.why)
		}
	}
}

// That little was throttled of a load that was not sent says nothing; that much was is the
// target's word, and what was lost counts what was not sent.
func TestWhatWasNotSentWasNotThrottled(t *testing.T) {
	const yes, no, untold = "holds", "FAILS", "cannot tell"
	played := stress().record(t)
	for p := range played.Phases {
		played.Phases[p].Name = fmt.Sprintf("peak %v", played.Phases[p].Rate)
	}
	kind := &played.Phases[0].Kinds[1]
	kind.Scheduled, kind.Dropped, kind.LastHalf.Scheduled = kind.Scheduled+1, 1, kind.LastHalf.Scheduled+1
	for _, row := range []struct{ name, text, result string }{
		{"a share throttled, of all", "throttled < 99%", untold},
		{"of the step of which all was sent", "throttled(peak 4000) < 99%", yes},
		{"of the one of which it was not", "throttled(peak 1000) < 99%", untold},
		{"more than it may be", "throttled < 0.01%", no},
		{"a number", "throttled(peak 1000) == 0", untold},
		{"of first attempts", "first_throttled < 99%", untold},
		{"of those of the last half", "share_throttled_settled < 99%", untold},
		{"a second", "throttled_per_second < 1000000", untold},
		{"a success", "throttled_per_success < 1000", untold},
		{"retries", "retries(peak 1000) == 0", untold},
		{"retries to an operation", "retries_per_operation < 9", untold},
		{"requests to an operation", "tries < 9", untold},
		{"as a divisor", "succeeded / throttled > 0", untold},
		{"against another figure", "throttled < scheduled", untold},
		{"from below", "throttled > 1", yes},
		{"what was served", "served < 1000000", untold},
		{"by a partition", "served(hottest, peak 1000) < 1000000", untold},
		{"as a mean", "mean_served(peak 1000) < 1000000", untold},
		{"what a partition was offered", "offered(hottest, peak 1000) < 1000000", yes},
		{"what was lost", "share_lost < 99%", yes},
		{"times of attempts", "service_p99 < 1h", yes},
	} {
		played.Manifest.Checks = []string{row.text}
		got := verdict.Checks(played, &results.Summary{Validity: results.Valid})[0]
		assert.Truef(t, got.Result() == row.result && (got.IsJudged() || strings.HasPrefix(got.Why, "the generator ")),
			"%s: %q = %s, %q; want %s", row.name, row.text, got.Result(), got.Why, row.result)
	}
}

func TestState(t *testing.T) {
	holds, fails, untold := results.Check{Ok: new(true)}, results.Check{Ok: new(false)}, results.Check{}
	// phases hold, do not, or cannot be told.
	phases := func(holds ...*bool) (s results.Summary) {
		for _, one := range holds {
			s.Phases = append(s.Phases, results.PhaseSummary{Holds: one})
		}
		return s
	}
	yes, no := new(true), new(false)
	for _, row := range []struct {
		name, validity string
		summary        results.Summary
		checks         []results.Check
		state          string
		ok             *bool
	}{
		{"nothing asked, and all is held", results.Valid, phases(yes, yes), nil, results.Holds, nil},
		{"nothing asked, and some is not", results.Valid, phases(yes, no), nil, results.DoesNotHold, nil},
		{"nothing asked, and some cannot be told", results.Valid, phases(yes, nil), nil, results.CannotTell, nil},
		{"nothing asked, and one is not held behind one that cannot be told", results.Valid, phases(yes, nil, no), nil, results.DoesNotHold, nil},
		{"nothing asked, and one cannot be told before one that holds", results.Valid, phases(nil, yes), nil, results.CannotTell, nil},
		{"nothing asked, and nothing sent", results.Valid, results.Summary{}, nil, results.CannotTell, nil},
		{"nothing asked, saturated", results.Valid, results.Summary{Saturation: new(2000.0)}, nil, results.Saturates, nil},
		{"nothing asked, with limits of its phases' own", results.Valid, results.Summary{Throttling: []results.Throttling{{Rate: new(900.0)}}}, nil,
			results.Saturates, nil},
		{"nothing asked of a part of a run", results.Partial, phases(yes), nil, results.CannotTell, nil},
		{"invalid", results.Invalid, results.Summary{Saturation: new(2000.0)}, nil, results.CannotTell, nil},
		{"invalid, and asked", results.Invalid, phases(yes), []results.Check{fails}, results.CannotTell, nil},
		{"checks that hold, beyond saturation", results.Valid, results.Summary{Saturation: new(2000.0)}, []results.Check{holds}, results.Saturates, new(true)},
		{"a check that fails of a load that is sustained", results.Valid, phases(yes), []results.Check{holds, fails}, results.Holds, new(false)},
		{"checks of no load", results.Valid, phases(), []results.Check{holds}, results.Holds, new(true)},
		{"a check that cannot be told", results.Valid, phases(yes), []results.Check{holds, untold}, results.Holds, nil},
		{"a check that fails decides", results.Valid, phases(no), []results.Check{untold, fails}, results.DoesNotHold, new(false)},
		{"a peak that is sustained, below the saturation", results.Valid, results.Summary{Saturation: new(2000.0), PeakState: results.Holds}, []results.Check{holds}, results.Holds, new(true)},
		{"a search that found", results.Valid, results.Summary{Limit: &results.Limit{Held: new(1.0), Finished: true}}, nil, results.Holds, new(true)},
		{"a search that holds nothing", results.Valid, results.Summary{Limit: &results.Limit{NotHeld: new(1.0), By: results.LimitThrottled, Finished: true}}, nil,
			results.DoesNotHold, new(false)},
		{"a search without a step", results.Valid, results.Summary{Limit: &results.Limit{Finished: true}}, nil, results.CannotTell, nil},
		{"a search that found before a check fails", results.Valid, results.Summary{Limit: &results.Limit{Held: new(1.0), Finished: true}},
			[]results.Check{fails}, results.Holds, new(false)},
		{"a load that is relieved", results.Valid, results.Summary{Balance: &results.Balance{Outcome: results.LoadRelieved}}, nil, results.DoesNotHold, nil},
		{"a load that is throttled to the end", results.Valid, results.Summary{Balance: &results.Balance{Outcome: results.LoadThrottled}}, nil,
			results.DoesNotHold, nil},
		{"no write lost", results.Valid, results.Summary{Audit: &results.Audit{}}, nil, results.Holds, new(true)},
		{"a write doubled", results.Valid, results.Summary{Audit: &results.Audit{Doubled: 1}}, nil, results.DoesNotHold, new(false)},
		{"a write lost in part of a run", results.Partial, results.Summary{Audit: &results.Audit{Lost: 1}}, nil, results.DoesNotHold, new(false)},
	} {
		s := row.summary
		s.Validity, s.Checks = row.validity, row.checks
		state, ok := verdict.State(&s)
		assert.Truef(t, state == row.state && (ok == nil) == (row.ok == nil) && (ok == nil || *ok == *row.ok),
			"%s: State = %s, %v; want %s, %v", row.name, state, ok, row.state, row.ok)
	}
}
