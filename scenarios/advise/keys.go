package advise

import (
	"io"
	"math"
	"slices"

	"loadgen/results"
	"loadgen/scenarios/advise/keystatistics"
)

// KeysOptions says how keys are to be judged.
type KeysOptions struct {
	// File is the name of their file, for messages alone.
	File string
	// PerSecond is the rate that they are to carry, in entities per second of all; 0
	// for none.
	PerSecond float64
	Targets   Targets
	// Time is the column of the instants, empty for one that is called so.
	Time string
	// Progress is told now and again how many rows were read; it may be nil.
	Progress func(rows int64)
}

// Keys is what keys come to that somebody has already.
type Keys struct {
	File string `json:"file"`
	// PartitionKey and RowKey are the templates that the keys were formed by, empty where
	// they stand in the file.
	PartitionKey string `json:"partition_key,omitempty"`
	RowKey       string `json:"row_key,omitempty"`
	// Verdict says in a sentence or two whether they hold the rate, or which they hold.
	Verdict string `json:"verdict"`
	// State and Ok say the same for scripts: Ok is nil where no rate was given, and where
	// it cannot be told.
	State   string  `json:"state"`
	Ok      *bool   `json:"ok"`
	Basis   string  `json:"basis"`
	Targets Targets `json:"targets"`
	// PerSecond is the rate that was asked about, in entities per second; 0 for none.
	PerSecond float64 `json:"entities_per_second"`
	Rows      int64   `json:"rows"`
	Inserts   int64   `json:"inserts"`
	Entities  int64   `json:"entities"`
	// Invalid counts rows whose key no table takes, of which Refused are the first.
	Invalid int64                    `json:"invalid"`
	Refused []keystatistics.KeyFault `json:"refused,omitempty"`
	// Ignored are the columns that were not looked at.
	Ignored []string `json:"ignored_columns,omitempty"`
	// Timed says that the rows have instants. Without any, InOrder says how inserts come if
	// they were made in the order of the file; Falling is how many rows are earlier than one
	// before them.
	Timed   bool   `json:"timed"`
	InOrder string `json:"in_the_order_of_the_file,omitempty"`
	Falling int64  `json:"rows_out_of_order"`
	// Keyed rows, the first, were looked at for keys that are there already, as Repeated are.
	Keyed    int64  `json:"keys_looked_at"`
	Repeated int64  `json:"keys_repeated"`
	Spread   Spread `json:"keys"`
	// Unlisted is the greatest share that a partition which is not listed can have.
	Unlisted float64 `json:"unlisted_share_most"`
	// Hottest is what the rate makes of the commonest partition, and HotPlace of the
	// one place on which inserts fall at any moment; 0 without a rate.
	Hottest  Rate    `json:"hottest_partition"`
	HotPlace float64 `json:"hot_place_entities_per_second"`
	// Full is at which rate of all entities the commonest partition has its target,
	// and FullPlace that place; 0 is never.
	Full      Rate    `json:"full_at"`
	FullPlace float64 `json:"hot_place_full_at_entities_per_second"`
	// Findings are the points of the checklist that can be told from keys.
	Findings []Finding `json:"findings"`

	// hotInOrder says that inserts in the order of the file fall on few places at a time.
	hotInOrder bool
}

// listed is how many of the commonest partitions of a file are listed.
const listed = 10

// FromKeys judges the keys of a CSV file, in constant memory. Its error is that of
// the reader, or joins what is wrong with the file.
func FromKeys(from io.Reader, o KeysOptions) (*Keys, error) {
	seen, err := keystatistics.New(keystatistics.Options{Seed: 1, Top: listed})
	if err != nil {
		return nil, err
	}
	read, err := keystatistics.ReadKeys(from, keystatistics.ReadOptions{File: o.File, Progress: o.Progress}, seen)
	if err != nil {
		return nil, err
	}
	return tellKeys(seen, read, o, Candidate{}), nil
}

// tellKeys says what keys come to that were read so.
func tellKeys(seen *keystatistics.Statistics, read keystatistics.Reading, o KeysOptions, by Candidate) *Keys {
	r := seen.Report()
	k := &Keys{File: o.File, PartitionKey: by.PartitionKey, RowKey: by.RowKey, Basis: derived, Targets: o.Targets, PerSecond: o.PerSecond,
		Rows: r.Rows, Inserts: r.Inserts, Entities: r.Entities, Invalid: r.Invalid, Refused: r.Faults, Ignored: read.Ignored,
		Timed: read.Timed, Falling: read.Falling, Keyed: r.Keyed, Repeated: r.Repeated}
	if !read.Timed && r.Inserts > 0 && r.Order.Verdict != keystatistics.OnePartition {
		// Rows have no instants but their places: what those show is no more than a hint.
		if r.Order.Verdict != keystatistics.Unknown {
			k.InOrder, k.hotInOrder = r.Order.Word(), r.Order.Hot || r.Order.Tails > 0
		}
		r.Order = keystatistics.Order{Reason: "no row has an instant"}
	}
	k.Spread = spreadOf(&r, listed)
	k.Unlisted = float64(r.Unlisted) / float64(max(1, r.Entities))
	f := r.Forecast(keystatistics.Demand{EntitiesPerSecond: o.PerSecond, PartitionTarget: float64(o.Targets.Partition),
		AccountTarget: float64(o.Targets.Account)})
	k.Hottest = Rate{Value: f.Hottest.Most, Least: f.Hottest.Least, Most: f.Hottest.Most}
	k.HotPlace = f.HotPlace
	k.Full = Rate{Value: finite(f.HottestFull.Least), Least: finite(f.HottestFull.Least), Most: finite(f.HottestFull.Most)}
	k.FullPlace = finite(f.HotPlaceFull)
	k.Findings = k.findings()
	switch {
	case slices.ContainsFunc(k.Findings, func(f Finding) bool { return f.Verdict == Error }):
		k.State, k.Ok = results.DoesNotHold, new(false)
	case k.Entities == 0, k.untimed(), k.PerSecond > k.Full.Least && k.Full.Least > 0:
		k.State = results.CannotTell
	case k.PerSecond == 0:
		k.State = results.Holds
	default:
		k.State, k.Ok = results.Holds, new(true)
	}
	claim := k.claim()
	k.Verdict = claim.Whole()
	return k
}

// finite writes a rate that is never reached as 0.
func finite(rate float64) float64 {
	if math.IsInf(rate, 0) {
		return 0
	}
	return rate
}
