package rest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/rest"
	"loadgen/engine/rest/resttest"
)

// Past the bound the connection that has been idle for longest makes room, and
// where all are busy the newest is told so. A server is given the time to see that a
// connection is idle after its answer: which of two came first is then known.
func TestConnectionsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEcho()
		s, pipes := openPipes(t, rest.ListenOptions{Handler: e, Connections: 3})
		dial := func() *resttest.Conn { return resttest.NewConn(t, pipes.Dial()) }
		first, second, third := dial(), dial(), dial()
		fill := func(c *resttest.Conn) {
			c.Send("POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhell")
		}
		fill(first)
		fill(second)
		<-e.entered
		<-e.entered
		// The third has said nothing: it makes room for the fourth.
		fourth := dial()
		fill(fourth)
		third.WantEnd("who was idle for longest")
		<-e.entered
		fifth := dial()
		reply, _, err := fifth.Reply()
		assert.Truef(t, err == nil && reply.StatusCode == 503 && reply.Header.Get("Retry-After") == "1" && reply.Close,
			"one too many: %v, %v; want 503, when to come again, and the end", reply, err)
		fifth.WantEnd("one too many")
		assert.Equal(t, rest.Connections{Open: 3, Evicted: 1, TurnedAway: 1}, s.Connections())
		assert.EqualValues(t, 3, e.carried.Load(), "requests were carried out")
		close(e.released)
		for _, c := range []*resttest.Conn{second, first, fourth} {
			c.Send("o")
			c.Want(200)
			synctest.Wait()
		}
		// All are idle now, the second for longest: two more take two places.
		for _, path := range []string{"/sixth", "/seventh"} {
			c := dial()
			c.Send(get(path))
			c.Want(200)
			synctest.Wait()
		}
		second.WantEnd("the second")
		first.WantEnd("the first")
		fourth.Send(get("/fourth"))
		fourth.Want(200)
	})
}

// Where nobody is idle, whoever comes is told quickly, many at once, and the server
// ends while some are still being told.
func TestACrowdIsTurnedAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEcho()
		s, listener := openPipes(t, rest.ListenOptions{Handler: e, Connections: 1})
		busy := listener.Dial()
		must(io.WriteString(busy, get("/busy")))(t)
		synctest.Wait()
		// They read nothing, so that nobody can be told anything.
		const crowd = 200
		var clients []net.Conn
		for range crowd {
			clients = append(clients, listener.Dial())
		}
		synctest.Wait()
		assert.Equal(t, rest.Connections{Open: 1, TurnedAway: crowd}, s.Connections())
		began := time.Now()
		told := 0
		for _, c := range clients {
			if text, _ := io.ReadAll(c); strings.HasPrefix(string(text), "HTTP/1.1 503 ") {
				told++
			}
			_ = c.Close()
		}
		assert.Truef(t, told > 0 && told <= 64, "%d were told; want some, and no more than are told at once", told)
		assert.LessOrEqual(t, time.Since(began), 2*time.Second)
		left := listener.Dial()
		synctest.Wait()
		go func() { close(e.released) }()
		_, _ = io.Copy(io.Discard, io.LimitReader(busy, 1))
		_ = busy.Close()
		assert.NoError(t, s.Cut())
		_ = left.Close()
	})
}

// starved is a listener that has no descriptor left until there is room again.
type starved struct {
	*resttest.Pipes
	failures chan error
}

func (s starved) Accept() (net.Conn, error) {
	select {
	case err := <-s.failures:
		return nil, err
	default:
	}
	select {
	case err := <-s.failures:
		return nil, err
	case c := <-s.Connections:
		return c, nil
	case <-s.Closed:
		return nil, net.ErrClosed
	}
}

// A want of descriptors closes an idle connection, and the server goes on, without
// asking again and again.
func TestWantOfDescriptors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		listener := starved{resttest.NewPipes(), make(chan error, 100)}
		s := open(t, rest.ListenOptions{Listener: listener, Handler: newReleased()})
		idle := listener.Dial()
		synctest.Wait()
		began := time.Now()
		for range 10 {
			listener.failures <- &net.OpError{Op: "accept", Err: syscall.EMFILE}
		}
		_, err := idle.Read(make([]byte, 1))
		assert.Equal(t, io.EOF, err, "the idle connection")
		c := listener.Dial()
		go func() { _, _ = io.WriteString(c, get("/after")) }()
		got, err := io.ReadAll(io.LimitReader(c, 12))
		assert.Truef(t, string(got) == "HTTP/1.1 200", "after that: %q, %v; want an answer", got, err)
		assert.GreaterOrEqual(t, time.Since(began), time.Second, "ten failures have pauses between them")
		assert.EqualValues(t, 1, s.Connections().Evicted)
		_ = c.Close()
		shut(t, s)
	})
}

