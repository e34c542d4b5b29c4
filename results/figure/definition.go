package figure

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"loadgen/report/compare/statistics"
	"loadgen/results"
)

// Scope is the set of things that a figure can describe.
type Scope uint8

// The scopes.
const (
	// OfRun takes no name, OfPhases a phase, OfOperations an operation and a phase.
	OfRun Scope = iota
	OfPhases
	OfOperations
	// OfLoad takes a partition or the account, too; OfCounter an operation and the name
	// of a counter.
	OfLoad
	OfCounter
)

// Definition describes a figure.
type Definition struct {
	Name string
	// About describes it in a sentence.
	About string
	Scope Scope
	// Unit is the unit of comparisons with other figures and with numbers without a unit.
	Unit Unit
	// Better is the better direction, by which runs are compared.
	Better Better
	// Part reports that it is a part of something, and so has a share.
	Part bool
	// Times names the measured time, and Quantile is from 0 to 1, which is the maximum; −1 is the mean. Times is empty
	// for figures that are no times of operations.
	Times    string
	Quantile float64

	take func(s *Selection) Value
}

// Scopes returns the possible scopes in words.
func (d *Definition) Scopes() string {
	if d.Name == "offered" {
		return "of the run, a phase, an operation, a partition or the account"
	}
	return [...]string{
		"of the run",
		"of the run or a phase",
		"of the run, a phase or an operation",
		"of the run, a phase, an operation or a partition",
		"of an operation",
	}[d.Scope]
}

// registry is the closed list.
var registry = slices.Concat(timeFigures(), countFigures, loadFigures, successCosts, partitionFigures, balanceFigures, leftoverFigures)

// Find returns the definition of a figure, and false of an unknown one.
func Find(name string) (Definition, bool) {
	at := slices.IndexFunc(registry, func(d Definition) bool { return d.Name == name })
	if at < 0 {
		return Definition{}, false
	}
	return registry[at], true
}

// Names returns the names of all figures, in their order. The slice is the caller's.
func Names() []string {
	names := make([]string, len(registry))
	for i := range registry {
		names[i] = registry[i].Name
	}
	return names
}

// Unit is the unit of a figure.
type Unit uint8

// The units.
const (
	// Count is a whole number of things.
	Count Unit = iota
	// Nanoseconds is a length of time.
	Nanoseconds
	// Share is a part of one.
	Share
	// PerSecond is things per second.
	PerSecond
	// Ratio is a plain number.
	Ratio
)

// String returns the unit in words.
func (u Unit) String() string {
	return [...]string{"a count", "a time", "a share", "a number per second", "a plain number"}[u]
}

// Better is the better direction of a figure.
type Better uint8

// The ways.
const (
	// Neither way is better: the figure describes.
	Neither Better = iota
	// Lower is better, Higher is.
	Lower
	Higher
)

// Provenance is the source of a figure.
type Provenance string

// The provenances.
const (
	// Measured on a clock of this machine, or counted.
	Measured Provenance = "measured"
	// Modelled by an engine in place of the service.
	Modelled Provenance = "modelled"
	// Derived from measured figures by a rule of the documents.
	Derived Provenance = "derived"
)

// Value is the value of a figure in a record.
type Value struct {
	// Value is in the requested unit. It is valid only if Known is true.
	Value float64
	Known bool
	// AtLeast reports that it is a lower bound.
	AtLeast bool
	// Why is the reason why the figure is unknown, empty if it is known.
	Why string
	// Interval has the minimum and the maximum of the values whose median is Value, and the ends of the 95%
	// interval of a throughput; nil for other figures.
	Interval *[2]float64
	// Count is how many things it rests on.
	Count int64
	// Provenance is the source of the value.
	Provenance Provenance
}

func knownValue(value float64, count int64) Value {
	return Value{Value: value, Known: true, Count: count}
}

func unknownValue(why string) Value { return Value{Why: why} }

// Pointer returns the value, nil if it is unknown.
func (v Value) Pointer() *float64 {
	if !v.Known {
		return nil
	}
	return &v.Value
}

// ratio returns a ratio of counts.
func ratio(part, whole int64, why string) Value {
	if whole <= 0 {
		return unknownValue(why)
	}
	return knownValue(float64(part)/float64(whole), whole)
}

