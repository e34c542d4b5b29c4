package results

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math"
	"math/bits"
	"strings"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// The span and precision of every histogram: 1 µs to 1 h at three significant
// figures.
const (
	maxMicros          = int64(time.Hour / time.Microsecond)
	significantFigures = 3
)

// OverHour represents every duration over an hour, in microseconds: a lower bound.
const OverHour = maxMicros + 1

// Histogram counts durations in microseconds, to three significant figures. It belongs
// to one goroutine. A nil one can be read and is empty.
type Histogram struct {
	// chunks have the counts of the buckets by their numbers; nil ones are empty.
	chunks []*chunk
	// count is the number of durations, over of those longer than an hour, which are counted as an hour.
	count, over int64
	// packed is the encoding of a histogram that is stored in no other form. A record has one for each minute.
	packed string
	// encoded caches the encoding of the buckets: a record is written more often than its histograms change. It is
	// allocated with the first bucket.
	encoded *atomic.Pointer[encoding]
}

// encoding is the encoding of a histogram that had a number of durations. It is valid as long as the histogram has no
// more, so that recording does not touch it.
type encoding struct {
	text  string
	count int64
}

// chunk has the counts of consecutive buckets: durations mostly lie in a few ranges.
type chunk [1 << chunkBits]int64

const chunkBits = 7

// The buckets are those of hdrhistogram with three significant figures: a microsecond wide up to 2047; the width
// doubles with each doubling from there; half of a doubling has halfDoubling buckets.
const (
	halfDoubling = 1 << 10
	exactBits    = 11
)

// indexOf returns the number of the bucket of a duration in microseconds.
func indexOf(micros int64) int {
	shift := max(exactBits, bits.Len64(uint64(micros))) - exactBits
	return int(micros>>shift) + shift*halfDoubling
}

// fromOf returns the shortest duration of a bucket in microseconds.
func fromOf(index int) int64 {
	shift := max(1, index/halfDoubling) - 1
	return int64(index-shift*halfDoubling) << shift
}

// NewHistogram returns an empty histogram.
func NewHistogram() *Histogram { return &Histogram{} }

// Record counts one duration; one below a microsecond counts as 0, one over an
// hour as an hour.
func (h *Histogram) Record(d time.Duration) {
	micros := max(0, int64(d/time.Microsecond))
	if micros > maxMicros {
		micros = maxMicros
		h.over++
	}
	h.add(micros, 1)
}

// add adds durations of the bucket of one in microseconds.
func (h *Histogram) add(micros, count int64) {
	if h.encoded == nil { // so it is for a packed histogram
		h.beforeChange()
	}
	index := indexOf(micros)
	at, within := index>>chunkBits, index&(1<<chunkBits-1)
	if missing := at + 1 - len(h.chunks); missing > 0 {
		h.chunks = append(h.chunks, make([]*chunk, missing)...)
	}
	if h.chunks[at] == nil {
		h.chunks[at] = new(chunk)
	}
	h.chunks[at][within] += count
	h.count += count
}

// beforeChange unpacks the histogram and makes room for its encoding.
func (h *Histogram) beforeChange() {
	if h.packed != "" {
		*h = *h.unpacked()
	}
	if h.encoded == nil {
		h.encoded = new(atomic.Pointer[encoding])
	}
}

// unpacked returns the histogram in a form from which several figures can be computed.
func (h *Histogram) unpacked() *Histogram {
	if h == nil || h.packed == "" {
		return h
	}
	wide := new(Histogram)
	if _, err := wide.decode(&histogramJSON{h.count, h.over, h.packed}); err != nil {
		panic("results: what was encoded cannot be decoded: " + err.Error())
	}
	return wide
}

// buckets returns the buckets that are not empty, in order.
func (h *Histogram) buckets() iter.Seq[Bar] {
	return func(yield func(Bar) bool) {
		if h.Count() == 0 {
			return
		}
		for c, chunk := range h.unpacked().chunks {
			if chunk == nil {
				continue
			}
			for i, n := range chunk {
				if index := c*len(chunk) + i; n > 0 && !yield(Bar{fromOf(index), fromOf(index+1) - 1, n}) {
					return
				}
			}
		}
	}
}

// packer encodes histograms in memory that it uses again: the compressor of the library's encoder takes a megabyte each
// time. The zero value is ready for use.
type packer struct {
	counts, text []byte
	compressed   bytes.Buffer
	compressor   *zlib.Writer
}

