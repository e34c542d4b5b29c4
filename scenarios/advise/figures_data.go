package advise

import (
	"slices"
	"strconv"
	"strings"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/report/document"
	"loadgen/scenarios/keys"
)

// reads sets what the operations read.
func (s *subject) reads(f figures) {
	reads, points := 0.0, 0.0
	for l, one := range s.design.operations {
		part := l.PerSecond * one.Share
		switch {
		case one.rank == 0:
			continue
		case one.rank == filter.ClassPoint:
			points += part
		}
		reads += part
		// Reads that know more than a time ask for entities, not for a stretch of a log.
		f["keyed-reads"] = f["keyed-reads"] == true || one.rank == filter.ClassPoint ||
			slices.ContainsFunc(one.spec.By, func(name string) bool { return s.timeIn("{"+name+"}") == "" })
		f["worst-scans"] = f["worst-scans"] == true || one.rank >= filter.ClassPartitionScan
	}
	if f["reads"] = reads; reads > 0 {
		f["points"] = points / reads
	}
	s.scans(f)
	s.density(f)
	_, one, most := s.design.worst(func(_ *Load, one *Operation) float64 {
		if one.spec.Verb != entity.Query || len(one.spec.Select) > 0 {
			return 0
		}
		returned := one.Entities * float64(s.maxBytes())
		if one.Density != nil {
			returned *= *one.Density
		}
		return returned
	})
	if one != nil {
		f["query"], f["query-bytes"] = one.Name, int64(most)
	}
	if _, one, most := s.design.worst(func(_ *Load, one *Operation) float64 {
		if one.rank <= filter.ClassPoint || one.Requests == 0 {
			return 0
		}
		return one.Entities
	}); one != nil {
		f["together"], f["read-together"] = one.Name, most
	}
}

// scans sets the worst scan: of the worst class, that which counts most.
func (s *subject) scans(f figures) {
	l, one, _ := s.design.worst(func(l *Load, one *Operation) float64 {
		if one.rank < filter.ClassPartitionScan {
			return 0
		}
		return float64(one.rank)*1e12 + l.counts(one)
	})
	if one == nil {
		return
	}
	f["scan"], f["scan-class"], f["scan-entities"], f["scan-requests"] = one.Name, one.Class, one.Entities, document.Averaged(one.Requests, "request")
	f["scan-rate"], f["scan-part"], f["scan-why"] = l.counts(one), share(l.counts(one), s.targets.Account), ""
	f["scan-of-several"], f["scan-of-table"] = one.rank >= filter.ClassPartitionRangeScan, one.rank >= filter.ClassTableScan
	if one.Why != "" {
		f["scan-why"] = " Why: " + one.Why + "."
	}
}

// density sets the query that wants the least part of what it reads.
func (s *subject) density(f figures) {
	l, thin, _ := s.design.worst(func(_ *Load, one *Operation) float64 {
		switch {
		case one.rank <= filter.ClassPoint:
			return 0
		case one.Narrowed && one.Density == nil:
			f["unmeasured"] = one.Name
			return 0
		case one.Narrowed:
			return 1 / *one.Density
		default:
			return 1
		}
	})
	if f["narrowed"] = thin != nil; thin != nil && thin.Density != nil {
		d := *thin.Density
		f["thin"], f["density"], f["for-one"], f["thin-rate"] = thin.Name, d, 1/d, l.counts(thin)
	}
}

// writes sets how the operations write.
func (s *subject) writes(f figures) {
	// small is the number of entities of a small transaction.
	const small = 10
	upserting := []entity.Verb{entity.InsertOrReplace, entity.InsertOrMerge}
	for l, one := range s.design.operations {
		spec := one.spec
		f["updates"] = f["updates"] == true || spec.Updates()
		if spec.ReadFirst && spec.Counter == "" && slices.Contains(upserting, spec.Verb) {
			f["guarded"] = one.Name
		}
		switch {
		case one.Workflow != "":
			// A workflow has transactions of its own.
		case spec.Verb == entity.Insert:
			part := l.Keys.TopMost
			if !l.Events {
				part = l.Hottest.Share
			}
			f["single"], f["single-rate"] = one.Name, l.PerSecond*one.Share*part
		case spec.Verb == entity.Batch && spec.Entities < small:
			f["few"], f["few-entities"] = one.Name, spec.Entities
		}
	}
	_, lookup, _ := s.design.worst(func(l *Load, one *Operation) float64 {
		if len(one.spec.By) == 0 || !one.spec.Verb.IsChange() {
			return 0
		}
		return rankOf(l, one)
	})
	if lookup != nil {
		f["lookup"], f["lookup-rank"], f["lookup-class"], f["lookup-entities"] = lookup.Name, int(lookup.rank), lookup.Class, lookup.Entities
	}
	f["copies"], f["all-copies"] = len(s.Design.Copies), document.Counted(len(s.Design.Copies), "copy", "copies")
	if _, one, _ := s.design.worst(rankOf); one != nil && one.rank >= filter.ClassPartitionRangeScan && len(one.spec.By) > 0 {
		f["unserved"], f["unserved-by"] = one.Name, one.spec.By[0]
	}
}

// entities sets what entities are: their size, and whether they are a series or a log.
func (s *subject) entities(f figures) {
	f["size"], f["drawn-size"] = s.maxBytes(), ""
	if g, err := s.Generator(); err == nil {
		if mean, sized := g.MeanSize(); sized {
			drawn := sentence("size/drawn", int64(mean), s.Entity.Size)
			if curve, is := s.Entity.Sizes.(*keys.Curve); is && curve.Cut() >= 1e-9 {
				drawn += sentence("size/cut", curve.Cut())
			}
			f["drawn-size"] = drawn
		}
	}
	f["series-time"], f["log-time"] = s.timeIn(s.design.RowKey), s.timeIn(s.design.PartitionKey)
	for _, o := range s.EachOperation {
		switch o.Workflow {
		case "direct-read":
			f["direct"] = o.Name
		case "proxied-read":
			f["proxied"] = o.Name
		case "log-append", "log-read":
			f["log-workflow"] = o.Name
		case "series-put":
			each, _ := strconv.Atoi(o.With.Text("per-entity"))
			f["series-workflow"], f["series-each"] = o.Name, each
		}
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

// timeIn returns the attribute in a template that is the time of an event, or from which text in it is formed;
// empty for none.
func (s *subject) timeIn(template string) string {
	for _, a := range s.Attributes {
		if !strings.Contains(template, "{"+a.Name+"}") && !strings.Contains(template, "{"+a.Name+":") {
			continue
		}
		if keys.IsTime(a.Values) {
			return a.Name
		}
		if text, is := a.Values.(keys.Text); is {
			if name := s.timeIn(text.Template.String()); name != "" {
				return name
			}
		}
	}
	return ""
}
