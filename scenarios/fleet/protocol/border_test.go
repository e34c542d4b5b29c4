package protocol_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios/fleet/protocol"
)

// request returns a message of the member "a" with a body.
func request(number int, body string) []byte {
	return fmt.Appendf(nil, `{"schema_version":2,"epoch":"a","number":%d,%s}`, number, body)
}

const joinBody, readyBody = `"join":{"name":"a","version":"v1"}`, `"heartbeat":{"ready":true}`

// second returns the body of a report, with the fields of its interval and its histograms.
func second(sequence int, interval, response string) string {
	return fmt.Sprintf(`"second":{"sequence":%d,"second":{"interval":{%s},"response":[%s]}}`, sequence, interval, response)
}

// Each field of a message has bounds, and the error names the field.
func TestSchema(t *testing.T) {
	digits := strings.Repeat("0", 64)
	wide, err := hdrhistogram.New(1, 1<<62, 5).Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	require.NoError(t, err)
	for _, tt := range []struct{ name, text, field string }{
		{"no JSON", `hello`, "invalid character"},
		{"unknown field", `{"schema_version":2,"epoch":"e","number":1,"probe":{},"extra":1}`, `unknown field "extra"`},
		{"two values", `{"schema_version":2,"epoch":"e","number":1,"probe":{}} {}`, "more than one value"},
		{"no version", `{"epoch":"e","number":1,"probe":{}}`, ".schema_version: 0"},
		{"no epoch", `{"schema_version":2,"number":1,"probe":{}}`, ".epoch: 0; expected 1 to 1024"},
		{"negative number", `{"schema_version":2,"epoch":"e","number":-1,"probe":{}}`, "number"},
		{"no body", `{"schema_version":2,"epoch":"e","number":1}`, "0 bodies"},
		{"too long", `{"epoch":"` + strings.Repeat("e", protocol.MaxBytes) + `"}`, "at most"},
		{"no name", string(request(1, `"join":{"name":"","version":"v"}`)), ".join.name: 0"},
		{"long label", string(request(1, `"join":{"name":"a","version":"v","labels":{"x":"`+strings.Repeat("y", 5000)+`"}}`)), ".join.labels[x]: 5000"},
		{"part after the last", string(request(1, `"record":{"part":2,"parts":2,"sha256":"`+digits+`"}`)), ".record.part: 2"},
		{"no parts", string(request(1, `"record":{"part":0,"parts":0}`)), ".record.parts: 0"},
		{"no digest", string(request(1, `"record":{"part":0,"parts":1,"sha256":"0"}`)), ".record.sha256: 1"},
		{"negative count of a record", string(request(1, `"record":{"part":0,"parts":1,"sha256":"`+digits+`","counts":{"sent":-1}}`)), ".record.counts.sent: -1"},
		{"negative clock bound", string(request(1, `"heartbeat":{"clock_bound_ns":-1}`)), ".heartbeat.clock_bound_ns: -1"},
		{"clock of another age", string(request(1, `"heartbeat":{"clock_offset_ns":-9000000000000000000}`)), ".heartbeat.clock_offset_ns"},
		{"endless count", string(request(1, second(0, `"offered_entities":9223372036854775807`, ""))), ".offered_entities: 9223372036854775808"},
		{"negative quantile", string(request(1, second(0, `"response_us":{"p50":-1}`, ""))), ".response_us.p50: -1"},
		{"negative count of a cause", string(request(1, second(0, `"causes":[{"class":"failed","attempts":-1}]`, ""))), ".causes[0].attempts: -1"},
		{"infinite count", string(request(1, second(0, `"scheduled":1e999`, ""))), "scheduled"},
		{"kind without a histogram", string(request(1, second(0, `"per_operation":[{"name":"get"}]`, ""))), ".response: 0 histograms"},
		{"no histogram", string(request(1, second(0, `"per_operation":[{"name":"get"}]`, "null"))), ".response[0]: null"},
		{"many histograms", string(request(1, second(0, ``, "{}"+strings.Repeat(",{}", 500)))), "501 histograms"},
		{"histogram of millions of buckets", string(request(1, second(0, ``, fmt.Sprintf(`{"count":0,"hdr":%q}`, wide)))), "5 significant figures"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := protocol.Decode[protocol.Request]([]byte(tt.text))
			require.ErrorIs(t, err, protocol.ErrMalformed)
			assert.ErrorContains(t, err, tt.field)
		})
	}
}

