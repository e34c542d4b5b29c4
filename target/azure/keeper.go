package azure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"loadgen/engine/clock"
)

// ErrTokenRefused is wrapped by the error of a service that rejects a renewed token.
var ErrTokenRefused = errors.New("the service rejects the token and its renewal")

// Token is an Entra ID token. Printing it shows no part of it. It is immutable.
type Token struct {
	header string
	// expires is the end of its validity, due the time to request the next.
	expires, due clock.Instant
	// again reports that it replaced a rejected one.
	again bool
}

// bearer begins the header.
const bearer = "Bearer "

// Header returns the value of the header Authorization.
func (t *Token) Header() string { return t.header }

// Secret returns the token itself. Callers must not print it.
func (t *Token) Secret() string { return t.header[len(bearer):] }

// Format hides it, whatever the verb.
func (t *Token) Format(state fmt.State, _ rune) { io.WriteString(state, "(secret)") }

// The times of token requests.
const (
	// lead is the time before expiry at which the next token is requested. Caches return the same token
	// until five minutes before.
	lead = 290 * time.Second
	// pause is the delay after a request that failed or returned the same token.
	pause = 30 * time.Second
	// minPause is the minimum time between two requests.
	minPause = time.Second
	// getLimit limits one request: command-line tools take seconds.
	getLimit = 10 * time.Second
	// never is an alarm that does not matter.
	never = 24 * time.Hour
)

// TokenKeeper keeps a valid token ready. It is safe for concurrent use.
type TokenKeeper struct {
	credential *Credential
	clock      clock.Clock
	calendar   clock.Calendar

	token atomic.Pointer[Token]
	// getting serializes token requests.
	getting sync.Mutex
	// changed signals a new token, refused carries a token that the service rejected.
	changed chan struct{}
	refused chan *Token
	stop    context.CancelFunc
	alone   sync.WaitGroup

	// barred ends when the service rejects a token and its renewal, or the renewal fails; bar ends it.
	barred context.Context
	bar    context.CancelCauseFunc
}

// NewTokenKeeper returns a keeper for a credential. It has no token before the first call of
// [TokenKeeper.Ready].
func NewTokenKeeper(c *Credential, clk clock.Clock, calendar clock.Calendar) *TokenKeeper {
	ctx, stop := context.WithCancel(context.Background())
	k := &TokenKeeper{credential: c, clock: clk, calendar: calendar, stop: stop,
		changed: make(chan struct{}, 1), refused: make(chan *Token, 1)}
	k.barred, k.bar = context.WithCancelCause(context.Background())
	k.alone.Go(func() { k.keep(ctx) })
	return k
}

// Close ends the goroutine, and waits for it.
func (k *TokenKeeper) Close() {
	k.stop()
	k.alone.Wait()
}

// Token returns the current token, nil before the first. It never waits.
func (k *TokenKeeper) Token() *Token { return k.token.Load() }

// Ready returns the current token, and waits for the first. The error wraps [ErrNoToken].
func (k *TokenKeeper) Ready(ctx context.Context) (*Token, error) {
	if t := k.token.Load(); t != nil {
		return t, nil
	}
	k.getting.Lock()
	defer k.getting.Unlock()
	if t := k.token.Load(); t != nil {
		return t, nil
	}
	return k.get(ctx, nil)
}

// Barred is closed when the service rejects a token and its renewal, or the renewal fails.
// [TokenKeeper.Cause] then returns the reason.
func (k *TokenKeeper) Barred() <-chan struct{} { return k.barred.Done() }

// Cause returns the reason for which [TokenKeeper.Barred] is closed, nil before. It wraps [ErrTokenRefused]
// or [ErrNoToken].
func (k *TokenKeeper) Cause() error { return context.Cause(k.barred) }

// Refused reports a token that the service rejected, without waiting: the keeper's goroutine requests one
// replacement.
func (k *TokenKeeper) Refused(t *Token) {
	if t.header != k.token.Load().header {
		return // there is another one already
	}
	select {
	case k.refused <- t:
	default: // already reported
	}
}

// Renew replaces a rejected token and waits for the new one. If that is rejected too, it returns an error
// that wraps [ErrTokenRefused], without another request.
func (k *TokenKeeper) Renew(ctx context.Context, t *Token) (*Token, error) {
	k.getting.Lock()
	defer k.getting.Unlock()
	now := k.token.Load()
	switch {
	case k.Cause() != nil:
		return nil, k.Cause()
	case now.header != t.header:
		return now, nil
	case now.again:
		k.bar(ErrTokenRefused)
		return nil, ErrTokenRefused
	}
	next, err := k.get(ctx, t)
	if err != nil && ctx.Err() == nil {
		k.bar(fmt.Errorf("the service rejects the token, and renewing it failed: %w", err))
		return nil, k.Cause()
	}
	return next, err
}

// get requests a token and stores it, as the replacement of a rejected one unless that is nil. The caller
// holds the lock.
func (k *TokenKeeper) get(ctx context.Context, refused *Token) (*Token, error) {
	ctx, release := clock.WithTimeout(ctx, k.clock, getLimit, context.DeadlineExceeded)
	defer release()
	got, err := k.credential.token(ctx, false)
	if err == nil && refused != nil && got.Token == refused.Secret() {
		// A cache returned the rejected token.
		got, err = k.credential.token(ctx, true)
		if err == nil && got.Token == refused.Secret() {
			err = ErrTokenRefused
		}
	}
	if err != nil {
		return nil, err
	}
	now := k.clock.Now()
	here := k.calendar.Date(now)
	next := &Token{header: bearer + got.Token, expires: now.Add(got.ExpiresOn.Sub(here)), again: refused != nil}
	life := next.expires.Sub(now)
	next.due = next.expires.Add(-min(lead, life/3))
	if until := got.RefreshOn.Sub(here); !got.RefreshOn.IsZero() && until > 0 && until < life {
		next.due = now.Add(until)
	}
	next.due = max(next.due, now.Add(minPause))
	k.token.Store(next)
	select {
	case k.changed <- struct{}{}:
	default:
	}
	return next, nil
}

// keep requests the next token before the current one expires, and a replacement after a rejection, until
// the keeper is closed or barred.
func (k *TokenKeeper) keep(ctx context.Context) {
	for ctx.Err() == nil && k.Cause() == nil {
		due := k.clock.Now().Add(never)
		if t := k.token.Load(); t != nil {
			due = t.due
		}
		alarm := k.clock.Alarm(due)
		select {
		case <-alarm.C:
			k.refresh(ctx)
		case t := <-k.refused:
			_, _ = k.Renew(ctx, t) // Barred reports its error
		case <-k.changed:
		case <-ctx.Done():
		}
		alarm.Stop()
	}
}

// refresh requests the next token. If that fails or returns the same token, the current one stays, and
// the next try is after a pause.
func (k *TokenKeeper) refresh(ctx context.Context) {
	k.getting.Lock()
	defer k.getting.Unlock()
	before := k.token.Load()
	if before == nil || before.due > k.clock.Now() {
		return
	}
	if next, err := k.get(ctx, nil); err == nil && next.header != before.header {
		return
	}
	now := k.clock.Now()
	same := *before
	same.due = now.Add(max(minPause, min(pause, same.expires.Sub(now)/2)))
	k.token.Store(&same)
}
