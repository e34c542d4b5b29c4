package advise

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"loadgen/report/document"
	"loadgen/results"
	"loadgen/scenarios/advise/keystatistics"
	"loadgen/scenarios/keys"
)

// KeysOptions describe how to judge keys.
type KeysOptions struct {
	// File is the name of their file, for messages.
	File string
	// PerSecond is the rate of all entities per second, 0 for none.
	PerSecond float64
	// Enough is a capacity in entities per second above which designs are equal, and the first of them is
	// preferred; 0 is none.
	Enough  float64
	Targets Targets
	// Time, TimeFormat and Names are as of [keystatistics.ReadOptions].
	Time, TimeFormat string
	Names            map[string]string
	// Progress is called with the number of rows from time to time; it may be nil.
	Progress func(rows int64)
}

// Keys is the outcome of keys that exist already.
type Keys struct {
	File string `json:"file"`
	// PartitionKey and RowKey are the templates of the keys, empty if the file contains the keys.
	PartitionKey string `json:"partition_key,omitempty"`
	RowKey       string `json:"row_key,omitempty"`
	// Verdict is the answer in sentences.
	Verdict string `json:"verdict"`
	// State and Ok are the answer for scripts. Ok is nil without a rate, and if the answer is unknown.
	State   string  `json:"state"`
	Ok      *bool   `json:"ok"`
	Basis   string  `json:"basis"`
	Targets Targets `json:"targets"`
	// PerSecond is the rate of [KeysOptions].
	PerSecond float64 `json:"entities_per_second"`
	keystatistics.Counts
	// Ignored are the columns that were not used.
	Ignored []string `json:"ignored_columns,omitempty"`
	// Timed reports that the rows have instants. Without instants InOrder is the order of inserts that
	// happen in the order of the file. Falling counts the rows that are earlier than one before.
	Timed   bool   `json:"timed"`
	InOrder string `json:"in_the_order_of_the_file,omitempty"`
	Falling int64  `json:"rows_out_of_order"`
	// Identical counts the repeated keys of rows that equal an earlier one in every column.
	Identical int64 `json:"rows_identical"`
	// Notes are sentences about what was assumed or left out of the file.
	Notes  []string `json:"notes,omitempty"`
	Spread Spread   `json:"keys"`
	// Unlisted is the maximum share of a partition that is not listed.
	Unlisted float64 `json:"unlisted_share_most"`
	// Busiest is the partition that a target limits most at its busiest time, nil if the rows have no
	// instants; BusiestTail is that of the places that take new keys and move on, nil without any.
	Busiest     *Busiest `json:"busiest,omitempty"`
	BusiestTail *Busiest `json:"busiest_tail,omitempty"`
	// Hottest is the rate of the busiest partition, without instants that of the most common one, HotPlace
	// that of the place with most inserts; 0 without a rate.
	Hottest  Rate    `json:"hottest_partition"`
	HotPlace float64 `json:"hot_place_entities_per_second"`
	// Full is the rate of all entities in their busiest second at which that partition has its target,
	// FullPlace that for the place with most inserts; 0 is never.
	Full      Rate    `json:"full_at"`
	FullPlace float64 `json:"hot_place_full_at_entities_per_second"`
	// Findings are the points of the checklist that keys can answer.
	Findings []Finding `json:"findings"`

	// hotInOrder reports that inserts in the order of the file fall on few places at a time.
	hotInOrder bool
	// isPart reports that a part of the rows is judged in time.
	isPart bool
}

// Busiest is a partition or a tail at its busiest time.
type Busiest struct {
	PartitionKey string `json:"partition_key,omitempty"`
	// Average is its share of all entities, Share its rate at its busiest time as a share of the rate of
	// all in their busiest second.
	Average float64 `json:"average_share"`
	Share   float64 `json:"share"`
	// Window is the length of that time in seconds, 0 for all rows, and From its begin.
	Window float64 `json:"window_seconds"`
	From   string  `json:"from,omitempty"`
}