// aborts reports whether a request gets no reply at all.
func (s *service) aborts(method, target, body string, headers ...string) (aborted bool) {
	defer func() {
		if why := recover(); why != nil {
			aborted = errors.Is(why.(error), http.ErrAbortHandler)
		}
	}()
	s.Do(method, target, body, headers...)
	return false
}

func TestFaults(t *testing.T) {
	const full = `{"PartitionKey":"full","RowKey":"1"}`
	rule := func(kind engine.FaultKind, moment engine.FaultMoment, by time.Duration) *engine.FaultPlan {
		return &engine.FaultPlan{Rules: []engine.FaultRule{{Kind: kind, Moment: moment, By: by, KeyPrefix: "full",
			From: time.Second, To: 3 * time.Second, Share: engine.WholeShare}}}
	}
	for _, row := range []struct {
		name          string
		plan          *engine.FaultPlan
		lost, written bool
		leaves        time.Duration
	}{
		{"no plan", nil, false, true, time.Second},
		{"an empty plan", &engine.FaultPlan{}, false, true, time.Second},
		{"a request lost on its way", rule(engine.FaultDrop, engine.FaultBefore, 100*time.Millisecond), true, false, 1100 * time.Millisecond},
		{"a reply lost on its way", rule(engine.FaultDrop, engine.FaultAfter, 100*time.Millisecond), true, true, 1100 * time.Millisecond},
		{"a request refused", rule(engine.FaultRefuse, 0, 50*time.Millisecond), false, false, 1050 * time.Millisecond},
		{"a reply held back", rule(engine.FaultDelay, 0, 200*time.Millisecond), false, true, 1200 * time.Millisecond},
		{"a reply frozen", rule(engine.FaultFreeze, 0, 0), false, true, 3 * time.Second},
	} {
		s := withTable(t, resttest.Options{Rest: rest.Options{Faults: row.plan}})
		s.Clock.Set(time.Second)
		assert.Equalf(t, row.lost, s.aborts("POST", races, full), "%s: lost", row.name)
		assert.Equalf(t, row.leaves, s.Clock.Now().Offset(), "%s: the reply leaves at", row.name)
		bit := map[bool]int64{true: 1}
		lost, throttled := bit[row.lost], bit[!row.lost && !row.written]
		want := engine.Counts{Requests: 2, Ok: 2 - lost - throttled, Throttled: throttled, Failed: lost, Entities: bit[row.written]}
		assert.Equalf(t, want, s.Counts(), "%s: Counts()", row.name)
		s.Clock.Set(4 * time.Second)
		s.Want(t, map[bool]int{false: 404, true: 200}[row.written], "GET", "/contoso/Races(PartitionKey='full',RowKey='1')", "")
	}
}

// A quarter of the requests is lost, the same ones for the same seed.
func TestFaultsAreDrawnBySeed(t *testing.T) {
	draw := func() (lost []int) {
		s := newService(t, resttest.Options{Rest: rest.Options{Faults: &engine.FaultPlan{Rules: []engine.FaultRule{{Kind: engine.FaultDrop,
			Moment: engine.FaultAfter, To: time.Hour, Share: engine.WholeShare / 4}}}}})
		for i := range 200 {
			if s.aborts("GET", "/contoso/Tables", "") {
				lost = append(lost, i)
			}
		}
		return lost
	}
	first := draw()
	assert.InDelta(t, 50, len(first), 27, "lost of 200")
	assert.Equal(t, first, draw())
}

// The rule meets one partition, whatever the request looks like.
func TestFaultsGoByPartition(t *testing.T) {
	s := withTable(t, resttest.Options{Rest: rest.Options{Faults: &engine.FaultPlan{Rules: []engine.FaultRule{{Kind: engine.FaultDrop,
		Moment: engine.FaultBefore, KeyPrefix: "full", To: time.Hour, Share: engine.WholeShare}}}}})
	for _, row := range []struct {
		name, method, target, body string
		lost                       bool
		headers                    []string
	}{
		{"an insert", "POST", races, `{"PartitionKey":"full","RowKey":"1"}`, true, nil},
		{"an insert elsewhere", "POST", races, `{"PartitionKey":"half","RowKey":"1"}`, false, nil},
		{"a get", "GET", runner, "", true, nil},
		{"an upsert", "PUT", runner, "{}", true, nil},
		{"a delete", "DELETE", runner, "", true, []string{"If-Match: *"}},
		{"a transaction", "POST", "/contoso/$batch", deleteBatch, true, []string{batchType}},
		{"a transaction elsewhere", "POST", "/contoso/$batch", insertBatch("half", "2"), false, []string{batchType}},
		{"a query of the partition", "GET", races + "?$filter=PartitionKey%20eq%20'full'", "", true, nil},
		{"a query of them all", "GET", races, "", false, nil},
		{"a list of tables", "GET", "/contoso/Tables", "", false, nil},
		{"a bad request", "POST", races, "{", false, nil},
	} {
		assert.Equalf(t, row.lost, s.aborts(row.method, row.target, row.body, row.headers...), "%s: lost", row.name)
	}
}

