package html_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"loadgen/report/document"
)

// byClass returns the elements that have a class.
func byClass(root *html.Node, class string) (found []*html.Node) {
	for _, n := range all(root) {
		if strings.Contains(" "+attribute(n, "class")+" ", " "+class+" ") {
			found = append(found, n)
		}
	}
	return found
}

// Four states have three colours and marks; what answers nothing has neither.
func TestAStateHasItsColourAndMark(t *testing.T) {
	for _, row := range []struct{ name, state, class, mark string }{
		{"a key that holds", document.Holds, "good", "✓"},
		{"a claim that does not", document.DoesNotHold, "bad", "✗"},
		{"a partition that saturates", document.Saturates, "bad", "✗"},
		{"what cannot be told", document.CannotTell, "doubtful", "?"},
		{"no question", "", "plain", ""},
	} {
		root := parsed(t, rendered(t, &document.Document{Answer: document.Answer{State: row.state, Claim: "IT IS SO"}}, nil))
		states := byClass(root, "state")
		require.Truef(t, len(states) == 1 && attribute(states[0], "class") == "state "+row.class,
			"%s: %d boxes, of class %q; want one of %q", row.name, len(states), attribute(states[0], "class"), row.class)
		if signs := byClass(states[0], "sign"); (row.mark == "") != (len(signs) == 0) || row.mark != "" && said(signs[0]) != row.mark {
			t.Errorf("%s: the box says %q; want the mark %q", row.name, said(states[0]), row.mark)
		}
	}
}

func TestClaimIsSplitAroundItsNumber(t *testing.T) {
	for _, row := range []struct{ name, claim, number, unit, want string }{
		{"state, number and unit", "SATURATES at 1,999 entities/s", "1,999", "entities/s", "SATURATES at|1,999entities/s"},
		{"text follows", "HOLDS 500/s for 2 minutes", "500/s", "", "HOLDS|500/s|for 2 minutes"},
		{"a separator follows", "SATURATES at 9 ms; 4 pass", "9", "ms", "SATURATES at|9ms|4 pass"},
		{"no number", "CANNOT TELL", "", "", "CANNOT TELL"},
		{"a claim that begins with its number", "2 of 4 HOLD", "2 of 4", "", "2 of 4|HOLD"},
		{"a number that the claim has not", "HOLDS", "12", "ms", "HOLDS|12ms"},
	} {
		root := parsed(t, rendered(t, &document.Document{Answer: document.Answer{Claim: row.claim, Number: row.number, Unit: row.unit}}, nil))
		var parts []string
		for _, p := range all(byClass(root, "state")[0], "p") {
			parts = append(parts, strings.TrimSpace(said(p)))
		}
		assert.Equalf(t, row.want, strings.Join(parts, "|"), "%s: what the box says", row.name)
		assert.Equalf(t, row.claim, said(all(root, "title")[0]), "%s: the page is called", row.name)
	}
}

// The figure that answers stands beside the answer, and nowhere a second time.
func TestTheAnsweringFigureStandsOnce(t *testing.T) {
	still := document.Chart{ID: "steps", Title: "Served bends", Shows: []string{"entities"}}
	series := document.Series{ID: "entities", Title: "Entities", Seconds: clockOf(2), Lines: []document.Line{line(1, 2)}}
	table := document.Table{ID: "t", Columns: []document.Column{{Title: "a"}}, Rows: [][]document.Cell{{{Text: "1"}}}}
	for _, row := range []struct {
		name             string
		screen, section  []document.Block
		charts, plots    int
		beside, reminder string
	}{
		{"a chart below a table", []document.Block{table, still}, []document.Block{still}, 1, 0, "Served bends", "Served bends"},
		{"a series that the chart shows too", []document.Block{still}, []document.Block{series}, 1, 0, "Served bends", "Served bends"},
		{"a series", []document.Block{series}, []document.Block{series, still}, 1, 1, "Entities", "Entities"},
		{"none on the screen", []document.Block{table}, []document.Block{still}, 1, 0, "", ""},
	} {
		d := &document.Document{Answer: document.Answer{Claim: "IT HOLDS"}, Screen: row.screen, Sections: []document.Section{{Title: "All", Blocks: row.section}}}
		root := parsed(t, rendered(t, d, drawn()))
		if c, p := len(byClass(root, "chart")), len(byClass(root, "series")); c != row.charts || p != row.plots {
			t.Errorf("%s: %d charts and %d series; want %d and %d", row.name, c, p, row.charts, row.plots)
		}
		beside := ""
		for _, h := range all(byClass(root, "hero")[0], "h3") {
			beside += said(h)
		}
		assert.Equalf(t, row.beside, beside, "%s: beside the answer stands", row.name)
		if again := "Shown above: " + row.reminder; row.reminder != "" && !strings.Contains(said(root), again) {
			t.Errorf("%s: the section does not say %q", row.name, again)
		}
	}
}
