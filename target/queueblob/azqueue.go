package queueblob

import (
	"context"
	"encoding/base64"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azqueue"

	"loadgen/target"
)

// Queues are the queues of a real account. It is safe for concurrent use.
type Queues struct {
	link
	client *azqueue.ServiceClient
}

var _ target.Target = (*Queues)(nil)

// OpenQueues returns the queues at a service. connections is the maximum number of concurrent
// attempts; their replies share the budget. It sends nothing. It fails if the key is invalid.
func OpenQueues(s Service, connections int, budget *target.ReplyBudget) (*Queues, error) {
	q := &Queues{link: newLink(s, connections, budget)}
	options := &azqueue.ClientOptions{ClientOptions: q.options()}
	if s.Identity != nil {
		client, err := azqueue.NewServiceClient(s.Address, s.Identity, options)
		q.client = client
		return q, err
	}
	key, signature := s.Prove()
	if signature != "" {
		client, err := azqueue.NewServiceClientWithNoCredential(q.signed(signature), options)
		q.client = client
		return q, err
	}
	credential, err := azqueue.NewSharedKeyCredential(s.Account, key)
	if err != nil {
		return nil, err
	}
	q.client, err = azqueue.NewServiceClientWithSharedKeyCredential(s.Address, credential, options)
	return q, err
}

// Do implements [target.Target] for requests to queues. It does not send a request that
// breaks a limit.
func (q *Queues) Do(ctx context.Context, op *target.Operation) target.Outcome {
	b := op.Beside
	if o, sound := checkLimits(b); !sound {
		return o
	}
	queue := q.client.NewQueueClient(b.Store)
	switch b.Verb {
	case target.PutMessage:
		text := base64.StdEncoding.EncodeToString(b.Body)
		_, err := queue.EnqueueMessage(ctx, text, &azqueue.EnqueueMessageOptions{TimeToLive: new(int32(-1)), VisibilityTimeout: seconds(b.Hidden)})
		o := q.answered(201, err)
		o.StoreMissing = o.Code == queueNotFound
		return o
	case target.ReceiveMessages:
		page, err := queue.DequeueMessages(ctx, &azqueue.DequeueMessagesOptions{
			NumberOfMessages: new(int32(max(1, b.Most))), VisibilityTimeout: seconds(b.Hidden)})
		o := q.answered(200, err)
		if o.Code == queueNotFound {
			return answer{Status: 200}
		}
		for _, one := range page.Messages {
			if one == nil || one.MessageID == nil || one.PopReceipt == nil {
				continue
			}
			found := target.Found{Name: *one.MessageID, Receipt: *one.PopReceipt, Received: int(value(one.DequeueCount))}
			// A message without base64 is from another client.
			if found.Body, err = base64.StdEncoding.DecodeString(value(one.MessageText)); err != nil {
				found.Body = []byte(value(one.MessageText))
			}
			found.Size = int64(len(found.Body))
			o.Found = append(o.Found, found)
		}
		return o
	case target.DeleteMessage:
		_, err := queue.DeleteMessage(ctx, b.Name, b.Receipt, nil)
		// For a receipt that is not the latest, services return 400 or 404.
		if o := q.answered(204, err); o.Code != popReceiptMismatch {
			return o
		}
		return otherReceipt()
	case target.MakeQueue:
		_, err := queue.Create(ctx, nil)
		return q.answered(201, err)
	default:
		_, err := queue.Delete(ctx, nil)
		return q.answered(204, err)
	}
}

// seconds returns for how many seconds a message is hidden.
func seconds(d time.Duration) *int32 { return new(int32(wholeSeconds(d) / time.Second)) }

// value returns the value at a pointer, zero if it is nil.
func value[T any](p *T) T {
	if p == nil {
		p = new(T)
	}
	return *p
}
