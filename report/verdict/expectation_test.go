package verdict_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"loadgen/report/verdict"
	"loadgen/results"
)

// claimed judges texts on a record.
func claimed(record *results.Record, texts ...string) []results.Expectation {
	own := *record
	own.Manifest.Expectations = texts
	return verdict.Judge(&own).Expectations
}

// kept is a record by hand: two steps of a peak and its hold, after a load, on two
// operations.
func kept() *results.Record {
	folder := new(results.Memory)
	m := manifest()
	m.Time = "virtual"
	recorder, err := results.NewRecorder(folder, m)
	if err != nil {
		panic(err)
	}
	load := recorder.Phase(results.Phase{Name: "fill", Stage: "fill", End: 10 * time.Second})
	slow := recorder.Phase(results.Phase{Name: "peak 100/s", Stage: "peak", Begin: 10 * time.Second, End: 20 * time.Second, Rate: 100, Reported: true})
	fast := recorder.Phase(results.Phase{Name: "peak 200/s", Stage: "peak", Begin: 20 * time.Second, End: 30 * time.Second, Rate: 200, Reported: true})
	hold := recorder.Phase(results.Phase{Name: "peak 200/s (hold)", Stage: "peak", Begin: 30 * time.Second, End: 40 * time.Second, Rate: 200})
	counts := new(results.TargetCounts)
	add := func(phase, kind int, due, took time.Duration, key string, entities, returned int64, refusals int) {
		recorder.Scheduled(results.Scheduled{Phase: phase, Kind: kind, Intended: due, Sent: due, Entities: entities})
		sent := due
		for try := range refusals + 1 {
			a := results.Attempt{Phase: phase, Kind: kind, Try: try, Retry: try > 0, Intended: due, Sent: sent, Done: sent + took,
				Class: results.Refused, PartitionKey: key, HasPartition: key != "", Entities: entities}
			counts.Requests++
			if try == refusals {
				a.Class, a.Counted, a.Returned = results.Ok, entities, returned
				counts.Ok++
				counts.Entities += entities
			} else {
				counts.Refused++
			}
			recorder.Attempt(&a)
			if sent = a.Done + 10*time.Millisecond; try < refusals {
				recorder.Waited(phase, 10*time.Millisecond)
			} else {
				recorder.Completed(&results.Completed{Phase: phase, Kind: kind, Intended: due, Done: a.Done, Class: results.Ok,
					Attempts: try + 1, Entities: entities, Served: entities})
			}
		}
	}
	for i := range 100 {
		add(load, 0, time.Duration(i)*100*time.Millisecond, 5*time.Millisecond, "NYC", 10, 0, 0)
	}
	for p, phase := range []int{slow, fast, hold} {
		rate := []int{100, 200, 200}[p]
		for i := range rate * 10 {
			due := time.Duration(p+1)*10*time.Second + time.Duration(i)*time.Second/time.Duration(rate)
			key, refusals := "NYC", 0
			if i%4 == 0 {
				key = "Berlin"
			}
			if p == 1 && i%10 == 0 {
				refusals = 1
			}
			if i%5 == 4 {
				add(phase, 2, due, 8*time.Millisecond, key, 1, 0, refusals)
			} else {
				add(phase, 1, due, 4*time.Millisecond, key, 2, 1, refusals)
			}
		}
	}
	recorder.Event(results.Event{At: int64(12 * time.Second), What: results.RangeSplit, Decision: &results.Decision{Until: 12*time.Second + 200*time.Millisecond}})
	recorder.Event(results.Event{At: int64(25 * time.Second), What: results.RangeMoved, Decision: &results.Decision{Until: 28 * time.Second}})
	recorder.Event(results.Event{At: int64(26 * time.Second), What: results.RangeKept, Decision: &results.Decision{Until: 99 * time.Second}})
	recorder.Event(results.Event{At: int64(45 * time.Second), What: results.RangesMerged, Decision: &results.Decision{Until: 50 * time.Second}})
	recorder.Audit(&results.Audit{Writes: 9, Acknowledged: 9, Lost: 0, Doubled: 2, Unknown: 3, Overwritten: 4, ForeignConflicts: 5})
	if err := recorder.Finish(50*time.Second, results.Valid, []string{}, counts); err != nil {
		panic(err)
	}
	record, err := results.Read(folder)
	if err != nil {
		panic(err)
	}
	return record
}

