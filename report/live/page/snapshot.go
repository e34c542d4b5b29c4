package page

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"loadgen/report/document"
	"loadgen/report/live"
	"loadgen/results"
)

// snapshot is the content of the page at an instant.
type snapshot struct {
	run      *Run
	status   *live.Status
	samples  []sample
	each     int
	measured time.Duration
	marks    []document.Mark
	health   results.Health
	heat     document.Table
	queries  []results.QueryShape
	viewers  int
	dropped  int64
}

// document returns the content as a document of constant shape.
func (s *snapshot) document() *document.Document {
	rates := s.series("rates", "Offered, served, throttled", "per second", "Entities due, entities served, and attempts throttled.",
		line(s.samples, "offered", document.Offered, func(one *sample) *float64 { return &one.offered }),
		line(s.samples, "served", document.Served, func(one *sample) *float64 { return &one.served }),
		line(s.samples, "attempts throttled", document.Throttled, func(one *sample) *float64 { return &one.throttled }))
	times := s.series("response", "Response times", "ms", "Successful operations of the last ten seconds, from when each was due.",
		line(s.samples, "p50", document.First, func(one *sample) *float64 { return one.p50 }),
		line(s.samples, "p99", document.Second, func(one *sample) *float64 { return one.p99 }))
	times.Log = true
	says := "Cores in use, and operations sent late."
	if len(s.status.Members) > 0 {
		says = "Leader's cores in use, and operations that members sent late."
	}
	load := s.series("load", "Load of the generator", "%", says,
		line(s.samples, "CPU", document.First, func(one *sample) *float64 { return one.cpu }),
		line(s.samples, "sent late", document.Failed, func(one *sample) *float64 { return one.late }))
	last := document.Section{ID: "generator", Title: "The generator", Blocks: []document.Block{s.generator(), load}}
	if len(s.status.Members) > 0 {
		last.Blocks[0] = s.fleet()
	}
	if s.run.Queries != nil {
		t := document.NewTable("shapes", "Queries with the most scanned entities", "query|words", "table|words|spare=1", "pages|count",
			"scanned|count|unit=entities", "returned|count|unit=entities", "throttled|count")
		t.Notes = []string{"Every scanned entity counts. Filters are shown without literals."}
		for _, q := range s.queries {
			t.Add(filterOf(q.Shape, q.Class), q.Table, q.Requests, q.Scanned, q.Returned, q.Throttled)
		}
		last = document.Section{ID: "queries", Title: "Queries", Blocks: []document.Block{t}}
	}
	happened := document.NewTable("events", "Events, latest first", "at|minutes", "what|words")
	for i := len(s.marks) - 1; i >= max(0, len(s.marks)-maxRows); i-- {
		what := "phase " + s.marks[i].Text
		if s.marks[i].Balance {
			what = "load balancing: " + s.marks[i].Text
		}
		happened.Add(s.marks[i].Second, what)
	}
	subtitle := "before the first phase"
	switch {
	case s.run.Queries != nil:
		subtitle = "traffic of this service"
	case s.status.Phase != "":
		subtitle = "phase " + s.status.Phase
		if s.status.Target != nil {
			subtitle += " · " + document.Rate(*s.status.Target) + " operations/s"
		}
	}
	return &document.Document{
		Title: "loadgen " + s.run.Scenario, Subtitle: subtitle, Answer: s.answer(),
		Screen: []document.Block{rates, s.heat},
		Sections: []document.Section{
			{ID: "times", Title: "Response times", Blocks: []document.Block{times}},
			last,
			{ID: "happened", Title: "Load balancing and phases", Blocks: []document.Block{happened}},
		},
	}
}

