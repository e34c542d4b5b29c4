package history

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"loadgen/report/compare"
	"loadgen/report/document"
)

// The maximum numbers of listed nights, series and unread runs, and of steps on one screen.
const (
	maxNights = 30
	maxSeries = 12
	maxUnread = 10
	maxSteps  = 4
)

// Report returns a document of the steps and the last nights of each scenario. Its Data is the
// JSON form.
func Report(h *Document) *document.Document {
	outcome := h.Outcome()
	state, _ := outcome.State()
	a := document.Answer{State: state}
	for i := range h.Scenarios {
		s := &h.Scenarios[i]
		if s.Outcome() != outcome {
			continue
		}
		if a.Claim == "" {
			s.claim(&a)
		}
		a.Says = append(a.Says, s.Sentence())
	}
	a.Claim = cmp.Or(a.Claim, "NO HISTORY")
	d := &document.Document{Title: "History", Answer: a, Data: h.json()}
	if len(h.Scenarios) == 1 {
		d.Title += " of " + h.Scenarios[0].Name
	} else if len(h.Scenarios) > 1 {
		t := document.NewTable("scenarios", "Scenarios", "scenario|words", "outcome|words", "runs")
		for i := range h.Scenarios {
			s := &h.Scenarios[i]
			state, _ := s.Outcome().State()
			t.Add(document.ToneOf(state), s.Name, s.Outcome(), s.Runs)
		}
		d.Show(t)
	}
	var steps []string
	for i := range h.Scenarios {
		steps = append(steps, h.Scenarios[i].screen(d, h.Metrics)...)
		h.Scenarios[i].sections(d, h.Metrics, i)
	}
	if len(steps) == 0 {
		steps = []string{fmt.Sprintf("Finding a step takes %d nights, three from the step on.", minNights)}
	}
	d.Show(document.Facts{Lines: steps, Max: maxSteps})
	var unread []string
	for i, one := range h.Unread {
		if i == maxUnread {
			unread = append(unread, fmt.Sprintf("%d more", len(h.Unread)-maxUnread))
			break
		}
		unread = append(unread, one.Name+": "+one.Reason)
	}
	d.Add("unread", "Unreadable runs", document.List{Items: unread})
	if len(unread) > 0 {
		d.Warnings = []string{document.Counted(len(h.Unread), "run") + " cannot be read: " + unread[0]}
	}
	return d
}

// claim sets the latest step of a scenario as the answer, or that there is none.
func (s *Scenario) claim(a *document.Answer) {
	nights := 0
	var metric compare.Metric
	var step Step
	for i := range s.Series {
		nights += len(s.Series[i].Nights)
		for _, t := range s.Series[i].Trends {
			for _, one := range t.Steps {
				if !one.Night.Before(step.Night) {
					metric, step = t.Metric, one
				}
			}
		}
	}
	switch s.Outcome() {
	case compare.Stepped:
		a.Number = changed(step.Change)
		a.Claim = "STEPS: " + metric.Name + " " + a.Number
		a.Beside = fmt.Sprintf("from %s to %s, p = %s", metric.Text(step.Before), metric.Text(step.After), document.Chance(step.P))
	case compare.NoStep:
		a.Number, a.Unit = document.Count(int64(nights)), "nights"
		a.Claim = "NO STEP in " + nightsIn(nights)
	case compare.TooFew:
		a.Number, a.Unit = document.Count(int64(nights)), "nights"
		a.Claim = "CANNOT TELL: " + nightsIn(nights)
	default:
		a.Claim = "NO HISTORY"
	}
}

// screen adds the last nights of the first scenario, and returns the steps.
func (s *Scenario) screen(d *document.Document, metrics []compare.Metric) []string {
	if s.Outcome() != compare.Inconclusive && len(d.Screen) == 0 {
		d.Show(s.Series[len(s.Series)-1].table("nights", metrics))
	}
	var steps []string
	if left := s.leftOut(); left != "" {
		steps = []string{s.Name + ": left out: " + left}
	}
	for i := range s.Series {
		for _, t := range s.Series[i].Trends {
			for n := range t.Steps {
				steps = append(steps, t.Steps[n].Sentence(t.Metric))
			}
		}
	}
	return steps
}

// sections adds the section of a scenario: its series with their steps, and the last nights.
func (s *Scenario) sections(d *document.Document, metrics []compare.Metric, number int) {
	id := fmt.Sprintf("scenario-%d", number+1)
	state, _ := s.Outcome().State()
	blocks := []document.Block{document.Paragraph{Text: s.Sentence(), Lead: true, Tone: document.ToneOf(state)}}
	say := func(text string) { blocks = append(blocks, document.Paragraph{Text: text}) }
	if s.Virtual {
		say("virtual time: only the program changes results")
	}
	if left := s.leftOut(); left != "" {
		say("left out: " + left)
	}
	first := max(0, len(s.Series)-maxSeries)
	if first > 0 {
		say(fmt.Sprintf("%d earlier series are not shown", first))
	}
	for i := first; i < len(s.Series); i++ {
		series := &s.Series[i]
		if len(s.Series) > 1 {
			heading := fmt.Sprintf("series %d: %s from %s on", i+1, nightsIn(len(series.Nights)), dated(series.Nights[0].Begun))
			say(strings.Join(append([]string{heading}, series.Differs...), "; "))
		}
		var items []string
		for t := range series.Trends {
			if len(series.Nights) >= 2 {
				items = append(items, series.Trends[t].sentences()...)
			}
		}
		blocks = append(blocks, document.List{Items: items})
	}
	if s.Outcome() != compare.Inconclusive {
		say("steps are found from their third night on")
		blocks = append(blocks, s.Series[len(s.Series)-1].table(id+"-nights", metrics))
	}
	d.Add(id, s.Name, blocks...)
}

// table returns the last nights of a series, with marks at steps.
func (s *Series) table(id string, metrics []compare.Metric) document.Table {
	columns := []string{"night (UTC)|words", "runs"}
	for _, m := range metrics {
		columns = append(columns, m.Name, "|words")
	}
	columns = append(columns, "what changed|words")
	t := document.NewTable(id, "The last nights", columns...)
	first := max(0, len(s.Nights)-maxNights)
	var before []string
	for _, night := range s.Nights[first:] {
		tone, values := document.Plain, make([]any, 0, 2*len(metrics))
		for m, metric := range metrics {
			mark := ""
			steps := s.Trends[m].Steps
			if at := slices.IndexFunc(steps, func(step Step) bool { return step.Night.Equal(night.Begun) }); at >= 0 {
				mark, tone = "← "+changed(steps[at].Change), document.Bad
			}
			values = append(values, metric.Text(night.Values[m]), mark)
		}
		changed := slices.DeleteFunc(slices.Clone(night.Causes), func(cause string) bool { return slices.Contains(before, cause) })
		t.Add(tone, dated(night.Begun), night.Runs, values, strings.Join(changed, ", "))
		before = night.Causes
	}
	if first > 0 {
		t.Notes = []string{fmt.Sprintf("the last %d of %d nights; --format csv has all", maxNights, len(s.Nights))}
	}
	return t
}
