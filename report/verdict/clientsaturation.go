package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"loadgen/report/compare/statistics"
	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/figure"
)

// Cause is why the generator was late in a second.
type Cause uint8

// The causes. Of several, the one that explains the others is told.
const (
	// OnTime is none: the generator was not late.
	OnTime Cause = iota
	// Unexplained has no evidence for any other, or nobody looked.
	Unexplained
	// TargetSilent had the workers wait for a target that answered nothing, and then
	// make up for it: the target's doing, as is the next.
	TargetSilent
	// TargetQueues: all workers waited for a target that took several times as long as under
	// less load. The limit is the target's.
	TargetQueues
	// TooFewWorkers had all of them wait for a target that answered as it does.
	TooFewWorkers
	// Collecting had the garbage collector take the CPU.
	Collecting
	// OwnCeiling had the process want all of its cores, by what an attempt costs it.
	OwnCeiling
	// RunQueue had it wait for a CPU that others computed on.
	RunQueue
	// Pressure is that somebody had, where the system does not tell who.
	Pressure
	// StoodStill had the process not run, without a word of why.
	StoodStill
	causes
)

// String returns the cause in the words of the reports.
func (c Cause) String() string {
	if c >= causes {
		c = Unexplained
	}
	return [...]string{"on time", "cause not known", "the target answered nothing", "the target queues", "too few workers", "garbage collection",
		"own ceiling", "waited for a CPU (run queue)", "waited for a CPU (pressure)", "the process was not run"}[c]
}

// Generators reports whether the cause is the generator's, or its machine's.
func (c Cause) Generators() bool { return c != OnTime && c != TargetSilent && c != TargetQueues }

// Strain is how the generator did in one whole second of a reported phase, or one row of a long record.
type Strain struct {
	Second, Sent, Late int64
	// Cause is OnTime, or the one why it was not.
	Cause Cause
	row   *results.Interval
}

// seconds returns the number of seconds with the cause: of a row of several, those in which the generator was late.
func (s *Strain) seconds() int {
	if s.Cause == OnTime {
		return int(s.row.Seconds())
	}
	return int(max(1, s.row.Of().NotOnTime))
}

// What counts as evidence.
const (
	// fewestStarved is for how much of a second something has to be due and no worker
	// free, at usual service times: up to slower times as long as they mostly are.
	fewestStarved = 0.1
	slower        = 2
	// minStarved is the part of a second without a free worker that indicates a queueing target.
	// Above maxSlowdown, as a multiple of the shortest service time, the target queues even if
	// the machine is busy.
	minStarved  = 0.5
	maxSlowdown = 5
	// mostCollecting is the share of its cores that the collector may take, and
	// longestCollecting how long it may stop all.
	mostCollecting    = 0.25
	longestCollecting = 2 * results.LateAfter
	// allCPU is the share of its cores from which the process has, or wants, all that
	// it can have: a scheduler never gives quite all.
	allCPU = 0.95
	// mostQueueing is how long its threads may wait for a CPU, of the time of its
	// cores, and mostPressure how long anybody may, of a second.
	mostQueueing = 0.1
	mostPressure = 0.2
	// longestStill is how long a process may not run unmentioned.
	longestStill = 20 * time.Millisecond
	// fewestTold attempts of a second tell what one of them costs.
	fewestTold = 100
	// mostOfCeiling is the share of what the generator sends flat out up to which
	// it can be trusted to send in time.
	mostOfCeiling = 0.8
)

// Strains returns how the generator did in each whole second of the reported phases, in
// the order of time: a pure function of the record.
func Strains(record *results.Record) []Strain {
	var strains []Strain
	steps, usual, before := figure.Reported(record), usualOf(record), OnTime
	behind, left := int64(0), int64(0)
	for i := range record.Intervals {
		row := &record.Intervals[i]
		behind, left = left, max(0, left+row.Scheduled-row.Sent)
		if !within(steps, row.Second) {
			before = OnTime
			continue
		}
		one := Strain{Second: row.Second, Sent: row.Sent, Late: row.Late, row: row}
		if !row.OnTime() {
			// What a second leaves behind is late in the next one.
			if one.Cause = usual.cause(row, behind); one.Cause == Unexplained && before != OnTime {
				one.Cause = before
			}
		}
		before = one.Cause
		strains = append(strains, one)
	}
	return strains
}

