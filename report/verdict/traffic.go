package verdict

import (
	"cmp"
	"fmt"
	"math"

	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/figure"
)

// traffic is what the sentences about outside traffic are told from.
type traffic struct {
	*story
	seen *results.Capture
	// hot is the partition that the verdict is about, nil where none was asked
	// for anything.
	hot *results.ObservedPartition
}

// judgeTraffic completes the summary of a run that observed outside traffic: what
// a stress test says of the partition that it is aimed at is said of the hottest
// one. There is no generator whose lag could be told, and no rate that was asked for: what
// its phases hold, and so the state of the run, is what the sentences say of the
// PartitionKey.
func judgeTraffic(record *results.Record, s *results.Summary) {
	t := traffic{&story{record: record, summary: s}, record.Capture, hottestSeen(record.Capture)}
	s.Lag, s.Saturation, s.SaturationInterval, s.Hottest = results.LagQuantiles{}, nil, nil, nil
	if t.hot != nil {
		s.Hottest = &results.HottestPartition{Key: t.hot.PartitionKey, EntitiesPerSecond: t.hot.Typical}
		if s.SaturationWhy = unfit(s.Validity); s.SaturationWhy != "" {
			// Of a part of the traffic no more is said than what it counted.
		} else if saturates(t.hot) {
			middle := *t.hot.Saturation
			s.Saturation, s.SaturationInterval = &middle, []float64{t.hot.SaturationInterval[0], t.hot.SaturationInterval[1]}
		} else {
			s.SaturationWhy = unsaturated(t.hot)
		}
	}
	// There are five sentences at most.
	var told []string
	var holding figure.Holding
	switch {
	case s.Validity != results.Valid:
		told, holding.Why = []string{t.worth()}, unfit(s.Validity)
		if t.hot != nil && t.hot.Busiest > 0 {
			told = append(told, fmt.Sprintf("all it shows is that %s counted %s entities in its busiest second.",
				t.name(), document.Count(t.hot.Busiest)))
		}
	case t.hot == nil:
		holding.Why = "no request for a table's entities arrived"
		told = []string{"nothing can be said: " + holding.Why + "."}
	default:
		key, borne := t.key()
		told, holding = []string{t.load(), key, trafficBalance(record)}, borne
		var most *results.QueryShape
		for i := range t.seen.Shapes {
			if shape := &t.seen.Shapes[i]; shape.Scanned > 0 && (most == nil || shape.Scanned > most.Scanned) {
				most = shape
			}
		}
		if most != nil {
			told = append(told, fmt.Sprintf("the query that counts most, %s, %s.", shapeName(most), density(most)))
		}
	}
	s.Verdict = joined(append(told, t.unseen()))
	for i := range s.Phases {
		p := &s.Phases[i]
		if p.Holds, p.Why = nil, holding.Why; p.Why == "" {
			p.Holds = &holding.Holds
		}
	}
}

// hottestSeen returns the partition of which most entities were demanded of those
// that had enough of their attempts throttled, of all where none had; nil where
// there is none.
func hottestSeen(o *results.Capture) *results.ObservedPartition {
	var hot *results.ObservedPartition
	for i := range o.Partitions {
		p := &o.Partitions[i]
		if hot == nil || overloadedSeen(p) && !overloadedSeen(hot) ||
			overloadedSeen(p) == overloadedSeen(hot) && p.Demanded > hot.Demanded {
			hot = p
		}
	}
	return hot
}

// throttledOf returns the share of a partition's attempts that it throttled.
func throttledOf(p *results.ObservedPartition) float64 {
	return figure.ShareOf(p.Throttled, p.Requests)
}

// overloadedSeen says that enough of a partition's attempts were throttled to call
// it so.
func overloadedSeen(p *results.ObservedPartition) bool {
	return p.Limited != "" || throttledOf(p) >= throttledEnough
}

// saturates says that it is known where a partition does.
func saturates(p *results.ObservedPartition) bool {
	return overloadedSeen(p) && p.Saturation != nil && len(p.SaturationInterval) == 2
}

// unsaturated says why it is not known where a partition saturates.
func unsaturated(p *results.ObservedPartition) string {
	if !overloadedSeen(p) {
		return "less than 1 % of its attempts were throttled"
	}
	return cmp.Or(printable(document.Cut(p.SaturationWhy, 120)), "its seconds are not in the record")
}

func (t *traffic) name() string {
	return fmt.Sprintf("the partition %q of the table %q", shortened(t.hot.PartitionKey), shortened(t.hot.Table))
}

// against names the limit that a partition was held to, to follow a figure.
func (t *traffic) against() string {
	switch limit := t.record.Manifest.Targets.Partition; limit {
	case 0:
		return fmt.Sprintf("where the model sets no target and the documents set %s/s", document.Count(documentedPartition))
	case documentedPartition:
		return fmt.Sprintf("against Azure's documented %s/s", document.Count(limit))
	default:
		return fmt.Sprintf("against the model's %s/s, not Azure's documented %s/s", document.Count(limit), document.Count(documentedPartition))
	}
}

