package results

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"slices"
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

// Histogram counts durations in microseconds, to three significant figures. It belongs
// to one goroutine. A nil one can be read and is empty.
type Histogram struct {
	// few holds up to maxFew buckets in order. When full is set, hdr holds all buckets instead, in 200 KB that it
	// keeps when the histogram is reset.
	few  []bucket
	hdr  *hdrhistogram.Histogram
	full bool
	// packed is the encoding of a histogram that is stored in no other form, and packedCount its count. A record
	// has one for each minute.
	packed      string
	packedCount int64
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

// bucket is a bucket that is not empty: its shortest duration in microseconds, and the number of durations.
type bucket struct{ from, count int64 }

// maxFew is the greatest number of buckets that are kept as a list.
const maxFew = 16

// bucketWidth returns the width of a duration's bucket in microseconds, as in hdrhistogram with three significant
// figures: 1 up to 2047, and twice as much with each doubling from there.
func bucketWidth(micros int64) int64 {
	const own = 11
	return 1 << (max(own, bits.Len64(uint64(micros))) - own)
}

// last returns the longest duration of the bucket, in microseconds.
func (b bucket) last() int64 { return b.from + bucketWidth(b.from) - 1 }

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
	again := h.again
	h.again = 0
	h.add(bucket{h.last, again})
}

// add adds durations of one bucket.
func (h *Histogram) add(one bucket) {
	h.beforeChange()
	if h.full {
		record(h.hdr, one)
		return
	}
	one.from -= one.from % bucketWidth(one.from)
	at, there := slices.BinarySearchFunc(h.few, one.from, func(b bucket, from int64) int { return cmp.Compare(b.from, from) })
	switch {
	case there:
		h.few[at].count += one.count
	case len(h.few) < maxFew:
		h.few = slices.Insert(h.few, at, one)
	default:
		h.fill()
		record(h.hdr, one)
	}
}

// beforeChange unpacks the histogram and drops its cached encoding.
func (h *Histogram) beforeChange() {
	if h.packed != "" {
		h.hdr, h.full, h.packed = h.buckets(), true, ""
	}
	if h.encoded == nil {
		h.encoded = new(atomic.Pointer[string])
	}
	if h.encoded.Load() != nil { // a store takes longer, and is seldom needed
		h.encoded.Store(nil)
	}
}

// fill moves all buckets to hdr.
func (h *Histogram) fill() {
	if h.full {
		return
	}
	if h.hdr == nil {
		h.hdr = hdrhistogram.New(1, longestMicros, significantFigures)
	}
	for _, one := range h.few {
		record(h.hdr, one)
	}
	h.few, h.full = h.few[:0], true
}

func record(to *hdrhistogram.Histogram, one bucket) {
	if err := to.RecordValues(one.from, one.count); err != nil {
		panic("results: a value within the histogram's span was refused: " + err.Error())
	}
}

// buckets returns all buckets in the library's form. The caller must not change them.
func (h *Histogram) buckets() *hdrhistogram.Histogram {
	switch {
	case h.full:
		return h.hdr
	case h.packed != "":
		hdr, err := hdrhistogram.Decode([]byte(h.packed))
		if err != nil {
			panic("results: what was encoded cannot be decoded: " + err.Error())
		}
		return hdr
	default:
		of := Histogram{few: h.few}
		of.fill()
		return of.hdr
	}
}

// packer encodes histograms of few buckets in memory that it uses again: the compressor of the library's encoder
// takes a megabyte each time. The zero value is ready for use.
type packer struct {
	text       []byte
	compressed bytes.Buffer
	compressor *zlib.Writer
}

// pack returns a copy of a histogram that stores only its encoding. Each use decodes it.
func (p *packer) pack(h *Histogram) *Histogram {
	text, err := h.encodedBy(p)
	if err != nil {
		panic(err.Error()) // it is written to memory
	}
	return &Histogram{over: h.Over(), packed: text, packedCount: h.Count()}
}