// answer returns the served and offered rates, the hottest partition, and the state of the generator.
func (s *snapshot) answer() document.Answer {
	if s.status.Served == nil {
		return document.Answer{Claim: "NO DATA YET", Beside: "the first seconds are in progress"}
	}
	a := document.Claimed("", "SERVES", document.Rate(*s.status.Served), "entities/s", "")
	if s.status.Target != nil {
		a.Beside = "of " + document.Rate(*s.status.Offered) + " offered · "
	}
	a.Beside += document.Optional(s.status.Throttled, document.Share) + " of attempts throttled"
	hottest := "No partition had requests in the last seconds."
	if len(s.status.Members) > 0 {
		hottest = noKeys
	} else if len(s.heat.Rows) > 0 {
		first := s.heat.Rows[0]
		hottest = fmt.Sprintf("Hottest partition: %s with %s of the demand.", first[0].Text, first[len(first)-1].Text)
	}
	reliable, trouble := "The generator is on time.", s.worstTrouble()
	late := mean(s.samples[max(0, len(s.samples)-lookback):], func(one *sample) *float64 { return one.late })
	switch {
	case s.run.Queries != nil && (len(s.queries) == 0 || s.queries[0].Scanned == 0):
		reliable = "No query yet."
	case s.run.Queries != nil:
		q := s.queries[0]
		reliable = fmt.Sprintf("Most expensive query: %s of %s, %s entities scanned, %s returned.",
			filterOf(q.Shape, q.Class), cmp.Or(q.Table, "a table"), document.Count(q.Scanned), document.Count(q.Returned))
	case trouble != "":
		reliable = trouble
	case s.run.Virtual:
		reliable = "Virtual time: no operation is late."
	case late != nil && *late >= doubtfulShare:
		reliable = fmt.Sprintf("The generator is behind: it sent %s of operations late.", document.Share(*late/100))
	}
	a.Says = []string{
		fmt.Sprintf("Response times, last 10 s: p50 %s, p99 %s.", document.Optional(s.status.P50, document.Lapse), document.Optional(s.status.P99, document.Lapse)),
		hottest, reliable,
	}
	return a
}

// doubtfulShare is the minimum share of late operations, in percent, that makes figures doubtful; lookback is the number of
// samples that decide.
const (
	doubtfulShare = 1
	lookback      = 10
)

// series returns lines over the measured seconds, or over all seconds before there are any.
func (s *snapshot) series(id, title, unit, says string, lines ...document.Line) document.Series {
	if s.each > 1 {
		says += fmt.Sprintf(" Each point covers %d seconds: mean rates, maximum times.", s.each)
	}
	made := document.Series{ID: id, Title: title, Unit: unit, Says: says, Lines: lines, Seconds: make([]float64, len(s.samples))}
	for i := range s.samples {
		made.Seconds[i] = s.samples[i].second
	}
	if s.measured >= 0 {
		made.Shown = document.Stretch{From: s.measured.Truncate(time.Second).Seconds(), To: s.status.At.Seconds() + 1}
	}
	for _, one := range s.marks {
		if made.Shown.Contains(one.Second) {
			made.Marks = append(made.Marks, one)
		}
	}
	return made
}

// generator returns the health of the generator.
func (s *snapshot) generator() document.Table {
	t := document.NewTable("health", "Health of the generator", "what|words", "last second|count", "so far|count")
	all := &s.status.Totals
	if !s.run.Virtual {
		var last sample
		if len(s.samples) > 0 {
			last = s.samples[len(s.samples)-1]
		}
		tone := document.Plain
		if last.late != nil && *last.late >= doubtfulShare {
			tone = document.Doubtful
		}
		t.Add("operations sent late", tone, document.Optional(last.late, percent), fmt.Sprintf("%s of %s", document.Count(all.Late), document.Count(all.Scheduled)))
		t.Add("CPU, of "+document.Counted(max(1, s.run.Cores), "core"), document.Optional(last.cpu, percent), "")
		t.Add("stood still", document.Lapse(s.health.StoodStill), "")
		t.Add("due without a free worker", document.Lapse(s.health.Starved), "")
	}
	t.Add("operations dropped", "", all.Dropped)
	t.Add("attempts in flight", all.InFlight, "")
	t.Add("attempts that succeeded", "", all.Ok)
	t.Add("attempts throttled", "", all.Throttled)
	t.Add("attempts that failed", "", all.Failed)
	t.Add("open pages", s.viewers, document.Count(s.dropped)+" disconnected")
	return t
}

func percent(v float64) string { return document.Share(v / 100) }

// maxQueries is the number of queries that are shown.
const maxQueries = 10

// maxFilter is the maximum length of a shown filter, in characters.
const maxFilter = 80

// filterOf returns the class and filter of a query.
func filterOf(shape, class string) string {
	return document.Cut(class+": "+cmp.Or(shape, "no filter"), maxFilter)
}

// silence is the time after which a sending member without reports is marked: a report comes a second after its second
// began, plus the time on its way.
const silence = 3 * time.Second

// noKeys replaces the heat map of a run of one process.
const noKeys = "Members report no keys. See the final report for the hottest partition."

// trouble is what is wrong with a member, the worst last.
type trouble int

