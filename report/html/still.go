package html

import (
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"
)

// The still picture of a series, in its own units: pixels on a wide screen.
const (
	stillWidth  = 900.0
	stillHeight = 280.0
	stillLeft   = 64.0
	stillRight  = 12.0
	stillTop    = 26.0
	stillFoot   = 40.0
	// letter is about how wide one of 12 pixels is.
	letter = 6.6
)

// canvas is a picture under way.
type canvas struct {
	*plot
	svg strings.Builder
}

// still returns the picture of the plot. Its colours are those of the page's style.
func (p *plot) still(s *series) template.HTML {
	e := &canvas{plot: p}
	fmt.Fprintf(&e.svg, `<svg class="still" viewBox="0 0 %g %g" role="img" aria-labelledby="%s-name" aria-describedby="%s-says">`,
		stillWidth, stillHeight, s.ID, s.ID)
	e.heights(s.Unit)
	e.times()
	e.happenings()
	for i, values := range p.lines {
		fmt.Fprintf(&e.svg, `<path class="line %s dash-%d" d="%s"/>`, s.Lines[i].Meaning, s.Lines[i].Dash, e.path(values))
	}
	if p.level != nil && p.level.Value <= p.high && p.level.Value >= p.low {
		y := e.y(p.level.Value)
		fmt.Fprintf(&e.svg, `<path class="level" d="M%s %sH%s"/>`, short(stillLeft), short(y), short(stillWidth-stillRight))
		beside := y - 5
		if y-stillTop < 14 { // not among the names of the marks
			beside = y + 14
		}
		e.text("level-name", stillWidth-stillRight-4, beside, "end", words(p.level.Name)+" "+grouped(p.level.Value))
	}
	e.svg.WriteString("</svg>")
	return template.HTML(e.svg.String())
}

func (e *canvas) text(class string, x, y float64, anchor, content string) {
	fmt.Fprintf(&e.svg, `<text class="%s" x="%s" y="%s" text-anchor="%s">%s</text>`,
		class, short(x), short(y), anchor, template.HTMLEscapeString(content))
}

// heights draws the vertical axis: a hairline and a number at each tick, and the unit.
func (e *canvas) heights(unit string) {
	for _, v := range e.ticks() {
		y := e.y(v)
		fmt.Fprintf(&e.svg, `<path class="grid" d="M%s %sH%s"/>`, short(stillLeft), short(y), short(stillWidth-stillRight))
		e.text("tick", stillLeft-7, y+4, "end", grouped(v))
	}
	e.text("unit", 0, 13, "start", unit)
}

func (p *plot) ticks() []float64 {
	var at []float64
	if p.log {
		from, to := math.Round(math.Log10(p.low)), math.Round(math.Log10(p.high))
		for power := from; power <= to; power += math.Ceil((to - from) / 6) {
			at = append(at, math.Pow(10, power))
		}
		return at
	}
	step := tickStep(p.high-p.low, 5)
	for i := 0; i <= 12 && p.low+float64(i)*step <= p.high+step/2; i++ {
		at = append(at, p.low+float64(i)*step)
	}
	return at
}

func (e *canvas) times() {
	base := stillHeight - stillFoot
	fmt.Fprintf(&e.svg, `<path class="axis" d="M%s %sH%s"/>`, short(stillLeft), short(base), short(stillWidth-stillRight))
	step := timeStep(e.last - e.first)
	for i := 0; i <= 20; i++ {
		second := math.Ceil(e.first/step)*step + float64(i)*step
		if !(second <= e.last) {
			break
		}
		e.text("tick", e.x0(second), base+16, "middle", e.clock(second))
	}
	e.text("unit", (stillLeft+stillWidth-stillRight)/2, stillHeight-5, "middle", e.axisName())
}

func (p *plot) axisName() string {
	if p.long() {
		return "since the start of the run, minutes:seconds"
	}
	return "since the start of the run, s"
}

// timeStep returns the distance between instants at which the axis has a number: round
// in seconds, minutes or hours.
func timeStep(span float64) float64 {
	for _, step := range []float64{5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1200, 1800, 3600, 7200, 14400, 43200, 86400} {
		if span > 40 && span/step <= 10 {
			return step
		}
	}
	return tickStep(span, 10)
}

// happenings draws the marks, each with as many of its words as there is room for up to
// the next.
func (e *canvas) happenings() {
	free := math.Inf(-1)
	for _, m := range e.marks {
		if m.Second < e.first || m.Second > e.last {
			continue
		}
		x, class, label := e.x0(m.Second), "mark", "mark-name"
		if m.Balance {
			class, label = "mark balance", "balance-name"
		}
		fmt.Fprintf(&e.svg, `<path class="%s" d="M%s %sV%s"/>`, class, short(x), short(stillTop-6), short(stillHeight-stillFoot))
		name := clip(words(m.Text), 22)
		if wide := float64(len([]rune(name))) * letter; x > free && x+wide < stillWidth {
			e.text(label, x+3, stillTop-2, "start", name)
			free = x + wide + 8
		}
	}
}

// path returns a line through the numbers: where several fall onto the same column of
// the picture, through the first, the least, the greatest and the last of them, which is
// all that can be seen.
func (e *canvas) path(values []float64) string {
	var path strings.Builder
	pen := false
	for i := 0; i < len(values); {
		if math.IsNaN(values[i]) {
			pen = false
			i++
			continue
		}
		column, end := math.Floor(e.x0(e.x[i])), i+1
		for end < len(values) && !math.IsNaN(values[end]) && math.Floor(e.x0(e.x[end])) == column {
			end++
		}
		for _, k := range notable(values, i, end) {
			verb := "L"
			if !pen {
				verb, pen = "M", true
			}
			path.WriteString(verb + short(e.x0(e.x[k])) + " " + short(e.y(values[k])))
			if verb == "M" && (k+1 == len(values) || math.IsNaN(values[k+1])) {
				path.WriteString("h.01") // a point by itself: a dot of the line's width
			}
		}
		i = end
	}
	return path.String()
}

// notable returns the positions from from to to of the first, least, greatest and last
// number, in order and each once.
func notable(values []float64, from, to int) []int {
	first, last := span(values[from:to])
	var kept []int
	for _, k := range [4]int{from, from + first, from + last, to - 1} {
		if len(kept) == 0 || k > kept[len(kept)-1] {
			kept = append(kept, k)
		}
	}
	return kept
}

// x0 returns the place of an instant, y that of a number, which is held to the picture.
func (e *canvas) x0(second float64) float64 {
	return stillLeft + (second-e.first)/(e.last-e.first)*(stillWidth-stillLeft-stillRight)
}

func (e *canvas) y(v float64) float64 {
	share := (v - e.low) / (e.high - e.low)
	if e.log {
		share = math.Log(v/e.low) / math.Log(e.high/e.low)
	}
	return stillHeight - stillFoot - min(1, max(0, share))*(stillHeight-stillFoot-stillTop)
}

// short writes a place to a tenth of a pixel.
func short(v float64) string {
	return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64)
}

// clip returns a text of at most so many characters.
func clip(text string, most int) string {
	letters := []rune(text)
	if len(letters) <= most {
		return text
	}
	return string(letters[:most-1]) + "…"
}
