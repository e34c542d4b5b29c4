package results

import (
	"maps"
	"slices"
	"time"
)

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
	// Saved is a continuation token that was saved, nil for other kinds.
	Saved *SavedToken `json:"saved,omitempty"`
}

// SavedToken is the continuation token of the last page that a query has read, for who
// goes on with it.
type SavedToken struct {
	Name      string `json:"name"`
	Operation string `json:"operation"`
	// Token is its text; empty where all was read.
	Token string `json:"token"`
}

// Saved returns the tokens that were saved, by their names in order: of each name what
// was saved last. The slice is the caller's.
func (r *Record) Saved() []SavedToken {
	last := make(map[string]SavedToken)
	for i := range r.Events {
		if one := r.Events[i].Saved; one != nil {
			last[one.Name] = *one
		}
	}
	var list []SavedToken
	for _, name := range slices.Sorted(maps.Keys(last)) {
		list = append(list, last[name])
	}
	return list
}

// The kinds of event.
const (
	StageBegins  = "stage-begins"
	StageEnds    = "stage-ends"
	PhaseBegins  = "phase-begins"
	PhaseEnds    = "phase-ends"
	Interrupted  = "interrupted"
	VerdictTold  = "verdict"
	TokenSaved   = "token-saved"
	RangeSplit   = "split"
	SizeSplit    = "size-split"
	RangeMoved   = "move"
	RangesMerged = "merge"
	// RangeKept is an overloaded range that load balancing left as it is.
	RangeKept = "kept"
)

// Decision is one step of load balancing with what it rests on. Loads are entities
// per second, averaged; what does not apply is zero.
type Decision struct {
	Table string `json:"table"`
	// Range is the range acted on, Other the one that a split made or a merge
	// took away; numbers are given out in the order in which ranges come to be.
	Range uint64 `json:"range"`
	Other uint64 `json:"other,omitempty"`
	// Key is the boundary that a split made or a merge took away, or the first
	// PartitionKey of a range that moves or is kept.
	Key string `json:"key"`
	// From is the server that has had the range, To the one that has it now.
	From int `json:"from_server"`
	To   int `json:"to_server"`
	// Until is when all of the range is served again, since the start of the run.
	Until time.Duration `json:"until_ns"`
	// Reason says in words why.
	Reason string `json:"reason"`
	// Overloaded is for how long the range or its server had been so, or both
	// ranges of a merge quiet.
	Overloaded time.Duration `json:"lasted_ns"`
	Offered    int64         `json:"offered_entities_per_second"`
	Served     int64         `json:"served_entities_per_second"`
	// Share is the part of the load, or of the bytes, below the boundary, in
	// thousandths.
	Share int64 `json:"share_below_permille,omitempty"`
	// FromLoad and ToLoad are the servers' loads before the range moved.
	FromLoad int64 `json:"from_entities_per_second,omitempty"`
	ToLoad   int64 `json:"to_entities_per_second,omitempty"`
	// Ranges is how many there are in all, afterwards.
	Ranges int `json:"ranges"`
}

// Balanced reports whether the event changed where ranges lie: a split, a move or
// a merge.
func (e *Event) Balanced() bool {
	switch e.What {
	case RangeSplit, SizeSplit, RangeMoved, RangesMerged:
		return e.Decision != nil
	default:
		return false
	}
}

// Spread is load on several partitions at once, as the manifest tells of it.
type Spread struct {
	Partitions int `json:"partitions"`
	// Rate is the operations per second of each of them in an open loop, Clients
	// and Think are a closed one.
	Rate    float64       `json:"rate,omitempty"`
	Clients int           `json:"clients,omitempty"`
	Think   time.Duration `json:"think_ns,omitempty"`
}

// KeyTail is what became of the attempts at one PartitionKey in the last part of
// the load.
type KeyTail struct {
	Key       string `json:"key"`
	Attempts  int64  `json:"attempts"`
	Throttled int64  `json:"throttled"`
}

// Rival is what the same run came to under another profile of the model.
type Rival struct {
	Profile string `json:"profile"`
	// Outcome is as in [Balance], Throttled and Relieved likewise.
	Outcome   string   `json:"outcome"`
	Throttled *float64 `json:"throttled_from_s"`
	Relieved  *float64 `json:"relieved_at_s"`
	// Saturation is as in [Summary].
	Saturation *float64 `json:"saturation_entities_per_second"`
}

// The outcomes of a load.
const (
	// LoadHeld is a load that was never throttled to speak of, LoadRelieved one that was
	// until load balancing had spread it, LoadThrottled one that was to its end.
	LoadHeld      = "held"
	LoadRelieved  = "relieved"
	LoadThrottled = "throttled"
)

// Balance is what load balancing came to, as a verdict sums it up.
type Balance struct {
	Outcome string `json:"outcome"`
	// Throttled is when the load was first throttled, Relieved from when on it was
	// throttled no more, in seconds since it began; nil where it never was so.
	Throttled *float64 `json:"throttled_from_s"`
	Relieved  *float64 `json:"relieved_at_s"`
	Splits    int      `json:"splits"`
	Moves     int      `json:"moves"`
	Merges    int      `json:"merges"`
	// Elsewhere is how many of these it did while nothing was measured: in a warm-up, or
	// while the table was read back.
	Elsewhere int `json:"outside_of_measured_load,omitempty"`
	// Ranges is how many there were at the end, 0 where nothing was done.
	Ranges int `json:"ranges"`
	// StillThrottled are the PartitionKeys throttled at the end of the load.
	StillThrottled []string `json:"still_throttled_keys"`
	// Survives says whether another profile gives the same verdict, nil where none
	// was tried.
	Survives *bool `json:"survives_other_profile"`
}
