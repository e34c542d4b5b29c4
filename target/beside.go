package target

import "time"

// Beside is a request to a queue or a container of blobs, which applications use
// beside a table, or to a service of their own. An operation that has one goes there,
// and nothing else of it but its numbers counts.
type Beside struct {
	Verb BesideVerb
	// Store is the name of the queue, of the container or of the service: 3 to 63 small
	// letters, digits and single '-'.
	Store string
	// Name is that of a blob, the prefix of those to list, or the id of a message to
	// delete.
	Name string
	// Receipt proves of a message to delete that it was received by whoever deletes it.
	Receipt string
	// Body is what a message says, at most 48 KiB, which are 64 KiB as it is sent, or
	// what a blob holds. It must not be altered.
	Body []byte
	// Metadata are those of a blob, by names of small letters, digits and underscores:
	// at most 8 KiB of visible ASCII characters with blanks between them.
	Metadata map[string]string
	// Match is a condition on the blob that a PutBlob writes over: [IfAbsent], or the
	// ETag that it must have. Empty is none. Where it does not hold the answer is 409
	// for IfAbsent, 412 for an ETag, also that of a blob which is not there any more.
	Match string
	// Hidden is for how long a message that is received, or put, is hidden from
	// everybody: 0 s to 7 days, at least 1 s where it is received, rounded up to whole
	// seconds.
	Hidden time.Duration
	// Most is how many messages are received, 1 to 32, or blobs listed, 1 to 5,000; 0
	// is 1 or 5,000. After is the name behind which a list begins, Marker the [Outcome]'s
	// where it goes on with a list that was cut short, empty for none.
	Most          int
	After, Marker string
	// Takes is for how long a service of the application's own works on a request, at most
	// [MostTaken], and AtOnce on how many it works at a time, at most [MostAtOnce]: the
	// others wait in the order in which they came. 0 has no bound.
	Takes  time.Duration
	AtOnce int
}

// The bounds of what is asked of a service of the application's own.
const (
	MostTaken  = time.Hour
	MostAtOnce = 10_000
)

// IfAbsent is the [Beside] Match under which a blob is written only where there is
// none. No ETag is equal to it.
const IfAbsent = "-"

// BesideVerb is what a request beside the table does.
type BesideVerb uint8

// The requests beside the table. Where the queue of a PutMessage or the container of a
// PutBlob is missing, a stand-in makes it, and a service says so: whoever asked makes it
// by the [Beside.Maker] of the request, and puts again.
const (
	// PutMessage appends a message to a queue.
	PutMessage BesideVerb = iota + 1
	// ReceiveMessages takes messages that are not hidden, mostly those first that can
	// be seen for longest, and hides them; there may be none, as in a queue that is
	// missing.
	ReceiveMessages
	// DeleteMessage deletes a message: 404 where it is gone, or where somebody else
	// has received it since.
	DeleteMessage
	// PutBlob writes a blob whole, over whatever is there.
	PutBlob
	// GetBlob reads a blob and its metadata: 404 where there is none.
	GetBlob
	// ListBlobs names the blobs with a prefix in the order of their names, with their
	// metadata and without what they hold; none in a container that is missing.
	ListBlobs
	// DeleteBlob deletes a blob: 404 where there is none.
	DeleteBlob
	// DropQueue and DropContainer delete a queue or a container with all that it
	// holds: 404 where there is none.
	DropQueue
	DropContainer
	// MakeQueue and MakeContainer make a queue or a container: 409 where it is there.
	MakeQueue
	MakeContainer
	// Ask asks a service of the application's own, such as one that issues signatures. No
	// target has one: a stand-in answers, whatever the target, after the time that the
	// request says.
	Ask
)

// String returns the verb as reports have it.
func (v BesideVerb) String() string {
	switch v {
	case PutMessage:
		return "put-message"
	case ReceiveMessages:
		return "receive-messages"
	case DeleteMessage:
		return "delete-message"
	case PutBlob:
		return "put-blob"
	case GetBlob:
		return "get-blob"
	case ListBlobs:
		return "list-blobs"
	case DeleteBlob:
		return "delete-blob"
	case DropQueue:
		return "drop-queue"
	case DropContainer:
		return "drop-container"
	case MakeQueue:
		return "make-queue"
	case MakeContainer:
		return "make-container"
	case Ask:
		return "ask"
	default:
		return "unknown"
	}
}

// OfQueue reports whether the request is to a queue rather than to a container.
func (v BesideVerb) OfQueue() bool {
	return v == PutMessage || v == ReceiveMessages || v == DeleteMessage || v == DropQueue || v == MakeQueue
}

// Maker returns the request that makes what this one is put into.
func (b *Beside) Maker() *Beside {
	if b.Verb.OfQueue() {
		return &Beside{Verb: MakeQueue, Store: b.Store}
	}
	return &Beside{Verb: MakeContainer, Store: b.Store}
}

// Found is a message or a blob that a request beside the table has found.
type Found struct {
	// Name is that of a blob, or the id of a message.
	Name string
	// Receipt is that of a message received, and Received how often it has been, this
	// time included.
	Receipt  string
	Received int
	// ETag is that of a blob: it changes with each write, and never comes again. What
	// PutBlob has found is what it has written, without a body.
	ETag string
	// Body must not be altered; a list of blobs has none, but their Size in bytes.
	Body     []byte
	Size     int64
	Metadata map[string]string
}
