package series

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/wire"
	"loadgen/report/document"
	"loadgen/results"
	"loadgen/scenarios/run"
	"loadgen/target/azure"
)

// tradeOf is the order book, of a second of few events.
func tradeOf(t *testing.T, rate string) ContestPlan {
	s := parsed(t, orderBook, "phases.trade.for=1s", "phases.trade.arrivals.constant="+rate, "workers=8")
	p := contestOf(t, s, 2, "day", "shop")
	p.Run.On, p.Run.NoProbe, p.Run.Rival = run.InProcess, true, true
	return p
}

// In real time every run leaves its own record, no other profile is tried, and whoever keeps runs is
// told of each. A contest that is looked at shows each second which runs are under way and how the
// designs stand, has the same outcome, and shows that in the end.
func TestContestInRealTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// Runs of several seconds are looked at between their first second and their last.
		plan := func() ContestPlan {
			p := tradeOf(t, "40")
			require.NoError(t, p.Run.Scenario.Set("phases.trade.for", "3s"))
			return p
		}
		p, w := plan(), new(watcher)
		p.Watch = w.watch
		seen := contested(t, p)
		lookedAt(t, w, seen)
		kept, p := 0, plan()
		p.Run.Kept = func(results.Folder, *results.Record) error { kept++; return nil }
		c := contested(t, p)
		assert.Empty(t, cmp.Diff(c.Contest, seen.Contest), "the contest that is looked at (-otherwise +looked at)")
		assert.Truef(t, len(c.Ranking) == 2 && c.Ranking[0].Sustained != nil && c.Ranking[0].Limited == 0 && c.Other == "" && c.Profile == "documented" && kept == 4,
			"contest %+v, of which %d runs were kept; want two designs of two runs each", c.Contest, kept)
		for n, name := range []string{"day", "shop", "day-2", "shop-2"} {
			record, err := results.Read(results.Dir(filepath.Join(string(c.Folder), name)))
			require.NoError(t, err, name)
			assert.Equal(t, "real", record.Manifest.Time, name)
			assert.Equal(t, seedOf(9, strings.TrimSuffix(name, "-2"), n/2), record.Manifest.Seed, name)
		}
	})
}

// The budget is that of all runs together: the run in which it is spent counts nothing, and the last
// may spend all that is left.
func TestBudgetOfAContest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for budget, want := range map[int64]string{120: "Ended early after 0 of 4 runs", 560: "Ended early after 2 of 4 runs"} {
			p := tradeOf(t, "40")
			p.Run.Budget = budget
			c, err := Contest(t.Context(), p)
			assert.ErrorIs(t, err, run.ErrBudget)
			assert.Containsf(t, c.Verdict, want, "a budget of %d", budget)
		}
	})
}

// Runs that are late for want of workers are valid, and marked: the contest says so.
func TestContestOfLateRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := tradeOf(t, "400")
		p.Seeds, p.Run.Scenario.Workers = 1, 1
		c := contested(t, p)
		for i := range c.Ranking {
			one := &c.Ranking[i]
			assert.Truef(t, one.Limited == 1 && one.Doubtful == 0,
				"%s: %d late, %d not valid; want 1 and none", one.Design, one.Limited, one.Doubtful)
		}
		assert.Contains(t, c.Verdict, " Client-limited: 2 of 2 runs")
		assert.NotContains(t, c.Verdict, "Not valid")
	})
}