const kib = 1 << 10

// stalled is a request of which only a part comes until it ends, one way or the
// other.
type stalled struct {
	reply *httptest.ResponseRecorder
	body  *io.PipeWriter
	done  chan struct{}
}

// stall begins an insert that claims a length, -1 for chunks, and sends a part of
// it. In a bubble it waits until the handler has read all that.
func (s *service) stall(claimed, sent int) *stalled {
	in, out := io.Pipe()
	r := resttest.NewRequest("POST", races, "")
	r.Header.Del("Content-Length")
	r.Body, r.ContentLength = in, int64(claimed)
	if claimed < 0 {
		r.TransferEncoding = []string{"chunked"}
	}
	one := &stalled{httptest.NewRecorder(), out, make(chan struct{})}
	go func() {
		defer close(one.done)
		s.ServeHTTP(one.reply, r)
		_ = in.Close()
	}()
	go func() { _, _ = io.WriteString(out, strings.Repeat(" ", sent)) }()
	synctest.Wait()
	return one
}

// wantHeld fails the test unless the bodies hold from so much to so much.
func (s *service) wantHeld(t *testing.T, when string, least, most int64) {
	t.Helper()
	if held, _ := s.BodyBytes(); held < least || held > most {
		t.Errorf("%s the bodies hold %d bytes; want %d to %d", when, held, least, most)
	}
}

// What counts is what is held, by whomever; past the bound who asks for more is
// told to come again, and small bodies are served all the same.
func TestBodiesShareTheirRoom(t *testing.T) {
	for _, row := range []struct {
		sentence      string
		claimed, sent int
		// served is how many of 16 such are waited for, held what these hold in KiB.
		served int
		held   int64
	}{
		{"who claims much and sends nothing holds little", 4096 * kib, 0, 16, 16 * 64},
		{"who sends half holds twice that at most", 1024 * kib, 300 * kib, 5, 5 * 512},
		{"chunks count as well", -1, 300 * kib, 6, 6 * 512},
		{"nobody holds more than the length", 400 * kib, 399 * kib, 8, 8 * 400},
		{"small ones may have all of it", 60 * kib, kib, 16, 16 * 60},
		{"an entity of a kilobyte counts for nothing", 4*kib - 1, kib, 16, 0},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := withTable(t, resttest.Options{Rest: rest.Options{BodyBytes: 4096 * kib}})
				var waiting []*stalled
				for range 16 {
					one := s.stall(row.claimed, row.sent)
					select {
					case <-one.done:
						h := one.reply.Header()
						assert.Equal(t, []string{"ServerBusy", "1", "close"}, []string{resttest.CodeOf(t, one.reply), h.Get("Retry-After"), h.Get("Connection")})
						assert.Equal(t, 503, one.reply.Code)
					default:
						waiting = append(waiting, one)
					}
				}
				assert.Len(t, waiting, row.served)
				assert.EqualValues(t, 16-row.served, s.Crowded(), "refused")
				_, peak := s.BodyBytes()
				assert.GreaterOrEqual(t, peak, row.held*kib, "peak")
				s.wantHeld(t, "while they wait", row.held*kib*9/10, row.held*kib+16)
				s.insert(t, "small", "0", 1)
				s.Want(t, 201, "POST", races, fmt.Sprintf(`{"PartitionKey":"small","RowKey":"1"%s}`, strings.Repeat(" ", 60*kib)))
				for _, one := range waiting {
					_ = one.body.CloseWithError(io.ErrUnexpectedEOF)
					<-one.done
				}
				s.wantHeld(t, "once they are gone", 0, 1024*kib)
				s.Want(t, 201, "POST", races, fmt.Sprintf(`{"PartitionKey":"large","RowKey":"1"%s}`, strings.Repeat(" ", 1024*kib)))
			})
		})
	}
}

