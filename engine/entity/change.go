package entity

// Verb is what a request asks of a table.
type Verb uint8

// The verbs. The first six are changes of one entity; a Batch (an entity group
// transaction) carries several of them.
const (
	Insert Verb = iota + 1
	Replace
	Merge
	InsertOrReplace
	InsertOrMerge
	Delete
	Get
	Query
	Batch
	CreateTable
	DeleteTable
)

// verbNames is indexed by Verb.
var verbNames = [...]string{
	"", "insert", "replace", "merge", "insert-or-replace", "insert-or-merge",
	"delete", "get", "query", "batch", "create-table", "delete-table",
}

// String returns the verb as a scenario spells it.
func (v Verb) String() string {
	if v == 0 || int(v) >= len(verbNames) {
		return "unknown"
	}
	return verbNames[v]
}

// ParseVerb returns the verb that a scenario spells so, and false for any other
// text.
func ParseVerb(name string) (Verb, bool) {
	for i := 1; i < len(verbNames); i++ {
		if verbNames[i] == name {
			return Verb(i), true
		}
	}
	return 0, false
}

// IsChange reports whether the verb writes one entity.
func (v Verb) IsChange() bool { return v >= Insert && v <= Delete }

// Change is one write: what is done to which entity, with which properties, on
// what condition. It owns neither its keys nor its properties.
type Change struct {
	Verb       Verb
	Key        Key
	Properties []Property
	// Match is the condition on the stored entity's ETag. Replace, Merge and
	// Delete need one, the upserts and Insert must have none.
	Match Match
}

// Match is an If-Match condition. The zero value is none.
type Match struct {
	kind  matchKind
	ticks Ticks
}

type matchKind uint8

const (
	matchNone matchKind = iota
	matchAny
	matchExactly
)

// MatchAny is `If-Match: *`: the entity must exist, in any version.
var MatchAny = Match{kind: matchAny}

// MatchExactly asks for the version that carries this timestamp.
func MatchExactly(version Ticks) Match { return Match{kind: matchExactly, ticks: version} }

// IsNone reports whether there is no condition at all.
func (m Match) IsNone() bool { return m.kind == matchNone }

// Exactly returns the version that the condition asks for, and false where it
// asks for none or for any.
func (m Match) Exactly() (version Ticks, one bool) { return m.ticks, m.kind == matchExactly }

// Accepts reports whether a stored version satisfies the condition; no
// condition accepts every version.
func (m Match) Accepts(version Ticks) bool {
	return m.kind != matchExactly || m.ticks == version
}
