package page

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/rest/resttest"
	"loadgen/report/live"
	"loadgen/results"
	"loadgen/results/resultstest"
)

// Nobody is answered who does not have the whole URL, and no page of another machine is.
func TestWhoIsAnswered(t *testing.T) {
	serve(t, func(s *site) {
		for _, row := range []struct {
			sentence, method, path string
			header                 []string
			want                   int
		}{
			{"the page", "GET", "/" + token + "/", nil, http.StatusOK},
			{"no token", "GET", "/", nil, http.StatusForbidden},
			{"the stream without one", "GET", "/events", nil, http.StatusForbidden},
			{"a token of as many characters", "GET", "/" + strings.Repeat("0", len(token)) + "/", nil, http.StatusForbidden},
			{"the beginning of the token", "GET", "/" + token[:31] + "/", nil, http.StatusForbidden},
			{"more than the token", "GET", "/" + token + "0/", nil, http.StatusForbidden},
			{"the token where none is asked for", "GET", "/events?" + token, nil, http.StatusForbidden},
			{"another page", "GET", "/" + token + "/run.json", nil, http.StatusNotFound},
			{"a name that leads here", "GET", "/" + token + "/", []string{"Host", "page.example"}, http.StatusForbidden},
			{"localhost", "GET", "/" + token + "/", []string{"Host", "localhost:80"}, http.StatusOK},
			{"a page of another machine", "GET", "/" + token + "/events", []string{"Origin", "http://page.example"}, http.StatusForbidden},
			{"to stop without a token", "POST", "/stop", nil, http.StatusForbidden},
			{"to stop by a link", "GET", "/" + token + "/stop", nil, http.StatusMethodNotAllowed},
			{"to stop from another page of this machine", "POST", "/" + token + "/stop", []string{"Sec-Fetch-Site", "same-site"}, http.StatusForbidden},
		} {
			status, head, _ := s.ask(row.method, row.path, row.header...)
			assert.Truef(s, status == row.want, "%s: %d; want %d", row.sentence, status, row.want)
			if status == http.StatusOK && (!strings.Contains(head.Get("Content-Security-Policy"), "default-src 'none'; ") || !strings.HasSuffix(head.Get("Content-Security-Policy"), "connect-src 'self'; frame-ancestors 'none'") ||
				head.Get("Referrer-Policy") != "no-referrer" || head.Get("Cache-Control") != "no-store") {
				s.Errorf("%s: the header is %v; want a policy, and that nobody keeps or tells of the page", row.sentence, head)
			}
		}
		assert.Truef(s, s.stopped == 0, "it was stopped %d times by those who may not", s.stopped)
		for range 2 {
			status, _, _ := s.ask("POST", "/"+token+"/stop", "Sec-Fetch-Site", "same-origin")
			assert.Equal(s, http.StatusNoContent, status, "to stop is answered")
		}
		assert.Equal(s, 1, s.stopped, "times it was stopped by who has the token")
	})
}

// A page is told at once how it stands, and once a second how it goes on; one that is loaded
// again and a second one are told the same.
func TestViewers(t *testing.T) {
	serve(t, func(s *site) {
		p := s.play(false)
		defer p.End()
		one := s.view()
		u := one.update()
		assert.Truef(s, u.Says != "" && u.Texts["title"] == "loadgen played", "the first update is %+v", u)
		for second := range 3 {
			p.attempt(time.Duration(second)*time.Second+time.Millisecond, "hot", 500+second, results.Ok)
			if u := one.update(); len(u.Series["rates"].X) != second+1 || *u.Series["rates"].Y[1][second] != float64(500+second) {
				s.Errorf("after second %d the page is told %v; want %d served in it", second, u.Series["rates"].Y, 500+second)
			}
			at := time.Since(p.began)
			assert.Truef(s, at == time.Duration(second+1)*time.Second+grace, "it is told at %v", at)
		}
		one.leave()
		again, other := s.view(), s.view()
		for _, v := range []*viewing{again, other} {
			if u := v.update(); len(u.Series["rates"].X) != 3 {
				s.Errorf("a page that is loaded later has %d seconds; want all three", len(u.Series["rates"].X))
			}
		}
		synctest.Wait()
		open, dropped := s.counts()
		assert.Truef(s, open == 2 && dropped == 0, "%d look on, %d were let go of; want 2 and none", open, dropped)
		a, b := again.update(), other.update()
		assert.Truef(s, a.Parts["heat"] == b.Parts["heat"] && strings.Contains(a.Parts["health"], ">2</td>"),
			"two pages are told\n%s and\n%s; want the same, and that two look on", a.Parts["health"], b.Parts["health"])
		again.leave()
		other.leave()
	})
}

