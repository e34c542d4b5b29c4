package chart

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"loadgen/results"
)

// HeatArm is one design of a contest, with the record of a run.
type HeatArm struct {
	// Name is that of the design, Keys the template of its keys, and Says its outcome, in one line each.
	Name, Keys, Says string
	Record           *results.Record
}

// MaxArms is the maximum number of designs in one picture.
const MaxArms = 8

// maxContestRows is the maximum number of partitions that are drawn for a design.
const maxContestRows = 48

// Contest returns the heat maps of designs, at most [MaxArms], with one scale of colours and one axis of time, as
// figure heat, and then that of each design, as heat-NAME. The throttled share fills each cell from below.
func Contest(arms []HeatArm) []*Figure {
	figures := []*Figure{contestFigure("heat", arms)}
	for i := range arms {
		name := "heat-" + fileName(arms[i].Name)
		for n := 2; Find(figures, name) != nil; n++ {
			name = fmt.Sprintf("heat-%s-%d", fileName(arms[i].Name), n)
		}
		figures = append(figures, contestFigure(name, arms[i:i+1]))
	}
	return figures
}

// fileName returns the name of a design as a portable file name.
func fileName(name string) string {
	const maxLength = 40
	other := regexp.MustCompile(`[^a-z0-9_-]`)
	return cmp.Or(other.ReplaceAllString(strings.ToLower(clean(name, maxLength-1)), "-"), "design")
}

// contestFigure draws the heat maps of designs. Its title names those under which something was throttled.
func contestFigure(name string, arms []HeatArm) *Figure {
	f := newFigure()
	f.Name, f.pageWidth = name, 520
	if len(arms) == 0 {
		f.panels = []panel{noData("Designs", "no design was run")}
		return f
	}
	evidence := struct {
		Scenario  string
		All, Idle int
		Throttled []string
	}{Scenario: clean(arms[0].Record.Manifest.Scenario.Name, maxName), All: len(arms)}
	var grids []*grid
	longest := 0.
	for i := range arms {
		g, idle := reportedGrid(arms[i].Record)
		if g.Totals().Throttled > 0 {
			evidence.Throttled = append(evidence.Throttled, clean(arms[i].Name, maxName))
		}
		g.limitRows(maxContestRows)
		grids = append(grids, &g)
		evidence.Idle += idle
		if g.count > 0 {
			longest = max(longest, g.line.end()-g.line.begin())
		}
	}
	f.Title, f.subtitle = joinPhrases("title contest", "", evidence), joinPhrases("subtitle contest", partSeparator, evidence)
	key := servedScale(arms[0].Record, grids...)
	f.key = []entry{{"entities served per second: " + key.words(), key}, throttledEntry}
	for i := range arms {
		f.panels = append(f.panels, contestPanel(&arms[i], grids[i], key, longest, len(arms)))
	}
	f.labelLast("time since the measured load began", 30)
	f.stack(headRoom + headingRow)
	return f
}

func contestPanel(arm *HeatArm, g *grid, scale shades, longest float64, arms int) panel {
	p := noData(clean(arm.Name, maxName), "the record has no load by partition over time")
	p.aside, p.says, p.share = clean(arm.Keys, 2*maxKey), cmp.Or(clean(arm.Says, 3*maxKey), "–"), 80
	if weight(g.Totals()) == 0 {
		return p
	}
	begin := g.line.begin()
	axis := timeline{{begin, begin + longest}}
	_, lanes := turnMarks(arm.Record, axis, 0)
	p.share = headingRow + saysRow + 10
	p.drawGrid(g, axis.axis(begin), scale, 300/float64(max(arms, 2)), lanes)
	p.addTurns(arm.Record, axis, 0)
	return p
}
