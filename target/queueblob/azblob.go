package queueblob

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	azblob "github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"
	azcontainer "github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/service"

	"loadgen/engine/clock"
	"loadgen/target"
)

// Blobs are the containers of a real account. It is safe for concurrent use.
type Blobs struct {
	link
	client  *service.Client
	markers markers
}

var _ target.Target = (*Blobs)(nil)

// OpenBlobs returns the containers at a service. connections is the maximum number of concurrent
// attempts; their replies share the budget. It sends nothing. It fails if the key is invalid.
func OpenBlobs(s Service, connections int, budget *target.ReplyBudget) (*Blobs, error) {
	c := &Blobs{link: newLink(s, connections, budget)}
	c.transport.blobs = true
	options := &service.ClientOptions{ClientOptions: c.options()}
	if s.Identity != nil {
		client, err := service.NewClient(s.Address, s.Identity, options)
		c.client = client
		return c, err
	}
	key, signature := s.Prove()
	if signature != "" {
		client, err := service.NewClientWithNoCredential(c.signed(signature), options)
		c.client = client
		return c, err
	}
	credential, err := service.NewSharedKeyCredential(s.Account, key)
	if err != nil {
		return nil, err
	}
	c.client, err = service.NewClientWithSharedKeyCredential(s.Address, credential, options)
	return c, err
}

// Do implements [target.Target] for requests to containers. It does not send a request that
// breaks a limit.
func (c *Blobs) Do(ctx context.Context, op *target.Operation) target.Outcome {
	b := op.Beside
	if o, sound := checkLimits(b); !sound {
		return o
	}
	within := c.client.NewContainerClient(b.Store)
	switch b.Verb {
	case target.PutBlob:
		written, err := c.upload(ctx, within, b)
		switch {
		case err == nil:
			return answer{Status: 201, Found: []target.Found{{Name: b.Name, Size: int64(len(b.Body)), ETag: string(value(written.ETag))}}}
		case b.Match == target.IfAbsent && c.failed(err).Code == conditionNotMet:
			// Some services return this status for either condition.
			return thereAlready()
		default:
			o := c.failed(err)
			o.StoreMissing = o.Code == containerNotFound
			return o
		}
	case target.GetBlob:
		reply, err := within.NewBlobClient(b.Name).DownloadStream(ctx, nil)
		if err != nil {
			return c.failed(err)
		}
		defer reply.Body.Close()
		body, err := io.ReadAll(reply.Body)
		if err != nil {
			return c.failed(err)
		}
		return answer{Status: 200, Found: []target.Found{{Name: b.Name, Body: body, Size: int64(len(body)),
			Metadata: metadataOf(reply.Metadata), ETag: string(value(reply.ETag))}}}
	case target.ListBlobs:
		return c.list(ctx, within, b)
	case target.DeleteBlob:
		_, err := within.NewBlobClient(b.Name).Delete(ctx, nil)
		return c.answered(202, err)
	case target.MakeContainer:
		_, err := within.Create(ctx, nil)
		return c.answered(201, err)
	default:
		_, err := within.Delete(ctx, nil)
		return c.answered(202, err)
	}
}

func (c *Blobs) upload(ctx context.Context, within *azcontainer.Client, b *target.Beside) (blockblob.UploadResponse, error) {
	options := &blockblob.UploadOptions{}
	if len(b.Metadata) > 0 {
		options.Metadata = make(map[string]*string)
		for name, text := range b.Metadata {
			options.Metadata[name] = &text
		}
	}
	switch b.Match {
	case "":
	case target.IfAbsent:
		options.AccessConditions = &azblob.AccessConditions{ModifiedAccessConditions: &azblob.ModifiedAccessConditions{IfNoneMatch: new(azcore.ETagAny)}}
	default:
		options.AccessConditions = &azblob.AccessConditions{ModifiedAccessConditions: &azblob.ModifiedAccessConditions{IfMatch: new(azcore.ETag(b.Match))}}
	}
	return within.NewBlockBlobClient(b.Name).Upload(ctx, unclosed{bytes.NewReader(b.Body)}, options)
}

