package protocol_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios/fleet/protocol"
)

// ask is a message of a member, with what it says.
func ask(epoch string, number int, says string) []byte {
	return fmt.Appendf(nil, `{"schema_version":1,"epoch":%q,"number":%d,%s}`, epoch, number, says)
}

// join is how a member begins.
func join(epoch string) []byte { return ask(epoch, 1, `"join":{"name":"a","version":"v1"}`) }

// What is said is read strictly: each wrong message is a fault that says where.
func TestAsksAreReadStrictly(t *testing.T) {
	for _, row := range []struct{ sentence, text, says string }{
		{"nothing", ``, "EOF"},
		{"no JSON", `hello`, "invalid character"},
		{"an unknown field", `{"schema_version":1,"epoch":"e","number":1,"probe":{},"extra":1}`, `unknown field "extra"`},
		{"two values", `{"schema_version":1,"epoch":"e","number":1,"probe":{}} {}`, "more than one value"},
		{"another version", `{"schema_version":2,"epoch":"e","number":1,"probe":{},"extra":1}`, "version 2"},
		{"no epoch", `{"schema_version":1,"number":1,"probe":{}}`, "epoch: 0 bytes"},
		{"nothing said", `{"schema_version":1,"epoch":"e","number":1}`, "says 0 things"},
		{"two things said", `{"schema_version":1,"epoch":"e","number":1,"probe":{},"leave":{}}`, "says 2 things"},
		{"a member without a name", `{"schema_version":1,"epoch":"e","number":1,"join":{"name":"","version":"v"}}`, "join.name"},
		{"a label that is too long", `{"schema_version":1,"epoch":"e","number":1,"join":{"name":"a","version":"v","labels":{"x":"` + strings.Repeat("y", 2000) + `"}}}`, "join.labels"},
		{"a part below 0", `{"schema_version":1,"epoch":"e","number":1,"fetch":{"part":-1}}`, "fetch.part"},
		{"a part beyond its parts", `{"schema_version":1,"epoch":"e","number":1,"final":{"part":2,"parts":2}}`, "final.part"},
		{"no parts", `{"schema_version":1,"epoch":"e","number":1,"final":{"part":0,"parts":0}}`, "final.parts"},
		{"a bound below 0", `{"schema_version":1,"epoch":"e","number":1,"beat":{"clock_bound_ns":-1}}`, "clock_bound_ns"},
		{"a count below 0", told(results.Interval{Counts: results.Counts{Attempts: -1, Ok: -1}}), "below 0"},
		{"attempts of no class", told(results.Interval{Counts: results.Counts{Attempts: 5, Ok: 3}}), "5 attempts"},
		{"a kind without its operation", told(results.Interval{Kinds: []results.IntervalKind{{Name: "get"}}}), "told.second.response"},
		{"a number below 0", `{"schema_version":1,"epoch":"e","number":-1,"probe":{}}`, "number"},
		{"a message that is too long", `{"epoch":"` + strings.Repeat("e", protocol.MaxBytes) + `"}`, "at most"},
	} {
		err := protocol.Decode([]byte(row.text), new(protocol.Ask))
		assert.Truef(t, errors.Is(err, protocol.ErrMalformed) && strings.Contains(err.Error(), row.says),
			"%s: %v; want %v that says %q", row.sentence, err, protocol.ErrMalformed, row.says)
	}
}

// told is a second as it is sent.
func told(i results.Interval) string {
	text, err := json.Marshal(&protocol.Ask{SchemaVersion: 1, Epoch: "e", Number: 1, Told: &protocol.Report{Second: protocol.Second{Interval: i}}})
	if err != nil {
		panic(err)
	}
	return string(text)
}

