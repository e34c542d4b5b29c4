package live

import (
	"slices"
	"time"

	"loadgen/results"
)

// Member is how one of several processes fares that offer a load together.
type Member struct {
	Name string
	// Labels are what it is known by, such as region=westeurope.
	Labels []string
	State  results.MemberState
	// ClockBound is to within what its clock is known, nil before that.
	ClockBound *time.Duration
	// Heard is when its latest second was told, since the start of the run; nil before the
	// first. Last is what that second came to, with what is in it: how late operations were
	// sent, for how long the process stood still, and how many cores it kept busy.
	Heard      *time.Duration
	Last       Totals
	LagP99     *time.Duration
	StoodStill time.Duration
	CPU        *float64
	// Totals are of all its seconds so far.
	Totals Totals

	// times are the response times of its latest seconds, of which heard have come, each at
	// its number's remainder: of what ended in a second few bins hold anything.
	times [timesOver][]binned
	heard int
}

// binned is how many times are in a bin.
type binned struct{ bin, count int64 }

// mostMembers bounds the members that are told apart; the loads of others still count in the
// whole.
const mostMembers = 4096

// Joined is told of a member as it joins, and again whenever it does something else: of its
// name, place, labels and clock, which is not known before it is ready.
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

// member returns that of a place, nil for one beyond the bound. The caller holds mu.
func (p *Stats) member(place int) *Member {
	if place < 0 || place >= mostMembers {
		return nil
	}
	for len(p.members) <= place {
		p.members = append(p.members, new(Member))
	}
	return p.members[place]
}

// Told is told of a second of a member, as one that ended by an instant: what came in it, and
// the response times of each kind of operation.
func (p *Stats) Told(place int, at time.Duration, of *results.Interval, responses []*results.Histogram) {
	p.shards[place%shards].told(at, of, responses)
	p.mu.Lock()
	defer p.mu.Unlock()
	one := p.member(place)
	if one == nil {
		return
	}
	one.Heard, one.Last = new(at), totalsOf(of)
	one.Totals.add(&one.Last)
	one.LagP99, one.StoodStill, one.CPU = nil, 0, nil
	if of.Lag.P99 != nil {
		one.LagP99 = new(time.Duration(*of.Lag.P99) * time.Microsecond)
	}
	if g := of.Generator; g != nil {
		one.StoodStill = g.StoodStill
		if g.Lasted > 0 {
			one.CPU = new(g.CPU.Seconds() / g.Lasted.Seconds())
		}
	}
	switch one.State {
	case results.MemberEnded, results.MemberLost: // what comes late
	default:
		one.State = results.MemberSending
	}
	var times []binned
	for _, response := range responses {
		if response == nil {
			continue
		}
		for _, bar := range response.Bars() {
			bin := int64(binOf(time.Duration(bar.To) * time.Microsecond))
			if last := len(times) - 1; last >= 0 && times[last].bin == bin {
				times[last].count += bar.Count
			} else {
				times = append(times, binned{bin, bar.Count})
			}
		}
	}
	one.times[one.heard%timesOver], one.heard = times, one.heard+1
}

// Members returns how each member fares, by place; none where no others were told of.
func (p *Stats) Members() []Member {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make([]Member, len(p.members))
	for i, one := range p.members {
		list[i] = *one
	}
	return list
}

// P99 is of the response times of the last ten of its seconds, or of those of several members
// together; nil where these are too few.
func P99(of ...*Member) *time.Duration {
	var sum [bins]int64
	for _, one := range of {
		for _, times := range one.times {
			for _, t := range times {
				sum[t.bin] += t.count
			}
		}
	}
	return quantile(&sum, 99)
}

// Together returns what members come to as one: the sums, the longest of what is a length of
// time, the latest that was heard.
func Together(all []*Member) Member {
	var sum Member
	for _, one := range all {
		sum.Last.add(&one.Last)
		sum.Totals.add(&one.Totals)
		sum.StoodStill = max(sum.StoodStill, one.StoodStill)
		sum.LagP99, sum.ClockBound, sum.Heard = longest(sum.LagP99, one.LagP99), longest(sum.ClockBound, one.ClockBound), longest(sum.Heard, one.Heard)
		if one.CPU != nil {
			if sum.CPU == nil {
				sum.CPU = new(0.0)
			}
			*sum.CPU += *one.CPU
		}
	}
	return sum
}

func longest(a, b *time.Duration) *time.Duration {
	if a == nil || b != nil && *b > *a {
		return b
	}
	return a
}
