package azure_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

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
		assert.Truef(t, err == nil && got.String() == row.address && got.Account() == row.wantAccount,
			"%s: ParseURL(%q, %q) = %v of %q, %v; want %s of %q", row.name, row.text, row.account, got, got.Account(), err,
			row.address, row.wantAccount)
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
		assert.Truef(t, err == nil && endpoint.Cosmos() == row.want,
			"%s: ParseURL(%q).Cosmos() = %v, %v; want %v", row.name, row.text, endpoint.Cosmos(), err, row.want)
	}
	assert.False(t, (azure.Endpoint{}).Cosmos(), "no endpoint at all is taken for Cosmos DB")
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
	plain := must(azure.ParseURL("https://races.table.core.windows.net", "", nil))
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
	naked := must(azure.ParseURL("https://races.table.core.windows.net", "", nil))
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
		assert.Lenf(t, faults, row.faults, "%s: Validate() = %q; want %d faults", row.name, faults, row.faults)
		built, err := azure.New(row.o)
		assert.Truef(t, errors.Is(err, azure.ErrOptions), "%s: New = %v, %v; want ErrOptions", row.name, built, err)
	}
}

const signature = "sv=2019-02-02&ss=t&srt=sco&sp=raud&se=2026-12-01T00:00:00Z&sig=dGhpcyBpcyBzZWNyZXQ%3D"

func TestParseConnectionString(t *testing.T) {
	const key = ";AccountKey=" + testKey
	for _, row := range []struct{ name, text, address, account string }{
		{"what the portal shows", "DefaultEndpointsProtocol=https;AccountName=races" + key + ";EndpointSuffix=core.windows.net",
			"https://races.table.core.windows.net", "races"},
		{"name and key", "AccountName=races" + key, "https://races.table.core.windows.net", "races"},
		{"another order, a line end, a semicolon at the end", "AccountKey=" + testKey + ";AccountName=races;\n", "https://races.table.core.windows.net", "races"},
		{"names in another case, blanks", " accountname = races ; ACCOUNTKEY = " + testKey + " ", "https://races.table.core.windows.net", "races"},
		{"another cloud", "AccountName=races" + key + ";EndpointSuffix=core.chinacloudapi.cn", "https://races.table.core.chinacloudapi.cn", "races"},
		{"http", "DefaultEndpointsProtocol=HTTP;AccountName=races" + key, "http://races.table.core.windows.net", "races"},
		{"an endpoint of its own", "AccountName=races" + key + ";TableEndpoint=http://127.0.0.1:10002/races;", "http://127.0.0.1:10002/races", "races"},
		{"all endpoints", "AccountName=races" + key + ";BlobEndpoint=http://127.0.0.1:10000/races;TableEndpoint=http://127.0.0.1:10002/races",
			"http://127.0.0.1:10002/races", "races"},
		{"Cosmos DB", "DefaultEndpointsProtocol=https;AccountName=races" + key + ";TableEndpoint=https://races.table.cosmos.azure.com:443/;",
			"https://races.table.cosmos.azure.com:443", "races"},
		{"a signature with an endpoint", "TableEndpoint=https://races.table.core.windows.net/;SharedAccessSignature=" + signature,
			"https://races.table.core.windows.net", "races"},
		{"a signature with a name", "AccountName=races;SharedAccessSignature=?" + signature, "https://races.table.core.windows.net", "races"},
		{"the emulator", "UseDevelopmentStorage=true", "http://127.0.0.1:10002/devstoreaccount1", "devstoreaccount1"},
		{"the emulator elsewhere", "UseDevelopmentStorage=true;DevelopmentStorageProxyUri=http://azurite", "http://azurite:10002/devstoreaccount1", "devstoreaccount1"},
		{"the emulator by IPv6", "UseDevelopmentStorage=TRUE;DevelopmentStorageProxyUri=http://[::1]:80/", "http://[::1]:10002/devstoreaccount1", "devstoreaccount1"},
		{"settings that do not matter", "AccountName=races" + key + ";TableSecondaryEndpoint=https://x;Whatever=1", "https://races.table.core.windows.net", "races"},
	} {
		got, err := azure.ParseConnectionString(row.text)
		if err != nil || got.String() != row.address || got.Account() != row.account {
			t.Errorf("%s: ParseConnectionString(%q) = %v of %q, %v; want %s of %q", row.name, row.text, got, got.Account(), err, row.address, row.account)
		}
	}
}