// A member and a leader of different versions are told apart, and neither is left to wait.
func TestOtherVersionIsRefused(t *testing.T) {
	reply, err := protocol.Decode[protocol.Reply](leaderOfOne(t).Receive(0, "e", []byte(`{"schema_version":9,"epoch":"e","number":7,"something":"new"}`)))
	require.NoError(t, err)
	assert.EqualValues(t, 7, reply.Number)
	assert.Contains(t, reply.Refused, "version 9")
	m := protocol.NewMember(protocol.MemberPlan{Name: "a", Epoch: "e", Deadline: time.Second})
	m.Tick(0)
	actions := m.Receive(1, []byte(`{"schema_version":9,"number":1,"welcome":{}}`))
	assert.True(t, actions.Over)
	assert.ErrorIs(t, actions.Err, protocol.ErrRefused)
}

// leaderOfOne returns the leader of a fleet with one member.
func leaderOfOne(t testing.TB) *protocol.Leader {
	t.Helper()
	l, err := protocol.NewLeader(protocol.Plan{Members: 1, Deadline: time.Minute, Version: version, Assignment: protocol.Assignment{Scenario: scenario, SHA256: sum(scenario)}})
	require.NoError(t, err)
	return l
}

// runningLeader returns the leader of a fleet whose only member "a" runs.
func runningLeader(t testing.TB) *protocol.Leader {
	t.Helper()
	l := leaderOfOne(t)
	l.Receive(0, "a", request(1, joinBody))
	l.Receive(1, "a", request(2, readyBody))
	return l
}

// A message under the identity of another member is dropped and counted.
func TestForgedIdentity(t *testing.T) {
	l := leaderOfOne(t)
	assert.Nil(t, l.Receive(0, "b", request(1, joinBody)))
	o, _ := l.Outcome()
	assert.Empty(t, o.Shares)
	assert.Len(t, o.Notes, 1)
}

// The messages of a flooding member are dropped without a reply, and one within the limit is not expelled.
func TestFlood(t *testing.T) {
	l, beat := runningLeader(t), request(3, readyBody)
	for n := range 3 * 8000 {
		reply := l.Receive(clock.Instant(time.Duration(n/8000)*time.Second+2), "a", beat)
		require.NotNil(t, reply)
	}
	for range 1000 {
		l.Receive(clock.Instant(2*time.Second+3), "a", beat)
	}
	assert.True(t, l.IsOver())
	assert.Nil(t, l.Receive(clock.Instant(2*time.Second+4), "a", beat))
}

// Seconds that a full queue drops are counted and noted, and the others are not taken for all.
func TestSecondsThatDoNotArrive(t *testing.T) {
	l := leaderOfOne(t)
	m := protocol.NewMember(protocol.MemberPlan{Name: "a", Epoch: "a", Version: version, Deadline: time.Second})
	now := clock.Instant(0)
	deliver := func(a protocol.Actions) {
		for queue := a.Send; len(queue) > 0; queue = queue[1:] {
			if reply := l.Receive(now, "a", queue[0]); reply != nil {
				queue = append(queue, m.Receive(now, reply).Send...)
			}
		}
	}
	for range 20 {
		now = now.Add(100 * time.Millisecond)
		deliver(m.Tick(now))
	}
	deliver(m.SetReady(now, 0))
	const all = 1200
	now = now.Add((all + 2) * time.Second)
	var counts results.Counts
	var sent protocol.Actions
	for n := range all {
		second := protocol.Second{Interval: results.Interval{Second: int64(n), Counts: results.Counts{Scheduled: 1, Attempts: 1, Ok: 1}}}
		counts.Add(&second.Interval.Counts)
		sent.Send = append(sent.Send, m.ReportSecond(now, &second).Send...)
	}
	deliver(sent)
	deliver(m.Submit(now, []byte("record"), counts, ""))
	o, err := l.Outcome()
	require.NoError(t, err)
	share := o.Shares[0]
	assert.NotZero(t, share.Missing)
	assert.EqualValues(t, all, share.Seconds+share.Missing)
	assert.NotNil(t, share.Record)
	assert.Empty(t, o.Faults)
	assert.NotEmpty(t, o.Notes)
}

