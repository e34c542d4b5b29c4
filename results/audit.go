package results

// Audit is what became of the writes of a run that were looked after.
type Audit struct {
	// Writes is how many operations wrote under an id = Acknowledged + Unknown +
	// Absent. An unknown write ended without a word on whether it was carried out:
	// it may be there or not. An absent one was throttled to the end, or found that
	// somebody else had been faster.
	Writes       int64 `json:"writes"`
	Acknowledged int64 `json:"acknowledged"`
	Unknown      int64 `json:"unknown"`
	Absent       int64 `json:"absent"`
	// Own409, Own412 and Own404 are the writes that met their own success: a retry
	// of an insert, of a conditional write, of a deletion.
	Own409 int64 `json:"own_409"`
	Own412 int64 `json:"own_412"`
	Own404 int64 `json:"own_404"`
	// ForeignConflicts are the replies with 409, 412 or 404 to a write that somebody
	// else was faster than.
	ForeignConflicts int64 `json:"foreign_conflicts"`
	// Keys is how many entities were watched, of which ReadBack were read after the
	// run. Unwatched is how many writes of entities came when no more could be
	// watched.
	Keys      int64 `json:"keys"`
	ReadBack  int64 `json:"read_back"`
	Unwatched int64 `json:"unwatched"`
	// Lost is how many acknowledged writes are not there, though nothing can have
	// replaced them; Doubled how many times too often counters were raised.
	Lost    int64 `json:"lost"`
	Doubled int64 `json:"doubled"`
	// Blind is how many of Lost the run itself may have overwritten, because it wrote the entity
	// without a condition (If-Match: *).
	Blind int64 `json:"blind,omitempty"`
	// Overwritten is how many entities somebody wrote last whom the run does not
	// know.
	Overwritten int64 `json:"overwritten"`
	// Examples name some of the entities at fault, in the order in which they were
	// read.
	Examples []AuditExample `json:"examples"`
}

// AuditExample is an entity that is not what was acknowledged.
type AuditExample struct {
	PartitionKey string `json:"partition_key"`
	RowKey       string `json:"row_key"`
	Fault        string `json:"fault"`
}

// MostAuditExamples is how many entities an [Audit] names at most.
const MostAuditExamples = 10

// Sound reports whether nothing that was read back is lost or doubled.
func (a *Audit) Sound() bool { return a == nil || a.Lost == 0 && a.Doubled == 0 }

// Kept reports whether the table kept every write that it acknowledged, except those that
// the run may have overwritten itself.
func (a *Audit) Kept() bool { return a == nil || a.Lost == a.Blind && a.Doubled == 0 }
