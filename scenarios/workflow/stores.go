package workflow

import (
	"iter"
	"time"

	"loadgen/target"
)

// maxReceived is the maximum number of messages that a queue returns at once.
const maxReceived = 32

var (
	queueHidden = duration("hidden", "The visibility timeout of messages, the same for all operations.", time.Second, 10*time.Minute, "30s")
	queueBatch  = count("most", "Maximum messages per request.", 1, maxReceived, "1")
)

// queues returns the function of the queues that parameters name.
func queues(parameters ...string) func(Arguments) []Store {
	return func(a Arguments) (list []Store) {
		for _, one := range parameters {
			list = append(list, Store{Name: a.Text(one), Queue: true})
		}
		return list
	}
}

// put returns the request that enqueues a message, which is visible after a time.
func put(queue string, body []byte, hidden time.Duration) Request {
	return NewBesideRequest(target.Beside{Verb: target.PutMessage, Store: queue, Body: body, Hidden: hidden})
}

// receive returns the request for messages. A missing queue is empty: the first message creates it.
func receive(queue string, most int, hidden time.Duration) Request {
	return NewBesideRequest(target.Beside{Verb: target.ReceiveMessages, Store: queue, Most: most, Hidden: hidden}, 404)
}

// remove returns the request that deletes a handled message. It is 404 if another worker received
// the message since.
func remove(queue string, m target.Found) Request {
	return NewBesideRequest(target.Beside{Verb: target.DeleteMessage, Store: queue, Name: m.Name, Receipt: m.Receipt}, 404)
}

// maxListed is the maximum number of blobs in a page of a list.
const maxListed = 5000

// blobs lists the blobs with a prefix, page by page, while a page has a marker or is full.
func (t *Tx) blobs(store, prefix string, full int) iter.Seq[target.Found] {
	return func(yield func(target.Found) bool) {
		for after, marker, more := "", "", true; more; {
			page := t.Send(blobsAfter(store, prefix, after, marker))
			for _, blob := range page.Found {
				if !yield(blob) {
					return
				}
			}
			if marker = page.Marker; marker == "" && len(page.Found) > 0 {
				after = page.Found[len(page.Found)-1].Name
			}
			more = marker != "" || len(page.Found) >= full
		}
	}
}

// blobsAfter returns the request for a page of a list. A missing container is empty: the first blob
// creates it.
func blobsAfter(store, prefix, after, marker string) Request {
	return NewBesideRequest(target.Beside{Verb: target.ListBlobs, Store: store, Name: prefix, After: after, Marker: marker}, 404)
}
