package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"loadgen/engine/clock"
	"loadgen/results"
)

// SchemaVersion is that of the messages. Both ends are of one build; it is there to tell
// what is none of ours.
const SchemaVersion = 1

// The bounds of what is said.
const (
	// MaxBytes is the maximum size of a message: the default of NATS.
	MaxBytes = 1 << 20
	// partBytes are carried by one message of several, before they are written as JSON.
	partBytes = 512 << 10
	// maxParts bounds a record, to 256 MiB, and a charge.
	maxParts = 512
	// maxTextBytes bounds names, labels and reasons, in bytes.
	maxTextBytes = 1024
	// maxCount bounds each count of a second, so that no sum overflows.
	maxCount = 1_000_000_000_000
	// maxLabels is the maximum number of labels of a member.
	maxLabels = 32
)

// ErrMalformed is wrapped where a message is none of this protocol.
var ErrMalformed = errors.New("not a message of a fleet")

// Ask is what a member says. Exactly one of the pointers is set.
type Ask struct {
	SchemaVersion int `json:"schema_version"`
	// Epoch is the member's process, drawn anew for each; Run is which of a series of runs it
	// is about, from 0; Number counts what it says of that.
	Epoch  string  `json:"epoch"`
	Run    uint64  `json:"run,omitempty"`
	Number uint64  `json:"number"`
	Join   *Hello  `json:"join,omitempty"`
	Probe  *Probe  `json:"probe,omitempty"`
	Fetch  *Fetch  `json:"fetch,omitempty"`
	Beat   *Beat   `json:"beat,omitempty"`
	Told   *Report `json:"told,omitempty"`
	Came   *Came   `json:"came,omitempty"`
	Final  *Final  `json:"final,omitempty"`
	Leave  *Leave  `json:"leave,omitempty"`
}

// Hello is who a member is.
type Hello struct {
	Name    string            `json:"name"`
	Version string            `json:"version"`
	Labels  map[string]string `json:"labels,omitempty"`
}

// Probe asks for an answer, which says what time it is.
type Probe struct{}

// Fetch asks for a part of the charge, from 0.
type Fetch struct {
	Part int `json:"part"`
}

// Beat says that a member is there, and how far it is.
type Beat struct {
	// Ready says that its share is prepared; the others hold from then on.
	Ready   bool   `json:"ready"`
	Planned uint64 `json:"planned_operations"`
	// Offset is how far the leader's clock is ahead of the member's, to within Bound.
	Offset time.Duration `json:"clock_offset_ns"`
	Bound  time.Duration `json:"clock_bound_ns"`
}

// Report is a whole second of the run, numbered from 0 without a gap.
type Report struct {
	Sequence uint64 `json:"sequence"`
	Second   Second `json:"second"`
}

// Came is what a member measured of a turn.
type Came struct {
	Turn int             `json:"turn"`
	What json.RawMessage `json:"what"`
}

// Final is a part of a member's record, and what the whole of it is.
type Final struct {
	Part   int    `json:"part"`
	Parts  int    `json:"parts"`
	SHA256 string `json:"sha256"`
	Bytes  []byte `json:"bytes"`
	// Told is how many seconds it told, Untold how many more it had no room to.
	Told   uint64 `json:"seconds_told"`
	Untold uint64 `json:"seconds_untold"`
	// Counts are those of its record.
	Counts results.Counts `json:"counts"`
	// Partial is why the record is not of the whole share, empty where it is.
	Partial string `json:"partial,omitempty"`
}

// Leave says that a member goes: with its work done, or for a reason.
type Leave struct {
	Reason string `json:"reason,omitempty"`
}

// Answer is what the leader says to an ask. At most one of the pointers is set; none where
// it is only known that the ask arrived.
type Answer struct {
	SchemaVersion int    `json:"schema_version"`
	Run           uint64 `json:"run,omitempty"`
	Number        uint64 `json:"number"`
	// At is when the leader answers, by its own clock.
	At clock.Instant `json:"at_ns"`
	// Refused is why the member has to go, empty where it may stay.
	Refused string `json:"refused,omitempty"`
	// Over says that no run of the series follows.
	Over   bool    `json:"over,omitempty"`
	Joined *Joined `json:"joined,omitempty"`
	Part   *Part   `json:"part,omitempty"`
	Orders *Orders `json:"orders,omitempty"`
}

