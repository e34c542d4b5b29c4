package fleet

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/report/text"
	"loadgen/results"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/fleet/protocol"
	"loadgen/scenarios/run"
)

// wires are a bus without a server: what is said arrives at once.
type wires struct {
	mu      sync.Mutex
	up      chan message
	down    map[string]chan message
	dropped int
}

func (w *wires) Messages() <-chan message { return w.up }
func (w *wires) Dropped() int             { return w.dropped }

func (w *wires) Send(to string, text []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case w.down[to] <- message{Text: text}:
	default:
		w.dropped++
	}
	return nil
}

// wire is a member's end of them.
type wire struct {
	w    *wires
	id   string
	down chan message
}

func (w *wires) join(id string) *wire {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down[id] = make(chan message, 1024)
	return &wire{w, id, w.down[id]}
}

func (w *wire) Send(_ string, text []byte) error {
	w.w.up <- message{w.id, text}
	return nil
}

func (w *wire) Dropped() int { return 0 }

func (w *wire) Messages() <-chan message { return w.down }

// share is a Carry that offers so many operations a second, for some seconds, and writes
// down when it began.
type share struct {
	rate    int64
	seconds int
	began   time.Time
	charge  protocol.Assignment
	// breaks is why it fails after so many seconds.
	breaks error
	after  int
}

func (s *share) carry(ctx context.Context, c protocol.Assignment, m *run.Member) (*results.Record, error) {
	s.charge = c
	real := clock.NewReal()
	var folder results.Memory
	recorder, err := results.NewRecorder(&folder, results.Manifest{Operations: []results.Kind{{Name: "insert"}}})
	if err != nil {
		return nil, err
	}
	recorder.Listen(m.Second)
	at, err := m.Ready(ctx, uint64(s.rate)*uint64(s.seconds))
	if err != nil {
		return nil, err
	}
	wait := clock.Instant(at.Sub(real.Started()))
	if err := real.Sleep(ctx, wait); err != nil {
		return nil, context.Cause(ctx)
	}
	s.began = real.Started().Add(real.Now().Offset())
	validity := results.Valid
	phase := recorder.Phase(results.Phase{Name: "load", Begin: 0, End: time.Duration(s.seconds) * time.Second, Reported: true})
	for n := range s.seconds {
		if s.breaks != nil && n == s.after {
			return nil, s.breaks
		}
		from := time.Duration(n) * time.Second
		for k := range s.rate {
			due := from + time.Duration(k)*time.Millisecond
			recorder.Scheduled(&results.Scheduled{Phase: phase, Intended: due})
			recorder.Attempt(&results.Attempt{Phase: phase, Intended: due, Sent: due, Done: due + time.Duration(k)*time.Microsecond, Class: results.Ok})
			recorder.Completed(&results.Completed{Phase: phase, Intended: due, Done: due + time.Duration(k)*time.Microsecond, Class: results.Ok})
		}
		if err := real.Sleep(ctx, wait.Add(from+time.Second)); err != nil {
			validity = results.Partial
			break
		}
		if err := recorder.Advance(from + time.Second); err != nil {
			return nil, err
		}
	}
	recorder.EndPhase(phase, time.Duration(s.seconds)*time.Second)
	if err := recorder.Finish(time.Duration(s.seconds)*time.Second, validity, nil, nil); err != nil {
		return nil, err
	}
	return results.Read(&folder)
}

// meet plays one run of a fleet to its end, and returns its members.
func meet(ctx context.Context, follows bool, shares ...*share) (*crew, protocol.Outcome, error) {
	c := newCrew(ctx, nil, shares...)
	came, err := c.lead(context.WithoutCancel(ctx), "x", follows, nil)
	c.all.Wait()
	return c, came, err
}

// recordOf returns the record that a member sent, nil for none.
func recordOf(t *testing.T, s *protocol.Share) *results.Record {
	t.Helper()
	if s.Record == nil {
		return nil
	}
	record, err := unpack(s.Record, s.Seconds)
	require.NoError(t, err)
	return record
}

