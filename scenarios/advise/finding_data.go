package advise

import (
	"slices"
	"strings"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/report/document"
	"loadgen/scenarios/keys"
)

func (s *subject) pointQueries() Finding {
	// minPoints is the minimum share of point queries.
	const minPoints = 0.5
	reads, points := 0.0, 0.0
	var worst *Operation
	for l, one := range s.design.operations {
		part := l.PerSecond * one.Share
		switch {
		case one.rank == 0:
			continue
		case one.rank == filter.ClassPoint:
			points += part
		case worst == nil || one.rank > worst.rank:
			worst = one
		}
		reads += part
	}
	if reads == 0 {
		return newFinding("none", "reads")
	}
	f := newFinding("points/share", points/reads)
	if points/reads >= minPoints {
		return f
	}
	f = f.extend("points/few")
	if worst.rank >= filter.ClassPartitionScan {
		f.Verdict = Warning
	}
	return f
}

func (s *subject) scans() Finding {
	l, one, _ := s.design.worst(func(l *Load, one *Operation) float64 {
		if one.rank < filter.ClassPartitionScan {
			return 0
		}
		return float64(one.rank)*1e12 + l.counts(one)
	})
	if one == nil {
		if _, reads, _ := s.design.worst(rankOf); reads == nil {
			return newFinding("none", "reads")
		}
		return newFinding("scans/none")
	}
	rate, why, verdict := l.counts(one), "", Good
	if one.Why != "" {
		why = sentence("scans/why", one.Why)
	}
	// A long scan takes more than a page.
	switch target := float64(s.targets.Account); {
	case one.rank == filter.ClassTableScan && target > 0 && rate >= endangered*target:
		verdict = Error
	case one.rank == filter.ClassTableScan, one.rank == filter.ClassPartitionRangeScan && one.Entities > pageEntities:
		verdict = Warning
	case one.rank == filter.ClassPartitionRangeScan, one.Entities > pageEntities:
		verdict = Note
	}
	return newFinding("scans/worst", one.Name, one.Class, one.Entities, document.Averaged(one.Requests, "request"), rate, why).graded(verdict)
}

func (s *subject) density() Finding {
	// Below thin a query reads mostly, below vain almost only entities that it does not want.
	const thin, vain = 0.1, 0.01
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
		return newFinding("density/unknown", unknown)
	case narrowed == 0:
		return newFinding("none", "ranges")
	case worst.Density == nil:
		return newFinding("density/full")
	}
	d, counts, verdict := *worst.Density, load.counts(worst), Good
	switch {
	case d < vain && counts > float64(s.targets.Partition):
		verdict = Error
	case d < thin:
		verdict = Warning
	}
	return newFinding("density/share", worst.Name, d, 1/d, counts).graded(verdict)
}

func (s *subject) projection() Finding {
	// large is the number of bytes from which a query should use a projection.
	const large = 64 << 10
	bytes := float64(s.maxBytes())
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
		return newFinding("none", "queries")
	case most < large:
		return newFinding("projection/small", int64(most))
	default:
		return newFinding("projection/large", int64(most), worst.Name, worst.Entities)
	}
}

// maxBytes returns the size of the largest sample.
func (s *subject) maxBytes() int64 {
	most := 0
	for i := range s.design.Samples {
		most = max(most, s.design.Samples[i].Bytes)
	}
	return int64(most)
}

func (s *subject) denormalization() Finding {
	if n := len(s.Design.Copies); n > 0 {
		return newFinding("copies/some", document.Counted(n, "copy", "copies"))
	}
	_, one, _ := s.design.worst(rankOf)
	if one == nil || one.rank < filter.ClassPartitionRangeScan || len(one.spec.By) == 0 {
		return newFinding("none", "copies")
	}
	return newFinding("copies/useful", one.Name, one.spec.By[0])
}

