package azure

import (
	"bufio"
	"context"
	"net"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"

	"loadgen/target"
)

// DialWith has a target open its connections by another function, from the next
// attempt on.
func (t *Target) DialWith(open func(ctx context.Context, network, address string) (net.Conn, error)) {
	t.dialer.open = open
	t.pool.mu.Lock()
	defer t.pool.mu.Unlock()
	for _, c := range t.pool.idle {
		c.Close()
	}
	t.pool.idle = nil
}

// NewCredential returns a credential with another source of tokens.
func NewCredential(scope string, get azcore.TokenCredential) *Credential {
	return &Credential{scope, get}
}

// DoOverNetHTTP is Do by the client of net/http, whatever the target's own is.
func (t *Target) DoOverNetHTTP(ctx context.Context, op *target.Operation) target.Outcome {
	return t.do(ctx, op, t.exchangeOverNetHTTP)
}

// Callers is how many contexts a target listens to.
func (t *Target) Callers() int {
	t.watch.mu.Lock()
	defer t.watch.mu.Unlock()
	return len(t.watch.callers)
}

// ReadReply reads a reply and returns what it holds, one header among it, and
// whether it is the last of its connection.
func ReadReply(in *bufio.Reader, name string) (status int, body, header string, last bool, err error) {
	r := reply{share: target.NewReplyBudget(target.CommonReplyBudget).Share()}
	err = r.read(in)
	return r.status, r.text(), r.firstValue(name), r.closing, err
}

// Why a reply cannot be read.
var (
	ErrNotHTTP      = errNotHTTP
	ErrReplyTooLong = errReplyTooLong
	ErrHeadTooLong  = errHeadTooLong
)
