package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/engine"
	"loadgen/engine/entity"
	"loadgen/engine/model"
	"loadgen/results/resultstest"
)

// moment is one of a run: told by what is said before anything was sent, else by a request.
type moment struct {
	name string
	// says is a text on standard error, is a request, and after how many that is one.
	says  string
	is    func(r *http.Request) bool
	after int
}

// moments are those at which a run is ended.
var moments = []moment{
	{name: "before anything is sent", says: "forecast for "},
	{name: "while the table is created", is: func(r *http.Request) bool {
		return r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/Tables")
	}},
	{name: "while loading", is: func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/$batch") }, after: 2},
	{name: "while offering", is: func(r *http.Request) bool {
		return r.Method == http.MethodGet && strings.Contains(r.URL.Path, "(PartitionKey=")
	}, after: 5},
	{name: "while dropping", is: func(r *http.Request) bool { return r.Method == http.MethodDelete }},
}

// stage is a service at which a run comes to a moment, at which something is done.
type stage struct {
	*service
	moment
	// reached is called once, at the moment, before that request is carried out.
	reached func()
	// told is called with all that is said; it may be nil.
	told func(text []byte)
	// direct is where the service is without the stage.
	direct string
	// settle closes the stage once it has answered all requests.
	settle func()
	// refusing has no table be dropped.
	refusing bool
	// frozen has no request be answered from the moment on, or none at all if the moment is before the first.
	frozen bool

	mu   sync.Mutex
	seen int
	come bool
	// dead has no request be carried out any more that comes later: nobody is there to send it.
	dead   bool
	stderr bytes.Buffer
}

// newStage is a service whose run ends at a moment.
func newStage(t *testing.T, m moment) *stage {
	s := &stage{service: newService(t, model.Off, 0), moment: m}
	s.direct = s.url
	server := httptest.NewServer(s)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	s.url, s.settle = server.URL+"/races", server.Close
	return s
}

// passes reports whether this is the moment, once.
func (s *stage) passes(one bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one {
		s.seen++
	}
	if s.come || !one || s.seen <= s.after {
		return false
	}
	s.come = true
	return true
}

// ServeHTTP implements [http.Handler].
func (s *stage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	dead := s.dead
	s.mu.Unlock()
	if dead {
		// Whoever still sends this in our process would not be there.
		w.Header().Set("x-ms-error-code", "ResourceNotFound")
		w.WriteHeader(http.StatusNotFound)
		return
	}
	if s.passes(s.is != nil && s.is(r)) {
		s.reached()
	}
	s.mu.Lock()
	frozen, died := s.frozen && (s.come || s.is == nil), s.dead
	s.mu.Unlock()
	if died && r.Method == http.MethodDelete {
		// Of what was under way the worse came to pass: a table was made, none was dropped.
		return
	}
	if s.refusing && r.Method == http.MethodDelete {
		w.Header().Set("x-ms-error-code", "AuthorizationPermissionMismatch")
		w.WriteHeader(http.StatusForbidden)
		return
	}
	if frozen {
		// The body is read, so that the end of the connection is seen.
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
		return
	}
	s.handler.ServeHTTP(w, r)
}

// Write implements [io.Writer] for what the run says.
func (s *stage) Write(text []byte) (int, error) {
	if s.told != nil {
		s.told(text)
	}
	if s.passes(s.says != "" && bytes.Contains(text, []byte(s.says))) {
		s.reached()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stderr.Write(text)
}

func (s *stage) said() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stderr.String()
}

// kill has nothing more be carried out.
func (s *stage) kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dead = true
}

// ended is what came of a run that was ended.
type ended struct {
	code int
	// said is what it said on standard error, printed what it reported.
	said, printed string
	// left are the tables that the service has.
	left []string
}

// play runs the program in this process and sends it signals at the moment.
func (s *stage) play(t *testing.T, signals []os.Signal, more ...string) ended {
	t.Helper()
	heard, exited := make(chan os.Signal, 2), make(chan ended, 1)
	notice := newShutdownNotice(s)
	ctx, cancel := context.WithCancelCause(withNotice(context.Background(), notice))
	defer cancel(nil)
	s.reached = func() {
		for _, one := range signals {
			heard <- one
		}
		if len(signals) > 0 {
			<-ctx.Done()
		}
		if len(signals) > 1 {
			// The process ends before what is under way is carried out.
			e := <-exited
			s.kill()
			exited <- e
		}
	}
	go handleSignals(heard, cancel, notice, func(code int) { exited <- ended{code: code, said: s.said()} })
	var stdout bytes.Buffer
	args := s.args(append([]string{"--yes", "--no-probe", "--no-charts"}, more...)...)
	code := execute(ctx, args, strings.NewReader(""), &stdout, s)
	e := ended{code: code, said: s.said(), printed: stdout.String()}
	if len(signals) > 1 && s.come {
		e = <-exited
	}
	e.left = s.engine.TableNames("races")
	return e
}

// unnamed returns the tables that are left and that nobody was told of.
func (e *ended) unnamed(where string) []string {
	var list []string
	for _, table := range e.left {
		if !strings.Contains(e.said, fmt.Sprintf("left: table %s at %s", table, where)) {
			list = append(list, table)
		}
	}
	return list
}

