package wire

import (
	"net/http"
	"strconv"

	"loadgen/engine/entity"
)

// BatchReply writes the reply to a transaction.
type BatchReply struct {
	// ID is in the boundaries (batchresponse_ID, changesetresponse_ID).
	ID string
	// Rendering says where the entities are. Its Level is that of a lone read;
	// the others have it in their [BatchPart]. Its Select counts for a lone read
	// alone.
	Rendering Rendering
}

// ContentType returns the Content-Type of the reply.
func (r *BatchReply) ContentType() string { return "multipart/mixed; boundary=batchresponse_" + r.ID }

// The headers that operations' replies share. The service does not order them
// alike: Content-ID comes before them, and with a body between them and those
// of the body.
const (
	guardHeaders = "X-Content-Type-Options: nosniff\r\nCache-Control: no-cache\r\n"
	versionOne   = "DataServiceVersion: 1.0;\r\n"
	versionThree = "DataServiceVersion: 3.0;\r\n"
	noContent    = "Preference-Applied: return-no-content\r\n"
	withContent  = "Preference-Applied: return-content\r\n"
)

// AppendSuccess appends the body for a transaction that was carried out.
// versions holds the version of each changed entity (0 for a delete), echo the
// stored entity of those parts that asked for it; it is not called for others.
func (r *BatchReply) AppendSuccess(
	dst []byte, request *BatchRequest, versions []entity.Ticks, echo func(i int) entity.Packed,
) []byte {
	rendering := r.Rendering
	rendering.Select = nil
	dst = r.openChangeSet(dst)
	head := "--changesetresponse_" + r.ID + partHead
	// The changes share their partition, and so the beginning of their addresses.
	start, of := []byte(nil), ""
	for i := range request.Changes {
		if partition := request.Changes[i].Key.Partition; start == nil || partition != of {
			start = append(append(start[:0], r.Rendering.Base.URL...), '/')
			start, of = r.Rendering.AppendLinkStart(start, partition), partition
		}
		c, part := &request.Changes[i], &request.Parts[i]
		dst = append(dst, head...)
		if c.Verb == entity.Insert && part.Echo {
			rendering.Level = part.Level
			stored := echo(i)
			dst = append(dst, "HTTP/1.1 201 Created\r\n"+versionThree...)
			dst = appendAll(dst, "Content-Type: ", part.Level.ContentType(), "\r\n")
			dst = part.appendContentID(dst)
			dst = append(dst, guardHeaders+withContent+"Location: "...)
			dst = append(rendering.AppendLocation(dst, c.Key), "\r\n"...)
			dst = appendETagHeader(dst, stored.Timestamp())
			dst = append(dst, "\r\n"...)
			dst = rendering.AppendEntity(dst, c.Key, stored)
			dst = append(dst, "\r\n"...)
			continue
		}
		dst = append(dst, "HTTP/1.1 204 No Content\r\n"...)
		dst = part.appendContentID(dst)
		dst = append(dst, guardHeaders...)
		if c.Verb == entity.Insert {
			dst = append(dst, noContent+versionThree+"Location: "...)
			from := len(dst)
			dst = append(AppendLinkLiteral(append(dst, start...), c.Key.Row), "')"...)
			to := len(dst)
			dst = append(dst, "\r\nDataServiceId: "...)
			dst = append(dst, dst[from:to]...)
			dst = append(dst, "\r\n"...)
		} else {
			dst = append(dst, versionOne...)
		}
		if c.Verb != entity.Delete {
			dst = appendETagHeader(dst, versions[i])
		}
		// The second blank line stands for the body: clients read the headers' end and the
		// boundary's line break separately.
		dst = append(dst, "\r\n\r\n"...)
	}
	return r.closeChangeSet(dst)
}

// AppendFailure appends the body for a transaction that was not: one part, with
// the status of the code, whose message begins with the index. part is the
// failed operation's, nil for none.
func (r *BatchReply) AppendFailure(dst []byte, index int, part *BatchPart, f *Failure) []byte {
	dst = r.openChangeSet(dst)
	dst = appendAll(dst, "--changesetresponse_", r.ID, partHead)
	if part == nil {
		part = &BatchPart{}
	}
	dst = appendFailedPart(dst, index, part, f)
	return r.closeChangeSet(dst)
}

// AppendRead appends the body for a lone point query: the entity, or f where
// that is not nil.
func (r *BatchReply) AppendRead(dst []byte, k entity.Key, p entity.Packed, f *Failure) []byte {
	dst = appendAll(dst, "--batchresponse_", r.ID, partHead)
	if f != nil {
		dst = appendFailedPart(dst, 0, &BatchPart{Level: r.Rendering.Level}, f)
	} else {
		dst = append(dst, "HTTP/1.1 200 OK\r\n"+versionThree...)
		dst = appendAll(dst, "Content-Type: ", r.Rendering.Level.ContentType(), "\r\n"+guardHeaders)
		dst = appendETagHeader(dst, p.Timestamp())
		dst = append(dst, "\r\n"...)
		dst = r.Rendering.AppendEntity(dst, k, p)
		dst = append(dst, "\r\n"...)
	}
	return appendAll(dst, "--batchresponse_", r.ID, "--\r\n")
}

func appendFailedPart(dst []byte, index int, part *BatchPart, f *Failure) []byte {
	indexed := *f
	indexed.Message = strconv.Itoa(index) + ":" + f.Message
	status := f.Code.Status()
	dst = append(dst, "HTTP/1.1 "...)
	dst = strconv.AppendInt(dst, int64(status), 10)
	dst = appendAll(dst, " ", http.StatusText(status), "\r\n")
	dst = part.appendContentID(dst)
	dst = append(dst, guardHeaders...)
	if part.quiet {
		dst = append(dst, noContent...)
	}
	dst = appendAll(dst, versionThree+"Content-Type: ", part.Level.ContentType(), "\r\n\r\n")
	dst = AppendError(dst, &indexed)
	return append(dst, "\r\n"...)
}

// openChangeSet appends all that comes before the first operation's boundary.
// Clients take the boundary from the very first line.
func (r *BatchReply) openChangeSet(dst []byte) []byte {
	return appendAll(dst, "--batchresponse_", r.ID,
		"\r\nContent-Type: multipart/mixed; boundary=changesetresponse_", r.ID, "\r\n\r\n")
}

func (r *BatchReply) closeChangeSet(dst []byte) []byte {
	return appendAll(dst, "--changesetresponse_", r.ID, "--\r\n--batchresponse_", r.ID, "--\r\n")
}

func (p *BatchPart) appendContentID(dst []byte) []byte {
	if !p.HasContentID {
		return dst
	}
	return appendAll(dst, contentIDHeader+": ", p.ContentID, "\r\n")
}

// appendETagHeader appends what [loadgen/engine/entity.Ticks.ETag] returns, without making a
// string of it.
func appendETagHeader(dst []byte, version entity.Ticks) []byte {
	var room [instantRoom]byte
	dst = append(dst, `ETag: W/"datetime'`...)
	dst = appendTagged(dst, appendInstant(room[:0], version))
	return append(dst, "'\"\r\n"...)
}