func TestFiguresOfARecord(t *testing.T) {
	rows := []struct{ name, text, observed string }{
		{"operations that became due in both steps", "scheduled == 3000", "3,000"},
		{"of one operation", "operations(insert) == 600", "600"},
		{"of a phase that is not reported", "operations(fill) == 100", "100"},
		{"of the reported steps of a stretch, its hold left out", "operations(peak) == 3000", "3,000"},
		{"of one step", "operations(peak 100/s) == 1000", "1,000"},
		{"of an operation in a step", "operations(insert, peak 200/s) == 400", "400"},
		{"requests, retries among them", "requests(peak 200/s) == 2200", "2,200"},
		{"retries", "retries == 200", "200"},
		{"as a share of the requests", "retries <= 6.25%", "6.25%"},
		{"refused attempts", "refused(peak) == 200", "200"},
		{"as a share", "refused(peak 200/s) < 10%", "9.09%"},
		{"as a number per second", "refused(peak) <= 10/s", "10/s"},
		{"a count per second of a step", "counted(peak 100/s) >= 180/s", "180/s"},
		{"requests to an operation", "attempts(peak 200/s) <= 1.1", "1.1"},
		{"what is scanned to what is returned", "counted(get) / returned(get) <= 2", "2"},
		{"as a share", "returned(get) <= 50%", "50%"},
		{"offered in the last half of both steps", "offered <= 270", "270/s"},
		{"offered of one operation in a step", "offered(insert, peak 100/s) >= 20", "20/s"},
		{"served in a step", "served(peak 200/s) >= 360", "360/s"},
		{"nothing lost", "share_lost < 0.1%", "0%"},
		{"the hottest partition of any step", "offered(hottest) < 300", "270/s"},
		{"of the slower step", "offered(hottest, peak 100/s) < 300", "135/s"},
		{"a partition by its key", `offered("Berlin", peak 100/s) < 300`, "45/s"},
		{"a partition that was never offered anything", `offered("Rome") < 0.1`, "0/s"},
		{"served partitions", "served(hottest) < 300", "270/s"},
		{"of a preparation", `served("NYC", fill) <= 100`, "100/s"},
		{"the account's, all of the step", "offered(account, peak 200/s) <= 360", "360/s"},
		{"partitions", "partitions == 2", "2"},
		{"partitions of a phase", "partitions(fill) == 1", "1"},
		{"how long a phase lasted", "length(fill) <= 10s", "10s"},
		{"how long both steps did", "length <= 20s", "20s"},
		{"splits in a step", "splits(peak 100/s) == 1", "1"},
		{"none in the other", "splits(peak 200/s) == 0", "0"},
		{"moves", "moves == 1", "1"},
		{"merges after the last phase", "merges == 1", "1"},
		{"merges in the steps", "merges(peak) == 0", "0"},
		{"how long a range was not served at most", "offline < 6s", "5s"},
		{"in the steps", "offline(peak) < 6s", "3s"},
		{"verified writes", "lost == 0", "0"},
		{"what was doubled", "doubled <= 2", "2"},
		{"unknown writes", "unknown <= 3", "3"},
		{"overwritten entities", "overwritten <= 4", "4"},
		{"conflicts", "conflicts <= 5", "5"},
		{"a median", "p50(get) < 5ms", "4ms"},
		{"service times do not hold the wait", "service_max(get) < 5ms", "4ms"},
		{"response times do", "max(get) < 20ms", "18ms"},
		{"the mean, rounded to where it lies", "service_mean(get) < 5ms", "4ms"},
		{"waits before retries", "wait_max <= 10.02ms", "10ms"},
		{"the lag", "lag_max < 1us", "0s"},
		{"a difference", "max(get) - p50(get) < 20ms", "14ms"},
		{"a multiple", "p95(insert) <= 3 * p50(get)", "8ms, against 12ms"},
		{"what lies near another figure, with digits enough", "p95(insert) > 2 * p50(get)", "8.003ms, against 8.002ms"},
		{"against another count", "counted(get) >= 4 * returned(insert)", "4,800, against 0"},
	}
	var texts []string
	for _, row := range rows {
		texts = append(texts, row.text)
	}
	// All of them at once: one judgement tells every figure.
	list := claimed(kept(), texts...)
	for i, row := range rows {
		if got := list[i]; got.Expr != row.text || got.Observed != row.observed || !got.Pass {
			t.Errorf("%s: %q = %+v; want it observed as %s, and true", row.name, row.text, got, row.observed)
		}
	}
}

