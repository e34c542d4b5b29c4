package wire

import "loadgen/engine/entity"

// BatchRequest is the body of a POST to $batch. Parse may be called again and
// again; each call reuses what the one before it made. It belongs to one
// goroutine.
type BatchRequest struct {
	// Table is the one table of the operations.
	Table string
	// Changes are the writes in order; empty where the batch is a lone read.
	Changes []entity.Change
	// Parts say, for each change, what the reply has to know.
	Parts []BatchPart
	// Read is the key of a lone point query, where IsRead is set.
	Read   entity.Key
	IsRead bool
}

// BatchPart is what the reply to one operation of a transaction depends on.
type BatchPart struct {
	// ContentID is echoed; HasContentID tells an empty one from none.
	ContentID    string
	HasContentID bool
	// Echo says that an insert's reply shows the entity, at Level.
	Echo  bool
	Level Level
}

// Parse reads a transaction. boundary is that of the Content-Type. The code is
// OK, or else a code with one line of detail and the index of the operation at
// fault (0 where it is the whole).
func (b *BatchRequest) Parse(boundary, text string) (code entity.Code, index int, detail string) {
	panic("contract")
}

// Boundary returns the boundary of a multipart/mixed Content-Type, and false
// where there is none.
func Boundary(contentType string) (string, bool) { panic("contract") }

// AppendBatch appends the body with which a client sends a transaction, with
// the given identifier in its boundaries (batch_ID, changeset_ID). Inserts ask
// for no echo. A change's Match is written by etag, which may be nil for
// [entity.Ticks.ETag].
func AppendBatch(dst []byte, id string, b Base, table string, changes []entity.Change, etag func(entity.Ticks) string) []byte {
	panic("contract")
}

// BatchReply writes the reply to a transaction.
type BatchReply struct {
	// ID is in the boundaries (batchresponse_ID, changesetresponse_ID).
	ID        string
	Rendering Rendering
}

// ContentType returns the Content-Type of the reply.
func (r *BatchReply) ContentType() string { panic("contract") }

// AppendSuccess appends the body for a transaction that was carried out.
// versions holds the version of each changed entity (0 for a delete), echo the
// stored entity of those parts that asked for it.
func (r *BatchReply) AppendSuccess(dst []byte, request *BatchRequest, versions []entity.Ticks, echo func(i int) entity.Packed) []byte {
	panic("contract")
}

// AppendFailure appends the body for a transaction that was not: one part, with
// the status of the code, whose message begins with the index.
func (r *BatchReply) AppendFailure(dst []byte, index int, part *BatchPart, f *Failure) []byte {
	panic("contract")
}

// AppendRead appends the body for a lone point query: the entity, or f where
// that is not nil.
func (r *BatchReply) AppendRead(dst []byte, k entity.Key, p entity.Packed, f *Failure) []byte {
	panic("contract")
}

// BatchOutcome is what came of a transaction that a client sent.
type BatchOutcome struct {
	// Status is the first failed part's, or else 202.
	Status int
	// Failure and FailedIndex say what failed and where; the index is 0 where
	// the reply does not say.
	Failure     Failure
	FailedIndex int
	// Parts is how many operations the reply answers.
	Parts int
}

// ParseBatchReply reads the body of a 202 reply to a transaction. boundary is
// that of its Content-Type.
func ParseBatchReply(boundary, text string) (BatchOutcome, error) { panic("contract") }
