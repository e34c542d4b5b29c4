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

// silence is how long a member that sends may tell of no second before that is marked: each
// comes a second after it began, and a part of one on its way.
const silence = 3 * time.Second

// keysUntold stands where a run of one process has its partitions.
const keysUntold = "Members tell counts and no keys: which partition was hottest the report tells."

// trouble is what is wrong with a member: lost before silent before late.
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

// troubled names the members with the worst that is wrong with any, empty where nothing is.
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
		return fmt.Sprintf("Lost: %s, whose load nobody takes over.", who)
	case silent:
		return fmt.Sprintf("Not heard of for more than %s: %s.", document.Span(silence), who)
	case behind:
		return fmt.Sprintf("Behind: %s, with more than %d %% of operations sent late.", who, doubtfulShare)
	default:
		return ""
	}
}

// fleet is how each member fares, those in trouble first, the members of each label together,
// and all of them.
func (s *story) fleet() document.Table {
	t := document.Table{ID: "health", Caption: "Members, each in its last second", Columns: []document.Column{
		{Title: "member", Words: true}, {Title: "state", Words: true}, {Title: "due", Unit: "/s"}, {Title: "share"}, {Title: "throttled"},
		{Title: "p99"}, {Title: "sent late"}, {Title: "stood still", Spare: 1}, {Title: "cores", Spare: 2}, {Title: "clock", Unit: "±", Spare: 2}},
		Notes: []string{"The share is of all that was due so far, the p99 of the last ten seconds of a member; the clock is that of who leads to within so much."}}
	all := make([]*live.Member, len(s.status.Members))
	for i := range s.status.Members {
		all[i] = &s.status.Members[i]
	}
	whole := live.Together(all)
	worst := slices.Clone(all)
	slices.SortStableFunc(worst, func(a, b *live.Member) int { return cmp.Compare(s.trouble(b), s.trouble(a)) })
	for _, m := range worst[:min(len(worst), mostRows)] {
		name := m.Name
		if len(m.Labels) > 0 {
			name += " (" + strings.Join(m.Labels, ", ") + ")"
		}
		t.Rows = append(t.Rows, s.member(document.Cut(name, longestKey), m, &whole, m))
	}
	if more := len(worst) - mostRows; more > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("%s more fare no worse.", document.Counted(more, "member")))
	}
	byLabel := make(map[string][]*live.Member)
	for _, m := range all {
		for _, text := range m.Labels {
			byLabel[text] = append(byLabel[text], m)
		}
	}
	// Those that one member alone has, or all, say nothing.
	var of []label
	for text, members := range byLabel {
		if len(members) > 1 && len(members) < len(all) {
			of = append(of, label{text, members})
		}
	}
	slices.SortFunc(of, func(a, b label) int { return strings.Compare(a.text, b.text) })
	for _, label := range of[:min(len(of), mostRows)] {
		sum := live.Together(label.members)
		t.Rows = append(t.Rows, s.member(document.Cut("all of "+label.text, longestKey), &sum, &whole, label.members...))
	}
	t.Rows = append(t.Rows, s.member("all "+document.Counted(len(all), "member"), &whole, &whole, all...))
	return t
}

// label is what members have in common.
type label struct {
	text    string
	members []*live.Member
}

// member is a row: of one of them, or of several together, which have no state.
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

// share is a part of a whole, untold where there is no whole.
func share(part, whole int64) string {
	if whole <= 0 {
		return document.Untold
	}
	return document.Share(float64(part) / float64(whole))
}