const (
	// maxTimed is the number of rows that are kept in time, maxOrdered the number of inserts whose order
	// is judged.
	maxTimed, maxOrdered = 1 << 20, 1 << 15
	// fewDesigns is the number of designs that each keep that number of rows. More share the memory.
	fewDesigns = 4
	// maxListed is the number of most common partitions of a file that are listed, screenKeys the
	// number on one screen.
	maxListed  = 10
	screenKeys = 4
)

// FromKeys judges the keys of a CSV file, in bounded memory. The error is that of the reader, or joins
// the faults of the file.
func FromKeys(from io.Reader, o KeysOptions) (*Keys, error) {
	seen := keystatistics.New(keystatistics.Options{Seed: 1, Top: maxListed, Samples: maxOrdered, Moments: maxTimed})
	read, err := keystatistics.ReadKeys(from, o.reading(), seen)
	if err != nil {
		return nil, err
	}
	return judgeKeys(seen, read, o, Candidate{}), nil
}

func (o *KeysOptions) reading() keystatistics.ReadOptions {
	return keystatistics.ReadOptions{File: o.File, Time: o.Time, TimeFormat: o.TimeFormat, Names: o.Names, Progress: o.Progress}
}

func judgeKeys(seen *keystatistics.Statistics, read keystatistics.Reading, o KeysOptions, by Candidate) *Keys {
	r := seen.Report()
	k := &Keys{File: o.File, PartitionKey: by.PartitionKey, RowKey: by.RowKey, Basis: "derived", Targets: o.Targets, PerSecond: o.PerSecond,
		Counts: r.Counts, Ignored: read.Ignored, Timed: read.Timed, Falling: read.Falling, Identical: min(read.Identical, r.Repeated), Notes: read.Notes}
	if !read.Timed && r.Inserts > 0 && r.Order.Verdict != keystatistics.OnePartition {
		// The order of the file is only a hint.
		if r.Order.Verdict != keystatistics.Unknown {
			k.InOrder, k.hotInOrder = r.Order.Word(), r.Order.Hot || r.Order.Tails > 0
		}
		r.Order = keystatistics.Order{Reason: "no row has an instant"}
	}
	if r.Peak.Resolution > time.Minute && r.Order.Verdict != keystatistics.OnePartition {
		r.Order = keystatistics.Order{Reason: sentence("keys/coarse", r.Peak.Resolution)}
	}
	k.Spread = spreadOf(&r, maxListed)
	k.Unlisted = float64(r.Unlisted) / float64(max(1, r.Entities))
	k.limit(&r)
	k.Findings = k.figures().judge(keyRules())
	switch {
	case len(withVerdict(k.Findings, Error)) > 0:
		k.State, k.Ok = results.DoesNotHold, new(false)
	case k.Entities == 0, k.isUntimed(), k.PerSecond > k.Full.Least && k.Full.Least > 0:
		k.State = results.CannotTell
	case k.PerSecond == 0:
		k.State = results.Holds
	default:
		k.State, k.Ok = results.Holds, new(true)
	}
	claim := k.claim()
	k.Verdict = claim.Sentences()
	return k
}

// limit sets the rates at which the busiest partition and the place of inserts have their target: with
// instants by the busiest time of each, without by their share of all entities.
func (k *Keys) limit(r *keystatistics.Report) {
	target := float64(k.Targets.Partition)
	at := func(share float64) float64 {
		if share <= 0 {
			return 0
		}
		return target / share
	}
	k.Full = Rate{Value: at(r.Hottest.Most), Least: at(r.Hottest.Most), Most: at(r.Hottest.Least)}
	k.FullPlace = at(r.PlaceShare())
	if one, tail := r.Peak.Key, r.Peak.Tail; k.Timed && one.Capacity > 0 {
		k.Full = exactly(target * one.Capacity)
		k.Busiest, k.isPart = busiestOf(&one), r.Peak.Weight > 1
		k.FullPlace *= r.Peak.PerSecond / r.Peak.Mean
		if k.Spread.Hot && !r.Order.IsOnePlace() || r.Order.Verdict == keystatistics.SeveralTails {
			// Keys that take turns are no place: each has its own target. Other tails have a busiest time.
			k.FullPlace = k.Full.Value
		}
		if tail.Capacity > 0 {
			k.FullPlace, k.BusiestTail = target*tail.Capacity, busiestOf(&tail)
		}
	}
	rate := func(full float64) float64 {
		if full <= 0 {
			return 0
		}
		return k.PerSecond * target / full
	}
	k.Hottest = Rate{Value: rate(k.Full.Least), Least: rate(k.Full.Most), Most: rate(k.Full.Least)}
	k.HotPlace = rate(k.FullPlace)
}

