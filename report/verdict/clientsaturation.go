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

// The causes. Of several, the one that explains the others is used.
const (
	// OnTime: the generator was not late.
	OnTime Cause = iota
	// Unexplained: there is no evidence for another cause, or no reading of the generator.
	Unexplained
	// TargetSilent: workers waited for a target that answered nothing, and sent late afterwards. This and the next are
	// caused by the target.
	TargetSilent
	// TargetQueues: all workers waited for a target that took several times as long as under
	// less load. The limit is the target's.
	TargetQueues
	// TooFewWorkers: all workers waited for a target that answered in its usual time.
	TooFewWorkers
	// Collecting: the garbage collector used the CPU.
	Collecting
	// OwnCeiling: the process needed all of its cores, by the cost of an attempt.
	OwnCeiling
	// RunQueue: the process waited for a CPU that others used.
	RunQueue
	// Pressure: some process waited for a CPU; the system does not report which.
	Pressure
	// StoodStill: the process did not run, for an unknown reason.
	StoodStill
	causes
)

// String returns the cause as reports name it.
func (c Cause) String() string {
	if c >= causes {
		c = Unexplained
	}
	return [...]string{"on time", "cause not known", "the target answered nothing", "the target queues", "too few workers", "garbage collection",
		"own ceiling", "waited for a CPU (run queue)", "waited for a CPU (pressure)", "the process was not run"}[c]
}

// Generators reports whether the generator or its machine is the cause.
func (c Cause) Generators() bool { return c != OnTime && c != TargetSilent && c != TargetQueues }

// Strain is how the generator did in one whole second of a reported phase, or one row of a long record.
type Strain struct {
	*results.Interval
	// Cause is OnTime if the generator was not late.
	Cause Cause
}

// caused returns the number of seconds with the cause: of a row of several, those in which the generator was late.
func (s *Strain) caused() int {
	if s.Cause == OnTime {
		return int(s.Seconds())
	}
	return int(max(1, s.SecondsSum().NotOnTime))
}

// The thresholds of evidence.
const (
	// minShortage is the part of a second in which operations are due without a free worker, at usual service times:
	// at most slower times the shortest.
	minShortage = 0.1
	slower      = 2
	// minStarved is the part of a second without a free worker that indicates a queueing target.
	// Above maxSlowdown, as a multiple of the shortest service time, the target queues even if
	// the machine is busy.
	minStarved  = 0.5
	maxSlowdown = 5
	// maxCollecting is the share of the cores that the collector may use, maxCollectorPause how long it may stop all.
	maxCollecting     = 0.25
	maxCollectorPause = 2 * results.LateAfter
	// allCPU is the share of its cores from which the process uses all: a scheduler never gives quite all.
	allCPU = 0.95
	// maxQueueing is how long its threads may wait for a CPU, as a part of the time of its cores, maxPressure how long
	// any process may, as a part of a second.
	maxQueueing = 0.1
	maxPressure = 0.2
	// maxStill is how long a process may not run.
	maxStill = 20 * time.Millisecond
	// minAttempts is the number of attempts of a second from which the cost of one is known.
	minAttempts = 100
	// maxOfCeiling is the share of the generator's maximum rate up to which it sends in time.
	maxOfCeiling = 0.8
)

// Strains returns the generator's punctuality in each whole second of the reported phases, in the order of time: a
// pure function of the record.
func Strains(record *results.Record) []Strain {
	var strains []Strain
	steps, usual, before := figure.Reported(record), typicalSeconds(record), OnTime
	behind, left := int64(0), int64(0)
	for i := range record.Intervals {
		row := &record.Intervals[i]
		behind, left = left, max(0, left+row.Scheduled-row.Sent)
		if !isInSteps(steps, row.Second) {
			before = OnTime
			continue
		}
		one := Strain{Interval: row}
		if !row.OnTime() {
			// Operations that a second left are late in the next one.
			if one.Cause = usual.cause(row, behind); one.Cause == Unexplained && before != OnTime {
				one.Cause = before
			}
		}
		before = one.Cause
		strains = append(strains, one)
	}
	return strains
}

// usual are the typical values of a run, with which its seconds are compared.
type usual struct {
	cores    float64
	silences []Silence
	// work is the CPU of an attempt, service the shortest median service time of a second in
	// microseconds, 0 if unknown; ceiling is how many the generator has shown that it can send.
	work    time.Duration
	service float64
	ceiling float64
}

