package target_test

import (
	"context"
	"fmt"
	"time"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/engine/model"
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

// A server stands still for a second, and every third reply is lost.
func ExampleWrapFaults() {
	third := engine.FaultRule{Kind: engine.FaultDrop, Moment: engine.FaultAfter, To: s, Share: engine.WholeShare / 3}
	plan := engine.FaultPlan{Rules: []engine.FaultRule{
		{Kind: engine.FaultFreeze, From: 100 * ms, To: 1100 * ms, Share: engine.WholeShare},
		third,
	}}
	if faults := plan.Validate(); len(faults) > 0 {
		fmt.Println(faults)
		return
	}
	wrapped := target.WrapImmediateFaults(&service{}, plan, 7)
	for n := range uint64(4) {
		sent := clock.Instant(98+n) * clock.Instant(ms)
		outcome, done := wrapped.Submit(sent, faultedInsert(n, "2011 New York City Marathon__Full"))
		fmt.Println("sent at", sent.Offset(), "status", outcome.Status, "at", done.Offset())
	}
	fmt.Printf("%+v\n", wrapped.Log())
	// Output:
	// sent at 98ms status 204 at 1.1s
	// sent at 99ms status 0 at 105ms
	// sent at 100ms status 204 at 1.1s
	// sent at 101ms status 204 at 1.1s
	// {DroppedBefore:0 Refused:0 DroppedAfter:1 Cut:0 Frozen:3 Delayed:0 Dripped:0 Abandoned:0 EntitiesLost:1}
}

// Four runners register in one transaction, and their list is read in pages: a
// token leads from each page to the next.
func ExampleNewInProcess() {
	unlimited, err := model.New(model.Off)
	if err != nil {
		panic(err)
	}
	service := engine.New(engine.Options{Model: unlimited, Accounts: []string{"races"}})
	races := target.NewInProcess(service, "races", clock.NewReal())
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	const race = "2011 New York City Marathon__Full"
	create := target.Operation{Verb: entity.CreateTable, Table: "Registrations"}
	fmt.Println("create:", races.Do(ctx, &create).Status)
	register := target.Operation{Verb: entity.Batch, Table: "Registrations"}
	for _, row := range []string{"1234__John__M__55", "1235__Ann__F__30", "1236__Kim__F__41", "1237__Bo__M__22"} {
		register.Changes = append(register.Changes, entity.Change{Verb: entity.Insert, Key: entity.Key{Partition: race, Row: row}})
	}
	outcome := races.Do(ctx, &register)
	fmt.Println("register:", outcome.Status, "counts", outcome.Counted)

	list := target.Operation{Verb: entity.Query, Table: "Registrations"}
	list.Query = target.Query{Range: filter.RowsFrom(race, "1235"), Top: 2}
	for {
		page := races.Do(ctx, &list)
		for _, row := range page.Rows {
			fmt.Println("-", row.Key.Row)
		}
		if !page.Next.Present {
			break
		}
		list.Query.Token = page.Next
		fmt.Println("go on at", page.Next.NextRowKey)
	}
	fmt.Println("entities counted:", races.Counts().Entities)
	// Output:
	// create: 204
	// register: 202 counts 4
	// - 1235__Ann__F__30
	// - 1236__Kim__F__41
	// go on at 1237__Bo__M__22
	// - 1237__Bo__M__22
	// entities counted: 7
}

// The same key is two entities in two accounts.
func ExampleNewShards() {
	m, err := model.New(model.Documented)
	if err != nil {
		fmt.Println(err)
		return
	}
	e := engine.New(engine.Options{Model: m, Accounts: []string{"east", "west"}})
	both := target.NewImmediateShards([]target.Immediate{target.NewInProcess(e, "east", nil), target.NewInProcess(e, "west", nil)})
	for account := range 2 {
		table := &target.Operation{Verb: entity.CreateTable, Account: account, Table: "Races", Number: uint64(account)}
		outcome, _ := both.Submit(0, table)
		fmt.Println("the table of account", account, "is made:", outcome.Status)
	}
	runner := target.Operation{Verb: entity.Insert, Account: 1, Table: "Races", Number: 2}
	runner.Change = entity.Change{Verb: entity.Insert, Key: entity.Key{Partition: "2011 New York City Marathon__Full", Row: "1234"}}
	outcome, _ := both.Submit(0, &runner)
	fmt.Println("inserted into account 1:", outcome.Status)
	for account := range 2 {
		get := target.Operation{Verb: entity.Get, Account: account, Table: "Races", Number: uint64(3 + account)}
		get.Change.Key = runner.Change.Key
		outcome, _ := both.Submit(0, &get)
		fmt.Println("looked for in account", account, "it is:", outcome.Status)
	}
	fmt.Printf("%+v\n", both.Counts())
	// Output:
	// the table of account 0 is made: 204
	// the table of account 1 is made: 204
	// inserted into account 1: 204
	// looked for in account 0 it is: 404
	// looked for in account 1 it is: 200
	// {Requests:5 Ok:4 Throttled:0 Failed:1 Entities:3}
}