// Joined says that a member is one, and how long its charge is.
type Joined struct {
	Index  int    `json:"index"`
	Of     int    `json:"of"`
	Parts  int    `json:"charge_parts"`
	SHA256 string `json:"charge_sha256"`
}

// Part is a part of the charge.
type Part struct {
	Part  int    `json:"part"`
	Bytes []byte `json:"bytes"`
}

// Orders are what a member has to do now.
type Orders struct {
	// Prepare says that all have joined; Start is when to begin, by the leader's clock.
	Prepare bool           `json:"prepare"`
	Start   *clock.Instant `json:"start_ns,omitempty"`
	// Turn is what is offered next, where each follows from what came of the last.
	Turn *Turn `json:"turn,omitempty"`
	// Stop is why the run ends before its time.
	Stop string `json:"stop,omitempty"`
}

// Turn is something that all offer together, and then tell what came of it.
type Turn struct {
	// Number is which it is, from 1; What, as the command writes it, is missing after the last.
	Number int             `json:"number"`
	What   json.RawMessage `json:"what,omitempty"`
	// Start is when it begins, by the clock of whoever says so.
	Start clock.Instant `json:"start_ns"`
}

// Decode reads what a member says, or the leader. Errors wrap [ErrMalformed], and are an
// [OtherSchema] where the message is of another version.
func Decode(text []byte, into interface{ check() error }) error {
	if len(text) > MaxBytes {
		return fmt.Errorf("%w: %d bytes; expected %d at most", ErrMalformed, len(text), MaxBytes)
	}
	err := decode(text, into)
	if err == nil {
		if fault := into.check(); fault != nil {
			err = fmt.Errorf("%w: %w", ErrMalformed, fault)
		}
	}
	if err == nil {
		return nil
	}
	other := new(OtherSchema)
	if json.Unmarshal(text, other) == nil && other.SchemaVersion > 0 && other.SchemaVersion != SchemaVersion {
		return other
	}
	return err
}

// OtherSchema is a message of another version of this protocol.
type OtherSchema struct {
	SchemaVersion int    `json:"schema_version"`
	Number        uint64 `json:"number"`
}

// Error implements error.
func (o *OtherSchema) Error() string {
	return fmt.Sprintf("the message version %d differs from the peer's %d; use the same build everywhere", o.SchemaVersion, SchemaVersion)
}

// Unwrap returns [ErrMalformed].
func (*OtherSchema) Unwrap() error { return ErrMalformed }