// A member of another version of the protocol is told so, and not left to wait.
func TestAnotherVersionIsTold(t *testing.T) {
	l := leading1(t)
	reply := l.On(0, "e", []byte(`{"schema_version":9,"epoch":"e","number":7,"something":"new"}`))
	var answer protocol.Answer
	err := protocol.Decode(reply, &answer)
	assert.Truef(t, err == nil && answer.Number == 7 && strings.Contains(answer.Refused, "version 9"),
		"%s, %v; want a refusal that says version 9", reply, err)
	m := protocol.NewMember(protocol.MemberPlan{Name: "a", Epoch: "e", Deadline: time.Second})
	m.Tick(0)
	step := m.On(1, []byte(`{"schema_version":9,"number":1,"welcome":{}}`))
	assert.Truef(t, step.Over && errors.Is(step.Err, protocol.ErrRefused), "the member does %+v; want it over", step)
}

// leading1 is a leader of one.
func leading1(t testing.TB) *protocol.Leader {
	t.Helper()
	l, err := protocol.NewLeader(protocol.Plan{Members: 1, Deadline: time.Minute, Version: version, Charge: protocol.Charge{Scenario: scenario, SHA256: sum(scenario)}})
	require.NoError(t, err)
	return l
}

// What comes in another's name is dropped, and counted.
func TestInAnothersName(t *testing.T) {
	l := leading1(t)
	text := join("a")
	reply := l.On(0, "b", text)
	assert.Truef(t, reply == nil, "it is answered %s", reply)
	if o, _ := l.Outcome(); len(o.Shares) != 0 || len(o.Notes) != 1 || !strings.Contains(o.Notes[0], "other fleets") {
		t.Errorf("the outcome is %+v; want nobody, and a note", o)
	}
}

// Records whose bytes are not those that were said, or that are two, end the run by name.
func TestRecordsThatAreNotWhole(t *testing.T) {
	part := func(number, part, parts int, sha, bytes string) []byte {
		return fmt.Appendf(nil, `{"schema_version":1,"epoch":"a","number":%d,"final":{"part":%d,"parts":%d,"sha256":%q,"bytes":%q,"seconds_told":0,"seconds_untold":0,"counts":{}}}`, number, part, parts, sha, bytes)
	}
	for _, row := range []struct {
		sentence string
		parts    [][]byte
		says     string
	}{
		{"it is whole", [][]byte{part(3, 0, 1, sum([]byte("x")), "eA==")}, ""},
		{"it has another digest", [][]byte{part(3, 0, 1, sum([]byte("y")), "eA==")}, "digest"},
		{"its parts are of two records", [][]byte{part(3, 0, 2, "x", "eA=="), part(4, 1, 2, "y", "eA==")}, "two records"},
		{"it has more parts than it said", [][]byte{part(3, 0, 2, "x", "eA=="), part(4, 1, 3, "x", "eA==")}, "two records"},
	} {
		l := leading1(t)
		l.On(0, "a", join("a"))
		l.On(1, "a", []byte(`{"schema_version":1,"epoch":"a","number":2,"beat":{"ready":true}}`))
		for _, text := range row.parts {
			l.On(2, "a", text)
		}
		o, err := l.Outcome()
		assert.Truef(t, err == nil && l.Over() && len(o.Faults) == min(1, len(row.says)) && (len(o.Faults) == 0 ||
			strings.Contains(o.Faults[0], row.says)), "%s: %v, over %v, %q", row.sentence, err, l.Over(), o.Faults)
		assert.Truef(t, (o.Shares[0].Record != nil) == (row.says == ""),
			"%s: the record is %q", row.sentence, o.Shares[0].Record)
	}
}

