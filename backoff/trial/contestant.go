package trial

import (
	"errors"
	"fmt"
	"strings"

	"loadgen/backoff"
	"loadgen/engine/nearest"
)

// Contestant is a retry policy with a limiter, or none.
type Contestant struct {
	Name   string
	Policy backoff.Policy
	// Limiter makes a client's limiter; nil for none.
	Limiter func() backoff.Limiter
}

// Named returns contestants by the names of their policies; POLICY+LIMITER has a
// limiter, too. The faults are a name that is none, one that occurs twice, and that
// there is none at all.
func Named(names ...string) (list []Contestant, faults []error) {
	seen := map[string]bool{}
	for _, name := range names {
		policy, limiter, limited := strings.Cut(name, "+")
		p, err := backoff.ByName(policy)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		one := Contestant{Name: name, Policy: p}
		if limited {
			if one.Limiter = backoff.LimiterByName(limiter); one.Limiter == nil {
				faults = append(faults, errors.New(nearest.Unknown("limiter", limiter, backoff.Limiters())))
			}
		}
		if seen[name] {
			faults = append(faults, fmt.Errorf("%s occurs twice; expected each once", name))
		}
		seen[name] = true
		list = append(list, one)
	}
	if len(names) == 0 {
		faults = append(faults, errors.New("there is none; expected one at least"))
	}
	return list, faults
}
