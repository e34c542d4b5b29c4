package keystatistics_test

import (
	"io"
	"strconv"
	"time"

	"loadgen/engine/clock"
)

// Rows reads as a CSV file of so many keys with the instants of their inserts:
// RFC 3339 in the second of two columns, one row every 3.153 ms. Half of them
// fall on one in a thousand of the users, of whom there is one for ten rows.
func Rows(seed uint64, rows int64) io.Reader {
	return &rowsReader{chance: clock.NewStream(seed, "surveytest/rows"), rows: rows,
		room: []byte("PartitionKey,Timestamp\n")}
}

// rowsReader writes rows as they are read.
type rowsReader struct {
	chance     clock.Stream
	rows, next int64
	// room holds what is written, of which so many bytes were read.
	room []byte
	read int
}

// Read fills a buffer with the next rows.
func (r *rowsReader) Read(p []byte) (int, error) {
	if r.read == len(r.room) {
		r.room, r.read = r.room[:0], 0
		for len(r.room) < len(p) && r.next < r.rows {
			r.row()
		}
		if len(r.room) == 0 {
			return 0, io.EOF
		}
	}
	n := copy(p, r.room[r.read:])
	r.read += n
	return n, nil
}

func (r *rowsReader) row() {
	const step = 3153 * time.Microsecond
	draw := r.chance.At(uint64(r.next))
	users := int(max(1, r.rows/10))
	if draw.Uint64()&1 == 0 {
		users = max(1, users/1000)
	}
	at := Start().Add(time.Duration(r.next) * step)
	r.room = append(r.room, "user-"...)
	r.room = strconv.AppendInt(r.room, int64(draw.IntN(users)), 10)
	r.room = append(r.room, ',')
	r.room = at.AppendFormat(r.room, "2006-01-02T15:04:05.000Z07:00")
	r.room = append(r.room, '\n')
	r.next++
}
