package advise

import (
	"time"

	"loadgen/report/document"
)

// accountBytes holds what the busiest load sends and gets a second to what an account takes
// in, and gives out.
func (s *subject) accountBytes() Finding {
	in, out, some := s.traffic()
	if !some {
		return idle()
	}
	// Accounts that share the load have equal parts of its bytes.
	accounts := float64(max(1, s.targets.Accounts))
	in, out = in/accounts, out/accounts
	if out == 0 {
		return found(CannotTell, "At the peak an account takes in about %s/s, %s; all was throttled, so that what it would give out is not known.",
			document.Bytes(int64(in)), ofLimit(in, s.targets.Ingress))
	}
	f := found(Good, "At the peak an account takes in about %s/s, %s, and gives out %s/s, %s.",
		document.Bytes(int64(in)), ofLimit(in, s.targets.Ingress), document.Bytes(int64(out)), ofLimit(out, s.targets.Egress))
	switch most := max(share(in, s.targets.Ingress), share(out, s.targets.Egress)); {
	case most > 1:
		f.Verdict = Error
	case most >= near:
		f.Verdict = Warning
	default:
		return f
	}
	return f.but("Project, compress what is large before it is sent, keep it in blobs, or spread the load over accounts.")
}

// ofLimit says how much of a limit a rate of bytes is.
func ofLimit(bytes float64, limit int64) string {
	if limit == 0 {
		return "without a limit"
	}
	return document.PartOf(bytes, float64(limit)) + " of " + document.Bytes(limit) + "/s"
}

// share returns how much of a limit something is; 0 where there is no limit.
func share(value float64, limit int64) float64 {
	if limit == 0 {
		return 0
	}
	return value / float64(limit)
}

const (
	soon  = 30 * 24 * time.Hour
	later = 3 * 365 * 24 * time.Hour
)

// capacity says when accounts are full: of what was loaded, and of what is inserted for as
// long as the load goes on. Sizes are those that the service bills by.
func (s *subject) capacity() Finding {
	if s.targets.Capacity == 0 {
		return found(NotApplicable, "The model has no capacity of an account.")
	}
	mean, sized := 0.0, false
	if g, err := s.Generator(); err == nil {
		mean, sized = g.MeanSize()
	}
	if n := len(s.design.Samples); !sized && n > 0 {
		sum := 0
		for i := range s.design.Samples {
			sum += s.design.Samples[i].Bytes
		}
		mean = float64(sum) / float64(n)
	}
	each, inserts := mean*float64(1+len(s.Design.Copies)), 0.0
	for i := range s.design.Loads {
		inserts = max(inserts, s.design.Loads[i].Inserts)
	}
	room := float64(s.targets.Capacity) * float64(max(1, s.targets.Accounts))
	loaded := float64(s.Loaded(len(s.Phases))) * each
	what := document.Bytes(s.targets.Capacity) + " of an account"
	if s.targets.Accounts > 1 {
		what = document.Bytes(int64(room)) + " of " + document.Counted(s.targets.Accounts, "account")
	}
	if loaded >= room {
		return found(Error, "What is loaded takes %s, more than the %s.", document.Bytes(int64(loaded)), what).
			but("Spread the entities over more accounts, or keep what is large in blobs.")
	}
	if inserts*each == 0 {
		return found(Good, "What is loaded takes %s, %s of the %s; nothing is inserted.", document.Bytes(int64(loaded)), document.PartOf(loaded, room), what)
	}
	full := seconds((room - loaded) / (inserts * each))
	f := found(Good, "%s new entities a second of %s, copies included, would fill the %s in %s if that went on.",
		document.Rate(inserts), document.Bytes(int64(each)), what, document.Span(full))
	switch {
	case full < soon:
		f.Verdict = Warning
	case full < later:
		f.Verdict = Note
	default:
		return f
	}
	return f.but("Delete what is old, a table at a time, or spread the entities over more accounts.")
}