// A page that is never read is let go of and counted, and holds up nobody.
func TestAViewerThatNeverReads(t *testing.T) {
	serve(t, func(s *site) {
		p := s.play(false)
		defer p.End()
		silent := s.pipes.Dial()
		defer silent.Close()
		if _, err := silent.Write([]byte("GET /" + token + "/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")); err != nil {
			s.Fatal(err)
		}
		reads := s.view()
		defer reads.leave()
		for range 12 {
			reads.update()
		}
		at := time.Since(p.began)
		assert.Truef(s, at == 11*time.Second+grace, "twelve updates took %v; want one a second", at)
		open, dropped := s.counts()
		assert.Truef(s, open == 1 && dropped == 1, "%d look on, %d were let go of; want 1 and 1", open, dropped)
		u := reads.update()
		assert.Truef(s, strings.Contains(u.Parts["health"], "1 disconnected"), "the page says %s", u.Parts["health"])
	})
}

// So many look on at once, and no more.
func TestACrowd(t *testing.T) {
	serve(t, func(s *site) {
		for range maxViewers {
			defer s.view().leave()
		}
		if status, _, said := s.ask("GET", "/"+token+"/events"); status != http.StatusServiceUnavailable || !strings.Contains(said, errCrowd.Error()) {
			s.Errorf("one more is answered %d %s; want 503", status, said)
		}
	})
}

// The report takes the place of the page, for those who look on and for who comes later.
func TestReport(t *testing.T) {
	serve(t, func(s *site) {
		p := s.play(false)
		v := s.view()
		v.update()
		p.End()
		u := v.update()
		assert.Truef(s, strings.Contains(u.Says, "over"), "at the end the page says %q; want that it is over", u.Says)
		const page = "<!DOCTYPE html>\n<title>the report</title>\n"
		s.Report([]byte(page))
		name, data := v.next()
		var text string
		err := json.Unmarshal([]byte(data), &text)
		assert.Equal(s, []any{"report", nil, page}, []any{name, err, text}, "what the page is told")
		_, what := v.next()
		assert.Truef(s, what == "EOF", "after the report comes %s", what)
		_, _, shown := s.ask("GET", "/"+token+"/")
		assert.Truef(s, shown == page, "who comes later gets %q; want the report", shown)
		late := s.view()
		name, _ = late.next()
		assert.Truef(s, name == "report", "who was away is told %s; want the report", name)
	})
}

// Without a report the pages are told that nothing follows, and nobody who does not read is
// waited for longer than a moment.
func TestClose(t *testing.T) {
	serve(t, func(s *site) {
		v := s.view()
		v.update()
		silent := s.pipes.Dial()
		defer silent.Close()
		if _, err := silent.Write([]byte("GET /" + token + "/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")); err != nil {
			s.Fatal(err)
		}
		type event struct{ name, data string }
		last := make(chan event, 1)
		go func() {
			name, data := v.next()
			last <- event{name, data}
		}()
		synctest.Wait()
		began := time.Now()
		s.Close()
		took := time.Since(began)
		assert.Truef(s, took <= lastUpdateTimeout, "the end took %v; want %v at most", took, lastUpdateTimeout)
		told := <-last
		assert.Truef(s, told.name == "ended" && strings.Contains(told.data, "report"), "the page is told %v", told)
	})
}

// An address that others reach is none, and a port that is taken is said so.
func TestAddresses(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	for _, row := range []struct{ address, want string }{
		{"0.0.0.0:0", "a loopback address"}, {"[::]:0", "a loopback address"}, {"192.0.2.1:0", "a loopback address"},
		{taken.Addr().String(), "address already in use"}, {"nonsense", "expected a port"}, {":http", "expected a port"},
	} {
		if s, err := Open(Options{Address: row.address}); err == nil || !strings.Contains(err.Error(), row.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, %v; want one line with %q", row.address, s, err, row.want)
		}
	}
	one, err := Open(Options{})
	two, other := Open(Options{Address: "localhost:0"})
	require.NoError(t, errors.Join(err, other))
	defer one.Close()
	defer two.Close()
	assert.Truef(t, one.URL()[len(one.URL())-33:] != two.URL()[len(two.URL())-33:] && len(one.token) == 32 && strings.HasPrefix(one.URL(), "http://127.0.0.1:"),
		"the pages are at %s and %s; want tokens of their own on the loopback", one.URL(), two.URL())
	var none *Server
	if none.Close(); none.URL() != "" {
		t.Error("no server is somewhere")
	}
}