// Reference is a figure with its scope.
type Reference struct {
	// Name is one of [Names].
	Name string
	// Of is a name without others: that of an operation, or else of a phase. Operation and Phase are given together;
	// an empty one means any.
	Of               string
	Operation, Phase string
	// Part is the part of the target; Key is the PartitionKey if that is [Partition].
	Part Part
	Key  string
	// Counter is the name of a counter of the Operation's workflow.
	Counter string
	// Offset is the position of the name in the text; OfOffset, OperationOffset and PhaseOffset are those of the other
	// names.
	Offset, OfOffset             int
	OperationOffset, PhaseOffset int
	CounterOffset                int
}

// Part is a part of the target.
type Part uint8

// The parts.
const (
	// Whole is all of the target.
	Whole Part = iota
	// Hottest is the partition for which the figure is greatest, Partition the one
	// that is named, Account the account for which it is greatest.
	Hottest
	Partition
	Account
)

// The words for parts.
const (
	wordHottest = "hottest"
	wordAccount = "account"
)

// Unit returns the default unit of the figure.
func (r Reference) Unit() Unit {
	d, _ := Find(r.Name)
	return d.Unit
}

// String returns the figure in its canonical form.
func (r Reference) String() string {
	var of []string
	switch r.Part {
	case Hottest:
		of = append(of, wordHottest)
	case Account:
		of = append(of, wordAccount)
	case Partition:
		of = append(of, `"`+strings.ReplaceAll(r.Key, `"`, `""`)+`"`)
	}
	d, _ := Find(r.Name)
	switch {
	case r.Counter != "":
		of = append(of, r.Operation, r.Counter)
	case r.Part != Whole && r.Phase != "":
		of = append(of, r.Phase)
	case r.Part != Whole:
	case r.Of != "":
		of = append(of, r.Of)
	case r.Phase != "" && d.Scope == OfPhases:
		of = append(of, r.Phase)
	case r.Operation != "" || r.Phase != "":
		of = append(of, cmp.Or(r.Operation, "*"), cmp.Or(r.Phase, "*"))
	}
	if of == nil {
		return r.Name
	}
	return r.Name + "(" + strings.Join(of, ", ") + ")"
}

// countFunc returns a count of the selected operations.
type countFunc = func(k *results.KindStats) int64

var (
	scheduled  = func(k *results.KindStats) int64 { return k.Scheduled }
	sent       = func(k *results.KindStats) int64 { return k.Sent }
	operations = func(k *results.KindStats) int64 { return k.Operations }
	succeeded  = func(k *results.KindStats) int64 { return k.Succeeded }
	attempts   = func(k *results.KindStats) int64 { return k.Attempts }
	throttled  = func(k *results.KindStats) int64 { return k.Throttled }
	retries    = func(k *results.KindStats) int64 { return k.Retries }
	counted    = func(k *results.KindStats) int64 { return k.Counted }
	returned   = func(k *results.KindStats) int64 { return k.Returned }
)

// countFigures are those of operations, attempts and entities.
var countFigures = []Definition{
	countOf("scheduled", "operations due = sent + dropped", Neither, scheduled, nil),
	countOf("sent", "operations with a sent attempt", Neither, sent, nil),
	countOf("dropped", "operations never sent", Lower, func(k *results.KindStats) int64 { return k.Dropped }, scheduled),
	countOf("late", "first attempts sent over 5 ms late", Lower, func(k *results.KindStats) int64 { return k.Late }, sent),
	countOf("operations", "operations completed, successful or not", Neither, operations, nil),
	countOf("succeeded", "successful operations", Higher, succeeded, operations),
	countOf("lost_operations", "operations due without success: given up, failed or dropped", Lower, lostOperations, scheduled),
	countOf("requests", "attempts with retries and further pages = ok + throttled + failed", Neither, attempts, nil),
	countOf("ok", "attempts that succeeded", Higher, func(k *results.KindStats) int64 { return k.Ok }, attempts),
	countOf("handled", "ok attempts with expected 404, 409 or 412", Neither, func(k *results.KindStats) int64 { return k.Handled }, attempts),
	countOf("throttled", "attempts answered 503, 429, 504 or 500 OperationTimedOut", Lower, throttled, attempts),
	countOf("failed", "attempts neither ok nor throttled", Lower, func(k *results.KindStats) int64 { return k.Failed }, attempts),
	countOf("retries", "attempts that repeated a request", Lower, retries, attempts),
	countOf("line_held", "attempts delayed by the client's line over 100 ms or half their time", Lower,
		func(k *results.KindStats) int64 { return k.LineHeld }, attempts),
	countOf("limit_held", "share of attempts delayed or dropped by the operation's rate limit", Lower,
		func(k *results.KindStats) int64 { return k.LimitHeld }, func(k *results.KindStats) int64 { return k.Attempts + k.Cut }),
	countOf("first_throttled", "throttled first attempts", Lower, func(k *results.KindStats) int64 { return k.FirstThrottled }, sent),
	countOf("counted", "entities inserted, updated, deleted or scanned", Neither, counted, nil),
	countOf("returned", "entities in replies", Neither, returned, counted),
}

