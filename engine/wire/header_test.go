package wire_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/wire"
)

func TestLimitsInTheHeaderServer(t *testing.T) {
	const whole = "loadgen/1 (partition_target=2000; account_target=20000)"
	assert.Equal(t, whole, wire.ServerName(wire.Limits{Partition: 2000, Account: 20_000}), "ServerName")
	const exceeded = "loadgen/1 (headroom=2000; partition_target=2000; account_target=20000)"
	assert.Equal(t, exceeded, wire.ServerName(wire.Limits{Partition: 2000, Account: 20_000, Headroom: 2000}), "ServerName")
	checkParsed(t, wire.ParseServer, []parsedRow[wire.Limits]{
		{"both limits", whole, wire.Limits{Partition: 2000, Account: 20_000}, true},
		{"none", "loadgen/1 (partition_target=none; account_target=none)", wire.Limits{}, true},
		{"one of them", "loadgen/1 (partition_target=500; account_target=none)", wire.Limits{Partition: 500}, true},
		{"a part of a later build", "loadgen/1 (partition_target=5; account_target=7; burst=100ms)", wire.Limits{Partition: 5, Account: 7}, true},
		{"limits that a partition may exceed", exceeded, wire.Limits{Partition: 2000, Account: 20_000, Headroom: 2000}, true},
		{"that behind them", "loadgen/1 (partition_target=500; account_target=7; headroom=5000)", wire.Limits{Partition: 500, Account: 7, Headroom: 5000}, true},
		{"headroom twice", "loadgen/1 (partition_target=5; account_target=7; headroom=2000; headroom=none)", wire.Limits{}, false},
		{"headroom alone", "loadgen/1 (headroom=2000)", wire.Limits{}, false},
		{"nothing", "", wire.Limits{}, false},
		{"a name alone", "loadgen/1", wire.Limits{}, false},
		{"another service", "Windows-Azure-Table/1.0 Microsoft-HTTPAPI/2.0", wire.Limits{}, false},
		{"another service with such parts", "nginx (partition_target=2000; account_target=20000)", wire.Limits{}, false},
		{"a later version", "loadgen/2 (partition_target=2000; account_target=20000)", wire.Limits{}, false},
		{"one part alone", "loadgen/1 (partition_target=2000)", wire.Limits{}, false},
		{"a part twice", "loadgen/1 (partition_target=1; partition_target=2; account_target=3)", wire.Limits{}, false},
		{"zero", "loadgen/1 (partition_target=0; account_target=1)", wire.Limits{}, false},
		{"below zero", "loadgen/1 (partition_target=-5; account_target=1)", wire.Limits{}, false},
		{"leading zeros", "loadgen/1 (partition_target=005; account_target=1)", wire.Limits{}, false},
		{"more than there can be", "loadgen/1 (partition_target=1000000000001; account_target=1)", wire.Limits{}, false},
		{"more than a number holds", "loadgen/1 (partition_target=99999999999999999999; account_target=1)", wire.Limits{}, false},
		{"not closed", "loadgen/1 (partition_target=1; account_target=1", wire.Limits{}, false},
		{"something behind it", whole + " x", wire.Limits{}, false},
		{"a line within", "loadgen/1 (partition_target=1\n; account_target=1)", wire.Limits{}, false},
		{"no value", "loadgen/1 (partition_target; account_target=1)", wire.Limits{}, false},
		{"longer than a header may be", "loadgen/1 (partition_target=1; account_target=1; x=" + strings.Repeat("y", 300) + ")", wire.Limits{}, false},
	})
}

// Whatever a server sends, what is taken of it is within bounds and comes out as it went in.
func FuzzParseServer(f *testing.F) {
	f.Add("loadgen/1 (partition_target=2000; account_target=20000)")
	f.Add("loadgen/1 (partition_target=none; account_target=none; x=y)")
	f.Add("loadgen/1 (partition_target=2000; account_target=20000; headroom=2000)")
	f.Add("loadgen/1 (")
	f.Add("Windows-Azure-Table/1.0")
	f.Fuzz(func(t *testing.T, header string) {
		l, told := wire.ParseServer(header)
		if !told && l != (wire.Limits{}) {
			t.Fatalf("ParseServer(%q) tells nothing and returns %+v", header, l)
		}
		if l.Partition < 0 || l.Account < 0 || l.Headroom < 0 || max(l.Partition, l.Account, l.Headroom) > 1e12 {
			t.Fatalf("ParseServer(%q) = %+v; want limits within bounds", header, l)
		}
		if again, still := wire.ParseServer(wire.ServerName(l)); again != l || !still {
			t.Fatalf("ParseServer(%q) = %+v, which comes back as %+v, %t", header, l, again, still)
		}
	})
}
