package page

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"loadgen/engine/rest/resttest"
	"loadgen/report/live"
	"loadgen/results"
	"loadgen/results/resultstest"
)

const token = "0123456789abcdef0123456789abcdef"

// site is a server of the bubble, and who asks it.
type site struct {
	*testing.T
	*Server
	pipes   *resttest.Pipes
	client  *http.Client
	stopped int
}

// serve calls a test within a bubble with a server, which it closes.
func serve(t *testing.T, test func(s *site)) {
	synctest.Test(t, func(t *testing.T) {
		s := &site{T: t, pipes: resttest.NewPipes()}
		transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return s.pipes.Dial(), nil }, DisableKeepAlives: true}
		s.client = &http.Client{Transport: transport}
		var err error
		if s.Server, err = Open(Options{Listener: s.pipes, Token: token, Stop: func() { s.stopped++ }}); err != nil {
			t.Fatal(err)
		}
		defer transport.CloseIdleConnections()
		defer s.Close()
		test(s)
	})
}

// ask sends a request and returns the status, the header and the body of its answer.
func (s *site) ask(method, path string, header ...string) (int, http.Header, string) {
	s.Helper()
	reply := s.send(method, path, header...)
	defer reply.Body.Close()
	body, err := io.ReadAll(reply.Body)
	require.NoError(s, err)
	return reply.StatusCode, reply.Header, string(body)
}

func (s *site) send(method, path string, header ...string) *http.Response {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), method, "http://127.0.0.1"+path, nil)
	require.NoError(s, err)
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
		r.Header.Set(header[i], header[i+1])
	}
	reply, err := s.client.Do(r)
	require.NoError(s, err)
	return reply
}

// viewing is a page that is open.
type viewing struct {
	*site
	reply *http.Response
	lines *bufio.Reader
}

func (s *site) view() *viewing {
	s.Helper()
	reply := s.send("GET", "/"+token+"/events")
	require.Truef(s, reply.StatusCode == http.StatusOK, "the stream answers %d", reply.StatusCode)
	return &viewing{s, reply, bufio.NewReaderSize(reply.Body, 1<<20)}
}

func (v *viewing) leave() { v.reply.Body.Close() }

// told is an update as a page reads it.
type told struct {
	Says         string
	Texts, Parts map[string]string
	Series       map[string]struct {
		X     []float64
		Y     [][]*float64
		Marks []struct{ Text string }
	}
}

// next returns the next event.
func (v *viewing) next() (name, data string) {
	v.Helper()
	for {
		line, err := v.lines.ReadString('\n')
		if err != nil {
			return "", err.Error()
		}
		if text, is := strings.CutPrefix(line, "event: "); is {
			name = strings.TrimSpace(text)
		}
		if text, is := strings.CutPrefix(line, "data: "); is {
			return name, strings.TrimSpace(text)
		}
	}
}

// update returns the next event, which is an update.
func (v *viewing) update() (u told) {
	v.Helper()
	name, data := v.next()
	err := json.Unmarshal([]byte(data), &u)
	require.Equal(v, []any{"update", nil}, []any{name, err}, "what the page is told")
	return u
}

// played is a run whose clock is the bubble's.
type played struct {
	*Watch
	stats    *live.Stats
	recorder *results.Recorder
	began    time.Time
	number   uint64
}

func (s *site) play(virtual bool) *played {
	recorder := resultstest.Open(s.T, new(results.Memory), results.Manifest{Operations: []results.Kind{{Name: "get"}}})
	p := &played{stats: live.New(), recorder: recorder, began: time.Now()}
	p.stats.Read(recorder)
	recorder.Phase(results.Phase{Name: "peak", Rate: 1000, Reported: true})
	now := func() time.Duration { return time.Since(p.began) }
	if virtual {
		now = p.stats.Latest
	}
	p.Watch = s.Begin(Run{Scenario: "played", Virtual: virtual, Cores: 2, Stats: p.stats, Now: now})
	phase := results.Phase{Name: "peak", Rate: 1000, Reported: true}
	p.stats.Enter("peak", 1<<40, time.Hour)
	p.stats.Phase(0, &phase)
	p.Phase(0, &phase)
	return p
}

// attempt has operations of one attempt at a partition end at an instant.
func (p *played) attempt(at time.Duration, key string, times int, class results.Class) {
	for range times {
		a := results.Attempt{Class: class, Number: p.number, Intended: at, Sent: at, Done: at, HasPartition: true, PartitionKey: key, Entities: 1}
		if class == results.Ok {
			a.Counted = 1
		}
		p.number++
		p.recorder.Scheduled(&results.Scheduled{Intended: at, Sent: at, Entities: 1})
		p.recorder.Attempt(&a)
		p.recorder.Completed(&results.Completed{Class: class, Number: a.Number, Intended: at, Done: at, Served: a.Counted})
		p.Attempt(&a)
	}
}

func keyOf(n int) string { return fmt.Sprintf("key %05d", n) }
