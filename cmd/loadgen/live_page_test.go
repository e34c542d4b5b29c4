package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

// An address may stand behind its flag as a word of its own, which no other word is taken for.
func TestLivePageAddressed(t *testing.T) {
	for _, row := range []struct{ typed, want string }{
		{"stress --live-page :8080 --quiet", "stress --live-page=:8080 --quiet"},
		{"stress --live-page 127.0.0.1:0", "stress --live-page=127.0.0.1:0"},
		{"contest day-key --live-page [::1]:9000 --count 2", "contest day-key --live-page=[::1]:9000 --count 2"},
		{"run --live-page my-table.yaml", "run --live-page my-table.yaml"},
		{"run --live-page C:\\mine", "run --live-page C:\\mine"},
		{"run my-table.yaml --live-page", "run my-table.yaml --live-page"},
		{"run --live-page :99999", "run --live-page :99999"},
		{"run --out --live-page -- --live-page :80", "run --out --live-page -- --live-page :80"},
	} {
		assert.Equalf(t, row.want, strings.Join(addressed(strings.Fields(row.typed)), " "), "%s is taken for", row.typed)
	}
}

// looksOn reads a live page as soon as its address is told, and goes on until it ends: what is
// told waits until it has the first event.
type looksOn struct {
	testing.TB
	mu    sync.Mutex
	said  bytes.Buffer
	first string
	open  sync.WaitGroup
	last  string
}

func (l *looksOn) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.said.Write(line)
	url := regexp.MustCompile(`http://127\.0\.0\.1:\d+/[0-9a-f]{32}/`).Find(line)
	if url == nil || l.first != "" {
		return len(line), nil
	}
	reply, err := http.Get(string(url) + "events")
	if err != nil {
		l.Error(err)
		return len(line), nil
	}
	lines := bufio.NewReaderSize(reply.Body, 1<<20)
	event := func() (name, data string) {
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				return "", ""
			}
			if text, is := strings.CutPrefix(line, "event: "); is {
				name = strings.TrimSpace(text)
			}
			if text, is := strings.CutPrefix(line, "data: "); is {
				return name, text
			}
		}
	}
	if l.first, _ = event(); l.first != "update" {
		l.Errorf("the page is told %q first; want an update", l.first)
	}
	l.open.Go(func() {
		defer reply.Body.Close()
		for name, data := event(); name != ""; name, data = event() {
			if name == "report" {
				l.last = data
			}
		}
	})
	return len(line), nil
}

// What several runs come to takes the place of their live page.
func TestLivePageOfSeveralRuns(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, row := range []struct{ arguments, want string }{
		{"simulate day-key --quiet --live-page --sweep seed=1,2 --no-charts --set phases.report.for=2s", "2 runs"},
		{"simulate day-key --ui json --live-page --count 2 --no-charts --set phases.report.for=2s", "2 runs"},
		{"contest day-key --designs device,day --count 2 --one-profile --live-page --set phases.report.for=2s", "Contest of designs"},
	} {
		looker, out := &looksOn{TB: t}, bytes.Buffer{}
		code := execute(t.Context(), strings.Fields(row.arguments), strings.NewReader(""), &out, looker)
		looker.open.Wait()
		var report string
		if err := json.Unmarshal([]byte(looker.last), &report); err != nil || !strings.Contains(report, row.want) {
			t.Errorf("%s: exit code %d; the page becomes %.300q, %v; want one with %q", row.arguments, code, report, err, row.want)
		}
		if json := slices.Contains(strings.Fields(row.arguments), "json"); json && !strings.Contains(looker.said.String(), `{"event":"live_page","at_s":0,"url":"http`) {
			t.Errorf("%s: standard error is %q; want an event with the URL", row.arguments, looker.said.String())
		}
	}
}
