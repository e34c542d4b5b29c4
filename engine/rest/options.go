package rest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"loadgen/engine"
	"loadgen/engine/accesslog"
	"loadgen/engine/clock"
	"loadgen/engine/wire"
)

// Options says what a handler serves.
type Options struct {
	// Engine answers the requests. It has to know the accounts.
	Engine *engine.Engine
	// Clock says when a request arrives and waits until its reply leaves.
	Clock clock.Clock
	// Calendar dates the clock's instants, of the years 1601 to 9999: the engine's. The
	// dates of replies and the age of signatures come from it.
	Calendar clock.Calendar
	// Accounts are those that requests may be signed for, at least one.
	Accounts []Account
	// Tokens says which bearer tokens are as good as an account's key; nil for none.
	Tokens Tokens
	// Seed decides the request identifiers and who meets a fault.
	Seed uint64
	// Faults is what goes wrong on purpose, counted from the clock's instant
	// zero; nil for nothing. It must not be altered once it is in use.
	Faults *engine.FaultPlan
	// Name is the value of the header Server; empty is one with the limits of the engine's model, see
	// [wire.ServerName].
	Name string
	// BodyBytes limits the memory of all bodies in progress except those of at most 4 KiB; 0 is 128 MiB.
	// Further requests are rejected, which clients take for throttling: use [math.MaxInt64] for a server
	// with trusted clients.
	BodyBytes int64
	// Observe, unless nil, is called once for every request that was answered or whose reply was lost, in
	// the goroutine of the request, concurrently. It must not wait, nor keep its argument.
	Observe func(*accesslog.Observed)
}

// Tokens judges the bearer tokens of requests. It is safe for concurrent use.
type Tokens interface {
	// Accept returns nil for a token that is good, else in one line why it is not, without
	// repeating it.
	Accept(ctx context.Context, token string) error
	// Challenge is the header WWW-Authenticate of the reply to a request without a good one.
	Challenge() string
}

// Account is one storage account and its key.
type Account struct {
	// Name has 3 to 24 lower-case letters and digits.
	Name   string
	Secret *wire.Secret
}

// Validate returns everything that is wrong with the options, each wrapped
// around [ErrOptions]; nil where nothing is.
func (o *Options) Validate() []error {
	var faults []error
	complain := func(format string, details ...any) {
		faults = append(faults, fmt.Errorf("%w: "+format, append([]any{ErrOptions}, details...)...))
	}
	if o.Engine == nil {
		complain("engine: there is none")
	}
	if o.Clock == nil {
		complain("clock: there is none")
	}
	if o.Calendar == nil {
		complain("calendar: there is none")
	} else if zero := o.Calendar.Date(0); zero.Year() < earliestYear || zero.Year() > latestYear {
		complain("calendar: %s is no date of the years %d to %d", zero.Format(time.DateOnly), earliestYear, latestYear)
	}
	if len(o.Accounts) == 0 {
		complain("accounts: there are none")
	}
	seen := make(map[string]bool)
	for i, account := range o.Accounts {
		if !accountName(account.Name) {
			complain("accounts[%d].name: %.40q is not 3 to 24 lower-case letters and digits", i, account.Name)
		}
		if seen[account.Name] {
			complain("accounts[%d].name: %.40q comes twice", i, account.Name)
		}
		seen[account.Name] = true
		if account.Secret == nil {
			complain("accounts[%d].secret: there is none", i)
		}
	}
	if !headerText(o.Name, maxServerName) {
		complain("name: %.40q is not up to %d printable ASCII characters", o.Name, maxServerName)
	}
	if o.BodyBytes < 0 {
		complain("body bytes: %d is less than none", o.BodyBytes)
	}
	if o.Faults != nil {
		for _, err := range o.Faults.Validate() {
			complain("faults: %w", err)
		}
	}
	return faults
}

// The years that the service has a form for.
const (
	earliestYear = 1601
	latestYear   = 9999
)

// maxServerName bounds the header Server.
const maxServerName = 256

func accountName(name string) bool {
	foreign := func(c rune) bool { return (c < 'a' || c > 'z') && (c < '0' || c > '9') }
	return len(name) >= 3 && len(name) <= 24 && !strings.ContainsFunc(name, foreign)
}

// headerText reports whether a text can be the value of a header: at most longest characters of printable ASCII
// and blanks.
func headerText(text string, longest int) bool {
	return len(text) <= longest && !strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c > '~' })
}

// ErrOptions is wrapped by every fault of [Options]; test for it with errors.Is.
var ErrOptions = errors.New("rest: impossible options")