const (
	none trouble = iota
	behind
	silent
	lost
)

func (s *snapshot) trouble(m *live.Member) trouble {
	share := m.Last.LateSince(&live.Totals{})
	switch {
	case m.State == results.MemberLost:
		return lost
	case m.State == results.MemberSending && m.Heard != nil && s.status.At-*m.Heard > silence:
		return silent
	case m.State == results.MemberSending && share != nil && 100**share >= doubtfulShare:
		return behind
	default:
		return none
	}
}

// worstTrouble names the members with the worst trouble, empty if there is none.
func (s *snapshot) worstTrouble() string {
	worst, names := none, []string(nil)
	for i := range s.status.Members {
		m := &s.status.Members[i]
		switch one := s.trouble(m); {
		case one > worst:
			worst, names = one, []string{m.Name}
		case one == worst && one != none:
			names = append(names, m.Name)
		}
	}
	const maxNames = 3
	if more := len(names) - maxNames; more > 0 {
		names = append(names[:maxNames], document.Counted(more, "other"))
	}
	switch list := document.Enumerated(names); worst {
	case lost:
		return fmt.Sprintf("Lost: %s. No member replaces its load.", list)
	case silent:
		return fmt.Sprintf("No report for %s: %s.", document.Span(silence), list)
	case behind:
		return fmt.Sprintf("Behind: %s. At least %d%% of operations are late.", list, doubtfulShare)
	default:
		return ""
	}
}

// fleet returns a row for each member, those in trouble first, then for each label, then for all members.
func (s *snapshot) fleet() document.Table {
	t := document.NewTable("health", "Members, each in its last second", "member|words", "state|words", "due|rate|unit=/s", "share|share",
		"throttled|share", "p99", "sent late|share", "stood still|spare=1", "cores|rate|spare=2", "clock|unit=±|spare=2")
	t.Notes = []string{"Share: of all operations so far. p99: last ten seconds. Clock: maximum error."}
	all := make([]*live.Member, len(s.status.Members))
	for i := range s.status.Members {
		all[i] = &s.status.Members[i]
	}
	whole := live.Together(all)
	worst := slices.Clone(all)
	slices.SortStableFunc(worst, func(a, b *live.Member) int { return cmp.Compare(s.trouble(b), s.trouble(a)) })
	for _, m := range worst[:min(len(worst), maxRows)] {
		name := m.Name
		if len(m.Labels) > 0 {
			name += " (" + strings.Join(m.Labels, ", ") + ")"
		}
		t.Add(s.member(document.Cut(name, maxKey), m, &whole, m)...)
	}
	if more := len(worst) - maxRows; more > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("%s more, none worse.", document.Counted(more, "member")))
	}
	byLabel := make(map[string][]*live.Member)
	for _, m := range all {
		for _, text := range m.Labels {
			byLabel[text] = append(byLabel[text], m)
		}
	}
	// Labels of one member or of all add nothing.
	maps.DeleteFunc(byLabel, func(_ string, members []*live.Member) bool { return len(members) < 2 || len(members) == len(all) })
	labels := slices.Sorted(maps.Keys(byLabel))
	for _, text := range labels[:min(len(labels), maxRows)] {
		sum := live.Together(byLabel[text])
		t.Add(s.member(document.Cut("all of "+text, maxKey), &sum, &whole, byLabel[text]...)...)
	}
	t.Add(s.member("all "+document.Counted(len(all), "member"), &whole, &whole, all...)...)
	return t
}

// member returns the values of the row of a member, or of several together, which have no state.
func (s *snapshot) member(name string, m, whole *live.Member, members ...*live.Member) []any {
	last := &m.Last
	state, stateTone, lateTone := string(m.State), document.Plain, document.Plain
	switch s.trouble(m) {
	case lost:
		stateTone = document.Doubtful
	case silent:
		state, stateTone = "silent for "+document.Span((s.status.At-*m.Heard).Truncate(time.Second)), document.Doubtful
	case behind:
		lateTone = document.Doubtful
	}
	return []any{name, stateTone, state, last.Scheduled, document.RatioOf(m.Totals.Scheduled, whole.Totals.Scheduled),
		document.RatioOf(last.Throttled, last.Attempts), document.Optional(live.P99(members...), document.Lapse), lateTone, document.RatioOf(last.Late, last.Scheduled),
		document.Lapse(m.StoodStill), m.CPU, document.Optional(m.ClockBound, document.Lapse)}
}
