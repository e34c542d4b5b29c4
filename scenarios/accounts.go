package scenarios

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/scenarios/keys"
)

// Accounts says over how many storage accounts the load of the table is sharded:
// each of them has a table of its own and a limit of its own. A partition lies in
// one account as a whole, so that no entity group transaction and no query of one
// partition ever crosses accounts.
type Accounts struct {
	_ struct{} `object:"accounts"`
	// Number is how many accounts there are, 1 to 16.
	Number int `yaml:"number,default=1" says:"Number of storage accounts." range:"1..16"`
	// By is a template whose text chooses the account of a partition: the account of
	// that number, where the text is a whole number below Number, and else one by the
	// text's hash. Its placeholders are such as the PartitionKey has, or made of
	// attributes that it holds as they are: they are read back from the PartitionKey,
	// as far as the next text that parts them. Empty hashes the whole PartitionKey.
	// [ByTable] places each table of the design in an account of its own.
	By string `yaml:"by,omitempty" says:"Template that selects a partition's account, or table; PartitionKey hash by default."`
	// Loaded is how many of the accounts there were when the load phases ran: operations look for
	// each partition where Number accounts have it. 0 stands for Number.
	Loaded int `yaml:"loaded,omitempty" says:"Number of accounts at the load; all by default." range:"1..16"`
}

// ByTable is the value of [Accounts.By] that selects the account by the table: the entities' own
// is in the first account, each further one in the next, and in the first again after the last.
const ByTable = "table"

// accounts checks what chooses the account, and that nothing reads across accounts.
func (c *checker) accounts() {
	const path = "accounts.by"
	if c.Accounts == nil {
		return
	}
	if c.Accounts.Loaded > c.Accounts.Number || c.Accounts.Loaded > 0 && c.Accounts.By == ByTable {
		c.add("accounts.loaded", "%d accounts at the load of %d; expected fewer, and none by table", c.Accounts.Loaded, c.Accounts.Number)
	}
	if c.Accounts.By == ByTable {
		if tables := 1 + len(c.Tables()); c.Accounts.Number > tables {
			c.add("accounts.number", "%d accounts exceed the tables of the design; expected at most %d", c.Accounts.Number, tables)
		}
		return
	}
	if c.Accounts.By != "" && c.sound(path, c.designPath(), "attributes") {
		c.choosesAccount(path)
	}
	if c.Accounts.Number < 2 || c.before.Concern("accounts.number") {
		return
	}
	for at, o := range c.operations() {
		what := c.crossing(o)
		switch {
		case o.Workflow != "":
			// Its requests have keys and stores of their own, and its check reads all.
			c.add(at+".workflow", "a workflow spans the %d accounts; expected a verb, one account, or by: table", c.Accounts.Number)
		case what != "":
			c.add(at, "%s reads across %d accounts; expected reads of one partition, or one account", what, c.Accounts.Number)
		}
	}
}

// crossing names what an operation reads from more than one partition, empty where
// it does not.
func (c *checker) crossing(o *OperationSpec) string {
	switch {
	case len(o.By) > 0:
		if plan, _, known := c.plan(o); known && plan.Class > filter.ClassPartitionScan {
			return fmt.Sprintf("by (a %s)", plan.Class)
		}
	case o.Verb == entity.Query && (o.Class == ClassPartitionRange || o.Class == ClassTableScan):
		return fmt.Sprintf("the class %s", o.Class)
	}
	return ""
}

// plan returns the plan of the design in use for what an operation knows, with its home,
// and false if other faults prevent it.
func (c *checker) plan(o *OperationSpec) (best keys.Plan, home int, known bool) {
	if !c.sound("attributes", c.designPath(), "entity", "seed") {
		return best, 0, false
	}
	g, err := c.generator()
	if err != nil {
		return best, 0, false
	}
	homes := []*keys.Generator{g}
	for i := range c.Design.Copies {
		// A copy with a fault has none; its fault is reported separately.
		one, _ := c.Design.Copies[i].Generator(g)
		homes = append(homes, one)
	}
	best, home = c.Scenario.Plan(o, homes)
	return best, home, true
}

// choosesAccount checks the template that chooses the account of a partition.
func (c *checker) choosesAccount(path string) {
	if _, sound := c.template(path, c.Accounts.By); !sound {
		return
	}
	by, some := pieces(c.Accounts.By), false
	whole, parted := placeholders(pieces(c.Design.PartitionKey)), placeholders(merged(pieces(c.Design.PartitionKey)))
	for _, p := range by {
		if p.Placeholder == "" {
			continue
		}
		some = true
		switch {
		case followsFrom(p.Placeholder, parted):
		case followsFrom(p.Placeholder, whole):
			c.addAt(path, p.Offset, "{%s} touches its neighbour in partition_key; expected text between them", p.Placeholder)
		default:
			c.addAt(path, p.Offset, "partition_key does not determine {%s}; "+
				"expected a placeholder of partition_key, or an attribute that stands there", p.Placeholder)
		}
	}
	if !some {
		c.add(path, "by names no attribute; expected a template such as {event}")
	}
}