// unclosed is a body without a Close of its own.
type unclosed struct{ *bytes.Reader }

// Close implements [io.Closer].
func (unclosed) Close() error { return nil }

// list returns the blobs of one page of the service. If there are more, the marker continues
// the list.
func (c *Blobs) list(ctx context.Context, within *azcontainer.Client, b *target.Beside) target.Outcome {
	most := maxListed(b)
	at, marker := place{b.Store, b.Name, b.After}, b.Marker
	if marker == "" {
		c.markers.mu.Lock()
		marker = c.markers.known[at]
		c.markers.mu.Unlock()
	}
	ask := &azcontainer.ListBlobsFlatOptions{Prefix: &b.Name, Include: azcontainer.ListBlobsInclude{Metadata: true}}
	if marker != "" {
		ask.Marker = &marker
	}
	// Without a marker for the name, whole pages up to it are skipped.
	if b.After == "" || b.Marker == "" && marker != "" {
		ask.MaxResults = new(int32(most))
	}
	page, err := within.NewListBlobsFlatPager(ask).NextPage(ctx)
	o := c.answered(200, err)
	if o.Code == containerNotFound {
		return answer{Status: 200}
	}
	for _, item := range value(page.Segment).BlobItems {
		if item == nil || item.Name == nil || *item.Name <= b.After {
			continue
		}
		if len(o.Found) == most {
			// The marker points past the blobs that were left out.
			return o
		}
		found := target.Found{Name: *item.Name, Metadata: metadataOf(item.Metadata)}
		if item.Properties != nil {
			found.Size, found.ETag = value(item.Properties.ContentLength), string(value(item.Properties.ETag))
		}
		o.Found = append(o.Found, found)
	}
	switch marker = value(page.NextMarker); {
	case marker == "":
	case len(o.Found) == most:
		at.after = o.Found[most-1].Name
		c.markers.keep(at, marker)
	default:
		o.Marker = marker
	}
	return o
}

// metadataOf returns metadata under the names that they were written with: headers change
// their case.
func metadataOf(list map[string]*string) map[string]string {
	if len(list) == 0 {
		return nil
	}
	metadata := make(map[string]string)
	for name, text := range list {
		metadata[strings.ToLower(name)] = value(text)
	}
	return metadata
}

// maxMarkers is the number of markers at which all are dropped.
const maxMarkers = 1024

// markers caches the markers that continue a list of blobs: a service continues at its own
// marker, not at a name. Without a marker a list starts again, and the blobs before the name
// are skipped. It is safe for concurrent use.
type markers struct {
	mu    sync.Mutex
	known map[place]string
}

// place is where a list continues.
type place struct{ store, prefix, after string }

// keep stores the marker of a place.
func (m *markers) keep(at place, marker string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil || len(m.known) >= maxMarkers {
		m.known = make(map[place]string)
	}
	m.known[at] = marker
}

// Waiting runs stand-ins in real time. It is safe for concurrent use.
type Waiting struct {
	clock  clock.Clock
	mu     sync.Mutex
	memory *Memory
}

var (
	_ target.Target  = (*Waiting)(nil)
	_ target.Counter = (*Waiting)(nil)
)

// NewWaiting returns stand-ins that answer by a clock.
func NewWaiting(c clock.Clock) *Waiting { return &Waiting{clock: c, memory: NewMemory()} }

// Do implements [target.Target] for requests to other services. The request is carried
// out even if the wait for its reply is interrupted.
func (w *Waiting) Do(ctx context.Context, op *target.Operation) target.Outcome {
	w.mu.Lock()
	outcome, done := w.memory.Submit(w.clock.Now(), op)
	w.mu.Unlock()
	return target.AwaitReply(ctx, w.clock, done, outcome)
}

// Counts implements [target.Counter].
func (w *Waiting) Counts() target.Counts {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.memory.Counts()
}
