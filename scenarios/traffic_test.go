package scenarios_test

import (
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"loadgen/engine/clock"
	"loadgen/scenarios"
	"loadgen/scenarios/arrival"
)

// trafficking is the race with traffic in place of its peak, in a line of its own;
// laden keeps the load before it.
func trafficking(traffic string, laden bool) string {
	text := strings.Replace(spreading(""), "  - name: spread\n    spread: \n", "", 1)
	if !laden {
		text = text[:strings.Index(text, "  - name: load")]
	}
	return text + "  - name: measure\n    traffic: " + traffic + "\n"
}

func TestTrafficIsReadAndWritten(t *testing.T) {
	base := scenarios.Traffic{Unit: "operations", Drain: 5 * time.Second, Entities: 1000, For: time.Minute}
	with := func(change func(*scenarios.Traffic)) scenarios.Traffic {
		one := base
		change(&one)
		return one
	}
	arriving := func(a scenarios.Arrivals) func(*scenarios.Traffic) {
		return func(t *scenarios.Traffic) { t.Arrivals = &a }
	}
	for _, tt := range []struct {
		name, text string
		want       scenarios.Traffic
	}{
		{"a constant rate", "arrivals: {constant: 500}, for: 1m", with(arriving(scenarios.Arrivals{Constant: 500}))},
		{"random arrivals", "arrivals: {poisson: 0.5}, for: 1m", with(arriving(scenarios.Arrivals{Poisson: .5}))},
		{"a ramp from nothing", "arrivals: {ramp: {from: 0, to: 900}}, for: 1m", with(arriving(scenarios.Arrivals{Ramp: &scenarios.Ramp{To: 900}}))},
		{"steps, which need no for", "arrivals: {steps: {rates: [5, 7.5], each: 5s}}", with(func(t *scenarios.Traffic) {
			t.For, t.Arrivals = 0, &scenarios.Arrivals{Steps: &scenarios.Steps{Rates: []float64{5, 7.5}, Each: 5 * time.Second}}
		})},
		{"bursts", "arrivals: {burst: {base: 0, peak: 9, every: 10s, length: 500ms}}, for: 1m",
			with(arriving(scenarios.Arrivals{Burst: &scenarios.Burst{Peak: 9, Every: 10 * time.Second, Length: 500 * time.Millisecond}}))},
		{"a wave", "arrivals: {sine: {mean: 10, amplitude: 10, period: 1m}}, for: 1m",
			with(arriving(scenarios.Arrivals{Sine: &scenarios.Sine{Mean: 10, Amplitude: 10, Period: time.Minute}}))},
		{"a trace", "arrivals: {trace: day/monday.csv}, for: 1m", with(arriving(scenarios.Arrivals{Trace: "day/monday.csv"}))},
		{"a closed loop", "clients: 64, think: 100ms, for: 1m", with(func(t *scenarios.Traffic) { t.Clients, t.Think = 64, 100*time.Millisecond })},
		{"clients that never pause", "clients: 64, think: 0, for: 1m", with(func(t *scenarios.Traffic) { t.Clients = 64 })},
		{"a loop of so many operations", "clients: 8, count: 400", with(func(t *scenarios.Traffic) { t.For, t.Clients, t.Count = 0, 8, 400 })},
		{"everything else", "partitions: [NYC], arrivals: {constant: 1}, unit: entities, for: 1m, warm_up: 10s, drain: 0s, " +
			"stop_when_stable: 2.5%, stop_on: [failed > 1%, \"late>0%\"], entities: 7",
			with(func(t *scenarios.Traffic) {
				t.Keys, t.Arrivals, t.Unit = []string{"NYC"}, &scenarios.Arrivals{Constant: 1}, scenarios.UnitEntities
				t.WarmUp, t.Drain, t.StopWhenStable, t.Entities = 10*time.Second, 0, .025, 7
				t.StopOn = []scenarios.Budget{{Of: "failed", Above: .01}, {Of: "late"}}
			})},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := parsed(t, trafficking("{"+tt.text+", "+upserts+"}", true))
			got := *s.Phases[1].Traffic
			got.Operations = nil
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("Parse = %+v; want %+v", got, tt.want)
			}
			if again := parsed(t, string(s.Text())); string(again.Text()) != string(s.Text()) || !reflect.DeepEqual(again.Phases, s.Phases) {
				t.Errorf("Parse(Text()) =\n%s\nwant\n%s", again.Text(), s.Text())
			}
		})
	}
}