// A key that becomes hot among ten thousand leads the heat map by the next update, and the
// others are counted.
func TestHeatOfTenThousandPartitions(t *testing.T) {
	serve(t, func(s *site) {
		p := s.play(false)
		defer p.End()
		v := s.view()
		defer v.leave()
		v.update()
		for second := range 2 {
			for n := range maxCounted - 1 {
				p.attempt(time.Duration(second)*time.Second, keyOf(n), 1, results.Ok)
			}
			v.update()
		}
		p.attempt(2*time.Second, "hot", 1500, results.Ok)
		p.attempt(2*time.Second, "hot", 500, results.Throttled)
		heat := v.update().Parts["heat"]
		if first := strings.Index(heat, `scope="row" class="words">hot</th>`); first < 0 || first > strings.Index(heat, ">key ") && strings.Contains(heat, ">key ") {
			s.Errorf("the key that became hot does not lead\n%s", heat)
		}
		assert.Equal(s, 1+rows+1, strings.Count(heat, "<tr>"), "the heat map")
		assert.Truef(s, strings.Contains(heat, "9,988 others") && !strings.Contains(heat, "more than"),
			"the others are not counted: %s", heat)
		assert.Truef(s, strings.Contains(heat, `class="hot" d="M59 7h1v3h-1z"`),
			"a quarter of the last second is not throttled: %s", heat)
		assert.Truef(s, len(heat) <= 40_000, "the heat map takes %d bytes", len(heat))
		p.attempt(3*time.Second, "one more", 1, results.Ok)
		assert.Contains(s, v.update().Parts["heat"],
			"more than 9,988 others", "that there are more than are counted is not told")
	})
}

// Phases, load balancing and the health of the generator are told as they come.
func TestWhatHappens(t *testing.T) {
	serve(t, func(s *site) {
		p := s.play(false)
		defer p.End()
		v := s.view()
		defer v.leave()
		v.update()
		p.Event(results.Event{At: int64(time.Second), What: results.PhaseBegins, Phase: "<peak>"})
		p.Event(results.Event{At: int64(2 * time.Second), What: results.RangeMoved, Decision: &results.Decision{Key: "m", To: 7}})
		p.Event(results.Event{What: results.StageEnds})
		p.Health(results.Health{Second: 0, Lasted: time.Second, CPU: time.Second, StoodStill: 30 * time.Millisecond})
		p.attempt(0, "k", 100, results.Ok)
		u := v.update()
		events := u.Parts["events"]
		moved, begun := strings.Index(events, `load balancing: move of the range from &#34;m&#34; to server 7`), strings.Index(events, "phase &lt;peak&gt;")
		assert.Truef(s, moved >= 0 && begun >= moved && strings.Count(events, "<tr>") == 3,
			"what happened is %s; want the move, then the phase", events)
		assert.Truef(s, strings.Contains(u.Parts["health"], "50.0%") && strings.Contains(u.Parts["health"], "30.0 ms") && *u.Series["load"].Y[0][0] == 50,
			"the health is %s and %v; want half of two cores, and 30 ms", u.Parts["health"], u.Series["load"].Y)
		for n := range maxMarks + 1 {
			p.Event(results.Event{At: int64(n), What: results.PhaseBegins, Phase: fmt.Sprint("phase ", n)})
		}
		if u := v.update(); len(u.Series["rates"].Marks) != maxMarks || strings.Count(u.Parts["events"], "<tr>") != 1+maxRows {
			s.Errorf("%d marks, %d rows; want %d and %d", len(u.Series["rates"].Marks), strings.Count(u.Parts["events"], "<tr>")-1, maxMarks, maxRows)
		}
	})
}

// What a second had that is told of late is not lost, and a run in virtual time is taken by
// its own seconds.
func TestVirtualTime(t *testing.T) {
	serve(t, func(s *site) {
		p := s.play(true)
		for second := range 100 {
			p.attempt(time.Duration(second)*time.Second+time.Millisecond, "k", 10+second, results.Ok)
		}
		p.End()
		v := s.view()
		defer v.leave()
		rates := v.update().Series["rates"]
		if len(rates.X) != 100 || rates.X[99] != 99 || *rates.Y[1][42] != 52 {
			s.Errorf("%d seconds until %v, %v served in the 42nd; want 100 of them, 52", len(rates.X), rates.X, *rates.Y[1][42])
		}
	})
}

