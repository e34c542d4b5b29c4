package figure

import "loadgen/results"

// events are what an operation that succeeded came to, so that a design is no cheaper for
// what it loses.
func events() []Definition {
	var list []Definition
	for _, one := range []struct {
		name, about string
		of          func(k *results.KindStats) int64
	}{
		{"requests_per_success", "attempts made", func(k *results.KindStats) int64 { return k.Attempts }},
		{"counted_per_success", "entities by the documented rule", func(k *results.KindStats) int64 { return k.Counted }},
		{"returned_per_success", "entities in replies", func(k *results.KindStats) int64 { return k.Returned }},
		{"billed_per_success", "billed transactions without throttled ones", func(k *results.KindStats) int64 { return k.Billed() }},
		{"throttled_per_success", "throttled requests", func(k *results.KindStats) int64 { return k.Throttled }},
		{"stored_per_success", "bytes written, as billed", func(k *results.KindStats) int64 { return k.Stored }},
	} {
		list = append(list, Definition{Name: one.name, About: one.about + " per successful operation", Scope: OfOperations, Unit: Ratio,
			Better: Lower,
			take:   ratioOf("no operation succeeded", func(k *results.KindStats) (part, whole int64) { return one.of(k), k.Succeeded })})
	}
	return append(list,
		Definition{Name: "fairness", About: "Jain's fairness index of partitions offered under half their target: 1 is equal",
			Scope: OfRun, Unit: Ratio, Better: Higher, take: func(s *Selection) Value {
				c := s.of.cold()
				return c.told(c.shares * c.shares / (float64(c.partitions) * c.squares))
			}},
		Definition{Name: "share_served_cold", About: "mean share served of their offered load", Scope: OfRun,
			Unit: Share, Better: Higher, take: func(s *Selection) Value {
				c := s.of.cold()
				return c.told(c.shares / float64(c.partitions))
			}})
}

// coldShares are those of the partitions that were offered less than half the target.
type coldShares struct {
	partitions      int64
	shares, squares float64
}

// cold adds up the classes that lie below half the target as a whole.
func (f *Figures) cold() (c coldShares) {
	half := f.record.Manifest.Targets.Partition / 2
	for _, step := range f.reported {
		for _, class := range step.Phase.Shares {
			if half > 0 && class.From <= half/2 {
				c.partitions += class.Partitions
				c.shares += class.Shares
				c.squares += class.Squares
			}
		}
	}
	return c
}

func (c *coldShares) told(value float64) Value {
	if c.partitions < 2 || c.squares <= 0 {
		return untold("under two partitions have under half the target, or none was served")
	}
	return knownValue(value, c.partitions)
}

// Needs is what an application asks of its operations.
type Needs struct {
	// Within is how long an operation may take, by its name, in microseconds; one that is
	// not named may take as long as it likes.
	Within map[string]int64
	// Entities is how many entities of its own an operation is about, by its name: 1, or
	// the number of a batch. Copies are not among them.
	Entities map[string]int64
	// Reads are the operations that ask for entities, which count as what they return.
	Reads map[string]bool
}

// Sustained returns the entities per second, of the application's own counting, that were
// served within what it needs: what a copy adds, and what a query scans and does not
// return, is not among them.
func (f *Figures) Sustained(needs Needs) Value {
	sum, count := 0.0, int64(0)
	for _, kind := range f.record.Manifest.Operations {
		s := Selection{of: f, steps: f.reported, want: func(other results.Kind) bool { return other.Name == kind.Name }}
		stats := s.sum()
		// Reads count as what was returned, in the same proportion, since the record does not say
		// which of them returned how much.
		entities := stats.Returned
		if !needs.Reads[kind.Name] {
			each, named := needs.Entities[kind.Name]
			if !named {
				each = 1
			}
			entities = stats.Succeeded * each
		}
		sum += float64(entities) * needs.soon(kind.Name, &stats)
		count += stats.Succeeded
	}
	whole := Selection{of: f, steps: f.reported}
	return perSecond(sum, whole.seconds(), count)
}

// soon returns the share of what succeeded of an operation that was served within what it
// needs. Of the response times in a bucket of the histogram it counts all or, where the bucket
// reaches beyond the need, none: no design is better than it was.
func (n *Needs) soon(name string, sum *results.KindStats) float64 {
	within, bounded := n.Within[name]
	if !bounded {
		return 1
	}
	var soon int64
	for _, bar := range sum.Response.Bars() {
		if bar.To <= within {
			soon += bar.Count
		}
	}
	if soon == 0 {
		return 0
	}
	return float64(soon) / float64(sum.Response.Count())
}

// Met returns the share of what was due of an operation that was served within what it
// needs, of the operation of which that is least. It is not told where no rate says what is
// due: clients that wait ask for no more than they get.
func (f *Figures) Met(needs Needs) Value {
	least := Value{Why: "no operations at instants of their own"}
	for _, step := range f.reported {
		if step.Closed() {
			return least
		}
	}
	for _, kind := range f.record.Manifest.Operations {
		s := Selection{of: f, steps: f.reported, want: func(other results.Kind) bool { return other.Name == kind.Name }}
		sum := s.sum()
		if sum.Scheduled == 0 {
			continue
		}
		share := float64(sum.Succeeded) * needs.soon(kind.Name, &sum) / float64(sum.Scheduled)
		if !least.Told || share < least.Value {
			least = Value{Value: share, Told: true}
		}
	}
	return least
}
