package html

import (
	"encoding/json"
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"

	"loadgen/report/document"
)

// plot is a series made ready to be drawn: instants in order, numbers that the axis can
// show, and the axis. A gap is NaN.
type plot struct {
	x     []float64
	lines [][]float64
	log   bool
	// unshown is how many numbers a logarithmic axis has no place for.
	unshown int
	// skipped is how many instants have no place on the axis of time.
	skipped     int
	low, high   float64
	first, last float64
	level       *document.Level
	marks       []document.Mark
}

// mostSeconds is as far as an instant may be from the start of a run: some 30 million
// years, up to which an axis can be divided.
const mostSeconds = 1e15

// newPlot returns the plot of a series, of which stretches of that many instants become
// two: the least and the greatest number of the stretch, in the order in which they
// were. A stretch of 1 leaves all as they are.
func newPlot(b *document.Series, stretch int) *plot {
	p := &plot{log: b.Log && positive(b.Lines)}
	kept := make([]int, 0, len(b.Seconds))
	for i, second := range b.Seconds {
		if math.Abs(second) <= mostSeconds && (len(p.x) == 0 || second > p.x[len(p.x)-1]) {
			p.x, kept = append(p.x, second), append(kept, i)
		}
	}
	p.skipped = len(b.Seconds) - len(kept)
	for _, l := range b.Lines {
		values := make([]float64, len(kept))
		for i, k := range kept {
			values[i] = math.NaN()
			switch {
			case k >= len(l.Values) || l.Values[k] == nil || !finite(*l.Values[k]):
			case p.shows(*l.Values[k]):
				values[i] = *l.Values[k]
			default:
				p.unshown++
			}
		}
		p.lines = append(p.lines, values)
	}
	if stretch > 1 {
		p.thin(stretch)
	}
	if b.Level != nil && p.shows(b.Level.Value) {
		p.level = new(*b.Level)
	}
	p.scale()
	return p
}

// positive says that a logarithmic axis has something to show, or that there is nothing
// at all: a line of zeros is seen on a plain one.
func positive(lines []document.Line) bool {
	none := true
	for i := range lines {
		for _, v := range lines[i].Values {
			if v != nil && finite(*v) {
				if *v > 0 {
					return true
				}
				none = false
			}
		}
	}
	return none
}

// shows says whether the axis has a place for a number: a logarithmic one has none for
// what is not positive.
func (p *plot) shows(v float64) bool { return finite(v) && (!p.log || v > 0) }

// thin merges stretches of instants into two each.
func (p *plot) thin(stretch int) {
	lines := make([][]float64, len(p.lines))
	var x []float64
	for from := 0; from < len(p.x); from += stretch {
		to := min(from+stretch, len(p.x))
		if to-from < 3 {
			x = append(x, p.x[from:to]...)
			for i, values := range p.lines {
				lines[i] = append(lines[i], values[from:to]...)
			}
			continue
		}
		x = append(x, p.x[from], p.x[to-1])
		for i, values := range p.lines {
			earlier, later := extremes(values[from:to])
			lines[i] = append(lines[i], earlier, later)
		}
	}
	p.x, p.lines = x, lines
}

// extremes returns the least and the greatest number in the order in which they stand,
// NaN where there is none.
func extremes(values []float64) (earlier, later float64) {
	first, last := span(values)
	if first < 0 {
		return math.NaN(), math.NaN()
	}
	return values[first], values[last]
}

// span returns where the least and the greatest value stand, in their order; −1 where none is told.
func span(values []float64) (first, last int) {
	least, most := -1, -1
	for i, v := range values {
		if math.IsNaN(v) {
			continue
		}
		if least < 0 || v < values[least] {
			least = i
		}
		if most < 0 || v > values[most] {
			most = i
		}
	}
	return min(least, most), max(least, most)
}

// levelReach is how many times the greatest number a level may be and still be drawn:
// beyond, the numbers would lie flat on the axis.
const levelReach = 4

func (p *plot) scale() {
	least, most := math.Inf(1), math.Inf(-1)
	for _, values := range p.lines {
		for _, v := range values {
			if !math.IsNaN(v) {
				least, most = min(least, v), max(most, v)
			}
		}
	}
	if p.level != nil && (math.IsInf(most, -1) || p.level.Value <= levelReach*most) {
		least, most = min(least, p.level.Value), max(most, p.level.Value)
	}
	switch {
	case p.log:
		p.low, p.high = decades(least, most)
	case math.IsInf(most, -1):
		p.low, p.high = 0, 1
	default:
		p.low, p.high = min(0, least), max(0, most)
		if p.low == p.high {
			p.high = 1
		}
		step := tickStep(p.high-p.low, 5)
		p.low, p.high = math.Floor(p.low/step)*step, math.Ceil(p.high/step)*step
	}
	if !finite(p.high - p.low) { // numbers at the very ends of what a float can hold
		p.low, p.high = -math.MaxFloat64/4, math.MaxFloat64/4
	}
	p.first, p.last = 0, 1
	if n := len(p.x); n > 0 {
		p.first, p.last = min(0, p.x[0]), p.x[n-1]
		if p.last <= p.first {
			p.last = p.first + 1
		}
	}
}

