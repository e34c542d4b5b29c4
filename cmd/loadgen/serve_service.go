package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/model"
	"loadgen/engine/rest"
)

// serving is a table service from before it listens until it has drained. It owns
// one goroutine beside those of its two servers.
type serving struct {
	flags   *serveFlags
	clock   clock.Real
	model   *model.Model
	door    door
	admin   string
	journal *journal
	engine  *engine.Engine
	handler *rest.Handler
	flights *flights
	export  *export
	// examination is nil where none was asked for.
	examination *examination

	server, inner *rest.Server
	draining      atomic.Bool
	end           context.CancelFunc
	watching      sync.WaitGroup
}

// prepare checks the flags and does all that comes before listening.
func (f *serveFlags) prepare(ctx context.Context, stdin io.Reader, stderr io.Writer) (*serving, error) {
	s := &serving{flags: f, clock: clock.NewReal(), journal: &journal{to: stderr}}
	var err error
	if s.door, err = f.door(); err != nil {
		return nil, err
	}
	if s.model, err = f.model(); err != nil {
		return nil, err
	}
	var loopback bool
	if s.admin, loopback, err = resolve(f.admin); err != nil {
		return nil, usageError{fmt.Errorf("--admin %s: %w", f.admin, err)}
	}
	if !loopback {
		return nil, usageError{fmt.Errorf("--admin %s: expected an address of this machine alone, such as 127.0.0.1:0: nothing guards it", f.admin)}
	}
	if s.export, err = f.newExport(); err != nil {
		return nil, err
	}
	s.engine = engine.New(engine.Options{Model: s.model, Accounts: []string{s.door.account},
		Epoch: entity.TicksOf(s.clock.Started()), Seed: f.seed})
	if err := s.fill(ctx, stdin); err != nil {
		return nil, err
	}
	if err := s.export.begin(); err != nil {
		return nil, err
	}
	return s, nil
}

// open listens on both addresses, and only then opens the run of an examination:
// where a port is taken, nothing is left behind. Requests that come before all is
// ready wait.
func (s *serving) open(command []string) error {
	if err := s.newHandler(); err != nil {
		return err
	}
	var err error
	if s.server, err = s.door.listen(s.flights); err != nil {
		return err
	}
	if s.inner, err = rest.Listen(s.admin, s.adminHandler()); err != nil {
		return errors.Join(usageError{fmt.Errorf("--admin: %w", err)}, s.shut())
	}
	if s.flags.examine {
		if err := s.examination.open(s, command); err != nil {
			return errors.Join(err, s.shut())
		}
	}
	close(s.flights.ready)
	return nil
}

// newHandler builds what answers requests, and what counts those under way.
func (s *serving) newHandler() (err error) {
	options := rest.Options{Engine: s.engine, Clock: s.clock, Epoch: entity.TicksOf(s.clock.Started()), Seed: s.flags.seed,
		Accounts: []rest.Account{{Name: s.door.account, Secret: s.door.secret}}, Name: "loadgen/" + version()}
	if s.flags.examine {
		s.examination = new(examination)
		options.Observe = s.examination.saw
	}
	s.handler, err = rest.New(options)
	s.flights = &flights{next: s.handler, ready: make(chan struct{})}
	return err
}

// announce says where everything is.
func (s *serving) announce() {
	where := s.server.Address()
	s.journal.say("serving the account %s on %s, profile %s", s.door.account, s.door.url(where), s.model.Profile)
	if !strings.Contains(s.door.url(where), where) {
		s.journal.say("listening on %s, which is every address of this machine", where)
	}
	s.journal.say("state of the service: %s%s", s.inner.URL(), statePath)
}

// begin starts to watch.
func (s *serving) begin() {
	ctx, cancel := context.WithCancel(context.Background())
	s.end = cancel
	s.watching.Go(func() { s.watch(ctx) })
}

// watch tells the examination what time it is, and a person what was served since
// the last time that there was anything to tell.
func (s *serving) watch(ctx context.Context) {
	var told engine.Counts
	tell := s.clock.Now().Add(plainEvery)
	for next := s.clock.Now().Add(time.Second); s.clock.Sleep(ctx, next) == nil; next = next.Add(time.Second) {
		if err := s.examination.advance(s.clock.Now()); err != nil {
			s.journal.say("the record cannot be written, and serving goes on without it: %s", oneLine(err))
		}
		if next < tell {
			continue
		}
		tell = tell.Add(plainEvery)
		if counts := s.handler.Counts(); counts != told && !s.flags.quiet {
			told = counts
			s.journal.say("%s", served{s.handler})
		}
	}
}

// drain accepts no more, waits for what is under way and ends every goroutine.
// Its error says what could not be waited for, and is then a context's.
func (s *serving) drain() error {
	s.draining.Store(true)
	s.journal.say("draining; requests under way: %s", thousands(s.flights.under.Load()))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	grace := s.clock.Alarm(s.clock.Now().Add(s.flags.grace))
	defer grace.Stop()
	closed := make(chan error, 1)
	go func() { closed <- s.server.Close(ctx) }()
	var cut int64
	var err error
	select {
	case err = <-closed:
	case <-grace.C:
		// Connections that nothing was sent on are not worth a word.
		cut = s.flights.under.Load()
		cancel()
		err = beside(<-closed, context.Canceled)
	}
	s.end()
	s.watching.Wait()
	err = errors.Join(err, s.shutInner())
	if cut > 0 {
		s.journal.say("cut off after %v; requests under way: %s; of all, %s", s.flags.grace, thousands(cut), served{s.handler})
		return errors.Join(err, context.Canceled)
	}
	s.journal.say("drained; %s", served{s.handler})
	return err
}

// shut closes at once what is open.
func (s *serving) shut() error {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	return errors.Join(beside(s.server.Close(ended), context.Canceled), s.shutInner())
}

func (s *serving) shutInner() error {
	if s.inner == nil {
		return nil
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	return beside(s.inner.Close(ended), context.Canceled)
}

// String is what was served in words.
func (s served) String() string {
	c := s.handler.Counts()
	return fmt.Sprintf("requests: %s (%s ok, %s refused, %s failed); entities counted: %s",
		thousands(c.Requests), thousands(c.Ok), thousands(c.Refused), thousands(c.Failed), thousands(c.Entities))
}

// flights counts the requests under way, and lets none begin before all is ready.
type flights struct {
	next  http.Handler
	ready chan struct{}
	under atomic.Int64
}

// ServeHTTP implements http.Handler.
func (f *flights) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	select {
	case <-f.ready:
	case <-r.Context().Done():
		panic(http.ErrAbortHandler)
	}
	f.under.Add(1)
	defer f.under.Add(-1)
	f.next.ServeHTTP(w, r)
}

// journal is what is said on standard error. It is safe for concurrent use.
type journal struct {
	mu sync.Mutex
	to io.Writer
}

// say writes one line.
func (j *journal) say(format string, details ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	fmt.Fprintf(j.to, format+"\n", details...)
}