func TestFaultsOfTraffic(t *testing.T) {
	const place, constant = "23:14: ", "arrivals: {constant: 5}, "
	const duration = "expected a duration with its unit, such as 4s, 2500ms or 1m30s, from "
	for _, tt := range []struct{ name, text, want string }{
		{"neither loop", "for: 1s", place + "traffic has neither arrivals nor clients; expected arrivals (open loop), or clients and think (closed loop)"},
		{"both loops", constant + "clients: 2, think: 1s, for: 1s", "23:49: clients make a closed loop and arrivals an open one; expected one of them"},
		{"clients of whom nothing is said", "clients: 2, for: 1s", "23:24: clients have no think; expected how long each pauses, such as 100ms, or 0 for not at all"},
		{"no arrivals", "arrivals: {}, for: 1s", "23:25: arrivals have 0 of constant, poisson, ramp, steps, burst, sine, trace; expected exactly one"},
		{"two kinds of arrivals", "arrivals: {constant: 1, poisson: 2}, for: 1s", "23:25: arrivals have 2 of constant, poisson, ramp, steps, burst, sine, trace; expected exactly one"},
		{"a mistyped kind", "arrivals: {constant: 1, poison: 2}, for: 1s", `23:39: unknown field "poison"; did you mean "poisson"?`},
		{"a rate of zero", "arrivals: {constant: 0}, for: 1s", "23:36: constant is 0; expected a rate in operations per second, such as 500 or 0.5, from 0.001 to 1000000"},
		{"a negative rate", "arrivals: {ramp: {from: -1, to: 2}}, for: 1s", "23:39: from is -1; expected 0, or a rate a second, such as 500 or 0.5, from 0.001 to 1000000"},
		{"a ramp of nothing", "arrivals: {ramp: {from: 0, to: 0}}, for: 1s", "23:25: all of its rates are 0"},
		{"a ramp without an end", "arrivals: {ramp: {from: 0}}, for: 1s", "23:32: a ramp has no to; expected one"},
		{"bursts that never end", "arrivals: {burst: {base: 1, peak: 2, every: 1s, length: 1s}}, for: 1s", "23:25: bursts of 1s come every 1s; each must be over before the next"},
		{"a wave that goes below zero", "arrivals: {sine: {mean: 1, amplitude: 2, period: 1s}}, for: 1s", "23:25: the amplitude is 2; it must be from 0 to the mean rate, 1"},
		{"a phase of zero length", constant + "for: 0s", "23:45: for is 0s; " + duration + "1s to 24h0m0s"},
		{"a phase without length", constant[:len(constant)-2], place + "traffic has no for; expected one"},
		{"steps of zero length", "arrivals: {steps: {rates: [1], each: 0s}}", "23:52: each is 0s; " + duration + "1s to 24h0m0s"},
		{"steps and a length", "arrivals: {steps: {rates: [1], each: 1s}}, for: 5s", "23:63: steps last as long as all of them together, and for is given; expected none"},
		{"a warm-up as long as all", constant + "for: 5s, warm_up: 5s", "23:58: warm_up is 5s, and the whole phase lasts 5s; expected less"},
		{"a warm-up as long as all steps", "arrivals: {steps: {rates: [1, 2], each: 1s}}, warm_up: 2s", "23:70: warm_up is 2s, and the whole phase lasts 2s; expected less"},
		{"stability of what changes", "arrivals: {ramp: {from: 1, to: 2}}, for: 1m, stop_when_stable: 2%", "23:78: arrivals that change are never stable; expected constant, poisson or clients, or no stop_when_stable"},
		{"stability of no percentage", constant + "for: 1m, stop_when_stable: 0.02", "23:67: stop_when_stable is 0.02; expected a share in percent above 0, such as 2%"},
		{"stability of nothing", constant + "for: 1m, stop_when_stable: 0%", "23:67: stop_when_stable is 0%; expected a share in percent above 0, such as 2%"},
		{"a budget that is none", constant + "for: 1m, stop_on: [lost > 1%]", "23:59: stop_on[0] is lost > 1%; expected a budget of failed, throttled, late, dropped, such as failed > 1%"},
		{"a budget of more than all", constant + "for: 1m, stop_on: [failed > 101%]", "23:59: stop_on[0] is failed > 101%; expected a budget of failed, throttled, late, dropped, such as failed > 1%"},
		{"a budget as a single value", constant + "for: 1m, stop_on: failed > 1%", "23:58: stop_on is failed > 1%; expected a list of budgets, such as failed > 1%"},
		{"so many operations of nobody", constant + "count: 9", "23:47: count belongs to clients, and there are none; expected none, or clients"},
		{"so many operations with pauses", "clients: 2, count: 9, think: 1s", "23:44: the clients do count operations, one right after another, and think is given; expected no think, or no count"},
		{"so many operations that are stable", "clients: 2, count: 9, stop_when_stable: 5%", "23:55: the clients do count operations, one right after another, and stop_when_stable is given; expected no stop_when_stable, or no count"},
		{"entities of what has no rate", "clients: 1, think: 1s, unit: entities, for: 1s", "23:44: entities is the unit of a rate, and there is none; expected arrivals with a rate, or operations"},
		{"a unit that is none", constant + "unit: requests, for: 1s", `23:46: unknown unit "requests"; expected operations or entities`},
		{"an empty path of a trace", "arrivals: {trace: \"\"}", "23:33: trace is \"\"; expected the path of a file"},
		{"a partition that is not loaded", "partitions: [NYCC], " + constant + "for: 1s", `23:27: none of the 200 entities loaded has the PartitionKey "NYCC"; the nearest that exists is "NYC"`},
		{"more partitions than there are", "partitions: 3, " + constant + "for: 1s", "23:27: the first 200 entities fall into 2 partitions; expected at most so many"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := scenarios.Parse("", []byte(trafficking("{"+tt.text+", "+upserts+"}", true)))
			if got := strings.TrimPrefix(faultLines(t, err), ":"); got != tt.want {
				t.Errorf("Parse =\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
	for _, tt := range []struct{ name, text, want string }{
		{"nothing to offer to", "{partitions: all, arrivals: {constant: 5}, for: 1s, " + upserts + "}", "21:14: traffic goes to all partitions and nothing is loaded before; expected a load first, or some partitions"},
		{"a get of what is not there", "{partitions: 1, arrivals: {constant: 5}, for: 1s, operations: [{verb: get}]}",
			"21:84: a get needs entities that are there, and nothing is loaded before; expected a load first, or a verb that needs none, such as insert-or-merge"},
		{"no operations", "{partitions: 1, arrivals: {constant: 5}, for: 1s}", "21:14: traffic has no operations; expected one"},
		{"weights that sum to zero", "{partitions: 1, arrivals: {constant: 5}, for: 1s, operations: [{verb: insert, weight: 0}]}",
			"21:76: the weights of all operations are 0; expected at least one above"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := scenarios.Parse("", []byte(trafficking(tt.text, false)))
			if got := strings.TrimPrefix(faultLines(t, err), ":"); got != tt.want {
				t.Errorf("Parse =\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// The fields of traffic go by their short paths, into its arrivals as well.
func TestSetOfTraffic(t *testing.T) {
	s := parsed(t, trafficking("{arrivals: {constant: 500}, for: 1m, "+upserts+"}", true))
	for _, set := range [][2]string{{"phases.measure.arrivals.constant", "200"}, {"phases.measure.for", "30s"},
		{"phases.measure.stop_on", "[throttled > 20%]"}, {"phases.measure.partitions", "[NYC]"}, {"phases.measure.stop_when_stable", "1%"},
		{"phases.measure.arrivals", "{poisson: 7}"}, {"phases.measure.traffic.unit", "entities"}} {
		if err := s.Set(set[0], set[1]); err != nil {
			t.Fatalf("Set(%q, %q) = %v; want no error", set[0], set[1], err)
		}
	}
	got := s.Phases[1].Traffic
	if got.Arrivals.Poisson != 7 || got.Arrivals.Constant != 0 || got.For != 30*time.Second || len(got.StopOn) != 1 ||
		got.StopOn[0].String() != "throttled > 20%" || len(got.Keys) != 1 || got.StopWhenStable != .01 || got.Unit != scenarios.UnitEntities {
		t.Errorf("after Set the traffic is %+v of %+v; want what was set", got, got.Arrivals)
	}
	if faults := s.Validate(); faults != nil {
		t.Errorf("Validate() = %v; want none", faults)
	}
	if err := s.Set("phases.measure.arrivals.constant", "5"); err == nil {
		t.Error("Set of a constant beside random arrivals = no error; want one")
	}
}

func TestScheduleOfTraffic(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		count      uint64
		// rate is that of the beginning.
		rate   float64
		length time.Duration
	}{
		{"operations", "arrivals: {constant: 100}, for: 10s, " + upserts, 1000, 100, 10 * time.Second},
		{"entities of operations that count one each", "arrivals: {constant: 100}, unit: entities, for: 10s, " + upserts, 1000, 100, 10 * time.Second},
		{"entities of batches of ten and gets, three to one", "partitions: all, arrivals: {constant: 100}, unit: entities, for: 31s, " +
			"operations: [{verb: batch, entities: 10, weight: 3}, {verb: get}]", 400, 400. / 31, 31 * time.Second},
		{"steps", "arrivals: {steps: {rates: [10, 30], each: 2s}}, " + upserts, 80, 10, 4 * time.Second},
		{"a ramp", "arrivals: {ramp: {from: 0, to: 100}}, for: 10s, " + upserts, 500, 0, 10 * time.Second},
		{"bursts", "arrivals: {burst: {base: 10, peak: 100, every: 5s, length: 1s}}, for: 10s, " + upserts, 280, 10, 10 * time.Second},
		{"a wave", "arrivals: {sine: {mean: 10, amplitude: 5, period: 5s}}, for: 10s, " + upserts, 100, 10, 10 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := parsed(t, trafficking("{"+tt.text+"}", true))
			schedule, err := s.Phases[1].Traffic.Schedule(clock.NewStream(1, "arrivals"))
			if err != nil {
				t.Fatal(err)
			}
			if d := int64(schedule.Len() - tt.count); d < -1 || d > 1 || schedule.Length() != tt.length || schedule.Rate(0)-tt.rate > .001 {
				t.Errorf("Schedule has %d operations in %v, at first %v/s; want %d in %v, %v/s",
					schedule.Len(), schedule.Length(), schedule.Rate(0), tt.count, tt.length, tt.rate)
			}
		})
	}
}

// opened returns a file of the given text.
func opened(text string) func(string) (io.ReadCloser, error) {
	return func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
}

func TestReadTraces(t *testing.T) {
	const keyed = "0,get,NYC,1\n0.5,pay,Berlin,2\n61.5,merge,NYC,3\n"
	s := parsed(t, trafficking("{arrivals: {trace: t.csv}, operations: [{verb: get}, {name: pay, verb: merge, properties: [{name: Age, type: Int32, value: \"7\"}]}]}", false))
	chance := clock.NewStream(1, "arrivals")
	traffic := s.Phases[0].Traffic
	if _, err := traffic.Schedule(chance); !errors.Is(err, arrival.ErrSchedule) {
		t.Errorf("Schedule before the trace is read = %v; want ErrSchedule", err)
	}
	if err := s.ReadFiles(opened(keyed)); err != nil {
		t.Fatalf("ReadFiles = %v; want no error", err)
	}
	schedule, err := traffic.Schedule(chance)
	if err != nil || schedule.Len() != 3 || schedule.Length() != 62*time.Second || traffic.Lasts() != schedule.Length() {
		t.Fatalf("Schedule = %d operations in %v, %v; want 3 in 62 s", schedule.Len(), schedule.Length(), err)
	}
	for n, want := range []string{"get", "pay", "pay"} {
		if row := traffic.Arrivals.Recorded.Row(uint64(n)); traffic.Operations[row.Operation].Name != want {
			t.Errorf("row %d is a %s; want a %s", n, traffic.Operations[row.Operation].Name, want)
		}
	}
	for _, tt := range []struct {
		name, text, trace string
		laden             bool
		want              string
	}{
		{"out of order", "arrivals: {trace: t.csv}", "2,get,a,b\n1,get,a,b\n", true, "t.csv:2:1: the instant 1 lies before that of the row above; expected instants that do not fall"},
		{"a mistyped operation", "arrivals: {trace: t.csv}", "2,git,a,b\n", true, `t.csv:1:1: unknown operation "git"; did you mean "get"?`},
		{"a row that would be a batch", "arrivals: {trace: t.csv}, operations: [{verb: batch}, {verb: get}]", "2,batch,a,b\n", true, `t.csv:1:1: unknown operation "batch"; expected get`},
		{"instants alone and nothing to do then", "arrivals: {trace: t.csv}", "1\n", true, "race.yaml:23:14: the weights of all operations are 0; expected at least one above"},
		{"instants alone and nowhere to go", "partitions: all, arrivals: {trace: t.csv}, operations: [{verb: insert}]", "1\n", false, "race.yaml:21:14: traffic goes to all partitions and nothing is loaded before; expected a load first, or some partitions"},
		{"a warm-up as long as the trace", "arrivals: {trace: t.csv}, warm_up: 2s", "0,get,a,b\n1.5,get,a,b\n", true, "race.yaml:23:50: warm_up is 2s, and the trace lasts 2s; expected less"},
		{"a trace of a week", "arrivals: {trace: t.csv}", "0,get,a,b\n604800,get,a,b\n", true, "race.yaml:23:33: the trace lasts 168h0m1s; expected at most 24h0m0s, or a for"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := parsed(t, trafficking("{"+tt.text+"}", tt.laden))
			if got := faultLines(t, s.ReadFiles(opened(tt.trace))); got != tt.want {
				t.Errorf("ReadFiles =\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
	missing := func(string) (io.ReadCloser, error) { return nil, errors.New("no such file") }
	if got, want := faultLines(t, s.ReadFiles(missing)), "race.yaml:21:33: the trace cannot be read: no such file; expected a file"; got != want {
		t.Errorf("ReadFiles =\n%s\nwant\n%s", got, want)
	}
}

// A trace without operations of its own may name every verb of a single entity.
func TestTraceImpliesOperations(t *testing.T) {
	s := parsed(t, trafficking("{arrivals: {trace: t.csv}}", false))
	var names []string
	for _, o := range s.Phases[0].Operations() {
		names = append(names, o.Name)
	}
	if got, want := strings.Join(names, " "), "get insert replace merge insert-or-replace insert-or-merge delete"; got != want {
		t.Errorf("the trace can name %s; want %s", got, want)
	}
	if faults := s.Validate(); faults != nil {
		t.Errorf("Validate() = %v; want none", faults)
	}
}

func FuzzParseBudget(f *testing.F) {
	for _, seed := range []string{"failed > 1%", "late>0%", "dropped > 100%", "throttled > 0.000001%", "failed > 101%", "lost_writes > 1%", "failed > 1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		b, sound := scenarios.ParseBudget(text)
		if !sound {
			return
		}
		if again, sound := scenarios.ParseBudget(b.String()); !sound || again != b || b.Above < 0 || b.Above > 1 {
			t.Fatalf("ParseBudget(%q) = %v, and of its text %v, %t; want the same", text, b, again, sound)
		}
	})
}
