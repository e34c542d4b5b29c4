package queueblob

import (
	"context"
	"errors"
	"net/http"

	"loadgen/target"
)

// The limits of a reply, in bytes: its head, and a body other than a blob. A list of blobs
// with long names and metadata is long.
const (
	maxHead  = 64 << 10
	maxReply = 16 << 20
)

// bounded limits the size of replies, and charges large ones to a budget. It is safe for
// concurrent use.
type bounded struct {
	*http.Transport
	budget *target.ReplyBudget
	// blobs reports whether a reply can be a blob.
	blobs bool
}

// RoundTrip implements [http.RoundTripper].
func (b *bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := b.Transport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	most := int64(maxReply)
	if b.blobs && r.Method == http.MethodGet && response.StatusCode == http.StatusOK && !r.URL.Query().Has("comp") {
		most = MaxBlob
	}
	share := b.budget.Share()
	body := &boundedBody{BoundedBody: target.NewBoundedBody(response.Body, &share, most), asked: r.Context()}
	body.stop = context.AfterFunc(body.asked, share.End)
	response.Body = body
	return response, nil
}

// boundedBody is the body of a reply. It waits for its share of the budget until its request ends.
type boundedBody struct {
	*target.BoundedBody
	asked context.Context
	stop  func() bool
}

// Read implements [io.Reader].
func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.BoundedBody.Read(p)
	if errors.Is(err, target.ErrReplyEnded) && errors.Is(b.asked.Err(), context.Canceled) {
		err = b.asked.Err()
	}
	return n, err
}

// Close implements [io.Closer].
func (b *boundedBody) Close() error {
	b.stop()
	return b.BoundedBody.Close()
}
