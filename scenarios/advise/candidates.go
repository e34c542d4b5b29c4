package advise

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"loadgen/report/document"
	"loadgen/scenarios/advise/keystatistics"
	"loadgen/scenarios/keys"
)

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
	// Ranked are the designs, highest capacity first, those that do not hold the rate last.
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
		if *key.into, err = keys.ParseTemplate(key.text); err != nil {
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
		into[i] = keystatistics.New(keystatistics.Options{Seed: 1, Top: maxListed, Exact: keystatistics.DefaultExact / len(candidates)})
	}
	read, err := keystatistics.ReadCandidates(from, keystatistics.ReadOptions{File: o.File, Time: o.Time, Progress: o.Progress}, parsed, into)
	if err != nil {
		return nil, err
	}
	c := &Candidates{File: o.File}
	for i := range candidates {
		c.Ranked = append(c.Ranked, judgeKeys(into[i], read, o, candidates[i]))
	}
	// By state, then unique keys first, keys that may be hot last, then by capacity.
	number := func(is bool) int {
		if is {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(c.Ranked, func(a, b *Keys) int {
		x, _ := a.capacity()
		y, _ := b.capacity()
		return cmp.Or(cmp.Compare(a.sortRank(), b.sortRank()), cmp.Compare(number(a.Repeated > 0), number(b.Repeated > 0)),
			cmp.Compare(number(a.hotInOrder), number(b.hotInOrder)), cmp.Compare(y, x), cmp.Compare(a.Spread.TopMost, b.Spread.TopMost))
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
	t := document.NewTable("candidates", "Designs, highest capacity first", "PartitionKey|cut=40", "at most/s|rate|unit=entities/s",
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
	d.Show(t, document.Facts{Lines: []string{sentence("screen/candidates")}})
	return d
}
