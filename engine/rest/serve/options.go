package serve

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"slices"
	"strings"
	"time"

	"loadgen/engine"
	"loadgen/engine/accesslog"
	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/engine/rest"
	"loadgen/engine/store/durable"
	"loadgen/engine/wire"
)

// Options of a service. The zero value is served at the emulators' address, with their account.
type Options struct {
	// Listen is the address to serve on, HOST:PORT. Port 0 is any free port; empty is
	// [DefaultListen].
	Listen string `flag:"listen" group:"Connections"`
	// Account is who signs requests, with Key, which is base64. Both empty are the
	// emulators', which only an address of this machine may have.
	Account string `flag:"account" group:"Connections" requires:"key-file"`
	Key     string
	// KeyName stands for Key wherever that is spoken of, such as the name of a
	// file; empty is the account's.
	KeyName string
	// TLS is [SelfSigned], for https with a certificate that is made for as long as the service
	// lasts, or names the files in PEM of a certificate chain and its key: CERT,KEY. Empty is HTTP.
	TLS string `flag:"tls" group:"Connections"`
	// Tokens is the issuer of OpenID Connect whose bearer tokens are accepted as well as signatures,
	// or [AnyToken], on a loopback address only. Empty is none.
	Tokens string `flag:"tokens" group:"Connections" rare:"yes"`
	// Profile is that of the partition model, one of [Profiles]; empty is
	// [DefaultProfile]. Set gives parameters of the model other values, each as
	// model.NAME=VALUE.
	Profile string   `flag:"profile"`
	Set     []string `flag:"set"`
	// Start, which Set overrides as start=NAME, is how ranges lie when a table is made, [model.Warm] or [model.Cold]; empty is
	// warm. After a cold start load balancing runs by the clock, also without requests.
	Start string
	// Faults are injected faults, in time since the start of the service; nil for none. They are not altered.
	Faults *engine.FaultPlan
	// Seed is the root of all chance.
	Seed uint64 `flag:"seed" default:"1" rare:"yes"`
	// Imports are the archives that fill tables before anybody is served; - is
	// Input, as JSON lines.
	Imports []string `flag:"import"`
	Input   io.Reader
	// Export is the archive that [Service.Save] writes; empty is none. With ExportEvery it is
	// also written from time to time while the service lasts: 0 is only at the end.
	Export      string        `flag:"export"`
	ExportEvery time.Duration `flag:"export-every" rare:"yes"`
	// DataDir is the folder of the tables, created if missing; empty keeps
	// them in memory. Durability is [Sync], which acknowledges a write once it is on the
	// disk, or [NoSync]; empty is Sync.
	DataDir    string `flag:"data-dir"`
	Durability string `flag:"durability" rare:"yes"`
	// FS is the file system of DataDir; nil is the machine's.
	FS durable.FS
	// Log is a new file that every request is written to: as Azure Monitor's resource logs if its
	// name ends in .json, else as Storage Analytics. Empty is none.
	Log string `flag:"log" group:"Output"`
	// Admin is the second address, of this machine alone; empty is [DefaultAdmin].
	Admin string `flag:"admin" group:"Connections" rare:"yes"`
	// Grace is how long what is under way may take once no more is accepted; 0 is
	// [defaultGrace].
	Grace time.Duration
	// Clock is that of the service, which begins at its instant zero; the zero
	// value is one that begins when the service is opened.
	Clock clock.Real
	// Journal gets a line for each event of the service; nil is none. Quiet leaves out the progress lines.
	Journal io.Writer
	Quiet   bool `flag:"quiet" group:"Output" rare:"yes"`
	// Observe, unless nil, is called for every request, see rest.Options.
	Observe func(*accesslog.Observed)
	// Tick is called each second from one goroutine, unless nil. The journal gets its error, and the service
	// continues.
	Tick func(now clock.Instant) error
	// Balanced gets the events of load balancing in their order from one goroutine, unless nil. The journal has
	// them, too.
	Balanced func([]Event)
}

// Event is what load balancing did to a table after a cold start, and why.
type Event = engine.Event

// The defaults of [Options]. DefaultGrace is short of what process managers wait
// until they kill.
const (
	DefaultListen  = "127.0.0.1:10002"
	DefaultAdmin   = "127.0.0.1:0"
	DefaultProfile = model.Documented
	defaultGrace   = 5 * time.Second
)

// Values of [Options.TLS] and [Options.Tokens].
const (
	SelfSigned = "self-signed"
	AnyToken   = "any"
)

// The values of [Options.Durability].
const (
	Sync   = "sync"
	NoSync = "nosync"
)

// Profiles returns the profiles of the partition model, the default first.
func Profiles() []string { return model.Profiles() }

// Validate returns what is wrong with the options, each a [Fault]: the first of
// each part. It opens nothing, but it looks up the names of hosts.
func (o Options) Validate() []error {
	_, faults := newService(o)
	return faults
}

