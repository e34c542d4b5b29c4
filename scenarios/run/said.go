package run

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"loadgen/results"
	"loadgen/target/azure"
)

// whileWelcome returns the context with an end for when a service lets nobody in any more,
// since it refuses the token and another one as well. Its cause then wraps [ErrTarget].
// Whoever has it departs.
func (d *destination) whileWelcome(ctx context.Context) (welcome context.Context, depart func()) {
	welcome, cancel := context.WithCancelCause(ctx)
	watching := make(chan struct{})
	under := 0
	for _, client := range d.wires {
		if client.Barred() == nil {
			continue
		}
		under++
		go func() {
			select {
			case <-client.Barred():
				cancel(fmt.Errorf("%w: %w", ErrTarget, client.Cause()))
			case <-welcome.Done():
			}
			watching <- struct{}{}
		}()
	}
	return welcome, func() {
		cancel(nil)
		for range under {
			<-watching
		}
	}
}

// mostSaid bounds how many of the slowest requests of all accounts are kept.
const mostSaid = 10

// said returns what the services of a remote target said together, nil for any other.
func (d *destination) said() *results.Said {
	if len(d.ahead) == 0 {
		return nil
	}
	all := new(results.Said)
	for i, client := range d.wires {
		if ahead := d.ahead[i]; ahead.Abs() > all.ClockAhead.Abs() {
			all.ClockAhead = ahead
		}
		one := client.Said()
		all.Dropped += one.Dropped
		for _, r := range one.Refusals {
			// What another account's service refused in the same way is joined.
			at := slices.IndexFunc(all.Refusals, func(of results.Refusal) bool {
				return of.Status == r.Status && of.Code == string(r.Code) && of.Limit == string(r.Limit)
			})
			if at >= 0 {
				all.Refusals[at].Count += r.Count
				continue
			}
			all.Refusals = append(all.Refusals, results.Refusal{Status: r.Status, Code: string(r.Code), Limit: string(r.Limit),
				Message: r.Message, Count: r.Count, First: asked(client, r.First, d.since)})
		}
		all.Slowest = append(all.Slowest, asked(client, one.Slowest, d.since)...)
	}
	slices.SortStableFunc(all.Refusals, func(a, b results.Refusal) int { return cmp.Compare(b.Count, a.Count) })
	slices.SortStableFunc(all.Slowest, func(a, b results.SaidRequest) int { return cmp.Compare(b.Took, a.Took) })
	all.Slowest = all.Slowest[:min(len(all.Slowest), mostSaid)]
	return all
}

// asked returns requests as a record has them whose clock began so long after the client's.
func asked(client *azure.Target, list []azure.NotedRequest, since time.Duration) []results.SaidRequest {
	var out []results.SaidRequest
	for _, r := range list {
		out = append(out, results.SaidRequest{At: time.Duration(r.At) - since, Took: r.Took, Verb: r.Verb.String(), PartitionKey: r.PartitionKey,
			Status: r.Status, Code: string(r.Code), RequestID: r.ID, ClientRequestID: client.RunID() + "-" + strconv.FormatUint(r.Number, 10)})
	}
	return out
}
