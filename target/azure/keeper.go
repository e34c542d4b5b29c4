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

// ErrTokenRefused is wrapped where the service refuses a token although it was got anew.
var ErrTokenRefused = errors.New("the service rejects the token and its renewal")

// Token is one that was given. A print of it shows no part of it. It is immutable.
type Token struct {
	header string
	// expires is when it is of no use any more, due when the next is asked for.
	expires, due clock.Instant
	// again says that it was got because the service had refused another.
	again bool
}

// bearer begins the header.
const bearer = "Bearer "

// Header returns what the header Authorization has to be.
func (t *Token) Header() string { return t.header }

// Secret returns the token itself. The caller keeps it out of every text.
func (t *Token) Secret() string { return t.header[len(bearer):] }

// Format hides it, whatever the verb.
func (t *Token) Format(state fmt.State, _ rune) { io.WriteString(state, "(secret)") }

// How the next token is waited for.
const (
	// lead is how long before a token expires the next is asked for. Who keeps tokens gives
	// the same again until five minutes before.
	lead = 290 * time.Second
	// pause lies between two tries where none was to be had, or the same came again.
	pause = 30 * time.Second
	// shortest is the least time between two.
	shortest = time.Second
	// getLimit bounds one: the tools of the command line take seconds.
	getLimit = 10 * time.Second
	// never is how far away what nobody waits for is.
	never = 24 * time.Hour
)

// TokenKeeper has a token at hand. It is safe for concurrent use.
type TokenKeeper struct {
	credential *Credential
	clock      clock.Clock
	calendar   clock.Calendar

	token atomic.Pointer[Token]
	// getting is held by whoever asks for a token.
	getting sync.Mutex
	// changed tells the goroutine that there is another token, refused which one the service
	// did not take.
	changed chan struct{}
	refused chan *Token
	stop    context.CancelFunc
	alone   sync.WaitGroup

	barred chan struct{}
	// cause is why barred was closed.
	cause error
}

// NewTokenKeeper returns a keeper of a credential's tokens. It has none before the first call of
// [TokenKeeper.Ready].
func NewTokenKeeper(c *Credential, clk clock.Clock, calendar clock.Calendar) *TokenKeeper {
	ctx, stop := context.WithCancel(context.Background())
	k := &TokenKeeper{credential: c, clock: clk, calendar: calendar, stop: stop,
		changed: make(chan struct{}, 1), refused: make(chan *Token, 1), barred: make(chan struct{})}
	k.alone.Go(func() { k.keep(ctx) })
	return k
}

// Close ends the goroutine, and waits for it.
func (k *TokenKeeper) Close() {
	k.stop()
	k.alone.Wait()
}

// Token returns the token at hand, nil before there is one. It never waits.
func (k *TokenKeeper) Token() *Token { return k.token.Load() }

// Ready returns the token at hand, and waits for the first one where there is none. The
// error wraps [ErrNoToken].
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

// Barred is closed when the service lets nobody in any more: it has refused a token, and
// another that was got anew, or none was to be had. [TokenKeeper.Cause] then says why.
func (k *TokenKeeper) Barred() <-chan struct{} { return k.barred }

// Cause returns why nobody is let in any more, nil while somebody is. It wraps [ErrTokenRefused] or
// [ErrNoToken].
func (k *TokenKeeper) Cause() error {
	select {
	case <-k.barred:
		return k.cause
	default:
		return nil
	}
}

// Refused tells that the service did not take a token, without a wait: another is asked for
// once, by the keeper's goroutine.
func (k *TokenKeeper) Refused(t *Token) {
	if t.header != k.token.Load().header {
		return // there is another one already
	}
	select {
	case k.refused <- t:
	default: // it was told
	}
}

// Renew gets another token in the place of one that the service did not take, and waits for
// that. The second time in a row it is an error, which wraps [ErrTokenRefused], and nobody is asked.
func (k *TokenKeeper) Renew(ctx context.Context, t *Token) (*Token, error) {
	k.getting.Lock()
	defer k.getting.Unlock()
	now := k.token.Load()
	switch {
	case k.Cause() != nil:
		return nil, k.cause
	case now.header != t.header:
		return now, nil
	case now.again:
		return nil, k.bar(ErrTokenRefused)
	}
	next, err := k.get(ctx, t)
	if err != nil && ctx.Err() == nil {
		return nil, k.bar(fmt.Errorf("the service rejects the token, and renewing it failed: %w", err))
	}
	return next, err
}

// bar says that nobody is let in any more. The caller holds the lock.
func (k *TokenKeeper) bar(cause error) error {
	k.cause = cause
	close(k.barred)
	return cause
}

// get asks for a token and has it at hand, in the place of one that was refused if there
// is one. The caller holds the lock.
func (k *TokenKeeper) get(ctx context.Context, refused *Token) (*Token, error) {
	ctx, release := clock.Within(ctx, k.clock, getLimit, context.DeadlineExceeded)
	defer release()
	got, err := k.credential.token(ctx, false)
	if err == nil && refused != nil && got.Token == refused.Secret() {
		// It was kept: whoever gives tokens does not know that this one is of no use.
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
	next.due = max(next.due, now.Add(shortest))
	k.token.Store(next)
	select {
	case k.changed <- struct{}{}:
	default:
	}
	return next, nil
}

// keep asks for the next token before the one at hand expires, and for another where that
// is refused, until the keeper is closed or nobody is let in any more.
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
			_, _ = k.Renew(ctx, t) // Barred tells of its error
		case <-k.changed:
		case <-ctx.Done():
		}
		alarm.Stop()
	}
}

// refresh gets the token that follows the one at hand. Where none is to be had, or the same
// comes again, that one goes on, and it is tried again a little later: what the service
// refuses it will say.
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
	same.due = now.Add(max(shortest, min(pause, same.expires.Sub(now)/2)))
	k.token.Store(&same)
}
