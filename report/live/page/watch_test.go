package page

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/live"
	"loadgen/results"
	"loadgen/results/resultstest"
)

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
		assert.Truef(s, strings.Contains(u.Parts["health"], "50.0 %") && strings.Contains(u.Parts["health"], "30.0 ms") && *u.Series["load"].Y[0][0] == 50,
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
