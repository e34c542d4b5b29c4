package run

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"loadgen/scenarios/campaign"
	"loadgen/target/azure"
)

// Remains are what remote runs have made and not dropped yet: what would be left if the
// process ended now. It is safe for concurrent use; its zero value is empty, and a nil one
// keeps nothing.
type Remains struct {
	mu   sync.Mutex
	list []Remain
}

// Remain is a table, a queue or a container of blobs that a run has made, or is about to.
type Remain struct {
	campaign.Made
	// Where is the address of its account.
	Where string
	// Kept says that it stays in place because it was asked for.
	Kept bool
}

// String names it and where it is.
func (r Remain) String() string { return fmt.Sprintf("%s %s at %s", r.What, r.Name, r.Where) }

// List returns all that there is, the oldest first.
func (r *Remains) List() []Remain {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.list)
}

// Hold takes down that something is there, or is gone.
func (r *Remains) Hold(one Remain, there bool) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = slices.DeleteFunc(r.list, func(other Remain) bool { return other.String() == one.String() })
	if there {
		r.list = append(r.list, one)
	}
}

// LongestEnding is how long a run that is stopped takes at most to drop what it has at so
// many addresses, where none of them answers.
func LongestEnding(places int) time.Duration {
	return campaign.EndingLimit + time.Duration(max(1, places)-1)*campaign.EndingStep
}

// whereIs returns the address of the service that has what a run makes.
func (p *Plan) whereIs(made campaign.Made) string {
	service := map[string]azure.Neighbour{campaign.MadeQueue: azure.Queue, campaign.MadeContainer: azure.Blob}
	if one, beside := service[made.What]; beside {
		address, _ := p.Accounts[0].Neighbour(one)
		return address
	}
	return p.Accounts[made.Account].String()
}
