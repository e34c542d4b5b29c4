package target_test

import (
	"context"
	"fmt"

	"loadgen/engine/entity"
	"loadgen/target"
)

// finish is a target that knows one runner and is busy at the second attempt.
type finish struct{}

func (finish) Do(_ context.Context, op *target.Operation) target.Outcome {
	switch {
	case op.Attempt == 1:
		return target.Outcome{Status: 503, Code: entity.ServerBusy, Detail: "the server is busy"}
	case op.Change.Key.Row != "1234__John__M__55":
		return target.Outcome{Status: 404, Code: entity.ResourceNotFound, Detail: "no such runner", Counted: 1}
	default:
		return target.Outcome{Status: 200, Counted: 1, Returned: 1}
	}
}

// One call is one attempt. What it expects of the table decides whether a 404
// is a success.
func Example() {
	var race target.Target = finish{}
	for _, attempt := range []struct {
		row      string
		attempt  int
		expected target.Expected
	}{
		{"1234__John__M__55", 0, target.Expected{}},
		{"1234__John__M__55", 1, target.Expected{}},
		{"9999__Jane__F__30", 0, target.Expected{}},
		{"9999__Jane__F__30", 0, target.Expected{NotFound: true}},
	} {
		op := target.Operation{
			Verb: entity.Get, Table: "Registrations", Attempt: attempt.attempt,
			Change: entity.Change{Verb: entity.Get, Key: entity.Key{
				Partition: "2011 New York City Marathon__Full", Row: attempt.row}},
		}
		outcome := race.Do(context.Background(), &op)
		fmt.Println(outcome.Status, outcome.Class(attempt.expected), "counts", outcome.Counted)
	}
	// Output:
	// 200 ok counts 1
	// 503 throttled counts 0
	// 404 failed counts 1
	// 404 ok counts 1
}
