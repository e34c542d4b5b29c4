package results_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"loadgen/results"
)

func TestRefusalsOfASecond(t *testing.T) {
	many := func(ways int) (list []results.Refusal) {
		for i := range ways {
			list = append(list, results.Refusal{Status: 500 + i, Code: fmt.Sprint("code ", i), Attempts: int64(100 - i)})
		}
		return list
	}
	other := func(attempts int64) results.Refusal {
		return results.Refusal{Code: results.OtherRefusals, Attempts: attempts}
	}
	long := strings.Repeat("é", 40)
	for _, row := range []struct {
		name     string
		refusals []results.Refusal
		want     []results.Refusal
	}{
		{"none", nil, nil},
		{"most first, whichever came first",
			[]results.Refusal{{503, "ServerBusy", 2}, {500, "OperationTimedOut", 5}, {503, "Else", 2}},
			[]results.Refusal{{500, "OperationTimedOut", 5}, {503, "Else", 2}, {503, "ServerBusy", 2}}},
		{"one code with two statuses is two ways", []results.Refusal{{503, "Busy", 1}, {429, "Busy", 1}}, []results.Refusal{{429, "Busy", 1}, {503, "Busy", 1}}},
		{"eight ways", many(8), many(8)},
		{"a ninth is another", many(9), append(many(8), other(92))},
		{"as many as are kept", many(32), append(many(8), other(24*100-(8+31)*12))},
		{"those beyond, which are among the others whatever they had", append(many(32), results.Refusal{Status: 999, Code: "late", Attempts: 1000}, results.Refusal{Status: 998, Code: "later", Attempts: 10}),
			append(many(8), other(24*100-(8+31)*12+1010))},
		{"a code of any length, cut between two characters", []results.Refusal{{503, "x" + long, 1}, {503, "x" + long + "y", 1}}, []results.Refusal{{503, "x" + long[:62], 2}}},
	} {
		folder := new(results.Memory)
		recorder := begin(t, folder)
		recorder.Phase(results.Phase{Name: "step", End: 3 * time.Second})
		for second := range 3 {
			if second == 1 {
				continue // what a second had is not the next one's
			}
			at := time.Duration(second) * time.Second
			for _, r := range row.refusals {
				for range r.Attempts {
					recorder.Attempt(&results.Attempt{Class: results.Refused, Status: r.Status, Code: r.Code, Sent: at, Done: at})
				}
			}
			recorder.Attempt(&results.Attempt{Class: results.Failed, Status: 404, Code: "ResourceNotFound", Sent: at, Done: at})
			if err := recorder.Advance(at); err != nil {
				t.Fatal(err)
			}
		}
		finish(t, recorder, 3*time.Second)
		for second, i := range read(t, folder).Intervals {
			want := row.want
			if second == 1 {
				want = nil
			}
			if diff := cmp.Diff(want, i.Refusals); diff != "" {
				t.Errorf("%s: second %d differs (-want +got):\n%s", row.name, second, diff)
			}
			sum := int64(0)
			for _, r := range i.Refusals {
				sum += r.Attempts
			}
			if sum != i.Refused {
				t.Errorf("%s: the ways of second %d sum to %d; want all %d refused", row.name, second, sum, i.Refused)
			}
		}
	}
}
