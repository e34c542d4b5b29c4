package workflow

import (
	"loadgen/engine/entity"
	"loadgen/target"
)

// transferKinds are the workflows of a bank: an amount leaves one account and
// reaches another, and both legs must be written or none.
var transferKinds = []Kind{{
	Name: "transfer", Says: "Moves an amount between two accounts in two legs.",
	Inserts: true, Counters: []string{"killed"},
	Parameters: []Parameter{
		{Name: "keyed", Says: "The PartitionKey: the transfer's id or the account's number.",
			Type: OfChoice, Choices: []string{"by-transfer", "by-account"}, Default: "by-transfer"},
		{Name: "from", Says: "The attribute with the paying account.", Type: OfAttribute, Required: true},
		{Name: "to", Says: "The attribute with the receiving account.", Type: OfAttribute, Required: true},
		{Name: "killed", Says: "The share of clients that crash between two requests.", Type: OfShare, Default: "0"},
	},
	// One transaction where both legs lie in the partition of the transfer's id, two writes where
	// each lies in its account's.
	New: func(c *Call) Workflow {
		own, draw := c.Subject.Key(""), c.Chance
		id, cents := own.Partition, int64(1+draw.IntN(100_000))
		killed := draw.Float64() < c.Arguments.Share("killed")
		from, to := c.Subject.Value(c.Arguments.Text("from")), c.Subject.Value(c.Arguments.Text("to"))
		return NewScript(func(s *Script) Request {
			if c.Arguments.Text("keyed") == "by-transfer" {
				// A client that dies does so before its only request, or after it.
				legs := []entity.Change{
					leg(entity.Key{Partition: own.Partition, Row: "from " + from}, id, -cents),
					leg(entity.Key{Partition: own.Partition, Row: "to " + to}, id, cents),
				}
				return writeTogether(c.Table, legs, target.Expected{}, nil)
			}
			paid := WriteOne(c.Table, leg(entity.Key{Partition: "account " + to, Row: id + " to"}, id, cents), target.Expected{}, nil)
			pays := WriteOne(c.Table, leg(entity.Key{Partition: "account " + from, Row: id + " from"}, id, -cents), target.Expected{}, func(Attempt) Turn {
				if killed {
					return s.EndWith("killed", 1)
				}
				return Send(paid)
			})
			s.Foresee(pays.Operation, paid.Operation)
			return pays
		})
	},
	Check: func(s *Setting, _ Arguments) Check {
		sums := make(map[string]int64)
		var order []string
		see := func(row target.Row) {
			id, some := row.Entity.Lookup(transferID)
			if !some {
				return
			}
			if _, known := sums[id.Text()]; !known {
				order = append(order, id.Text())
			}
			amount, _ := row.Entity.Lookup(transferAmount)
			sums[id.Text()] += amount.Int()
		}
		return newFinding("the legs of each transfer sum to zero", func(f *Finding) Request {
			return ReadAll(s.Table, target.Query{}, see, func() Turn {
				for _, id := range order {
					f.Look(sums[id] == 0, "legs of transfer %s sum to %d", id, sums[id])
				}
				return End()
			})
		})
	},
}}

// The properties of a leg.
const (
	transferAmount = "Amount"
	transferID     = "Transfer"
)

// leg returns the write of one side of a transfer. Written twice, it is the same.
func leg(key entity.Key, id string, cents int64) entity.Change {
	return entity.Change{Verb: entity.InsertOrReplace, Key: key, Properties: []entity.Property{
		{Name: transferAmount, Value: entity.Int64(cents)}, {Name: transferID, Value: entity.String(id)}}}
}