// pack returns a copy of a histogram that stores only its encoding. Each use decodes it.
func (p *packer) pack(h *Histogram) *Histogram {
	text, err := h.encodedBy(p)
	if err != nil {
		panic(err.Error()) // it is written to memory
	}
	return &Histogram{count: h.Count(), over: h.Overlong(), packed: text}
}

// The encoding is a header and the counts, compressed behind another header.
const (
	cookie, header           = 0x1c849303 | 0x10, 40
	outerCookie, outerHeader = 0x1c849304 | 0x10, 8
)

// appendHeader appends the header for a number of bytes of counts.
func appendHeader(text []byte, counts int) []byte {
	for _, field := range []uint32{cookie, uint32(counts), 0, significantFigures} {
		text = binary.BigEndian.AppendUint32(text, field)
	}
	for _, field := range []uint64{1, uint64(maxMicros), math.Float64bits(1)} {
		text = binary.BigEndian.AppendUint64(text, field)
	}
	return text
}

// encode returns what [Histogram.Encoded] does: for each bucket in turn its count, or the negative length of a run of
// empty ones.
func (p *packer) encode(h *Histogram) (string, error) {
	counts, next := p.counts[:0], int64(0)
	for one := range h.buckets() {
		index := int64(indexOf(one.From))
		switch empty := index - next; {
		case empty == 1:
			counts = binary.AppendVarint(counts, 0)
		case empty > 1:
			counts = binary.AppendVarint(counts, -empty)
		}
		counts, next = binary.AppendVarint(counts, one.Count), index+1
	}
	p.counts, p.text = counts, append(appendHeader(p.text[:0], len(counts)), counts...)
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
func (h *Histogram) Count() int64 {
	if h == nil {
		return 0
	}
	return h.count
}

// CountAbove returns how many times are in buckets that begin above a bound.
func (h *Histogram) CountAbove(bound time.Duration) (count int64) {
	for _, bar := range h.Bars() {
		if bar.From > bound.Microseconds() {
			count += bar.Count
		}
	}
	return count
}

// Overlong returns how many of them were longer than an hour.
func (h *Histogram) Overlong() int64 {
	if h == nil {
		return 0
	}
	return h.over
}

// Max returns the longest duration in microseconds, 0 if there is none and [OverHour] if it was over an hour.
func (h *Histogram) Max() (longest int64) {
	if h.Overlong() > 0 {
		return OverHour
	}
	for one := range h.buckets() {
		longest = min(one.To, maxMicros)
	}
	return longest
}

// Mean returns the mean in microseconds, 0 if there is none.
func (h *Histogram) Mean() (mean float64) {
	total := float64(h.Count())
	for one := range h.buckets() {
		mean += float64(one.Count) * float64(one.From+(one.To+1-one.From)/2) / total
	}
	return mean
}

// minBeyond is the minimum number of durations above a known quantile.
const minBeyond = 10

// Quantile returns the q-th quantile in microseconds, [OverHour] if it is over an hour, and false if fewer than ten
// durations are above it, which would make it random.
func (h *Histogram) Quantile(q float64) (int64, bool) {
	// The small addition keeps n·(1−q) = 10 from failing by rounding.
	count := h.Count()
	if float64(count)*(1-q)+1e-9 < minBeyond {
		return 0, false
	}
	rank := max(1, int64(q*float64(count)+0.5))
	if rank > count-h.over {
		return OverHour, true
	}
	for one := range h.buckets() {
		if q <= 0 {
			return one.From, true
		}
		if rank -= one.Count; rank <= 0 {
			return min(one.To, maxMicros), true
		}
	}
	return h.Max(), true
}

// Percentile returns [Histogram.Quantile], nil if too few durations are above it.
func (h *Histogram) Percentile(q float64) *int64 {
	if micros, known := h.Quantile(q); known {
		return &micros
	}
	return nil
}

// Merge adds the durations of other, which may be nil or empty.
func (h *Histogram) Merge(other *Histogram) {
	if other.Count() == 0 {
		return
	}
	for one := range other.buckets() {
		h.add(one.From, one.Count)
	}
	h.over += other.over
}

// reset empties the histogram and keeps its memory.
func (h *Histogram) reset() {
	h.beforeChange()
	h.encoded.Store(nil)
	for _, one := range h.chunks {
		if one != nil {
			*one = chunk{}
		}
	}
	h.count, h.over = 0, 0
}

// Bar is a range of durations in microseconds, both ends included, and how many
// fell into it.
type Bar struct {
	From, To int64
	Count    int64
}

// Add adds the durations of bars of another histogram.
func (h *Histogram) Add(bars ...Bar) {
	for _, one := range bars {
		h.add(one.From, one.Count)
	}
}

// Bars returns the buckets that hold anything, in order; their counts sum to
// [Histogram.Count].
func (h *Histogram) Bars() (bars []Bar) {
	for one := range h.buckets() {
		bars = append(bars, one)
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

// maxEncodingLength is the maximum length that is decoded: ten times that of a full histogram.
const maxEncodingLength = 1 << 20

// maxDurations is the maximum count in a file, so that merging any number of histograms of a record does not overflow.
const maxDurations = 1 << 42

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

// Encoded returns the histogram in the public V2 compressed encoding, in base64, with values in microseconds. It is
// empty for an empty histogram.
func (h *Histogram) Encoded() (string, error) { return h.encodedBy(new(packer)) }

func (h *Histogram) encodedBy(p *packer) (string, error) {
	if h.Count() == 0 {
		return "", nil
	}
	if h.packed != "" {
		return h.packed, nil
	}
	if known := h.encoded.Load(); known != nil && known.count == h.count {
		return known.text, nil
	}
	made, err := p.encode(h)
	if err != nil {
		return "", fmt.Errorf("results: encoding a histogram: %w", err)
	}
	h.encoded.Store(&encoding{made, h.count})
	return made, nil
}

// UnmarshalJSON implements json.Unmarshaler. Its errors wrap [ErrCorrupt] and
// leave the histogram empty.
func (h *Histogram) UnmarshalJSON(text []byte) error {
	var form histogramJSON
	if err := json.Unmarshal(text, &form); err != nil {
		return fmt.Errorf("%w: histogram: %w", ErrCorrupt, err)
	}
	_, err := h.decode(&form)
	return err
}

// decode sets the histogram to a form on disk, and reports whether that has the buckets of this package.
func (h *Histogram) decode(form *histogramJSON) (own bool, err error) {
	*h = Histogram{}
	if form.Count < 0 || form.Count > maxDurations || form.Over < 0 || form.Over > form.Count {
		return false, fmt.Errorf("%w: a histogram of %d, %d of them over an hour", ErrCorrupt, form.Count, form.Over)
	}
	if form.HDR == "" {
		if form.Count != 0 {
			return false, fmt.Errorf("%w: a histogram of %d without its buckets", ErrCorrupt, form.Count)
		}
		return false, nil
	}
	if len(form.HDR) > maxEncodingLength {
		return false, fmt.Errorf("%w: a histogram of %d bytes", ErrCorrupt, len(form.HDR))
	}
	if err = checkPrecision(form.HDR); err != nil {
		return false, fmt.Errorf("%w: histogram: %w", ErrCorrupt, err)
	}
	hdr, err := hdrhistogram.Decode([]byte(form.HDR))
	if err != nil {
		return false, fmt.Errorf("%w: histogram: %w", ErrCorrupt, err)
	}
	if hdr.TotalCount() != form.Count {
		return false, fmt.Errorf("%w: a histogram of %d says that it holds %d", ErrCorrupt, hdr.TotalCount(), form.Count)
	}
	h.over = form.Over
	if hdr.LowestTrackableValue() == 1 && hdr.HighestTrackableValue() == maxMicros && hdr.SignificantFigures() == significantFigures {
		for index, n := range hdr.Export().Counts {
			if n > 0 {
				h.add(fromOf(index), n)
			}
		}
		return true, nil
	}
	// In buckets of this package every later merge is exact, for any range of values in the file.
	for _, b := range hdr.Distribution() {
		if b.Count > 0 && b.From > maxMicros {
			*h = Histogram{}
			return false, fmt.Errorf("%w: %d durations over an hour", ErrCorrupt, b.Count)
		}
		if b.Count > 0 {
			h.add(b.From, b.Count)
		}
	}
	return false, nil
}

// checkPrecision returns an error if an encoded histogram has more significant figures than this package uses: it would
// have up to millions of buckets, although its text has a hundred bytes.
func checkPrecision(encoded string) error {
	// The compressed text follows 8 bytes of header. It starts with four numbers; the last is the number of figures.
	var header [8]byte
	var numbers [4]uint32
	text := base64.NewDecoder(base64.StdEncoding, strings.NewReader(encoded))
	_, err := io.ReadFull(text, header[:])
	if err != nil {
		return err
	}
	inflated, err := zlib.NewReader(text)
	if err == nil {
		err = binary.Read(inflated, binary.BigEndian, &numbers)
	}
	if err == nil && numbers[3] > significantFigures {
		err = fmt.Errorf("%d significant figures; expected at most %d", numbers[3], significantFigures)
	}
	return err
}
