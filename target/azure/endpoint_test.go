package azure_test

import (
	"errors"
	"strings"
	"testing"

	"loadgen/target/azure"
)

func TestParseURL(t *testing.T) {
	for _, row := range []struct{ name, text, account, address, wantAccount string }{
		{"host style", "https://races.table.core.windows.net", "", "https://races.table.core.windows.net", "races"},
		{"a slash at the end", "https://races.table.core.windows.net/", "", "https://races.table.core.windows.net", "races"},
		{"path style", "http://127.0.0.1:10002/devstoreaccount1", "", "http://127.0.0.1:10002/devstoreaccount1", "devstoreaccount1"},
		{"path style by a name with an underscore", "http://azurite_1:10002/devstoreaccount1/", "", "http://azurite_1:10002/devstoreaccount1", "devstoreaccount1"},
		{"the secondary signs with the account's own name", "http://127.0.0.1:10002/races-secondary", "races", "http://127.0.0.1:10002/races-secondary", "races"},
		{"an emulator without a segment", "http://127.0.0.1:8902", "localhost", "http://127.0.0.1:8902", "localhost"},
		{"IPv6", "http://[::1]:10002/races", "", "http://[::1]:10002/races", "races"},
		{"Cosmos DB", "https://races.table.cosmos.azure.com:443/", "", "https://races.table.cosmos.azure.com:443", "races"},
		{"blanks around it", " https://races.table.core.windows.net\n", "", "https://races.table.core.windows.net", "races"},
	} {
		got, err := azure.ParseURL(row.text, row.account, nil)
		if err != nil || got.String() != row.address || got.Account() != row.wantAccount {
			t.Errorf("%s: ParseURL(%q, %q) = %v of %q, %v; want %s of %q", row.name, row.text, row.account,
				got, got.Account(), err, row.address, row.wantAccount)
		}
	}
}

func TestCosmosIsToldByItsHost(t *testing.T) {
	for _, row := range []struct {
		name, text string
		want       bool
	}{
		{"Cosmos DB", "https://races.table.cosmos.azure.com", true},
		{"Cosmos DB with a port, in capitals", "https://Races.Table.Cosmos.Azure.COM:443/", true},
		{"its older name", "https://races.table.cosmosdb.azure.com", true},
		{"another cloud", "https://races.table.cosmos.azure.cn", true},
		{"Azure Storage", "https://races.table.core.windows.net", false},
		{"an emulator", "http://127.0.0.1:10002/races", false},
		{"IPv6", "http://[::1]:10002/races", false},
		{"a host that only begins so", "https://races.table.cosmos.azure.com.example.org", false},
		{"a host that only ends like it", "https://xtable.cosmos.azure.com", false},
	} {
		endpoint, err := azure.ParseURL(row.text, "races", nil)
		if err != nil || endpoint.Cosmos() != row.want {
			t.Errorf("%s: ParseURL(%q).Cosmos() = %v, %v; want %v", row.name, row.text, endpoint.Cosmos(), err, row.want)
		}
	}
	if (azure.Endpoint{}).Cosmos() {
		t.Error("no endpoint at all is taken for Cosmos DB")
	}
}

