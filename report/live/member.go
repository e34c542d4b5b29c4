package live

import (
	"cmp"
	"slices"
	"time"

	"loadgen/results"
)

// Member is the state of one of several processes that offer a load together.
type Member struct {
	Name string
	// Labels are its labels, such as region=westeurope.
	Labels []string
	State  results.MemberState
	// ClockBound is the maximum error of its clock, nil before it is known.
	ClockBound *time.Duration
	// Heard is when its latest second arrived, since the start of the run; nil before the
	// first. Last are the counts of that second, with the lag of operations, the time for
	// which the process stood still, and the cores that it kept busy.
	Heard      *time.Duration
	Last       Totals
	LagP99     *time.Duration
	StoodStill time.Duration
	CPU        *float64
	// Totals are the sum of its seconds so far.
	Totals Totals

	// seconds are its latest seconds, each at its number's remainder.
	seconds [maxKept]memberSecond
}

// maxKept is the number of last seconds of a member that are kept.
const maxKept = 12

// memberSecond is one second of a member.
type memberSecond struct {
	number int64
	results.Counts
	responses []results.Bar
}

// eachSecond calls a function for each kept second of a range.
func (m *Member) eachSecond(from, to int64, do func(*memberSecond)) {
	for i := range m.seconds {
		if one := &m.seconds[i]; from <= one.number && one.number < to {
			do(one)
		}
	}
}

// second returns a second to add to, nil if it is forgotten.
func (m *Member) second(number int64) *memberSecond {
	one := &m.seconds[number%maxKept]
	switch {
	case one.number > number:
		return nil
	case one.number < number:
		*one = memberSecond{number: number}
	}
	return one
}

// maxMembers bounds the members of a fleet that are shown and counted.
const maxMembers = 4096

// Joined adds a member as it joins, and updates its state: its name, place, labels, and the error of its clock, which is
// not known before it is ready.
func (p *Stats) Joined(m *results.FleetMember, does results.MemberState) {
	p.mu.Lock()
	defer p.mu.Unlock()
	one := p.member(m.Index)
	if one == nil {
		return
	}
	one.Name, one.State, one.Labels, one.ClockBound = m.Name, does, nil, nil
	for label, value := range m.Labels {
		one.Labels = append(one.Labels, label+"="+value)
	}
	slices.Sort(one.Labels)
	if m.ClockBound > 0 {
		one.ClockBound = new(m.ClockBound)
	}
}

// member returns the member at a place, or nil if the place is too high. The caller holds mu.
func (p *Stats) member(place int) *Member {
	if place < 0 || place >= maxMembers {
		return nil
	}
	for len(p.members) <= place {
		p.members = append(p.members, new(Member))
	}
	return p.members[place]
}

// AddSecond adds a second of a member, as one that ended by an instant: its counts, and
// the response times of each kind of operation.
func (p *Stats) AddSecond(place int, at time.Duration, i *results.Interval, responses []*results.Histogram) {
	p.mu.Lock()
	defer p.mu.Unlock()
	one := p.member(place)
	if one == nil {
		return
	}
	one.Heard, one.Last = new(at), Totals{i.Counts, i.InFlight}
	one.Totals.Counts.Add(&i.Counts)
	one.Totals.InFlight = i.InFlight
	one.LagP99, one.StoodStill, one.CPU = nil, 0, nil
	if i.Lag.P99 != nil {
		one.LagP99 = new(time.Duration(*i.Lag.P99) * time.Microsecond)
	}
	if g := i.Generator; g != nil {
		one.StoodStill = g.StoodStill
		if g.Lasted > 0 {
			one.CPU = new(g.CPU.Seconds() / g.Lasted.Seconds())
		}
	}
	switch one.State {
	case results.MemberEnded, results.MemberLost: // the second is late
	default:
		one.State = results.MemberSending
	}
	second := one.second(max(0, LastSecond(at)))
	if second == nil {
		return
	}
	second.Add(&i.Counts)
	for _, response := range responses {
		second.responses = append(second.responses, response.Bars()...)
	}
}

// Members returns the members by place, none for a run of one process.
func (p *Stats) Members() []Member {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make([]Member, len(p.members))
	for i, one := range p.members {
		list[i] = *one
	}
	return list
}

// P99 returns the 99th percentile of the response times of the last ten seconds of members together; nil if they are
// too few.
func P99(members ...*Member) *time.Duration {
	sum := results.NewHistogram()
	for _, one := range members {
		if one.Heard != nil {
			last := LastSecond(*one.Heard)
			one.eachSecond(last-timesOver+1, last+1, func(s *memberSecond) { sum.Add(s.responses...) })
		}
	}
	return quantile(sum, .99)
}

// Together returns members as one: sums of counts, maxima of times.
func Together(all []*Member) Member {
	var sum Member
	for _, one := range all {
		sum.Last.add(&one.Last)
		sum.Totals.add(&one.Totals)
		sum.StoodStill = max(sum.StoodStill, one.StoodStill)
		sum.LagP99, sum.ClockBound, sum.Heard = MaxKnown(sum.LagP99, one.LagP99), MaxKnown(sum.ClockBound, one.ClockBound), MaxKnown(sum.Heard, one.Heard)
		if one.CPU != nil {
			if sum.CPU == nil {
				sum.CPU = new(0.0)
			}
			*sum.CPU += *one.CPU
		}
	}
	return sum
}

// MaxKnown returns the greater value; nil is unknown, and less than any value.
func MaxKnown[T cmp.Ordered](a, b *T) *T {
	if a == nil || b != nil && *b > *a {
		return b
	}
	return a
}
