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
	t := document.Table{ID: "health", Caption: "Members, each in its last second", Columns: []document.Column{
		{Title: "member", Words: true}, {Title: "state", Words: true}, {Title: "due", Unit: "/s"}, {Title: "share"}, {Title: "throttled"},
		{Title: "p99"}, {Title: "sent late"}, {Title: "stood still", Spare: 1}, {Title: "cores", Spare: 2}, {Title: "clock", Unit: "±", Spare: 2}},
		Notes: []string{"The share is of all operations due so far; the p99 is of a member's last ten seconds; the clock is the maximum difference from the leader's."}}
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
		t.Rows = append(t.Rows, s.member(document.Cut(name, longestKey), m, &whole, m))
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
		t.Rows = append(t.Rows, s.member(document.Cut("all of "+label.text, longestKey), &sum, &whole, label.members...))
	}
	t.Rows = append(t.Rows, s.member("all "+document.Counted(len(all), "member"), &whole, &whole, all...))
	return t
}

// label is a label that several members have.
type label struct {
	text    string
	members []*live.Member
}

// member returns the row of a member, or of several together, which have no state.
func (s *story) member(name string, m, whole *live.Member, of ...*live.Member) []document.Cell {
	last := &m.Last
	state, late := document.Cell{Text: string(m.State)}, document.Cell{Text: share(last.Late, last.Scheduled)}
	switch s.trouble(m) {
	case lost:
		state.Tone = document.Doubtful
	case silent:
		state = document.Cell{Text: "silent for " + document.Span((s.status.At - *m.Heard).Truncate(time.Second)), Tone: document.Doubtful}
	case behind:
		late.Tone = document.Doubtful
	}
	return []document.Cell{{Text: name}, state, {Text: document.Rate(float64(last.Scheduled))}, {Text: share(m.Totals.Scheduled, whole.Totals.Scheduled)},
		{Text: share(last.Throttled, last.Attempts)}, {Text: document.Told(live.P99(of...), document.Lapse)}, late, {Text: document.Lapse(m.StoodStill)},
		{Text: document.Told(m.CPU, document.Rate)}, {Text: document.Told(m.ClockBound, document.Lapse)}}
}

// share returns a part of a whole as a percentage, or a dash if the whole is 0.
func share(part, whole int64) string {
	if whole <= 0 {
		return document.Untold
	}
	return document.Share(float64(part) / float64(whole))
}
