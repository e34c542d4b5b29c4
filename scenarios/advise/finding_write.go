package advise

import (
	"fmt"
	"slices"
	"strings"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/report/document"
	"loadgen/scenarios/keys"
)

const (
	// often is how many single inserts of one partition a second are worth a
	// transaction.
	often = 10
	// small is how few entities make a small transaction.
	small = 10
	// large is a size in bytes from which an entity had better be a blob, usual the
	// one that the targets are said of, and tiny one that is mostly key.
	large, usual, tiny = 64 << 10, 1024, 256
)

func (s *subject) scanToWrite() Finding {
	_, one, _ := s.design.worst(func(_ *Load, one *Operation) float64 {
		if len(one.spec.By) == 0 || !one.spec.Verb.IsChange() {
			return 0
		}
		return float64(one.rank)
	})
	switch {
	case one == nil:
		return found(Good, "What is written is written by its key.")
	case one.rank == filter.ClassPoint:
		return found(Note, "%s asks for the key of what it writes, which is formed from what it knows.", one.Name).
			but("Write without asking (leave by out).")
	}
	f := found(Warning, "%s finds the key of what it writes by a %s: it counts %s entities for one write.",
		one.Name, one.Class, document.Rate(one.Entities))
	switch {
	case one.rank == filter.ClassRowRange:
		f.Verdict = Note
	case one.rank == filter.ClassTableScan:
		f.Verdict = Error
	}
	return f.but("Keep the key where the write begins, or form it from what is known there.")
}

func (s *subject) batches() Finding {
	var single, few *Operation
	var load *Load
	s.design.every(func(l *Load, one *Operation) {
		switch {
		case one.Workflow != "":
			// What it writes together is its own.
		case one.spec.Verb == entity.Insert:
			single, load = one, l
		case one.spec.Verb == entity.Batch && one.spec.Entities < small:
			few = one
		}
	})
	switch {
	case few != nil:
		return found(Note, "%s writes %d entities in a transaction, of 100 that go into one.", few.Name, few.spec.Entities).
			but("More of them at a time are fewer requests to pay and to wait for; each entity counts all the same.")
	case single == nil:
		return found(NotApplicable, "No operation inserts single entities.")
	}
	// Of what one partition takes, the single inserts have their part.
	share := load.Keys.TopMost
	if !load.Events {
		share = load.Hottest.Share
	}
	rate := load.PerSecond * single.Share * share
	f := found(Good, "One partition takes about %s single inserts a second at most (%s).", document.Rate(rate), single.Name)
	if rate < often {
		return f
	}
	f.Verdict = Note
	return f.but("Where inserts that belong together can wait for one another, a transaction of up to 100 is one " +
		"request; each entity counts all the same.")
}

func (s *subject) upserts() Finding {
	upserting := []entity.Verb{entity.InsertOrReplace, entity.InsertOrMerge}
	var guarded *Operation
	writes := false
	s.design.every(func(_ *Load, one *Operation) {
		writes = writes || one.spec.Updates()
		if one.spec.ReadFirst && slices.Contains(upserting, one.spec.Verb) {
			guarded = one
		}
	})
	switch {
	case guarded != nil && guarded.spec.Counter == "":
		return found(Warning, "%s reads an entity to write one that is inserted where it is missing: two requests for "+
			"one.", guarded.Name).
			but("Leave read_first out: the service decides by itself whether to insert. Where the old values count, merge.")
	case !writes:
		return found(NotApplicable, "No operation updates.")
	default:
		return found(Good, "No operation reads to decide between inserting and updating.")
	}
}

func (s *subject) entitySize() Finding {
	bytes := s.bytes()
	f := found(Good, "The largest sample has %s.", document.Bytes(int64(bytes)))
	if g, err := s.Generator(); err == nil {
		if mean, sized := g.MeanSize(); sized {
			f.Evidence += fmt.Sprintf(" Sizes have a mean of %s and go up to %s.", document.Bytes(int64(mean)),
				document.Bytes(int64(s.Entity.Size)))
			if curve, is := s.Entity.Sizes.(*keys.Curve); is && curve.Cut() >= 1e-9 {
				f.Evidence += fmt.Sprintf(" Of the curve %s lie above the greatest size and are cut to it.", document.Share(curve.Cut()))
			}
		}
	}
	switch {
	case bytes > large:
		f.Verdict = Warning
		return f.but("Keep the bulk in a blob, and its address in the entity.")
	case bytes > usual:
		f.Verdict = Note
		f.Evidence += " The targets are said of entities of 1 KiB; larger ones may reach less."
	}
	return f
}

// timed returns the attribute that is the time of an event and stands in a template,
// empty where none does.
func (s *subject) timed(template string) string {
	for _, a := range s.Attributes {
		plain, shaped := strings.Contains(template, "{"+a.Name+"}"), strings.Contains(template, "{"+a.Name+":")
		if keys.IsTime(a.Values) && (plain || shaped) {
			return a.Name
		}
	}
	return ""
}

func (s *subject) series() Finding {
	name := s.timed(s.design.RowKey)
	switch {
	case name == "":
		return found(NotApplicable, "No RowKey goes by time.")
	case s.bytes() > tiny:
		return found(CannotTell, "RowKeys go by {%s}; whether the values of a series are read together is not said.", name)
	default:
		return found(Note, "RowKeys go by {%s}, and entities have only %s.", name, document.Bytes(int64(s.bytes()))).
			but("Values that are read together (24 hours of a day) can be properties of one entity: one read and one " +
				"count for all.")
	}
}

func (s *subject) logs() Finding {
	l := s.inserting()
	if l == nil || !l.Keys.Hot || s.timed(s.design.PartitionKey) == "" {
		return found(NotApplicable, "Entities do not pile up by time alone.")
	}
	return found(Note, "Entities come by time, as lines of a log do: phase %s inserts %s a second.", l.Phase,
		document.Rate(l.Inserts)).
		but(fmt.Sprintf("Is it a log, and read by stretches of {%s}? A blob for each stretch is cheaper than a table.",
			s.timed(s.design.PartitionKey)))
}