func typicalSeconds(record *results.Record) *usual {
	u := &usual{silences: Silences(record), cores: 1}
	steps := figure.Reported(record)
	if g := record.Generator; g != nil {
		u.cores, u.ceiling = float64(max(1, g.Cores)), maxOfCeiling*g.Ceiling.PerSecond()
	}
	var work, service []int64
	for i := range record.Intervals {
		row := &record.Intervals[i]
		if !isInSteps(steps, row.Second) {
			continue
		}
		if row.Generator != nil && row.Generator.CPU > 0 && row.Attempts >= minAttempts {
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

// cause returns why the generator was late in a second. Behind is the number of operations that were due before it and
// not sent.
func (u *usual) cause(row *results.Interval, behind int64) Cause {
	h := row.Generator
	if h == nil || h.Lasted <= 0 {
		return Unexplained
	}
	lasted, cores := float64(row.Seconds())*float64(time.Second), u.cores*float64(h.Lasted)
	switch {
	case h.Starved > 0 && silenceAt(u.silences, row) != "":
		return TargetSilent
	case float64(h.Starved) >= minShortage*lasted && !u.slow(row):
		return TooFewWorkers
	case float64(h.Starved) >= minStarved*lasted && u.slowdown(row) > maxSlowdown:
		return TargetQueues
	case float64(h.GCCPU) >= maxCollecting*cores:
		return Collecting
	case float64(h.CPU) >= allCPU*cores || u.requiredCPU(row, behind) >= allCPU*cores:
		return OwnCeiling
	case h.RunQueue != nil && float64(*h.RunQueue) >= maxQueueing*cores:
		return RunQueue
	case h.LongestPause >= maxCollectorPause:
		return Collecting
	case h.Pressure != nil && float64(*h.Pressure) >= maxPressure*float64(h.Lasted):
		return Pressure
	case h.StoodStill >= time.Duration(row.Seconds())*maxStill:
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

// demanded returns the number of attempts that a second required, retries included.
func demanded(row *results.Interval) int64 { return max(row.Scheduled, row.Attempts) }

// requiredCPU returns the CPU that a second required, in nanoseconds, including earlier operations. The usual cost
// bounds that of an attempt, which seems higher if few are sent.
func (u *usual) requiredCPU(row *results.Interval, behind int64) float64 {
	if row.Attempts <= 0 {
		return 0
	}
	each := float64(row.Generator.CPU) / float64(row.Attempts)
	return min(each, float64(u.work)) * float64(demanded(row)+behind)
}

// slow reports whether the target took longer than under less load.
func (u *usual) slow(row *results.Interval) bool { return u.slowdown(row) > slower }

// slowdown returns the median service time as a multiple of the shortest, 0 if unknown.
func (u *usual) slowdown(row *results.Interval) float64 {
	if row.Service.P50 == nil || u.service <= 0 {
		return 0
	}
	return float64(*row.Service.P50) / u.service
}

// Lateness names the number of late seconds and their causes, the most frequent first; empty if there are none.
func Lateness(strains []Strain) string {
	list, all := countCauses(strains)
	late, text := 0, ""
	for _, one := range list {
		late += one.Seconds
		text += fmt.Sprintf(", %s in %s", one.Cause, document.Count(int64(one.Seconds)))
	}
	if late == 0 {
		return ""
	}
	return fmt.Sprintf("late in %s of %s: %s", document.Count(int64(late)), document.Counted(all, "second"), text[len(", "):])
}

// lateSeconds are seconds of All that were late for one cause.
type lateSeconds struct {
	Cause        Cause
	Seconds, All int
}

// countCauses returns the number of late seconds of each cause, the most frequent first, and of all seconds.
func countCauses(strains []Strain) (list []lateSeconds, all int) {
	var counts [causes]int
	for _, one := range strains {
		counts[one.Cause] += one.caused()
		all += int(one.Seconds())
	}
	for cause := Unexplained; cause < causes; cause++ {
		if counts[cause] > 0 {
			list = append(list, lateSeconds{cause, counts[cause], all})
		}
	}
	slices.SortStableFunc(list, func(a, b lateSeconds) int { return cmp.Compare(b.Seconds, a.Seconds) })
	return list, all
}

// maxStrained is the share of the reported seconds that may be late for the same cause.
const maxStrained = 0.02

// Strained returns why the generator may have been the limit, the most frequent cause first; none if few operations were late,
// the generator was not observed, or the late steps of a search do not bound its answer.
func (e *evidence) Strained() (found []lateSeconds) {
	sum, l := e.Counts(results.Reported), e.Limit
	switch {
	case e.Generator == nil || float64(sum.Late) <= results.MaxLateShare*float64(sum.Sent),
		l != nil && (l.By != results.LimitP99 || l.Step(l.NotHeld) == nil) && (e.ShortStep() == nil || e.LineBound() != nil):
		return nil
	}
	list, all := countCauses(e.strains)
	for _, one := range list {
		if one.Cause.Generators() && float64(one.Seconds) >= maxStrained*float64(all) {
			found = append(found, one)
		}
	}
	return found
}

// isInSteps reports whether a whole second lies in one of the steps.
func isInSteps(steps []figure.Step, second int64) bool {
	return slices.ContainsFunc(steps, func(step figure.Step) bool { return step.Contains(second) })
}
