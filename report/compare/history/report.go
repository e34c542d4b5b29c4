package history

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"loadgen/report/compare"
	"loadgen/report/document"
)

// How many nights, series and unread runs are told of one by one, and how many sentences a
// screen shows.
const (
	shownNights = 30
	shownSeries = 12
	shownUnread = 10
	shownSteps  = 4
)

// Report says what a history comes to: which metric steps, when and by how much, and the
// last nights of each scenario. Its Data is the JSON form.
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
	d := &document.Document{Title: "History", Answer: a, Data: h.told()}
	if len(h.Scenarios) == 1 {
		d.Title += " of " + h.Scenarios[0].Name
	} else if len(h.Scenarios) > 1 {
		t := document.NewTable("scenarios", "Scenarios", "scenario|words", "comes to|words", "runs")
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
		steps = []string{fmt.Sprintf("A step shows in %d nights or more, from its third night on.", FewestNights)}
	}
	d.Show(document.Facts{Lines: steps, Max: shownSteps})
	var unread []string
	for i, one := range h.Unread {
		if i == shownUnread {
			unread = append(unread, fmt.Sprintf("%d more", len(h.Unread)-shownUnread))
			break
		}
		unread = append(unread, one.Name+": "+one.Reason)
	}
	d.Add("unread", "Unreadable runs", document.List{Items: unread})
	if len(unread) > 0 {
		d.Warnings = []string{document.Counted(len(h.Unread), "run") + " cannot be read, the first of which is " + unread[0]}
	}
	return d
}

// claim says what a scenario comes to: its latest step, or that there is none.
func (s *Scenario) claim(a *document.Answer) {
	nights := 0
	var metric Metric
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
		a.Claim = "STEPS: " + metric.String() + " " + a.Number
		a.Beside = fmt.Sprintf("from %s to %s, p = %s", metric.Told(step.Before), metric.Told(step.After), document.Chance(step.P))
	case compare.NoStep:
		a.Number, a.Unit = document.Count(int64(nights)), "nights"
		a.Claim = "NO STEP in " + nightsIn(nights)
	case compare.TooFew:
		a.Number, a.Unit = document.Count(int64(nights)), "nights"
		a.Claim = "CANNOT TELL whether it steps in " + nightsIn(nights)
	default:
		a.Claim = "NO HISTORY"
	}
}

// screen adds the last nights of a scenario that is alone, and returns its steps.
func (s *Scenario) screen(d *document.Document, metrics []Metric) []string {
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

// sections adds what there is to say of a scenario, the number-th: its series with their
// steps, and the last nights.
func (s *Scenario) sections(d *document.Document, metrics []Metric, number int) {
	id := fmt.Sprintf("scenario-%d", number+1)
	state, _ := s.Outcome().State()
	blocks := []document.Block{document.Paragraph{Text: s.Sentence(), Lead: true, Tone: document.ToneOf(state)}}
	say := func(text string) { blocks = append(blocks, document.Paragraph{Text: text}) }
	if s.Virtual {
		say("all runs are in virtual time, where nothing but a change of the program makes nights differ")
	}
	if left := s.leftOut(); left != "" {
		say("left out: " + left)
	}
	first := max(0, len(s.Series)-shownSeries)
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
			if len(series.Nights) >= 2 { // what there is to say of one night has been said
				items = append(items, series.Trends[t].sentences()...)
			}
		}
		blocks = append(blocks, document.List{Items: items})
	}
	if s.Outcome() != compare.Inconclusive {
		say("a step shows from its third night on at the soonest")
		blocks = append(blocks, s.Series[len(s.Series)-1].table(id+"-nights", metrics))
	}
	d.Add(id, s.Name, blocks...)
}

// table is the last nights of a series, and beside a metric where it steps.
func (s *Series) table(id string, metrics []Metric) document.Table {
	columns := []string{"night (UTC)|words", "runs"}
	for _, m := range metrics {
		columns = append(columns, m.String(), "|words")
	}
	t := document.NewTable(id, "The last nights", columns...)
	first := max(0, len(s.Nights)-shownNights)
	for _, night := range s.Nights[first:] {
		tone, values := document.Plain, make([]any, 0, 2*len(metrics))
		for m, metric := range metrics {
			mark := ""
			steps := s.Trends[m].Steps
			if at := slices.IndexFunc(steps, func(step Step) bool { return step.Night.Equal(night.Begun) }); at >= 0 {
				mark, tone = "← "+changed(steps[at].Change), document.Bad
			}
			values = append(values, metric.Told(night.Values[m]), mark)
		}
		t.Add(tone, dated(night.Begun), night.Runs, values)
	}
	if first > 0 {
		t.Notes = []string{fmt.Sprintf("the last %d nights, of %d; --format csv has all", shownNights, len(s.Nights))}
	}
	return t
}
