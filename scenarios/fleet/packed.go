package fleet

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"loadgen/results"
)

// A packed record may unpack to maxUnpacked bytes, and to maxUnpackedSecond more for each second that its member reported.
// Each JSON object counts for objectBytes in addition, because the shortest one, {}, takes as much memory as a long one. A
// second of an honest record has at most some hundred objects.
const (
	maxUnpacked       = 64 << 20
	maxUnpackedSecond = 1 << 20
	objectBytes       = 1 << 10
)

// pack returns a record as one gzip stream for each of its files, with the name of the file.
func pack(r *results.Record) ([]byte, error) {
	var folder results.Memory
	if err := r.Write(&folder); err != nil {
		return nil, err
	}
	var text bytes.Buffer
	stream := gzip.NewWriter(&text)
	for _, name := range []string{results.RunFile, results.IntervalsFile, results.EventsFile} {
		stream.Reset(&text)
		stream.Name = name
		_, err := stream.Write(folder.Bytes(name))
		if err = errors.Join(err, stream.Close()); err != nil {
			return nil, err
		}
	}
	return text.Bytes(), nil
}

// unpack reads a packed record of a member that reported so many seconds.
func unpack(text []byte, seconds uint64) (*results.Record, error) {
	return results.ReadSeconds(&packedFolder{text: bytes.NewReader(text), limit: maxUnpacked + maxUnpackedSecond*int64(seconds)})
}

// packedFolder is the folder of a packed record. Its files can be read once, in their order.
type packedFolder struct {
	results.Folder
	text   *bytes.Reader
	stream gzip.Reader
	// unpacked is the number of bytes so far, at most limit.
	unpacked, limit int64
}

// Open implements [results.Folder].
func (f *packedFolder) Open(name string) (io.ReadCloser, error) {
	if err := f.stream.Reset(f.text); err != nil {
		return nil, err
	}
	if f.stream.Multistream(false); f.stream.Name != name {
		return nil, fmt.Errorf("it has %q; expected %s", f.stream.Name, name)
	}
	return io.NopCloser(f), nil
}

// Read implements [io.Reader] for the open file.
func (f *packedFolder) Read(p []byte) (int, error) {
	n, err := f.stream.Read(p)
	if f.unpacked += int64(n + objectBytes*bytes.Count(p[:n], []byte("{"))); f.unpacked > f.limit {
		return 0, fmt.Errorf("%d bytes unpack to more than %d; expected less", f.text.Size(), f.limit)
	}
	return n, err
}

// countsOf returns the sum of the counts of a record's seconds.
func countsOf(r *results.Record) (sum results.Counts) {
	for i := range r.Intervals {
		sum.Add(&r.Intervals[i].Counts)
	}
	return sum
}
