package page

import (
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
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

// What waits for a viewer is bounded.
func TestWhatWaitsIsBounded(t *testing.T) {
	f := feed{viewers: make(map[*viewer]struct{})}
	v, err := f.join()
	require.NoError(t, err)
	for range maxWaiting + 1 {
		f.publish([]byte("update"))
	}
	if open, dropped := f.counts(); open != 0 || dropped != 1 || len(v.next) != maxWaiting {
		t.Errorf("%d look on, %d were let go of, %d updates wait; want none, one, %d", open, dropped, len(v.next), maxWaiting)
	}
	if f.finish([]byte("last")); f.lastFor(v) != nil {
		t.Error("a viewer that was let go of is told what is last")
	}
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