// A service is sent nothing, and no folder made, before somebody has agreed to what all
// runs together will send.
func TestContestAsksForConsent(t *testing.T) {
	secret, err := wire.NewSecret("c2VjcmV0")
	require.NoError(t, err)
	nowhere, err := azure.ParseURL("http://127.0.0.1:1/orders", "orders", secret)
	require.NoError(t, err)
	p := tradeOf(t, "40")
	p.Run.On, p.Run.Accounts, p.Run.Out = run.Remote, []azure.Endpoint{nowhere}, filepath.Join(p.Run.Out, "none")
	requests, lasts := int64(0), time.Duration(0)
	for _, design := range []string{"day", "shop"} {
		single := p.Run
		single.Scenario, err = p.Run.Scenario.WithDesign(design)
		require.NoError(t, err)
		one, err := single.Forecast(t.Context())
		require.NoError(t, err)
		requests, lasts = requests+2*one.Requests, lasts+2*one.Lasts
	}
	throttled := errors.New("no")
	p.Run.Consent = func(ask run.Ask) error {
		assert.Truef(t, ask.Where == nowhere.String() && ask.Table == "loadgenloadgen…, new per run" && ask.Requests == requests && ask.Lasts == lasts,
			"asked for %+v; want what two runs of each design come to, %d requests in %v", ask, requests, lasts)
		return throttled
	}
	told, err := Contest(t.Context(), p)
	assert.Truef(t, told == nil && err == throttled, "%v, %v; want nothing, and why", told, err)
	p.Run.Consent = nil
	_, err = Contest(t.Context(), p)
	assert.ErrorIs(t, err, run.ErrConsent, "without anybody to ask")
	assert.NoDirExists(t, p.Run.Out)
}

// watcher has every document that a contest is shown as, and the line above it.
type watcher struct {
	compose func() (*document.Document, string)
	shown   []*document.Document
	says    []string
}

func (w *watcher) watch(compose func() (*document.Document, string)) func() {
	w.compose = compose
	w.look()
	return w.look
}

func (w *watcher) look() {
	d, says := w.compose()
	w.shown, w.says = append(w.shown, d), append(w.says, says)
}

// shapeOf is what may not change of a document that is shown anew.
func shapeOf(d *document.Document) string {
	blocks := func(list []document.Block) (shape string) {
		for _, b := range list {
			t := b.(document.Table)
			shape += fmt.Sprintf(" %s of %d", t.ID, len(t.Columns))
		}
		return shape
	}
	shape := blocks(d.Screen)
	for i := range d.Sections {
		shape += "; " + d.Sections[i].ID + blocks(d.Sections[i].Blocks)
	}
	return shape
}

// lookedAt checks what a watcher was shown of a contest of four runs of three seconds.
func lookedAt(t *testing.T, w *watcher, seen *Contested) {
	t.Helper()
	require.GreaterOrEqual(t, len(w.shown), 12, "documents of four runs of three seconds")
	offered, standing := false, false
	for i, d := range w.shown {
		assert.Equal(t, shapeOf(w.shown[0]), shapeOf(d), "the shape of the document")
		for _, row := range d.Sections[0].Blocks[0].(document.Table).Rows {
			offered = offered || row[3].Text == "trade" && row[6].Text != document.Untold
		}
		standing = standing || i < len(w.shown)-1 && strings.HasPrefix(d.Answer.Claim, "SO FAR: ")
		for _, row := range d.Screen[0].(document.Table).Rows {
			assert.Truef(t, strings.HasSuffix(row[5].Text, " of 2"), "%s has %q runs; want so many of 2", row[0].Text, row[5].Text)
		}
	}
	assert.Truef(t, offered && standing,
		"what a run is offered was told: %t, how the designs stand: %t; want both before the end", offered, standing)
	first, last := w.shown[0], w.shown[len(w.shown)-1]
	assert.Equal(t, "NOTHING TO TELL YET", first.Answer.Claim)
	assert.Equal(t, "the runs are over: the report is being made", w.says[len(w.says)-1])
	rows := last.Screen[0].(document.Table).Rows
	for i := range seen.Ranking {
		assert.Equal(t, []string{seen.Ranking[i].Design, "2 of 2"}, []string{rows[i][0].Text, rows[i][5].Text}, "row in the end")
	}
	assert.Empty(t, last.Sections[0].Blocks[0].(document.Table).Rows, "runs under way in the end")
}