func busiestOf(b *keystatistics.Busiest) *Busiest {
	one := &Busiest{PartitionKey: b.PartitionKey, Average: b.Average, Share: b.Share, Window: b.Window.Seconds()}
	// Instants before 1980 are durations from the first row on.
	const year = 1980
	if at := time.Unix(0, int64(b.From)).UTC(); b.Window > 0 && at.Year() < year {
		one.From = at.Sub(time.Unix(0, 0)).Truncate(time.Second).String()
	} else if b.Window > 0 {
		one.From = at.Truncate(time.Second).Format(time.RFC3339)
	}
	return one
}

// isBurst reports whether a partition or a tail is far above its average at its busiest time.
func (b *Busiest) isBurst() bool {
	const burst = 1.2
	return b != nil && b.Window > 0 && b.Share > burst*b.Average
}

// window names the busiest time.
func (b *Busiest) window() any {
	switch b.Window {
	case time.Second.Seconds():
		return "second"
	case time.Minute.Seconds():
		return "minute"
	case time.Hour.Seconds():
		return "hour"
	default:
		return seconds(b.Window)
	}
}

// isUntimed reports whether the places of inserts at any moment are unknown.
func (k *Keys) isUntimed() bool {
	return k.Inserts > 0 && (!k.Timed || k.Spread.order.Verdict == keystatistics.Unknown)
}

// capacity returns the rate of all entities that the keys sustain by the targets, and what is full there.
func (k *Keys) capacity() (perSecond float64, full string) {
	ceiling, full := k.Full.Least, sentence("keys/partition")
	if k.Busiest.isBurst() {
		full = sentence("keys/burst", k.Busiest.PartitionKey, k.Busiest.window())
	}
	if k.FullPlace > 0 && k.FullPlace < ceiling {
		ceiling, full = k.FullPlace, sentence("keys/place")
		switch tails := k.Spread.Tails; {
		case k.BusiestTail.isBurst():
			full = sentence("keys/tail-burst", k.BusiestTail.window())
		case k.Spread.order.Verdict == keystatistics.SeveralTails && tails > 1:
			full = sentence("keys/tails", tails)
		}
	}
	if account := float64(k.Targets.Account); ceiling > account {
		return account, sentence("keys/account")
	}
	return ceiling, full
}

// Capacity returns the rate of all entities that the keys sustain by the targets, in entities per second.
func (k *Keys) Capacity() float64 {
	perSecond, _ := k.capacity()
	return perSecond
}

// figures returns what the rules judge.
func (k *Keys) figures() figures {
	t := &k.Targets
	f := figures{"invalid": k.Invalid, "all-rows": k.Rows + k.Invalid, "keyed": k.Keyed, "repeated": k.Repeated, "identical": k.Identical, "inserts": k.Inserts, "entities": k.Entities,
		"rate": k.PerSecond, "rate-part": document.Ratio{Part: k.PerSecond, Whole: float64(t.Account)}, "full": k.Full.between(), "target": t.Partition, "account": t.Account,
		"hot": k.Hottest.between(), "hot-part": k.Hottest.ofTarget(t.Partition), "hot-least": share(k.Hottest.Least, t.Partition), "all-targets": t.ofAll(),
		"place-full": k.FullPlace, "place": k.HotPlace, "file-order": k.InOrder, "placed": k.Spread.Hot || k.Spread.order.Verdict == keystatistics.SeveralTails}
	if len(k.Faults) > 0 {
		first := k.Faults[0]
		f["fault-line"], f["fault-key"], f["fault"] = first.Line, first.PartitionKey, first.What
	}
	if b := k.Busiest; b.isBurst() {
		f["burst"], f["burst-key"], f["burst-window"], f["burst-share"], f["burst-average"], f["burst-from"] = true, b.PartitionKey, b.window(), b.Share, b.Average, b.From
	}
	k.Spread.figures(f, "the entities", t)
	k.Spread.orderFigures(f, t)
	return f
}

