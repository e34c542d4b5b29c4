package workflow

import (
	"loadgen/engine/entity"
	"loadgen/target"
)

// transferKinds is the bank transfer: an amount moves from one account to another, and both legs must
// be written or none.
var transferKinds = []Kind{{
	Name: "transfer", Says: "Moves an amount between two accounts in two legs.",
	Inserts: true, Counters: []string{"killed"},
	Parameters: []Parameter{
		choice("keyed", "The PartitionKey: the transfer's id or the account's number.", "by-transfer", "by-account"),
		required("from", "The attribute with the paying account.", OfAttribute),
		required("to", "The attribute with the receiving account.", OfAttribute),
		share("killed", "The share of clients that crash between two requests."),
	},
	// One transaction if both legs are in the partition of the transfer's id, two writes if each is in
	// its account's.
	New: func(c *Call) *Procedure {
		own, draw := c.Subject.Key(""), c.Chance
		id, cents := own.Partition, int64(1+draw.IntN(100_000))
		killed := draw.Float64() < c.Arguments.Share("killed")
		from, to := c.Subject.Value(c.Arguments.Text("from")), c.Subject.Value(c.Arguments.Text("to"))
		if c.Arguments.Text("keyed") == "by-transfer" {
			// A client can crash only before or after its one request.
			return NewProcedure(nil, transact(c.Table, []entity.Change{
				leg(entity.Key{Partition: own.Partition, Row: "from " + from}, id, -cents),
				leg(entity.Key{Partition: own.Partition, Row: "to " + to}, id, cents),
			}))
		}
		pays := WriteOne(c.Table, leg(entity.Key{Partition: "account " + from, Row: id + " from"}, id, -cents))
		paid := WriteOne(c.Table, leg(entity.Key{Partition: "account " + to, Row: id + " to"}, id, cents))
		return NewProcedure(func(t *Tx) { t.sendBoth(pays, paid, false, killed) }, pays, paid)
	},
	Check: checkOf("the legs of each transfer sum to zero", func(t *Tx, f *Findings, s *Setting, _ Arguments) {
		sums := make(map[string]int64)
		var order []string
		for row, id := range t.values(Query(s.Table, target.Query{}), transferID) {
			if _, known := sums[id.Text()]; !known {
				order = append(order, id.Text())
			}
			amount, _ := row.Entity.Lookup(transferAmount)
			sums[id.Text()] += amount.Int()
		}
		for _, id := range order {
			f.Look(sums[id] == 0, "legs of transfer %s sum to %d", id, sums[id])
		}
	}),
}}

// The properties of a leg.
const (
	transferAmount = "Amount"
	transferID     = "Transfer"
)

// leg returns the write of one side of a transfer. A repeated write is harmless.
func leg(key entity.Key, id string, cents int64) entity.Change {
	return entity.Change{Verb: entity.InsertOrReplace, Key: key, Properties: []entity.Property{
		{Name: transferAmount, Value: entity.Int64(cents)}, {Name: transferID, Value: entity.String(id)}}}
}