func TestConnectionStringFaults(t *testing.T) {
	const key = ";AccountKey=" + testKey
	for _, row := range []struct{ name, text, hint string }{
		{"nothing", "", "none of the settings"},
		{"semicolons", ";;;", "none of the settings"},
		{"unknown settings", "Server=x;User=y", "none of the settings"},
		{"a key alone", testKey, "none of the settings"},
		{"a word", "hello", "setting 1 is not of the form"},
		{"an address", "https://races.table.core.windows.net/", "setting 1 is not of the form"},
		{"a part without a value", "AccountName=races" + key + ";EndpointSuffix", "setting 3 is not of the form"},
		{"an empty value", "AccountName=;AccountKey=" + testKey, "AccountName is empty"},
		{"no name", "AccountKey=" + testKey, "AccountName is missing"},
		{"no name beside an endpoint", "TableEndpoint=http://127.0.0.1:10002/races;AccountKey=" + testKey, "AccountName is missing"},
		{"no credential", "AccountName=races", "neither AccountKey nor SharedAccessSignature"},
		{"two credentials", "AccountName=races" + key + ";SharedAccessSignature=" + signature, "both"},
		{"a name given twice", "AccountName=races;accountname=races" + key, "AccountName is given twice"},
		{"a misspelt name", "AcountName=races" + key, "nearly, but not quite, AccountName"},
		{"a misspelt key", "AccountName=races;AccountKye=" + testKey, "nearly, but not quite, AccountKey"},
		{"a misspelt suffix would be missed", "AccountName=races" + key + ";EndpointSufix=core.chinacloudapi.cn", "EndpointSuffix"},
		{"a misspelt emulator", "UseDevelopmentStorag=true", "UseDevelopmentStorage"},
		{"another service's endpoint alone", "BlobEndpoint=https://races.blob.core.windows.net/;SharedAccessSignature=" + signature, "BlobEndpoint, but TableEndpoint is missing"},
		{"another service's endpoint and a name", "AccountName=races" + key + ";QueueEndpoint=http://127.0.0.1:10001/races", "TableEndpoint is missing"},
		{"a key that is no base64", "AccountName=races;AccountKey=c2VjcmV0!", "AccountKey is not base64"},
		{"an account's name that is none", "AccountName=ra ces" + key, "AccountName is not"},
		{"a protocol that is none", "AccountName=races" + key + ";DefaultEndpointsProtocol=ftp", "must be https or http"},
		{"a suffix that is none", "AccountName=races" + key + ";EndpointSuffix=core/windows", "EndpointSuffix is not"},
		{"an endpoint that is none", "AccountName=races" + key + ";TableEndpoint=races", "TableEndpoint: "},
		{"a signature within the endpoint", "TableEndpoint=https://races.table.core.windows.net/?" + signature + ";AccountName=races" + key, "question mark"},
		{"a signature that is none", "AccountName=races;SharedAccessSignature=sv=2019-02-02", "SharedAccessSignature is not"},
		{"the emulator switched off", "UseDevelopmentStorage=false", "must be true"},
		{"the emulator with a key", "UseDevelopmentStorage=true;AccountKey=" + testKey, "leave AccountKey out"},
		{"the emulator at a host that is no name", "UseDevelopmentStorage=true;DevelopmentStorageProxyUri=http://\xde", "DevelopmentStorageProxyUri: azure: service URL: it names no host"},
		{"the suffix of another service", "AccountName=races;AccountKey=" + testKey + ";EndpointSuffix=blob.core.windows.net", "EndpointSuffix: azure: service URL: this is the address of the blob service"},
		{"the emulator at no host", "UseDevelopmentStorage=true;DevelopmentStorageProxyUri=azurite", "not of the form http://host"},
	} {
		got, err := azure.ParseConnectionString(row.text)
		if !errors.Is(err, azure.ErrConnectionString) || !strings.Contains(err.Error(), row.hint) {
			t.Errorf("%s: ParseConnectionString(%q) = %v, %v; want ErrConnectionString with %q", row.name, row.text, got, err, row.hint)
			continue
		}
		for _, secret := range []string{"\n", testKey[:10], "c2Vj", "dGhpcy", "2019-02-02"} {
			assert.NotContainsf(t, err.Error(), secret, "%s: the error %q repeats %q", row.name, err, secret)
		}
	}
}