// For every message the leader does not panic, allocates memory in proportion to the message and its histograms, answers or
// expels the member, and writes what it read as it read it.
func FuzzRequest(f *testing.F) {
	h := results.NewHistogram()
	h.Record(time.Millisecond)
	histogram, err := json.Marshal(h)
	require.NoError(f, err)
	for _, text := range [][]byte{
		request(1, joinBody), request(2, `"heartbeat":{"ready":true,"planned_operations":5,"clock_offset_ns":1,"clock_bound_ns":2}`),
		request(3, `"fetch":{"part":0}`), request(3, `"probe":{}`), request(3, `"step_result":{"step":1,"result":{}}`),
		request(4, `"record":{"part":0,"parts":1,"sha256":"`+sum([]byte("x"))+`","bytes":"eA==","seconds_reported":0,"seconds_unreported":0,"counts":{}}`),
		request(5, `"leave":{"reason":"x"}`),
		request(6, second(0, `"second":0,"attempts":1,"ok":1,"succeeded":1,"per_operation":[{"name":"get","attempts":1,"ok":1}]`, string(histogram))),
		[]byte(`{"schema_version":1}`), []byte(`{`),
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		l := runningLeader(t)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		reply := l.Receive(2, "a", text)
		runtime.ReadMemStats(&after)
		histograms := uint64(min(256, bytes.Count(text, []byte("{"))))
		assert.LessOrEqual(t, after.TotalAlloc-before.TotalAlloc, 1<<20+histograms<<21+100*uint64(len(text)))
		l.Tick(3)
		o, err := l.Outcome()
		require.NoError(t, err)
		require.Len(t, o.Shares, 1)
		_, err = protocol.Decode[protocol.Reply](reply)
		require.NoErrorf(t, err, "the reply %s", reply)
		read, err := protocol.Decode[protocol.Request](text)
		if err != nil {
			assert.True(t, errors.Is(err, protocol.ErrOtherVersion) || o.Shares[0].Lost != "" && l.IsOver(), "an invalid message expels its member")
			return
		}
		once, err := json.Marshal(read)
		require.NoError(t, err)
		read, err = protocol.Decode[protocol.Request](once)
		require.NoError(t, err)
		twice, err := json.Marshal(read)
		require.NoError(t, err)
		assert.Equal(t, string(once), string(twice))
	})
}

// For every reply a member does not panic, and ends within its deadline and lease.
func FuzzReply(f *testing.F) {
	for _, text := range []string{
		`{"schema_version":2,"number":1,"at_ns":5,"joined":{"index":0,"of":1,"assignment_parts":1,"assignment_sha256":"` + sum(nil) + `"}}`,
		`{"schema_version":2,"number":2,"at_ns":5,"part":{"part":0,"bytes":"e30="}}`,
		`{"schema_version":2,"number":2,"at_ns":5,"directives":{"prepare":true,"start_ns":9,"stop":"why"}}`,
		`{"schema_version":2,"number":1,"at_ns":5,"refused":"no"}`, `{"schema_version":3,"number":1}`, `[`,
	} {
		f.Add([]byte(text), []byte(text))
	}
	f.Fuzz(func(t *testing.T, first, second []byte) {
		m := protocol.NewMember(protocol.MemberPlan{Name: "a", Epoch: "a", Version: version, Deadline: time.Second})
		m.Tick(0)
		over := m.Receive(1, first).Over
		over = m.Receive(2, second).Over || over
		for now := clock.Instant(0); now < clock.Instant(20*time.Second); now = now.Add(time.Second) {
			over = m.Tick(now).Over || over
		}
		assert.True(t, over, "it never ends")
	})
}
