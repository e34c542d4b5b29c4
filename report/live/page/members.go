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
		return fmt.Sprintf("Behind: %s. At least %d %% of operations are late.", list, doubtfulShare)
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
		document.RatioOf(last.Throttled, last.Attempts), document.Told(live.P99(members...), document.Lapse), lateTone, document.RatioOf(last.Late, last.Scheduled),
		document.Lapse(m.StoodStill), m.CPU, document.Told(m.ClockBound, document.Lapse)}
}
