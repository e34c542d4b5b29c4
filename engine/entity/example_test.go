package entity_test

import (
	"fmt"
	"time"

	"loadgen/engine/entity"
)

// A runner registers, pays later, and is read again.
func Example() {
	registration := entity.Change{
		Verb: entity.Insert,
		Key:  entity.Key{Partition: "2011 New York City Marathon__Full", Row: "1234__Kim__F__37"},
		Properties: []entity.Property{
			{Name: "Name", Value: entity.String("Kim")},
			{Name: "Fee", Value: entity.Int32(255)},
		},
	}
	if code, detail := registration.Validate(); code != entity.OK {
		fmt.Println(code, detail)
		return
	}
	at := entity.TicksOf(time.Date(2011, 11, 6, 9, 40, 0, 0, time.UTC))
	stored := entity.Pack(nil, at, registration.Properties)

	paid := []entity.Property{
		{Name: "Fee", Value: entity.Double(255.5)},
		{Name: "Paid", Value: entity.Boolean(true)},
	}
	stored = entity.MergePacked(stored, at+1, paid)

	properties, err := stored.Unpack(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range properties {
		fmt.Println(p.Name, p.Value.Type())
	}
	fmt.Println(entity.Size(registration.Key, properties), "bytes")
	fmt.Println(stored.Timestamp().ETag())
	// Output:
	// Name Edm.String
	// Fee Edm.Double
	// Paid Edm.Boolean
	// 167 bytes
	// W/"datetime'2011-11-06T09%3A40%3A00.0000001Z'"
}