// decades returns powers of ten around two numbers.
func decades(least, most float64) (low, high float64) {
	if math.IsInf(most, -1) {
		return 1, 10
	}
	from, to := math.Floor(math.Log10(least)), math.Ceil(math.Log10(most))
	if from == to {
		to++
	}
	return math.Pow(10, max(from, -300)), math.Pow(10, min(to, 300))
}

// tickStep returns 1, 2 or 5 times a power of ten that divides a span into about that
// many parts.
func tickStep(span float64, parts int) float64 {
	rough := span / float64(parts)
	power := math.Pow(10, math.Floor(math.Log10(rough)))
	for _, factor := range []float64{1, 2, 5} {
		if factor*power >= rough {
			return factor * power
		}
	}
	return 10 * power
}

// grouped writes a number with its thousands apart, to at most six digits of which none
// is a trailing zero behind the point.
func grouped(v float64) string {
	if math.Abs(v) >= 1e15 || v != 0 && math.Abs(v) < 1e-4 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	whole, fraction, _ := strings.Cut(strconv.FormatFloat(v, 'f', max(0, 5-digits(v)), 64), ".")
	sign := ""
	if whole[0] == '-' {
		sign, whole = "−", whole[1:]
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if fraction = strings.TrimRight(fraction, "0"); fraction != "" {
		whole += "." + fraction
	}
	return sign + whole
}

func digits(v float64) int {
	if math.Abs(v) < 1 {
		return 0
	}
	return int(math.Log10(math.Abs(v)))
}

// long says that the axis of time is told in minutes.
func (p *plot) long() bool { return p.last-p.first > 180 }

// clock writes an instant as the axis does: whole or broken seconds, or minutes:seconds.
func (p *plot) clock(second float64) string {
	if !p.long() || math.Abs(second) > 1e9 {
		return grouped(second)
	}
	sign := ""
	if second < 0 {
		sign, second = "−", -second
	}
	minutes := math.Floor(second / 60)
	rest := strconv.FormatFloat(second-minutes*60, 'f', 3, 64)
	rest = strings.TrimSuffix(strings.TrimRight(rest, "0"), ".")
	if point := strings.IndexByte(rest+".", '.'); point < 2 {
		rest = "0" + rest
	}
	return fmt.Sprintf("%s%.0f:%s", sign, minutes, rest)
}

// data returns what the script draws, as JSON that is safe within a page: <, > and & and
// the line ends that JavaScript knows are escaped.
func (p *plot) data(s *series) template.JS {
	type shownMark struct {
		X       float64 `json:"x"`
		Text    string  `json:"text"`
		Balance bool    `json:"balance,omitempty"`
	}
	type shownLevel struct {
		Name  string  `json:"name"`
		Value float64 `json:"value"`
	}
	shown := struct {
		Unit  string      `json:"unit"`
		Log   bool        `json:"log"`
		Long  bool        `json:"long"`
		Range [2]float64  `json:"range"`
		Ticks numbers     `json:"ticks"`
		Span  [2]float64  `json:"span"`
		Level *shownLevel `json:"level"`
		Marks []shownMark `json:"marks"`
		Lines []line      `json:"lines"`
		X     numbers     `json:"x"`
		Y     []numbers   `json:"y"`
	}{Unit: s.Unit, Log: p.log, Long: p.long(), Range: [2]float64{p.low, p.high}, Ticks: p.ticks(), Span: [2]float64{p.first, p.last},
		Lines: s.Lines, X: p.x}
	if p.level != nil {
		shown.Level = &shownLevel{words(p.level.Name), p.level.Value}
	}
	for _, m := range p.marks {
		shown.Marks = append(shown.Marks, shownMark{m.Second, words(m.Text), m.Balance})
	}
	for _, values := range p.lines {
		shown.Y = append(shown.Y, values)
	}
	text, err := json.Marshal(shown)
	if err != nil {
		panic("html: a plot holds a number that JSON has not: " + err.Error())
	}
	return template.JS(text)
}

// numbers are written as short as they can be read back, NaN as null.
type numbers []float64

// MarshalJSON implements json.Marshaler.
func (n numbers) MarshalJSON() ([]byte, error) {
	text := make([]byte, 0, 2+6*len(n))
	text = append(text, '[')
	for i, v := range n {
		if i > 0 {
			text = append(text, ',')
		}
		if math.IsNaN(v) {
			text = append(text, "null"...)
			continue
		}
		text = strconv.AppendFloat(text, v, 'g', -1, 64)
	}
	return append(text, ']'), nil
}