// usual is what is usual for a run, against which one of its seconds is held.
type usual struct {
	cores    float64
	silences []Silence
	// work is the CPU of an attempt, service the shortest median service time of a second in
	// microseconds, 0 if unknown; ceiling is how many the generator has shown that it can send.
	work    time.Duration
	service float64
	ceiling float64
}

func usualOf(record *results.Record) *usual {
	u := &usual{silences: Silences(record), cores: 1}
	steps := figure.Reported(record)
	if g := record.Generator; g != nil {
		u.cores, u.ceiling = float64(max(1, g.Cores)), mostOfCeiling*g.Ceiling.PerSecond()
	}
	var work, service []int64
	for i := range record.Intervals {
		row := &record.Intervals[i]
		if !within(steps, row.Second) {
			continue
		}
		if row.Generator != nil && row.Generator.CPU > 0 && row.Attempts >= fewestTold {
			work = append(work, int64(row.Generator.CPU)/row.Attempts)
		}
		if row.Service.P50 != nil {
			service = append(service, *row.Service.P50)
		}
		if u.ceiling > 0 && row.OnTime() {
			u.ceiling = max(u.ceiling, row.PerSecond(row.Attempts))
		}
	}
	if len(work) > 0 {
		u.work = time.Duration(statistics.Median(work))
	}
	if len(service) > 0 {
		u.service = float64(slices.Min(service))
	}
	return u
}

// cause returns why the generator was late in a second, by the evidence of that second,
// at whose begin so many operations had been due before.
func (u *usual) cause(row *results.Interval, behind int64) Cause {
	h := row.Generator
	if h == nil || h.Lasted <= 0 {
		return Unexplained
	}
	lasted, cores := float64(row.Seconds())*float64(time.Second), u.cores*float64(h.Lasted)
	switch {
	case h.Starved > 0 && silenceAt(u.silences, row) != "":
		return TargetSilent
	case float64(h.Starved) >= fewestStarved*lasted && !u.slow(row):
		return TooFewWorkers
	case float64(h.Starved) >= minStarved*lasted && u.slowdown(row) > maxSlowdown:
		return TargetQueues
	case float64(h.GCCPU) >= mostCollecting*cores:
		return Collecting
	case float64(h.CPU) >= allCPU*cores || u.wanted(row, behind) >= allCPU*cores:
		return OwnCeiling
	case h.RunQueue != nil && float64(*h.RunQueue) >= mostQueueing*cores:
		return RunQueue
	case h.LongestPause >= longestCollecting:
		return Collecting
	case h.Pressure != nil && float64(*h.Pressure) >= mostPressure*float64(h.Lasted):
		return Pressure
	case h.StoodStill >= time.Duration(row.Seconds())*longestStill:
		return StoodStill
	case u.ceiling > 0 && row.PerSecond(demanded(row)) > u.ceiling:
		return OwnCeiling
	case float64(h.Starved) >= minStarved*lasted && u.slow(row):
		return TargetQueues
	case h.Starved > 0:
		return TooFewWorkers
	default:
		return Unexplained
	}
}

// demanded returns how many attempts a second asked for. Retries are sent, too: what is
// due alone may be far less.
func demanded(row *results.Interval) int64 { return max(row.Scheduled, row.Attempts) }

// wanted returns the CPU that a second asked for, in nanoseconds, with what was left from
// before. Where little is sent an attempt seems to cost more than it does.
func (u *usual) wanted(row *results.Interval, behind int64) float64 {
	if row.Attempts <= 0 {
		return 0
	}
	each := float64(row.Generator.CPU) / float64(row.Attempts)
	return min(each, float64(u.work)) * float64(demanded(row)+behind)
}

