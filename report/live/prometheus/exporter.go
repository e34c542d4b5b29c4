package prometheus

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"loadgen/report/live"
	"loadgen/results"
)

// Exporter counts what a run does for whoever scrapes it.
type Exporter struct {
	stats    *live.Stats
	registry *prometheus.Registry
	duration *prometheus.HistogramVec
	kinds    []string

	// mu guards the writing of phases, which are read without it.
	mu     sync.Mutex
	phases atomic.Pointer[[]*phase]
}

// phase has the series of one phase, by kind of operation and class of status, which are
// made when first needed.
type phase struct {
	name   string
	series []atomic.Pointer[prometheus.Observer]
}

// The bounds on what is told apart: phases and operations beyond them share a name.
const (
	mostPhases = 200
	mostKinds  = 100
	others     = "other"
)

// classes are the classes of a status; the first is that of no answer.
var classes = [...]string{"none", "1xx", "2xx", "3xx", "4xx", "5xx"}

// growth is how much wider each bucket of a native histogram is than the one before, at
// most; mostBuckets bounds their number.
const (
	growth      = 1.1
	mostBuckets = 160
)

// mostScrapes is how many scrapes are answered at a time.
const mostScrapes = 4

// Options say of which run the metrics are.
type Options struct {
	Kinds []results.Kind
	// Stats is told of the run beside; Now tells its present.
	Stats *live.Stats
	Now   func() time.Duration
	// Tool is what the program says of its own build.
	Tool results.Tool
	// Keys says that the hottest partitions are told with their keys.
	Keys bool
}

// New returns the metrics of a run.
func New(o Options) *Exporter {
	e := &Exporter{stats: o.Stats, registry: prometheus.NewRegistry()}
	for i, kind := range o.Kinds {
		if i < mostKinds {
			e.kinds = append(e.kinds, strings.ToValidUTF8(kind.Name, "?"))
		}
	}
	e.kinds = append(e.kinds, others)
	e.phases.Store(&[]*phase{})
	e.duration = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "loadgen_request_duration_seconds",
		Help:    "Time of single attempts, from when each was sent to its reply.",
		Buckets: live.Bounds(), NativeHistogramBucketFactor: growth, NativeHistogramMaxBucketNumber: mostBuckets,
	}, []string{"op", "status_class", "phase"})
	build := prometheus.NewGauge(prometheus.GaugeOpts{Name: "loadgen_build_info", Help: "1, labelled with the build of loadgen.",
		ConstLabels: prometheus.Labels{"version": o.Tool.Version, "revision": o.Tool.Commit, "goversion": o.Tool.Go}})
	build.Set(1)
	heat := []string{"rank"}
	if o.Keys {
		heat = append(heat, "partition")
	}
	e.registry.MustRegister(e.duration, build, &figures{stats: o.Stats, now: o.Now, keys: o.Keys,
		inFlight: describe("in_flight_attempts", "Attempts under way."),
		target:   describe("target_operations_per_second", "Rate at which the phase has operations arrive; absent in a closed loop."),
		offered:  describe("offered_entities_per_second", "Entities due, over the last two whole seconds."),
		served:   describe("served_entities_per_second", "Entities counted for successes, over the last two whole seconds."),
		heat: describe("partition_heat_entities_per_second",
			"Entities served at least by the busiest partitions over the last two whole seconds, by rank, 1 the busiest.", heat...),
	})
	return e
}

// Handler answers scrapes.
func (e *Exporter) Handler() http.Handler {
	return promhttp.HandlerFor(e.registry, promhttp.HandlerOpts{MaxRequestsInFlight: mostScrapes, EnableOpenMetrics: true})
}

// Phase is told of each phase with the record's number of it, from 0 on without a gap.
func (e *Exporter) Phase(index int, told *results.Phase) {
	if index >= mostPhases {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	known := *e.phases.Load()
	for len(known) <= index {
		known = append(known[:len(known):len(known)], e.newPhase(others))
	}
	known[index] = e.newPhase(strings.ToValidUTF8(told.Name, "?"))
	e.phases.Store(&known)
}

func (e *Exporter) newPhase(name string) *phase {
	return &phase{name, make([]atomic.Pointer[prometheus.Observer], len(e.kinds)*len(classes))}
}

// Attempt is told of every attempt as it ends.
func (e *Exporter) Attempt(a *results.Attempt) {
	class := a.Status / 100
	if class < 0 || class >= len(classes) {
		class = 0 // as without an answer
	}
	kind, known := min(max(a.Kind, 0), len(e.kinds)-1), *e.phases.Load()
	if a.Phase < 0 || a.Phase >= len(known) {
		e.duration.WithLabelValues(e.kinds[kind], classes[class], others).Observe((a.Done - a.Sent).Seconds())
		return
	}
	at := known[a.Phase]
	place := &at.series[kind*len(classes)+class]
	found := place.Load()
	if found == nil {
		made := e.duration.WithLabelValues(e.kinds[kind], classes[class], at.name)
		found = &made
		place.Store(found)
	}
	(*found).Observe((a.Done - a.Sent).Seconds())
}

// Completed implements an observer: the stats count it.
func (e *Exporter) Completed(*results.Completed) {}

// Due is as Completed.
func (e *Exporter) Due(*results.Scheduled) {}

// Again is as Completed.
func (e *Exporter) Again(time.Duration) {}

// Event is as Completed.
func (e *Exporter) Event(results.Event) {}
