package run

import (
	"math"
	"runtime/metrics"
	"time"
)

// The names of the runtime's metrics.
const (
	pausesName     = "/sched/pauses/total/gc:seconds"
	goroutinesName = "/sched/goroutines:goroutines"
	heapName       = "/memory/classes/heap/objects:bytes"
	gcName         = "/cpu/classes/gc/total:cpu-seconds"
	idleGCName     = "/cpu/classes/gc/mark/idle:cpu-seconds"
)

// HealthProcess is the present process as a [HealthSource]. It belongs to one goroutine at a
// time.
type HealthProcess struct {
	samples []metrics.Sample
	// counts are those of the pauses at the last reading.
	counts []uint64
	pauses time.Duration
	queue  queue
}

var _ HealthSource = (*HealthProcess)(nil)

// NewHealthProcess returns a source.
func NewHealthProcess() *HealthProcess {
	return &HealthProcess{samples: []metrics.Sample{{Name: pausesName}, {Name: goroutinesName}, {Name: heapName},
		{Name: gcName}, {Name: idleGCName}}}
}

// Read implements [HealthSource].
func (p *HealthProcess) Read() HealthReading {
	metrics.Read(p.samples)
	var r HealthReading
	r.CPU, r.CPUKnown = CPU()
	if v := p.samples[0].Value; v.Kind() == metrics.KindFloat64Histogram {
		h := v.Float64Histogram()
		var total time.Duration
		total, r.LongestPause = pausesSince(p.counts, h.Counts, h.Buckets)
		p.pauses += total
		// The runtime may reuse the histogram's memory.
		p.counts = append(p.counts[:0], h.Counts...)
	}
	r.Pauses = p.pauses
	r.Goroutines, r.Heap = integerOf(p.samples[1].Value), integerOf(p.samples[2].Value)
	r.GCCPU = secondsOf(p.samples[3].Value) - secondsOf(p.samples[4].Value)
	r.RunQueue, r.Pressure = p.queue.read(), pressure()
	return r
}

// secondsOf returns a metric in seconds, 0 if the runtime lacks it.
func secondsOf(v metrics.Value) time.Duration {
	if v.Kind() != metrics.KindFloat64 {
		return 0
	}
	return time.Duration(v.Float64() * float64(time.Second))
}

// integerOf returns a metric that is an integer, 0 if the runtime lacks it.
func integerOf(v metrics.Value) int64 {
	if v.Kind() != metrics.KindUint64 {
		return 0
	}
	return int64(min(v.Uint64(), math.MaxInt64))
}

// pausesSince returns the total and the longest time that a histogram of seconds gained since counts before, both by the
// middle of each bucket. Bucket i reaches from buckets[i] to buckets[i+1]; if one bound is infinite, the other is used.
func pausesSince(before, counts []uint64, buckets []float64) (total, longest time.Duration) {
	seconds := 0.0
	for i, count := range counts {
		if i < len(before) {
			count -= before[i]
		}
		if count == 0 {
			continue
		}
		low, high := buckets[i], buckets[i+1]
		if math.IsInf(low, -1) {
			low = high
		}
		if math.IsInf(high, 1) {
			high = low
		}
		middle := (low + high) / 2
		seconds += float64(count) * middle
		longest = time.Duration(middle * float64(time.Second))
	}
	return time.Duration(seconds * float64(time.Second)), longest
}
