// Package baseline holds the parts of a run in virtual time that repeat exactly, and the file with which later runs of
// the same scenario are compared.
//
// [Of] reduces a record to a [Tree]: every count, every distribution, the decisions of load balancing and each parameter
// of the model, without what differs between machines or nights. [New] makes a [Baseline] of it, [Baseline.File] its
// file, and [Read] reads a file. [Baseline.Fits] compares it with the scenario of another run.
//
// Records must be of completed runs in virtual time. The package reads no files and no clock, and does not judge
// differences.
package baseline

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"loadgen/results"
)

// Version is that of the file. A reader refuses any other.
const Version = 2

// Baseline is what runs of a scenario are held to, and why.
type Baseline struct {
	// Scenario is the name of the scenario, Text its canonical form.
	Scenario, Text string
	// Accepted is the day on which it was accepted, Reason why.
	Accepted time.Time
	Reason   string
	Tree     Tree
}

// file is a baseline as it is written. The digest is of everything else.
type file struct {
	Version  int             `json:"baseline"`
	Scenario string          `json:"scenario"`
	Accepted string          `json:"accepted"`
	Reason   string          `json:"reason"`
	Digest   string          `json:"digest"`
	Text     []string        `json:"text"`
	Tree     json.RawMessage `json:"tree"`
}

// longestReason bounds what is said of a change, in bytes.
const longestReason = 500

// CheckReason returns an error unless the text is one line of 1 to 500 bytes.
func CheckReason(text string) error {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > longestReason || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' }) {
		return fmt.Errorf("a reason of %d bytes; expected one line of 1 to %d", len(text), longestReason)
	}
	return nil
}

// New returns the baseline that a judged run makes. Its error wraps [ErrRecord], or says
// that the reason is none: one line, of 1 to 500 bytes.
func New(record *results.Record, accepted time.Time, reason string) (*Baseline, error) {
	reason = strings.TrimSpace(reason)
	if err := CheckReason(reason); err != nil {
		return nil, err
	}
	tree, err := Of(record)
	if err != nil {
		return nil, err
	}
	if validity := record.Summary.Validity; validity != results.Valid {
		return nil, fmt.Errorf("%w: it is %s", ErrRecord, validity)
	}
	return &Baseline{record.Manifest.Scenario.Name, record.Manifest.Scenario.Text, accepted, reason, tree}, nil
}

// File returns the baseline as a file: the same bytes for the same baseline.
func (b *Baseline) File() []byte {
	f := b.file()
	f.Digest = f.sum()
	return written(f, " ")
}

// Digest returns what names the baseline among others of its scenario.
func (b *Baseline) Digest() string { return b.file().sum() }

func (b *Baseline) file() file {
	return file{Version: Version, Scenario: b.Scenario, Accepted: b.Accepted.UTC().Format(time.DateOnly), Reason: b.Reason,
		Text: strings.Split(strings.TrimSuffix(b.Text, "\n"), "\n"), Tree: json.RawMessage(b.Tree)}
}

func (f file) sum() string {
	f.Digest = ""
	sum := sha256.Sum256(written(f, " "))
	return hex.EncodeToString(sum[:])
}

// written returns a value as JSON, indented so.
func written(value any, indent string) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", indent)
	if err := encoder.Encode(value); err != nil {
		panic("baseline: what is no JSON: " + err.Error())
	}
	return out.Bytes()
}

// Read returns the baseline that a file holds. Its errors wrap [ErrCorrupt], [ErrVersion]
// or [ErrEdited].
func Read(text []byte) (*Baseline, error) {
	var version struct {
		Version *int `json:"baseline"`
	}
	if err := json.Unmarshal(text, &version); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	switch {
	case version.Version == nil || *version.Version < 1:
		return nil, fmt.Errorf("%w: it has no version", ErrCorrupt)
	case *version.Version != Version:
		return nil, fmt.Errorf("%w: %d, not %d; rewrite it with gate --accept", ErrVersion, *version.Version, Version)
	}
	var f file
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&f); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrEdited, err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: more follows its end", ErrEdited)
	}
	accepted, err := time.Parse(time.DateOnly, f.Accepted)
	if err != nil {
		return nil, fmt.Errorf("%w: it was accepted on %q", ErrEdited, f.Accepted)
	}
	if f.Digest != f.sum() {
		return nil, fmt.Errorf("%w: its digest is wrong; rewrite it with gate --accept", ErrEdited)
	}
	return &Baseline{f.Scenario, strings.Join(f.Text, "\n") + "\n", accepted, f.Reason, written(f.Tree, "  ")}, nil
}

// Fits returns an error that wraps [ErrForeign] and says where the scenario of another run differs.
func (b *Baseline) Fits(name, text string) error {
	if name != b.Scenario {
		return fmt.Errorf("%w: %s, and this is %s", ErrForeign, b.Scenario, name)
	}
	was, is := strings.Split(b.Text, "\n"), strings.Split(text, "\n")
	for i := range min(len(was), len(is)) {
		if was[i] != is[i] {
			return fmt.Errorf("%w: line %d was %q and is %q", ErrForeign, i+1, strings.TrimSpace(was[i]), strings.TrimSpace(is[i]))
		}
	}
	switch n := min(len(was), len(is)); {
	case len(is) > n:
		return fmt.Errorf("%w: line %d, %q, is new", ErrForeign, n+1, strings.TrimSpace(is[n]))
	case len(was) > n:
		return fmt.Errorf("%w: line %d, %q, is gone", ErrForeign, n+1, strings.TrimSpace(was[n]))
	}
	return nil
}

// short is how much of a digest names a baseline to people.
const short = 12

// Named returns what a gate calls the baseline: its day and its digest.
func (b *Baseline) Named() string {
	return fmt.Sprintf("the baseline of %s (%s)", b.Accepted.UTC().Format(time.DateOnly), b.Digest()[:short])
}

// Line returns what is written down of the baseline beside it: its day, its digest and
// why it was accepted.
func (b *Baseline) Line() string {
	return fmt.Sprintf("%s %s %s", b.Accepted.UTC().Format(time.DateOnly), b.Digest()[:short], b.Reason)
}

// Same reports whether two baselines hold the same runs of the same scenario.
func (b *Baseline) Same(other *Baseline) bool {
	return b.Scenario == other.Scenario && b.Text == other.Text && bytes.Equal(b.Tree, other.Tree)
}

// What can be wrong with a baseline, to be told by errors.Is. None of these is a
// difference of the runs: there is nothing to hold them against.
var (
	// ErrCorrupt: it is no baseline that can be read.
	ErrCorrupt = errors.New("no baseline")
	// ErrVersion: it was written by an earlier or a later version of the tool.
	ErrVersion = errors.New("a baseline of another version")
	// ErrEdited: it is not what was accepted.
	ErrEdited = errors.New("the baseline was changed by hand")
	// ErrForeign: it is of another scenario.
	ErrForeign = errors.New("the baseline is of another scenario")
	// ErrRecord: the run cannot be held against a baseline.
	ErrRecord = errors.New("the run does not repeat")
)