func TestWhatCannotBeToldDoesNotPass(t *testing.T) {
	whole := kept()
	summary := verdict.Judge(whole)
	// What is left out must not alter the record of the other rows.
	strip := func(change func(*results.Record)) func() *results.Record {
		return func() *results.Record {
			record := *whole
			record.Phases = slices.Clone(whole.Phases)
			for p := range record.Phases {
				record.Phases[p].Kinds = slices.Clone(whole.Phases[p].Kinds)
			}
			change(&record)
			return &record
		}
	}
	all := strip(func(*results.Record) {})
	for _, row := range []struct {
		name   string
		record func() *results.Record
		text   string
	}{
		{"an operation that the record has not", all, "p99(delete) < 20ms"},
		{"a phase that it has not", all, "refused(after) < 1%"},
		{"an operation of such a phase", all, "refused(get, after) == 0"},
		{"a preparation by its kind rather than its phase", all, "operations(load) == 100"},
		{"a partition that may come after the ten that are kept", strip(func(r *results.Record) {
			for i := range 8 {
				r.Phases[1].Offered = append(r.Phases[1].Offered, results.PartitionStats{Key: fmt.Sprint(i), Entities: 1})
			}
		}), `offered("Rome") < 2000`},
		{"a quantile of too few", all, "p99.9(peak 100/s) < 20ms"},
		{"times of nothing", all, "max(get, fill) < 20ms"},
		{"a share of nothing", all, "refused(get, fill) < 1%"},
		{"a load that was never throttled", all, "throttled < 1h"},
		{"writes that nobody verified", strip(func(r *results.Record) { r.Audit = nil }), "lost == 0"},
		{"load balancing of a service", strip(func(r *results.Record) { r.Manifest.Target = "https://example.org" }), "splits == 0"},
		{"load balancing in real time", strip(func(r *results.Record) { r.Manifest.Time = "real" }), "moves == 0"},
		{"offered partitions of an older record", strip(func(r *results.Record) { r.Phases[1].Offered = nil }), "offered(hottest) < 2000"},
		{"their number", strip(func(r *results.Record) { r.Phases[2].Offered = nil }), "partitions == 2"},
		{"a number of partitions beyond the bound", strip(func(r *results.Record) { r.Phases[1].OfferedOver = 1 }), "partitions >= 2"},
		{"a hottest partition that the others could exceed", strip(func(r *results.Record) { r.Phases[1].OfferedOver = 1351 }), "offered(hottest) < 2000"},
		{"one that they could in what was served", strip(func(r *results.Record) { r.Phases[1].PartitionsOver = 1351 }), "served(hottest) < 2000"},
		{"a partition that may be one of the others", strip(func(r *results.Record) { r.Phases[1].OfferedOver = 1 }), `offered("Rome") < 2000`},
		{"no operation on a single partition", strip(func(r *results.Record) {
			for p := range r.Phases {
				r.Phases[p].Offered = []results.PartitionStats{}
			}
		}), "offered(hottest) < 2000"},
		{"retries of an older record", strip(func(r *results.Record) {
			for p := range r.Phases {
				for k := range r.Phases[p].Kinds {
					r.Phases[p].Kinds[k].Retries = 0
				}
			}
		}), "retries < 1%"},
	} {
		record := row.record()
		record.Manifest.Expectations = []string{row.text}
		got := verdict.Expectations(record, summary)
		if len(got) != 1 || got[0].Pass || got[0].Observed != "not measured" {
			t.Errorf("%s: %q = %+v; want it not measured", row.name, row.text, got)
		}
	}
	told := strip(func(r *results.Record) {
		r.Phases[1].OfferedOver = 1350
		r.Manifest.Expectations = []string{"offered(hottest, peak 100/s) < 136"}
	})()
	if got := verdict.Expectations(told, summary); !got[0].Pass {
		t.Errorf("what cannot exceed the hottest partition = %+v; want it told", got)
	}
	told.Manifest.Expectations = []string{"saturation > 0"}
	if got := verdict.Expectations(told, &results.Summary{Validity: results.Valid}); got[0].Pass || got[0].Observed != "not measured" {
		t.Errorf("a saturation that was not reached = %+v; want it not measured", got)
	}
}

