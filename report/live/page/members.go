package page

import (
	"cmp"
	"fmt"
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

// keysUntold replaces the heat map of a run of one process.
const keysUntold = "Members report counts but no keys: the final report names the hottest partition."

// trouble is what is wrong with a member, the worst last.
type trouble int

const (
	none trouble = iota
	behind
	silent
	lost
)

func (s *story) trouble(m *live.Member) trouble {
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

// troubled names the members with the worst trouble of all, empty if there is none.
func (s *story) troubled() string {
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
	const most = 3
	if more := len(names) - most; more > 0 {
		names = append(names[:most], document.Counted(more, "other"))
	}
	switch who := document.Enumerated(names); worst {
	case lost:
		return fmt.Sprintf("Lost: %s. Its load is not taken over.", who)
	case silent:
		return fmt.Sprintf("No report for more than %s: %s.", document.Span(silence), who)
	case behind:
		return fmt.Sprintf("Behind: %s, with more than %d %% of operations sent late.", who, doubtfulShare)
	default:
		return ""
	}
}

// fleet returns a row for each member, those in trouble first, then for each label, then for all members.
func (s *story) fleet() document.Table {
	t := document.NewTable("health", "Members, each in its last second", "member|words", "state|words", "due|rate|unit=/s", "share|share",
		"throttled|share", "p99", "sent late|share", "stood still|spare=1", "cores|rate|spare=2", "clock|unit=±|spare=2")
	t.Notes = []string{"The share is of all operations due so far; the p99 is of a member's last ten seconds; the clock is the maximum difference from the leader's."}
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
		t.Add(s.member(document.Cut(name, longestKey), m, &whole, m)...)
	}
	if more := len(worst) - maxRows; more > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("%s more, none of them worse.", document.Counted(more, "member")))
	}
	byLabel := make(map[string][]*live.Member)
	for _, m := range all {
		for _, text := range m.Labels {
			byLabel[text] = append(byLabel[text], m)
		}
	}
	// A label of one member, or of all, adds nothing.
	var of []label
	for text, members := range byLabel {
		if len(members) > 1 && len(members) < len(all) {
			of = append(of, label{text, members})
		}
	}
	slices.SortFunc(of, func(a, b label) int { return strings.Compare(a.text, b.text) })
	for _, label := range of[:min(len(of), maxRows)] {
		sum := live.Together(label.members)
		t.Add(s.member(document.Cut("all of "+label.text, longestKey), &sum, &whole, label.members...)...)
	}
	t.Add(s.member("all "+document.Counted(len(all), "member"), &whole, &whole, all...)...)
	return t
}

// label is a label that several members have.
type label struct {
	text    string
	members []*live.Member
}

// member returns the values of the row of a member, or of several together, which have no state.
func (s *story) member(name string, m, whole *live.Member, of ...*live.Member) []any {
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
		document.RatioOf(last.Throttled, last.Attempts), document.Told(live.P99(of...), document.Lapse), lateTone, document.RatioOf(last.Late, last.Scheduled),
		document.Lapse(m.StoodStill), m.CPU, document.Told(m.ClockBound, document.Lapse)}
}