// Seconds that a member has no room for, since nobody takes them, are counted and said,
// and the rest is not taken for all.
func TestSecondsThatDoNotArrive(t *testing.T) {
	l := leading1(t)
	m := protocol.NewMember(protocol.MemberPlan{Name: "a", Epoch: "a", Version: version, Deadline: time.Second})
	now := clock.Instant(0)
	var deliver func(s protocol.Step)
	deliver = func(s protocol.Step) {
		for _, text := range s.Send {
			if reply := l.On(now, "a", text); reply != nil {
				deliver(m.On(now, reply))
			}
		}
	}
	for range 20 {
		now = now.Add(100 * time.Millisecond)
		deliver(m.Tick(now))
	}
	deliver(m.Ready(now, 0))
	const all = 1200
	var counts results.Counts
	var waits []protocol.Step
	for n := range all {
		second := protocol.Second{Interval: results.Interval{Second: int64(n), Counts: results.Counts{Scheduled: 1, Attempts: 1, Ok: 1}}}
		counts.Add(&second.Interval.Counts)
		waits = append(waits, m.Second(now, &second))
	}
	for _, s := range waits {
		deliver(s)
	}
	deliver(m.HandIn(now, []byte("record"), counts, ""))
	o, err := l.Outcome()
	if share := o.Shares[0]; err != nil || share.Missing == 0 || share.Seconds+share.Missing != all || share.Record == nil {
		t.Errorf("%v: %d seconds came and %d are missing of %d", err, share.Seconds, share.Missing, all)
	}
	assert.Truef(t, len(o.Faults) == 0 && len(o.Notes) != 0 && strings.Contains(o.Notes[0], "missing from the live view"),
		"faults %q, notes %q; want no fault, and a note", o.Faults, o.Notes)
}

// A plan that cannot be is refused by its fields.
func TestPlansThatCannotBe(t *testing.T) {
	for _, row := range []struct {
		p    protocol.Plan
		says string
	}{
		{protocol.Plan{Deadline: 1}, "members: 0"},
		{protocol.Plan{Members: 20_000, Deadline: 1}, "members: 20000"},
		{protocol.Plan{Members: 1}, "deadline: 0s"},
		{protocol.Plan{Members: 1, Deadline: 1, Drain: -1}, "drain"},
	} {
		_, err := protocol.NewLeader(row.p)
		assert.Truef(t, err != nil && strings.Contains(err.Error(), row.says), "%+v: %v", row.p, err)
	}
}

// Whatever a leader is sent, it neither panics nor counts what it cannot have understood;
// what it reads it writes as it read it.
func FuzzAsk(f *testing.F) {
	for _, text := range []string{
		`{"schema_version":1,"epoch":"a","number":1,"join":{"name":"a","version":"v1"}}`,
		`{"schema_version":1,"epoch":"a","number":2,"beat":{"ready":true,"planned_operations":5,"clock_offset_ns":1,"clock_bound_ns":2}}`,
		`{"schema_version":1,"epoch":"a","number":3,"fetch":{"part":0}}`,
		`{"schema_version":1,"epoch":"a","number":4,"final":{"part":0,"parts":1,"sha256":"","bytes":"eA==","seconds_told":0,"seconds_untold":0,"counts":{}}}`,
		`{"schema_version":1,"epoch":"a","number":5,"leave":{"reason":"x"}}`,
		told(results.Interval{Counts: results.Counts{Attempts: 1, Ok: 1}}), `{"schema_version":2}`, `{`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		l := leading1(t)
		l.On(0, "a", join("a"))
		reply := l.On(1, "a", text)
		l.Tick(2)
		_, err := l.Outcome()
		assert.Truef(t, err == nil || reply != nil, "an ask that is not answered ends the fleet: %v", err)
		if reply != nil {
			assert.NoErrorf(t, protocol.Decode(reply, new(protocol.Answer)), "it is answered %s, which cannot be read", reply)
		}
		var ask, again protocol.Ask
		if err := protocol.Decode(text, &ask); err != nil {
			return
		}
		once, err := json.Marshal(&ask)
		require.NoError(t, err)
		require.NoErrorf(t, protocol.Decode(once, &again), "%s is read, and as %s not", text, once)
		if twice, err := json.Marshal(&again); err != nil || !bytes.Equal(once, twice) {
			t.Errorf("%s is written as %s and then as %s, %v", text, once, twice, err)
		}
	})
}

