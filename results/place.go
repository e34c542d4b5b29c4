package results

// place is a partition: what the name of its table adds to that of the test table, and
// its PartitionKey. One key in two tables is two partitions.
type place struct{ table, key string }

// AccountStats is the load of one account in a phase of a run over several.
type AccountStats struct {
	// Offered is what the operations due in the phase meant to touch in the account, in
	// entities: what they do beside their own partition where that lies, such as copies,
	// and all else where their first request went. What was never sent went to none.
	Offered int64 `json:"offered_entities"`
	// Served are the entities counted for successes, and Throttled the attempts
	// throttled, that ended while the phase lasted: as in [Phase.Partitions], no account
	// seems to have served more per second than it did.
	Served    int64 `json:"served_entities"`
	Throttled int64 `json:"throttled"`
}

func (r *Recorder) account(a *Attempt) {
	if a.Try == 0 {
		for i := range a.Beyond {
			r.offerAccount(a.Phase, a.Beyond[i].Account, a.Beyond[i].Entities)
		}
		r.offerAccount(a.Phase, a.Account, a.own())
	}
	phase, found := r.phaseAt(a.Done)
	if !found || a.Account >= len(r.record.Phases[phase].Accounts) {
		return
	}
	one := &r.record.Phases[phase].Accounts[a.Account]
	switch a.Class {
	case Ok:
		one.Served += a.Counted
	case Throttled:
		one.Throttled++
	}
}

func (r *Recorder) offerAccount(phase, account int, entities int64) {
	if of := r.record.Phases[phase].Accounts; account < len(of) {
		of[account].Offered += entities
	}
}

// Busiest returns the position of the account that was offered most in the phase,
// the first of equals, and false where the run was not over several.
func (p *Phase) Busiest() (int, bool) {
	most := 0
	for i := range p.Accounts {
		if p.Accounts[i].Offered > p.Accounts[most].Offered {
			most = i
		}
	}
	return most, len(p.Accounts) > 0
}