func (s *subject) scanToWrite() Finding {
	_, one, _ := s.design.worst(func(l *Load, one *Operation) float64 {
		if len(one.spec.By) == 0 || !one.spec.Verb.IsChange() {
			return 0
		}
		return rankOf(l, one)
	})
	switch {
	case one == nil:
		return newFinding("lookup/none")
	case one.rank == filter.ClassPoint:
		return newFinding("lookup/point", one.Name)
	}
	verdict := Warning
	switch one.rank {
	case filter.ClassRowRange:
		verdict = Note
	case filter.ClassTableScan:
		verdict = Error
	}
	return newFinding("lookup/scan", one.Name, one.Class, one.Entities).graded(verdict)
}

func (s *subject) batches() Finding {
	// often is the number of single inserts of one partition a second that are worth a transaction,
	// small the number of entities of a small one.
	const often, small = 10, 10
	var single, few *Operation
	var load *Load
	for l, one := range s.design.operations {
		switch {
		case one.Workflow != "":
			// A workflow has transactions of its own.
		case one.spec.Verb == entity.Insert:
			single, load = one, l
		case one.spec.Verb == entity.Batch && one.spec.Entities < small:
			few = one
		}
	}
	switch {
	case few != nil:
		return newFinding("batches/small", few.Name, few.spec.Entities)
	case single == nil:
		return newFinding("none", "inserts")
	}
	part := load.Keys.TopMost
	if !load.Events {
		part = load.Hottest.Share
	}
	rate := load.PerSecond * single.Share * part
	f := newFinding("batches/single", rate, single.Name)
	if rate < often {
		return f.graded(Good)
	}
	return f.graded(Note)
}

func (s *subject) upserts() Finding {
	upserting := []entity.Verb{entity.InsertOrReplace, entity.InsertOrMerge}
	var guarded *Operation
	writes := false
	for _, one := range s.design.operations {
		writes = writes || one.spec.Updates()
		if one.spec.ReadFirst && slices.Contains(upserting, one.spec.Verb) {
			guarded = one
		}
	}
	switch {
	case guarded != nil && guarded.spec.Counter == "":
		return newFinding("upserts/guarded", guarded.Name)
	case !writes:
		return newFinding("none", "updates")
	default:
		return newFinding("upserts/good")
	}
}

func (s *subject) entitySize() Finding {
	// large is the size in bytes from which an entity belongs in a blob, usual that of the targets.
	const large, usual = 64 << 10, 1024
	drawn := ""
	if g, err := s.Generator(); err == nil {
		if mean, sized := g.MeanSize(); sized {
			drawn = sentence("size/drawn", int64(mean), s.Entity.Size)
			if curve, is := s.Entity.Sizes.(*keys.Curve); is && curve.Cut() >= 1e-9 {
				drawn += sentence("size/cut", curve.Cut())
			}
		}
	}
	f := newFinding("size/largest", s.maxBytes(), drawn)
	switch bytes := s.maxBytes(); {
	case bytes > large:
		return f.extend("size/blob")
	case bytes > usual:
		return f.extend("size/above")
	default:
		return f
	}
}

// timeIn returns the attribute in a template that is the time of an event, empty for none.
func (s *subject) timeIn(template string) string {
	for _, a := range s.Attributes {
		plain, shaped := strings.Contains(template, "{"+a.Name+"}"), strings.Contains(template, "{"+a.Name+":")
		if keys.IsTime(a.Values) && (plain || shaped) {
			return a.Name
		}
	}
	return ""
}

func (s *subject) series() Finding {
	// tiny is the size in bytes of an entity that is mostly key.
	const tiny = 256
	switch name := s.timeIn(s.design.RowKey); {
	case name == "":
		return newFinding("none", "RowKey by time")
	case s.maxBytes() > tiny:
		return newFinding("series/unknown", name)
	default:
		return newFinding("series/small", name, s.maxBytes())
	}
}

func (s *subject) logs() Finding {
	l, name := s.inserting(), s.timeIn(s.design.PartitionKey)
	if l == nil || !l.Keys.Hot || name == "" {
		return newFinding("none", "log")
	}
	return newFinding("logs/some", l.Phase, l.Inserts, name)
}
