package partition

import "loadgen/engine/clock"

// account is what one account may still take, in entities and in bytes each way.
type account struct{ entities, in, out bucket }

// accounts holds the accounts in use, and the limits on each.
type accounts struct {
	entities, in, out limit
	// known are those in use, at their numbers, which the engine gives out from 0.
	known []*account
}

func (a *accounts) find(now clock.Instant, number uint32) *account {
	for uint32(len(a.known)) <= number {
		a.known = append(a.known, nil)
	}
	one := a.known[number]
	if one == nil {
		one = &account{a.entities.full(now), a.in.full(now), a.out.full(now)}
		a.known[number] = one
	}
	return one
}

// take decides on a request and debits what it admits: the entities first, then
// the bytes that come in. Bytes that go out are debited once they are known; a
// read is refused while they are owed.
func (a *accounts) take(now clock.Instant, one *account, d *Demand, cost int64) Kind {
	if !one.entities.take(now, cost, a.entities) {
		return AccountBusy
	}
	if d.Received > 0 && !one.in.take(now, nanos(d.Received), a.in) {
		return IngressBusy
	}
	if d.Sends > 0 {
		one.out.charge(now, nanos(d.Sends), a.out)
	}
	if d.Read && !one.out.take(now, 0, a.out) {
		return EgressBusy
	}
	return Admitted
}
