package model

import "fmt"

// Validate returns every parameter that lies outside its bounds, and every pair
// of them that cannot be together.
func (m *Model) Validate() []error {
	var faults []error
	for _, p := range m.Parameters() {
		if p.Value < p.Least || p.Value > p.Greatest {
			faults = append(faults, fmt.Errorf("%w: %s is %s; it must be from %s to %s",
				ErrValue, p.Name, p.Text(), p.text(p.Least), p.text(p.Greatest)))
		}
	}
	if len(faults) > 0 {
		return faults
	}
	if m.ClientMachines > 1 && m.ClientBandwidth == 0 {
		faults = append(faults, fmt.Errorf("%w: client_machines is %d and client_bandwidth 0: without a bandwidth one machine bears any load; expected both, or one machine",
			ErrValue, m.ClientMachines))
	}
	for _, o := range orders() {
		low, high := m.parameter(o.low), m.parameter(o.high)
		if low.Value > high.Value {
			faults = append(faults, fmt.Errorf("%w: %s is %s; it must be at least %s, which is %s (%s)",
				ErrValue, high.Name, high.Text(), low.Name, low.Text(), o.why))
		}
	}
	return faults
}

// order says that one parameter must not be greater than another.
type order struct{ low, high, why string }

func orders() []order {
	return []order{
		{"tick", "detection", "overload is seen at a tick only"},
		{"tick", "quiet", "quiet is seen at a tick only"},
		{"tick", "load_memory", "a load is averaged over ticks"},
		{"utilisation_low", "utilisation_high", "headroom shrinks as a server gets busy"},
		{"pending_low", "pending_high", "throttling grows with the queue"},
		{"offline_least", "offline_most", "a hand-over takes a time between the two"},
	}
}

// parameter returns a parameter that exists, by name.
func (m *Model) parameter(name string) Parameter {
	for _, p := range m.Parameters() {
		if p.Name == name {
			return p
		}
	}
	panic("model: no parameter is called " + name)
}