// countOf defines a count, which may be a part of a whole.
func countOf(name, about string, better Better, part, whole countFunc) Definition {
	return Definition{Name: name, About: about, Scope: OfOperations, Unit: Count, Better: better, Part: whole != nil, take: func(s *Selection) Value {
		sum := s.counts()
		count := part(&sum)
		switch {
		case s.in == Share && whole != nil:
			return ratio(count, whole(&sum), "share of nothing")
		case s.in == PerSecond:
			return perSecond(float64(count), s.seconds(), count)
		case len(s.steps) == 0:
			return unknownValue(noPhase)
		}
		return knownValue(float64(count), count)
	}}
}

// ratioOf defines a ratio of two counts, with the reason why it is unknown if the second is 0.
func ratioOf(name, about string, unit Unit, part, whole countFunc, why string) Definition {
	return Definition{Name: name, About: about, Scope: OfOperations, Unit: unit, Better: Lower, take: func(s *Selection) Value {
		sum := s.counts()
		return ratio(part(&sum), whole(&sum), why)
	}}
}

// lostOperations returns the number of operations that were due and did not succeed for any reason.
func lostOperations(k *results.KindStats) int64 { return max(0, k.Scheduled-k.Succeeded) }

func perSecond(number, seconds float64, count int64) Value {
	if seconds <= 0 {
		return unknownValue("no time passed")
	}
	return knownValue(number/seconds, count)
}

// leftoverFigures are the results of verified writes and invariants, and the counters of workflows.
var leftoverFigures = []Definition{
	auditOf("lost_writes", "acknowledged writes that are missing", Lower, func(a *results.Audit) int64 { return a.Lost }),
	auditOf("doubled_writes", "excess increments of counters", Lower, func(a *results.Audit) int64 { return a.Doubled }),
	auditOf("unknown_writes", "writes with unknown outcome", Neither, func(a *results.Audit) int64 { return a.Unknown }),
	auditOf("overwritten", "entities last written outside the run", Neither, func(a *results.Audit) int64 { return a.Overwritten }),
	auditOf("conflicts", "write replies after another writer", Neither, func(a *results.Audit) int64 { return a.ForeignConflicts }),
	{Name: "violations", About: "invariant violations after the run", Scope: OfRun, Unit: Count, Better: Lower, take: func(s *Selection) Value {
		var sum results.Invariant
		for i := range s.of.record.Invariants {
			results.AddTimes(&sum, &s.of.record.Invariants[i], 1)
		}
		if len(s.of.record.Invariants) == 0 {
			return unknownValue("nothing was checked")
		}
		return knownValue(float64(sum.Faults), sum.Looked)
	}},
	{Name: "counter", About: "a count that the operation's workflow names", Scope: OfCounter, Unit: Count, take: func(s *Selection) Value {
		for _, c := range s.of.record.Counters {
			if c.Operation == s.ref.Operation && c.Name == s.ref.Counter {
				return knownValue(float64(c.Count), c.Count)
			}
		}
		return unknownValue("workflow counted none")
	}},
}

// auditOf defines a count of verified writes.
func auditOf(name, about string, better Better, of func(a *results.Audit) int64) Definition {
	return Definition{Name: name, About: about, Scope: OfRun, Unit: Count, Better: better, take: func(s *Selection) Value {
		if s.of.record.Audit == nil {
			return unknownValue("writes not verified")
		}
		return knownValue(float64(of(s.of.record.Audit)), s.of.record.Audit.Writes)
	}}
}

// tooFewLonger is why a quantile is unknown.
const tooFewLonger = "fewer than ten longer durations"