// Whatever a member is answered, it does not panic, and ends within its deadline and lease.
func FuzzAnswer(f *testing.F) {
	for _, text := range []string{
		`{"schema_version":1,"number":1,"at_ns":5,"joined":{"index":0,"of":1,"charge_parts":1,"charge_sha256":"x"}}`,
		`{"schema_version":1,"number":2,"at_ns":5,"part":{"part":0,"bytes":"e30="}}`,
		`{"schema_version":1,"number":2,"at_ns":5,"orders":{"prepare":true,"start_ns":9,"stop":"why"}}`,
		`{"schema_version":1,"number":1,"at_ns":5,"refused":"no"}`, `{"schema_version":3,"number":1}`, `[`,
	} {
		f.Add([]byte(text), []byte(text))
	}
	f.Fuzz(func(t *testing.T, first, second []byte) {
		m := protocol.NewMember(protocol.MemberPlan{Name: "a", Epoch: "a", Version: version, Deadline: time.Second})
		m.Tick(0)
		over := m.On(1, first).Over
		over = m.On(2, second).Over || over
		for now := clock.Instant(0); now < clock.Instant(20*time.Second); now = now.Add(time.Second) {
			over = m.Tick(now).Over || over
		}
		assert.True(t, over, "it never ends")
	})
}

// A member that reports what cannot be is lost at once, by name, and the run ends: the others
// would wait for it without end.
func TestBrokenSecondsEndTheRun(t *testing.T) {
	told := func(number, sequence int, interval, response string) string {
		return fmt.Sprintf(`{"schema_version":1,"epoch":"a","number":%d,"told":{"sequence":%d,"second":{"interval":{%s},"response":[%s]}}}`,
			number, sequence, interval, response)
	}
	histogram := func(succeeded int) string {
		h := results.NewHistogram()
		for range succeeded {
			h.Record(time.Millisecond)
		}
		text, err := json.Marshal(h)
		require.NoError(t, err)
		return string(text)
	}
	const kind = `,"per_operation":[{"name":"get","attempts":2,"ok":2}]`
	sound := told(3, 0, `"second":0,"attempts":2,"ok":2,"succeeded":2`+kind, histogram(2))
	for _, tt := range []struct {
		name  string
		texts []string
		lost  bool
	}{
		{"sound", []string{sound}, false},
		{"reported twice", []string{sound, sound}, false},
		{"negative", []string{told(3, 0, `"second":0,"scheduled":-5`, "")}, true},
		{"no number", []string{told(3, 0, `"second":0,"scheduled":NaN`, "")}, true},
		{"a count that overflows", []string{told(3, 0, `"second":0,"offered_entities":9223372036854775807`, "")}, true},
		{"more than its operations", []string{told(3, 0, `"second":0,"attempts":3,"ok":3`+kind, histogram(0))}, true},
		{"a broken histogram", []string{told(3, 0, `"second":0,"attempts":2,"ok":2,"succeeded":2`+kind, `"x"`)}, true},
		{"a histogram of others", []string{told(3, 0, `"second":0,"attempts":2,"ok":2,"succeeded":2`+kind, histogram(1))}, true},
		{"the second before again", []string{sound, told(4, 1, `"second":0`, "")}, true},
		{"a second of another year", []string{told(3, 0, `"second":99999999`, "")}, true},
		{"cut off", []string{sound[:len(sound)/2]}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := leading1(t)
			l.On(0, "a", join("a"))
			l.On(1, "a", []byte(`{"schema_version":1,"epoch":"a","number":2,"beat":{"ready":true}}`))
			for _, text := range tt.texts {
				l.On(2, "a", []byte(text))
			}
			o, _ := l.Outcome()
			require.Len(t, o.Shares, 1)
			assert.Equal(t, tt.lost, o.Shares[0].Lost != "", o.Shares[0].Lost)
			assert.Equal(t, tt.lost, l.Over(), "the run is over")
		})
	}
}
