package serve

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"loadgen/engine"
	"loadgen/engine/model"
	"loadgen/engine/rest"
	"loadgen/engine/store/durable"
)

// Service is a table service opened by [Open]. It owns one goroutine and those of its two servers.
type Service struct {
	options Options
	door    door
	admin   string
	model   *model.Model
	engine  *engine.Engine
	handler *rest.Handler
	export  export
	log     logFile
	shown   *certificate
	// folder is where the tables are, nil where that is memory.
	folder       *durable.Store
	folderClosed bool

	server, inner *rest.Server
	// ready is closed once requests are let in, underWay counts them.
	ready    chan struct{}
	underWay atomic.Int64
	draining atomic.Bool
	// saying guards the journal.
	saying   sync.Mutex
	end      context.CancelFunc
	watching sync.WaitGroup
}

// Open fills the tables, proves that the archive can be written, and listens on
// both addresses; requests wait for [Service.Begin]. Its error is a [Fault], the
// context's while tables are filled, or several faults joined; nothing is left open
// then.
func Open(ctx context.Context, o Options) (*Service, error) {
	s, faults := newService(o)
	err := errors.Join(faults...)
	if err == nil {
		err = s.prepare(ctx)
	}
	if err == nil {
		var config *tls.Config
		if s.shown != nil {
			config = &tls.Config{Certificates: []tls.Certificate{s.shown.pair}, MinVersion: tls.VersionTLS12}
		}
		if s.server, err = rest.Listen(rest.ListenOptions{Address: s.door.address, Handler: http.HandlerFunc(s.answer), TLS: config}); err != nil {
			err = Fault{Field: "listen", Err: err}
		}
	}
	if err == nil {
		if s.inner, err = rest.Listen(rest.ListenOptions{Address: s.admin, Handler: rest.RequireLocal(http.HandlerFunc(s.answerAdmin))}); err != nil {
			err = Fault{Field: "admin", Err: err}
		}
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// prepare does all that comes before listening.
func (s *Service) prepare(ctx context.Context) (err error) {
	if err := s.export.look(); err != nil {
		return err
	}
	o := &s.options
	now := o.Clock.Date(o.Clock.Now())
	switch {
	case o.TLS == SelfSigned:
		host, _, _ := net.SplitHostPort(o.Listen)
		s.shown, err = selfSigned(now, host)
	case o.TLS != "":
		s.shown, err = readCertificate(now, o.TLS)
	}
	if err != nil {
		return err
	}
	var stores map[string]engine.Store
	if o.DataDir != "" {
		s.folder, err = durable.Open(durable.Options{Folder: o.DataDir, Account: s.door.account, Sync: o.Durability != NoSync, FS: o.FS})
		if err != nil {
			return Fault{Field: "data-dir", Value: o.DataDir, Err: err}
		}
		stores = map[string]engine.Store{s.door.account: s.folder}
	}
	observe, err := s.log.begin(o, s.door.account)
	if err != nil {
		return err
	}
	s.engine = engine.New(engine.Options{Model: s.model, Accounts: []string{s.door.account}, Calendar: o.Clock, Seed: o.Seed,
		Cold: o.Start == model.Cold, Stores: stores})
	var tokens rest.Tokens
	if o.Tokens == AnyToken {
		tokens = rest.AnyToken{}
	} else if o.Tokens != "" {
		if tokens, err = rest.DiscoverIssuer(ctx, o.Tokens, s.door.account, o.Clock, o.Clock); err != nil {
			return Fault{Field: "tokens", Value: o.Tokens, Err: err}
		}
	}
	s.handler, err = rest.New(rest.Options{Tokens: tokens, Engine: s.engine, Clock: o.Clock, Calendar: o.Clock, Seed: o.Seed,
		Accounts: []rest.Account{{Name: s.door.account, Secret: s.door.secret}}, Faults: o.Faults, Observe: observe})
	if err == nil {
		err = s.fill(ctx)
	}
	if err == nil {
		err = s.export.begin()
	}
	return err
}

// answer counts the requests under way, and lets none begin before all is ready.
func (s *Service) answer(w http.ResponseWriter, r *http.Request) {
	select {
	case <-s.ready:
	case <-r.Context().Done():
		panic(http.ErrAbortHandler)
	}
	s.underWay.Add(1)
	defer s.underWay.Add(-1)
	s.handler.ServeHTTP(w, r)
}

// URL returns where the account is, for a client.
func (s *Service) URL() string { return s.scheme() + "://" + s.door.place(s.server.Address()) }

// scheme is http or https.
func (s *Service) scheme() string {
	if s.shown != nil {
		return "https"
	}
	return "http"
}

// AdminURL returns where the second address is, without a slash at its end.
func (s *Service) AdminURL() string { return s.inner.URL() }

// Start returns how ranges lie when a table is made.
func (s *Service) Start() string { return s.options.Start }

// Model returns the partition model, which is not to be altered.
func (s *Service) Model() *model.Model { return s.model }

// Counts returns what was served since the service was opened.
func (s *Service) Counts() engine.Counts { return s.handler.Counts() }

// ConnectionString returns what an SDK takes. A key that is not known to all is
// not in it.
func (s *Service) ConnectionString() string {
	key := emulatorKey
	if s.options.Key != "" {
		key = "<the key of " + s.options.KeyName + ">"
	}
	return fmt.Sprintf("DefaultEndpointsProtocol=%s;AccountName=%s;AccountKey=%s;TableEndpoint=%s;",
		s.scheme(), s.door.account, key, s.URL())
}

// Begin writes all addresses to the journal, admits requests and starts periodic work.
func (s *Service) Begin() {
	start := ""
	if s.options.Start == model.Cold {
		start = ", cold: a new table is one range on one server, which load balancing splits and moves"
	}
	s.logf("serving the account %s on %s, profile %s%s", s.door.account, s.URL(), s.model.Profile, start)
	if s.shown != nil {
		kind := "the certificate"
		if s.shown.own {
			kind = "the self-signed certificate, for clients to trust,"
		}
		sum := sha256.Sum256(s.shown.leaf.Raw)
		fingerprint := strings.ReplaceAll(fmt.Sprintf("% X", sum[:]), " ", ":")
		s.logf("%s is at %s%s; SHA-256 %s", kind, s.AdminURL(), CertificatePath, fingerprint)
		leaf := s.shown.leaf
		if host, _, _ := net.SplitHostPort(s.door.place(s.server.Address())); leaf.VerifyHostname(host) != nil {
			names := slices.Clone(leaf.DNSNames)
			for _, one := range leaf.IPAddresses {
				names = append(names, one.String())
			}
			s.logf("it is valid for %s, not %s: the connection string's address does not work for clients",
				cmp.Or(strings.Join(names, ", "), "nobody"), host)
		}
	}
	whose := ""
	switch o := &s.options; {
	case o.Tokens == AnyToken:
		whose = "any bearer token is accepted, of any issuer"
	case o.Tokens != "":
		whose = "bearer tokens of " + o.Tokens + " are accepted"
	}
	if whose != "" {
		s.logf("%s", whose)
		if s.shown == nil {
			s.logf("Azure's SDKs send tokens only over https: use --tls self-signed or a certificate")
		}
	}
	if s.folder != nil {
		how := "a write is acknowledged once it is on the disk"
		if s.options.Durability == NoSync {
			how = "a write is acknowledged before it is on the disk; a crash may lose the last ones"
		}
		var entities int64
		for _, t := range s.engine.Tables(s.door.account) {
			entities += t.Entities
		}
		s.logf("the tables are in %s (tables: %s, entities: %s): %s", s.options.DataDir,
			grouped(int64(len(s.folder.TableNames()))), grouped(entities), how)
	}
	if where := s.server.Address(); !strings.Contains(s.URL(), where) {
		s.logf("listening on %s, which is all local addresses", where)
	}
	s.logf("state of the service: %s%s", s.AdminURL(), StatePath)
	s.watch()
}

// Drain accepts no more, waits for what is under way and ends every goroutine.
// Its error is the context's where something took longer than Options.Grace and
// was cut off.
func (s *Service) Drain() error {
	s.draining.Store(true)
	s.logf("draining; requests under way: %s", grouped(s.underWay.Load()))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	grace := s.options.Clock.Alarm(s.options.Clock.Now().Add(s.options.Grace))
	defer grace.Stop()
	closed := make(chan error, 1)
	go func() { closed <- s.server.Close(ctx) }()
	var cut int64
	var err error
	select {
	case err = <-closed:
	case <-grace.C:
		// Connections that nothing was sent on are not worth a word.
		cut = s.underWay.Load()
		cancel()
		<-closed
		err = s.server.Cut()
	}
	s.unwatch()
	s.balance()
	err = errors.Join(err, s.inner.Cut())
	if cut > 0 {
		s.logf("cut off after %v; requests under way: %s; of all, %s", s.options.Grace, grouped(cut), s.words())
		return errors.Join(err, context.Canceled)
	}
	s.logf("drained; %s", s.words())
	return err
}

// Close ends at once what is still open, the folder of the tables as well, and takes back
// what was begun of an archive that was not saved. Its error says what the folder has
// failed with, if it has: what was acknowledged is there, and later requests were refused.
// A second one finds nothing left to do.
func (s *Service) Close() (err error) {
	s.unwatch()
	s.export.discard()
	err = s.log.end()
	for _, server := range []*rest.Server{s.server, s.inner} {
		if server != nil {
			err = errors.Join(err, server.Cut())
		}
	}
	var broken error
	if s.folder != nil && !s.folderClosed {
		s.folderClosed = true
		broken = s.broken()
		if closed := s.folder.Close(); closed != nil && broken == nil {
			broken = Fault{Field: "data-dir", Value: s.options.DataDir, Err: closed}
		}
	}
	return errors.Join(err, broken)
}

// Failed is closed when the folder of the tables fails: later requests are rejected, and the service must be ended. It
// is nil, which is never closed, for tables in memory.
func (s *Service) Failed() <-chan struct{} {
	if s.folder == nil {
		return nil
	}
	return s.folder.Failed()
}

// broken returns what the folder has failed with, nil for nothing.
func (s *Service) broken() error {
	if s.folder == nil {
		return nil
	}
	select {
	case <-s.folder.Failed():
		return fmt.Errorf("serve: data-dir %s: writing failed; the folder is unchanged since: %w", s.options.DataDir, s.folder.Err())
	default:
		return nil
	}
}
