package history

import (
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"loadgen/report/compare"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/figure"
)

// Archive collects the figures of runs. [Archive.Add] and [Archive.Refuse] are safe for
// concurrent use; the order of calls does not matter.
type Archive struct {
	metrics []compare.Metric
	mu      sync.Mutex
	runs    []run
	unread  []Unread
}

// Unread is a run that could not be read.
type Unread struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// run has the figures of a record.
type run struct {
	name, scenario string
	started        time.Time
	validity       string
	virtual        bool
	conditions     []compare.Condition
	commit         string
	// causes are the version of the tool, and the labels.
	causes []string
	// values are those of the metrics, NaN if unknown. late is the number of metrics that a slow
	// generator distorts.
	values []float64
	late   int
	// names are its operations and phases.
	names []string
}

// New returns an empty archive of one or more metrics.
func New(metrics []compare.Metric) *Archive { return &Archive{metrics: slices.Clone(metrics)} }

// Refuse adds a run that cannot be read.
func (a *Archive) Refuse(name, reason string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.unread = append(a.unread, Unread{compare.Printable(name, maxPath), compare.Printable(reason, maxPath)})
}

// Add adds a record. It replaces the record's summary by the verdict of this build. It refuses
// truncated records.
func (a *Archive) Add(name string, record *results.Record) {
	if record.Cut {
		a.Refuse(name, "the record is truncated within a line")
		return
	}
	record.Summary = verdict.Judge(record)
	m := &record.Manifest
	kept := run{name: name, scenario: m.Scenario.Name, started: m.Started.UTC(), validity: record.Summary.Validity,
		virtual: m.Time == "virtual", commit: compare.Printable(m.Tool.Commit, maxWord), conditions: compare.Conditions(record)}
	figures, late := figure.NewFigures(record), verdict.LateIn(record)
	for i := range a.metrics {
		value, _ := a.metrics[i].Value(figures)
		if a.metrics[i].Late(figures, late) != "" {
			kept.late++
			value = math.NaN()
		}
		kept.values = append(kept.values, value)
	}
	if tool := strings.TrimSpace(m.Tool.Version + " " + m.Tool.Commit); tool != "" {
		kept.causes = append(kept.causes, compare.Printable(tool, maxWord))
	}
	for _, key := range slices.Sorted(maps.Keys(m.Labels)) {
		kept.causes = append(kept.causes, compare.Printable(key+"="+m.Labels[key], maxWord))
	}
	for _, kind := range m.Operations {
		kept.names = append(kept.names, compare.Printable(kind.Name, maxPath))
	}
	for i := range record.Phases {
		kept.names = append(kept.names, compare.Printable(record.Phases[i].Name, maxPath), compare.Printable(record.Phases[i].Stage, maxPath))
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.runs = append(a.runs, kept)
}
