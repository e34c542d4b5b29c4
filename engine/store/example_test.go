package store_test

import (
	"fmt"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/engine/store"
)

// A race takes three registrations at once, one runner pays, and the starters
// are listed two at a time.
func Example() {
	s := store.New()
	s.CreateTable("Registrations")
	const race = "2011 New York City Marathon__Full"
	var batch []entity.Change
	for _, runner := range []string{"1234__Kim", "1235__Lee", "1236__Ana"} {
		batch = append(batch, entity.Change{Verb: entity.Insert, Key: entity.Key{Partition: race, Row: runner}})
	}
	at := entity.Ticks(634561700000000001)
	registered := s.ApplyBatch("Registrations", batch, at)

	pay := entity.Change{Verb: entity.Merge, Key: batch[1].Key,
		Properties: []entity.Property{{Name: "Paid", Value: entity.Boolean(true)}},
		Match:      entity.MatchExactly(registered.Versions[1])}
	fmt.Printf("paid: %q\n", s.Apply("Registrations", &pay, at).Code)
	fmt.Printf("paid twice: %q\n", s.Apply("Registrations", &pay, at).Code)

	query := store.Query{Range: filter.OnePartition(race), Top: 2}
	for more := true; more; {
		page, _ := s.Scan("Registrations", query)
		for _, row := range page.Rows {
			paid, _ := row.Entity.Lookup("Paid")
			fmt.Println(row.Key.Row, paid.Bool())
		}
		fmt.Println("scanned", page.Scanned)
		more = page.More
		query.Range = query.Range.StartingAt(page.Next)
	}
	// Output:
	// paid: ""
	// paid twice: "UpdateConditionNotSatisfied"
	// 1234__Kim false
	// 1235__Lee true
	// scanned 2
	// 1236__Ana false
	// scanned 1
}
