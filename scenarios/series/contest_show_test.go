package series

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/document"
)

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
		if of(seen) != of(unseen) {
			t.Errorf("looked at it comes to\n%s\nand otherwise to\n%s", of(seen), of(unseen))
		}
		if len(w.shown) < 12 {
			t.Fatalf("four runs of three seconds were shown %d times", len(w.shown))
		}
		offered, standing := false, false
		for i, d := range w.shown {
			if shapeOf(d) != shapeOf(w.shown[0]) {
				t.Errorf("the document is of the shape %s, and before of %s", shapeOf(d), shapeOf(w.shown[0]))
			}
			for _, row := range d.Sections[0].Blocks[0].(document.Table).Rows {
				offered = offered || row[3].Text == "trade" && row[6].Text != document.Untold
			}
			standing = standing || i < len(w.shown)-1 && strings.HasPrefix(d.Answer.Claim, "SO FAR: ")
			for _, row := range d.Screen[0].(document.Table).Rows {
				if runs := row[5].Text; !strings.HasSuffix(runs, " of 2") {
					t.Errorf("%s has %q runs; want so many of 2", row[0].Text, runs)
				}
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
			if rows[i][0].Text != seen.Ranking[i].Design || rows[i][5].Text != "2 of 2" {
				t.Errorf("in the end row %d is %v; want %s by 2 of 2 runs", i, rows[i], seen.Ranking[i].Design)
			}
		}
		if left := last.Sections[0].Blocks[0].(document.Table).Rows; len(left) > 0 {
			t.Errorf("in the end %d runs are still under way", len(left))
		}
	})
}
