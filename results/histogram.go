package results

import (
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// The span and precision of every histogram: 1 µs to 1 h at three significant
// figures.
const (
	longestMicros      = int64(time.Hour / time.Microsecond)
	significantFigures = 3
)

// OverHour stands for every duration over an hour, in microseconds: a lower bound.
const OverHour = longestMicros + 1

// Histogram counts durations in microseconds, to three significant figures. Its
// buckets are allotted on first use, so that an unused one is small. It belongs
// to one goroutine. A nil one can be read and is empty.
type Histogram struct {
	hdr *hdrhistogram.Histogram
	// over is how many durations were longer than an hour and counted as one.
	over int64
	// last is what was recorded last, in microseconds, and again that many times that
	// the buckets do not have yet: on the virtual clock nothing is late, and what is
	// refused mostly takes the same time.
	last, again int64
	// encoded holds the encoding of the buckets, nil where it has to be made: a record is
	// written more often than its histograms change. It is allotted with them.
	encoded *atomic.Pointer[string]
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
	if micros == h.last {
		h.again++
		return
	}
	h.settle()
	h.last, h.again = micros, 1
}

// settle has the buckets hold all that was recorded.
func (h *Histogram) settle() {
	if h == nil || h.again == 0 {
		return
	}
	if err := h.changed().RecordValues(h.last, h.again); err != nil {
		panic("results: a value within the histogram's span was refused: " + err.Error())
	}
	h.again = 0
}

// changed returns the buckets, which the caller changes.
func (h *Histogram) changed() *hdrhistogram.Histogram {
	if h.hdr == nil {
		h.hdr, h.encoded = hdrhistogram.New(1, longestMicros, significantFigures), new(atomic.Pointer[string])
	}
	h.encoded.Store(nil)
	return h.hdr
}

// Count returns how many durations were recorded.
func (h *Histogram) Count() int64 {
	h.settle()
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

// Max returns the longest duration in microseconds, 0 where there is none and [OverHour]
// where it was over an hour.
func (h *Histogram) Max() int64 {
	switch {
	case h.Count() == 0:
		return 0
	case h.over > 0:
		return OverHour
	default:
		return min(h.hdr.Max(), longestMicros)
	}
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

// Quantile returns the q-th quantile in microseconds, [OverHour] where it is over an hour,
// and false where fewer than ten durations lie beyond it, so that it would rest on chance.
func (h *Histogram) Quantile(q float64) (int64, bool) {
	// The small addition keeps n·(1−q) = 10 from failing by rounding.
	if float64(h.Count())*(1-q)+1e-9 < fewestBeyond {
		return 0, false
	}
	if rank := int64(q*float64(h.Count()) + 0.5); rank > h.Count()-h.over {
		return OverHour, true
	}
	return min(h.hdr.ValueAtQuantile(q*100), longestMicros), true
}

// Merge adds the durations of other, which may be nil or empty.
func (h *Histogram) Merge(other *Histogram) {
	if other.Count() == 0 {
		return
	}
	if dropped := h.changed().Merge(other.hdr); dropped > 0 {
		panic(fmt.Sprintf("results: merging equal histograms dropped %d values", dropped))
	}
	h.over += other.over
}

// reset empties the histogram and keeps its memory.
func (h *Histogram) reset() {
	if h.hdr != nil {
		h.changed().Reset()
	}
	h.over, h.last, h.again = 0, 0, 0
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

// histogramJSON is the form on disk. HDR is the public V2 compressed encoding,
// in base64, that any HdrHistogram library reads.
type histogramJSON struct {
	Count int64  `json:"count"`
	Over  int64  `json:"over_one_hour,omitempty"`
	HDR   string `json:"hdr,omitempty"`
}

// longestEncoding bounds what is decoded: a full histogram of this package's
// span takes a tenth of it.
const longestEncoding = 1 << 20

// mostDurations bounds what a file may claim, so that no number of histograms
// that a record can hold overflows where they are merged.
const mostDurations = 1 << 42

// MarshalJSON implements json.Marshaler.
func (h *Histogram) MarshalJSON() ([]byte, error) {
	form := histogramJSON{Count: h.Count(), Over: h.over}
	if form.Count > 0 {
		var err error
		if form.HDR, err = h.Encoded(); err != nil {
			return nil, err
		}
	}
	return json.Marshal(form)
}

// Encoded returns the histogram in the public V2 compressed encoding, in base64: values
// are in microseconds. It is empty where the histogram is.
func (h *Histogram) Encoded() (string, error) {
	if h.Count() == 0 {
		return "", nil
	}
	if known := h.encoded.Load(); known != nil {
		return *known, nil
	}
	text, err := h.hdr.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return "", fmt.Errorf("results: encoding a histogram: %w", err)
	}
	made := string(text)
	h.encoded.Store(&made)
	return made, nil
}

// UnmarshalJSON implements json.Unmarshaler. Its errors wrap [ErrCorrupt] and
// leave the histogram empty.
func (h *Histogram) UnmarshalJSON(text []byte) error {
	var form histogramJSON
	if err := json.Unmarshal(text, &form); err != nil {
		return fmt.Errorf("%w: histogram: %w", ErrCorrupt, err)
	}
	*h = Histogram{}
	if form.Count < 0 || form.Count > mostDurations || form.Over < 0 || form.Over > form.Count {
		return fmt.Errorf("%w: a histogram of %d, %d of them over an hour", ErrCorrupt, form.Count, form.Over)
	}
	if form.HDR == "" {
		if form.Count != 0 {
			return fmt.Errorf("%w: a histogram of %d without its buckets", ErrCorrupt, form.Count)
		}
		return nil
	}
	if len(form.HDR) > longestEncoding {
		return fmt.Errorf("%w: a histogram of %d bytes", ErrCorrupt, len(form.HDR))
	}
	hdr, err := hdrhistogram.Decode([]byte(form.HDR))
	if err != nil {
		return fmt.Errorf("%w: histogram: %w", ErrCorrupt, err)
	}
	if hdr.TotalCount() != form.Count {
		return fmt.Errorf("%w: a histogram of %d says that it holds %d", ErrCorrupt, hdr.TotalCount(), form.Count)
	}
	if hdr.LowestTrackableValue() == 1 && hdr.HighestTrackableValue() == longestMicros && hdr.SignificantFigures() == significantFigures {
		h.hdr, h.encoded, h.over = hdr, new(atomic.Pointer[string]), form.Over
		return nil
	}
	// Merging into one of this package's own keeps every later merge exact,
	// whatever span the file was written with.
	own := h.changed()
	if dropped := own.Merge(hdr); dropped > 0 {
		*h = Histogram{}
		return fmt.Errorf("%w: %d durations beyond an hour", ErrCorrupt, dropped)
	}
	h.over = form.Over
	return nil
}