// between returns a rate by its bounds.
func (r Rate) between() string {
	if document.Rate(r.Least) == document.Rate(r.Most) {
		return document.Rate(r.Most)
	}
	return document.Rate(r.Least) + " to " + document.Rate(r.Most)
}

// claim returns the answer for a document.
func (k *Keys) claim() document.Answer {
	capacity, what := k.capacity()
	a, most := document.Answer{}, document.Rate(capacity)
	switch {
	case k.Entities == 0:
		return document.Claimed(k.State, sentence("keys/none"), "", "", "")
	case k.Repeated > 0:
		a = document.Claimed(k.State, sentence("keys/repeated", share(float64(k.Repeated), k.Keyed)), "", "", "")
	case k.State == results.DoesNotHold && k.PerSecond <= capacity:
		a = document.Claimed(k.State, ": "+document.Enumerated(idsOf(k.Findings, Error)), "", "", "")
	case k.PerSecond > 0:
		a = document.Claimed(k.State, " at", document.Rate(k.PerSecond), "entities/s", "")
	case k.State == results.CannotTell:
		a = document.Claimed(k.State, ": at most", most, "entities/s", "")
	default:
		a = document.Claimed(k.State, " up to", most, "entities/s", "")
	}
	a.Beside = sentence("keys/where", what)
	if k.PerSecond > 0 {
		a.Beside = sentence("keys/most", most, what)
	}
	switch {
	case k.RowKey != "":
		a.Says = append(a.Says, "PartitionKey "+k.PartitionKey+", RowKey "+k.RowKey+".")
	case k.PartitionKey != "":
		a.Says = append(a.Says, "PartitionKey "+k.PartitionKey+".")
	}
	if k.Repeated > 0 {
		a.Says = append(a.Says, sentence("unique/some", k.Keyed, k.Repeated))
	}
	if k.Identical > 0 {
		a.Says = append(a.Says, sentence("unique/identical", k.Identical))
	}
	switch o := &k.Spread; {
	case k.Busiest.isBurst():
		a.Says = append(a.Says, sentence("keys/busiest", k.Busiest.PartitionKey, k.Busiest.window(), k.Busiest.Share, k.Busiest.Average, k.Busiest.From))
	case len(o.Top) > 0:
		a.Says = append(a.Says, sentence("keys/top", o.Top[0].PartitionKey, o.top()))
	}
	if capacity := k.Spread.order.Capacity(k.Targets.Partition, k.Targets.ofAll()); k.BusiestTail.isBurst() {
		a.Says = append(a.Says, sentence("keys/busiest-tail", k.BusiestTail.window(), k.BusiestTail.Share, k.BusiestTail.Average,
			k.BusiestTail.From))
	} else if capacity != "" {
		a.Says = append(a.Says, capacity)
	}
	switch change := firstChange(k.Findings); {
	case k.isUntimed() && k.Timed:
		a.Says = append(a.Says, k.Spread.Evidence)
	case k.isUntimed() && k.InOrder == "":
		a.Says = append(a.Says, sentence("keys/untimed"))
	case k.isUntimed():
		a.Says = append(a.Says, sentence("keys/file-order", k.InOrder))
	case change != "" && k.State != results.Holds:
		a.Says = append(a.Says, change)
	}
	return a
}