// timeFigures are the quantiles, the longest and the mean of what takes time.
func timeFigures() []Definition {
	var list []Definition
	for _, family := range []struct {
		times, prefix, about string
		scope                Scope
		of                   func(s *Selection) *results.Histogram
	}{
		{"response", "", "response time of successful operations: from due to the last attempt's end",
			OfOperations, func(s *Selection) *results.Histogram { return s.sum().Response }},
		{"service", "service_", "service time of ok attempts", OfOperations,
			func(s *Selection) *results.Histogram { return s.sum().Service[results.Ok] }},
		{"throttled", "throttled_", "service time of throttled attempts", OfOperations,
			func(s *Selection) *results.Histogram { return s.sum().Service[results.Throttled] }},
		{"failed", "failed_", "service time of failed attempts", OfOperations,
			func(s *Selection) *results.Histogram { return s.sum().Service[results.Failed] }},
		{"lost", "lost_", "time of unsuccessful operations, from due to the last attempt's end",
			OfOperations, func(s *Selection) *results.Histogram { return s.sum().Lost }},
		{"wait", "wait_", "retry wait", OfRun, func(s *Selection) *results.Histogram { return s.of.record.RetryWaits }},
		{"lag", "lag_", "delay of first attempts after due", OfRun, func(s *Selection) *results.Histogram { return s.of.record.Lag }},
	} {
		for _, q := range []struct {
			name, about string
			quantile    float64
		}{
			{"p50", "median", .5},
			{"p90", "90th percentile", .9},
			{"p95", "95th percentile", .95},
			{"p99", "99th percentile", .99},
			{"p99.9", "99.9th percentile", .999},
			{"max", "maximum", 1},
			{"mean", "mean", -1},
		} {
			list = append(list, Definition{Name: family.prefix + q.name, About: q.about + " of " + family.about, Scope: family.scope, Unit: Nanoseconds,
				Better: Lower, Times: family.times, Quantile: q.quantile,
				take: func(s *Selection) Value { return timeOf(family.of(s), q.quantile) }})
		}
	}
	return list
}

// OverHour is the value in nanoseconds of a quantile or maximum over an hour, which histograms do not distinguish.
const OverHour = 1000 * float64(results.OverHour)

// timed returns a quantile in nanoseconds, 1 being the longest and −1 the mean.
func timeOf(h *results.Histogram, quantile float64) Value {
	const each = 1000
	switch {
	case h.Count() == 0:
		return unknownValue("nothing was timed")
	case quantile < 0 && h.Overlong() > 0:
		return unknownValue("durations over an hour")
	case quantile < 0:
		return knownValue(h.Mean()*each, h.Count())
	case quantile >= 1:
		return knownValue(float64(h.Max())*each, h.Count())
	}
	micros, enough := h.Quantile(quantile)
	if !enough {
		return unknownValue(tooFewLonger)
	}
	return knownValue(float64(micros)*each, h.Count())
}

// successCosts are costs per success, so that a design is no cheaper because of what it loses, and the fairness of partitions.
var successCosts = []Definition{
	perSuccess("requests_per_success", "attempts made", attempts),
	perSuccess("counted_per_success", "entities by the documented rule", counted),
	perSuccess("returned_per_success", "entities in replies", returned),
	perSuccess("billed_per_success", "billed transactions without throttled ones", (*results.KindStats).Billed),
	perSuccess("throttled_per_success", "throttled requests", throttled),
	wirePerSuccess("sent_per_success", "bytes of requests", func(k *results.KindStats) int64 { return k.BytesOut }),
	wirePerSuccess("received_per_success", "bytes of replies", func(k *results.KindStats) int64 { return k.BytesIn }),
	perSuccess("stored_per_success", "bytes written, as billed", func(k *results.KindStats) int64 { return k.Stored }),
	{Name: "fairness", About: "Jain's fairness index of partitions offered under half their target: 1 is equal",
		Scope: OfRun, Unit: Ratio, Better: Higher, take: func(s *Selection) Value {
			return s.of.coldFigure(func(c results.SharesClass) float64 { return c.Shares * c.Shares / (float64(c.Partitions) * c.Squares) })
		}},
	{Name: "share_served_cold", About: "mean share served of their offered load", Scope: OfRun, Unit: Share, Better: Higher,
		take: func(s *Selection) Value {
			return s.of.coldFigure(func(c results.SharesClass) float64 { return c.Shares / float64(c.Partitions) })
		}},
}

