package chart

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot"

	"loadgen/results"
)

// HeatArm is one design of a contest, with the record of a run.
type HeatArm struct {
	// Name is the design's, Keys what its keys are made of, and Says what it came to, in
	// one line each.
	Name, Keys, Says string
	Record           *results.Record
}

// mostArms is how many designs are drawn below one another.
const mostArms = 8

// mostContestRows is how many partitions of a design are drawn: where there are more, none
// of them is what the picture is about.
const mostContestRows = 48

// DrawContest writes heat.png and heat.svg, the heat maps of all designs below one another
// with one scale of colours and one axis of time, and for each design one of its own,
// heat-NAME.png and heat-NAME.svg. What was throttled is seen in the rows themselves: it
// fills each cell from below by its share. It returns the names of the files; its error
// wraps results.ErrWrite.
//
// Designs beyond the eighth have only files of their own.
func DrawContest(folder results.Folder, arms []HeatArm) ([]string, error) {
	list := []drawing{{"heat", contestFigure(arms)}}
	taken := make(map[string]bool)
	for i := range arms {
		name := "heat-" + fileName(arms[i].Name)
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("heat-%s-%d", fileName(arms[i].Name), n)
		}
		taken[name] = true
		f := contestFigure(arms[i : i+1])
		f.title = "Where the load went under " + clean(arms[i].Name, longestName)
		list = append(list, drawing{name, f})
	}
	return save(folder, list, "")
}

// fileName makes a design's name fit to be that of a file anywhere.
func fileName(name string) string {
	const longest = 40
	kept := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		default:
			return '-'
		}
	}, clean(name, longest-1))
	if kept == "" {
		return "design"
	}
	return kept
}

// contestFigure draws designs below one another.
func contestFigure(arms []HeatArm) *figure {
	f := &figure{title: "Where the load went, design by design",
		panels: []panel{{heading: "Designs", share: 1, sentence: "no data: no design was run"}}}
	if len(arms) == 0 {
		return f
	}
	f.subtitle = "one row a partition, in the order of keys"
	if scenario := clean(arms[0].Record.Manifest.Scenario.Name, longestName); scenario != "" {
		f.subtitle = "scenario " + scenario + "  ·  " + f.subtitle
	}
	if len(arms) > mostArms {
		f.subtitle += fmt.Sprintf("  ·  the first %d of %d designs", mostArms, len(arms))
		arms = arms[:mostArms]
	}
	grids := make([]Grid, len(arms))
	var all []*Grid
	end, idle := 0., 0
	for i := range arms {
		grids[i] = HeatGrid(arms[i].Record)
		idle += grids[i].dropIdle()
		grids[i].bound(mostContestRows)
		all = append(all, &grids[i])
		end = max(end, grids[i].end())
	}
	if idle > 0 {
		f.subtitle += "  ·  without " + counted(int64(idle), "partition that was", "partitions that were") + " next to idle"
	}
	scale, bar := servedScale(arms[0].Record, all...)
	bar.scale, bar.from = scale, "entities served per second: 0"
	f.key = &panel{bar: bar, legend: []entry{{"throttled, by its share; paler: few", swatch(throttledInk)}}}
	f.panels = nil
	f.height = headRoom + headingRow
	for i := range arms {
		p := contestPanel(&arms[i], &grids[i], scale, end, len(arms))
		if i == len(arms)-1 {
			p.below, p.share = "time since the start of the run", p.share+30
			if p.plot != nil {
				p.plot.X.Tick.Marker = plot.TickerFunc(clockTicks)
			}
		}
		f.panels = append(f.panels, p)
		f.height += p.share + panelGap
	}
	return f
}

// dropIdle takes those rows out of a picture that throttled nothing and served less than a
// thousandth of the hottest, such as the one of the mark that a run leaves in its table.
// It returns how many they were.
func (g *Grid) dropIdle() int {
	const idle = 1000
	hottest := g.hottest()
	if hottest < 0 {
		return 0
	}
	most, all := g.Rows[hottest].weight(), len(g.Rows)
	g.Rows = slices.DeleteFunc(g.Rows, func(r GridRow) bool {
		_, throttled, _ := r.Totals()
		return throttled == 0 && r.weight() < most/idle
	})
	return all - len(g.Rows)
}

func contestPanel(arm *HeatArm, g *Grid, scale shades, end float64, arms int) panel {
	p := panel{
		heading: clean(arm.Name, longestName), aside: clean(arm.Keys, 2*longestKey), says: clean(arm.Says, 3*longestKey),
		share: 80, sentence: "no data: the record does not tell partitions apart over time",
	}
	if p.says == "" {
		p.says = "–"
	}
	served, throttled, failed := g.Totals()
	if g.Columns == 0 || served+throttled+failed == 0 {
		return p
	}
	room := 300 / float64(max(arms, 2))
	b := newBands(g, room, laneOf(arm.Record, end, false), layerWeight)
	p.share = b.panelHeight(headingRow + saysRow + 10)
	p.plot = newPlot(unlabelled(clockAxis(end)), b.axis())
	p.plot.Add(b.ground(end))
	p.plot.Add(b.both(scale)...)
	p.addTurnsFrom(arm.Record, 0, end, 0, 3)
	return p
}
