package azure

import (
	"strings"
	"testing"

	"loadgen/engine/wire"
)

func TestWhoAnswers(t *testing.T) {
	const (
		real    = "races.table.core.windows.net"
		own     = "tables.example.com"
		service = "Windows-Azure-Table/1.0 Microsoft-HTTPAPI/2.0"
		ours    = "loadgen/1 (partition_target=500; account_target=none)"
	)
	for _, row := range []struct {
		sentence, host, header string
		genuine, emulator      bool
		known                  bool
		limits                 wire.Limits
	}{
		{"the service", real, service, true, false, false, wire.Limits{}},
		{"with a port and a dot", "RACES.table.core.windows.net.:443", service, true, false, false, wire.Limits{}},
		{"its other name", real, "Microsoft-HTTPAPI/2.0", true, false, false, wire.Limits{}},
		{"China", "races.table.core.chinacloudapi.cn", service, true, false, false, wire.Limits{}},
		{"the US government", "races.table.core.usgovcloudapi.net", service, true, false, false, wire.Limits{}},
		{"Germany", "races.table.core.cloudapi.de", service, true, false, false, wire.Limits{}},
		{"Cosmos DB", "races.table.cosmos.azure.com:443", "Microsoft-HTTPAPI/2.0", true, false, false, wire.Limits{}},
		{"its host, and another name", real, "nginx", false, false, false, wire.Limits{}},
		{"its host, and no name", real, "", false, false, false, wire.Limits{}},
		{"its name at a domain of one's own", own, service, false, false, false, wire.Limits{}},
		{"a host that only looks like it", "table.core.windows.net.example.com", service, false, false, false, wire.Limits{}},
		{"the domain without an account", "table.core.windows.net", service, false, false, false, wire.Limits{}},
		{"its name on this machine", "127.0.0.1:10002", service, false, false, false, wire.Limits{}},
		{"loadgen serve", "127.0.0.1:10002", ours, false, true, true, wire.Limits{Partition: 500}},
		{"loadgen serve without limits", own, "loadgen/1 (partition_target=none; account_target=none)", false, true, true, wire.Limits{}},
		{"loadgen serve at the service's host", real, ours, false, true, true, wire.Limits{Partition: 500}},
		{"loadgen serve whose partitions may exceed their limit", own, "loadgen/1 (partition_target=2000; account_target=20000; headroom=2000)", false, true, false, wire.Limits{}},
		{"an older one, which tells none", own, "loadgen/(unknown)", false, true, false, wire.Limits{}},
		{"one that tells what cannot be", own, "loadgen/1 (partition_target=-1; account_target=9e9)", false, true, false, wire.Limits{}},
		{"Azurite", "127.0.0.1:10002", "Azurite-Table/3.35.0", false, true, true, wire.Limits{}},
		{"something else", own, "nginx", false, false, false, wire.Limits{}},
		{"nothing", own, "", false, false, false, wire.Limits{}},
		{"a terminal's controls", real, "Windows-Azure-Table/1.0\x1b[2J", false, false, false, wire.Limits{}},
		{"text that is no ASCII", own, "loadgen/1 (partition_target=5; account_target=6) \u202e", false, false, false, wire.Limits{}},
	} {
		got := identify(row.host, row.header)
		if got.Genuine != row.genuine || got.Emulator != row.emulator || got.LimitsKnown != row.known || got.Limits != row.limits {
			t.Errorf("%s: identify(%q, %q) = %+v; want genuine %t, emulator %t, limits %+v %t",
				row.sentence, row.host, row.header, got, row.genuine, row.emulator, row.limits, row.known)
		}
		if strings.ContainsFunc(got.Server, func(c rune) bool { return c < ' ' || c == '\u202e' }) {
			t.Errorf("%s: it is called %q; want nothing that a terminal takes for more than text", row.sentence, got.Server)
		}
	}
	if got := identify(own, strings.Repeat("x", 5000)); len(got.Server) > longestServer+len("…") {
		t.Errorf("a name of 5,000 bytes is kept at %d", len(got.Server))
	}
}
