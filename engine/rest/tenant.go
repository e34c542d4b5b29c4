package rest

import (
	"loadgen/engine/wire/service"
	"loadgen/engine/wire/signing"
	"strings"
	"sync"
	"sync/atomic"
)

// tenant is one account that the handler serves: its key and its settings. It
// is safe for concurrent use.
type tenant struct {
	secret *signing.Secret
	// properties is what the service of the account is set to. It is replaced as
	// a whole, and what it points to never altered.
	properties atomic.Pointer[service.ServiceProperties]
	// setting is held while new properties are made of old ones.
	setting  sync.Mutex
	policies policies
}

func newTenant(secret *signing.Secret) *tenant {
	t := &tenant{secret: secret, policies: policies{of: make(map[string][]service.SignedIdentifier)}}
	t.properties.Store(&service.ServiceProperties{
		Logging: &service.Logging{}, HourMetrics: &service.Metrics{}, MinuteMetrics: &service.Metrics{}, HasCors: true})
	return t
}

// set changes the properties that are given, and keeps those left out.
func (t *tenant) set(given *service.ServiceProperties) {
	t.setting.Lock()
	defer t.setting.Unlock()
	merged := *t.properties.Load()
	if given.Logging != nil {
		merged.Logging = given.Logging
	}
	if given.HourMetrics != nil {
		merged.HourMetrics = given.HourMetrics
	}
	if given.MinuteMetrics != nil {
		merged.MinuteMetrics = given.MinuteMetrics
	}
	if given.HasCors {
		merged.Cors = given.Cors
	}
	t.properties.Store(&merged)
}

// policies are the stored access policies of an account's tables.
type policies struct {
	mu sync.RWMutex
	// of is keyed by the name in lower case. A list that is here is never
	// altered.
	of map[string][]service.SignedIdentifier
}

// mostTables bounds for how many tables there are policies, mostly to bound what
// tables leave behind that were deleted without the handler's knowledge.
const mostTables = 1 << 16

func (p *policies) get(table string) []service.SignedIdentifier {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.of[strings.ToLower(table)]
}

func (p *policies) find(table, id string) (service.AccessPolicy, bool) {
	for _, one := range p.get(table) {
		if one.ID == id {
			return one.Policy, true
		}
	}
	return service.AccessPolicy{}, false
}

// put replaces the policies of a table; it is false where there would be too
// many tables that have some.
func (p *policies) put(table string, all []service.SignedIdentifier) bool {
	table = strings.ToLower(table)
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(all) == 0 {
		delete(p.of, table)
		return true
	}
	if _, known := p.of[table]; !known && len(p.of) >= mostTables {
		return false
	}
	// The table's name may be a view into what a request lies in.
	p.of[strings.Clone(table)] = all
	return true
}
