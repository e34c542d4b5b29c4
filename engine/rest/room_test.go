package rest_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/rest"
	"loadgen/engine/rest/resttest"
)

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