// A share that fails in the middle of the run has the leader stop the others, which hand in
// what they have by then. Of a series no run follows.
func TestAShareThatFailsLater(t *testing.T) {
	for _, follows := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			broken := errors.New("the account is gone")
			c, came, err := meet(t.Context(), follows, &share{rate: 10, seconds: 30}, &share{rate: 10, seconds: 30, breaks: broken, after: 4})
			if err != nil || len(came.Faults) != 1 || !strings.Contains(came.Faults[0], "member1 was lost: "+broken.Error()) || c.s.endPause != nil {
				t.Fatalf("the leader ends with %v, %q, a run follows: %v; want one fault, of member1, and none", err, came.Faults, c.s.endPause != nil)
			}
			assert.Truef(t, errors.Is(c.ended[1], broken) && c.ended[0] == nil, "the members end with %v", c.ended)
			for i := range came.Shares {
				m := &came.Shares[i]
				record := recordOf(t, m)
				if whole := m.Name == "member0"; whole != (record != nil) || whole && (record.Validity != results.Partial || m.Counts.Scheduled > 60) {
					t.Errorf("%s: %d operations were due, its record is there: %v", m.Name, m.Counts.Scheduled, record != nil)
				}
			}
		})
	}
}

// A member that is interrupted hands in what it has, and the run stops.
func TestAnInterruptedMember(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() {
			time.Sleep(5 * time.Second)
			cancel(errors.New("interrupted"))
		}()
		_, came, err := meet(ctx, false, &share{rate: 10, seconds: 30}, &share{rate: 10, seconds: 30})
		assert.Truef(t, err == nil && len(came.Faults) != 0 && strings.Contains(came.Faults[0], "interrupted"),
			"the leader ends with %v, %q; want a fault that says interrupted", err, came.Faults)
		for i, m := range came.Shares {
			record := recordOf(t, &m)
			assert.Truef(t, record != nil && record.Validity == results.Partial, "member %d has no partial record", i)
		}
	})
}

// alone returns a member without a leader.
func alone() *run.Member {
	return &run.Member{Ready: func(context.Context, uint64) (time.Time, error) { return time.Now(), nil }, Second: func(*results.Interval, []*results.Histogram) {}}
}

// A packed record is read as it was.
func TestPackedRecords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		record, err := (&share{rate: 5, seconds: 2}).carry(t.Context(), protocol.Assignment{}, alone())
		require.NoError(t, err)
		text, err := pack(record)
		require.NoError(t, err)
		again, err := unpack(text, 2)
		require.NoError(t, err)
		twice, err := pack(again)
		assert.Truef(t, err == nil && string(twice) == string(text), "packed again it differs, %v", err)
		assert.Equal(t, countsOf(record), countsOf(again))
		assert.EqualValues(t, 10, countsOf(record).Scheduled)
	})
}

// packFiles returns a packed record with the text of its first files.
func packFiles(t *testing.T, files ...string) []byte {
	t.Helper()
	var packed bytes.Buffer
	for i, text := range files {
		w := gzip.NewWriter(&packed)
		w.Name = []string{results.RunFile, results.IntervalsFile, results.EventsFile}[i]
		_, err := w.Write([]byte(text))
		require.NoError(t, errors.Join(err, w.Close()))
	}
	return packed.Bytes()
}

// hostileRecords returns records that are small packed, and take a lot of memory unpacked.
func hostileRecords(t *testing.T) map[string][]byte {
	t.Helper()
	run, err := json.Marshal(&results.Record{SchemaVersion: results.SchemaVersion, Validity: results.Valid})
	require.NoError(t, err)
	return map[string][]byte{
		"record with a long text": packFiles(t, `{"run":"`+strings.Repeat("A", 65<<20)),
		"record with a long line": packFiles(t, string(run), strings.Repeat("A", 65<<20)),
		"record with many rows":   packFiles(t, string(run), strings.Repeat("{}\n", 80_000), ""),
	}
}

// A record that unpacks to far more is refused before 64 MB of it are unpacked. The bound grows by the reported seconds.
func TestHostileRecordIsRefused(t *testing.T) {
	hostile := hostileRecords(t)
	for name, packed := range hostile {
		require.Less(t, len(packed), 510_000)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := unpack(packed, 0)
		runtime.ReadMemStats(&after)
		assert.ErrorContains(t, err, strconv.Itoa(maxUnpacked), name)
		assert.NotContains(t, err.Error(), "\n")
		assert.Lessf(t, after.TotalAlloc-before.TotalAlloc, uint64(8*maxUnpacked), name)
	}
	_, err := unpack(hostile["record with many rows"], 200)
	assert.NoError(t, err, "200 seconds")
}