func perSuccess(name, about string, part countFunc) Definition {
	return ratioOf(name, about+" per successful operation", Ratio, part, succeeded, "no operation succeeded")
}

// wirePerSuccess is perSuccess of bytes on the wire, which a simulation without client.wire does not weigh.
func wirePerSuccess(name, about string, bytes countFunc) Definition {
	d := perSuccess(name, about+" on the wire, heads included,", bytes)
	take := d.take
	d.take = func(s *Selection) Value {
		sum := s.counts()
		if sum.BytesOut == 0 {
			return unknownValue("bytes on the wire were not weighed; set client.wire")
		}
		return take(s)
	}
	return d
}

// coldFigure returns a figure of the partitions that were offered less than half the target: of the classes that lie
// below it completely.
func (f *Figures) coldFigure(figure func(sum results.SharesClass) float64) Value {
	var sum results.SharesClass
	half := f.record.Manifest.Targets.Partition / 2
	for _, step := range f.reported {
		for _, class := range step.Phase.Shares {
			if half > 0 && class.From <= half/2 {
				sum.Partitions += class.Partitions
				sum.Shares += class.Shares
				sum.Squares += class.Squares
			}
		}
	}
	if sum.Partitions < 2 || sum.Squares <= 0 {
		return unknownValue("under two partitions have under half the target, or none was served")
	}
	return knownValue(figure(sum), sum.Partitions)
}

// Needs are the requirements of an application.
type Needs struct {
	// Within is the maximum time of operations by name, in microseconds; others have none.
	Within map[string]int64
	// Entities is how many entities of its own an operation is about, by its name: 1, or
	// the number of a batch. Copies are not among them.
	Entities map[string]int64
	// Reads are the operations that ask for entities, which count as what they return.
	Reads map[string]bool
}

// Sustained returns the entities per second, as the application counts them, that were served within the required
// time: without copies, and without entities that a query scans but does not return.
func (f *Figures) Sustained(needs Needs) Value {
	sum, count := 0.0, int64(0)
	for _, kind := range f.record.Manifest.Operations {
		s := Selection{of: f, steps: f.reported, want: func(other results.Kind) bool { return other.Name == kind.Name }}
		stats := s.sum()
		// Reads count as the entities returned, in the same proportion, since the record does not have those of each
		// operation.
		entities := stats.Returned
		if !needs.Reads[kind.Name] {
			each, named := needs.Entities[kind.Name]
			if !named {
				each = 1
			}
			entities = stats.Succeeded * each
		}
		sum += float64(entities) * needs.inTimeShare(kind.Name, &stats)
		count += stats.Succeeded
	}
	whole := Selection{of: f, steps: f.reported}
	return perSecond(sum, whole.seconds(), count)
}

// inTimeShare returns the share of an operation's successes within the required time. It counts a bucket of the
// histogram only if the bucket lies within that time completely, so that no design looks better than it was.
func (n *Needs) inTimeShare(name string, sum *results.KindStats) float64 {
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

// ServedInTime returns the share of due operations that were served within the required time, the minimum over the kinds of
// operation. It is unknown in a closed loop, whose clients ask for no more than they get.
func (f *Figures) ServedInTime(needs Needs) Value {
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
		share := float64(sum.Succeeded) * needs.inTimeShare(kind.Name, &sum) / float64(sum.Scheduled)
		if !least.Known || share < least.Value {
			least = Value{Value: share, Known: true}
		}
	}
	return least
}

