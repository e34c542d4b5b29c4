package chart

import (
	"cmp"
	"fmt"
	"html/template"
	"image/color"
	"regexp"
	"strings"

	"gonum.org/v1/plot/vg"

	"loadgen/results"
)

// HeatArm is one design of a contest, with the record of a run.
type HeatArm struct {
	// Name is that of the design, Keys the template of its keys, and Says its outcome, in one line each.
	Name, Keys, Says string
	Record           *results.Record
}

// MostArms is the maximum number of designs in one picture.
const MostArms = 8

// maxContestRows is the maximum number of partitions that are drawn for a design.
const maxContestRows = 48

// DrawContest writes heat.png and heat.svg, the heat maps of at most eight designs with one scale of colours and one
// axis of time, and heat-NAME.png and heat-NAME.svg for each design. The throttled share fills each cell from below. It
// returns the names of the files; its error wraps results.ErrWrite.
func DrawContest(folder results.Folder, arms []HeatArm) ([]string, error) {
	names, err := save(folder, "heat", contestFigure(arms))
	taken := make(map[string]bool)
	for i := 0; i < len(arms) && err == nil; i++ {
		name := "heat-" + fileName(arms[i].Name)
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("heat-%s-%d", fileName(arms[i].Name), n)
		}
		taken[name] = true
		var written []string
		written, err = save(folder, name, contestFigure(arms[i:i+1]))
		names = append(names, written...)
	}
	return names, err
}

// InlineContest returns the heat maps of all designs for a page, as [Inline] does for a chart of a run. Its title is
// [ContestTitle]. Its error is that of drawing.
func InlineContest(arms []HeatArm) (template.HTML, error) {
	const columnWidth vg.Length = 520
	f := contestFigure(arms)
	f.width = columnWidth
	return encodeInline(f)
}

// fileName returns the name of a design as a portable file name.
func fileName(name string) string {
	const maxLength = 40
	other := regexp.MustCompile(`[^a-z0-9_-]`)
	return cmp.Or(other.ReplaceAllString(strings.ToLower(clean(name, maxLength-1)), "-"), "design")
}

// contestFigure draws the heat maps of designs.
func contestFigure(arms []HeatArm) *figure {
	f := newFigure("")
	f.title = ContestTitle(arms)
	if len(arms) == 0 {
		f.panels = []panel{noData("Designs", "no design was run")}
		return f
	}
	all := len(arms)
	arms = arms[:min(all, MostArms)]
	var grids []*grid
	longest, idle := 0., 0
	for i := range arms {
		g, dropped := reportedGrid(arms[i].Record)
		g.limitRows(maxContestRows)
		grids = append(grids, &g)
		idle += dropped
		if g.count > 0 {
			longest = max(longest, g.line.end()-g.line.begin())
		}
	}
	f.subtitle = say("subtitle contest", partSeparator, struct {
		Scenario         string
		All, Drawn, Idle int
	}{clean(arms[0].Record.Manifest.Scenario.Name, maxName), all, MostArms, idle})
	key := servedScale(arms[0].Record, grids...)
	f.key = []entry{{"entities served per second: " + key.words(), key}, {"throttled share; paler: few", swatch(throttledInk)}}
	for i := range arms {
		f.panels = append(f.panels, contestPanel(&arms[i], grids[i], key.scale, longest, len(arms)))
	}
	f.labelLast("time since the measured load began", 30)
	f.stack(headRoom + headingRow)
	return f
}

func contestPanel(arm *HeatArm, g *grid, scale shades, longest float64, arms int) panel {
	p := noData(clean(arm.Name, maxName), noPartitions)
	p.aside, p.says, p.share = clean(arm.Keys, 2*maxKey), cmp.Or(clean(arm.Says, 3*maxKey), "–"), 80
	if g.isEmpty() {
		return p
	}
	begin := g.line.begin()
	axis := timeline{{begin, begin + longest}}
	_, lanes := turnMarks(arm.Record, axis, 0)
	p.share = headingRow + saysRow + 10
	refusals := shades{tones: []color.Color{throttledInk, ink(0xFFE6D6)}, beyond: throttledInk, anchor: scale.anchor / 4}
	p.drawGrid(g, axis.axis(begin), &look{room: 300 / float64(max(arms, 2)), lanes: lanes, layer: layerServed, shade: g.stacked(refusals),
		maxLines: 24, scale: scale, others: []shades{refusals}, ground: true})
	p.addTurns(arm.Record, axis, 0)
	return p
}

// stacked returns the shades of cells that the throttled share fills from below, in a colour that is paler for fewer
// throttled entities, below the colour of what was served. A single throttled attempt is visible.
func (g *grid) stacked(refusals shades) func(row *gridRow, column int, height, partitions float64, scale shades) int {
	return func(row *gridRow, column int, height, partitions float64, scale shades) int {
		if share, missed := row.throttledShare(column); share > 0 && height <= share {
			return steps + refusals.step(g.perSecond(missed)/partitions)
		}
		return scale.step(g.perSecond(row.Served[column]) / partitions)
	}
}

// throttledShare returns the share of the demand in a cell that was throttled, and how much: of entities if the record
// has them, otherwise of attempts.
func (r *gridRow) throttledShare(column int) (share float64, missed int64) {
	demanded, served, throttled := r.Demanded[column], max(r.Served[column], 0), max(r.Throttled[column], 0)
	switch {
	case throttled == 0:
		return 0, 0
	case demanded > served:
		return float64(demanded-served) / float64(demanded), demanded - served
	default:
		return float64(throttled) / float64(throttled+served), throttled
	}
}

// ContestTitle names the designs under which something was throttled.
func ContestTitle(arms []HeatArm) string {
	var throttled []string
	for i := range arms {
		if g, _ := reportedGrid(arms[i].Record); g.count > 0 {
			if _, n, _ := g.Totals(); n > 0 {
				throttled = append(throttled, clean(arms[i].Name, maxName))
			}
		}
	}
	return say("title contest", "", struct {
		Throttled []string
		All       int
	}{throttled, len(arms)})
}