// However long a run, what is kept of it is bounded and adds up to the same.
func TestHistoryAddsUp(t *testing.T) {
	chance := rand.New(rand.NewPCG(32, 1))
	for _, length := range []int{0, 1, maxSamples - 1, maxSamples, maxSamples + 1, 5000, 12_345} {
		var h history
		sum, longest := 0., 0.
		for second := range length {
			served, took := float64(chance.IntN(3000)), chance.Float64()*1000
			sum, longest = sum+served, max(longest, took)
			h.add(sample{second: float64(second), served: served, p99: &took})
		}
		list := h.samples
		if len(h.open) > 0 {
			list = append(list, merge(h.open))
		}
		kept, most := 0., 0.
		for i, one := range list {
			covers := max(1, h.each)
			if i == len(list)-1 {
				covers = length - int(one.second)
			}
			kept, most = kept+one.served*float64(covers), max(most, *one.p99)
			if i > 0 && one.second-list[i-1].second != float64(h.each) {
				t.Fatalf("%d seconds: sample %d is at %v after %v; want steps of %d", length, i, one.second, list[i-1].second, h.each)
			}
		}
		assert.Truef(t, len(list) <= maxSamples && kept >= sum-1e-3 && kept <= sum+1e-3 && most == longest,
			"%d seconds: %d samples of %v served, the longest %v; want %d at most, %v and %v", length, len(list), kept, most, maxSamples, sum, longest)
	}
}

// Traffic of others has the queries that cost most in the place of the generator.
func TestTrafficOfOthers(t *testing.T) {
	serve(t, func(s *site) {
		stats, began := live.New(), time.Now()
		var asked int
		w := s.Begin(Run{Scenario: "serve", Stats: stats, Now: func() time.Duration { return time.Since(began) }, Queries: func(most int) []results.QueryShape {
			asked = most
			return []results.QueryShape{{Table: "Races", Shape: "Paid eq ?", Class: "table scan", Requests: 3, Scanned: 9000, Returned: 2}}
		}})
		defer w.End()
		recorder := resultstest.Open(t, new(results.Memory), results.Manifest{})
		stats.Read(recorder)
		recorder.Touched(0, "Races", "crossed", 40, 0)
		w.Touched("Races", "crossed")
		v := s.view()
		defer v.leave()
		v.update()
		u := v.update()
		if shapes := u.Parts["shapes"]; !strings.Contains(shapes, "table scan: Paid eq ?") || !strings.Contains(shapes, "9,000") || asked != maxQueries {
			s.Errorf("the queries are %s, of %d asked for", shapes, asked)
		}
		assert.Truef(s, strings.Contains(u.Parts["state"], "table scan: Paid eq ? of Races, 9,000 entities scanned, 2 returned."),
			"the answer says %s; want the query that costs most", u.Parts["state"])
		assert.Truef(s, strings.Contains(u.Parts["heat"], "crossed (table Races)") && u.Parts["health"] == "",
			"the heat is %s, the generator %q; want what the query crossed, and none", u.Parts["heat"], u.Parts["health"])
	})
}

// A key that is hot now leads one that was hotter before, which stays in the map.
func TestHeatIsThatOfNow(t *testing.T) {
	var h heatMap
	for second := range 10 {
		w := results.PartitionLoad{PartitionKey: "before", Served: 2000}
		if second >= 8 {
			w = results.PartitionLoad{PartitionKey: "now", Served: 500}
		}
		h.add(&live.Second{Hottest: []results.PartitionLoad{w}, Demanded: w.Demanded()})
	}
	h.add(&live.Second{Hottest: []results.PartitionLoad{{PartitionKey: "now", Served: 500}}, Demanded: 500})
	list, rest := h.hottest()
	assert.Truef(t, len(list) == 2 && list[0].Name() == "now" && list[1].Name() == "before" && list[1].total == 16_000 && rest == 0,
		"the map has %+v, and %d of others; want the key of now, then the one of before", list, rest)
}

// tells has a member tell of a second that has just ended.
func (p *played) tells(member int, of results.Interval) {
	p.stats.AddSecond(member, time.Since(p.began).Truncate(time.Second), &of, nil)
}

// cellsOf returns the texts of the rows of a table, but for its heading.
func cellsOf(table string) (rows [][]string) {
	tag := regexp.MustCompile(`<[^>]*>`)
	for _, row := range strings.Split(table, "<tr>")[2:] {
		var cells []string
		for _, cell := range regexp.MustCompile(`</t[dh]>`).Split(row, -1) {
			cells = append(cells, strings.TrimSpace(tag.ReplaceAllString(cell, "")))
		}
		rows = append(rows, cells[:len(cells)-1])
	}
	return rows
}

