package entity

import "fmt"

// ValidateBatch returns OK where the changes could form an entity group
// transaction on a suitable table, or else a code, the index of the first
// change at fault and one line of detail: 1 to [MaxBatchChanges] changes, each
// valid, all of one partition, each row once, at most [MaxBatchBytes] together.
// Nothing is allocated for a valid batch whose rows ascend.
func ValidateBatch(changes []Change) (code Code, index int, detail string) {
	switch n := len(changes); {
	case n == 0:
		return InvalidInput, 0, "the batch holds no change"
	case n > MaxBatchChanges:
		return InvalidInput, MaxBatchChanges - 1,
			fmt.Sprintf("the batch holds %d changes, more than %d", n, MaxBatchChanges)
	}
	partition := changes[0].Key.Partition
	total := 0
	var keys keyChecker
	var rows rowSet
	for i := range changes {
		c := &changes[i]
		size, code, detail := c.check(&keys)
		if code != OK {
			return code, i, detail
		}
		if c.Key.Partition != partition {
			return DifferentPartitions, i, "the batch goes to the partitions " +
				quote(partition) + " and " + quote(c.Key.Partition)
		}
		if !rows.add(changes[:i], c.Key.Row) {
			return InvalidDuplicateRow, i, "the batch changes the row " + quote(c.Key.Row) + " twice"
		}
		if total += size; total > MaxBatchBytes {
			return RequestBodyTooLarge, i, fmt.Sprintf("the batch has more than %d bytes", MaxBatchBytes)
		}
	}
	return OK, 0, ""
}

// rowSet tells whether a row comes twice. While the rows ascend none can, and
// nothing is remembered.
type rowSet struct{ seen map[string]struct{} }

// add reports whether row is new after the rows of the changes before it.
func (r *rowSet) add(before []Change, row string) bool {
	if r.seen == nil {
		if len(before) == 0 || before[len(before)-1].Key.Row < row {
			return true
		}
		r.seen = make(map[string]struct{}, MaxBatchChanges)
		for i := range before {
			r.seen[before[i].Key.Row] = struct{}{}
		}
	}
	if _, again := r.seen[row]; again {
		return false
	}
	r.seen[row] = struct{}{}
	return true
}