// loadFigures are rates, and shares of losses.
var loadFigures = []Definition{
	ratioOf("tries", "requests per operation", Ratio, attempts, operations, "no completed operation"),
	ratioOf("retries_per_operation", "attempts that repeat a request, per operation", Ratio, retries, operations, "no completed operation"),
	{Name: "offered", About: "entities per second due: a step's rate times entities per operation, otherwise in the last half; " +
		"partitions: busiest second; accounts: whole phase", Scope: OfLoad, Unit: PerSecond,
		take: func(s *Selection) Value {
			if s.ref.Part != Account {
				return s.rate(offeredIn, (*Selection).offered)
			}
			most := unknownValue(noPhase)
			for _, step := range s.steps {
				sum := step.counts(nil)
				offered := sum.Offered
				if busiest, several := step.Phase.Busiest(); several {
					offered = step.Phase.Accounts[busiest].Offered
				}
				most = maxValue(most, perSecond(float64(offered), step.Seconds(), offered))
			}
			return most
		}},
	{Name: "served", About: "entities per second of successes in the last half of each step; " +
		"of partitions, the busiest second", Scope: OfLoad, Unit: PerSecond, Better: Higher,
		take: func(s *Selection) Value { return s.rate(servedIn, (*Selection).served) }},
	{Name: "throttled_per_second", About: "throttled attempts/s", Scope: OfOperations, Unit: PerSecond, Better: Lower,
		take: func(s *Selection) Value {
			sum := s.counts()
			return perSecond(float64(sum.Throttled), s.seconds(), sum.Throttled)
		}},
	ratioOf("share_lost", "share of due operations given up, failed or dropped, whenever they ended", Share, lostOperations, scheduled, nothingDue),
	{Name: "share_lost_settled", About: "lost share in the last half of each step", Scope: OfOperations,
		Unit: Share, Better: Lower, take: func(s *Selection) Value {
			settled, _ := s.settledCohort()
			return ratio(max(0, settled.Scheduled-settled.Succeeded), settled.Scheduled, nothingDue)
		}},
	{Name: "share_throttled_settled", About: "throttled first attempts of operations due in each step's last half",
		Scope: OfOperations, Unit: Share, Better: Lower, take: func(s *Selection) Value {
			settled, _ := s.settledCohort()
			return ratio(settled.FirstThrottled, settled.Sent, nothingDue)
		}},
	{Name: "length", About: "total duration of phases", Scope: OfPhases, Unit: Nanoseconds, take: func(s *Selection) Value {
		if len(s.steps) == 0 {
			return unknownValue(noPhase)
		}
		return knownValue(s.seconds()*float64(time.Second), int64(len(s.steps)))
	}},
	{Name: "throughput", About: "mean entities per second of successful attempts in whole seconds of each step's last half, " +
		"by end; 95% interval by batch means", Scope: OfOperations,
		Unit: PerSecond, Better: Higher, take: (*Selection).throughput},
}

const (
	nothingDue = "nothing was due"
	noPhase    = "no phase reported"
)

// rate returns the mean of a rate over the steps, weighted by the length of their settled part, or that of a partition
// in its busiest second.
func (s *Selection) rate(partitions perPartition, of func(*Selection, Step) float64) Value {
	if s.ref.Part != Whole {
		most := unknownValue("no operation on one partition")
		for _, step := range s.steps {
			list, over := partitions(step.Phase)
			one := s.busiestOf(list, over, int64(len(list)) < step.Phase.PartitionsHit)
			if !one.Known && one.Why == notKept {
				return one
			}
			most = maxValue(most, one)
		}
		return unknownIfBound(most, "unnamed partitions may have been hotter")
	}
	entities, over, due := 0.0, 0.0, int64(0)
	for _, step := range s.steps {
		sum := step.counts(s.want)
		settled, seconds := step.settledCohort(&sum)
		if seconds > 0 {
			entities, over, due = entities+of(s, step)*seconds, over+seconds, due+settled.Scheduled
		}
	}
	if over <= 0 {
		return unknownValue("run ended before the step's last half")
	}
	return perSecond(entities, over, due)
}

// offered returns the entities per second due in a step: its rate times the mean entities of an operation due in the
// last half, or of all operations if none was. If the step has no constant planned rate, or another number of
// operations was due, it is the rate of the load due in the last half.
func (s *Selection) offered(step Step) float64 {
	sum, all := step.counts(s.want), step.counts(nil)
	settled, seconds := step.settledCohort(&sum)
	whole, _ := step.settledCohort(&all)
	// In the record of a part of the load fewer are due than the rate gives.
	const deviations = 5
	planned := step.Phase.Rate * step.Seconds()
	atRate := planned > 0 && all.Scheduled > 0 && !step.Phase.Varying && !step.Phase.Unplanned &&
		math.Abs(float64(all.Scheduled)-planned) <= 1+deviations*math.Sqrt(planned)
	switch {
	case !atRate:
		return float64(settled.Offered) / seconds
	case whole.Scheduled == 0:
		return step.Phase.Rate * ShareOf(sum.Offered, all.Scheduled)
	default:
		return step.Phase.Rate * ShareOf(settled.Offered, whole.Scheduled)
	}
}