// slow reports whether the target took longer than under less load.
func (u *usual) slow(row *results.Interval) bool {
	return u.slowdown(row) > slower
}

// slowdown returns the median service time as a multiple of the shortest, 0 if unknown.
func (u *usual) slowdown(row *results.Interval) float64 {
	if row.Service.P50 == nil || u.service <= 0 {
		return 0
	}
	return float64(*row.Service.P50) / u.service
}

// Strained is what the seconds of a stretch have in common in which the generator was
// late.
type Strained struct {
	// Seconds is how many whole ones there are, Late those that were not on time by a
	// cause of the generator's, Silent those that were not for the target's silence or queue; Cause
	// is the commonest of the generator's, OnTime where there is none.
	Seconds, Late, Silent int
	Cause                 Cause
}

// StrainedIn returns how the generator did in the whole seconds of a step.
func StrainedIn(s figure.Step, strains []Strain) Strained {
	var in Strained
	var counts [causes]int
	for _, one := range strains {
		if !s.Within(one.Second) {
			continue
		}
		in.Seconds += int(one.row.Seconds())
		if one.Cause == TargetSilent || one.Cause == TargetQueues {
			in.Silent += one.seconds()
		}
		if one.Cause.Generators() {
			in.Late += one.seconds()
			counts[one.Cause] += one.seconds()
		}
	}
	for cause := range causes {
		if counts[cause] > counts[in.Cause] {
			in.Cause = cause
		}
	}
	return in
}

// Lateness tells in how many of some seconds the generator was late, and why, the
// commonest cause first; empty where it never was.
func Lateness(strains []Strain) string {
	counts, all, told := commonest(strains)
	late, text := 0, ""
	for _, cause := range told {
		late += counts[cause]
		text += fmt.Sprintf(", %s in %s", cause, document.Count(int64(counts[cause])))
	}
	if late == 0 {
		return ""
	}
	return fmt.Sprintf("late in %s of %s: %s", document.Count(int64(late)), document.Counted(all, "second"), text[len(", "):])
}

// commonest counts the seconds of each cause and all seconds, and returns the causes that there are but [OnTime], the
// commonest first.
func commonest(strains []Strain) (counts [causes]int, all int, told []Cause) {
	for _, one := range strains {
		counts[one.Cause] += one.seconds()
		all += int(one.row.Seconds())
	}
	for cause := Unexplained; cause < causes; cause++ {
		if counts[cause] > 0 {
			told = append(told, cause)
		}
	}
	slices.SortStableFunc(told, func(a, b Cause) int { return cmp.Compare(counts[b], counts[a]) })
	return counts, all, told
}

// mostStrained is the share of the reported seconds that may pass under the same strain.
const mostStrained = 0.02

// clientSaturations returns why the generator rather than the target may have been the
// limit, one sentence for each cause, the commonest first; none where too few operations
// were late to say so, or nobody looked at it.
func clientSaturations(record *results.Record) []string {
	sum := record.Counts(results.Reported)
	if record.Generator == nil || float64(sum.Late) <= results.MostLate*float64(sum.Sent) {
		return nil
	}
	strains := Strains(record)
	counts, all, told := commonest(strains)
	var found []string
	for _, cause := range told {
		if cause.Generators() && float64(counts[cause]) >= mostStrained*float64(all) {
			found = append(found, fmt.Sprintf("in %s of %s the generator was late: %s",
				document.Count(int64(counts[cause])), document.Counted(all, "second"), cause))
		}
	}
	return found
}

// within reports whether a second lies in one of the steps, whole.
func within(steps []figure.Step, second int64) bool {
	return slices.ContainsFunc(steps, func(step figure.Step) bool { return step.Within(second) })
}
