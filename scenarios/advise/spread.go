package advise

import "loadgen/scenarios/advise/keystatistics"

// Spread is how keys lie over partitions.
type Spread struct {
	// Partitions is how many were met, Effective how many equal ones would be as
	// uneven; an error of 0 is exact.
	Partitions      float64 `json:"partitions"`
	PartitionsError float64 `json:"partitions_error"`
	Effective       float64 `json:"effective"`
	EffectiveError  float64 `json:"effective_error"`
	// TopLeast and TopMost bound the share of the commonest over all the load.
	TopLeast float64 `json:"top_share_least"`
	TopMost  float64 `json:"top_share_most"`
	// Top are the commonest, those first.
	Top []Share `json:"top,omitempty"`
	// Order is how inserts come, in a word; Hot says that at any moment nearly all
	// fall on one place, AtOnce how large a share of them; Evidence is a sentence.
	Order    string  `json:"order"`
	Hot      bool    `json:"hot"`
	AtOnce   float64 `json:"at_once"`
	Evidence string  `json:"evidence"`

	verdict keystatistics.Verdict
}

// Share is a partition's share of all entities, between bounds that are the same
// where it is exact.
type Share struct {
	PartitionKey string  `json:"partition_key"`
	Least        float64 `json:"share_least"`
	Most         float64 `json:"share_most"`
}

// spreadOf takes over how keys lie, with so many of the commonest.
func spreadOf(r *keystatistics.Report, shown int) Spread {
	s := Spread{
		Partitions: r.Partitions.Value, PartitionsError: r.Partitions.StandardError,
		Effective: r.Effective.Value, EffectiveError: r.Effective.StandardError,
		TopLeast: r.Hottest.Least, TopMost: r.Hottest.Most,
		Order: r.Order.Verdict.String(), Hot: r.Order.Hot, AtOnce: r.Order.AtOnce, Evidence: r.Order.Sentence(),
		verdict: r.Order.Verdict,
	}
	for _, one := range r.Top[:min(len(r.Top), shown)] {
		s.Top = append(s.Top, Share{one.PartitionKey, one.OfAll.Least, one.OfAll.Most})
	}
	return s
}