// load says where the hottest partition saturates, or that it does not.
func (t *traffic) load() string {
	name, share := t.name(), document.Share(throttledOf(t.hot))
	counted := fmt.Sprintf("its busiest second counted %s entities and its typical one %s, %s",
		document.Count(t.hot.Busiest), document.Rate(t.hot.Typical), t.against())
	if t.peak() > t.hot.Busiest {
		counted = fmt.Sprintf("its busiest second was asked for %s entities, "+
			"the most that one counted is %s and the typical one %s, %s",
			document.Count(t.peak()), document.Count(t.hot.Busiest), document.Rate(t.hot.Typical), t.against())
	}
	switch {
	case saturates(t.hot) && t.hot.Limited != "":
		return fmt.Sprintf("%s, the hottest of the traffic: %s; %s of its attempts were throttled.", name, limitedGroup(t.hot), share)
	case saturates(t.hot):
		interval := t.hot.SaturationInterval
		return fmt.Sprintf("%s, the hottest of the traffic, saturates at %s entities/s (%s to %s in single seconds), %s; "+
			"%s of its attempts were throttled, and its busiest second was asked for %s entities.", name, document.Rate(*t.hot.Saturation),
			document.Rate(interval[0]), document.Rate(interval[1]), t.against(), share, document.Count(t.peak()))
	case overloadedSeen(t.hot):
		return fmt.Sprintf("%s, the hottest of the traffic, had %s of its attempts throttled, but where it saturates is not known (%s); %s.",
			name, share, unsaturated(t.hot), counted)
	default:
		return fmt.Sprintf("%s, the hottest of the traffic, is not saturated: %s, and %s of its attempts were throttled.",
			name, counted, share)
	}
}

// limitedGroup says which group of operations of a partition is limited, and where.
func limitedGroup(p *results.ObservedPartition) string {
	return fmt.Sprintf("%s saturates at %s/s; %s is not limited", p.Limited, document.Rate(*p.Saturation), p.Free)
}

// peak is the most entities that the hottest partition was asked for in a second.
func (t *traffic) peak() int64 { return max(t.hot.Busiest, t.hot.Offered) }

// key says what the traffic says of the PartitionKey, and of keys that all go
// the same way; and whether the key bears the traffic: one that saturates does not.
func (t *traffic) key() (string, figure.Holding) {
	target := t.record.Manifest.Targets.Partition
	if target <= 0 {
		target = documentedPartition
	}
	share := float64(t.peak()) / float64(target)
	sum := t.record.Counts(results.Everything)
	// Where too much failed, nobody knows what the traffic would have asked for.
	failing := max(failedShare(&sum), failedAt(t.hot)) > fewFailed
	var text, and, why string
	switch partitions := needed(t.peak(), target); {
	case t.accountBinds():
		why = "the model holds the account to less than a partition"
		text, and = why+", so this says nothing of the PartitionKey", "; "
	case failing && !saturates(t.hot) && needed(t.hot.Busiest, target) < 2:
		why = "what this PartitionKey bears, traffic that fails cannot tell"
		text, and = fmt.Sprintf("%s, of those for it %s: %s", failedOf(&sum, "requests"), document.Share(failedAt(t.hot)), why), "; "
	case t.hot.Together > 0:
		text, and = fmt.Sprintf("%s were throttled in the same seconds: they may share a limit, and more partitions may not help",
			document.Counted(t.hot.Together+1, "partition")), "; "
		why = text
	case saturates(t.hot) && t.hot.Limited != "":
		text, and = fmt.Sprintf("the limit is one of %s alone: whether more partitions help, this traffic does not show", t.hot.Limited), "; "
	case partitions >= 2:
		why = fmt.Sprintf("a peak like that second, %s entities/s, needs keys that spread it over at least %s partitions",
			document.Count(t.peak()), document.Rate(partitions))
		text, and = why, ", and "
	case saturates(t.hot):
		text, and = "a load like that needs keys that spread it over at least 2 partitions", ", and "
	case overloadedSeen(t.hot):
		why = "where it saturates is not known"
		text, and = "over that whole second one partition would do: it was throttled for shorter bursts than that, or not for load", "; "
	default:
		text, and = fmt.Sprintf("a peak like that second takes %s of %s/s: this PartitionKey bears it", document.Share(share), document.Count(target)), ", but "
	}
	if saturates(t.hot) && !t.accountBinds() {
		why = ""
	}
	if order, way := oneWay(t.seen); order != nil {
		text += and + onlyWay(order, way)
	}
	return text + ".", figure.Holding{Holds: why == "" && !saturates(t.hot), Why: why}
}

// needed returns over how many partitions so many entities in a second have to go.
func needed(entities, target int64) float64 {
	return math.Ceil(float64(entities) / float64(target) * (1 - slack))
}

// fewFailed is the share of failed requests up to which traffic shows what a key bears.
const fewFailed = 0.03

// failedAt returns the share of a partition's requests that failed for other reasons than
// load.
func failedAt(p *results.ObservedPartition) float64 {
	return figure.ShareOf(p.Failed, p.Requests)
}

// unseen says what a server's view of modelled limits cannot tell.
func (t *traffic) unseen() string {
	const view = "seen from the server, this cannot tell what the application waited for beside it"
	switch {
	case !t.record.Manifest.Modelled():
		return view + "."
	case t.record.Manifest.Profile == off:
		return view + ", and nothing of the service is modelled."
	default:
		return view + ", nor how the real service balances its partitions and what it grants beyond its targets: " +
			"limits and times are modelled."
	}
}