// Document returns the outcome of the keys: the most common on one screen, then all evidence.
func (k *Keys) Document() *document.Document {
	d := &document.Document{Title: "keys", Subtitle: "derived from " + document.Counted(int(k.Rows), "row") + " of " + k.File, Answer: k.claim(), Data: k}
	top, o := k.top(), &k.Spread
	short := top
	short.Rows, short.Notes = short.Rows[:min(len(short.Rows), screenKeys)], nil
	if k.Busiest.isBurst() {
		short.Notes = []string{sentence("keys/shares")}
	}
	d.Show(short, document.Facts{Lines: append([]string{sentence("screen/keys", o.count(), o.like(), o.Order), summary(k.Findings)}, k.Notes...)})
	d.Add("basis", "Basis", document.Paragraph{Text: summary(k.Findings)}, document.Paragraph{Text: k.basis()})
	d.Add("keys", "Keys", k.facts(), top)
	var items []string
	for _, r := range k.Faults {
		items = append(items, sentence("keys/fault", r.Line, r.PartitionKey, r.What))
	}
	d.Add("refused", "Invalid keys", document.List{Items: items})
	d.Add("findings", "Findings by the performance checklist", findingsTable(k.Findings))
	return d
}

// basis returns what the rates are derived from.
func (k *Keys) basis() string {
	switch {
	case k.Busiest == nil:
		return sentence("basis/keys")
	case k.isPart:
		return sentence("basis/timed") + sentence("basis/part")
	default:
		return sentence("basis/timed")
	}
}

// top lists the most common partitions.
func (k *Keys) top() document.Table {
	t := document.NewTable("commonest", "Most common partitions by share of all entities", "PartitionKey|cut=40", "at least|share", "at most|share", "full when all are")
	for _, one := range k.Spread.Top {
		full := document.Untold
		if one.Most > 0 && k.Targets.Partition > 0 {
			full = document.Rate(float64(k.Targets.Partition)/one.Most) + "/s"
		}
		t.Add(one.PartitionKey, one.Least, one.Most, full)
	}
	if k.Unlisted > 0 {
		t.Notes = append(t.Notes, sentence("keys/unlisted", k.Unlisted))
	}
	if k.Busiest.isBurst() {
		t.Notes = append(t.Notes, sentence("keys/shares"))
	}
	return t
}

// facts lists how the keys spread.
func (k *Keys) facts() document.List {
	o := &k.Spread
	items := []string{sentence("keys/rows", k.Rows, k.File, k.Inserts, document.Counted(int(k.Entities), "entity", "entities")),
		sentence("keys/partitions", o.count(), o.like()), sentence("keys/share", o.top()), sentence("keys/inserts", o.Evidence)}
	if k.Falling > 0 {
		items = append(items, sentence("keys/falling", k.Falling))
	}
	if len(k.Ignored) > 0 {
		items = append(items, sentence("keys/ignored", strings.Join(k.Ignored, ", ")))
	}
	return document.List{Items: items}
}

// sortRank orders keys: those that hold before unknown ones, and both before others.
func (k *Keys) sortRank() int {
	return slices.Index([]string{results.Holds, results.CannotTell, results.DoesNotHold}, k.State)
}

// Candidate is a design for the rows of a file: the templates of its keys, whose placeholders are columns.
// RowKey may be empty.
type Candidate struct {
	PartitionKey string `json:"partition_key"`
	RowKey       string `json:"row_key,omitempty"`
}

// Candidates is the outcome of several designs for the same rows.
type Candidates struct {
	File string `json:"file"`
	// Verdict, State and Ok are those of the first.
	Verdict string `json:"verdict"`
	State   string `json:"state"`
	Ok      *bool  `json:"ok"`
	// Ranked are the designs, best first, those that do not hold the rate last.
	Ranked []*Keys `json:"candidates"`
}

// maxCandidates is the maximum number of designs in one reading.
const maxCandidates = 16

// CandidateFault is an invalid candidate.
type CandidateFault struct{ What string }

// Error implements error.
func (f *CandidateFault) Error() string { return f.What }

// parse returns the templates of a candidate. The error is a [CandidateFault].
func (c *Candidate) parse() (parsed keystatistics.Candidate, err error) {
	for _, key := range []struct {
		flag, text string
		into       *keys.Template
	}{{"partition-key", c.PartitionKey, &parsed.PartitionKey}, {"row-key", c.RowKey, &parsed.RowKey}} {
		if *key.into, err = keys.ParseColumns(key.text); err != nil {
			what := err.Error()
			var fault *keys.TemplateError
			if errors.As(err, &fault) {
				what = fmt.Sprintf("at character %d: %s", fault.Offset+1, fault.What)
			}
			return parsed, &CandidateFault{fmt.Sprintf("--%s %s: %s", key.flag, key.text, what)}
		}
	}
	return parsed, nil
}

