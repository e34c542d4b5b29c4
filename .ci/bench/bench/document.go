package bench

import (
	"fmt"
	"strconv"
	"strings"

	"loadgen/report/document"
)

// Document says what was measured: what meets its aim and what does not on one screen, then each
// group whole.
func (r *Report) Document() *document.Document {
	d := &document.Document{Title: "bench", Subtitle: r.subtitle(), Answer: r.answer(), Data: r}
	if aims := r.aims(false); len(aims.Rows) > 0 {
		d.Screen = append(d.Screen, aims)
	}
	d.Screen = append(d.Screen, document.Facts{Lines: r.facts()})
	if len(r.Held) > 0 {
		d.Screen = append(d.Screen, r.comparisonTable())
	}
	d.Add("aims", "Aims", r.aims(true), document.List{Items: r.Notes})
	if len(r.Held) > 0 {
		d.Add("held", "Comparison with previous report", r.comparisonTable())
	}
	for _, group := range r.Groups {
		d.Add(group, groupTitle(group), r.group(group))
	}
	d.Add("growth", "How cost grows", r.growth())
	d.Add("machine", "Load by other processes", document.Paragraph{Text: r.Taken.describe(r.Cores)})
	return d
}

func (r *Report) subtitle() string {
	words := fmt.Sprintf("%s · %s · %s · %s · %s in %s", r.Tool.Version, r.Tool.System, r.Tool.Go,
		document.Counted(r.CPUs, "CPU"), document.Counted(r.Rounds, "round"), document.Minutes(r.Lasted))
	if r.Quick {
		words += " · quick"
	}
	return words
}

// answer says how many aims are met, and what misses its own by most.
func (r *Report) answer() document.Answer {
	met, missed, doubtful := 0, 0, 0
	var worst *Judged
	for i := range r.Aims {
		j := &r.Aims[i]
		switch j.tone() {
		case document.Good:
			met++
		case document.Doubtful:
			doubtful++
		case document.Bad:
			if missed++; worst == nil || j.missed() > worst.missed() {
				worst = j
			}
		}
	}
	if regressed := r.regressed(); regressed != "" {
		a := document.Claimed(document.DoesNotHold, ": "+regressed, "", "", "")
		a.Says = []string{r.Taken.describe(r.Cores)}
		return a
	}
	a := document.Claimed("", fmt.Sprintf("%s met, %d missed", document.Counted(met, "aim"), missed), "", "", "")
	if doubtful > 0 {
		a.Claim += fmt.Sprintf(", %d inconclusive", doubtful)
	}
	if len(r.Figures) == 0 {
		a.Claim = "nothing was measured"
	} else if met+missed+doubtful == 0 {
		a.Claim = document.Counted(len(r.Figures), "figure") + " measured, without aims"
	}
	if worst != nil {
		a.Says = append(a.Says, fmt.Sprintf("Farthest from its aim: %s, %s instead of %s.", worst.Says, worst.value(), worst.bound()))
	}
	a.Says = append(a.Says, r.Taken.describe(r.Cores))
	return a
}

// tone is what was measured of an aim: good where it is met, doubtful where the interval holds
// the bound, plain where it was not measured.
func (j *Judged) tone() document.Tone {
	switch {
	case j.Met == nil:
		return document.Plain
	case j.Doubtful:
		return document.Doubtful
	case *j.Met:
		return document.Good
	default:
		return document.Bad
	}
}

// missed is by which factor an aim is missed.
func (j *Judged) missed() float64 {
	if j.AtLeast {
		return j.Bound / *j.Value
	}
	return *j.Value / j.Bound
}

// value writes what was measured in the unit of the aim.
func (j *Judged) value() string {
	if j.Value == nil {
		return document.Untold
	}
	return withUnit(*j.Value, j.Unit)
}

func (j *Judged) bound() string {
	if j.AtLeast {
		return "≥ " + withUnit(j.Bound, j.Unit)
	}
	return "≤ " + withUnit(j.Bound, j.Unit)
}

// multiple returns how many times as much something is, to hundredths, from ten on to tenths.
func multiple(ratio float64) string {
	if ratio >= 9.995 {
		return strconv.FormatFloat(ratio, 'f', 1, 64)
	}
	return strconv.FormatFloat(ratio, 'f', 2, 64)
}

// times is [multiple] with its sign.
func times(ratio float64) string { return multiple(ratio) + " ×" }

// withUnit writes a value with its unit, or a multiple.
func withUnit(value float64, unit string) string {
	if unit == "" {
		return times(value)
	}
	return document.Figures(value) + " " + unit
}