// A member that breaks the protocol is expelled and named with the reason within its lease. The other one completes its
// share, and the leader has a report. No control character of a member reaches a terminal.
func TestBrokenMembersAreExpelled(t *testing.T) {
	second := func(sequence int, interval, response string) string {
		return fmt.Sprintf(`"second":{"sequence":%d,"second":{"interval":{%s},"response":[%s]}}`, sequence, interval, response)
	}
	const kind = `,"attempts":2,"ok":2,"succeeded":2,"per_operation":[{"name":"get","attempts":2,"ok":2}]`
	part := func(part, parts int, digit string) string {
		return fmt.Sprintf(`"record":{"part":%d,"parts":%d,"sha256":%q,"bytes":"eA=="}`, part, parts, strings.Repeat(digit, 64))
	}
	type row struct {
		name   string
		bodies []string
		reason string
	}
	rows := []row{
		{"silent", nil, "not heard of for 5s"},
		{"negative", []string{second(0, `"scheduled":-5`, "")}, "scheduled: -5"},
		{"not a number", []string{second(0, `"scheduled":NaN`, "")}, "invalid message"},
		{"counts that do not reconcile", []string{second(0, `"attempts":3,"ok":2`, "")}, "3 attempts"},
		{"broken histogram", []string{second(0, `"second":0`+kind, `{"count":2,"hdr":"x"}`)}, "invalid message"},
		{"histogram of fewer times", []string{second(0, `"second":0`+kind, `{"count":0}`)}, "0 times"},
		{"out of order", []string{second(0, `"second":1`, ""), second(1, `"second":1`, "")}, "out of order"},
		{"far in the future", []string{second(0, `"second":99999`, "")}, "second 99999"},
		{"far ahead", []string{second(9999, `"second":9999`, "")}, "9999 reports before it are missing"},
		{"of another run", []string{`"run":7,"probe":{}`}, "another member or run"},
		{"cut off", []string{`"probe":{`}, "invalid message"},
		{"flood", slices.Repeat([]string{`"probe":{}`}, 9000), "messages in a second"},
		{"control characters", []string{`"leave":{"reason":"\u001b[2J\u202egone"}`}, "gone"},
		{"record of another digest", []string{part(0, 1, "0")}, "digest of its record"},
		{"parts of two records", []string{part(0, 2, "0"), part(1, 2, "1")}, "parts of two records"},
		{"more parts than announced", []string{part(0, 2, "0"), part(1, 3, "0")}, "parts of two records"},
	}
	for name, packed := range hostileRecords(t) {
		rows = append(rows, row{name, []string{fmt.Sprintf(`"record":{"part":0,"parts":1,"sha256":"%x","bytes":%q,"seconds_reported":0,"seconds_unreported":0,"counts":{}}`,
			sha256.Sum256(packed), base64.StdEncoding.EncodeToString(packed))}, "rogue\x1b[31m sent an invalid record: "})
	}
	for _, tt := range rows {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCrew(t.Context(), nil, &share{rate: 10, seconds: 8})
				rogue := c.s.transport.(*wires).join("rogue")
				number := 0
				send := func(bodies ...string) {
					for _, body := range bodies {
						number++
						_ = rogue.Send("", fmt.Appendf(nil, `{"schema_version":%d,"epoch":"rogue","number":%d,%s}`, protocol.SchemaVersion, number, body))
					}
				}
				c.all.Go(func() {
					send(`"join":{"name":"rogue\u001b[31m","version":"v1"}`)
					for range 6 {
						time.Sleep(500 * time.Millisecond)
						send(`"heartbeat":{"ready":true}`)
					}
					send(tt.bodies...)
				})
				var screen bytes.Buffer
				var lost time.Duration
				began := time.Now()
				run, err := c.s.lead(t.Context(), protocol.Plan{Members: 2, Version: "v1", Deadline: 10 * time.Second, FinishOnLoss: true}, func(e protocol.Event) {
					if e.Kind == protocol.MemberLost {
						lost = time.Since(began)
					}
					fmt.Fprintln(text.NewWriter(&screen), e.Text)
				})
				c.all.Wait()
				require.NoError(t, errors.Join(err, c.ended[0]))
				assert.LessOrEqual(t, lost, 3*time.Second+protocol.Lease+time.Second)
				assert.NotContains(t, screen.String(), "\x1b")
				assert.NotContains(t, screen.String(), "\u202e")
				report, err := gather(run, nil, false)
				require.NoError(t, err)
				assert.Equal(t, results.Invalid, report.Validity)
				reasons := strings.Join(report.Reasons, " ")
				assert.Contains(t, reasons, "rogue")
				assert.Contains(t, reasons, tt.reason)
				assert.EqualValues(t, 80, report.Total(results.Everything).Scheduled)
			})
		})
	}
}

