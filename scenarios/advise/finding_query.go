package advise

import (
	"fmt"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/report/document"
)

const (
	// mostPoints is the share of the reads from which most are point queries.
	mostPoints = 0.5
	// longScan is how many entities make the scan of one partition a large one: more
	// than a page.
	longScan = pageEntities
	// thin and vain are densities below which a query reads mostly, or next to only,
	// what it does not want.
	thin, vain = 0.1, 0.01
	// wide is how many bytes a query returns that had better be few.
	wide = 64 << 10
)

func (s *subject) pointQueries() Finding {
	reads, points := 0.0, 0.0
	var worst *Operation
	s.design.every(func(l *Load, one *Operation) {
		if one.rank == 0 {
			return
		}
		part := l.PerSecond * one.Share
		if reads += part; one.rank == filter.ClassPoint {
			points += part
		} else if worst == nil || one.rank > worst.rank {
			worst = one
		}
	})
	if reads == 0 {
		return found(NotApplicable, "No operation reads.")
	}
	f := found(Good, "%s of the reads know both keys of what they want.", document.Share(points/reads))
	if points/reads >= mostPoints {
		return f
	}
	f.Verdict = Note
	if worst.rank >= filter.ClassPartitionScan {
		f.Verdict = Warning
	}
	return f.but("Form the keys of what the commonest reads know, or keep a copy under such keys.")
}

func (s *subject) scans() Finding {
	l, one, _ := s.design.worst(func(l *Load, one *Operation) float64 {
		if one.rank < filter.ClassPartitionScan {
			return 0
		}
		return float64(one.rank)*1e12 + l.counts(one)
	})
	if one == nil {
		if _, reads, _ := s.design.worst(func(_ *Load, one *Operation) float64 { return float64(one.rank) }); reads == nil {
			return found(NotApplicable, "No operation reads.")
		}
		return found(Good, "No operation scans a partition, or several.")
	}
	rate, why := l.counts(one), ""
	if one.Why != "" {
		why = " Why: " + one.Why + "."
	}
	f := found(Good, "%s is a %s: it counts %s entities and takes %s, at the peak %s entities/s.%s",
		one.Name, one.Class, document.Rate(one.Entities), document.Averaged(one.Requests, "request"), document.Rate(rate), why)
	switch target := float64(s.targets.Account); {
	case one.rank == filter.ClassTableScan && target > 0 && rate >= endangered*target:
		f.Verdict = Error
	case one.rank == filter.ClassTableScan, one.rank == filter.ClassPartitionRangeScan && one.Entities > longScan:
		f.Verdict = Warning
	case one.rank == filter.ClassPartitionRangeScan, one.Entities > longScan:
		f.Verdict = Note
	default:
		return f
	}
	return f.but(fmt.Sprintf("Choose a design, or add a copy, whose keys begin with what %s knows.", one.Name))
}

func (s *subject) density() Finding {
	narrowed, unknown := 0, ""
	load, worst, _ := s.design.worst(func(_ *Load, one *Operation) float64 {
		switch {
		case one.rank <= filter.ClassPoint:
			return 0
		case one.Narrowed && one.Density == nil:
			unknown = one.Name
			return 0
		case one.Narrowed:
			narrowed++
			return 1 / *one.Density
		default:
			narrowed++
			return 1
		}
	})
	switch {
	case worst == nil && unknown != "":
		return found(CannotTell, "Too few entities were looked at to say how much of what %s reads it wants.", unknown)
	case narrowed == 0:
		return found(NotApplicable, "No query reads more than one entity.")
	case worst.Density == nil:
		return found(Good, "Queries want all that they read.")
	}
	d := *worst.Density
	f := found(Good, "%s wants %s of what it reads: each entity that it returns counts about %s.", worst.Name,
		document.Share(d), document.Rate(1/d))
	switch {
	case d < vain && load.counts(worst) > float64(s.targets.Partition):
		f.Verdict = Error
		f.Evidence += fmt.Sprintf(" At the peak it counts %s entities/s.", document.Rate(load.counts(worst)))
	case d < thin:
		f.Verdict = Warning
	default:
		return f
	}
	return f.but(fmt.Sprintf("Bring what %s knows into its keys: a filter on properties saves bytes, and no entity "+
		"of the count.", worst.Name))
}

func (s *subject) projection() Finding {
	bytes := float64(s.bytes())
	_, worst, most := s.design.worst(func(_ *Load, one *Operation) float64 {
		if one.spec.Verb != entity.Query || len(one.spec.Select) > 0 {
			return 0
		}
		returned := one.Entities
		if one.Density != nil {
			returned *= *one.Density
		}
		return returned * bytes
	})
	switch {
	case worst == nil:
		return found(NotApplicable, "No query returns whole entities.")
	case most < wide:
		return found(Good, "No query without a projection returns more than %s on the average.", document.Bytes(int64(most)))
	}
	return found(Note, "%s returns about %s of whole entities each time.", worst.Name, document.Bytes(int64(most))).
		but(fmt.Sprintf("Where some properties are enough, name them in its select: fewer bytes for the same count of "+
			"%s entities.",
			document.Rate(worst.Entities)))
}

// bytes returns the size of the largest sample.
func (s *subject) bytes() int {
	most := 0
	for i := range s.design.Samples {
		most = max(most, s.design.Samples[i].Bytes)
	}
	return most
}

func (s *subject) denormalization() Finding {
	n := len(s.Design.Copies)
	if n > 0 {
		return found(Note, "Each entity has %s beside it: a write counts for each of them, and those of other partitions "+
			"are not written at the same moment.", document.Counted(n, "copy", "copies")).
			but("Have readers bear that a copy is missing or old for a while; what must be atomic goes into one partition.")
	}
	_, one, _ := s.design.worst(func(_ *Load, one *Operation) float64 { return float64(one.rank) })
	if one == nil || one.rank < filter.ClassPartitionRangeScan || len(one.spec.By) == 0 {
		return found(NotApplicable, "No copies, and no query that needs one.")
	}
	return found(Note, "%s has no keys that serve it.", one.Name).
		but(fmt.Sprintf("A copy whose PartitionKey is formed from what it knows ({%s}) makes two writes of one, and no "+
			"scan of its read.",
			one.spec.By[0]))
}
