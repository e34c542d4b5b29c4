package wire

import (
	"strconv"

	"loadgen/engine/entity"
)

// AppendBatch appends the body with which a client sends a transaction, with
// the given identifier in its boundaries (batch_ID, changeset_ID). Inserts ask
// for no echo. Each operation has its number, from 1 on, as Content-ID. A
// change's Match is written by etag, which may be nil for [loadgen/engine/entity.Ticks.ETag].
// It panics on what is no change.
func AppendBatch(
	dst []byte, id string, b Base, table string, changes []entity.Change, etag func(entity.Ticks) string,
) []byte {
	if etag == nil {
		etag = entity.Ticks.ETag
	}
	dst = appendAll(dst, "--batch_", id, "\r\nContent-Type: multipart/mixed; boundary=changeset_", id, "\r\n\r\n")
	for i := range changes {
		dst = appendAll(dst, "--changeset_", id, partHead)
		c, method := &changes[i], ""
		switch c.Verb {
		case entity.Insert:
			method = "POST"
		case entity.Replace, entity.InsertOrReplace:
			method = "PUT"
		case entity.Merge, entity.InsertOrMerge:
			method = "PATCH"
		case entity.Delete:
			method = "DELETE"
		default:
			panic("wire: batch of a non-change: " + c.Verb.String())
		}
		dst = appendAll(dst, method, " ", b.URL, "/")
		if c.Verb == entity.Insert {
			dst = appendTableSegment(dst, table)
		} else {
			dst = AppendEntityPath(dst, table, c.Key)
		}
		dst = append(dst, " HTTP/1.1\r\n"...)
		if c.Verb != entity.Delete {
			dst = append(dst, "Content-Type: application/json\r\n"...)
		}
		dst = append(dst, "Accept: application/json;odata=minimalmetadata\r\nDataServiceVersion: 3.0;\r\n"...)
		if c.Verb == entity.Insert {
			dst = append(dst, "Prefer: return-no-content\r\n"...)
		}
		if !c.Match.IsNone() {
			tag := "*"
			if version, exactly := c.Match.Exactly(); exactly {
				tag = etag(version)
			}
			dst = appendAll(dst, "If-Match: ", tag, "\r\n")
		}
		dst = append(dst, "Content-ID: "...)
		dst = strconv.AppendInt(dst, int64(i+1), 10)
		dst = append(dst, "\r\n\r\n"...)
		if c.Verb != entity.Delete {
			dst = AppendEntityBody(dst, c.Key, c.Properties)
		}
		dst = append(dst, "\r\n"...)
	}
	return appendAll(dst, "--changeset_", id, "--\r\n--batch_", id, "--\r\n")
}

// partHead follows the boundary of each operation, both ways.
const partHead = "\r\n" + defaultHead

func appendAll(dst []byte, texts ...string) []byte {
	for _, text := range texts {
		dst = append(dst, text...)
	}
	return dst
}
