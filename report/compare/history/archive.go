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

// Archive takes in the runs of a history, and keeps of each no more than its figures.
// Its methods [Archive.Add] and [Archive.Refuse] are safe for concurrent use, and the
// order in which they are called makes no difference.
type Archive struct {
	metrics []Metric
	mu      sync.Mutex
	runs    []run
	unread  []Unread
}

// Unread is a run that could not be read, and why.
type Unread struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// run is what is kept of a record.
type run struct {
	name, scenario string
	started        time.Time
	validity       string
	virtual        bool
	conditions     []condition
	commit         string
	// values are those of the metrics, not a number where one cannot be told, and late how
	// many of them the generator's lateness spoils.
	values []float64
	late   int
	// names are its operations and phases.
	names []string
}

// New returns an empty archive of metrics, of which there has to be one at least.
func New(metrics []Metric) *Archive { return &Archive{metrics: slices.Clone(metrics)} }

// Refuse notes a run that cannot be read, with the reason.
func (a *Archive) Refuse(name, reason string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.unread = append(a.unread, Unread{printable(name, longestPath), printable(reason, longestPath)})
}

// Add takes in a record under a name, by which it is called where it has to be. It
// judges the record anew, whose summary becomes that of this build. A record that was
// cut off is none.
func (a *Archive) Add(name string, record *results.Record) {
	if record.Cut {
		a.Refuse(name, "the record is cut off within a line")
		return
	}
	record.Summary = verdict.Judge(record)
	m := &record.Manifest
	kept := run{name: name, scenario: m.Scenario.Name, started: m.Started.UTC(), validity: record.Summary.Validity,
		virtual: m.Time == "virtual", commit: printable(m.Tool.Commit, longestWord)}
	// They are in the order in which people want to know of them.
	kept.conditions = []condition{
		{textOf, m.Scenario.Text}, {"target", m.Target}, {"number of accounts", strconv.Itoa(max(1, m.Accounts))},
		{"clock", m.Time}, {"start", m.Start}, {"profile", m.Profile}, {"retry policy", m.Retry}, {"driver", m.Driver},
		{"opposite", m.AntiPattern}, {"search for a limit", strconv.FormatBool(record.Limit != nil)},
		{"system", m.Tool.System}, {"number of processors", strconv.Itoa(m.Environment.CPUs)},
		{"GOMAXPROCS", strconv.Itoa(m.Environment.GOMAXPROCS)}, {"number of workers", strconv.Itoa(m.Environment.Workers)},
	}
	figures, late := figure.Of(record), verdict.LateIn(record)
	for _, metric := range a.metrics {
		v := figures.Take(metric.of)
		switch {
		case figures.Late(metric.of, late) != "":
			kept.late++
			v.Value = math.NaN()
		case !v.Told:
			v.Value = math.NaN()
		case metric.of.Unit() == figure.Nanoseconds:
			v.Value /= 1000
		}
		kept.values = append(kept.values, v.Value)
	}
	for _, kind := range m.Operations {
		kept.names = append(kept.names, printable(kind.Name, longestPath))
	}
	for i := range record.Phases {
		kept.names = append(kept.names, printable(record.Phases[i].Name, longestPath), printable(record.Phases[i].Stage, longestPath))
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.runs = append(a.runs, kept)
}