// newService returns the service before it is opened, or all faults of the options.
func newService(o Options) (s *Service, faults []error) {
	o = o.withDefaults()
	s = &Service{options: o, export: export{name: o.Export}, ready: make(chan struct{})}
	check := func(err error) {
		if err != nil {
			faults = append(faults, err)
		}
	}
	var err error
	s.door, err = o.newDoor()
	check(err)
	s.model, err = o.newModel()
	check(err)
	if starts := []string{startPath + model.Warm, startPath + model.Cold}; !slices.Contains(starts, startPath+o.Start) {
		check(Fault{Field: "set", Value: startPath + o.Start, Known: starts, Err: errors.New("expected warm or cold")})
	}
	admin, loopback, err := resolve(o.Admin)
	if err == nil && !loopback {
		err = errors.New("without authentication; expected a loopback address such as 127.0.0.1:0")
	}
	if err != nil {
		check(Fault{Field: "admin", Value: o.Admin, Err: err})
	} else {
		s.admin = admin
	}
	_, known := ArchiveFormatOf(o.Export)
	unknown := slices.IndexFunc(o.Imports, func(name string) bool {
		_, known := ArchiveFormatOf(name)
		return name != standardInput && !known
	})
	switch {
	case o.Export != "" && !known:
		check(Fault{Field: "export", Value: o.Export, Err: errors.New("expected a file whose name ends in " + archiveExtensions)})
	case unknown >= 0:
		check(Fault{Field: "import", Value: o.Imports[unknown],
			Err: errors.New("expected a file whose name ends in " + archiveExtensions + ", or - for standard input as JSON lines")})
	}
	check(o.folder())
	check(o.certificates())
	check(o.tokens(s.door))
	return s, faults
}

// folder returns what is wrong with the options about where tables are kept.
func (o *Options) folder() error {
	switch values := []string{Sync, NoSync}; {
	case o.Durability != "" && !slices.Contains(values, o.Durability):
		return Fault{Field: "durability", Value: o.Durability, Known: values, Err: errors.New("expected sync or nosync")}
	case o.Durability != "" && o.DataDir == "":
		return Fault{Field: "durability", Value: o.Durability, Err: errors.New("there is nothing to make durable; expected --data-dir as well")}
	case o.ExportEvery < 0 || o.ExportEvery > 0 && o.ExportEvery < tick:
		return Fault{Field: "export-every", Value: o.ExportEvery.String(), Err: errors.New("expected 1s or more")}
	case o.ExportEvery > 0 && o.Export == "":
		return Fault{Field: "export-every", Value: o.ExportEvery.String(), Err: errors.New("there is no file to write; expected --export as well")}
	}
	return nil
}

// withDefaults returns the options with everything that is left out filled in.
func (o Options) withDefaults() Options {
	o.Listen = cmp.Or(o.Listen, DefaultListen)
	o.KeyName = cmp.Or(o.KeyName, "the account "+o.Account)
	o.Profile = cmp.Or(o.Profile, DefaultProfile)
	o.Start = cmp.Or(o.Start, model.Warm)
	for _, one := range o.Set {
		if start, is := strings.CutPrefix(one, startPath); is {
			o.Start = start
		}
	}
	o.Admin = cmp.Or(o.Admin, DefaultAdmin)
	o.Grace = cmp.Or(o.Grace, defaultGrace)
	if o.Clock.Started().IsZero() {
		o.Clock = clock.NewReal()
	}
	if o.Input == nil {
		o.Input = strings.NewReader("")
	}
	if o.Journal == nil {
		o.Journal = io.Discard
	}
	return o
}

// modelPrefix begins the path of a parameter of the model, startPath the setting of the start, as in a scenario.
const (
	modelPrefix = "model."
	startPath   = "start="
)

// newModel returns the partition model of the options.
func (o *Options) newModel() (*model.Model, error) {
	m, err := model.New(o.Profile)
	if err != nil {
		return nil, Fault{Field: "profile", Value: o.Profile, Known: model.Profiles(), Err: err}
	}
	var known []string
	for _, name := range model.Names() {
		if !slices.Contains(model.ClientNames(), name) {
			known = append(known, modelPrefix+name)
		}
	}
	for _, one := range o.Set {
		path, value, cut := strings.Cut(one, "=")
		if strings.HasPrefix(one, startPath) {
			continue
		}
		if !cut {
			return nil, Fault{Field: "set", Value: one, Err: errors.New("expected model.PARAMETER=value, such as model.partition_target=500")}
		}
		name, ours := strings.CutPrefix(path, modelPrefix)
		err := m.Set(name, value)
		if !ours || errors.Is(err, model.ErrUnknown) {
			return nil, Fault{Field: "set", Value: path, Known: known, Err: model.ErrUnknown}
		}
		if err == nil && slices.Contains(model.ClientNames(), name) {
			err = errors.New("it belongs to the clients; expected a parameter of the service")
		}
		if err != nil {
			return nil, Fault{Field: "set", Value: one, Err: err}
		}
	}
	if faults := m.Validate(); len(faults) > 0 {
		return nil, Fault{Field: "set", Err: errors.Join(faults...)}
	}
	return m, o.inert(m)
}