// FromRows judges candidates by the rows of a CSV file, in one reading and in bounded memory. The error is
// a [CandidateFault] for an invalid candidate, or else that of [FromKeys].
func FromRows(from io.Reader, candidates []Candidate, o KeysOptions) (*Candidates, error) {
	if len(candidates) > maxCandidates {
		return nil, &CandidateFault{fmt.Sprintf("%d designs; expected at most %d in one reading", len(candidates), maxCandidates)}
	}
	parsed, into := make([]keystatistics.Candidate, len(candidates)), make([]*keystatistics.Statistics, len(candidates))
	for i := range candidates {
		var err error
		if parsed[i], err = candidates[i].parse(); err != nil {
			return nil, err
		}
		// The candidates share the memory for exact counts.
		into[i] = keystatistics.New(keystatistics.Options{Seed: 1, Top: maxListed, Samples: maxOrdered, Moments: maxTimed * fewDesigns / max(fewDesigns, len(candidates)),
			Exact: keystatistics.DefaultExact / len(candidates)})
	}
	read, err := keystatistics.ReadCandidates(from, o.reading(), parsed, into)
	if err != nil {
		return nil, err
	}
	c := &Candidates{File: o.File}
	for i := range candidates {
		c.Ranked = append(c.Ranked, judgeKeys(into[i], read, o, candidates[i]))
		into[i] = nil
	}
	// By state, then unique keys first, keys that may be hot last, then by capacity.
	number := func(is bool) int {
		if is {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(c.Ranked, func(a, b *Keys) int {
		x, y := a.Capacity(), b.Capacity()
		rank := cmp.Or(cmp.Compare(a.sortRank(), b.sortRank()), cmp.Compare(number(a.Repeated > 0), number(b.Repeated > 0)),
			cmp.Compare(number(a.hotInOrder), number(b.hotInOrder)))
		if o.Enough > 0 && min(x, y) >= o.Enough {
			return rank
		}
		return cmp.Or(rank, cmp.Compare(y, x), cmp.Compare(a.Spread.TopMost, b.Spread.TopMost))
	})
	c.State, c.Ok, c.Verdict = c.Ranked[0].State, c.Ranked[0].Ok, c.Ranked[0].Verdict
	return c, nil
}

// Document compares the candidates and adds the document of each; of a single candidate it is that of
// its [Keys].
func (c *Candidates) Document() *document.Document {
	first := c.Ranked[0]
	if len(c.Ranked) == 1 {
		return first.Document()
	}
	d := &document.Document{Title: "keys", Subtitle: "derived from " + document.Counted(int(first.Rows), "row") + " of " + c.File,
		Answer: first.claim(), Data: c}
	t := document.NewTable("candidates", "Designs, best first", "PartitionKey|cut=40", "at most/s|rate|unit=entities/s",
		"most common", "partitions|spare=2", "insert order|words", "keys twice|spare=1")
	for i, k := range c.Ranked {
		most, _ := k.capacity()
		order := k.Spread.Order
		if k.InOrder != "" {
			order = k.InOrder + "?"
		}
		var twice *int64
		if k.Keyed > 0 {
			twice = &k.Repeated
		}
		t.Add(document.ToneOf(k.State), k.PartitionKey, most, k.Spread.top(), k.Spread.count(), order, twice)
		d.Add(fmt.Sprintf("keys-%d", i+1), "PartitionKey "+k.PartitionKey, k.facts(), k.top())
		d.Add(fmt.Sprintf("findings-%d", i+1), "Findings of "+k.PartitionKey, findingsTable(k.Findings))
	}
	d.Show(t, document.Facts{Lines: append([]string{sentence("screen/candidates")}, first.Notes...)})
	return d
}