// decode reads one JSON value and nothing else.
func decode(text []byte, into any) error {
	reader := json.NewDecoder(bytes.NewReader(text))
	reader.DisallowUnknownFields()
	if err := reader.Decode(into); err != nil {
		return fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if _, err := reader.Token(); err != io.EOF {
		return fmt.Errorf("%w: more than one value", ErrMalformed)
	}
	return nil
}

// check finds what the types cannot say.
func (a *Ask) check() error {
	if a.SchemaVersion != SchemaVersion {
		return fmt.Errorf("schema_version: %d; expected %d", a.SchemaVersion, SchemaVersion)
	}
	if a.Epoch == "" || len(a.Epoch) > maxTextBytes {
		return fmt.Errorf("epoch: %d bytes; expected 1 to %d", len(a.Epoch), maxTextBytes)
	}
	said := 0
	for _, one := range []bool{a.Join != nil, a.Probe != nil, a.Fetch != nil, a.Beat != nil, a.Told != nil, a.Came != nil, a.Final != nil, a.Leave != nil} {
		if one {
			said++
		}
	}
	switch {
	case said != 1:
		return fmt.Errorf("it says %d things; expected one", said)
	case a.Join != nil:
		return a.Join.check()
	case a.Fetch != nil && (a.Fetch.Part < 0 || a.Fetch.Part >= maxParts):
		return fmt.Errorf("fetch.part: %d; expected 0 to %d", a.Fetch.Part, maxParts-1)
	case a.Beat != nil && a.Beat.Bound < 0:
		return fmt.Errorf("beat.clock_bound_ns: %v; expected no less than 0", a.Beat.Bound)
	case a.Told != nil:
		return a.Told.Second.check()
	case a.Came != nil && (a.Came.Turn < 1 || len(a.Came.What) == 0):
		return fmt.Errorf("came.turn: %d, of which %d bytes came; expected 1 or more", a.Came.Turn, len(a.Came.What))
	case a.Final != nil:
		return a.Final.check()
	case a.Leave != nil && len(a.Leave.Reason) > maxTextBytes:
		return fmt.Errorf("leave.reason: %d bytes; expected %d at most", len(a.Leave.Reason), maxTextBytes)
	}
	return nil
}

func (h *Hello) check() error {
	size := 0
	for name, value := range h.Labels {
		size = max(size, len(name), len(value))
	}
	switch {
	case h.Name == "" || len(h.Name) > maxTextBytes:
		return fmt.Errorf("join.name: %d bytes; expected 1 to %d", len(h.Name), maxTextBytes)
	case len(h.Version) > maxTextBytes:
		return fmt.Errorf("join.version: %d bytes; expected %d at most", len(h.Version), maxTextBytes)
	case len(h.Labels) > maxLabels || size > maxTextBytes:
		return fmt.Errorf("join.labels: %d of up to %d bytes; expected %d at most of up to %d", len(h.Labels), size, maxLabels, maxTextBytes)
	}
	return nil
}

func (s *Second) check() error {
	if len(s.Response) != len(s.Interval.Kinds) {
		return fmt.Errorf("told.second.response: %d of them; expected %d, as the interval has kinds", len(s.Response), len(s.Interval.Kinds))
	}
	i := &s.Interval
	if !i.Within(maxCount) || i.Second < 0 || i.Second > maxCount {
		return fmt.Errorf("told.second.interval: a count below 0, or above %d", int64(maxCount))
	}
	var kinds results.Counts
	for k := range i.Kinds {
		if !i.Kinds[k].Within(maxCount) {
			return fmt.Errorf("told.second.interval.per_operation[%d]: a count below 0, or above %d", k, int64(maxCount))
		}
		kinds.Add(&i.Kinds[k].Counts)
	}
	if len(i.Kinds) > 0 && (kinds.Attempts != i.Attempts || kinds.Throttled != i.Throttled || kinds.Failed != i.Failed) {
		return fmt.Errorf("told.second.interval: %d attempts; its operations have %d", i.Attempts, kinds.Attempts)
	}
	if i.Attempts != i.Ok+i.Throttled+i.Failed {
		return fmt.Errorf("told.second.interval: %d attempts; expected %d, as many as ok, throttled and failed", i.Attempts, i.Ok+i.Throttled+i.Failed)
	}
	succeeded := int64(0)
	for k, one := range s.Response {
		if one == nil {
			return fmt.Errorf("told.second.response[%d]: none", k)
		}
		succeeded += one.Count()
	}
	if succeeded != i.Succeeded {
		return fmt.Errorf("told.second.response: %d times; expected %d, as many as succeeded", succeeded, i.Succeeded)
	}
	return nil
}

func (f *Final) check() error {
	switch {
	case f.Parts < 1 || f.Parts > maxParts:
		return fmt.Errorf("final.parts: %d; expected 1 to %d", f.Parts, maxParts)
	case f.Part < 0 || f.Part >= f.Parts:
		return fmt.Errorf("final.part: %d; expected 0 to %d", f.Part, f.Parts-1)
	case len(f.Bytes) > partBytes:
		return fmt.Errorf("final.bytes: %d; expected %d at most", len(f.Bytes), partBytes)
	case len(f.Partial) > maxTextBytes:
		return fmt.Errorf("final.partial: %d bytes; expected %d at most", len(f.Partial), maxTextBytes)
	}
	return nil
}

func (a *Answer) check() error {
	if a.SchemaVersion != SchemaVersion {
		return fmt.Errorf("schema_version: %d; expected %d", a.SchemaVersion, SchemaVersion)
	}
	switch j := a.Joined; {
	case j != nil && (j.Parts < 1 || j.Parts > maxParts):
		return fmt.Errorf("joined.charge_parts: %d; expected 1 to %d", j.Parts, maxParts)
	case j != nil && (j.Index < 0 || j.Index >= j.Of):
		return fmt.Errorf("joined.index: %d of %d", j.Index, j.Of)
	case a.Orders != nil && a.Orders.Turn != nil && a.Orders.Turn.Number < 1:
		return fmt.Errorf("orders.turn.number: %d; expected 1 or more", a.Orders.Turn.Number)
	case a.Part != nil && (a.Part.Part < 0 || a.Part.Part >= maxParts || len(a.Part.Bytes) > partBytes):
		return fmt.Errorf("part: %d of %d bytes", a.Part.Part, len(a.Part.Bytes))
	}
	return nil
}