// served returns the entities per second of the successes that ended in the whole seconds of the
// last half of a step. For a closed loop, and a step without a whole second, it counts the
// successes of the operations due in it.
func (s *Selection) served(step Step) float64 {
	// The first and the last operation of the seconds may end outside of them.
	const edges = 2
	sum := step.counts(s.want)
	settled, seconds := step.settledCohort(&sum)
	list, unit := step.servedBySecond(s.of.record, s.want)
	if step.Closed() || len(list) == 0 {
		return float64(settled.Served) / seconds
	}
	rate, each := statistics.Mean(list)/unit, float64(settled.Offered)/float64(max(1, settled.Scheduled))
	if settled.Succeeded == settled.Scheduled && math.Abs(rate-float64(settled.Offered)/seconds)*float64(len(list))*unit <= edges*each {
		return s.offered(step)
	}
	return rate
}

// throughput returns the mean of the settled seconds. Seconds of several steps are of several
// loads, and have no interval together.
func (s *Selection) throughput() Value {
	var all []float64
	seconds, scale := 0.0, 1.0
	for _, step := range s.steps {
		list, unit := step.servedBySecond(s.of.record, s.want)
		seconds += float64(len(list)) * unit
		if len(s.steps) == 1 {
			// The interval is computed from counts: those of a steady load are equal, and their rates only nearly.
			all, scale = list, unit
			break
		}
		for _, served := range list {
			all = append(all, served/unit)
		}
	}
	if len(all) == 0 {
		return unknownValue("no whole second in a step's last half")
	}
	found := statistics.BatchMeans(all)
	v := knownValue(found.Mean/scale, int64(seconds))
	if found.Known && len(s.steps) == 1 {
		v.Interval = &[2]float64{(found.Mean - found.Half) / scale, (found.Mean + found.Half) / scale}
	}
	return v
}

// servedBySecond returns what was served in each whole second of the settled part of the step: the last half of a step
// with a rate, or all of it if that has no whole second; all of a closed loop. In a long record it returns whole
// minutes or hours, or what there is if none is whole, and their length in seconds.
func (s Step) servedBySecond(record *results.Record, want func(results.Kind) bool) (list []float64, unit float64) {
	first, end := s.wholeSeconds()
	if !s.Closed() && !s.Phase.Unplanned {
		settled := s
		phase := *s.Phase
		phase.Begin += (phase.End - phase.Begin) / 2
		settled.Phase = &phase
		if half, _ := settled.wholeSeconds(); half < end {
			first = half
		}
	}
	length := int64(1)
	for i := range record.Intervals {
		row := &record.Intervals[i]
		if row.Second < first || row.End() > end || row.Seconds() < length {
			continue
		}
		if row.Seconds() > length {
			list, length = nil, row.Seconds()
		}
		served := int64(0)
		for k := range min(len(row.Kinds), len(s.kinds)) {
			if want == nil || want(s.kinds[k]) {
				served += row.Kinds[k].Served
			}
		}
		list = append(list, float64(served))
	}
	return list, float64(length)
}

// partitionFigures are figures on saturation and on the busiest partitions. A partition is characterized by its busiest
// second, counted from the beginning of the phase: a mean over a phase hides the second in which it is throttled.
var partitionFigures = []Definition{
	{Name: "saturation", Scope: OfPhases, Unit: PerSecond, Better: Higher, take: saturation,
		About: "entities per second at a limit: median of whole seconds after each step's first " +
			"with 1% throttled and less served than offered, if three, and half at that load"},
	{Name: "partitions", About: "maximum PartitionKeys per phase of single-partition operations",
		Scope: OfPhases, Unit: Count, take: func(s *Selection) Value {
			most := unknownValue(noPhase)
			for _, step := range s.steps {
				one := knownValue(float64(step.Phase.PartitionsHit), step.Phase.PartitionsHit)
				if one.AtLeast = step.Phase.OfferedOver > 0; step.Phase.Offered == nil {
					return unknownValue("the run ended early")
				}
				most = maxValue(most, one)
			}
			return unknownIfBound(most, "too many partitions to record")
		}},
	{Name: "mean_offered", About: "maximum entities per second due of a partition, over the phase", Scope: OfPhases,
		Unit: PerSecond, take: func(s *Selection) Value { return s.mean(offeredIn) }},
	{Name: "mean_served", About: "maximum entities per second counted of a partition, over the phase", Scope: OfPhases,
		Unit: PerSecond, take: func(s *Selection) Value { return s.mean(servedIn) }},
}

