package fleet

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"loadgen/results"
)

// A member's record may unpack to maxUnpacked bytes, or to maxRatio times its packed size if that is more. Records of
// long runs are large, but their ratio is below 20.
const (
	maxUnpacked = 64 << 20
	maxRatio    = 40
)

// errPacked is wrapped if a packed record cannot be read.
var errPacked = errors.New("invalid packed record")

// packed is a record in a message: its files.
type packed struct {
	Run       []byte `json:"run"`
	Intervals []byte `json:"intervals"`
	Events    []byte `json:"events"`
}

// pack packs a record.
func pack(r *results.Record) ([]byte, error) {
	var folder results.Memory
	if err := r.Write(&folder); err != nil {
		return nil, err
	}
	var text bytes.Buffer
	squeezed := gzip.NewWriter(&text)
	err := json.NewEncoder(squeezed).Encode(&packed{folder.Bytes(results.RunFile), folder.Bytes(results.IntervalsFile), folder.Bytes(results.EventsFile)})
	if err = errors.Join(err, squeezed.Close()); err != nil {
		return nil, err
	}
	return text.Bytes(), nil
}

// unpack reads a packed record. Errors wrap errPacked.
func unpack(text []byte) (*results.Record, error) {
	record, err := readPacked(text)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errPacked, err)
	}
	return record, nil
}

func readPacked(text []byte) (*results.Record, error) {
	unpacked, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	var files packed
	limit := int64(max(maxUnpacked, maxRatio*len(text)))
	bounded := &io.LimitedReader{R: unpacked, N: limit}
	if err := json.NewDecoder(bounded).Decode(&files); err != nil {
		if bounded.N == 0 {
			err = fmt.Errorf("%d bytes unpack to more than %d; expected less", len(text), limit)
		}
		return nil, err
	}
	var folder results.Memory
	err = errors.Join(folder.Replace(results.RunFile, files.Run), folder.Replace(results.IntervalsFile, files.Intervals),
		folder.Replace(results.EventsFile, files.Events))
	if err != nil {
		return nil, err
	}
	return results.ReadSeconds(&folder)
}

// countsOf returns the sum of the counts of a record's seconds.
func countsOf(r *results.Record) (sum results.Counts) {
	for i := range r.Intervals {
		sum.Add(&r.Intervals[i].Counts)
	}
	return sum
}
