package report_test

import (
	"strings"
	"testing"

	"loadgen/results"
)

func TestAuditIsShown(t *testing.T) {
	record := stress().Record(t)
	if strings.Contains(text(t, record), "read back") {
		t.Error("a run whose writes nobody looked after tells of reading back; want nothing of it")
	}
	record.Audit = &results.Audit{Writes: 1500, Acknowledged: 1400, Unknown: 60, Absent: 40, Own409: 1, Own412: 2, Own404: 3,
		ForeignConflicts: 1234, Keys: 900, ReadBack: 890, Lost: 5, Doubled: 6,
		Examples: []results.AuditExample{{PartitionKey: hostile, RowKey: "1234__John__M__55", Fault: "Laps is 3, and only 2 were acknowledged"}}}
	shown := text(t, record)
	for _, want := range []string{"Writes, read back after the run\n", "  1,500 writes = 1,400 acknowledged + 60 unknown + 40 absent\n",
		"  own 409  own 412  own 404  foreign  lost  doubled  read back  of entities  unwatched  overwritten\n" +
			"        1        2        3    1,234     5        6        890          900          0            0\n",
		"1234__John__M__55: Laps is 3"} {
		if !strings.Contains(shown, want) {
			t.Errorf("the report does not show %q:\n%s", want, shown)
		}
	}
}
