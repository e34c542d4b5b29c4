package workflow_test

import (
	"fmt"
	"slices"
	"testing"

	"loadgen/engine/entity"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// Each query is sent once the one before has no further page, or has had its pages; what
// is refused is left to the retry policy.
func TestFanOut(t *testing.T) {
	query := func(partition string) target.Operation {
		return target.Operation{Verb: entity.Query, Table: "log", Query: target.OnePartition(partition)}
	}
	sent := func(op target.Operation) string {
		partition, _ := op.Query.Range.Partition()
		if op.Query.Token.Present {
			partition += "+"
		}
		return partition
	}
	done, further := target.Outcome{Status: 200}, target.Outcome{Status: 200, Next: target.Token{Present: true}}
	refused := target.Outcome{Status: 503, Code: entity.ServerBusy}
	for _, tt := range []struct {
		name    string
		pages   int
		replies []target.Outcome
		want    []string
	}{
		{"a page of each", 0, []target.Outcome{done, done, done}, []string{"a", "b", "c", "end"}},
		{"further pages of the second", 0, []target.Outcome{done, further, further, done, done}, []string{"a", "b", "b+", "b+", "c", "end"}},
		{"two pages of each at most", 2, []target.Outcome{further, further, done, further, further}, []string{"a", "a+", "b", "c", "c+", "end"}},
		{"one page of each at most", 1, []target.Outcome{further, further, further}, []string{"a", "b", "c", "end"}},
		{"a refusal", 0, []target.Outcome{done, refused, done, done}, []string{"a", "b", "settle", "c", "end"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := workflow.NewFanOut([]target.Operation{query("a"), query("b"), query("c")}, tt.pages)
			op := p.Begin()
			got := []string{sent(op)}
			for _, reply := range tt.replies {
				move, next := p.Next(workflow.Attempt{Sent: &op, Outcome: &reply})
				switch move {
				case workflow.Proceed:
					op = next
					got = append(got, sent(op))
				case workflow.Succeed:
					got = append(got, "end")
				default:
					got = append(got, "settle")
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("sent %v; want %v", got, tt.want)
			}
			if all := fmt.Sprint(len(workflow.Requests(p))); all != "3" {
				t.Errorf("%s requests are foreseen; want the first page of each of 3", all)
			}
		})
	}
}
