package report

import (
	"fmt"

	"loadgen/report/verdict"
	"loadgen/results"
)

// auditOf shows what became of the writes that were verified.
func auditOf(p *page, record *results.Record) {
	a := record.Audit
	if a == nil {
		return
	}
	p.heading("Writes, read back after the run")
	p.line(fmt.Sprintf("%s writes = %s acknowledged + %s unknown + %s absent",
		verdict.Count(a.Writes), verdict.Count(a.Acknowledged), verdict.Count(a.Unknown), verdict.Count(a.Absent)))
	p.line(fmt.Sprintf("own 409: %s; own 412: %s; own 404: %s; foreign conflicts: %s",
		verdict.Count(a.Own409), verdict.Count(a.Own412), verdict.Count(a.Own404), verdict.Count(a.ForeignConflicts)))
	p.line(fmt.Sprintf("lost: %s; doubled: %s; entities read back: %s of %s",
		verdict.Count(a.Lost), verdict.Count(a.Doubled), verdict.Count(a.ReadBack), verdict.Count(a.Keys)))
	for _, example := range a.Examples {
		p.item(fmt.Sprintf("%s, %s: %s", harmless(example.PartitionKey), harmless(example.RowKey), harmless(example.Fault)))
	}
	p.line("unknown: without a word on whether it was carried out; absent: refused, or somebody else was faster; " +
		"own: a retry met its own success; lost: acknowledged and not there; doubled: increments of counters beyond those acknowledged")
}
