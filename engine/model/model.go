package model

import (
	"errors"
	"fmt"
	"time"
)

// The profiles that [New] knows.
const (
	// Documented takes the documents' targets as hard limits.
	Documented = "documented"
	// Off has no limits and answers at once: what remains is the engine itself.
	Off = "off"
)

// Profiles returns the names of the profiles.
func Profiles() []string { return []string{Documented, Off} }

// Model is a full set of parameters. Rates are in entities per second, 0 being
// no limit.
type Model struct {
	// Profile is the name of the set that the parameters started from.
	Profile string
	// PartitionTarget and AccountTarget are rates that one PartitionKey and
	// one account are held to.
	PartitionTarget, AccountTarget int64
	// PartitionBurst and AccountBurst are how much of a second's allowance an
	// idle partition or account has saved up.
	PartitionBurst, AccountBurst time.Duration
	// PageEntities is the greatest number of entities in a page.
	PageEntities int64
	// PageTime is how long a page's query may run, ScanRate how many entities
	// it scans per second meanwhile.
	PageTime time.Duration
	ScanRate int64
	// RoundTrip is the network's part of every attempt. ReadTime and WriteTime
	// are the mean time the service works on a request for one entity;
	// EntityTime is added for each further entity of a transaction.
	RoundTrip, ReadTime, WriteTime, EntityTime time.Duration
	// RefusalTime is how long the service takes to refuse.
	RefusalTime time.Duration
	// TimeSpread is the coefficient of variation of ReadTime and WriteTime, in
	// thousandths.
	TimeSpread int64
}

// ErrUnknown is wrapped by errors about a name that does not exist.
var ErrUnknown = errors.New("model: unknown name")

// ErrValue is wrapped by errors about a value that a parameter cannot take.
var ErrValue = errors.New("model: impossible value")

// New returns the model of a profile.
func New(profile string) (*Model, error) {
	m := &Model{
		Profile:        profile,
		PartitionBurst: 100 * time.Millisecond,
		AccountBurst:   250 * time.Millisecond,
		PageEntities:   1000,
		PageTime:       5 * time.Second,
		ScanRate:       10_000,
	}
	switch profile {
	case Documented:
		m.PartitionTarget, m.AccountTarget = 2000, 20_000
		m.RoundTrip = time.Millisecond
		m.ReadTime, m.WriteTime = 3*time.Millisecond, 8*time.Millisecond
		m.EntityTime = 100 * time.Microsecond
		m.RefusalTime = 2 * time.Millisecond
		m.TimeSpread = 400
	case Off:
	default:
		return nil, fmt.Errorf("%w: profile %q; there are %q", ErrUnknown, profile, Profiles())
	}
	return m, nil
}

// PageScan returns the greatest number of entities that one page's query may
// scan: what it gets through in PageTime.
func (m *Model) PageScan() int64 {
	return int64(m.PageTime/time.Millisecond) * m.ScanRate / 1000
}

// Validate returns every parameter that lies outside its bounds.
func (m *Model) Validate() []error {
	var faults []error
	for _, p := range m.Parameters() {
		if p.Value < p.Least || p.Value > p.Greatest {
			faults = append(faults, fmt.Errorf("%w: %s is %s; it must be from %s to %s",
				ErrValue, p.Name, p.Text(), p.text(p.Least), p.text(p.Greatest)))
		}
	}
	return faults
}
