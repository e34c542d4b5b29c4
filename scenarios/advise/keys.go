package advise

import (
	"io"
	"loadgen/scenarios/advise/keystatistics"
	"math"
)

// KeysOptions says how keys are to be judged.
type KeysOptions struct {
	// File is the name of their file, for messages alone.
	File string
	// PerSecond is the rate that they are to carry, in entities per second of all; 0
	// for none.
	PerSecond float64
	Targets   Targets
	// Progress is told now and again how many rows were read; it may be nil.
	Progress func(rows int64)
}

// Keys is what keys come to that somebody has already.
type Keys struct {
	File string `json:"file"`
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
	Spread  Spread   `json:"keys"`
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
	r := seen.Report()
	k := &Keys{File: o.File, Basis: derived, Targets: o.Targets, PerSecond: o.PerSecond,
		Rows: r.Rows, Inserts: r.Inserts, Entities: r.Entities, Invalid: r.Invalid, Refused: r.Faults, Ignored: read.Ignored,
		Spread: spreadOf(&r, listed)}
	k.Unlisted = float64(r.Unlisted) / float64(max(1, r.Entities))
	k.forecast(r.Forecast(keystatistics.Demand{EntitiesPerSecond: o.PerSecond, PartitionTarget: float64(o.Targets.Partition),
		AccountTarget: float64(o.Targets.Account)}))
	k.Findings = k.findings()
	k.State, k.Ok = k.answer()
	claim := k.claim()
	k.Verdict = claim.Whole()
	return k, nil
}

func (k *Keys) forecast(f keystatistics.Forecast) {
	k.Hottest = Rate{Value: f.Hottest.Most, Least: f.Hottest.Least, Most: f.Hottest.Most}
	k.HotPlace = f.HotPlace
	k.Full = Rate{Value: finite(f.HottestFull.Least), Least: finite(f.HottestFull.Least),
		Most: finite(f.HottestFull.Most)}
	k.FullPlace = finite(f.HotPlaceFull)
}

// finite writes a rate that is never reached as 0.
func finite(rate float64) float64 {
	if math.IsInf(rate, 0) {
		return 0
	}
	return rate
}