func TestNeighbours(t *testing.T) {
	const key = "cGxhbnRlZCBzZWNyZXQgcGxhbnRlZCBzZWNyZXQ="
	named := "AccountName=races;AccountKey=" + key
	for _, row := range []struct {
		name, text, queue, blob string
	}{
		{"an account of Azure", named, "https://races.queue.core.windows.net", "https://races.blob.core.windows.net"},
		{"another cloud", named + ";EndpointSuffix=core.chinacloudapi.cn;DefaultEndpointsProtocol=http", "http://races.queue.core.chinacloudapi.cn", "http://races.blob.core.chinacloudapi.cn"},
		{"addresses of their own", named + ";TableEndpoint=http://127.0.0.1:3/races;QueueEndpoint=http://127.0.0.1:4/races/;BlobEndpoint=https://blobs.example.org", "http://127.0.0.1:4/races", "https://blobs.example.org"},
		{"one address of its own", named + ";TableEndpoint=https://races.table.core.windows.net;BlobEndpoint=https://blobs.example.org", "https://races.queue.core.windows.net", "https://blobs.example.org"},
		{"path style alone tells none", named + ";TableEndpoint=http://127.0.0.1:10002/races", "", ""},
		{"path style at a name like Azure's tells none", named + ";TableEndpoint=http://a.table.b/races", "", ""},
		{"Cosmos DB has none", named + ";TableEndpoint=https://races.table.cosmos.azure.com", "", ""},
		{"a name of one's own tells none", named + ";TableEndpoint=https://tables.example.org", "", ""},
		{"the emulator", "UseDevelopmentStorage=true", "http://127.0.0.1:10001/devstoreaccount1", "http://127.0.0.1:10000/devstoreaccount1"},
		{"the emulator elsewhere", "UseDevelopmentStorage=true;DevelopmentStorageProxyUri=http://[::1]", "http://[::1]:10001/devstoreaccount1", "http://[::1]:10000/devstoreaccount1"},
	} {
		endpoint, err := azure.ParseConnectionString(row.text)
		if err != nil {
			t.Errorf("%s: %v", row.name, err)
			continue
		}
		for n, want := range map[azure.Neighbour]string{azure.Queue: row.queue, azure.Blob: row.blob} {
			if got, known := endpoint.Neighbour(n); got != want || known != (want != "") {
				t.Errorf("%s: the %v service is at %q, %v; want %q", row.name, n, got, known, want)
			}
		}
		if got, signature := endpoint.Credential(); signature != "" || got != key && !strings.HasPrefix(row.text, "Use") {
			t.Errorf("%s: the credential is %q and %q; want the key", row.name, got, signature)
		}
		shown := fmt.Sprintf("%v %+v %#v", endpoint, endpoint, endpoint)
		assert.Truef(t, !strings.Contains(shown, key), "%s: printed as %s, with the key", row.name, shown)
	}
	signed, err := azure.ParseConnectionString("AccountName=races;SharedAccessSignature=?sv=1&sig=abc")
	if key, signature := signed.Credential(); err != nil || key != "" || signature != "sv=1&sig=abc" {
		t.Errorf("a shared access signature gives %q and %q, %v; want it without the question mark", key, signature, err)
	}
	if key, signature := (azure.Endpoint{}).Credential(); key != "" || signature != "" {
		t.Error("no endpoint has a credential")
	}
	for _, bad := range []string{"QueueEndpoint=ftp://x/races", "BlobEndpoint=http://x/races?sig=" + key} {
		_, err := azure.ParseConnectionString(named + ";TableEndpoint=http://127.0.0.1:3/races;" + bad)
		setting, _, _ := strings.Cut(bad, "=")
		if !errors.Is(err, azure.ErrConnectionString) || !strings.Contains(err.Error(), setting) || strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v; want an error that names the setting alone", setting, err)
		}
	}
}