// between writes the interval of a multiple, empty for none.
func between(bounds *[2]float64) string {
	return document.Optional(bounds, func(b [2]float64) string { return multiple(b[0]) + "–" + multiple(b[1]) })
}

func (r *Report) aims(whole bool) document.Table {
	t := document.NewTable("aims", "Figures and aims", "|words", "measured", "95%|spare=1", "aim", "|words", "what bounds it|words|optional")
	bounds := map[string]string{}
	for _, a := range Aims() {
		bounds[a.Of] = a.is
	}
	for i := range r.Aims {
		j := &r.Aims[i]
		if j.Value == nil && !whole {
			continue
		}
		tone, bound := j.tone(), ""
		if whole {
			bound = bounds[j.Of]
		}
		t.Add(j.Says, j.value(), between(j.Interval), j.bound(), tone, tone.Sign(), bound)
	}
	return t.WithoutEmpty()
}

// facts are what goes with the aims on a screen.
func (r *Report) facts() []string {
	lines := append([]string{}, r.Notes...)
	missing := map[string]bool{}
	var names []string
	for _, j := range r.Aims {
		group, _, _ := strings.Cut(j.Of, "/")
		if j.Value == nil && !missing[group] {
			missing[group] = true
			names = append(names, group)
		}
	}
	if len(names) > 0 {
		lines = append(lines, "not all measured: "+strings.Join(names, ", ")+" (bench"+wanted(missing)+" "+strings.Join(names, " ")+")")
	}
	return append(lines, "--verbose has every figure, --out chart and JSON")
}

// wanted are the flags that what is missing needs.
func wanted(missing map[string]bool) string {
	words := ""
	if missing[GroupServer] {
		words += " -peers"
	}
	if missing[GroupEngine] {
		words += " -large"
	}
	return words
}

// describe describes the share of the machine that other processes used.
func (t *Taken) describe(cores int) string {
	if t.Got == 0 {
		return "Load by other processes is unknown: commands run once."
	}
	words := fmt.Sprintf("Of %s it got %s at full load, at worst %s", document.Counted(cores, "core"), document.Share(t.Got), document.Share(t.Least))
	if t.Others != nil {
		words += fmt.Sprintf("; others used %s meanwhile", document.Decimals(*t.Others, 2))
	}
	if t.Got < quietShare {
		words += ": busy, so throughputs say little"
	}
	return words + "."
}

// quietShare is how much of its cores a process has to get for a machine to be called quiet.
const quietShare = .9

func groupTitle(group string) string {
	return map[string]string{
		GroupServer: "Server process CPU", GroupDriver: "The client, flat out", GroupPacing: "Client at full speed",
		GroupSimulator: "Virtual time", GroupEngine: "Engine in process", GroupRecord: "Recorder, merge, page, help", GroupCommands: "Whole commands",
	}[group]
}

// group is a table of all figures of a group, with the ratios to others.
func (r *Report) group(group string) document.Table {
	t := document.NewTable("figures-"+group, groupTitle(group), "what|words", "at|words", "whose|words", "median", "each", "a second", "allocations", "to others|words")
	for i := range r.Figures {
		f := &r.Figures[i]
		if f.Group != group {
			continue
		}
		each, rate := "", ""
		if f.Per > 0 {
			each = document.Figures(f.Median/float64(f.Per)) + " by " + f.Thing
		}
		if f.PerSecond > 0 {
			rate = document.Rate(f.PerSecond)
		}
		allocations := document.Optional(f.Allocations, func(n float64) string { return document.Decimals(n, 1) })
		t.Add(f.What, f.At, f.Of, document.Figures(f.Median)+" "+f.Unit, each, rate, allocations, r.ratiosText(f))
	}
	return t
}

// ratiosText writes the ratios of a figure to others.
func (r *Report) ratiosText(f *Figure) string {
	var words []string
	for i := range r.Ratios {
		q := &r.Ratios[i]
		if q.Cell == f.Cell && q.To != q.At && compared(q.Of, q.To) {
			said := times(q.Median) + " " + q.To
			if q.Interval != nil {
				said += " (" + between(q.Interval) + ")"
			}
			words = append(words, said)
		}
	}
	return strings.Join(words, ", ")
}

// growth is a table of how figures grow with load and size.
func (r *Report) growth() document.Table {
	t := document.NewTable("growth", "Other loads and sizes", "what|words", "at|words", "to|words", "ratio", "95%")
	for i := range r.Ratios {
		q := &r.Ratios[i]
		if !compared(q.Of, q.To) {
			t.Add(q.What, q.At, q.To, times(q.Median), between(q.Interval))
		}
	}
	return t
}
