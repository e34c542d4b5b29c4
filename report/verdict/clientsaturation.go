package verdict

import (
	"fmt"
	"time"

	"loadgen/results"
)

// The bounds past which the generator doubts itself. Each asks for load that was
// late beside it: a busy processor alone, or a pool that is used up now and then,
// has harmed nobody.
const (
	// mostStrained is the share of the reported seconds that may pass under the
	// same strain.
	mostStrained = 0.02
	// mostOfCeiling is the share of what the generator sends flat out up to which
	// it can be trusted to send in time.
	mostOfCeiling = 0.8
	// allCPU is the share of its cores from which the process has all that it can
	// have: a scheduler never gives quite all.
	allCPU = 0.95
	// mostStill is the share of the reported time that the generator may stand
	// still. What is due meanwhile is late, so that it is about the share of the
	// operations, too, whose response times hold more than the target's.
	mostStill = 0.2
)

// strain is what the reported seconds of a run have in common in which the
// generator sent late. Of so many seconds that have been looked at, each count is
// of those under one strain.
type strain struct {
	seconds, workers, ceiling, cpu int
	still                          time.Duration
}

// doubts returns why the generator rather than the target may have been the limit,
// one sentence each; none where too few operations were late to say so, or nobody
// looked at it.
func clientSaturations(record *results.Record) []string {
	g, sum := record.Generator, record.Total(results.Reported)
	if g == nil || float64(sum.Late) <= fewLate*float64(sum.Sent) {
		return nil
	}
	var found []string
	s := strainOf(record)
	most := mostStrained * float64(s.seconds)
	for _, one := range []struct {
		seconds int
		how     string
	}{
		{s.workers, fmt.Sprintf("while none of its %s was free", counted(g.Workers, "worker"))},
		{s.ceiling, fmt.Sprintf("at more than %s of the %s operations/s that it can send flat out", Share(mostOfCeiling), Rate(g.Ceiling.PerSecond()))},
		{s.cpu, fmt.Sprintf("while its process used all of the %s it has", counted(g.Cores, "core"))},
	} {
		if float64(one.seconds) >= most && one.seconds > 0 {
			found = append(found, fmt.Sprintf("in %s of %s seconds the generator sent late %s", Count(int64(one.seconds)), Count(int64(s.seconds)), one.how))
		}
	}
	if share := s.still.Seconds() / float64(max(1, s.seconds)); share >= mostStill {
		found = append(found, fmt.Sprintf("the generator stood still for %s of the time, in which nothing was sent", Share(share)))
	}
	return found
}

// strainOf goes through the whole seconds of the reported phases.
func strainOf(record *results.Record) strain {
	var s strain
	steps := reported(record)
	ceiling := mostOfCeiling * record.Generator.Ceiling.PerSecond()
	for i := range record.Intervals {
		row := &record.Intervals[i]
		if row.Generator == nil || !within(steps, row.Second) {
			continue
		}
		s.seconds++
		s.still += row.Generator.StoodStill
		if float64(row.Late) <= fewLate*float64(row.Sent) {
			continue
		}
		if free := row.Generator.FreeWorkers; free != nil && *free == 0 {
			s.workers++
		}
		// Retries are sent, too: what is due alone may be far less.
		if ceiling > 0 && float64(max(row.Scheduled, row.Attempts)) > ceiling {
			s.ceiling++
		}
		if row.Generator.Share(record.Generator.Cores) >= allCPU {
			s.cpu++
		}
	}
	return s
}

// within reports whether a second lies in one of the steps, whole.
func within(steps []Step, second int64) bool {
	begin := time.Duration(second) * time.Second
	for _, step := range steps {
		if step.Phase.Begin <= begin && begin+time.Second <= step.end {
			return true
		}
	}
	return false
}