// perPartition returns the load of each named partition of a phase, and a bound of all others: what was offered by the
// instants at which operations were due, or what was served by the ends of attempts.
type perPartition func(*results.Phase) (list []results.PartitionStats, over int64)

func offeredIn(p *results.Phase) (list []results.PartitionStats, over int64) {
	return p.Offered, p.OfferedOver
}

func servedIn(p *results.Phase) (list []results.PartitionStats, over int64) {
	if p.Partitions == nil && p.Offered != nil {
		// Nothing was served, which is known.
		return []results.PartitionStats{}, p.PartitionsOver
	}
	return p.Partitions, p.PartitionsOver
}

const notKept = "partitions are not recorded"

// busiestOf returns the busiest second in a phase whose record names some partitions, or all if there are no more.
func (s *Selection) busiestOf(list []results.PartitionStats, over int64, more bool) Value {
	switch {
	case list == nil && over == 0:
		return unknownValue(notKept)
	case s.ref.Part == Hottest && len(list) == 0:
		return Value{Why: "no operation on one partition"}
	case s.ref.Part == Hottest:
		v := knownValue(float64(list[0].Busiest), list[0].Entities)
		// The total of all others is less than the first had in a second.
		v.AtLeast = list[0].AtLeast || over > list[0].Busiest
		return v
	}
	// If several tables have a partition with that key the first one has most, unless it is listed for its mean.
	for i, one := range list {
		if one.Key == s.ref.Key {
			if more && i >= results.KeptPartitions {
				return unknownValue(notKept)
			}
			v := knownValue(float64(one.Busiest), one.Entities)
			v.AtLeast = one.AtLeast
			return v
		}
	}
	if over > 0 || len(list) >= results.KeptPartitions {
		return unknownValue(notKept)
	}
	return knownValue(0, 0)
}

// unknownIfBound makes a lower bound unknown: a check must not pass on it.
func unknownIfBound(v Value, why string) Value {
	if v.Known && v.AtLeast {
		v.Known, v.Why = false, why
	}
	return v
}

// maxValue returns the greater value. It is a lower bound if either is, which may be the greater one.
func maxValue(a, b Value) Value {
	switch {
	case !b.Known:
		return a
	case !a.Known:
		return b
	case b.Value > a.Value:
		a, b = b, a
	}
	a.AtLeast = a.AtLeast || b.AtLeast
	return a
}

// mean returns the greatest mean of a partition in any of the phases.
func (s *Selection) mean(of perPartition) Value {
	most := unknownValue("no operation on one partition")
	for _, step := range s.steps {
		list, over := of(step.Phase)
		if list == nil && over == 0 {
			return unknownValue(notKept)
		}
		entities := int64(0)
		for _, one := range list {
			entities = max(entities, one.Entities)
		}
		if len(list) > 0 {
			one := perSecond(float64(entities), step.Seconds(), entities)
			// Earlier records of the same schema name only those with the busiest second.
			named := len(step.Phase.Offered) > results.KeptPartitions || step.Phase.PartitionsHit <= results.KeptPartitions
			one.AtLeast = over > entities || !named
			most = maxValue(most, one)
		}
	}
	return unknownIfBound(most, "unnamed partitions may have more")
}

// Hottest returns the partition that served most in a second of a reported phase, nil if none is known.
func (f *Figures) Hottest() *results.HottestPartition {
	var most results.HottestPartition
	for _, step := range f.reported {
		list := step.Phase.Partitions
		if len(list) == 0 {
			continue
		}
		one, bound := list[0], most.AtLeast || list[0].AtLeast || step.Phase.PartitionsOver > list[0].Busiest
		if busiest := float64(one.Busiest); busiest > most.EntitiesPerSecond {
			most = results.HottestPartition{Table: one.Table, Key: one.Key, EntitiesPerSecond: busiest, Mean: float64(one.Entities) / step.Seconds()}
		}
		most.AtLeast = bound
	}
	if most.EntitiesPerSecond == 0 {
		return nil
	}
	return &most
}
