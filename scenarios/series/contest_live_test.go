package series

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

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

// In real time every run leaves its own record, no other profile is tried, and whoever
// keeps runs is told of each. The budget is that of all runs together: the run in which it is
// spent counts nothing, and the last may spend all that is left.
func TestContestInRealTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, kept := tradeOf(t, "40"), 0
		p.Run.Kept = func(results.Folder, *results.Record) error { kept++; return nil }
		c := contested(t, p)
		assert.Truef(t, len(c.Ranking) == 2 && c.Ranking[0].Sustained != nil && c.Ranking[0].Limited == 0 && c.Other == "" && c.Profile == "documented" && kept == 4,
			"contest %+v, of which %d runs were kept; want two designs of two runs each", c.Contest, kept)
		all := int64(0)
		for n, name := range []string{"day", "shop", "day-2", "shop-2"} {
			record, err := results.Read(results.Dir(filepath.Join(string(c.Folder), name)))
			if all += record.Summary.Attempts; err != nil || record.Manifest.Time != "real" || record.Manifest.Seed != seedOf(9, strings.TrimSuffix(name, "-2"), n/2) {
				t.Errorf("%s: %v; want the record of a run in real time", name, err)
			}
		}
		for budget, want := range map[int64]string{120: "Ended early, by 0 of 4 runs", all - 10: "Ended early, by 2 of 4 runs"} {
			p := tradeOf(t, "40")
			p.Run.Budget = budget
			c, err := Contest(context.Background(), p)
			assert.ErrorIs(t, err, run.ErrBudget)
			assert.Containsf(t, c.Verdict, want, "a budget of %d", budget)
		}
	})
}

// Runs that are late for want of workers are valid, and marked: the contest says so.
func TestContestOfLateRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := tradeOf(t, "400")
		p.Run.Scenario.Workers = 1
		c := contested(t, p)
		for i := range c.Ranking {
			if one := &c.Ranking[i]; one.Limited != 2 || one.Doubtful != 0 {
				t.Errorf("of %s %d runs are late and %d not valid; want 2 and none", one.Design, one.Limited, one.Doubtful)
			}
		}
		assert.Truef(t, strings.Contains(c.Verdict, " Client-limited: 4 of 4 runs") && !strings.Contains(c.Verdict, "Not valid"),
			"%s; want it to speak of late runs", c.Verdict)
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
		if single.Scenario, err = p.Run.Scenario.Under(design); err != nil {
			t.Fatal(err)
		}
		one, err := single.Forecast(t.Context())
		require.NoError(t, err)
		requests, lasts = requests+2*one.Requests, lasts+2*one.Lasts
	}
	throttled := errors.New("no")
	p.Run.Consent = func(ask run.Ask) error {
		assert.Truef(t, ask.Where == nowhere.String() && ask.Table == "loadgenloadgen…, a new one for each run" && ask.Requests == requests && ask.Lasts == lasts,
			"asked for %+v; want what two runs of each design come to, %d requests in %v", ask, requests, lasts)
		return throttled
	}
	told, err := Contest(context.Background(), p)
	assert.Truef(t, told == nil && err == throttled, "%v, %v; want nothing, and why", told, err)
	p.Run.Consent = nil
	if _, err := Contest(context.Background(), p); err != run.ErrConsent {
		t.Errorf("without anybody to ask: %v; want %v", err, run.ErrConsent)
	}
	if _, err := os.Stat(p.Run.Out); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder was made: %v", err)
	}
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

// A contest that is looked at says each second which runs are under way and how the designs
// stand, comes to what it comes to otherwise, and says so in the end.
func TestContestIsLookedAt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// Runs of several seconds are looked at between their first second and their last.
		plan := func() ContestPlan {
			p := tradeOf(t, "40")
			require.NoError(t, p.Run.Scenario.Set("phases.trade.for", "3s"))
			return p
		}
		unseen := contested(t, plan())
		p, w := plan(), new(watcher)
		p.Shown = w.watch
		seen := contested(t, p)
		of := func(c *Contested) string {
			text, err := json.Marshal(c.Contest)
			require.NoError(t, err)
			return string(text)
		}
		assert.Equal(t, of(unseen), of(seen), "the contest that is looked at, and otherwise")
		require.Truef(t, len(w.shown) >= 12, "four runs of three seconds were shown %d times", len(w.shown))
		offered, standing := false, false
		for i, d := range w.shown {
			assert.Equal(t, shapeOf(w.shown[0]), shapeOf(d), "the shape of the document")
			for _, row := range d.Sections[0].Blocks[0].(document.Table).Rows {
				offered = offered || row[3].Text == "trade" && row[6].Text != document.Untold
			}
			standing = standing || i < len(w.shown)-1 && strings.HasPrefix(d.Answer.Claim, "SO FAR: ")
			for _, row := range d.Screen[0].(document.Table).Rows {
				runs := row[5].Text
				assert.Truef(t, strings.HasSuffix(runs, " of 2"), "%s has %q runs; want so many of 2", row[0].Text, runs)
			}
		}
		assert.Truef(t, offered && standing,
			"what a run is offered was told: %t, how the designs stand: %t; want both before the end", offered, standing)
		first, last := w.shown[0], w.shown[len(w.shown)-1]
		if first.Answer.Claim != "NOTHING TO TELL YET" || w.says[len(w.says)-1] != "the runs are over: the report is being made" {
			t.Errorf("the first claim is %q, the last line %q", first.Answer.Claim, w.says[len(w.says)-1])
		}
		rows := last.Screen[0].(document.Table).Rows
		for i := range seen.Ranking {
			assert.Truef(t, rows[i][0].Text == seen.Ranking[i].Design && rows[i][5].Text == "2 of 2",
				"in the end row %d is %v; want %s by 2 of 2 runs", i, rows[i], seen.Ranking[i].Design)
		}
		left := last.Sections[0].Blocks[0].(document.Table).Rows
		assert.Emptyf(t, left, "in the end %d runs are still under way", len(left))
	})
}