// For every text a record is read or refused, and one that was read can be packed.
func FuzzUnpack(f *testing.F) {
	sound, err := pack(&results.Record{SchemaVersion: results.SchemaVersion, Validity: results.Valid, Intervals: []results.Interval{{Second: 1}}})
	require.NoError(f, err)
	for _, text := range [][]byte{sound, nil, []byte("no record"), sound[:len(sound)/2]} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if record, err := unpack(text, 1); err == nil {
			_, err = pack(record)
			assert.NoError(t, err, "it is read and cannot be written")
		}
	})
}

// crew are members that take part in one run after another.
type crew struct {
	s      *leadership
	shares []*share
	ended  []error
	all    sync.WaitGroup
	// seen is told of what happens; it may be nil.
	seen func(protocol.Event)
}

// newCrew has so many members look for a leader.
func newCrew(ctx context.Context, carry Carry, shares ...*share) *crew {
	w := &wires{up: make(chan message, 1024), down: map[string]chan message{}}
	c := &crew{s: &leadership{transport: w, clock: clock.NewReal()}, shares: shares, ended: make([]error, len(shares))}
	for i, s := range shares {
		do := carry
		if do == nil {
			do = s.carry
		}
		c.all.Go(func() {
			id := fmt.Sprintf("m%d", i)
			c.ended[i] = joinRuns(ctx, JoinOptions{MemberPlan: protocol.MemberPlan{Name: fmt.Sprintf("member%d", i), Epoch: id, Version: "v1", Deadline: 10 * time.Second}, Carry: do, Clock: clock.NewReal()}, w.join(id))
		})
	}
	return c
}

// lead leads a run whose scenario has a name.
func (c *crew) lead(ctx context.Context, name string, follows bool, search protocol.Search) (protocol.Outcome, error) {
	return c.s.lead(ctx, protocol.Plan{Members: len(c.shares), Version: "v1", Deadline: 10 * time.Second, Search: search,
		Assignment: protocol.Assignment{Scenario: []byte("name: " + name + "\n"), Follows: follows}}, c.seen)
}

// began returns the agreed instant of the start.
func (c *crew) began(of *protocol.Outcome) time.Time {
	return c.s.clock.Started().Add(of.Start.Offset())
}

// Members carry their shares out in one run after another, from one instant on: each is charged with
// what that run is, in the same place, however long the leader is busy between two. The leader has all
// records.
func TestASeriesOfRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, told := newCrew(t.Context(), nil, &share{rate: 30, seconds: 3}, &share{rate: 20, seconds: 3}, &share{rate: 10, seconds: 3}), 0
		c.seen = func(e protocol.Event) {
			if e.Kind == protocol.SecondReported {
				told++
				assert.NotZerof(t, e.Second.Response[0].Count(), "response times of second %d of %s", e.Second.Interval.Second, e.Name)
			}
		}
		places := map[int]*share{}
		for n := range 3 {
			name := fmt.Sprint("run", n)
			came, err := c.lead(t.Context(), name, n < 2, nil)
			require.Truef(t, err == nil && len(came.Faults) == 0 && len(came.Notes) == 0 && len(came.Shares) == 3,
				"run %d: %v, faults %q, notes %q of %d members; want none, of three", n, err, came.Faults, came.Notes, len(came.Shares))
			for i, s := range c.shares {
				assert.Truef(t, n == 0 || places[s.charge.Index] == s, "run %d: member %d has place %d", n, i, s.charge.Index)
				places[s.charge.Index] = s
				assert.Truef(t, s.charge.Of == 3 && string(s.charge.Scenario) == "name: "+name+"\n" && s.began.Equal(c.began(&came)),
					"run %d: member %d was charged with %+v and began at %v; want a third, at %v", n, i, s.charge, s.began, c.began(&came))
				member := came.Shares[s.charge.Index]
				scheduled := recordOf(t, &member).Total(results.Everything).Scheduled
				assert.Truef(t, scheduled == s.rate*3 && member.Counts.Scheduled == scheduled && *member.Planned == scheduled,
					"run %d, member %d: planned %d, told %d, in the record %d", n, i, *member.Planned, member.Counts.Scheduled, scheduled)
			}
			assert.Equal(t, 9*(n+1), told, "seconds were seen")
			time.Sleep(time.Minute) // it makes another table, and fills it
		}
		assert.Lenf(t, places, 3, "the places are %v", places)
		c.all.Wait()
		assert.NoError(t, errors.Join(c.ended...))
	})
}

