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

// Four runners register in one transaction, and their list is read in pages: a
// token leads from each page to the next.
func Example() {
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
