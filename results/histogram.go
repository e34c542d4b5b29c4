package results

import (
	"fmt"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// The span and precision of every histogram: 1 µs to 1 h at three significant
// figures.
const (
	longestMicros      = int64(time.Hour / time.Microsecond)
	significantFigures = 3
)

// Histogram counts durations in microseconds, to three significant figures. Its
// buckets are allotted on first use, so that an unused one is small. It belongs
// to one goroutine. A nil one can be read and is empty.
type Histogram struct {
	hdr *hdrhistogram.Histogram
	// over is how many durations were longer than an hour and counted as one.
	over int64
}

// NewHistogram returns an empty histogram.
func NewHistogram() *Histogram { return &Histogram{} }

// Record counts one duration; one below a microsecond counts as 0, one over an
// hour as an hour.
func (h *Histogram) Record(d time.Duration) {
	micros := max(0, int64(d/time.Microsecond))
	if micros > longestMicros {
		micros = longestMicros
		h.over++
	}
	if err := h.buckets().RecordValue(micros); err != nil {
		panic("results: a value within the histogram's span was refused: " + err.Error())
	}
}

func (h *Histogram) buckets() *hdrhistogram.Histogram {
	if h.hdr == nil {
		h.hdr = hdrhistogram.New(1, longestMicros, significantFigures)
	}
	return h.hdr
}

// Count returns how many durations were recorded.
func (h *Histogram) Count() int64 {
	if h == nil || h.hdr == nil {
		return 0
	}
	return h.hdr.TotalCount()
}

// Over returns how many of them were longer than an hour.
func (h *Histogram) Over() int64 {
	if h == nil {
		return 0
	}
	return h.over
}

// Max returns the longest duration in microseconds, 0 where there is none.
func (h *Histogram) Max() int64 {
	if h.Count() == 0 {
		return 0
	}
	return h.hdr.Max()
}

// Mean returns the mean in microseconds, 0 where there is none.
func (h *Histogram) Mean() float64 {
	if h.Count() == 0 {
		return 0
	}
	return h.hdr.Mean()
}

// fewestBeyond is how many durations must lie beyond a quantile for it to be
// told.
const fewestBeyond = 10

// Quantile returns the q-th quantile in microseconds, and false where fewer
// than ten durations lie beyond it, so that it would rest on chance.
func (h *Histogram) Quantile(q float64) (int64, bool) {
	// The small addition keeps n·(1−q) = 10 from failing by rounding.
	if float64(h.Count())*(1-q)+1e-9 < fewestBeyond {
		return 0, false
	}
	return h.hdr.ValueAtQuantile(q * 100), true
}

// Merge adds the durations of other, which may be nil or empty.
func (h *Histogram) Merge(other *Histogram) {
	if other.Count() == 0 {
		return
	}
	if dropped := h.buckets().Merge(other.hdr); dropped > 0 {
		panic(fmt.Sprintf("results: merging equal histograms dropped %d values", dropped))
	}
	h.over += other.over
}

// reset empties the histogram and keeps its memory.
func (h *Histogram) reset() {
	if h.hdr != nil {
		h.hdr.Reset()
	}
	h.over = 0
}

// Bar is a range of durations in microseconds, both ends included, and how many
// fell into it.
type Bar struct {
	From, To int64
	Count    int64
}

// Bars returns the buckets that hold anything, in order; their counts sum to
// [Histogram.Count].
func (h *Histogram) Bars() []Bar {
	if h.Count() == 0 {
		return nil
	}
	var bars []Bar
	for _, b := range h.hdr.Distribution() {
		if b.Count > 0 {
			bars = append(bars, Bar{b.From, b.To, b.Count})
		}
	}
	return bars
}