func placeholders(all []keys.Piece) []string {
	var names []string
	for _, p := range all {
		if p.Placeholder != "" {
			names = append(names, p.Placeholder)
		}
	}
	return names
}

// followsFrom reports whether a placeholder's text follows from what stands for others.
func followsFrom(placeholder string, from []string) bool {
	if slices.Contains(from, placeholder) {
		return true
	}
	made, err := keys.ParseTemplate("{" + placeholder + "}")
	if err != nil || len(made.Attributes()) == 0 {
		return false
	}
	return !slices.ContainsFunc(made.Attributes(), func(name string) bool { return !slices.Contains(from, name) })
}

// Sharding says which account each partition lies in, as a pure function of its
// PartitionKey. It is immutable and safe for concurrent use.
type Sharding struct {
	number, loaded int
	// tables are the suffixes of the tables with an account each, nil if partitions have one.
	tables []string
	// key is the PartitionKey's template, by that of the choice, none for a hash of
	// the whole key.
	key, by []keys.Piece
}

// Sharding returns that of the scenario, which is valid.
func (s *Scenario) Sharding() *Sharding {
	h := &Sharding{number: 1, loaded: 1}
	switch {
	case s.Accounts == nil:
	case s.Accounts.By == ByTable:
		h.number, h.loaded, h.tables = s.Accounts.Number, s.Accounts.Number, append([]string{""}, s.Tables()...)
	default:
		h.number, h.loaded, h.by = s.Accounts.Number, cmp.Or(s.Accounts.Loaded, s.Accounts.Number), pieces(s.Accounts.By)
		h.key = merged(pieces(s.Design.PartitionKey))
	}
	return h
}

// Loaded returns the sharding when the load phases ran.
func (h *Sharding) Loaded() *Sharding {
	before := *h
	before.number = h.loaded
	return &before
}

// Number returns how many accounts there are, 1 at least.
func (h *Sharding) Number() int { return h.number }

// AccountOfTable returns the account of a table by what follows the name of the run's table, the
// first for a table that the design does not have. It returns false if each account has part of it.
func (h *Sharding) AccountOfTable(suffix string) (account int, whole bool) {
	return max(0, slices.Index(h.tables, suffix)) % h.number, h.number == 1 || h.tables != nil
}

// AccountOf returns the account of a partition, from 0 to one below their number.
// A PartitionKey that is not of the scenario's design goes by its hash.
func (h *Sharding) AccountOf(partitionKey string) int {
	if h.number < 2 {
		return 0
	}
	text := partitionKey
	if len(h.by) > 0 {
		if found, fits := match(h.key, partitionKey); fits {
			var chosen strings.Builder
			for _, p := range h.by {
				if p.Placeholder == "" {
					chosen.WriteString(p.Literal)
				} else if value, same := found[p.Placeholder]; same {
					chosen.WriteString(value)
				} else if made, err := keys.ParseTemplate("{" + p.Placeholder + "}"); err == nil {
					chosen.WriteString(made.Expand(func(attribute string) string { return found[attribute] }))
				}
			}
			text = chosen.String()
			// As many zeros stand before a number as keys have.
			if number, err := strconv.ParseUint(text, 10, 64); err == nil && number < uint64(h.number) {
				return int(number)
			}
		}
	}
	// FNV-1a, its upper half folded into the lower, since its lowest bit alone only shows whether an
	// odd number of odd characters is in the text.
	hash := uint64(14695981039346656037)
	for i := range len(text) {
		hash = (hash ^ uint64(text[i])) * 1099511628211
	}
	return int((hash ^ hash>>32) % uint64(h.number))
}

// unknownPart replaces adjacent placeholders, whose boundary is unknown.
const unknownPart = "{"

// pieces returns the stretches of a template that was found sound before.
func pieces(template string) []keys.Piece {
	t, _ := keys.ParseTemplate(template)
	return t.Pieces()
}

// merged joins the stretches of literal text, and the placeholders that nothing
// parts.
func merged(all []keys.Piece) []keys.Piece {
	var joined []keys.Piece
	for _, p := range all {
		last := len(joined) - 1
		switch {
		case last < 0 || (joined[last].Placeholder == "") != (p.Placeholder == ""):
			joined = append(joined, p)
		case p.Placeholder == "":
			joined[last].Literal += p.Literal
		default:
			joined[last].Placeholder = unknownPart
		}
	}
	return joined
}

// match returns what stands in a key for each placeholder, each as far as the text
// that follows it, and false where the key cannot have come of the template.
func match(template []keys.Piece, key string) (map[string]string, bool) {
	found := make(map[string]string, len(template))
	for i, p := range template {
		if p.Placeholder == "" {
			rest, fits := strings.CutPrefix(key, p.Literal)
			if !fits {
				return nil, false
			}
			key = rest
			continue
		}
		end := len(key)
		if i+1 < len(template) {
			if end = strings.Index(key, template[i+1].Literal); end < 0 {
				return nil, false
			}
		}
		found[p.Placeholder], key = key[:end], key[end:]
	}
	return found, key == ""
}