// A page shows each member of a fleet, who is in trouble first, what has a label together, and all.
func TestMembersOnThePage(t *testing.T) {
	serve(t, func(s *site) {
		p := s.play(false)
		defer p.End()
		v := s.view()
		defer v.leave()
		v.update()
		for i, region := range []string{"west", "west", "east", "east", "east"} {
			p.stats.Joined(&results.FleetMember{Name: fmt.Sprint("m", i), Index: i, Labels: map[string]string{"region": region}, ClockBound: time.Duration(100+i) * time.Microsecond}, results.MemberReady)
		}
		said := func(u told) string { return u.Parts["state"] }
		for second := range 3 {
			u := v.update()
			rows := cellsOf(u.Parts["health"])
			assert.Truef(t, second <= 0 || !strings.Contains(said(u), "Behind"), "on time it says %s", said(u))
			require.Lenf(t, rows, 5+2+1, "rows: %q", rows)
			for i := range 5 {
				p.tells(i, results.Interval{Counts: results.Counts{Scheduled: int64(100 * (i + 1)), Attempts: 200, Throttled: int64(10 * i), Ok: 100}})
			}
		}
		u := v.update()
		rows := cellsOf(u.Parts["health"])
		for _, want := range [][]string{
			{"m0 (region=west)", "sending", "100", "6.7%", "0%"},
			{"m4 (region=east)", "sending", "500", "33.3%", "20.0%"},
			{"all of region=west", "", "300", "20.0%", "2.5%"},
			{"all of region=east", "", "1,200", "80.0%", "15.0%"},
			{"all 5 members", "", "1,500", "100%", "10.0%"},
		} {
			found := false
			for _, row := range rows {
				found = found || fmt.Sprint(row[:len(want)]) == fmt.Sprint(want)
			}
			assert.Truef(t, found, "no row %q in %q", want, rows)
		}
		assert.Truef(t, u.Texts["health-caption"] == "Members, each in its last second" && strings.Contains(said(u), "no keys"),
			"the caption is %q, and it says %s", u.Texts["health-caption"], said(u))
		// One is late, then one is not heard of, then one is lost: each leads from then on.
		p.tells(3, results.Interval{Counts: results.Counts{Scheduled: 100, Late: 2}})
		for _, i := range []int{0, 1, 2, 4} {
			p.tells(i, results.Interval{Counts: results.Counts{Scheduled: 100}})
		}
		if u := v.update(); cellsOf(u.Parts["health"])[0][0] != "m3 (region=east)" || !strings.Contains(said(u), "Behind: m3.") {
			t.Errorf("who is late does not lead: %s, %q", said(u), cellsOf(u.Parts["health"]))
		}
		for range 4 {
			for _, i := range []int{0, 2, 3, 4} {
				p.tells(i, results.Interval{Counts: results.Counts{Scheduled: 100}})
			}
			u = v.update()
		}
		assert.Truef(t, cellsOf(u.Parts["health"])[0][0] == "m1 (region=west)" && strings.HasSuffix(cellsOf(u.Parts["health"])[0][1], "silent for 5 s") && strings.Contains(said(u), "3 s: m1."),
			"who is silent does not lead: %s, %q", said(u), cellsOf(u.Parts["health"]))
		p.stats.Joined(&results.FleetMember{Name: "m4", Index: 4}, results.MemberLost)
		if u := v.update(); !strings.HasSuffix(cellsOf(u.Parts["health"])[0][1], "lost") || !strings.Contains(said(u), "Lost: m4.") {
			t.Errorf("who is lost does not lead: %s, %q", said(u), cellsOf(u.Parts["health"]))
		}
	})
}

// A thousand members are a table of a dozen, their labels and all.
func TestAThousandMembersOnThePage(t *testing.T) {
	serve(t, func(s *site) {
		p := s.play(false)
		defer p.End()
		for i := range 1000 {
			p.stats.Joined(&results.FleetMember{Name: fmt.Sprint("m", i), Index: i, Labels: map[string]string{"host": fmt.Sprint(i), "rack": fmt.Sprint(i % 40)}}, results.MemberReady)
			p.tells(i, results.Interval{Counts: results.Counts{Scheduled: 1}})
		}
		p.stats.Joined(&results.FleetMember{Name: "m700", Index: 700}, results.MemberLost)
		v := s.view()
		defer v.leave()
		table := v.update().Parts["health"]
		if rows := cellsOf(table); len(rows) != maxRows+maxRows+1 || rows[0][0] != "m700" || rows[2*maxRows][0] != "all 1,000 members" || !strings.Contains(table, "988 members more") {
			t.Errorf("of a thousand it tells %q", rows)
		}
	})
}

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