// A refusal for want of room is in the books as a failure, and told as what it is.
func TestRefusalsForWantOfRoomAreNoThrottling(t *testing.T) {
	var w witness
	s := withTable(t, resttest.Options{Rest: rest.Options{BodyBytes: 100 * kib, Observe: w.observe}})
	before := s.Counts()
	reply := s.Want(t, 503, "POST", races, strings.Repeat(" ", 200*kib))
	s.Want(t, 503, "POST", "/contoso/$batch", strings.Repeat(" ", 200*kib), batchType)
	after := s.Counts()
	assert.Truef(t, after.Throttled == 0 && after.Failed == before.Failed+2, "the books = %+v; want two failures, and nothing throttled", after)
	assert.EqualValues(t, 2, s.Crowded())
	assert.Len(t, w.seen, 3)
	for _, seen := range w.take()[1:] {
		assert.Truef(t, seen.Crowded && !seen.AccountBusy && seen.Status == 503, "seen = %+v; want it crowded, with status 503", seen)
	}
	assert.Equal(t, "ServerBusy", resttest.CodeOf(t, reply), "code")
}

// However a request ends, its room is given back, but not before: a reply that is
// held back holds its body.
func TestRoomIsGivenBackOnEveryWayOut(t *testing.T) {
	const frozen = time.Minute
	body := fmt.Sprintf(`{"PartitionKey":"p","RowKey":"r"%s}`, strings.Repeat(" ", 3000*kib))
	for _, row := range []struct {
		sentence      string
		rule          *engine.FaultRule
		leave, aborts bool
	}{
		{"the reply is sent", nil, false, false},
		{"the reply is lost before the entity is stored", &engine.FaultRule{Kind: engine.FaultDrop, Moment: engine.FaultBefore, Share: engine.WholeShare, To: time.Hour}, false, true},
		{"the reply is lost after that", &engine.FaultRule{Kind: engine.FaultDrop, Moment: engine.FaultAfter, Share: engine.WholeShare, To: time.Hour}, false, true},
		{"the reply is frozen for a while", &engine.FaultRule{Kind: engine.FaultFreeze, Share: engine.WholeShare, To: frozen}, false, false},
		{"the sender goes while the reply is frozen", &engine.FaultRule{Kind: engine.FaultFreeze, Share: engine.WholeShare, To: frozen}, true, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			var plan engine.FaultPlan
			s := withTable(t, resttest.Options{Rest: rest.Options{Faults: &plan, Clock: clock.NewReal()}})
			if row.rule != nil {
				plan.Rules = []engine.FaultRule{*row.rule}
			}
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			aborted := make(chan bool)
			go func() {
				defer func() { aborted <- recover() == http.ErrAbortHandler }()
				s.ServeHTTP(httptest.NewRecorder(), resttest.NewRequest("POST", races, body).WithContext(ctx))
			}()
			synctest.Wait()
			if row.rule != nil && row.rule.Kind == engine.FaultFreeze {
				s.wantHeld(t, row.sentence+": before,", 3000*kib, 3001*kib)
			}
			if row.leave {
				leave()
			}
			assert.Equalf(t, row.aborts, <-aborted, "%s: aborted", row.sentence)
			s.wantHeld(t, row.sentence+": afterwards", 0, 0)
		})
	}
}

// Many of many lengths at once: the bound is kept throughout, a quarter of it at
// most is kept for later, and what the pool lets go of counts no longer.
func TestRoomAddsUp(t *testing.T) {
	const most = 3000 * kib
	s := withTable(t, resttest.Options{Rest: rest.Options{BodyBytes: most}})
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			rng := rand.New(rand.NewPCG(7, uint64(worker)))
			for i := range 30 {
				body := fmt.Sprintf(`{"PartitionKey":"%d","RowKey":"%d"%s}`, worker, i, strings.Repeat(" ", 1<<rng.IntN(21)))
				w := s.Do("POST", races, body)
				assert.Truef(t, w.Code == 201 || w.Code == 503, "insert = %d %s; want 201 or 503", w.Code, w.Body)
				if held, _ := s.BodyBytes(); held < 0 || held > most+8*64*kib {
					t.Errorf("%d bytes are held; want no more than the bound", held)
				}
			}
		})
	}
	group.Wait()
	s.wantHeld(t, "at rest", 0, most/4+8*64*kib)
	for range 100 {
		if held, _ := s.BodyBytes(); held == 0 {
			return
		}
		runtime.GC()
	}
	s.wantHeld(t, "after many collections", 0, 0)
}