// The encoding is that of the text, which begins with a header, compressed behind another header.
const (
	cookie, header           = 0x1c849303 | 0x10, 40
	outerCookie, outerHeader = 0x1c849304 | 0x10, 8
)

// appendHeader appends the header of so many bytes of counts.
func appendHeader(text []byte, counts int) []byte {
	for _, field := range []uint32{cookie, uint32(counts), 0, significantFigures} {
		text = binary.BigEndian.AppendUint32(text, field)
	}
	for _, field := range []uint64{1, uint64(longestMicros), math.Float64bits(1)} {
		text = binary.BigEndian.AppendUint64(text, field)
	}
	return text
}

// indexOf returns the number of the bucket that a duration in microseconds lies in.
func indexOf(micros int64) int64 {
	width := bucketWidth(micros)
	return micros/width + int64(bits.Len64(uint64(width))-1)*(1<<10)
}

// unpacked returns the histogram in a form of which several figures can be taken.
func (h *Histogram) unpacked() *Histogram {
	if h == nil || h.packed == "" {
		return h
	}
	return &Histogram{hdr: h.buckets(), full: true, over: h.over}
}

// encode returns what [Histogram.Encoded] does for a list of buckets: for each bucket in turn its count, or the
// negative length of a run of empty ones.
func (p *packer) encode(list []bucket) (string, error) {
	counts, next := make([]byte, 0, binary.MaxVarintLen64*2*maxFew), int64(0)
	for _, one := range list {
		index := indexOf(one.from)
		switch empty := index - next; {
		case empty == 1:
			counts = binary.AppendVarint(counts, 0)
		case empty > 1:
			counts = binary.AppendVarint(counts, -empty)
		}
		counts, next = binary.AppendVarint(counts, one.count), index+1
	}
	p.text = append(appendHeader(p.text[:0], len(counts)), counts...)
	p.compressed.Reset()
	p.compressed.Write(make([]byte, outerHeader))
	if p.compressor == nil {
		p.compressor, _ = zlib.NewWriterLevel(nil, zlib.BestCompression) // the level is one of the package's
	}
	p.compressor.Reset(&p.compressed)
	if _, err := p.compressor.Write(p.text); err != nil {
		return "", err
	}
	if err := p.compressor.Close(); err != nil {
		return "", err
	}
	all := p.compressed.Bytes()
	binary.BigEndian.PutUint32(all, outerCookie)
	binary.BigEndian.PutUint32(all[4:], uint32(len(all)-outerHeader))
	return base64.StdEncoding.EncodeToString(all), nil
}

// Count returns how many durations were recorded.
func (h *Histogram) Count() (sum int64) {
	h.settle()
	switch {
	case h == nil:
		return 0
	case h.packed != "":
		return h.packedCount
	case h.full:
		return h.hdr.TotalCount()
	}
	for _, one := range h.few {
		sum += one.count
	}
	return sum
}

// Over returns how many of them were longer than an hour.
func (h *Histogram) Over() int64 {
	if h == nil {
		return 0
	}
	return h.over
}

// isFew reports whether the buckets of a histogram that is not empty are in the list.
func (h *Histogram) isFew() bool { return len(h.few) > 0 && !h.full }

// Max returns the longest duration in microseconds, 0 where there is none and [OverHour]
// where it was over an hour.
func (h *Histogram) Max() int64 {
	switch {
	case h.Count() == 0:
		return 0
	case h.over > 0:
		return OverHour
	case h.isFew():
		return min(h.few[len(h.few)-1].last(), longestMicros)
	default:
		return min(h.buckets().Max(), longestMicros)
	}
}

// Mean returns the mean in microseconds, 0 where there is none.
func (h *Histogram) Mean() (mean float64) {
	total := float64(h.Count())
	if total == 0 {
		return 0
	}
	if !h.isFew() {
		return h.buckets().Mean()
	}
	for _, one := range h.few {
		mean += float64(one.count) * float64(one.from+bucketWidth(one.from)/2) / total
	}
	return mean
}

// minBeyond is how many durations must lie beyond a quantile for it to be told.
const minBeyond = 10

