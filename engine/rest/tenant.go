package rest

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"loadgen/engine"
	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

// tenant is one account that the handler serves: its key and its settings. It
// is safe for concurrent use.
type tenant struct {
	name   string
	secret *wire.Secret
	// properties is what the service of the account is set to. It is replaced as
	// a whole, and what it points to never altered.
	properties atomic.Pointer[wire.ServiceProperties]
	// setting is held while new properties are made of old ones.
	setting  sync.Mutex
	policies policies
}

// recall takes up the settings that the engine has kept from before.
func (t *tenant) recall(e *engine.Engine, account string) error {
	if note := e.Note(account, ""); note != nil {
		properties, code, detail := wire.ParseServiceProperties(string(note))
		if code != entity.OK {
			return fmt.Errorf("%w: properties of the account %s: %s", ErrOptions, account, detail)
		}
		t.properties.Store(&properties)
	}
	for _, table := range e.TableNames(account) {
		all, code, detail := wire.ParsePolicies(string(e.Note(account, table)))
		if code != entity.OK {
			return fmt.Errorf("%w: access policies of the table %s: %s", ErrOptions, table, detail)
		}
		t.policies.put(table, all)
	}
	return nil
}

// policies are the stored access policies of an account's tables.
type policies struct {
	mu sync.RWMutex
	// of is keyed by the name in lower case. A list that is here is never
	// altered.
	of map[string][]wire.SignedIdentifier
}

// mostTables bounds for how many tables there are policies, mostly to bound what
// tables leave behind that were deleted without the handler's knowledge.
const mostTables = 1 << 16

func (p *policies) get(table string) []wire.SignedIdentifier {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.of[strings.ToLower(table)]
}

// put replaces the policies of a table; it is false where there would be too
// many tables that have some.
func (p *policies) put(table string, all []wire.SignedIdentifier) bool {
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