// One signal ends a run at any moment: it says at once what it drops, leaves nothing, speaks
// of a report where there is one, and ends with the code of the signal.
func TestOneSignal(t *testing.T) {
	t.Parallel()
	for i, m := range moments {
		for n, row := range []struct {
			signal      os.Signal
			code        int
			how, leaves string
		}{
			{os.Interrupt, codeInterrupted, "interrupted", "Ctrl-C again"},
			{syscall.SIGTERM, codeTerminated, "terminated", "SIGTERM again"},
			{syscall.SIGHUP, codeHungUp, "hung up", "SIGTERM"},
			{syscall.SIGQUIT, codeQuit, "quit", "SIGQUIT again"},
		} {
			if m.name != "while offering" && n >= resultstest.Cases(1, 4) {
				continue
			}
			t.Run(row.how+" "+m.name, func(t *testing.T) {
				t.Parallel()
				s := newStage(t, m)
				e := s.play(t, []os.Signal{row.signal})
				assert.Truef(t, e.code == row.code && len(e.left) <= 0,
					"exit code %d, the tables %v are left; want %d and none\n%s", e.code, e.left, row.code, e.said)
				before, after := row.how+": dropping table loadgen", fmt.Sprintf(" at %s, for 7 s at most; %s leaves it\n", s.url, row.leaves)
				assert.Equalf(t, i > 0, strings.Contains(e.said, before) && strings.Contains(e.said, after),
					"it said\n%swant what it drops: %t", e.said, i > 0)
				want := row.how + "; the report is of what was done until then"
				switch i {
				case 0:
					want = row.how + "; there is no report, for nothing was measured"
				case len(moments) - 1:
					want = row.how + "; the report is whole, for all was measured by then"
				}
				if !strings.HasSuffix(e.said, "loadgen: "+want+"\n") || strings.Contains(e.said, "left") || (e.printed == "") != (i == 0) {
					t.Errorf("it said\n%sand printed %d bytes; want the last line %q, and a report if it speaks of one", e.said, len(e.printed), want)
				}
			})
		}
	}
}

// A second signal ends the process at once, at any moment: what is left then was named.
func TestTwoSignals(t *testing.T) {
	t.Parallel()
	for i, m := range moments {
		for n, signals := range [][]os.Signal{{os.Interrupt, os.Interrupt}, {syscall.SIGHUP, syscall.SIGTERM}} {
			if n > 0 && m.name != "while offering" {
				continue
			}
			t.Run(fmt.Sprintf("%v %s", signals, m.name), func(t *testing.T) {
				t.Parallel()
				s := newStage(t, m)
				e := s.play(t, signals)
				code := interruption{signals[1]}.code()
				if unnamed := e.unnamed(s.url); e.code != code || len(unnamed) > 0 {
					t.Errorf("exit code %d, the tables %v were not named; want %d and all named\n%s", e.code, unnamed, code, e.said)
				}
				if i > 1 && len(e.left) != 1 {
					t.Errorf("the tables %v are left; want the one that was made", e.left)
				}
				named, hint := strings.Contains(e.said, "left: table loadgen"), strings.Contains(e.said, "loadgen doctor --clean")
				assert.Truef(t, named == (i > 0) && hint == (i > 0),
					"it said\n%swant a table named, and how to drop it: %t", e.said, i > 0)
			})
		}
	}
}

// requestsOfARun is how many requests a run of these sends at least: the question whether the
// service is there, the table, its mark, 6 transactions, 60 operations and the drop.
const requestsOfARun = 70

// Whenever a run is ended, one signal leaves nothing, and a second nothing that was not
// named.
func TestSignalsAtAnyRequest(t *testing.T) {
	leftOutWhenShort(t)
	t.Parallel()
	chance := rand.New(rand.NewPCG(24, 3))
	for range resultstest.Cases(2, 24) {
		k, signals := chance.IntN(requestsOfARun), []os.Signal{os.Interrupt}
		if chance.IntN(2) == 1 {
			signals = append(signals, syscall.SIGTERM)
		}
		t.Run(fmt.Sprintf("%v at request %d", signals, k), func(t *testing.T) {
			t.Parallel()
			s := newStage(t, moment{is: func(*http.Request) bool { return true }, after: k})
			e := s.play(t, signals)
			switch {
			case !s.come:
				t.Error("the run has fewer requests; want it ended there")
			case len(signals) == 1 && (e.code != codeInterrupted || len(e.left) > 0):
				t.Errorf("exit code %d, the tables %v are left; want %d and none\n%s", e.code, e.left, codeInterrupted, e.said)
			case len(signals) == 2 && (e.code != codeTerminated || len(e.unnamed(s.url)) > 0):
				t.Errorf("exit code %d, the tables %v were not named; want %d and all named\n%s", e.code, e.unnamed(s.url), codeTerminated, e.said)
			}
		})
	}
}

// A table that somebody else has is not taken for one that is left.
func TestInterruptedRunOnTheTableOfSomebodyElse(t *testing.T) {
	leftOutWhenShort(t)
	t.Parallel()
	s := newStage(t, moments[1])
	if code := s.engine.Submit(0, &engine.Request{Account: "races", Verb: entity.CreateTable, Table: "loadgentheirs"}).Code; code != entity.OK {
		t.Fatal(code)
	}
	e := s.play(t, []os.Signal{os.Interrupt}, "--table", "loadgentheirs")
	assert.Truef(t, len(e.left) == 1 && !strings.Contains(e.said, "\nleft: "),
		"the tables %v are left\n%swant the one that was there, which is not said to be left", e.left, e.said)
}
