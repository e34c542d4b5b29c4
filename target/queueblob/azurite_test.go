//go:build peers

package queueblob_test

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/results/resultstest"
	"loadgen/target"
	"loadgen/target/queueblob"
)

// openAzurite returns both services of the Azurite that .ci/azurite has started.
func openAzurite(t *testing.T) queueblob.Services {
	t.Helper()
	values := map[string]string{}
	for one := range strings.SplitSeq(os.Getenv("LOADGEN_AZURITE"), ";") {
		name, value, _ := strings.Cut(one, "=")
		values[name] = value
	}
	service := func(setting string) queueblob.Service {
		require.NotEmptyf(t, values[setting], "LOADGEN_AZURITE has no %s; run this by .ci/azurite", setting)
		return queueblob.Service{Address: values[setting], Account: values["AccountName"],
			Prove: func() (string, string) { return values["AccountKey"], "" }}
	}
	budget := target.NewReplyBudget(target.CommonReplyBudget)
	queues := must(queueblob.OpenQueues(service("QueueEndpoint"), 4, budget))
	blobs := must(queueblob.OpenBlobs(service("BlobEndpoint"), 4, budget))
	t.Cleanup(queues.Close)
	t.Cleanup(blobs.Close)
	return queueblob.Services{Queues: queues, Blobs: blobs}
}

// What a script is answered in memory, it is answered by Azurite.
func TestAzuriteAnswersAsTheStandInsDo(t *testing.T) {
	services := openAzurite(t)
	mark := strconv.FormatInt(clock.NewReal().Started().UnixNano(), 36)
	number := 0
	resultstest.CheckGoldens(t, "testdata/*.txt", func(t *testing.T, text string) string {
		number++
		clk := clock.NewReal()
		used := map[string]bool{}
		here := &desk{
			do: func(b *target.Beside) target.Outcome {
				o := services.Do(t.Context(), &target.Operation{Beside: b})
				if o.StoreMissing {
					services.Do(t.Context(), &target.Operation{Beside: b.Maker()})
					o = services.Do(t.Context(), &target.Operation{Beside: b})
				}
				for o.Marker != "" {
					further := *b
					further.Marker = o.Marker
					next := services.Do(t.Context(), &target.Operation{Beside: &further})
					o.Found, o.Marker = append(o.Found, next.Found...), next.Marker
				}
				return o
			},
			wait: func(d time.Duration) {
				require.NoError(t, clk.Sleep(t.Context(), clk.Now().Add(d)))
			},
			store: func(name string) string {
				if len(name) < 4 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") != "" {
					return name // which is at fault
				}
				used[name] = true
				return name + "-" + mark + strconv.Itoa(number)
			},
		}
		got := play(t, here, text)
		for name := range used {
			for _, verb := range []target.BesideVerb{target.DropQueue, target.DropContainer} {
				here.do(&target.Beside{Verb: verb, Store: here.store(name)})
			}
		}
		return got
	})
}
