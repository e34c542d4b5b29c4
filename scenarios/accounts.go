package scenarios

import (
	"fmt"
	"slices"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/scenarios/keys"
)

// Accounts says over how many storage accounts the load of the table is sharded:
// each of them has a table of its own and a limit of its own. A partition lies in
// one account as a whole, so that no entity group transaction and no query of one
// partition ever crosses accounts.
type Accounts struct {
	// Number is how many accounts there are, 1 to 16.
	Number int
	// By is a template whose text chooses the account of a partition: the account of
	// that number, where the text is a whole number below Number, and else one by the
	// text's hash. Its placeholders are such as the PartitionKey has, or made of
	// attributes that it holds as they are: they are read back from the PartitionKey,
	// as far as the next text that parts them. Empty hashes the whole PartitionKey.
	By string
}

const maxAccounts = 16

func newAccounts() *Accounts { return &Accounts{Number: 1} }

func (a *Accounts) binding() binding {
	return object{what: "accounts", fields: []field{
		{name: "number", says: "How many storage accounts there are.",
			value: wholeValue[int]{into: &a.Number, least: 1, most: maxAccounts}},
		{name: "by", says: "A template whose text chooses the account of a partition, a hash of the PartitionKey unless this is given.",
			value: unlessZero{textValue{into: &a.By}, func() bool { return a.By == "" }}},
	}}
}

// accounts checks what chooses the account, and that nothing reads across accounts.
func (c *checker) accounts() {
	const path = "accounts.by"
	if c.Accounts == nil {
		return
	}
	if c.Accounts.By != "" && c.sound(path, c.designPath(), "attributes") {
		c.choosesAccount(path)
	}
	if c.Accounts.Number < 2 || c.before.concern("accounts.number") {
		return
	}
	for i := range c.Phases {
		list := c.Phases[i].Operations()
		for j := range list {
			at := fmt.Sprintf("phases.%d.%s.operations.%d", i, c.Phases[i].Kind(), j)
			if c.before.concern(at) {
				continue
			}
			if list[j].Procedure != "" {
				// Its requests have keys and stores of their own, and its check reads all.
				c.add(at+".procedure", "a procedure cannot be parted over the %d accounts; expected one account, or a verb", c.Accounts.Number)
				continue
			}
			if what := c.crossing(&list[j]); what != "" {
				c.add(at, "%s reads across the %d accounts; expected what stays within one partition, or one account", what, c.Accounts.Number)
			}
		}
	}
}

// crossing names what an operation reads from more than one partition, empty where
// it does not.
func (c *checker) crossing(o *OperationSpec) string {
	switch {
	case o.Procedure != "":
		return fmt.Sprintf("procedure %s, and the look at what it has left behind,", o.Procedure)
	case len(o.By) > 0:
		if plan, known := c.plan(o); known && plan.Class > filter.ClassPartitionScan {
			return fmt.Sprintf("what the design makes of by, a %s,", plan.Class)
		}
	case o.Verb == entity.Query && (o.Class == ClassPartitionRange || o.Class == ClassTableScan):
		return fmt.Sprintf("a query of the class %s", o.Class)
	}
	return ""
}

// plan returns what the design in use makes of what an operation knows, and false
// where that cannot be told for other faults.
func (c *checker) plan(o *OperationSpec) (keys.Plan, bool) {
	if !c.sound("attributes", c.designPath(), "entity", "seed") {
		return keys.Plan{}, false
	}
	g, err := c.Generator()
	if err != nil {
		return keys.Plan{}, false
	}
	homes := []*keys.Generator{g}
	for i := range c.Design.Copies {
		// A copy that is at fault has none, and is told of by itself.
		home, _ := c.Design.Copies[i].Generator(g)
		homes = append(homes, home)
	}
	best, _ := c.Scenario.Plan(o, homes)
	return best, true
}

// choosesAccount checks the template that chooses the account of a partition.
func (c *checker) choosesAccount(path string) {
	if _, sound := c.template(path, c.Accounts.By); !sound {
		return
	}
	by, some := pieces(c.Accounts.By), false
	whole, parted := placeholders(pieces(c.Design.PartitionKey)), placeholders(merged(pieces(c.Design.PartitionKey)))
	for _, p := range by {
		if p.placeholder == "" {
			continue
		}
		some = true
		switch {
		case told(p.placeholder, parted):
		case told(p.placeholder, whole):
			c.addAt(path, p.offset, "in partition_key nothing parts what {%s} is made of from its neighbour; expected text between them", p.placeholder)
		default:
			c.addAt(path, p.offset, "{%s} is not made of what partition_key holds, so that a partition could lie in two accounts; "+
				"expected a placeholder of partition_key, or one of an attribute that it holds as it is", p.placeholder)
		}
	}
	if !some {
		c.add(path, "by names no attribute, so that all partitions would lie in one account; expected a template such as {event}")
	}
}

// placeholders returns those of a template.
func placeholders(all []piece) []string {
	var names []string
	for _, p := range all {
		if p.placeholder != "" {
			names = append(names, p.placeholder)
		}
	}
	return names
}

// told reports whether a placeholder's text follows from what stands for others.
func told(placeholder string, from []string) bool {
	if slices.Contains(from, placeholder) {
		return true
	}
	made, err := keys.ParseTemplate("{" + placeholder + "}")
	if err != nil || len(made.Attributes()) == 0 {
		return false
	}
	return !slices.ContainsFunc(made.Attributes(), func(name string) bool { return !slices.Contains(from, name) })
}
