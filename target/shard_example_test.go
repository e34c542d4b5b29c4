package target_test

import (
	"fmt"

	"loadgen/engine"
	"loadgen/engine/entity"
	"loadgen/engine/model"
	"loadgen/target"
)

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
