package target_test

import (
	"testing"

	"loadgen/target"
)

func TestRequestsBesideTheTable(t *testing.T) {
	for _, row := range []struct {
		verb  target.BesideVerb
		name  string
		queue bool
	}{
		{0, "unknown", false}, {target.PutMessage, "put-message", true}, {target.ReceiveMessages, "receive-messages", true},
		{target.DeleteMessage, "delete-message", true}, {target.PutBlob, "put-blob", false}, {target.GetBlob, "get-blob", false},
		{target.ListBlobs, "list-blobs", false}, {target.DeleteBlob, "delete-blob", false},
		{target.DropQueue, "drop-queue", true}, {target.DropContainer, "drop-container", false}, {target.MakeQueue, "make-queue", true}, {target.MakeContainer, "make-container", false}, {target.Ask, "ask", false}, {target.Ask + 1, "unknown", false},
	} {
		if row.verb.String() != row.name || row.verb.OfQueue() != row.queue {
			t.Errorf("request %d is %q, of a queue: %v; want %q, %v", row.verb, row.verb, row.verb.OfQueue(), row.name, row.queue)
		}
	}
}
