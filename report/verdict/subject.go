package verdict

import (
	"fmt"
	"strconv"
	"strings"
)

// The documents' targets in entities per second, to name where a model differs.
const (
	documentedPartition = 2000
	documentedAccount   = 20_000
)

// accountBinds says that the model's account gives in before its partition.
func (s *story) accountBinds() bool {
	t := s.record.Manifest.Targets
	return t.Account > 0 && (t.Partition == 0 || t.Account < t.Partition)
}

// aimed says that every operation of the load goes to one known partition.
func (s *story) aimed() bool { return s.record.Manifest.PartitionKey != "" }

// subject names what was loaded.
func (s *story) subject() string {
	switch {
	case s.accountBinds():
		return s.accounts()
	case s.aimed():
		return fmt.Sprintf("the partition %q", shortened(s.record.Manifest.PartitionKey))
	default:
		return "the load"
	}
}

// shortened cuts a text that would fill a verdict of its own.
func shortened(text string) string { return cut(text, 60) }

// cut ends a text after so many characters.
func cut(text string, most int) string {
	characters := 0
	for i := range text {
		if characters++; characters > most {
			return text[:i] + "…"
		}
	}
	return text
}

// printable returns a text with every character escaped that could do harm.
func printable(text string) string { return strings.Trim(strconv.Quote(text), `"`) }

// target names the limit that the load was held to, to follow a figure.
func (s *story) target() string {
	t := s.record.Manifest.Targets
	limit, documented, whose := t.Partition, int64(documentedPartition), ""
	switch {
	case s.accountBinds():
		limit, documented, whose = t.Account, documentedAccount, s.forAccounts()
	case !s.aimed():
		whose = " for each partition"
	}
	switch {
	case limit == 0 && !s.record.Manifest.Modelled():
		return "where no target is known"
	case limit == 0:
		return "where the model sets no target"
	case limit == documented:
		return fmt.Sprintf("against the documents' %s/s%s", Count(limit), whose)
	default:
		return fmt.Sprintf("against the model's %s/s%s, not the documents' %s/s", Count(limit), whose, Count(documented))
	}
}
