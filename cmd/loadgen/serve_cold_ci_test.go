//go:build ci

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
	"github.com/stretchr/testify/require"

	"loadgen/results"
)

// A program of another make meets a new table: it is throttled, the range is split under it,
// it goes on by its own retries, and the report says when that was and why.
func TestServeColdIsMetByAnApplication(t *testing.T) {
	t.Chdir(t.TempDir())
	s := openShop(t, "", "--set", "start=cold", "--examine", "--set", "model.tick=500ms", "--set", "model.detection=1s",
		"--set", "model.offline_least=500ms", "--set", "model.offline_most=500ms", "--set", "model.split_pause=100ms", "--set", "model.map_stale=0s",
		"--set", "model.partition_target=30", "--set", "model.range_target=30", "--set", "model.server_target=60", "--set", "model.account_target=2000")
	var refused atomic.Int64
	count := policyFunc(func(r *policy.Request) (*http.Response, error) {
		reply, err := r.Next()
		if err == nil && reply.StatusCode == http.StatusServiceUnavailable {
			refused.Add(1)
		}
		return reply, err
	})
	client, err := aztables.NewServiceClientFromConnectionString(s.ready, &aztables.ClientOptions{ClientOptions: policy.ClientOptions{
		Retry:            policy.RetryOptions{MaxRetries: 20, RetryDelay: 20 * time.Millisecond, MaxRetryDelay: 200 * time.Millisecond},
		PerRetryPolicies: []policy.Policy{count}}})
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := client.CreateTable(ctx, "Races", nil); err != nil {
		t.Fatal(err)
	}
	table := client.NewClient("Races")
	var written, failed, after atomic.Int64
	var under sync.WaitGroup
	const writers, wanted = 16, 100
	for n := range writers {
		under.Go(func() {
			for i := 0; after.Load() < wanted && ctx.Err() == nil; i++ {
				entity := fmt.Sprintf(`{"PartitionKey":"p%02d","RowKey":"%06d"}`, n, i)
				if _, err := table.AddEntity(ctx, []byte(entity), nil); err == nil {
					written.Add(1)
				} else if conflict := new(azcore.ResponseError); !errors.As(err, &conflict) || conflict.StatusCode != http.StatusConflict {
					failed.Add(1)
				}
				if i%10 == 0 && after.Load() == 0 && len(s.state().Ranges) > 1 {
					after.Add(1)
				} else if after.Load() > 0 {
					after.Add(1)
				}
			}
		})
	}
	under.Wait()
	now := s.state()
	if now.Start != "cold" || len(now.Ranges) < 2 || refused.Load() == 0 || failed.Load() > 0 || after.Load() < wanted {
		t.Errorf("start %q, %d ranges; %d written, %d failed, %d refused, %d after a split; want a split, refusals, and a program that goes on",
			now.Start, len(now.Ranges), written.Load(), failed.Load(), refused.Load(), after.Load())
	}
	if code := s.stop(); code != codeOk {
		t.Fatalf("serve = %d; want 0: %s", code, &s.stderr)
	}
	record := read(t, leftIn(t, "results/runs")[0])
	splits := 0
	for i := range record.Events {
		if one := &record.Events[i]; one.What == results.RangeSplit {
			splits++
			if one.At == 0 || one.Decision.Table != "Races" || one.Decision.Reason == "" || one.Decision.Overloaded < time.Second {
				t.Errorf("a split as the record has it: %+v, %+v; want when, of what and why", one, one.Decision)
			}
		}
	}
	if splits == 0 || splits != strings.Count(s.stderr.String(), " split range ") {
		t.Errorf("the record has %d splits, the journal %d; want the same, and one at least", splits, strings.Count(s.stderr.String(), " split range "))
	}
	if record.Target.Throttled != refused.Load() || record.Manifest.Start != "cold" {
		t.Errorf("the record has %d throttled, start %s; the program met %d", record.Target.Throttled, record.Manifest.Start, refused.Load())
	}
	said := strings.Join(strings.Fields(s.stdout.String()), " ")
	for _, want := range []string{fmt.Sprintf("Load balancing made %d split", splits), "of the attempts were throttled before"} {
		if !strings.Contains(said, want) {
			t.Errorf("the report does not say %q:\n%s", want, &s.stdout)
		}
	}
	t.Logf("%d written, %d refused, %d splits", written.Load(), refused.Load(), splits)
}

// policyFunc is a policy of the SDK.
type policyFunc func(*policy.Request) (*http.Response, error)

// Do implements policy.Policy.
func (f policyFunc) Do(r *policy.Request) (*http.Response, error) { return f(r) }
