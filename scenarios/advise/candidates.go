package advise

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"loadgen/report/document"
	"loadgen/results"
	"loadgen/scenarios/advise/keystatistics"
	"loadgen/scenarios/keys"
)

// Candidate is a design to be tried on the rows of a file: the templates of its keys, whose
// placeholders are columns. RowKey may be empty.
type Candidate struct {
	PartitionKey string `json:"partition_key"`
	RowKey       string `json:"row_key,omitempty"`
}

// Candidates is what several designs make of the same rows.
type Candidates struct {
	File string `json:"file"`
	// Verdict, State and Ok are those of the first.
	Verdict string `json:"verdict"`
	State   string `json:"state"`
	Ok      *bool  `json:"ok"`
	// Ranked are the designs, the one that carries most first, and those that do not hold
	// the rate last.
	Ranked []*Keys `json:"candidates"`
}

// mostCandidates is how many designs are tried in one reading.
const mostCandidates = 16

// CandidateFault is what is wrong with a candidate.
type CandidateFault struct{ What string }

// Error implements error.
func (f *CandidateFault) Error() string { return f.What }

// FromRows tries candidates on the rows of a CSV file, in one reading and in constant memory.
// The error is a [CandidateFault] where one of them is none; else it is as that of [FromKeys].
func FromRows(from io.Reader, candidates []Candidate, o KeysOptions) (*Candidates, error) {
	if len(candidates) > mostCandidates {
		return nil, &CandidateFault{fmt.Sprintf("%d designs; expected at most %d in one reading", len(candidates), mostCandidates)}
	}
	tried, into := make([]keystatistics.Candidate, len(candidates)), make([]*keystatistics.Statistics, len(candidates))
	for i, one := range candidates {
		for _, key := range []struct {
			flag, text string
			into       *keys.Template
		}{{"partition-key", one.PartitionKey, &tried[i].PartitionKey}, {"row-key", one.RowKey, &tried[i].RowKey}} {
			var err error
			if *key.into, err = keys.ParseTemplate(key.text); err != nil {
				what := err.Error()
				var fault *keys.TemplateError
				if errors.As(err, &fault) {
					what = fmt.Sprintf("at character %d: %s", fault.Offset+1, fault.What)
				}
				return nil, &CandidateFault{fmt.Sprintf("--%s %s: %s", key.flag, key.text, what)}
			}
		}
		// Of several designs each tells fewer partitions apart, so that all of them together
		// take no more memory.
		var err error
		if into[i], err = keystatistics.New(keystatistics.Options{Seed: 1, Top: listed, Exact: keystatistics.DefaultExact / len(candidates)}); err != nil {
			return nil, err
		}
	}
	read, err := keystatistics.ReadCandidates(from, keystatistics.ReadOptions{File: o.File, Time: o.Time, Progress: o.Progress}, tried, into)
	if err != nil {
		return nil, err
	}
	c := &Candidates{File: o.File}
	for i := range candidates {
		c.Ranked = append(c.Ranked, tellKeys(into[i], read, o, candidates[i]))
	}
	// Those that hold come before those of which that cannot be told, and both before others;
	// then keys that are not repeated, and those that carry more.
	states := []string{results.Holds, results.CannotTell, results.DoesNotHold}
	repeats := func(k *Keys) int { return min(1, int(k.Repeated)) }
	seems := func(k *Keys) int {
		if k.hotInOrder {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(c.Ranked, func(a, b *Keys) int {
		x, _ := a.carried()
		y, _ := b.carried()
		return cmp.Or(cmp.Compare(slices.Index(states, a.State), slices.Index(states, b.State)), cmp.Compare(repeats(a), repeats(b)),
			cmp.Compare(seems(a), seems(b)), cmp.Compare(y, x), cmp.Compare(a.Spread.TopMost, b.Spread.TopMost))
	})
	c.State, c.Ok, c.Verdict = c.Ranked[0].State, c.Ranked[0].Ok, c.Ranked[0].Verdict
	return c, nil
}

// Document says which candidate carries most, and of each what [Keys] say; of one alone just
// that.
func (c *Candidates) Document() *document.Document {
	first := c.Ranked[0]
	if len(c.Ranked) == 1 {
		return first.Document()
	}
	d := &document.Document{Title: "explain keys", Subtitle: "derived from " + document.Counted(int(first.Rows), "row") + " of " + c.File,
		Answer: first.claim(), Data: c}
	t := document.NewTable("candidates", "Designs, highest capacity first", "PartitionKey|cut=40", "at most/s|rate|unit=entities/s",
		"commonest", "partitions|spare=2", "inserts come|words", "keys twice|spare=1")
	for i, k := range c.Ranked {
		most, _ := k.carried()
		order := k.Spread.Order
		if k.InOrder != "" {
			order = k.InOrder + "?"
		}
		var twice *int64
		if k.Keyed > 0 {
			twice = &k.Repeated
		}
		t.Add(document.ToneOf(k.State), k.PartitionKey, most, k.Spread.top(), about(k.Spread.Partitions, k.Spread.PartitionsError), order, twice)
		d.Add(fmt.Sprintf("keys-%d", i+1), "PartitionKey "+k.PartitionKey, k.facts(), k.commonest())
		d.Add(fmt.Sprintf("findings-%d", i+1), "Findings of "+k.PartitionKey, findingsTable(k.Findings))
	}
	d.Show(t, document.Facts{Lines: []string{
		"at most/s: where the commonest partition, a place that takes all inserts, or the account is full."}})
	return d
}
