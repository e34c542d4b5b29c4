package procedure

import (
	"loadgen/engine/entity"
	"loadgen/target"
)

// storeWithKind returns the procedure of an entity that belongs to another one of its
// partition: both are written in one transaction, or neither.
func storeWithKind() Kind {
	return Kind{
		Name: "store-with", Says: "Stores an entity and, in the same transaction, one of its properties in the entity that it belongs to.",
		Inserts: true,
		Parameters: []Parameter{
			{Name: "place", Says: "Where the entity lies that it belongs to, in the same partition.", Type: OfPlace, Required: true},
			{Name: "keeps", Says: "The property that is kept there, as the latest has it.", Type: OfProperty, Required: true},
		},
		Serves: func(d *Design, a Arguments) []Lack {
			there := d.Places[a.Text("place")]
			if there.Table == d.Own.Table && there.PartitionKey == d.Own.PartitionKey {
				return nil
			}
			return []Lack{{Parameter: "place", Says: "a transaction lies in one partition of one table, and the place has another; expected the partition_key of the design, and no table"}}
		},
		New: func(c *Call) Procedure { return newStoreWith(c) },
	}
}

// newStoreWith returns the transaction. Sent twice it leaves the same.
func newStoreWith(c *Call) *Script {
	properties := c.Subject.Properties()
	var kept []entity.Property
	for _, p := range properties {
		if p.Name == c.Arguments.Text("keeps") {
			kept = append(kept, p)
		}
	}
	return NewScript(func(*Script) Request {
		return WriteTogether(c.Table, []entity.Change{
			{Verb: entity.InsertOrReplace, Key: c.Subject.Key(""), Properties: properties},
			{Verb: entity.InsertOrMerge, Key: c.Subject.Key(c.Arguments.Text("place")), Properties: kept},
		}, target.Expected{}, nil)
	})
}
