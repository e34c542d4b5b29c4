package advise

import (
	"fmt"

	"loadgen/report/document"
	"loadgen/scenarios/advise/keystatistics"
)

// findings are the points of the checklist that can be told from keys.
func (k *Keys) findings() []Finding {
	valid := found(Good, "Every key is one that a table takes.")
	if k.Invalid > 0 {
		first := k.Refused[0]
		valid = found(Error, "%s of %s rows have a key that no table takes, first line %d, %s: %s.",
			document.Count(k.Invalid), document.Count(k.Rows+k.Invalid), first.Line, document.Key(first.PartitionKey, keyWidth), first.What).
			but("Replace or encode what a key cannot hold.")
	}
	unique := found(Good, "None of the first %s keys is there twice.", document.Count(k.Keyed))
	if k.Keyed == 0 {
		unique = found(NotApplicable, "No row has a RowKey.")
	} else if k.Repeated > 0 {
		unique = found(Warning, "Of the first %s keys %s are those of an earlier row: an insert of them fails.", document.Count(k.Keyed),
			document.Count(k.Repeated)).but("Add to the RowKey what tells such rows apart.")
	}
	target := k.Targets.Partition
	partition := found(k.Hottest.against(target), "Of %s entities/s the commonest partition has %s, %s of its target of %s.",
		document.Rate(k.PerSecond), k.Hottest.between(), k.Hottest.ofTarget(target), document.Count(target))
	switch {
	case k.Entities == 0:
		partition = found(NotApplicable, "There are no entities.")
	case k.PerSecond == 0:
		partition = found(CannotTell, "No rate was given. The commonest partition has its %s entities/s when all together are %s.",
			document.Count(target), k.Full.between()).but("Give the rate of all entities: --rate 3000.")
	case partition.Verdict != Good:
		partition = partition.but("Form the PartitionKey from more, or from something finer, so that the commonest is parted.")
	}
	all := Rate{k.PerSecond, k.PerSecond, k.PerSecond}
	account := found(all.against(k.Targets.Account), "%s entities/s are %s of the account's target of %s.",
		document.Rate(k.PerSecond), all.ofTarget(k.Targets.Account), document.Count(k.Targets.Account))
	switch {
	case k.PerSecond == 0:
		account = found(CannotTell, "No rate was given.")
	case k.PerSecond > float64(k.Targets.Account):
		account.Verdict = Error
		account = account.but("Shard over several accounts.")
	case account.Verdict == Warning:
		account = account.but("There is little room left: shard over two accounts before it is needed.")
	}
	order, skew := k.insertOrder(), k.skew()
	valid.ID, unique.ID, partition.ID, account.ID = "valid-keys", "unique-keys", "partition-target", "account-target"
	order.ID, skew.ID = "insert-order", "skew"
	return []Finding{valid, unique, partition, account, order, skew}
}

// between writes a rate by its bounds, which certainly hold.
func (r Rate) between() string {
	if document.Rate(r.Least) == document.Rate(r.Most) {
		return document.Rate(r.Most)
	}
	return document.Rate(r.Least) + " to " + document.Rate(r.Most)
}

func (k *Keys) insertOrder() Finding {
	o := &k.Spread
	f := found(Good, "%s", o.Evidence)
	switch {
	case k.Inserts == 0:
		return found(NotApplicable, "No row inserts.")
	case o.verdict == keystatistics.Unknown:
		f.Verdict = CannotTell
		if k.InOrder != "" {
			f.Evidence += " In the order of the file they come " + k.InOrder + "."
		}
		return f.but("Add a column of instants, --time COLUMN: when each entity was inserted.")
	case o.verdict == keystatistics.SeveralTails:
		f.Evidence += " " + o.order.Bears(k.Targets.Partition, k.Targets.ofAll())
		switch {
		case k.PerSecond > 0 && k.HotPlace > float64(k.Targets.Partition):
			f.Verdict = Error
			f.Evidence += fmt.Sprintf(" At %s/s the hottest has %s.", document.Rate(k.PerSecond), document.Rate(k.HotPlace))
		case k.FullPlace > 0 && k.FullPlace < float64(k.Targets.Account):
			f.Verdict = Warning
		default:
			return f
		}
		return f.but(orderCure)
	case !o.Hot:
		return f
	}
	f.Verdict = Warning
	if k.FullPlace > 0 {
		f.Evidence += fmt.Sprintf(" That place has one partition's target when all together are %s entities/s.",
			document.Rate(k.FullPlace))
	}
	if k.PerSecond > 0 && k.HotPlace > float64(k.Targets.Partition) {
		f.Verdict = Error
		f.Evidence += fmt.Sprintf(" At %s/s it has %s.", document.Rate(k.PerSecond), document.Rate(k.HotPlace))
	}
	return f.but(orderCure)
}

func (k *Keys) skew() Finding {
	if k.Entities == 0 {
		return found(NotApplicable, "There are no entities.")
	}
	o := &k.Spread
	if o.Partitions == 1 {
		return found(Warning, "All entities fall on one partition.").but(skewCure)
	}
	f := found(Good, "%s of the entities fall on the commonest partition of %s; they are as uneven as %s.",
		o.top(), about(o.Partitions, o.PartitionsError), o.like())
	switch {
	case o.TopLeast >= endangered:
		f.Verdict = Warning
		return f.but(skewCure)
	case k.Full.Least > 0 && k.Full.Least < float64(k.Targets.Account):
		f.Verdict = Note
		f.Evidence += fmt.Sprintf(" It reaches its target when all together count %s entities/s, before the account "+
			"does at %s.",
			k.Full.between(), document.Count(k.Targets.Account))
	}
	return f
}

// untimed reports whether it is not known on how many places inserts fall, and how bursty
// they are.
func (k *Keys) untimed() bool {
	return k.Inserts > 0 && (!k.Timed || k.Spread.verdict == keystatistics.Unknown)
}

// carried returns the rate of all entities that the keys carry by the targets, and what is
// full there.
func (k *Keys) carried() (perSecond float64, full string) {
	ceiling, full := k.Full.Least, "the commonest partition"
	if k.FullPlace > 0 && k.FullPlace < ceiling {
		ceiling, full = k.FullPlace, "the one place on which inserts fall at any moment"
		if k.Spread.verdict == keystatistics.SeveralTails {
			full = "the hottest of the " + document.Counted(k.Spread.Tails, "place") + " that take all inserts"
		}
	}
	if account := float64(k.Targets.Account); ceiling > account {
		return account, "the account"
	}
	return ceiling, full
}
