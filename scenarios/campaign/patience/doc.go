// Package patience is what the clients of a campaign bear: how often and when each kind of
// operation is tried again, how long the service may take, how fast requests follow.
//
// Make a [Patience] of the operations of a scenario, then [Patience.Furnish] each stage
// that offers some.
//
// The caller owes a scenario that was found valid.
// The package sends nothing and waits for nothing: loadgen/scenarios/drive does.
package patience