func TestOnlyAValidRunBearsAClaimOut(t *testing.T) {
	record := kept()
	for _, row := range []struct {
		name, validity, text, observed string
		pass                           bool
	}{
		{"valid", results.Valid, "refused < 10%", "6.25%", true},
		{"interrupted", results.Partial, "refused < 10%", "not judged: the run is partial", false},
		{"held back by the generator", results.ClientLimited, "refused < 10%", "not judged: the run is client-limited", false},
		{"untrue", results.Invalid, "refused < 10%", "not judged: the run is invalid", false},
		{"not a claim", results.Valid, "refused <> 1%", "not judged: byte 9: the character '>' stands where the limit should", false},
	} {
		record.Validity = row.validity
		got := claimed(record, row.text)
		if len(got) != 1 || got[0].Pass != row.pass || !strings.HasPrefix(got[0].Observed, row.observed) || got[0].Expr != row.text {
			t.Errorf("%s: %q = %+v; want it observed as %s, and pass %t", row.name, row.text, got, row.observed, row.pass)
		}
	}
}

// What is observed is shown with as many figures as it takes to see on which side of
// the limit it lies.
func TestObservedLiesOnItsSideOfTheLimit(t *testing.T) {
	record := kept()
	for _, row := range []struct {
		name              string
		refused, attempts int64
		text, observed    string
		pass              bool
	}{
		{"a third", 1, 3, "refused(get, peak 100/s) < 1%", "33.3%", false},
		{"a little below", 99_999, 10_000_000, "refused(get, peak 100/s) < 1%", "0.99999%", true},
		{"a little above", 100_001, 10_000_000, "refused(get, peak 100/s) < 1%", "1.00001%", false},
		{"just there", 1, 100, "refused(get, peak 100/s) < 1%", "1%", false},
		{"just there, which is allowed", 1, 100, "refused(get, peak 100/s) <= 1%", "1%", true},
		{"far more than the limit", 1_234_567, 1, "refused(get, peak 100/s) <= 3", "1,234,567", false},
		{"many per second", 1_234_567, 1, "refused(get, peak 100/s) <= 3/s", "123,000/s", false},
		{"many per second, just above", 1_234_567, 1, "refused(get, peak 100/s) <= 123456/s", "123,500/s", false},
	} {
		record.Phases[1].Kinds[1].Refused, record.Phases[1].Kinds[1].Attempts = row.refused, row.attempts
		summary := &results.Summary{Validity: results.Valid}
		record.Manifest.Expectations = []string{row.text}
		got := verdict.Expectations(record, summary)
		if len(got) != 1 || got[0].Observed != row.observed || got[0].Pass != row.pass {
			t.Errorf("%s: %q of %d in %d = %+v; want %s, pass %t", row.name, row.text, row.refused, row.attempts, got, row.observed, row.pass)
		}
	}
}

