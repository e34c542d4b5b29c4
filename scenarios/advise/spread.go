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
	// Tails is on how many places inserts fall at a time, each of which moves on or grows
	// at an end; 0 where they are spread, or on places that stay. HottestTail is the
	// share of the one that takes most.
	Tails       int     `json:"tails"`
	HottestTail float64 `json:"hottest_tail_share"`

	verdict keystatistics.Verdict
	order   keystatistics.Order
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
		Order: r.Order.Word(), Hot: r.Order.Hot, AtOnce: r.Order.AtOnce, Evidence: r.Order.Sentence(),
		Tails: r.Order.Tails, HottestTail: r.Order.HottestTail, verdict: r.Order.Verdict, order: r.Order,
	}
	for _, one := range r.Top[:min(len(r.Top), shown)] {
		s.Top = append(s.Top, Share{one.PartitionKey, one.OfAll.Least, one.OfAll.Most})
	}
	return s
}

// OrderOf returns how new PartitionKeys come under the design in use, in a word, as
// [Spread] has it: of the phase with the most inserts, empty where nothing is inserted.
// Its error is that of a scenario which cannot be run.
func OrderOf(o Options) (string, error) {
	d, err := InUse(o)
	if err != nil {
		return "", err
	}
	order, most := "", 0.0
	for _, l := range d.Loads {
		if l.Inserts > most {
			order, most = l.Keys.Order, l.Inserts
		}
	}
	return order, nil
}
