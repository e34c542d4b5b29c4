package drive

import (
	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/target"
)

// detour is how a session makes a queue or a container that is not there, and then sends
// again what was to go there. Each of its requests is an attempt of its own.
//
//	put ─► 404, it is missing ─► make ─► 201, or 409: another made it ─► put
//	                             make ─► anything else: as the retry policy says
type detour struct {
	// put waits while what it is to be put into is made; nil where none does.
	put *target.Beside
	// made says that the request under way has had its detour: where what was made is
	// missing again, that is an outcome like others.
	made bool
}

// turnOff takes an attempt that ended within a detour, or begins one, and returns what is
// wanted then; false is for any other attempt. A workflow is told nothing of it.
func (s *Session) turnOff(now clock.Instant, outcome *target.Outcome) (Effect, bool) {
	begins := outcome.StoreMissing && s.work.Operation.Beside != nil && !s.made
	ends := s.put != nil && outcome.Class(target.Expected{Conflict: true}) == results.Ok
	if !begins && !ends {
		return Effect{}, false
	}
	s.record(now, outcome, results.Ok)
	s.stage.Limiters.told(s, now, outcome)
	// Where it was missing, no attempt before was carried out.
	s.patience, s.silent = patience{}, false
	next := s.put
	if begins {
		s.put, s.made = s.work.Operation.Beside, true
		next = s.put.Maker()
	} else {
		s.put = nil
	}
	s.work.Operation = target.Operation{Beside: next}
	return Effect{Action: WaitUntil, Until: now, Attempt: &s.attempt}, true
}
