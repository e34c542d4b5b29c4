package results

// Event is something that happened at an instant: a line of events.ndjson.
type Event struct {
	// At is in nanoseconds since the start of the run.
	At int64 `json:"at_ns"`
	// What is the kind of event, one of the constants below.
	What string `json:"event"`
	// Phase names the phase that began or ended.
	Phase string `json:"phase,omitempty"`
	// Text is one line for a person.
	Text string `json:"text,omitempty"`
	// Decision is what load balancing decided, nil for other kinds.
	Decision *Decision `json:"decision,omitempty"`
}

// The kinds of event.
const (
	StageBegins  = "stage-begins"
	StageEnds    = "stage-ends"
	PhaseBegins  = "phase-begins"
	PhaseEnds    = "phase-ends"
	Interrupted  = "interrupted"
	VerdictTold  = "verdict"
	RangeSplit   = "split"
	SizeSplit    = "size-split"
	RangeMoved   = "move"
	RangesMerged = "merge"
	// RangeKept is an overloaded range that load balancing left as it is.
	RangeKept = "kept"
)