func TestParseURLFaults(t *testing.T) {
	for _, row := range []struct{ name, text, account, hint string }{
		{"nothing", "", "", "begin with https://"},
		{"no scheme", "races.table.core.windows.net", "", "begin with https://"},
		{"a port alone", "localhost:10002/races", "", "of the form"},
		{"another scheme", "ftp://races.table.core.windows.net", "", "begin with https://"},
		{"no host", "https:///races", "", "names no host"},
		{"a host that is none", "https://ra!ces.example.org", "", "names no host"},
		{"a port that is none", "https://races.example.org:x", "", "of the form"},
		{"a signature", "https://races.table.core.windows.net/?sv=2019-02-02&sig=c2VjcmV0", "", "file or an environment variable"},
		{"an empty query", "https://races.table.core.windows.net/?", "", "question mark"},
		{"a fragment", "https://races.table.core.windows.net/#x", "", "question mark"},
		{"a password", "https://me:c2VjcmV0@races.example.org", "", "password"},
		{"a path of two", "http://127.0.0.1:10002/a/b", "", "one account's name"},
		{"a table", "http://127.0.0.1:10002/races/Runners()", "", "one account's name"},
		{"an escaped path", "http://127.0.0.1:10002/ra%20ces", "", "one account's name"},
		{"no account at an IP address", "http://127.0.0.1:10002", "", "the account's name"},
		{"no account at a plain name", "http://azurite:10002/", "", "the account's name"},
		{"an account with blanks", "http://127.0.0.1:10002/races", "ra ces", "the account's name"},
		{"a key for an account", "http://127.0.0.1:10002", testKey, "the account's name"},
		{"a key for an address", testKey, "", "begin with"},
		{"a key for a host", "https://" + testKey, "", "names no host"},
		{"a key for a path", "https://example.org/" + testKey, "", "one account's name"},
	} {
		got, err := azure.ParseURL(row.text, row.account, nil)
		if !errors.Is(err, azure.ErrURL) || !strings.Contains(err.Error(), row.hint) {
			t.Errorf("%s: ParseURL(%q) = %v, %v; want ErrURL with %q", row.name, row.text, got, err, row.hint)
			continue
		}
		if strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "c2Vj") || strings.Contains(err.Error(), testKey[:8]) {
			t.Errorf("%s: the error %q repeats what it was given; want it not to", row.name, err)
		}
	}
}

func TestWithSAS(t *testing.T) {
	plain, err := azure.ParseURL("https://races.table.core.windows.net", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name, text string
		ok         bool
	}{
		{"a signature", "sv=2019-02-02&sig=c2VjcmV0", true},
		{"a question mark before it", "?sv=2019-02-02&sig=c2VjcmV0", true},
		{"a line end after it, as a file has", "sv=2019-02-02&sig=c2VjcmV0\n", true},
		{"nothing", "", false},
		{"no signature in it", "sv=2019-02-02", false},
		{"an empty signature", "sv=2019-02-02&sig=", false},
		{"a blank in it", "sv=2019-02-02 &sig=c2VjcmV0", false},
		{"a line end in it", "sv=1\r\nX: y&sig=c2VjcmV0", false},
		{"a fragment", "sv=1&sig=c2VjcmV0#", false},
		{"broken escapes", "sv=%zz&sig=c2VjcmV0", false},
	} {
		got, err := plain.WithSAS(row.text)
		if (err == nil) != row.ok || !row.ok && !errors.Is(err, azure.ErrURL) || err != nil && strings.Contains(err.Error(), "c2Vj") {
			t.Errorf("%s: WithSAS(%q) = %v, %v; want ok %v", row.name, row.text, got, err, row.ok)
		}
	}
}

func TestOptionsFaults(t *testing.T) {
	naked, err := azure.ParseURL("https://races.table.core.windows.net", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name   string
		o      azure.Options
		faults int
	}{
		{"nothing but zeros", azure.Options{}, 3},
		{"no credential", azure.Options{Endpoint: naked}, 3},
		{"all at fault", azure.Options{Scheme: 3, Connections: -1, Timeout: -1, RunID: "a b"}, 7},
		{"a name that is too long", azure.Options{RunID: strings.Repeat("x", 201)}, 4},
		{"a name with a line end", azure.Options{RunID: "x\r\n"}, 4},
	} {
		faults := row.o.Validate()
		if len(faults) != row.faults {
			t.Errorf("%s: Validate() = %q; want %d faults", row.name, faults, row.faults)
		}
		if built, err := azure.New(row.o); !errors.Is(err, azure.ErrOptions) {
			t.Errorf("%s: New = %v, %v; want ErrOptions", row.name, built, err)
		}
	}
}
