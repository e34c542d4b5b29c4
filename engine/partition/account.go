package partition

import (
	"loadgen/engine/clock"
	"loadgen/engine/model"
)

// account is what one account may still take, in entities and in bytes each way.
type account struct{ entities, in, out bucket }

// accounts holds the accounts in use, and the limits on each.
type accounts struct {
	entities, in, out limit
	known             map[uint32]*account
}

// newAccounts counts bytes only where the start is cold.
func newAccounts(m *model.Model, cold bool) accounts {
	a := accounts{
		entities: newLimit(m.AccountTarget, int64(m.AccountBurst)),
		known:    make(map[uint32]*account),
	}
	if cold {
		a.in = newLimit(m.Stamp.AccountIngress, int64(m.AccountBurst))
		a.out = newLimit(m.Stamp.AccountEgress, int64(m.AccountBurst))
	}
	return a
}

func (a *accounts) find(now clock.Instant, number uint32) *account {
	if one, known := a.known[number]; known {
		return one
	}
	one := &account{a.entities.full(now), a.in.full(now), a.out.full(now)}
	a.known[number] = one
	return one
}

// take decides on a request and debits what it admits: the entities first, then
// the bytes that come in. Bytes that go out are debited once they are known; a
// read is refused while they are owed.
func (a *accounts) take(now clock.Instant, one *account, d *Demand, cost int64) Kind {
	if !one.entities.take(now, cost, a.entities) {
		return AccountBusy
	}
	if d.BytesIn > 0 && !one.in.take(now, nanos(d.BytesIn), a.in) {
		return IngressBusy
	}
	if d.Read && !one.out.take(now, 0, a.out) {
		return EgressBusy
	}
	return Admitted
}
