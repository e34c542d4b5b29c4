package target

import "time"

// Beside is a request to a queue, a container of blobs, or the application's own service. An operation with one uses
// only its numbers.
type Beside struct {
	Verb BesideVerb
	// Store is the name of the queue, of the container or of the service: 3 to 63 small
	// letters, digits and single '-'.
	Store string
	// Name is that of a blob, the prefix of those to list, or the id of a message to
	// delete.
	Name string
	// Receipt is that of the receiver of a message to delete.
	Receipt string
	// Body is what a message says, at most 48 KiB, which are 64 KiB as it is sent, or
	// what a blob holds. It must not be altered.
	Body []byte
	// Metadata are those of a blob, by names of small letters, digits and underscores:
	// at most 8 KiB of visible ASCII characters with blanks between them.
	Metadata map[string]string
	// Match is the condition of a PutBlob: [IfAbsent], or the ETag of the existing blob. Empty is none. If it fails
	// the status is 409 for IfAbsent, and 412 for an ETag, also of a missing blob.
	Match string
	// Hidden is the time for which a message that is received, or put, is invisible: 0 s to 7 days, at least 1 s for
	// received ones, rounded up to whole seconds.
	Hidden time.Duration
	// Most is the maximum number of messages to receive, 1 to 32, or of blobs to list, 1 to 5,000; 0 is 1 or 5,000.
	// After is the name after which a list begins, Marker the [Outcome]'s to continue an incomplete list, empty for
	// none.
	Most          int
	After, Marker string
	// Takes is the service time of a service of the application's own, at most [MaxTaken], and AtOnce its maximum
	// concurrency, at most [MaxAtOnce]: other requests wait in their order. 0 is no limit.
	Takes  time.Duration
	AtOnce int
}

// The maximum values for a service of the application's own.
const (
	MaxTaken  = time.Hour
	MaxAtOnce = 10_000
)

// IfAbsent is the Match of a request that only writes a new blob. No ETag is equal to it.
const IfAbsent = "-"

// BesideVerb is the verb of a request to another service.
type BesideVerb uint8

// The verbs. If the queue of a PutMessage or the container of a PutBlob is missing, a stand-in creates it, and a service
// reports it: callers create it with the Maker of the request, and put again.
const (
	// PutMessage appends a message to a queue.
	PutMessage BesideVerb = iota + 1
	// ReceiveMessages receives visible messages, mostly the longest visible first, and hides them; none if the queue
	// is missing.
	ReceiveMessages
	// DeleteMessage deletes a message: 404 if it is missing, or was received again since.
	DeleteMessage
	// PutBlob creates or replaces a blob.
	PutBlob
	// GetBlob reads a blob and its metadata: 404 if missing.
	GetBlob
	// ListBlobs lists blobs with a prefix in the order of their names, with metadata and without contents; none if the
	// container is missing.
	ListBlobs
	// DeleteBlob deletes a blob: 404 if missing.
	DeleteBlob
	// DropQueue and DropContainer delete a queue or a container with its contents: 404 if missing.
	DropQueue
	DropContainer
	// MakeQueue and MakeContainer create a queue or a container: 409 if it exists.
	MakeQueue
	MakeContainer
	// Ask calls a service of the application's own, such as one that issues signatures. With any target a stand-in
	// answers, after the time in the request.
	Ask
)

// besideNames are the names of verbs in reports.
var besideNames = [...]string{"unknown", "put-message", "receive-messages", "delete-message", "put-blob", "get-blob", "list-blobs", "delete-blob",
	"drop-queue", "drop-container", "make-queue", "make-container", "ask"}

// String returns the name of the verb in reports.
func (v BesideVerb) String() string {
	if int(v) >= len(besideNames) {
		v = 0
	}
	return besideNames[v]
}

// OfQueue reports whether the request is to a queue rather than to a container.
func (v BesideVerb) OfQueue() bool {
	return v == PutMessage || v == ReceiveMessages || v == DeleteMessage || v == DropQueue || v == MakeQueue
}

// Maker returns the request that creates the queue or the container.
func (b *Beside) Maker() *Beside {
	if b.Verb.OfQueue() {
		return &Beside{Verb: MakeQueue, Store: b.Store}
	}
	return &Beside{Verb: MakeContainer, Store: b.Store}
}

// Found is a message or a blob in a reply.
type Found struct {
	// Name is that of a blob, or the id of a message.
	Name string
	// Receipt is that of a message received, and Received how often it has been, this
	// time included.
	Receipt  string
	Received int
	// ETag is that of a blob, unique for each write. PutBlob returns the written blob without its body.
	ETag string
	// Body must not be altered; a list of blobs has none, but their Size in bytes.
	Body     []byte
	Size     int64
	Metadata map[string]string
}
