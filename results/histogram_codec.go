package results

import (
	"encoding/json"
	"fmt"

	"github.com/HdrHistogram/hdrhistogram-go"
)

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
	text, err := h.hdr.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return "", fmt.Errorf("results: encoding a histogram: %w", err)
	}
	return string(text), nil
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
	// Merging into one of this package's own keeps every later merge exact,
	// whatever span the file was written with.
	own := h.buckets()
	if dropped := own.Merge(hdr); dropped > 0 {
		*h = Histogram{}
		return fmt.Errorf("%w: %d durations beyond an hour", ErrCorrupt, dropped)
	}
	h.over = form.Over
	return nil
}
