package fleet

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"loadgen/results"
	"loadgen/scenarios/fleet/protocol"
)

// mostUnpacked bounds a record that a member sent, in bytes.
const mostUnpacked = 1 << 30

// errPacked is wrapped where what a member sent is no record.
var errPacked = errors.New("what was sent is no record")

// packed is a record as it is sent: its files, in one.
type packed struct {
	Run       []byte `json:"run"`
	Intervals []byte `json:"intervals"`
	Events    []byte `json:"events"`
}

// pack writes a record as it is sent.
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

// unpack reads what [pack] wrote. Errors wrap errPacked.
func unpack(text []byte) (*results.Record, error) {
	wide, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errPacked, err)
	}
	var files packed
	if err := json.NewDecoder(io.LimitReader(wide, mostUnpacked)).Decode(&files); err != nil {
		return nil, fmt.Errorf("%w: %w", errPacked, err)
	}
	var folder results.Memory
	err = errors.Join(folder.Replace(results.RunFile, files.Run), folder.Replace(results.IntervalsFile, files.Intervals),
		folder.Replace(results.EventsFile, files.Events))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errPacked, err)
	}
	r, err := results.Read(&folder)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errPacked, err)
	}
	return r, nil
}

// countsOf are those of a record's seconds.
func countsOf(r *results.Record) (sum protocol.Counts) {
	for i := range r.Intervals {
		sum.Add(&protocol.Second{Interval: r.Intervals[i]})
	}
	return sum
}
