package serve

import (
	"cmp"
	"errors"
	"io"
	"strings"
	"time"

	"loadgen/engine/archive"
	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/engine/rest"
)

// Options says what is served, where and to whom. The zero value is served where
// the emulators are, with their account.
type Options struct {
	// Listen is the address to serve on, HOST:PORT, of which port 0 is any free
	// one; empty is [DefaultListen].
	Listen string
	// Account is who signs requests, with Key, which is base64. Both empty are the
	// emulators', which only an address of this machine may have.
	Account, Key string
	// KeyName stands for Key wherever that is spoken of, such as the name of a
	// file; empty is the account's.
	KeyName string
	// TLSCert and TLSKey are files in PEM, with which https is spoken; TLSSelfSigned has
	// a certificate made for as long as the service lasts. With neither it is plain HTTP.
	TLSCert, TLSKey string
	TLSSelfSigned   bool
	// Profile is that of the partition model, one of [Profiles]; empty is
	// [DefaultProfile]. Set gives parameters of the model other values, each as
	// model.NAME=VALUE.
	Profile string
	Set     []string
	// Seed is the root of all chance.
	Seed uint64
	// Imports are the archives that fill tables before anybody is served; - is
	// Input, as JSON lines.
	Imports []string
	Input   io.Reader
	// Export is the archive that [Service.Save] writes; empty is none.
	Export string
	// Admin is the second address, of this machine alone; empty is [DefaultAdmin].
	Admin string
	// Grace is how long what is under way may take once no more is accepted; 0 is
	// [DefaultGrace].
	Grace time.Duration
	// Clock is that of the service, which begins at its instant zero; the zero
	// value is one that begins when the service is opened.
	Clock clock.Real
	// Journal is told line by line what the service does; nil is nobody. Quiet
	// leaves out what was served from time to time.
	Journal io.Writer
	Quiet   bool
	// Observe is told of every request, as rest.Options says; nil for nobody.
	Observe func(*rest.Seen)
	// Tick is told each second what time it is, from one goroutine; nil for nobody.
	// The journal has its error, and the service goes on.
	Tick func(now clock.Instant) error
}

// The defaults of [Options]. DefaultGrace is short of what process managers wait
// until they kill.
const (
	DefaultListen  = "127.0.0.1:10002"
	DefaultAdmin   = "127.0.0.1:0"
	DefaultProfile = model.Documented
	DefaultGrace   = 5 * time.Second
)

// Profiles returns the profiles of the partition model, the default first.
func Profiles() []string { return model.Profiles() }

// Validate returns what is wrong with the options, each a [Fault]: the first of
// each part. It opens nothing, but it looks up the names of hosts.
func (o Options) Validate() []error {
	_, faults := newService(o)
	return faults
}

// newService returns the service that is asked for before anything is done, or all
// that is wrong with the options.
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
	s.admin, err = o.newAdmin()
	check(err)
	check(o.archives())
	check(o.certificates())
	return s, faults
}

func (o *Options) archives() error {
	if _, known := archive.FormatOf(o.Export); o.Export != "" && !known {
		return Fault{Field: "export", Value: o.Export, Err: errors.New("expected a file whose name ends in " + archive.Extensions)}
	}
	for _, name := range o.Imports {
		if _, known := archive.FormatOf(name); name != standardInput && !known {
			return Fault{Field: "import", Value: name,
				Err: errors.New("expected a file whose name ends in " + archive.Extensions + ", or - for standard input as JSON lines")}
		}
	}
	return nil
}

// withDefaults returns the options with everything that is left out filled in.
func (o Options) withDefaults() Options {
	o.Listen = cmp.Or(o.Listen, DefaultListen)
	o.KeyName = cmp.Or(o.KeyName, "the account "+o.Account)
	o.Profile = cmp.Or(o.Profile, DefaultProfile)
	o.Admin = cmp.Or(o.Admin, DefaultAdmin)
	o.Grace = cmp.Or(o.Grace, DefaultGrace)
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

// modelPrefix begins the path of a parameter of the model, as in a scenario.
const modelPrefix = "model."

// newModel returns the partition model that is asked for.
func (o *Options) newModel() (*model.Model, error) {
	m, err := model.New(o.Profile)
	if err != nil {
		return nil, Fault{Field: "profile", Value: o.Profile, Known: model.Profiles(), Err: err}
	}
	for _, one := range o.Set {
		path, value, cut := strings.Cut(one, "=")
		if !cut {
			return nil, Fault{Field: "set", Value: one, Err: errors.New("expected model.PARAMETER=value, such as model.partition_target=500")}
		}
		name, ours := strings.CutPrefix(path, modelPrefix)
		err := m.Set(name, value)
		if !ours || errors.Is(err, model.ErrUnknown) {
			return nil, Fault{Field: "set", Value: path, Known: parameters(), Err: model.ErrUnknown}
		}
		if err != nil {
			return nil, Fault{Field: "set", Value: one, Err: err}
		}
	}
	if faults := m.Validate(); len(faults) > 0 {
		return nil, Fault{Field: "set", Err: errors.Join(faults...)}
	}
	return m, nil
}

func parameters() (paths []string) {
	for _, name := range model.Names() {
		paths = append(paths, modelPrefix+name)
	}
	return paths
}