// TestClaimsAgreeWithTheAttempts counts the attempts of random runs one by one.
func TestClaimsAgreeWithTheAttempts(t *testing.T) {
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(seed, 11))
		folder := new(results.Memory)
		recorder, err := results.NewRecorder(folder, manifest())
		if err != nil {
			t.Fatal(err)
		}
		phase := recorder.Phase(results.Phase{Name: "a", Stage: "a", End: 10 * time.Second, Rate: 1, Reported: true})
		var attempts, refused, counted, halfOffered, halfServed int64
		offered := map[string]int64{}
		var took []time.Duration
		n := 500 + rng.IntN(1000)
		for i := range n {
			due := time.Duration(rng.Int64N(int64(9 * time.Second)))
			entities := 1 + rng.Int64N(5)
			key := fmt.Sprint("k", rng.IntN(12))
			recorder.Scheduled(results.Scheduled{Phase: phase, Kind: 1, Intended: due, Sent: due, Entities: entities})
			if due >= 5*time.Second {
				halfOffered += entities
			}
			offered[key] += entities
			for try, sent := 0, due; ; try++ {
				a := results.Attempt{Class: results.Ok, Phase: phase, Kind: 1, Number: uint64(i), Try: try, Retry: try > 0, Intended: due, Sent: sent,
					Done: sent + time.Duration(rng.Int64N(int64(50*time.Millisecond))), PartitionKey: key, HasPartition: true, Entities: entities}
				attempts++
				if a.Class = results.Ok + results.Class(rng.IntN(2)); a.Class == results.Ok {
					a.Counted = entities
					counted += entities
				} else {
					refused++
				}
				recorder.Attempt(&a)
				if a.Class == results.Ok || try == 3 {
					c := results.Completed{Phase: phase, Kind: 1, Intended: due, Done: a.Done, Class: a.Class, Attempts: try + 1,
						Entities: entities, Served: a.Counted}
					recorder.Completed(&c)
					if a.Class == results.Ok {
						took = append(took, a.Done-due)
					}
					if due >= 5*time.Second {
						halfServed += a.Counted
					}
					break
				}
				sent = a.Done
			}
		}
		if err := recorder.Finish(10*time.Second, results.Valid, nil, nil); err != nil {
			t.Fatal(err)
		}
		record, err := results.Read(folder)
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(took)
		hottest := int64(0)
		for _, entities := range offered {
			hottest = max(hottest, entities)
		}
		median := took[int(float64(len(took))*.5+.5)-1]
		rows := []struct {
			figure string
			value  float64
			unit   string
			near   float64
		}{
			{"requests(get)", float64(attempts), "", 0},
			{"refused", float64(refused), "", 0},
			{"refused(a)", 100 * float64(refused) / float64(attempts), "%", 1e-9},
			{"counted(get, a)", float64(counted), "", 0},
			{"attempts", float64(attempts) / float64(n), "", 1e-9},
			{"offered", float64(halfOffered) / 5, "", 1e-9},
			{"served", float64(halfServed) / 5, "", 1e-9},
			{"share_lost", 100 * (1 - float64(halfServed)/float64(halfOffered)), "%", 1e-9},
			{"offered(hottest)", float64(hottest) / 10, "", 1e-9},
			{"partitions", float64(len(offered)), "", 0},
			{"p50(get)", float64(median.Microseconds()), "us", .002},
			{"max", float64(took[len(took)-1].Microseconds()), "us", .002},
		}
		var texts []string
		for _, row := range rows {
			high := row.value*(1+row.near) + 1e-8
			low := strings.ReplaceAll(fmt.Sprintf("%s >= %.9f%s", row.figure, row.value*(1-row.near), row.unit), ".000000000", "")
			texts = append(texts, low, fmt.Sprintf("%s <= %.9f%s", row.figure, high, row.unit), fmt.Sprintf("%s > %.9f%s", row.figure, high, row.unit))
		}
		list := claimed(record, texts...)
		for i, row := range rows {
			if got := list[3*i : 3*i+3]; !got[0].Pass || !got[1].Pass || got[2].Pass {
				t.Errorf("seed %d: %s = %+v; want %v%s", seed, row.figure, got, row.value, row.unit)
			}
		}
	}
}

func TestClaimsComeAfterThePeakAndInTheirOrder(t *testing.T) {
	r := stress()
	r.manifest.PeakAsked = 1000
	r.manifest.Expectations = []string{"refused < 1%", "p99(get)<1s", "offered(hottest) >= 1000"}
	record := r.record(t)
	summary := verdict.Judge(record)
	var got []string
	for _, e := range summary.Expectations {
		got = append(got, fmt.Sprintf("%s %t", e.Expr, e.Pass))
	}
	want := []string{"refused(peak 1000) < 1% true", "share_lost(peak 1000) < 0.1% true", "offered(peak 1000) <= saturation true",
		"refused < 1% false", "p99(get) < 1s true", "offered(hottest) >= 1000 false"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Expectations differ (-want +got):\n%s", diff)
	}
	// A claim that fails is not the peak's failure.
	if verdict.Holds(summary) || !strings.Contains(summary.Verdict, "A peak of 1,000 operations/s holds") {
		t.Errorf("Holds = %t, Verdict = %q; want a peak that holds in a run that does not", verdict.Holds(summary), summary.Verdict)
	}
	text, err := json.Marshal(summary.Expectations[3])
	if err != nil || !strings.HasPrefix(string(text), `{"expr":"refused \u003c 1%","observed":"`) {
		t.Errorf("as JSON: %s, %v; want expr, observed and pass", text, err)
	}
	r.manifest.PeakAsked, r.manifest.Expectations = 0, nil
	if got := verdict.Judge(r.record(t)).Expectations; got == nil || len(got) > 0 {
		t.Errorf("Expectations of a run of which nothing was asked = %#v; want an empty list", got)
	}
}

