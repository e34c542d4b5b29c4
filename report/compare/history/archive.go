package history

import (
	"math"
	"slices"
	"strconv"
	"sync"
	"time"

	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/figure"
)

// Archive collects the figures of runs. [Archive.Add] and [Archive.Refuse] are safe for
// concurrent use; the order of calls does not matter.
type Archive struct {
	metrics []Metric
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
	conditions     []condition
	commit         string
	// values are those of the metrics, NaN if unknown. late is the number of metrics that a slow
	// generator distorts.
	values []float64
	late   int
	// names are its operations and phases.
	names []string
}

// New returns an empty archive of one or more metrics.
func New(metrics []Metric) *Archive { return &Archive{metrics: slices.Clone(metrics)} }

// Refuse adds a run that cannot be read.
func (a *Archive) Refuse(name, reason string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.unread = append(a.unread, Unread{printable(name, maxPath), printable(reason, maxPath)})
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
		virtual: m.Time == "virtual", commit: printable(m.Tool.Commit, maxWord)}
	kept.conditions = []condition{
		{scenarioText, m.Scenario.Text}, {"target", m.Target}, {"number of accounts", strconv.Itoa(max(1, m.Accounts))},
		{"clock", m.Time}, {"start", m.Start}, {"profile", m.Profile}, {"retry policy", m.Retry}, {"driver", m.Driver},
		{"anti-pattern", m.AntiPattern}, {"search for a limit", strconv.FormatBool(record.Limit != nil)},
		{"system", m.Tool.System}, {"number of processors", strconv.Itoa(m.Environment.CPUs)},
		{"GOMAXPROCS", strconv.Itoa(m.Environment.GOMAXPROCS)}, {"number of workers", strconv.Itoa(m.Environment.Workers)},
	}
	figures, late := figure.Of(record), verdict.LateIn(record)
	for _, metric := range a.metrics {
		v := figures.Take(metric.figure)
		switch {
		case figures.Late(metric.figure, late) != "":
			kept.late++
			v.Value = math.NaN()
		case !v.Told:
			v.Value = math.NaN()
		case metric.figure.Unit() == figure.Nanoseconds:
			v.Value /= 1000
		}
		kept.values = append(kept.values, v.Value)
	}
	for _, kind := range m.Operations {
		kept.names = append(kept.names, printable(kind.Name, maxPath))
	}
	for i := range record.Phases {
		kept.names = append(kept.names, printable(record.Phases[i].Name, maxPath), printable(record.Phases[i].Stage, maxPath))
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.runs = append(a.runs, kept)
}
