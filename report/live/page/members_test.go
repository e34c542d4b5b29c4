package page

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
)

// tells has a member tell of a second that has just ended.
func (p *played) tells(member int, of results.Interval) {
	p.stats.Told(member, time.Since(p.began).Truncate(time.Second), &of, nil)
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
			{"m0 (region=west)", "sending", "100", "6.7 %", "0 %"},
			{"m4 (region=east)", "sending", "500", "33.3 %", "20.0 %"},
			{"all of region=west", "", "300", "20.0 %", "2.5 %"},
			{"all of region=east", "", "1,200", "80.0 %", "15.0 %"},
			{"all 5 members", "", "1,500", "100 %", "10.0 %"},
		} {
			found := false
			for _, row := range rows {
				found = found || fmt.Sprint(row[:len(want)]) == fmt.Sprint(want)
			}
			assert.Truef(t, found, "no row %q in %q", want, rows)
		}
		assert.Truef(t, u.Texts["health-caption"] == "Members, each in its last second" && strings.Contains(said(u), "tell counts and no keys"),
			"the caption is %q, and it says %s", u.Texts["health-caption"], said(u))
		// One is late, then one is not heard of, then one is lost: each leads from then on.
		p.tells(3, results.Interval{Counts: results.Counts{Scheduled: 100, Late: 2}})
		for _, i := range []int{0, 1, 2, 4} {
			p.tells(i, results.Interval{Counts: results.Counts{Scheduled: 100}})
		}
		if u := v.update(); cellsOf(u.Parts["health"])[0][0] != "m3 (region=east)" || !strings.Contains(said(u), "Behind: m3, with more than 1 % of operations sent late.") {
			t.Errorf("who is late does not lead: %s, %q", said(u), cellsOf(u.Parts["health"]))
		}
		for range 4 {
			for _, i := range []int{0, 2, 3, 4} {
				p.tells(i, results.Interval{Counts: results.Counts{Scheduled: 100}})
			}
			u = v.update()
		}
		assert.Truef(t, cellsOf(u.Parts["health"])[0][0] == "m1 (region=west)" && strings.HasSuffix(cellsOf(u.Parts["health"])[0][1], "silent for 5 s") && strings.Contains(said(u), "Not heard of for more than 3 s: m1."),
			"who is silent does not lead: %s, %q", said(u), cellsOf(u.Parts["health"]))
		p.stats.Joined(&results.FleetMember{Name: "m4", Index: 4}, results.MemberLost)
		if u := v.update(); !strings.HasSuffix(cellsOf(u.Parts["health"])[0][1], "lost") || !strings.Contains(said(u), "Lost: m4, whose load nobody takes over.") {
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
		if rows := cellsOf(table); len(rows) != mostRows+mostRows+1 || rows[0][0] != "m700" || rows[2*mostRows][0] != "all 1,000 members" || !strings.Contains(table, "988 members more") {
			t.Errorf("of a thousand it tells %q", rows)
		}
	})
}