// Every count is a figure of its own, with its own whole.
func TestCountsAndTheirWholes(t *testing.T) {
	record := &results.Record{Validity: results.Valid, Duration: 10 * time.Second,
		Manifest: results.Manifest{Operations: []results.Kind{{Name: "get", Group: "GET"}}},
		Phases: []results.Phase{{Name: "a", Stage: "a", End: 10 * time.Second, Reported: true, Kinds: []results.KindStats{{
			Scheduled: 1000, Sent: 800, Dropped: 200, Late: 80, Operations: 500, Succeeded: 250, Attempts: 2000, Ok: 1000, Handled: 20,
			Refused: 600, Failed: 400, Retries: 1200, Counted: 5000, Returned: 50, Offered: 700, Served: 630}}}}}
	for name, want := range map[string][2]string{
		"scheduled": {"1,000"}, "sent": {"800"}, "dropped": {"200", "20%"}, "late": {"80", "10%"}, "operations": {"500"},
		"succeeded": {"250", "50%"}, "requests": {"2,000"}, "ok": {"1,000", "50%"}, "handled": {"20", "1%"}, "refused": {"600", "30%"},
		"failed": {"400", "20%"}, "retries": {"1,200", "60%"}, "counted": {"5,000"}, "returned": {"50", "1%"},
		// Of a closed loop rates are of all of it.
		"offered": {"70/s"}, "served": {"63/s"}, "share_lost": {"10%"}, "attempts": {"4"}, "length": {"10s"},
	} {
		limits := [2]string{"0", "0%"}
		if name == "length" {
			limits[0] = "0s"
		}
		for i, limit := range limits {
			if want[i] == "" {
				continue
			}
			record.Manifest.Expectations = []string{name + " > " + limit, name + "(get, a) > " + limit, name + "(a) > " + limit}
			if name == "length" {
				record.Manifest.Expectations = record.Manifest.Expectations[:1]
			}
			for _, got := range verdict.Expectations(record, &results.Summary{Validity: results.Valid}) {
				if got.Observed != want[i] || !got.Pass {
					t.Errorf("%+v; want it observed as %s", got, want[i])
				}
			}
		}
	}
}

func TestFiguresOfPartsAndOfLoadBalancing(t *testing.T) {
	seconds := func(s float64) *float64 { return &s }
	record := kept()
	record.Phases[2].Offered[0].Entities = 10
	record.Phases[1].Accounts = []results.AccountStats{{Offered: 300}, {Offered: 500}, {Offered: 400}}
	record.Phases[2].Accounts = []results.AccountStats{{Offered: 30}, {Offered: 50}, {Offered: 900}}
	valid := func(b *results.Balance) *results.Summary {
		return &results.Summary{Validity: results.Valid, Balance: b}
	}
	for _, row := range []struct {
		name     string
		balance  *results.Balance
		text     string
		observed string
	}{
		{"the hottest partition in an earlier phase", nil, "offered(hottest) > 0", "135/s"},
		{"the busiest account of any phase", nil, "offered(account) > 0", "90/s"},
		{"another one is that of a step", nil, "offered(account, peak 100/s) > 0", "50/s"},
		{"a load that was throttled and then relieved", &results.Balance{Throttled: seconds(10), Relieved: seconds(310)}, "throttled < 20s", "10s"},
		{"and how long that took", &results.Balance{Throttled: seconds(10), Relieved: seconds(310)}, "relieved < 6m", "5m10s"},
		{"one that was never relieved", &results.Balance{Throttled: seconds(10)}, "relieved < 6m", "not measured"},
		{"one that was never throttled", &results.Balance{}, "throttled < 20s", "not measured"},
	} {
		record.Manifest.Expectations = []string{row.text}
		got := verdict.Expectations(record, valid(row.balance))
		if len(got) != 1 || got[0].Observed != row.observed || got[0].Pass != (row.observed != "not measured") {
			t.Errorf("%s: %+v; want it observed as %s", row.name, got, row.observed)
		}
	}
}