// If no other run follows after all, members that wait for one learn that.
func TestSeriesThatEndsEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(t.Context(), nil, &share{rate: 30, seconds: 1}, &share{rate: 20, seconds: 1})
		_, err := c.lead(t.Context(), "first", true, nil)
		require.NoError(t, err)
		time.Sleep(20 * time.Second)
		began := time.Now()
		c.s.end()
		c.all.Wait()
		assert.LessOrEqual(t, time.Since(began), 3*time.Second)
		require.NoError(t, errors.Join(c.ended...))
	})
}

// rates is a search of rates that says what came of each.
type rates struct {
	list []float64
	came [][]campaign.Measured
}

func (r *rates) Check(json.RawMessage) error { return nil }

func (r *rates) Next(came []json.RawMessage) (json.RawMessage, error) {
	var all []campaign.Measured
	for _, text := range came {
		var one campaign.Measured
		if err := json.Unmarshal(text, &one); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	if r.came = append(r.came, all); len(r.came) > len(r.list) {
		return nil, nil
	}
	return json.Marshal(campaign.SearchStep{Number: len(r.came), Rate: r.list[len(r.came)-1]})
}

// The steps of a search are tried by all from one instant on, and each follows from what all have
// measured of the last.
func TestTurnsOfASearch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		begins := map[int][]time.Time{}
		carry := func(ctx context.Context, c protocol.Assignment, member *run.Member) (*results.Record, error) {
			record, err := (&share{rate: 5, seconds: 1}).carry(ctx, c, member)
			for err == nil {
				one, at, more, failed := member.Search.Next(ctx)
				if err = failed; err != nil || !more {
					break
				}
				mu.Lock()
				begins[one.Number] = append(begins[one.Number], at)
				mu.Unlock()
				time.Sleep(time.Until(at) + 2*time.Second)
				m := &campaign.Measured{Scheduled: int64(one.Rate) + int64(c.Index)}
				m.Response.Record(time.Duration(1+c.Index) * time.Millisecond)
				member.Search.Report(one, m)
			}
			return record, err
		}
		c := newCrew(t.Context(), carry, &share{}, &share{}, &share{})
		search := &rates{list: []float64{100, 200, 150}}
		came, err := c.lead(t.Context(), "search", false, search)
		c.all.Wait()
		err = errors.Join(append(c.ended, err)...)
		require.Truef(t, err == nil && len(came.Faults) == 0, "%v, faults %q; want none", err, came.Faults)
		for n, rate := range search.list {
			at := begins[n+1]
			assert.Truef(t, len(at) == 3 && at[0].Equal(at[1]) && at[0].Equal(at[2]) && at[0].Sub(c.began(&came))%time.Second == 0,
				"turn %d begins at %v; want one instant of three, whole seconds after %v", n+1, at, c.began(&came))
			all := new(campaign.Measured)
			for i := range search.came[n+1] {
				all.Add(&search.came[n+1][i])
			}
			assert.Truef(t, all.Scheduled == 3*int64(rate)+0+1+2 && all.Response.Count() == 3,
				"of turn %d came %d operations and %d times; want %d and 3", n+1, all.Scheduled, all.Response.Count(), 3*int64(rate)+3)
		}
		assert.Truef(t, slices.IsSortedFunc([]int{1, 2, 3}, func(a, b int) int { return begins[a][0].Compare(begins[b][0]) }),
			"the turns begin at %v; want one after another", begins)
	})
}