// inert returns a fault where a parameter is set that says nothing after the start in use.
func (o *Options) inert(m *model.Model) error {
	counts := func(start, name string) bool {
		return slices.ContainsFunc(m.ParametersOf(start), func(p model.Parameter) bool { return p.Name == name })
	}
	for _, one := range o.Set {
		name, _, _ := strings.Cut(strings.TrimPrefix(one, modelPrefix), "=")
		if o.Start == model.Warm && !counts(model.Warm, name) && counts(model.Cold, name) {
			return Fault{Field: "set", Value: one, Err: errors.New("it applies to cold starts; expected --set start=cold")}
		}
	}
	return nil
}

// ErrKnownKey is wrapped by the [Fault] of a service that others reach with the
// key that every emulator has.
var ErrKnownKey = errors.New("the emulator key is public; a public address needs another key")

// Fault is what is wrong with one of [Options].
type Fault struct {
	// Field is its name in lower case, such as "listen".
	Field string
	// Value is what it holds that is wrong, of a key its KeyName; empty where Err
	// says it.
	Value string
	// Known are the names that Value is to be one of, nil where it is no name.
	Known []string
	// Err says why.
	Err error
}

// Error implements error.
func (f Fault) Error() string {
	if f.Value == "" {
		return fmt.Sprintf("serve: %s: %v", f.Field, f.Err)
	}
	return fmt.Sprintf("serve: %s %s: %v", f.Field, f.Value, f.Err)
}

// Unwrap returns the reason.
func (f Fault) Unwrap() error { return f.Err }

// The public account and key of all emulators of the service.
const (
	emulatorAccount = "devstoreaccount1"
	emulatorKey     = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
)

// door is the address and the account of a service.
type door struct {
	// address is what to listen on, with the host's name resolved.
	address string
	account string
	secret  *wire.Secret
	// loopback says that only this machine reaches it.
	loopback bool
}

var accountPattern = regexp.MustCompile(`^[a-z0-9]{3,24}$`)

// newDoor returns the address and account of the options. No error repeats a key.
func (o *Options) newDoor() (d door, err error) {
	address, loopback, err := resolve(o.Listen)
	if err != nil {
		return d, Fault{Field: "listen", Value: o.Listen, Err: err}
	}
	d = door{address: address, account: emulatorAccount, loopback: loopback}
	key := emulatorKey
	switch {
	case o.Account == "" && o.Key == "" && !loopback:
		return d, Fault{Field: "listen", Value: o.Listen, Err: ErrKnownKey}
	case o.Account == "" && o.Key != "":
		return d, Fault{Field: "account", Err: errors.New("a key requires an account")}
	case o.Account != "":
		if d.account = o.Account; !accountPattern.MatchString(d.account) {
			return d, Fault{Field: "account", Value: fmt.Sprintf("%.40q", d.account), Err: errors.New("expected 3 to 24 lower-case letters and digits")}
		}
		if key = o.Key; key == emulatorKey && !loopback {
			return d, Fault{Field: "key", Value: o.KeyName, Err: ErrKnownKey}
		}
	}
	if d.secret, err = wire.NewSecret(key); err != nil {
		return d, Fault{Field: "key", Value: o.KeyName, Err: err}
	}
	return d, nil
}

// tokens returns the fault of Options.Tokens.
func (o *Options) tokens(d door) error {
	switch {
	case o.Tokens == AnyToken && !d.loopback && d.address != "":
		return Fault{Field: "tokens", Err: errors.New("it admits everyone; expected a loopback address such as 127.0.0.1:10002")}
	case o.Tokens != "" && o.Tokens != AnyToken:
		if err := rest.CheckIssuerURL(o.Tokens); err != nil {
			return Fault{Field: "tokens", Err: err}
		}
	}
	return nil
}

// resolve returns an address to listen on as a number, and whether only this
// machine can reach it.
func resolve(address string) (resolved string, loopback bool, err error) {
	tcp, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return "", false, fmt.Errorf("expected HOST:PORT, such as 127.0.0.1:10002: %w", err)
	}
	return tcp.String(), tcp.IP.IsLoopback(), nil
}

// place returns the address of the account for a client, without the scheme, once it is
// known on which port the service listens.
func (d *door) place(listening string) string {
	host, port, err := net.SplitHostPort(listening)
	if ip := net.ParseIP(host); err == nil && ip.IsUnspecified() {
		// Clients cannot connect to an unspecified address such as 0.0.0.0.
		listening = net.JoinHostPort("127.0.0.1", port)
	}
	return listening + "/" + d.account
}