// Quantile returns the q-th quantile in microseconds, [OverHour] where it is over an hour,
// and false where fewer than ten durations lie beyond it, so that it would rest on chance.
func (h *Histogram) Quantile(q float64) (int64, bool) {
	// The small addition keeps n·(1−q) = 10 from failing by rounding.
	count := h.Count()
	if float64(count)*(1-q)+1e-9 < minBeyond {
		return 0, false
	}
	if rank := int64(q*float64(count) + 0.5); rank > count-h.over {
		return OverHour, true
	}
	if !h.isFew() {
		return min(h.buckets().ValueAtQuantile(q*100), longestMicros), true
	}
	rank := max(1, int64(q*100/100*float64(count)+0.5))
	for _, one := range h.few {
		if rank -= one.count; rank <= 0 {
			return min(one.last(), longestMicros), true
		}
	}
	return min(h.few[len(h.few)-1].last(), longestMicros), true
}

// Merge adds the durations of other, which may be nil or empty.
func (h *Histogram) Merge(other *Histogram) {
	switch {
	case other.Count() == 0:
		return
	case other.isFew():
		h.settle()
		for _, one := range other.few {
			h.add(one)
		}
	default:
		h.settle()
		h.beforeChange()
		h.fill()
		if dropped := h.hdr.Merge(other.buckets()); dropped > 0 {
			panic(fmt.Sprintf("results: merging equal histograms dropped %d values", dropped))
		}
	}
	h.over += other.over
}

// reset empties the histogram and keeps its memory.
func (h *Histogram) reset() {
	h.beforeChange()
	if h.full {
		h.hdr.Reset()
	}
	h.few, h.full, h.over, h.last, h.again = h.few[:0], false, 0, 0, 0
}

// Bar is a range of durations in microseconds, both ends included, and how many
// fell into it.
type Bar struct {
	From, To int64
	Count    int64
}

// Add adds the durations of bars of another histogram.
func (h *Histogram) Add(bars ...Bar) {
	h.settle()
	for _, one := range bars {
		h.add(bucket{one.From, one.Count})
	}
}

// Bars returns the buckets that hold anything, in order; their counts sum to
// [Histogram.Count].
func (h *Histogram) Bars() []Bar {
	if h.Count() == 0 {
		return nil
	}
	var bars []Bar
	for _, one := range h.list() {
		bars = append(bars, Bar{one.from, one.last(), one.count})
	}
	return bars
}

// list returns the buckets that hold anything, in order, of a histogram that is not empty.
func (h *Histogram) list() []bucket {
	if h.isFew() {
		return h.few
	}
	var list []bucket
	for _, b := range h.buckets().Distribution() {
		if b.Count > 0 {
			list = append(list, bucket{b.From, b.Count})
		}
	}
	return list
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
func (h *Histogram) Encoded() (string, error) { return h.encodedBy(new(packer)) }

func (h *Histogram) encodedBy(p *packer) (string, error) {
	if h.Count() == 0 {
		return "", nil
	}
	if h.packed != "" {
		return h.packed, nil
	}
	if known := h.encoded.Load(); known != nil {
		return *known, nil
	}
	made, err := p.encode(h.list())
	if err != nil {
		return "", fmt.Errorf("results: encoding a histogram: %w", err)
	}
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
	return h.decode(&form)
}

// decode sets the histogram to a form on disk.
func (h *Histogram) decode(form *histogramJSON) error {
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
		h.hdr, h.full, h.encoded, h.over = hdr, true, new(atomic.Pointer[string]), form.Over
		h.encoded.Store(&form.HDR)
		return nil
	}
	// Merging into one of this package's own keeps every later merge exact,
	// whatever span the file was written with.
	h.beforeChange()
	h.fill()
	if dropped := h.hdr.Merge(hdr); dropped > 0 {
		*h = Histogram{}
		return fmt.Errorf("%w: %d durations beyond an hour", ErrCorrupt, dropped)
	}
	h.over = form.Over
	return nil
}
